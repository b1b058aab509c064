//! Explicit models as a [`Document`]: states and transitions out of a file, properties in the PRISM language.
//!
//! The program of such a model has no steps. Its fields are the variables of the states, or else the number of the state as `x`
//! (PRISM's name for it), and one Boolean field for each label.

use super::labelled::Labelled;
use super::properties::Properties;
use super::{Analysis, Document, FrontEnd, Input, Listed, Offers, Part, ReadAs};
use crate::folder::Folder;
use crate::outline::{Outline, Rewards, Size, Variable};
use std::io::Read;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_explicit::{
    Column, Companions, Compression, Control as Decider, Dialect, Entity, Format, Input as File,
    Kind as ModelKind, Model, Precision, ReadOptions, Time, begins_as_mcrl2_lts, read, read_lts,
    read_mcrl2_lts,
};
use volvelle_explore::{LoadedSpace, StateTable};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Domain, FieldId, Kind, Layout, Origin, Program};
use volvelle_prism::lower::{Foreign, Lowered};

/// The front end of explicit models.
pub struct Explicit;

impl FrontEnd for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn title(&self) -> &'static str {
        "Explicit states and transitions: UMB, DRN, PRISM's .tra, ALDEBARAN, mCRL2's .lts"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::EXPLICIT, Offers::STATES, Offers::SYSTEM]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["umb", "drn", "tra", "pexp", "aut", "lts"]
    }

    fn is_named(&self, name: &str) -> bool {
        Format::of_name(name).is_some() || is_mcrl2_system(name, &[])
    }

    fn begins(&self, bytes: &[u8]) -> bool {
        Compression::of_content(bytes) != Compression::None
            || Format::of_content(bytes).is_some()
            || begins_as_mcrl2_lts(bytes)
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let is_mcrl2 = is_mcrl2_system(&input.name, &input.bytes);
        let mut nothing = std::io::empty();
        let rest: Option<&mut dyn Read> = match input.system {
            // There is no other way to read these.
            None if is_mcrl2 => Some(&mut nothing),
            Some(rest) if is_system(&input.name, &input.bytes) => Some(rest),
            _ => None,
        };
        if let Some(rest) = rest {
            if input.overrides.kind.is_some() || !input.parts.is_empty() {
                let message = "the file of a labelled transition system says everything itself";
                let diagnostic = Diagnostic::error(codes::BAD_USAGE, message)
                    .note("--as and files of labels, values and rewards apply to PRISM's files of transitions (.tra)")
                    .help("leave them out");
                diagnostics.push(diagnostic);
                return None;
            }
            let mut source = input.bytes.chain(rest);
            let lts = match is_mcrl2 {
                true => read_mcrl2_lts(&input.name, &mut source, input.control),
                false => read_lts(&input.name, &mut source, Dialect::Automatic, input.control),
            };
            return match lts {
                Ok(lts) => Some(Box::new(Labelled::system(input.name, lts))),
                Err(finding) => {
                    diagnostics.push(finding.to_diagnostic(sources));
                    None
                }
            };
        }
        let parts = with_neighbours(&input.name, input.parts, &mut *input.folder);
        let part = |wanted: Part| {
            let found = parts.iter().filter(move |(part, ..)| *part == wanted);
            found.map(|(_, name, bytes)| File { name, bytes })
        };
        let companions = Companions {
            labels: part(Part::Labels).next(),
            states: part(Part::States).next(),
            observations: part(Part::Observations).next(),
            state_rewards: part(Part::StateRewards).collect(),
            transition_rewards: part(Part::TransitionRewards).collect(),
        };
        let numbers = if input.exact { Precision::Exact } else { Precision::AsWritten };
        let kind = input.overrides.kind.map(|kind| {
            let (time, control) = match kind {
                ReadAs::Dtmc => (Time::Discrete, Decider::Chance),
                ReadAs::Ctmc => (Time::Stochastic, Decider::Chance),
                ReadAs::Mdp => (Time::Discrete, Decider::Nondeterminism),
            };
            let (interval, parametric, observations) = (false, false, false);
            ModelKind { time, control, probabilistic: true, interval, parametric, observations }
        });
        if kind.is_some() && Format::of_name(&input.name).is_some_and(|f| f != Format::PrismTransitions) {
            diagnostics.push(
                Diagnostic::error(codes::BAD_USAGE, "the file itself says what kind of model it has")
                    .note("--as applies to the PRISM language and to PRISM's files of transitions (.tra)")
                    .help("leave --as out"),
            );
            return None;
        }
        let options = ReadOptions { numbers, kind, ..ReadOptions::default() };
        let file = File { name: &input.name, bytes: &input.bytes };
        let loaded = match read(file, &companions, &options, input.control) {
            Ok(loaded) => loaded,
            Err(finding) => {
                let others = parts.iter().map(|(_, name, bytes)| (name.as_str(), bytes.as_slice()));
                let texts: Vec<(&str, &[u8])> =
                    std::iter::once((input.name.as_str(), input.bytes.as_slice())).chain(others).collect();
                let diagnostic = finding.to_diagnostic_in(sources, &texts);
                diagnostics.push(match kind {
                    Some(_) => diagnostic.help("leave --as out, or name the kind that the file has"),
                    None => diagnostic,
                });
                return None;
            }
        };
        diagnostics.extend(loaded.warnings.iter().map(|finding| finding.to_diagnostic(sources)));
        let place = Span::new(sources.add(&input.name, ""), 0, 0);
        let files: Vec<FileId> = input.properties.into_iter().map(|p| sources.add(p.name, p.text)).collect();
        let properties = Properties::read(sources, &files, input.named.clone(), diagnostics);
        let (model, format, name) = (loaded.model, loaded.format, input.name);
        let lowered = Lowered::of_foreign(foreign(&model, place));
        Some(Box::new(Explicitly { name, model, format, lowered, properties }))
    }
}

/// Whether a file has a labelled transition system, by its name or its first bytes.
pub(super) fn is_system(name: &str, beginning: &[u8]) -> bool {
    is_mcrl2_system(name, beginning)
        || Format::of_name(name).or_else(|| Format::of_content(beginning)) == Some(Format::Aut)
}

/// Whether a file is in the binary format of mCRL2.
fn is_mcrl2_system(name: &str, beginning: &[u8]) -> bool {
    let (_, stem) = Compression::of_name(name);
    let ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.eq_ignore_ascii_case("lts") || Format::of_name(name).is_none() && begins_as_mcrl2_lts(beginning)
}

/// The parts of a model in PRISM's files: those given, or else those beside it with the same stem.
fn with_neighbours(
    name: &str,
    given: Vec<(Part, String, Vec<u8>)>,
    folder: &mut dyn Folder,
) -> Vec<(Part, String, Vec<u8>)> {
    let mut parts = given;
    if Format::of_name(name).is_some_and(|format| format != Format::PrismTransitions) {
        return parts;
    }
    let (_, plain) = Compression::of_name(name);
    let (place, file) = plain.rsplit_once(['/', '\\']).map_or(("", plain), |(place, file)| (place, file));
    let Some((stem, _)) = file.rsplit_once('.') else { return parts };
    let mut add = |part: Part, file: String, parts: &mut Vec<(Part, String, Vec<u8>)>| {
        let compressed = format!("{file}.gz");
        let found = [file, compressed].into_iter().find_map(|file| {
            let bytes = folder.read(&file)?;
            Some((file, bytes))
        });
        let Some((file, bytes)) = found else { return false };
        let name = if place.is_empty() { file } else { format!("{place}/{file}") };
        parts.push((part, name, bytes));
        true
    };
    for part in Part::ALL {
        if parts.iter().any(|(known, ..)| *known == part) {
            continue;
        }
        let ending = part.ending();
        if !add(part, format!("{stem}.{ending}"), &mut parts) && part.is_numbered() {
            // PRISM numbers the files of several reward structures.
            let mut number = 1;
            while add(part, format!("{stem}{number}.{ending}"), &mut parts) {
                number += 1;
            }
        }
    }
    parts
}

/// The source of a field's values.
enum Source<'a> {
    Number,
    Column(&'a Column),
    Label(&'a volvelle_space::BitSet),
}

impl Source<'_> {
    fn value(&self, state: usize) -> i64 {
        match self {
            Source::Number => state as i64,
            Source::Column(Column::Bool(values)) => i64::from(values.contains(state)),
            Source::Column(Column::Int(values)) => values.get(state),
            Source::Column(_) => 0,
            Source::Label(states) => i64::from(states.contains(state)),
        }
    }
}

/// The variables that fields can hold, with their domains. Integers of the PRISM language have 32 bits.
fn variables(model: &Model) -> Vec<(String, Domain, Source<'_>)> {
    let all = model.variables(Entity::States).iter();
    let mut known: Vec<(String, Domain, Source<'_>)> = all
        .filter(|variable| variable.present.is_none())
        .filter_map(|variable| {
            let domain = match &variable.values {
                Column::Bool(_) => Domain::Bool,
                Column::Int(values) => {
                    let (lo, hi) = variable.bounds.or_else(|| values.bounds()).unwrap_or((0, 0));
                    let fits = i32::try_from(lo).is_ok() && i32::try_from(hi).is_ok();
                    fits.then_some(Domain::Int { lo, hi })?
                }
                _ => return None,
            };
            Some((variable.name.clone(), domain, Source::Column(&variable.values)))
        })
        .collect();
    if known.is_empty() {
        let hi = (model.num_states() as i64 - 1).max(0);
        known.push(("x".to_owned(), Domain::Int { lo: 0, hi }, Source::Number));
    }
    known
}

/// Labels, without the one that marks deadlocks.
fn labels(model: &Model) -> impl Iterator<Item = &volvelle_explicit::Label> {
    model.labels.iter().filter(|label| label.name != "deadlock")
}

/// The names of the model that properties can use, with its kind.
fn foreign(model: &Model, place: Span) -> Foreign {
    Foreign {
        kind: match (model.time, model.control) {
            (Time::Discrete, Decider::Chance) => Kind::Dtmc,
            (_, Decider::Chance) => Kind::Ctmc,
            _ => Kind::Mdp,
        },
        variables: variables(model).into_iter().map(|(name, domain, _)| (name, domain)).collect(),
        labels: labels(model).map(|label| label.name.clone()).collect(),
        rewards: model.rewards.iter().map(|reward| reward.name.clone()).collect(),
        place,
    }
}

/// A model out of a file, with its properties.
struct Explicitly {
    name: String,
    model: Model,
    format: Format,
    lowered: Lowered,
    properties: Properties,
}

impl Explicitly {
    /// Whether there is an engine for models of this kind.
    fn has_engine(&self) -> bool {
        let kind = self.model.kind();
        let is_plain = !kind.interval && !kind.parametric && !kind.observations;
        let is_chain = kind.control == Decider::Chance && kind.time != Time::UrgentStochastic;
        let is_mdp = kind.control == Decider::Nondeterminism && kind.time == Time::Discrete;
        is_plain && (is_chain || is_mdp)
    }
}

impl Document for Explicitly {
    fn outline(&self, sources: &Sources) -> Option<Outline> {
        let summary = self.model.summary();
        let fields = self.lowered.program().fields.iter();
        let ranges: Vec<(&str, String)> = fields
            .map(|field| match field.domain {
                Domain::Bool => (field.name.as_str(), "bool".to_owned()),
                domain => (field.name.as_str(), format!("{}..{}", domain.bounds().0, domain.bounds().1)),
            })
            .collect();
        let variables = summary.variables.iter().map(|variable| {
            let range = ranges.iter().find(|(name, _)| *name == variable.name);
            let range = range.map_or(variable.type_name.to_owned(), |(_, range)| range.clone());
            Variable { name: variable.name.clone(), component: None, range, initial: None }
        });
        let names = self.model.choice_actions.iter().chain(&self.model.branch_actions);
        let mut actions: Vec<String> =
            names.flat_map(|actions| &actions.names).filter(|name| !name.is_empty()).cloned().collect();
        actions.sort_unstable();
        actions.dedup();
        let mut outline = Outline {
            kind: summary.kind.clone(),
            size: Some(Size {
                format: self.format.name(),
                numbers: summary.number_type.map(|ty| ty.name()),
                states: summary.states as u64,
                choices: (self.model.control != Decider::Chance).then_some(summary.choices as u64),
                transitions: summary.branches as u64,
                initial_states: summary.initial as u64,
                deadlocks: summary.deadlocks as u64,
                markovian: summary.markovian.map(|n| n as u64),
                players: summary.players.clone(),
                observations: (summary.observations > 0).then_some(summary.observations as u64),
            }),
            variables: variables.collect(),
            actions,
            rewards: (summary.rewards.iter())
                .map(|reward| Rewards {
                    name: (!reward.name.is_empty()).then(|| reward.name.clone()),
                    states: reward.on.contains(&Entity::States),
                    transitions: reward.on.iter().any(|&entity| entity != Entity::States),
                })
                .collect(),
            labels: summary.labels.clone(),
            ..Outline::default()
        };
        self.properties.outline(sources, &mut outline);
        Some(outline)
    }

    fn lower(&mut self, _: &Sources, constants: &[Constant]) -> Vec<Diagnostic> {
        self.set_constants(constants)
    }

    fn set_constants(&mut self, constants: &[Constant]) -> Vec<Diagnostic> {
        self.properties.set_constants(constants);
        self.lowered.forget_properties();
        self.properties.add_to(&mut self.lowered)
    }

    fn program(&self) -> Option<&Program> {
        Some(self.lowered.program())
    }

    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    fn listed(&self) -> &[Listed] {
        self.properties.listed()
    }

    fn property(&mut self, sources: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>> {
        self.properties.property(Some(&mut self.lowered), sources, index)
    }

    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        self.properties.text(Some(&mut self.lowered), sources, file)
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        self.lowered.take_warnings()
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        let mut found = self.properties.unused_constants(self.lowered.model());
        let variables = variables(&self.model);
        let is_variable = |name: &&str| variables.iter().any(|(variable, ..)| *variable == *name);
        found.extend(
            self.properties
                .given()
                .filter(is_variable)
                .filter(|name| {
                    // What no property mentions is refused already.
                    !found.iter().any(|diagnostic| diagnostic.message.starts_with(&format!("`{name}`")))
                })
                .map(|name| {
                    let message = format!("`{name}` is not an undefined constant");
                    Diagnostic::error(codes::UNKNOWN_CONSTANT_OPTION, message)
                        .note("it is a variable of the model")
                        .help("leave it out")
                })
                .collect::<Vec<_>>(),
        );
        found
    }

    fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic {
        self.lowered.explain_site(sources, site, values)
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        let message = format!("`{}` has no initial state", self.name);
        Diagnostic::error(codes::NO_INITIAL_STATE, message)
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        Some(self.lowered.span(origin))
    }

    fn offers(&self) -> Offers {
        match self.has_engine() {
            true => Offers::EXPLICIT,
            false => Offers::STATES,
        }
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let name = &self.name;
        let kind = self.model.kind();
        let help =
            format!("show it: volvelle info {name}, or convert it: volvelle explore {name} --export FILE");
        if !self.has_engine() {
            if Format::of_name(name) == Some(Format::Aut) {
                let message =
                    format!("`{name}` is a transition system with rates, which has no such paths and values");
                return Diagnostic::error(codes::EXPLICIT_UNSUPPORTED, message)
                    .note(format!("its type is {kind}: steps without a rate may happen in any order"))
                    .help(format!("compute throughputs in the long run, with paths as a check: volvelle steady {name} --simulate"))
                    .help(format!("or the time until an action: volvelle transient {name} --first-passage ACTION"));
            }
            let message = format!("values of models of type {kind} are not computed");
            return Diagnostic::error(codes::EXPLICIT_UNSUPPORTED, message)
                .note("values are computed for DTMC, CTMC, MDP and LTS")
                .help(help);
        }
        super::refused(name, "is an explicit model", analysis)
            .help(format!("check it: volvelle check {name}"))
    }

    fn state_text(&self, values: &[i64]) -> String {
        self.lowered.state_text(values)
    }

    fn explicit(&self) -> Option<&Model> {
        Some(&self.model)
    }

    fn given(&self, control: &Control<'_>) -> Option<Result<LoadedSpace, Diagnostic>> {
        let program = self.lowered.program();
        let converted = match self.model.to_space(true, control) {
            Ok(converted) => converted,
            Err(finding) => return Some(Err(finding.to_diagnostic(&mut Sources::new()))),
        };
        let layout = Layout::new(program);
        let sources = variables(&self.model).into_iter().map(|(.., source)| source);
        let labels = labels(&self.model).map(|label| Source::Label(&label.states));
        let sources: Vec<Source<'_>> = sources.chain(labels).collect();
        let mut states = StateTable::new(layout.words());
        let mut packed = vec![0u64; layout.words()];
        for state in 0..self.model.num_states() {
            for (field, source) in sources.iter().enumerate() {
                layout.set(&mut packed, FieldId(field as u32), source.value(state));
            }
            states.append(&packed);
        }
        Some(Ok(LoadedSpace { space: converted.space, exact: converted.exact, states }))
    }
}
