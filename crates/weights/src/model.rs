//! The weighted structure of a model, with names of its states.

use super::parameters::Assumed;
use super::values::Values;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use volvelle_diagnostics::Diagnostic;
use volvelle_session::trace::VariableValue;
use volvelle_space::{ParametricStructure, WeightedStructure};
use volvelle_wks::structure::{write, write_dot, write_json};
use volvelle_wks::wccs::Unfolding;

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
    pub(super) names: Names,
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
pub(super) enum Names {
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

    /// Whether states are named by the values of variables.
    pub(super) fn has_variables(&self) -> bool {
        matches!(self.names, Names::Values(_))
    }

    /// The variables of a state, where states are named by them.
    pub(super) fn variables(&self, state: u32) -> Vec<(String, VariableValue)> {
        match &self.names {
            Names::Values(values) => values.of_state(state),
            Names::Read(_) | Names::Terms(_) => Vec::new(),
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
    pub(super) fn select(&mut self, file: &str, selected: &SelectedState) -> Result<(), Diagnostic> {
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
