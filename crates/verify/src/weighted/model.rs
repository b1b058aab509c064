//! The weighted structure of a model, with names of its states.

use super::parameters::{self, Assumed};
use super::unknown::unknown_in;
use super::values::Values;
use crate::language::WeightedSource;
use crate::limits;
use crate::report::{ModelReport, Report};
use crate::session::{Session, Settings};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_logic::Constant;
use volvelle_space::{ParametricStructure, WeightedStructure};
use volvelle_wks::structure::{write, write_dot, write_json};
use volvelle_wks::wccs::{NoStructure, TooLarge, Unfolding, Wccs};

/// A state as it is named on the command line: the parts behind the file's name, `STATE`, `STRUCTURE` or `STRUCTURE:STATE`.
pub type SelectedState = Vec<String>;

/// A weighted structure with names of its states.
pub struct WeightedModel {
    /// The structure; its initial state is the one that was selected.
    pub structure: WeightedStructure,
    /// The same with parameters in its weights, if there are any.
    pub parametric: Option<ParametricStructure>,
    /// How its parameters came to their values.
    pub assumed: Assumed,
    names: Names,
}

/// A format in which structures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureFormat {
    /// `.wks`
    Text,
    /// JSON; parameters have the middles of their ranges.
    Json,
    /// A graph for Graphviz.
    Dot,
}

/// Names of states.
enum Names {
    /// As they were read.
    Read(Vec<String>),
    /// The texts of terms.
    Terms(Box<Unfolding>),
    /// The values of variables.
    Values(Box<Values>),
}

impl WeightedModel {
    /// A structure without parameters, with the names of its states.
    pub(super) fn named(structure: WeightedStructure, names: Vec<String>) -> Self {
        WeightedModel { structure, parametric: None, assumed: Assumed::default(), names: Names::Read(names) }
    }

    /// A structure without parameters, whose states are named by values.
    pub(super) fn valued(structure: WeightedStructure, values: Values) -> Self {
        WeightedModel {
            structure,
            parametric: None,
            assumed: Assumed::default(),
            names: Names::Values(Box::new(values)),
        }
    }

    /// Whether it has the same states with the same names, apart from the one that was selected.
    pub(super) fn has_states_of(&self, other: &WeightedModel) -> bool {
        let same_names =
            matches!((&self.names, &other.names), (Names::Read(own), Names::Read(names)) if own == names);
        same_names && self.structure.has_states_of(&other.structure)
    }

    /// The name of a state, or the term that it is.
    pub fn name(&self, state: u32) -> Cow<'_, str> {
        match &self.names {
            Names::Read(names) => Cow::Borrowed(&names[state as usize]),
            Names::Terms(unfolding) => Cow::Owned(unfolding.text(state)),
            Names::Values(values) => Cow::Owned(values.text(state)),
        }
    }

    /// The propositions of a state: `p`, `leader*2`.
    pub fn propositions(&self, state: u32) -> Vec<String> {
        let text = |&(number, times): &(u32, i64)| match times {
            1 => self.structure.propositions[number as usize].clone(),
            _ => format!("{}*{times}", self.structure.propositions[number as usize]),
        };
        self.structure.valuation(state).iter().map(text).collect()
    }

    /// The structure as a text, with the names of its states. Where two would have the same name, since long terms are shortened, numbers
    /// tell them apart.
    pub fn text(&self, format: StructureFormat) -> String {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut names: Vec<String> = Vec::with_capacity(self.structure.num_states());
        for state in 0..self.structure.num_states() as u32 {
            let mut name = self.name(state).into_owned();
            while !taken.insert(name.clone()) {
                name = format!("{name} #{state}");
            }
            names.push(name);
        }
        let name = |state: u32| Cow::Borrowed(names[state as usize].as_str());
        match format {
            StructureFormat::Text => write(None, &self.structure, self.parametric.as_ref(), name),
            StructureFormat::Json => write_json(None, &self.structure, name),
            StructureFormat::Dot => write_dot(None, &self.structure, self.parametric.as_ref(), name),
        }
    }

    /// Lets the paths of formulas and comparisons begin in the state that is selected by values.
    fn select(&mut self, file: &str, selected: &SelectedState) -> Result<(), Diagnostic> {
        if let (Names::Values(values), false) = (&self.names, selected.is_empty()) {
            let states = self.structure.num_states() as u32;
            self.structure.initial = values.state(file, &selected.join(":"), states)?;
        }
        Ok(())
    }

    /// How many states have no steps.
    pub fn num_blocking(&self) -> usize {
        (0..self.structure.num_states() as u32).filter(|&s| self.structure.outgoing(s).is_empty()).count()
    }
}

impl Session {
    /// The weighted structure of the model, with all its states; without one the report says why.
    pub fn weighted_model(
        &mut self,
        selected: &SelectedState,
        settings: &Settings,
        control: &Control<'_>,
    ) -> (Report, Option<WeightedModel>) {
        let (mut report, model) = self.weighted_model_with(None, selected, settings, control);
        report.diagnostics.extend(model.iter().flat_map(|model| model.assumed.remarks()));
        let refused = has_errors(&report.diagnostics);
        (report, model.filter(|_| !refused))
    }

    /// The same of one of two models that are given the same constants; [`Assumed::remarks_on`] has what is to be said of both.
    pub fn weighted_model_of_pair(
        &mut self,
        selected: &SelectedState,
        settings: &Settings,
        control: &Control<'_>,
    ) -> (Report, Option<WeightedModel>) {
        self.weighted_model_with(None, selected, settings, control)
    }

    /// The same; where the model has to be made a weighted structure, states are told apart by these names.
    pub(super) fn weighted_model_with(
        &mut self,
        names: Option<&[String]>,
        selected: &SelectedState,
        settings: &Settings,
        control: &Control<'_>,
    ) -> (Report, Option<WeightedModel>) {
        self.refuse_sweeps();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if has_errors(&report.diagnostics) {
            return (report, None);
        }
        let made = match self.document.as_ref().map(|document| document.weighted()) {
            None => return (report, None),
            Some(None) if self.is_importable() => {
                let made = self.imported(names, settings, control, &mut report);
                let Some(mut model) = made else { return (report, None) };
                model.select(&self.file, selected).map(|()| model)
            }
            Some(None) => Err(self.not_weighted()),
            Some(Some(WeightedSource::Structures(structures))) => {
                read(&self.file, structures, selected, &self.given)
            }
            Some(Some(WeightedSource::Terms(terms))) => process(&self.file, terms, selected)
                .and_then(|process| unfolded(terms, process, settings, control, &mut report.stop))
                .map(|model| WeightedModel {
                    assumed: Assumed::unused(&self.file, &[], &self.given),
                    ..model
                }),
        };
        match made {
            Ok(model) => {
                let structure = &model.structure;
                let (states, steps) = (structure.num_states() as u64, structure.num_steps() as u64);
                let blocking = Some(model.num_blocking() as u64);
                report.model = Some(self.weighted_report(states, steps, blocking, structure.bytes()));
                (report, Some(model))
            }
            Err(diagnostic) => {
                report.diagnostics.push(diagnostic);
                (report, None)
            }
        }
    }

    fn not_weighted(&self) -> Diagnostic {
        Diagnostic::error(
            codes::UNSUPPORTED_CONSTRUCT,
            format!("`{}` has no weights on its steps", self.file),
        )
        .help("give a weighted Kripke structure (.wks, .json) or terms of weighted CCS (.wccs)")
        .help("or a PRISM model with rewards, or a Promela model that counts costs in a variable")
    }

    /// What is said of a weighted system.
    pub(super) fn weighted_report(
        &self,
        states: u64,
        steps: u64,
        blocking: Option<u64>,
        bytes: u64,
    ) -> ModelReport {
        ModelReport {
            file: self.file.clone(),
            kind: "WKS".to_owned(),
            constants: Vec::new(),
            complete: true,
            ended_by_error: false,
            states,
            is_product: false,
            first_of: None,
            choices: None,
            transitions: steps,
            initial_states: Some(1),
            deadlocks: blocking,
            unexpanded: None,
            bits: 32,
            bytes,
            tier: "none".into(),
            time: self.started.elapsed(),
            facts: Vec::new(),
        }
    }
}

/// The structure and the state that are selected among some.
fn read(
    file: &str,
    structures: &[(Option<String>, volvelle_wks::structure::Explicit)],
    selected: &SelectedState,
    given: &[Constant],
) -> Result<WeightedModel, Diagnostic> {
    let mut rest = selected.as_slice();
    let named = |wanted: &str| structures.iter().find(|(name, _)| name.as_deref() == Some(wanted));
    let found = match (structures, rest) {
        ([one], []) => one,
        ([one], [first, behind @ ..]) => {
            // A name may be that of the structure or of a state.
            if one.0.as_deref() == Some(first) && (!behind.is_empty() || one.1.state(first).is_none()) {
                rest = behind;
            }
            one
        }
        (_, [first, behind @ ..]) => {
            rest = behind;
            named(first).ok_or_else(|| {
                unknown_in(file, "structure", first, structures.iter().filter_map(|(n, _)| n.as_deref()))
            })?
        }
        (_, []) => {
            let names: Vec<&str> = structures.iter().filter_map(|(name, _)| name.as_deref()).collect();
            let message = format!("`{file}` has {} structures", structures.len());
            return Err(Diagnostic::error(codes::WKS_NAME, message)
                .note(format!("they are {}", names.join(", ")))
                .help(format!("name one: {file}:{}", names.first().unwrap_or(&"NAME"))));
        }
    };
    let explicit = &found.1;
    let (mut structure, parametric, assumed) = parameters::with_values(file, explicit, given)?;
    match rest {
        [] => {}
        [state] => {
            let names = || explicit.states.iter().map(String::as_str);
            structure.initial =
                explicit.state(state).ok_or_else(|| unknown_in(file, "state", state, names()))?;
        }
        _ => return Err(too_many(file)),
    }
    Ok(WeightedModel { structure, parametric, assumed, names: Names::Read(explicit.states.clone()) })
}

/// The process that is selected.
pub(super) fn process(file: &str, terms: &Wccs, selected: &SelectedState) -> Result<u32, Diagnostic> {
    match selected.as_slice() {
        [] => Ok(0),
        [name] => {
            let names = terms.processes.iter().map(|process| process.name.as_str());
            terms.process(name).ok_or_else(|| unknown_in(file, "process", name, names))
        }
        _ => Err(too_many(file)),
    }
}

fn too_many(file: &str) -> Diagnostic {
    Diagnostic::error(codes::WKS_NAME, format!("too many names behind `{file}`"))
        .help("a state is FILE:STATE, or FILE:STRUCTURE:STATE where a file has several structures")
}

/// The unfolding of a process.
pub(super) fn unfolding(terms: &Arc<Wccs>, process: u32) -> Result<Unfolding, Diagnostic> {
    Unfolding::new(Arc::clone(terms), process).map_err(too_large)
}

fn too_large(reason: TooLarge) -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, reason.to_string())
}

/// All states of terms.
fn unfolded(
    terms: &Arc<Wccs>,
    process: u32,
    settings: &Settings,
    control: &Control<'_>,
    stop: &mut Option<Stop>,
) -> Result<WeightedModel, Diagnostic> {
    let mut unfolding = unfolding(terms, process)?;
    let mut found = None;
    let structure = unfolding.explore(&mut |states, bytes| {
        control.progress.report(ProgressEvent::Exploring {
            counted: Counted::default(),
            states: states as u64,
            transitions: 0,
            frontier: 0,
            bytes,
        });
        found = control.check().err();
        if control.limits.memory_bytes.is_some_and(|most| bytes > most) {
            found = Some(Stop::Memory);
        }
        if control.limits.states.is_some_and(|most| states as u64 > most) {
            found = Some(Stop::States);
        }
        found.is_none()
    });
    match structure {
        Ok(structure) => {
            let names = Names::Terms(Box::new(unfolding));
            Ok(WeightedModel { structure, parametric: None, assumed: Assumed::default(), names })
        }
        Err(NoStructure::TooLarge(reason)) => Err(too_large(reason)),
        Err(NoStructure::Stopped) => {
            let reached = found.unwrap_or(Stop::Cancelled);
            *stop = Some(reached);
            Err(limits::stopped(reached, &settings.allowance))
        }
    }
}
