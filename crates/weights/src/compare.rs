//! Two states compared by a weighted relation.

use super::both::Both;
use super::failed;
use super::model::WeightedModel;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_session::limits::Allowance;
use volvelle_space::WeightedStructure;
use volvelle_weighted::bisimulation::{Distinction, Options, distinguish, has_zero_weight_cycle};
use volvelle_weighted::{Reason, Refuted, Window, refuted as attack};

/// A relation between states of weighted structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightedRelation {
    /// Weighted branching bisimulation: steps are answered by paths of the same weight.
    Bisimulation,
    /// Existential bounded simulation: steps are answered by paths that weigh no more.
    ExistentialBounded,
    /// Universal bounded simulation: steps are answered by paths that weigh no less.
    UniversalBounded,
}

impl WeightedRelation {
    /// Its name: `existential bounded simulation`.
    pub fn name(self) -> &'static str {
        match self {
            WeightedRelation::Bisimulation => "weighted branching bisimulation",
            WeightedRelation::ExistentialBounded => "existential bounded simulation",
            WeightedRelation::UniversalBounded => "universal bounded simulation",
        }
    }

    /// What the weight of an answer has to be.
    pub fn answers(self) -> &'static str {
        match self {
            WeightedRelation::Bisimulation => "exactly",
            WeightedRelation::ExistentialBounded => "at most",
            WeightedRelation::UniversalBounded => "at least",
        }
    }

    /// The weights of answers; `None`: the relation is symmetric, and decided in another way.
    fn window(self) -> Option<Window> {
        match self {
            WeightedRelation::Bisimulation => None,
            WeightedRelation::ExistentialBounded => Some(Window::AtMost),
            WeightedRelation::UniversalBounded => Some(Window::AtLeast),
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
    /// States of a path of weight 0 from the first, on which it can stay for ever, but the second cannot stay with it; and the place in the path
    /// to which its end leads back.
    pub stays: Option<(Vec<String>, usize)>,
    /// Refuted pairs, by their places, that paths of the second state may not pass.
    pub passing: Vec<usize>,
    /// Refuted pairs, by their places, that paths of the second state may not end in.
    pub ending: Vec<usize>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The relation.
    pub relation: WeightedRelation,
    /// Whether related states also agree in whether they can stay for ever by steps of weight 0.
    pub divergence: bool,
    /// A blocking state has a step to a sink without propositions, rather than a loop of weight 0; only of effect with `divergence`.
    pub sink: bool,
}

impl Comparison {
    /// The literal definition of a relation.
    pub fn literal(relation: WeightedRelation) -> Self {
        Comparison { relation, divergence: false, sink: false }
    }

    pub(super) fn options(self) -> Options {
        Options { divergence: self.divergence, blocking_diverges: true }
    }

    /// The structure in which states are compared: one without blocking states, if they have a step to a sink.
    pub(super) fn normalised(self, structure: WeightedStructure) -> WeightedStructure {
        if self.divergence && self.sink { structure.with_sink() } else { structure }
    }
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
    /// A formula of weighted CTL that holds in the first and not in the second.
    pub formula: Option<String>,
    /// Whether they differ only in that one of them, or one of two states that they reach, can stay for ever by steps of weight 0.
    pub diverges: bool,
    /// Remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// Time for the comparison alone.
    pub time: Duration,
}

/// Compares the initial states of two models.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn compare_weighted(
    models: &[WeightedModel; 2],
    names: [String; 2],
    comparison: Comparison,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<WeightedComparison, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let mut both = Both::of(models).map_err(|diagnostic| (diagnostic, None))?;
    both.structure = comparison.normalised(both.structure);
    let (structure, pair) = (&both.structure, both.pair);
    let refused = |failure| failed(failure, allowance);
    let relation = comparison.relation;
    let mut found = WeightedComparison {
        relation,
        names,
        related: true,
        refuted: Vec::new(),
        formula: None,
        diverges: false,
        diagnostics: Vec::new(),
        time: Duration::ZERO,
    };
    if let Some(window) = relation.window() {
        let options = comparison.options();
        if let Some(attack) = attack(structure, pair, &window, options, control).map_err(refused)? {
            found.related = false;
            found.refuted = attack.pairs.iter().map(|pair| refuted(pair, &both)).collect();
        }
    } else {
        match distinguish(structure, pair.0, pair.1, comparison.options(), control).map_err(refused)? {
            Distinction::Related => {}
            Distinction::Divergence => (found.related, found.diverges) = (false, true),
            Distinction::Formula(formula) => {
                found.related = false;
                found.formula = Some(formula.to_string());
            }
        }
    }
    // Formulas about some path, which existential bounded simulation preserves, are not affected.
    if comparison.divergence && relation == WeightedRelation::ExistentialBounded {
        let message = "--divergence makes no difference to existential bounded simulation";
        let remark = Diagnostic::warning(codes::BAD_USAGE, message)
            .note("the formulas that it preserves are about some path, which no cycle of weight 0 hides");
        found.diagnostics.push(Diagnostic { severity: Severity::Note, ..remark });
    }
    if found.related
        && !comparison.divergence
        && relation != WeightedRelation::ExistentialBounded
        && let Some(cycle) = has_zero_weight_cycle(structure)
    {
        let states: Vec<String> = cycle.iter().take(4).map(|&state| shortened(&both.name(state))).collect();
        found.diagnostics.push(
            Diagnostic::warning(codes::WKS_WEIGHT, "there is a cycle of weight 0")
                .note(format!("it passes {}", states.join(", ")))
                .note("related states may differ in formulas about all paths, since one may stay on the cycle for ever")
                .help("--divergence relates states only if they agree in that"),
        );
    }
    found.time = start.elapsed();
    Ok(found)
}

/// Signs of a name that are shown within a sentence.
const SIGNS: usize = 60;

/// A name, or its beginning.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(SIGNS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// A pair that is not related, with the names of its states.
fn refuted(pair: &Refuted, both: &Both<'_>) -> RefutedPair {
    let states = [both.name(pair.s), both.name(pair.t)];
    match &pair.reason {
        Reason::Stays { path, back_to, following } => RefutedPair {
            states,
            step: None,
            stays: Some((path.iter().map(|&state| both.name(state)).collect(), *back_to)),
            passing: Vec::new(),
            ending: following.clone(),
        },
        Reason::Valuations => {
            RefutedPair { states, step: None, stays: None, passing: Vec::new(), ending: Vec::new() }
        }
        Reason::Step { step, passing, ending } => RefutedPair {
            states,
            stays: None,
            step: Some(both.step(*step)),
            passing: passing.clone(),
            ending: ending.clone(),
        },
    }
}
