//! Two states compared by a weighted relation.

use super::failed;
use super::model::WeightedModel;
use crate::limits::Allowance;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_space::{WeightedStructure, WeightsTooFine};
use volvelle_weighted::{Reason, Verdict, Window, related};

/// A relation between states of weighted structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightedRelation {
    /// Existential bounded simulation: steps are answered by paths that weigh no more.
    ExistentialBounded,
    /// Universal bounded simulation: steps are answered by paths that weigh no less.
    UniversalBounded,
}

impl WeightedRelation {
    /// Its name: `existential bounded simulation`.
    pub fn name(self) -> &'static str {
        match self {
            WeightedRelation::ExistentialBounded => "existential bounded simulation",
            WeightedRelation::UniversalBounded => "universal bounded simulation",
        }
    }

    /// What the weight of an answer has to be.
    pub fn answers(self) -> &'static str {
        match self {
            WeightedRelation::ExistentialBounded => "at most",
            WeightedRelation::UniversalBounded => "at least",
        }
    }

    fn window(self) -> Window {
        match self {
            WeightedRelation::ExistentialBounded => Window::AtMost,
            WeightedRelation::UniversalBounded => Window::AtLeast,
        }
    }
}

/// A pair of states that is not related, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedPair {
    /// Names of the states.
    pub states: [String; 2],
    /// The step of the first that the second cannot answer: its weight, and where it leads. `None`: their propositions differ.
    pub step: Option<(String, String)>,
    /// Refuted pairs, by their places, that paths of the second state may not pass.
    pub passing: Vec<usize>,
    /// Refuted pairs, by their places, that paths of the second state may not end in.
    pub ending: Vec<usize>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct WeightedComparison {
    /// The relation.
    pub relation: WeightedRelation,
    /// Names of the states, with their files.
    pub names: [String; 2],
    /// Whether the first is related to the second.
    pub related: bool,
    /// Why it is not, from the pair in question on.
    pub refuted: Vec<RefutedPair>,
    /// The pairs of a simulation that has the pair in question: how many.
    pub pairs: usize,
    /// Time for the comparison alone.
    pub time: Duration,
}

/// Both structures as one, and the number of the second's initial state.
pub(super) fn union(models: &[WeightedModel; 2]) -> Result<(WeightedStructure, u32), Diagnostic> {
    let [left, right] = models;
    let union = left.structure.union(&right.structure).map_err(|WeightsTooFine| {
        Diagnostic::error(codes::WKS_WEIGHT, "the weights of both have no common measure that suits 64 bits")
            .help("give weights with fewer digits")
    })?;
    Ok((union, left.structure.num_states() as u32 + right.structure.initial))
}

/// The name of a state of the union.
pub(super) fn name(models: &[WeightedModel; 2], state: u32) -> String {
    let first = models[0].structure.num_states() as u32;
    let name = if state < first { models[0].name(state) } else { models[1].name(state - first) };
    name.into_owned()
}

/// Compares the initial states of two models.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn compare_weighted(
    models: &[WeightedModel; 2],
    names: [String; 2],
    relation: WeightedRelation,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<WeightedComparison, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let (structure, other) = union(models).map_err(|diagnostic| (diagnostic, None))?;
    let pair = (structure.initial, other);
    let verdict = related(&structure, pair, &relation.window(), control)
        .map_err(|failure| failed(failure, allowance))?;
    let (is_related, refuted, pairs) = match verdict {
        Verdict::Related(defence) => (true, Vec::new(), defence.pairs.len()),
        Verdict::Unrelated(attack) => {
            let refuted = attack.pairs.iter().map(|pair| {
                let states = [name(models, pair.s), name(models, pair.t)];
                match &pair.reason {
                    Reason::Valuations => {
                        RefutedPair { states, step: None, passing: Vec::new(), ending: Vec::new() }
                    }
                    Reason::Step { step, passing, ending } => RefutedPair {
                        states,
                        step: Some((structure.number(step.weight).to_string(), name(models, step.target))),
                        passing: passing.clone(),
                        ending: ending.clone(),
                    },
                }
            });
            (false, refuted.collect(), 0)
        }
    };
    Ok(WeightedComparison { relation, names, related: is_related, refuted, pairs, time: start.elapsed() })
}
