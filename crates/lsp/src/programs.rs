//! Programs that rules are about: N4JS. The rules are read once, and each text is checked by them.

use crate::texts::MOST_BYTES;
use std::cell::Cell;
use std::cell::OnceCell;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Label, Sources, Span};
use volvelle_n4js::{Kind, LIBRARY, Syntax, system};
use volvelle_rules::ir::JudgmentId;
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Answer, Finding, Loaded, Program, Reply};
use volvelle_symbols::{InLibrary, LIBRARIES};
use volvelle_trees::{NodeId, Slot};

/// The language, for names.
pub const LANGUAGE: &str = "n4js";

/// Checks after a key, and questions, end when the machine has asked so often whether it should: about two seconds, and one. Counting makes
/// the end the same on every machine.
const LONGEST: u32 = 8_000;
const LONGEST_QUESTION: u32 = 4_000;

/// Values of rules take no more memory.
const MOST_MEMORY: usize = 1 << 29;

/// The rules of the language.
pub struct Rules {
    loaded: Loaded,
    /// With the texts of the rules and of the library.
    sources: Sources,
}

thread_local! {
    static RULES: OnceCell<Option<Rc<Rules>>> = const { OnceCell::new() };
}

/// The rules, read at first.
fn rules() -> Option<Rc<Rules>> {
    RULES.with(|rules| {
        let read = || {
            let mut sources = Sources::new();
            let loaded = system::load_for_editors(&mut sources, Syntax::Current, &mut Vec::new())?;
            Some(Rc::new(Rules { loaded, sources }))
        };
        rules.get_or_init(read).clone()
    })
}

/// A program, and the rules for it.
pub struct Checked {
    rules: Rc<Rules>,
    program: Program,
    /// With the text of the program, which is the last one.
    sources: Sources,
    file: FileId,
}

/// Where a member is declared.
pub enum Place {
    /// In the text.
    Here(Span),
    /// In the library.
    Library(InLibrary),
}

/// Whether a limit was reached.
pub type Stopped = Option<&'static str>;

/// Reads a text and makes all checks.
pub fn check(name: &str, text: &str) -> (Option<Checked>, Vec<Diagnostic>, Stopped) {
    let Some(rules) = rules().filter(|_| text.len() <= MOST_BYTES) else { return (None, Vec::new(), None) };
    let mut sources = rules.sources.clone();
    let file = sources.add(name, text);
    let program = rules.loaded.read(&sources, file);
    let checked = Checked { rules, program, sources, file };
    let report = checked.limited(LONGEST, |limits| {
        checked.rules.loaded.check(&checked.sources, &checked.program, limits, true)
    });
    let found = report.findings.into_iter().map(|finding| checked.told(finding)).collect();
    (Some(checked), found, report.stopped)
}

impl Checked {
    /// All texts, that of the program last.
    pub fn sources(&self) -> (Sources, FileId) {
        (self.sources.clone(), self.file)
    }

    fn limited<T>(&self, longest: u32, run: impl FnOnce(Limits<'_>) -> T) -> T {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > longest
        };
        run(Limits { bytes: MOST_MEMORY, stop: &stop })
    }

    /// What was found, with the levels of the failure that have places as further places.
    fn told(&self, finding: Finding) -> Diagnostic {
        let Finding { mut diagnostic, levels, .. } = finding;
        let primary = diagnostic.primary.as_ref().map(|label| label.span);
        for (span, text) in levels {
            let Some(span) = span.filter(|&span| span.file == self.file && Some(span) != primary) else {
                continue;
            };
            let text = text.strip_prefix("failed: ").unwrap_or(&text);
            diagnostic.notes.retain(|note| note.strip_prefix("failed: ").unwrap_or(note) != text);
            if diagnostic.secondary.iter().all(|known| known.span != span) && text != diagnostic.message {
                diagnostic.secondary.push(Label { span, text: text.to_owned() });
            }
        }
        diagnostic
    }

    fn judgment(&self, name: &str) -> Option<JudgmentId> {
        self.rules.loaded.judgment(name)
    }

    fn own_nodes(&self) -> impl Iterator<Item = NodeId> {
        self.program.tree.nodes().skip(self.program.first.index())
    }

    fn is(&self, node: NodeId, kind: Kind) -> bool {
        self.rules.loaded.language.classes().is_kind(self.program.tree.class(node), kind.id())
    }

    /// The place of the name of a node.
    fn name_of(&self, node: NodeId) -> Option<Span> {
        let (classes, tree) = (self.rules.loaded.language.classes(), &self.program.tree);
        let place = classes.place(tree.class(node), classes.find_field("name")?)?;
        Some(tree.slot_span(node, place)).filter(|span| span.start < span.end)
    }

    fn field(&self, node: NodeId, name: &str) -> Slot {
        let classes = self.rules.loaded.language.classes();
        classes.find_field(name).map_or(Slot::Nothing, |field| self.program.tree.field(classes, node, field))
    }

    /// The type of what a token is, or ends, or declares; with the place of that.
    pub fn type_at(&self, token: Span) -> Option<(String, Span)> {
        let tree = &self.program.tree;
        let is_it = |&node: &NodeId| {
            let span = tree.span(node);
            let own = (span.start, span.end);
            if self.is(node, Kind::Declarable) && !self.is(node, Kind::Expression) {
                return self
                    .name_of(node)
                    .is_some_and(|name| (name.start, name.end) == (token.start, token.end));
            }
            let is_access = self.is(node, Kind::PropertyAccess) && own.1 == token.end && own.0 < token.start;
            self.is(node, Kind::Expression) && (own == (token.start, token.end) || is_access)
        };
        let node = self.own_nodes().filter(is_it).last()?;
        let judgment = self.judgment("typed")?;
        let (reply, _) = self.limited(LONGEST_QUESTION, |limits| {
            self.rules.loaded.ask(&self.sources, &self.program, judgment, node, limits, true)
        });
        let Reply::Holds(values) = reply else { return None };
        let [Answer::Text(ty)] = &values[..] else { return None };
        Some((ty.clone(), tree.span(node)))
    }

    /// The access whose member is named at an offset.
    fn access_at(&self, offset: u32) -> Option<NodeId> {
        let is_it = |&node: &NodeId| {
            self.is(node, Kind::PropertyAccess)
                && self.name_of(node).is_some_and(|name| name.start <= offset && offset <= name.end)
        };
        self.own_nodes().find(is_it)
    }

    fn members(&self, accesses: &[NodeId]) -> Vec<Option<NodeId>> {
        let Some(judgment) = self.judgment("member") else { return Vec::new() };
        self.limited(LONGEST_QUESTION, |limits| {
            self.rules.loaded.nodes_of(&self.sources, &self.program, judgment, accesses, limits)
        })
    }

    /// The member that is named at an offset: where it is declared, or used.
    fn member_at(&self, offset: u32) -> Option<NodeId> {
        let declares = |&node: &NodeId| {
            (self.is(node, Kind::Member) || self.is(node, Kind::EnumLiteral))
                && self.name_of(node).is_some_and(|name| name.start <= offset && offset <= name.end)
        };
        self.own_nodes()
            .find(declares)
            .or_else(|| self.members(&[self.access_at(offset)?]).first().copied().flatten())
    }

    /// Where the member is declared that is named at an offset.
    pub fn definition(&self, offset: u32) -> Option<Place> {
        let name = self.name_of(self.member_at(offset)?)?;
        if name.file == self.file {
            return Some(Place::Here(name));
        }
        let library = LIBRARIES.iter().find(|library| library.name == LIBRARY.0)?;
        Some(Place::Library(InLibrary { library, start: name.start, end: name.end }))
    }

    /// Where the member is used that is named at an offset; nothing where there is none.
    pub fn uses(&self, offset: u32) -> Option<Vec<Span>> {
        let member = self.member_at(offset)?;
        let name = self.field(member, "name");
        let all: Vec<NodeId> = self
            .own_nodes()
            .filter(|&node| self.is(node, Kind::PropertyAccess) && self.field(node, "name") == name)
            .collect();
        let meant = self.members(&all);
        let own = all.iter().zip(meant).filter(|(_, meant)| *meant == Some(member));
        let places = own.filter_map(|(&node, _)| self.name_of(node));
        Some(places.collect())
    }

    /// Names of the members of what stands before a dot that ends at an offset, or before the name behind it.
    pub fn offered(&self, offset: u32) -> Vec<String> {
        let tree = &self.program.tree;
        let target = |node: NodeId| match self.field(node, "target") {
            Slot::Node(target) => Some(target),
            _ => None,
        };
        let is_it = |&node: &NodeId| {
            let is_behind = target(node).is_some_and(|target| tree.span(target).end < offset);
            self.is(node, Kind::PropertyAccess)
                && is_behind
                && offset <= tree.span(node).end.max(offset_of(self, node))
        };
        let receiver =
            self.own_nodes().filter(is_it).filter_map(target).max_by_key(|&target| tree.span(target).end);
        let Some((receiver, judgment)) = receiver.zip(self.judgment("offered")) else { return Vec::new() };
        let (reply, _) = self.limited(LONGEST_QUESTION, |limits| {
            self.rules.loaded.ask(&self.sources, &self.program, judgment, receiver, limits, true)
        });
        let Reply::Holds(values) = reply else { return Vec::new() };
        let [Answer::List(names)] = &values[..] else { return Vec::new() };
        let is_name = |name: &String| {
            name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') && !name.is_empty()
        };
        let text = |answer: &Answer| match answer {
            Answer::Text(text) => Some(text.clone()).filter(is_name),
            _ => None,
        };
        let mut names: Vec<String> = names.iter().filter_map(text).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Where an access ends; one without a name ends at its dot, or where the next token begins.
fn offset_of(checked: &Checked, access: NodeId) -> u32 {
    checked.program.tree.span(access).end + 1
}
