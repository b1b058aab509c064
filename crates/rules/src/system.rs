//! Systems from files, and programs that are checked by them.

mod asked;
mod noted;

pub use crate::derived::{Derivation, Line};
pub use crate::noted::{Noted, Part, Typed};

use crate::ast;
use crate::check::check;
use crate::code::Code;
use crate::ir::{FunctionId, JudgmentId, Purpose, RoutineId, System};
use crate::language::{Host, Language};
use crate::lower::{is_small, lower};
use crate::machine::{Breakdown, Ended, Limits, Machine, Statistics, Told, Watch};
use crate::parse::parse;
use crate::value::{Heap, Value};
use std::cell::OnceCell;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes, has_errors};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::{ClassId, Interner, NodeId, Tree};

/// Opens files that others name: the name as it is written, and the file in which it stands.
pub type Open<'o> = &'o mut dyn FnMut(&mut Sources, &str, FileId) -> Result<FileId, Box<Diagnostic>>;

/// A system that can be asked.
#[derive(Debug)]
pub struct Loaded {
    /// Its rules.
    pub system: System,
    /// Its language.
    pub language: Rc<dyn Language>,
    /// The system whose checks are made, too, by rules of its own.
    pub others: Option<Box<Loaded>>,
    /// Texts that all programs can name.
    libraries: Vec<FileId>,
    codes: Vec<Code>,
    /// The same where each function has a frame of its own, for those who note what is applied.
    plain: OnceCell<Vec<Code>>,
}

/// Something that is wrong with a program, or that a rule could not say.
#[derive(Clone, Debug)]
pub struct Finding {
    /// As it is told.
    pub diagnostic: Diagnostic,
    /// The rule that failed.
    pub rule: Option<String>,
    /// What rules say about it beyond the message.
    pub data: Option<String>,
    /// The levels of the failure, from the outside in: those that have a message.
    pub trace: Vec<String>,
    /// The same with the places that the levels name.
    pub levels: Vec<(Option<Span>, String)>,
}

/// What was found in a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong with it, in the order of the text.
    pub findings: Vec<Finding>,
    /// The limit that was reached.
    pub stopped: Option<&'static str>,
    /// What was done.
    pub statistics: Statistics,
}

impl Report {
    /// Findings in the order of the text.
    fn sort(&mut self) {
        self.findings.sort_by_key(|finding| {
            finding.diagnostic.primary.as_ref().map(|label| (label.span.file.0, label.span.start))
        });
    }
}

/// A value that leaves the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// None.
    Null,
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(i64),
    /// A text, or what has one.
    Text(String),
    /// A list.
    List(Vec<Answer>),
}

/// How a question to a program ended.
#[derive(Clone, Debug)]
pub enum Reply {
    /// It holds, with the outputs.
    Holds(Vec<Answer>),
    /// It does not.
    Fails(Box<Finding>),
    /// A limit was reached.
    Stopped(&'static str),
}

/// Files extend each other in a chain of at most so many.
const LONGEST_CHAIN: usize = 64;

/// Reads the file of a system, and those of which it consists: those that are extended first.
pub fn read_files(
    sources: &mut Sources,
    file: FileId,
    open: Open<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Vec<ast::File>> {
    read_chain(sources, file, open, &mut Vec::new(), found).map(|(files, _)| files)
}

/// Files of a system; the name and the file of another one whose checks are made, too.
type Chain = (Vec<ast::File>, Option<(ast::Name, FileId)>);

/// The same, with the file of the system whose checks are made, too. `seen` are all files of systems around.
fn read_chain(
    sources: &mut Sources,
    file: FileId,
    open: Open<'_>,
    seen: &mut Vec<FileId>,
    found: &mut Vec<Diagnostic>,
) -> Option<Chain> {
    let mut files: Vec<ast::File> = Vec::new();
    let mut others = None;
    let mut at = file;
    seen.push(file);
    loop {
        let (parsed, flaws) = parse(at, &sources.file(at).text);
        found.extend(flaws);
        let extends = parsed.extends.clone();
        let imports = parsed.imports.clone();
        files.push(parsed);
        for import in imports {
            let other = opened(sources, open, &import, at, found)?;
            let (parsed, flaws) = parse(other, &sources.file(other).text);
            found.extend(flaws);
            files.push(parsed);
        }
        let Some((name, checks_only)) = extends else { break };
        let other = opened(sources, open, &name, at, found)?;
        let circle = seen.iter().any(|&known| sources.file(known).name == sources.file(other).name);
        if circle || seen.len() > LONGEST_CHAIN {
            let message = "the system extends itself";
            found.push(Diagnostic::error(codes::RULE_DECLARATION, message).at(name.span, ""));
            return None;
        }
        if checks_only {
            others = Some((name, other));
            break;
        }
        seen.push(other);
        at = other;
    }
    files.reverse();
    Some((files, others))
}

/// Reads the system of a file, with those that it extends, and its grammar.
pub fn load(
    sources: &mut Sources,
    file: FileId,
    open: Open<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    load_with(sources, file, open, &[], found)
}

/// Languages that have a parser of their own, by their names.
type Languages<'l> = &'l [(&'l str, Rc<dyn Language>)];

/// The same, where rule files can be for languages that have a parser of their own, by their names.
pub fn load_with(
    sources: &mut Sources,
    file: FileId,
    open: Open<'_>,
    languages: Languages<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    load_within(sources, file, open, languages, &mut Vec::new(), found)
}

fn load_within(
    sources: &mut Sources,
    file: FileId,
    open: Open<'_>,
    languages: Languages<'_>,
    seen: &mut Vec<FileId>,
    found: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let (files, others) = read_chain(sources, file, open, seen, found)?;
    let written = files.iter().rev().find_map(|file| file.language.clone());
    let (others, named) = match others {
        Some((name, other)) => {
            (Some(Box::new(load_within(sources, other, open, languages, seen, found)?)), Some(name))
        }
        None => (None, None),
    };
    let language = match (&written, &others) {
        (Some(written), _) => language_of(sources, open, written, languages, found)?,
        (None, Some(others)) => others.language.clone(),
        (None, None) => {
            let message = "the system has no language";
            let help = "`language \"x.grammar\"` names the grammar of the programs that it is for";
            found.push(
                Diagnostic::error(codes::RULE_DECLARATION, message).at(Span::new(file, 0, 0), "").help(help),
            );
            return None;
        }
    };
    if let (Some(others), Some(name)) = (&others, &named)
        && !is_same_language(&*language, &*others.language)
    {
        let message = "the checks are for programs of another language";
        found.push(Diagnostic::error(codes::RULE_DECLARATION, message).at(name.span, ""));
        return None;
    }
    let libraries = language.libraries().iter().map(|(name, text)| sources.add(*name, *text)).collect();
    let text = |span: Span| sources.text(span).to_owned();
    let inherited: Vec<&str> = others.as_ref().map_or_else(Vec::new, |others| others.check_names());
    let (system, flaws) = check(&files, &text, &*language, &inherited);
    found.extend(flaws);
    if has_errors(found) {
        return None;
    }
    let mut system = system?;
    for at in 0..system.functions.len() {
        let id = FunctionId::from_index(at);
        system.functions[id].is_small = is_small(&system, id);
    }
    let mut texts = std::mem::take(&mut system.texts);
    let mut all = Vec::new();
    for (_, routine) in system.routines.iter() {
        // What is large when it has other bodies in it may be small enough alone.
        let lowered = lower(&system, routine, &text, &mut texts, true)
            .or_else(|| lower(&system, routine, &text, &mut texts, false));
        match lowered {
            Some(code) => all.push(code),
            None => {
                let message = format!("`{}` has more values than a rule can hold", routine.name);
                found.push(Diagnostic::error(codes::RULE_DECLARATION, message).at(routine.span, ""));
                return None;
            }
        }
    }
    system.texts = texts;
    Some(Loaded { system, language, others, libraries, codes: all, plain: OnceCell::new() })
}

/// Whether languages have the same classes with the same fields: checks of one are for programs of the other.
fn is_same_language(one: &dyn Language, other: &dyn Language) -> bool {
    let (one, other) = (one.classes(), other.classes());
    let fields = |classes: &volvelle_trees::Classes, at: ClassId| -> Vec<String> {
        let fields = classes.class(at).fields.iter();
        fields.map(|field| classes.field_name(field.name).to_owned()).collect()
    };
    one.len() == other.len()
        && one.iter().zip(other.iter()).all(|((at, class), (_, other_class))| {
            class.name == other_class.name && fields(one, at) == fields(other, at)
        })
}

fn language_of(
    sources: &mut Sources,
    open: Open<'_>,
    written: &ast::Language,
    languages: Languages<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Rc<dyn Language>> {
    let name = &written.name;
    if !written.is_file {
        let known = languages.iter().find(|(known, _)| *known == name.text);
        if known.is_none() {
            let message = format!("there is no language `{}`", name.text);
            let names = languages.iter().map(|(name, _)| *name);
            found
                .push(Diagnostic::error(codes::RULE_NAME, message).at_misspelt(name.span, &name.text, names));
        }
        return known.map(|(_, language)| language.clone());
    }
    let file = opened(sources, open, name, name.span.file, found)?;
    let grammar = Grammar::read(file, &sources.file(file).text, found);
    Some(Rc::new(grammar?))
}

fn opened(
    sources: &mut Sources,
    open: Open<'_>,
    name: &ast::Name,
    from: FileId,
    found: &mut Vec<Diagnostic>,
) -> Option<FileId> {
    match open(sources, &name.text, from) {
        Ok(file) => Some(file),
        Err(why) => {
            found.push(why.at(name.span, "named here"));
            None
        }
    }
}

/// A program that a system can be asked about.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its nodes.
    pub tree: Tree,
    /// Its texts, and those of the system.
    pub texts: Interner,
    /// Nodes before this one are of texts that all programs can name.
    pub first: NodeId,
    host: Option<Rc<dyn Host>>,
    /// The node of all of its first file.
    pub root: NodeId,
    /// What is wrong with its form.
    pub flaws: Vec<Diagnostic>,
    /// The same for the system whose checks are made, too, with its texts.
    others: Option<Box<Program>>,
}

impl Loaded {
    /// Reads a program of one file.
    pub fn read(&self, sources: &Sources, file: FileId) -> Program {
        self.read_all(sources, &[file])
    }

    /// Reads a program of several files, in their order. The first one is what is asked about as a whole.
    pub fn read_all(&self, sources: &Sources, files: &[FileId]) -> Program {
        let (mut tree, mut texts, mut flaws) = (Tree::new(), self.system.texts.clone(), Vec::new());
        let read = |tree: &mut Tree, texts: &mut Interner, file: FileId, flaws: &mut Vec<Diagnostic>| {
            self.language.read(tree, texts, file, &sources.file(file).text, flaws)
        };
        for &library in &self.libraries {
            read(&mut tree, &mut texts, library, &mut flaws);
        }
        let first = NodeId::from_index(tree.len());
        let mut roots = files.iter().map(|&file| read(&mut tree, &mut texts, file, &mut flaws));
        let root = roots.next().unwrap_or(first);
        roots.for_each(drop);
        let names: Vec<&str> = files.iter().map(|&file| sources.file(file).name.as_str()).collect();
        let host = self.language.host(&tree, &texts, &names);
        let others = self.others.as_ref().map(|others| Box::new(others.read_all(sources, files)));
        Program { tree, texts, first, host, root, flaws, others }
    }

    /// Names of all checks that are made.
    fn check_names(&self) -> Vec<&str> {
        let own = self.system.checks.iter().map(|&check| &*self.system.routines[check].name);
        own.chain(self.others.iter().flat_map(|others| others.check_names())).collect()
    }

    fn machine<'m>(
        &'m self,
        source: &'m dyn Fn(Span) -> &'m str,
        program: &'m Program,
        limits: Limits<'m>,
        caches: bool,
        watch: Watch,
    ) -> Machine<'m> {
        let heap = Heap::new(program.texts.clone());
        let mut machine = Machine::new(
            &self.system,
            if watch.applied || watch.derivation { self.plain(source) } else { &self.codes },
            &program.tree,
            program.host.as_deref(),
            source,
            heap,
            limits,
            caches,
        );
        machine.watch(watch);
        machine
    }

    /// The instructions where each function has a frame of its own.
    fn plain<'m>(&'m self, source: &dyn Fn(Span) -> &'m str) -> &'m [Code] {
        self.plain.get_or_init(|| {
            let text = |span: Span| source(span).to_owned();
            // All texts of premises are there already.
            let mut texts = self.system.texts.clone();
            let routines = self.system.routines.iter();
            routines
                .map(|(id, routine)| {
                    lower(&self.system, routine, &text, &mut texts, false)
                        .unwrap_or_else(|| self.codes[id.index()].clone())
                })
                .collect()
        })
    }

    /// Makes all checks on a program. One whose form is wrong has only that told.
    pub fn check(&self, sources: &Sources, program: &Program, limits: Limits<'_>, caches: bool) -> Report {
        self.watched(sources, program, limits, caches, Watch::default()).0
    }

    /// The same; what was to be noted is there, too.
    pub fn watched(
        &self,
        sources: &Sources,
        program: &Program,
        limits: Limits<'_>,
        caches: bool,
        watch: Watch,
    ) -> (Report, Noted) {
        self.checked(sources, program, limits, (caches, watch), &[])
    }

    /// The same without checks that others replace.
    fn checked(
        &self,
        sources: &Sources,
        program: &Program,
        limits: Limits<'_>,
        (caches, watch): (bool, Watch),
        replaced: &[&str],
    ) -> (Report, Noted) {
        let mut report = match self.begun(program) {
            Ok(report) => report,
            Err(report) => return (report, Noted::default()),
        };
        let source = |span: Span| sources.text(span);
        let mut machine = self.machine(&source, program, limits, caches, watch);
        self.make_checks(&mut machine, program, replaced, &mut report);
        // A system without checks says what programs are by its judgments.
        if self.system.checks.is_empty() && watch.types.is_some() {
            self.ask_about_all(&mut machine, program, &mut report);
        }
        report.statistics = machine.statistics();
        self.check_others(sources, program, limits, (caches, replaced), &mut report);
        report.sort();
        (report, crate::noted::noted(&mut machine))
    }

    /// A report that has what is wrong with the form of a program; as an error where nothing else is told.
    fn begun(&self, program: &Program) -> Result<Report, Report> {
        let mut report = Report::default();
        let is_ended = has_errors(&program.flaws) && !self.language.checks_all();
        if has_errors(&program.flaws) {
            report.findings = program.flaws.iter().cloned().map(of_form).collect();
        }
        if is_ended { Err(report) } else { Ok(report) }
    }

    fn make_checks(
        &self,
        machine: &mut Machine<'_>,
        program: &Program,
        replaced: &[&str],
        report: &mut Report,
    ) {
        let checks = self.checks_by_class();
        // By the numbers of the check and the node: findings at one place stand in the order of the checks.
        let mut findings: Vec<(usize, NodeId, Finding)> = Vec::new();
        let all = program.tree.nodes().skip(program.first.index());
        'all: for node in all {
            for &number in &checks[program.tree.class(node).index()] {
                let check = self.system.checks[number];
                if replaced.contains(&&*self.system.routines[check].name) {
                    continue;
                }
                match machine.check(check, node) {
                    Ended::Holds(_) => {}
                    Ended::Fails(failure) => {
                        let told = machine.tell(failure);
                        let name = &self.system.routines[check].name;
                        findings.push((number, node, self.finding(machine, &told, node, name)));
                    }
                    Ended::Stopped(why) => {
                        report.stopped = Some(why);
                        break 'all;
                    }
                    Ended::Broke(Breakdown { message, span }) => {
                        findings.push((number, node, broke(&message, span, program.tree.span(node))));
                    }
                }
            }
        }
        findings.sort_by_key(|(number, node, _)| (*number, *node));
        report.findings.extend(findings.into_iter().map(|(.., finding)| finding));
        report.sort();
    }

    /// Makes the checks of the other system that this one does not replace.
    fn check_others(
        &self,
        sources: &Sources,
        program: &Program,
        limits: Limits<'_>,
        (caches, replaced): (bool, &[&str]),
        report: &mut Report,
    ) {
        let (Some(others), Some(program)) = (&self.others, &program.others) else { return };
        if report.stopped.is_some() {
            return;
        }
        let own = self.system.checks.iter().map(|&check| &*self.system.routines[check].name);
        let replaced: Vec<&str> = own.chain(replaced.iter().copied()).collect();
        let (found, _) = others.checked(sources, program, limits, (caches, Watch::default()), &replaced);
        // What is wrong with the form was told already.
        report
            .findings
            .extend(found.findings.into_iter().filter(|one| !program.flaws.contains(&one.diagnostic)));
        report.stopped = found.stopped;
        report.statistics.applications += found.statistics.applications;
        report.statistics.hits += found.statistics.hits;
        report.statistics.instructions += found.statistics.instructions;
    }

    /// Numbers of the checks that are made on nodes of each class.
    fn checks_by_class(&self) -> Vec<Vec<usize>> {
        let universe = &self.system.universe;
        let of = |class: ClassId| {
            let is_for = |routine: RoutineId| match self.system.routines[routine].purpose {
                Purpose::Check(of) => universe.is_kind(class, of),
                _ => false,
            };
            (0..self.system.checks.len()).filter(|&number| is_for(self.system.checks[number])).collect()
        };
        universe.classes.iter().map(|(class, _)| of(class)).collect()
    }

    /// The judgment of a name.
    pub fn judgment(&self, name: &str) -> Option<JudgmentId> {
        self.system.judgments.iter().find(|(_, judgment)| judgment.name == name).map(|(id, _)| id)
    }

    /// Asks whether a judgment of one input holds for a node.
    pub fn ask(
        &self,
        sources: &Sources,
        program: &Program,
        judgment: JudgmentId,
        node: NodeId,
        limits: Limits<'_>,
        caches: bool,
    ) -> (Reply, Statistics) {
        let (reply, statistics, _) =
            self.ask_watched(sources, program, (judgment, node), limits, caches, Watch::default());
        (reply, statistics)
    }

    /// The same; what was to be noted is there, too.
    pub fn ask_watched(
        &self,
        sources: &Sources,
        program: &Program,
        (judgment, node): (JudgmentId, NodeId),
        limits: Limits<'_>,
        caches: bool,
        watch: Watch,
    ) -> (Reply, Statistics, Noted) {
        let source = |span: Span| sources.text(span);
        let mut machine = self.machine(&source, program, limits, caches, watch);
        let ended = machine.ask(judgment, &[Value::Node(node)]);
        let steps = machine.take_steps();
        let mut reply = match ended {
            Ended::Holds(values) => {
                Reply::Holds(values.into_iter().map(|value| answer(&mut machine, value)).collect())
            }
            Ended::Fails(failure) => {
                let told = machine.tell(failure);
                let name = &self.system.judgments[judgment].name;
                Reply::Fails(Box::new(self.finding(&mut machine, &told, node, name)))
            }
            Ended::Stopped(why) => Reply::Stopped(why),
            Ended::Broke(breakdown) => {
                let at = program.tree.span(node);
                Reply::Fails(Box::new(broke(&breakdown.message, breakdown.span, at)))
            }
        };
        let statistics = machine.statistics();
        let mut noted = crate::noted::noted(&mut machine);
        if let (Reply::Holds(_), Some(steps)) = (&reply, steps) {
            match crate::derived::derived(&mut machine, steps, &limits) {
                Ok(derivation) => noted.derivation = Some(derivation),
                Err(why) => reply = Reply::Stopped(why),
            }
        }
        (reply, statistics, noted)
    }

    /// A failure as a diagnostic: it stands at the innermost node that a level of it names, with the message of that level or the one
    /// around it. Where none names a node it is that which was asked about, with the outermost message that rules
    /// have written, or else the innermost one.
    fn finding(&self, machine: &mut Machine<'_>, told: &[Told], node: NodeId, name: &str) -> Finding {
        let trace: Vec<String> = told.iter().filter_map(|level| level.message.clone()).collect();
        let at = told.iter().rposition(|level| level.source.is_some());
        let (node, feature) = at.and_then(|at| told[at].source.clone()).unwrap_or((node, None));
        let message = at
            .and_then(|at| told[..=at].iter().rev().find_map(|level| level.message.clone()))
            .or_else(|| told.iter().find(|level| level.is_written).and_then(|level| level.message.clone()))
            .or_else(|| trace.last().cloned())
            .unwrap_or_else(|| format!("`{name}` does not hold"));
        let message = message.strip_prefix("failed: ").unwrap_or(&message).to_owned();
        let tree = machine.tree;
        let classes = &self.system.universe.classes;
        let span = feature
            .and_then(|feature: String| classes.find_field(&feature))
            .and_then(|field| classes.place(tree.class(node), field))
            .map_or_else(|| tree.span(node), |place| tree.slot_span(node, place));
        let mut diagnostic = Diagnostic::error(self.language.code(), message).at(span, "");
        let message = diagnostic.message.clone();
        for level in trace.iter().filter(|level| !level.ends_with(message.as_str())) {
            diagnostic = diagnostic.note(level);
        }
        let rule = told.iter().rev().find_map(|level| level.rule.clone()).unwrap_or_else(|| name.to_owned());
        let data = told.iter().rev().map(|level| level.data).find(|&data| data != Value::Null);
        let data = data.map(|data| machine.show_value(data));
        let place = |level: &Told| level.source.as_ref().map(|(node, _)| tree.span(*node));
        let levels = told.iter().filter_map(|level| Some((place(level), level.message.clone()?))).collect();
        Finding { diagnostic, rule: Some(rule), data, trace, levels }
    }
}

fn answer(machine: &mut Machine<'_>, value: Value) -> Answer {
    match value {
        Value::Null => Answer::Null,
        Value::Truth(truth) => Answer::Truth(truth),
        Value::Number(_) | Value::Wide(_) => Answer::Number(machine.heap.as_number(value).unwrap_or(0)),
        Value::List(list) => {
            let items = machine.heap.items(list).to_vec();
            Answer::List(items.into_iter().map(|item| answer(machine, item)).collect())
        }
        other => Answer::Text(machine.show_value(other)),
    }
}

fn of_form(diagnostic: Diagnostic) -> Finding {
    Finding { diagnostic, rule: None, data: None, trace: Vec::new(), levels: Vec::new() }
}

fn broke(message: &str, rule: Span, program: Span) -> Finding {
    let diagnostic = Diagnostic::error(codes::RULE_BREAKDOWN, message).at(rule, "").also(program, "for this");
    of_form(diagnostic)
}
