//! What is asked: programs, machines, predictors; from options or from a study.

use super::goal::Goal;
use super::source::{Content, Source};
use super::windows;
use super::windows::Windows;
use crate::options::SimulateMulticore;
use std::path::{Path, PathBuf};
use volvelle_console::{amounts, files};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_multicore::{
    Assignment, Configuration, Expected, Form, Machine, Protocol, Protocols, Specification, Study, Sweep,
    machines, read_predictor, read_protocol,
};
use volvelle_riscv::Symbols;
use volvelle_session::constants::{self, Swept};

/// A program or a trace, and what it is given.
pub struct Run {
    pub name: String,
    pub source: Source,
    pub arguments: Vec<String>,
    pub input: Vec<u8>,
}

impl Run {
    /// The form of its text, where it has one.
    pub fn form(&self) -> Option<Form> {
        match &self.source.content {
            Content::Text(form, ..) => *form,
            _ => None,
        }
    }
}

/// A configuration under a reading of the study.
#[derive(Clone)]
pub struct Case {
    pub reading: Option<String>,
    pub configuration: Configuration,
}

/// Everything that is asked.
pub struct Asked {
    pub title: String,
    pub runs: Vec<Run>,
    pub cases: Vec<Case>,
    /// Windows that stand for programs; none: all is simulated.
    pub windows: Option<Windows>,
    /// What is to be chosen, if something is.
    pub goal: Option<Goal>,
    /// In what cases without a reading differ: names and values, the first of which changes last.
    pub space: Vec<(String, Vec<String>)>,
    /// Predictors of each machine; cases come machine by machine.
    pub predictors: usize,
    /// The position among them of the one over which gains are told.
    pub base: Option<usize>,
    pub expected: Vec<Expected>,
}

impl Asked {
    /// How many cases there are without a reading.
    pub fn space_size(&self) -> u64 {
        self.space.iter().map(|(_, values)| values.len() as u64).product()
    }

    /// Names by address in a program, where there are some.
    pub fn symbols(&self, program: &str) -> Option<&Symbols> {
        self.runs.iter().find(|run| run.name == program)?.source.symbols()
    }
}

/// Predictors, and machines, where none are named.
const USUAL: [&str; 2] = ["gag-14", "perceptron-8"];
const USUAL_MACHINES: [&str; 1] = ["paper"];

/// A name, with its place where a study has it.
type Named = (String, Option<Span>);

/// A key with its value, with their place where a study has them.
type Given = (String, String, Option<Span>);

/// What options name; else what the study does; else the usual ones.
fn chosen(given: &[String], of_study: Vec<Named>, usual: &[&str]) -> Vec<Named> {
    let plain = |name: &str| (name.to_owned(), None);
    match (given.is_empty(), of_study.is_empty()) {
        (false, _) => given.iter().map(|name| plain(name)).collect(),
        (true, false) => of_study,
        (true, true) => usual.iter().map(|name| plain(name)).collect(),
    }
}

/// Reads what is asked of a source.
pub fn read(
    args: &SimulateMulticore,
    source: Source,
    sources: &mut Sources,
    control: &Control<'_>,
) -> Result<Asked, Vec<Diagnostic>> {
    let mut reader = Reader { sources, found: Vec::new(), folder: PathBuf::new() };
    let asked = match &source.content {
        Content::Text(None, file, text) => {
            let (file, text) = (*file, text.clone());
            reader.folder = source.path.parent().map(Path::to_path_buf).unwrap_or_default();
            reader.of_study(args, file, &text, control)
        }
        _ => reader.of_options(args, source),
    };
    if reader.found.is_empty() { Ok(asked) } else { Err(reader.found) }
}

struct Reader<'s> {
    sources: &'s mut Sources,
    found: Vec<Diagnostic>,
    /// The folder from which files are named.
    folder: PathBuf,
}

impl Reader<'_> {
    fn of_options(&mut self, args: &SimulateMulticore, source: Source) -> Asked {
        let predictors = chosen(&args.predictor, Vec::new(), &USUAL);
        let names = chosen(&args.machine, Vec::new(), &USUAL_MACHINES);
        let (set, sweeps) = self.constants(args);
        let predictors = self.predictors(&predictors, args);
        let cases = self.cases(None, &names, &set, &sweeps, &predictors);
        let name = source.path.display().to_string();
        let run = Run { name, source, arguments: args.arguments.clone(), input: Vec::new() };
        Asked {
            title: String::new(),
            runs: vec![run],
            cases,
            windows: self.windows(args),
            goal: self.goal(args),
            space: space(&names, &sweeps, &predictors),
            predictors: predictors.len(),
            base: Some(0),
            expected: Vec::new(),
        }
    }

    fn of_study(
        &mut self,
        args: &SimulateMulticore,
        file: FileId,
        text: &str,
        control: &Control<'_>,
    ) -> Asked {
        let mut asked = Asked {
            title: String::new(),
            runs: Vec::new(),
            cases: Vec::new(),
            windows: self.windows(args),
            goal: self.goal(args),
            space: Vec::new(),
            predictors: 0,
            base: None,
            expected: Vec::new(),
        };
        if !args.arguments.is_empty() {
            let message = "a study names the arguments of its programs";
            let found = Diagnostic::error(codes::BAD_USAGE, message);
            self.found.push(found.help("write `arguments = [\"...\"]` below its `[[program]]`"));
        }
        let study = match Study::read(file, text) {
            Ok(study) => study,
            Err(found) => {
                self.found.extend(found);
                return asked;
            }
        };
        let at = |place: &std::ops::Range<usize>| Some(Span::within(file, text, place.clone()));
        for program in &study.programs {
            let path = self.folder.join(&program.file);
            let source = Source::open(&path, self.sources, control);
            let input = program.input.as_ref().map(|input| files::read_bytes(&self.folder.join(input)));
            let input = input.transpose().map(Option::unwrap_or_default);
            match (source, input) {
                (Ok(Source { content: Content::Text(None, ..), .. }), _) => {
                    let message = format!("`{}` is a study itself", program.file);
                    let found = Diagnostic::error(codes::MACHINE_VALUE, message);
                    self.put(found.help("name a program or a trace"), at(&program.place));
                }
                (Ok(source), Ok(input)) => asked.runs.push(Run {
                    name: program.name.clone(),
                    source,
                    arguments: program.arguments.clone(),
                    input,
                }),
                (Err(found), _) | (_, Err(found)) => self.put(found, at(&program.place)),
            }
        }
        let named = |all: &[(String, std::ops::Range<usize>)]| -> Vec<Named> {
            all.iter().map(|(name, place)| (name.clone(), at(place))).collect()
        };
        let names = chosen(&args.machine, named(&study.machines), &USUAL_MACHINES);
        let predictors = chosen(&args.predictor, named(&study.predictors), &USUAL);
        let mut set: Vec<Given> = of_file(&study.set, &at);
        let mut sweeps = study.sweeps.clone();
        let (also, swept) = self.constants(args);
        set.extend(also);
        sweeps.extend(swept);
        let usual = self.predictors(&predictors, args);
        asked.cases = self.cases(None, &names, &set, &sweeps, &usual);
        for reading in &study.readings {
            let mut all = set.clone();
            all.extend(of_file(&reading.set, &at));
            let own = reading.predictors.as_ref().map(|own| self.predictors(&named(own), args));
            if own.as_ref().is_some_and(|own| own.len() != usual.len()) {
                let message =
                    format!("the reading `{}` has not as many predictors as the study", reading.name);
                self.found.push(Diagnostic::error(codes::MACHINE_VALUE, message));
                continue;
            }
            let name = Some(reading.name.clone());
            let cases = self.cases(name, &names, &all, &sweeps, own.as_deref().unwrap_or(&usual));
            asked.cases.extend(cases);
        }
        // Options may name other predictors than the study.
        let place = |base: String| usual.iter().position(|predictor| predictor.name == base);
        asked.base = Some(study.base.and_then(place).unwrap_or(0));
        asked.predictors = usual.len();
        asked.space = space(&names, &sweeps, &usual);
        asked.title = study.title;
        asked.expected = study.expected;
        asked
    }

    /// Notes what is wrong, at its place in the study where it is known.
    fn put(&mut self, found: Diagnostic, place: Option<Span>) {
        let has_place = found.primary.is_some();
        let found = match place {
            Some(span) if !has_place => found.at(span, ""),
            _ => found,
        };
        // Readings have machines and predictors in common.
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    fn cases(
        &mut self,
        reading: Option<String>,
        names: &[Named],
        set: &[Given],
        sweeps: &[Sweep],
        predictors: &[Specification],
    ) -> Vec<Case> {
        let mut bases = Vec::new();
        for (name, place) in names {
            match self.machine(name) {
                Ok(machine) => bases.push(machine),
                Err(found) => found.into_iter().for_each(|found| self.put(found, *place)),
            }
        }
        for machine in &mut bases {
            for (key, value, place) in set {
                let mut protocols = OwnProtocols { sources: self.sources, folder: &self.folder };
                if let Err(found) = machine.set(key, value, &mut protocols) {
                    found.into_iter().for_each(|found| self.put(found, *place));
                    return Vec::new();
                }
            }
        }
        let mut protocols = OwnProtocols { sources: self.sources, folder: &self.folder };
        let all = match machines(&bases, sweeps, &mut protocols) {
            Ok(all) => all,
            Err(found) => {
                self.found.extend(found);
                return Vec::new();
            }
        };
        let of = |machine: &Machine| {
            let machine = machine.clone();
            let reading = reading.clone();
            predictors.iter().map(move |predictor| Case {
                reading: reading.clone(),
                configuration: Configuration::new(machine.clone(), predictor.clone()),
            })
        };
        all.iter().flat_map(of).collect()
    }

    fn machine(&mut self, name: &str) -> Result<Machine, Vec<Diagnostic>> {
        match self.declaration(name) {
            Some(text) => {
                let (file, text) = text.map_err(|found| vec![found])?;
                // What a machine names is beside it.
                let folder = self.folder.join(name).parent().map(Path::to_path_buf).unwrap_or_default();
                let mut protocols = OwnProtocols { sources: self.sources, folder: &folder };
                let mut machine = Machine::read(file, &text, &mut protocols)?;
                if machine.name == "paper" {
                    machine.name = stem(name);
                }
                Ok(machine)
            }
            None => Machine::preset(name).map_err(|found| vec![found]),
        }
    }

    fn predictor(&mut self, name: &str) -> Result<Specification, Vec<Diagnostic>> {
        match self.declaration(name) {
            Some(text) => {
                let (file, text) = text.map_err(|found| vec![found])?;
                read_predictor(file, &text)
            }
            None => Specification::parse(name).map_err(|found| vec![found]),
        }
    }

    /// The text of a file in TOML, if a name is that of one.
    fn declaration(&mut self, name: &str) -> Option<Result<(FileId, String), Diagnostic>> {
        let path = self.folder.join(name);
        if !name.ends_with(".toml") && !name.contains('/') {
            return None;
        }
        Some(files::read(&path).map(|text| {
            let file = self.sources.add(text.name, text.text.as_str());
            (file, text.text)
        }))
    }

    /// Predictors of these names, scaled to budgets.
    fn predictors(&mut self, names: &[Named], args: &SimulateMulticore) -> Vec<Specification> {
        let mut all = Vec::new();
        for (name, place) in names {
            match self.predictor(name) {
                Ok(predictor) => all.push(predictor),
                Err(found) => found.into_iter().for_each(|found| self.put(found, *place)),
            }
        }
        if args.budget.is_empty() {
            return all;
        }
        let mut scaled: Vec<Specification> = Vec::new();
        for text in &args.budget {
            match amounts::memory(text) {
                Ok(bytes) => {
                    for predictor in &all {
                        match predictor.within(bytes.saturating_mul(8)) {
                            // Predictors without tables are the same at every budget.
                            Ok(found) if scaled.contains(&found) => {}
                            Ok(found) => scaled.push(found),
                            Err(found) => self.found.push(found),
                        }
                    }
                }
                Err(_) => {
                    let message = format!("`{}` is no number of bytes", text.escape_debug());
                    let found = Diagnostic::error(codes::BAD_USAGE, message);
                    self.found.push(found.help("write bytes, or a number with K or M: --budget 4K,32K"));
                }
            }
        }
        scaled
    }

    fn goal(&mut self, args: &SimulateMulticore) -> Option<Goal> {
        Goal::read(&args.goal, self.sources).unwrap_or_else(|found| {
            self.found.extend(found);
            None
        })
    }

    fn windows(&mut self, args: &SimulateMulticore) -> Option<Windows> {
        windows::read(args).unwrap_or_else(|found| {
            self.found.extend(found);
            None
        })
    }

    /// Keys that options give one value, and those that they give several.
    fn constants(&mut self, args: &SimulateMulticore) -> (Vec<Given>, Vec<Sweep>) {
        let (given, found) = constants::parse_parameters(&args.constants);
        self.found.extend(found);
        let (swept, set): (Vec<Swept>, Vec<Swept>) = given.into_iter().partition(|given| given.is_sweep);
        let texts =
            |given: &Swept| given.values.iter().map(|value| value.text().to_owned()).collect::<Vec<_>>();
        let set = set.iter().map(|given| (given.name.clone(), texts(given).remove(0), None));
        let sweeps = swept.iter().map(|given| Sweep { key: given.name.clone(), values: texts(given) });
        (set.collect(), sweeps.collect())
    }
}

/// In what cases differ.
fn space(machines: &[Named], sweeps: &[Sweep], predictors: &[Specification]) -> Vec<(String, Vec<String>)> {
    let machines = machines.iter().map(|(name, _)| name.clone()).collect();
    let predictors = predictors.iter().map(|predictor| predictor.name.clone()).collect();
    let mut space = vec![("machine".to_owned(), machines)];
    space.extend(sweeps.iter().map(|sweep| (sweep.key.clone(), sweep.values.clone())));
    space.push(("predictor".to_owned(), predictors));
    space
}

/// Protocols in files.
struct OwnProtocols<'r> {
    sources: &'r mut Sources,
    folder: &'r Path,
}

impl Protocols for OwnProtocols<'_> {
    fn own(&mut self, name: &str) -> Option<Result<Protocol, Vec<Diagnostic>>> {
        if !name.ends_with(".toml") && !name.contains('/') {
            return None;
        }
        let text = match files::read(&self.folder.join(name)) {
            Ok(text) => text,
            Err(found) => return Some(Err(vec![found])),
        };
        let file = self.sources.add(text.name, text.text.as_str());
        let (protocol, found) = read_protocol(file, &text.text);
        Some(protocol.ok_or(found))
    }
}

fn of_file(
    all: &[Assignment],
    at: &impl Fn(&std::ops::Range<usize>) -> Option<Span>,
) -> Vec<(String, String, Option<Span>)> {
    all.iter().map(|one| (one.key.clone(), one.value.clone(), at(&one.place))).collect()
}

fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
