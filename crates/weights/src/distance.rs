//! How far one state is from another.

use super::both::Both;
use super::failed;
use super::model::WeightedModel;
use dashu_ratio::RBig;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::rational;
use volvelle_session::limits::Allowance;
use volvelle_weighted::distance::{Distance, Kind, Reason, Round, distance, explain};

/// A distance as it is written in an option: `5%`, `1/20`, `0.05`.
///
/// # Errors
/// It is none.
pub fn bound(option: &str, text: &str) -> Result<RBig, Diagnostic> {
    let (digits, divisor) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim(), 100u8),
        None => (text.trim(), 1),
    };
    match rational(digits).filter(|number| *number >= RBig::ZERO) {
        Some(number) => Ok(number / RBig::from(divisor)),
        None => Err(Diagnostic::error(codes::BAD_USAGE, format!("{option} `{text}` is no distance"))
            .help("a distance is a number from 0 on: 5%, 1/20 or 0.05")),
    }
}

/// A distance between states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceKind {
    /// Weighted branching distance: answers weigh between (1 - d) and (1 + d) times as much.
    WeightedBranching,
    /// Existential bounded distance: answers weigh at most (1 + d) times as much.
    ExistentialBounded,
}

impl DistanceKind {
    /// Its name: `weighted branching distance`.
    pub fn name(self) -> &'static str {
        match self {
            DistanceKind::WeightedBranching => "weighted branching distance",
            DistanceKind::ExistentialBounded => "existential bounded distance",
        }
    }

    pub(super) fn engine(self) -> Kind {
        match self {
            DistanceKind::WeightedBranching => Kind::Wbd,
            DistanceKind::ExistentialBounded => Kind::Ebd,
        }
    }
}

/// A step of one state, and the steps with which another answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredStep {
    /// Where the step begins, and where its answer begins.
    pub states: [String; 2],
    /// Weight and target of the step.
    pub step: (String, String),
    /// Weights and targets of the answer's steps; none: it stays where it is.
    pub answer: Vec<(String, String)>,
}

/// A distance as text: `1/50`, `inf`.
pub(super) fn text(distance: &Distance) -> String {
    distance.finite().map_or_else(|| "inf".to_owned(), RBig::to_string)
}

/// The double nearest to a distance.
pub(super) fn nearest(distance: &Distance) -> f64 {
    distance.finite().map_or(f64::INFINITY, |number| number.to_f64().value())
}

/// A distance, and what it rests on.
#[derive(Clone, Debug)]
pub struct WeightedDistance {
    /// Which one.
    pub kind: DistanceKind,
    /// Names of the states, with their files.
    pub names: [String; 2],
    /// The distance: `0`, `1/50`, `inf`.
    pub exact: String,
    /// The nearest double.
    pub value: f64,
    /// Bounds on log(1 + d).
    pub logarithm: [f64; 2],
    /// Whether it is infinite because propositions differ.
    pub propositions_differ: bool,
    /// The steps that lead to the pair of paths that realises it, with their answers.
    pub play: Vec<AnsweredStep>,
    /// The step and the answer that realise it; of an infinite distance the step that has no answer.
    pub realised: Option<AnsweredStep>,
    /// Time for the distance alone.
    pub time: Duration,
}

/// The distance from the initial state of the first model to that of the second.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn weighted_distance(
    models: &[WeightedModel; 2],
    names: [String; 2],
    kind: DistanceKind,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<WeightedDistance, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let both = Both::of(models).map_err(|diagnostic| (diagnostic, None))?;
    let (structure, (s, t)) = (&both.structure, both.pair);
    let wanted = kind.engine();
    let refused = |failure| failed(failure, allowance);
    let found = distance(structure, s, t, wanted, control).map_err(refused)?;
    let reason = explain(structure, s, t, wanted, &found, control).map_err(refused)?;
    let (play, realised, propositions_differ) = match &reason {
        Reason::Related => (Vec::new(), None, false),
        Reason::Propositions => (Vec::new(), None, true),
        Reason::Realised(found) => {
            (plays(&both, &found.play), Some(round(&both, found.pair, found.step, &found.answer)), false)
        }
        Reason::Unanswered { play, pair, step } => {
            (plays(&both, play), Some(round(&both, *pair, *step, &[])), false)
        }
    };
    Ok(WeightedDistance {
        kind,
        names,
        exact: text(&found),
        value: nearest(&found),
        logarithm: found.logarithm(),
        propositions_differ,
        play,
        realised,
        time: start.elapsed(),
    })
}

fn round(both: &Both<'_>, pair: (u32, u32), step: u32, answer: &[u32]) -> AnsweredStep {
    let shown = |step: u32| both.step(both.structure.steps()[step as usize]);
    AnsweredStep {
        states: [both.name(pair.0), both.name(pair.1)],
        step: shown(step),
        answer: answer.iter().map(|&step| shown(step)).collect(),
    }
}

fn plays(both: &Both<'_>, play: &[Round]) -> Vec<AnsweredStep> {
    play.iter().map(|found| round(both, found.pair, found.step, &found.answer)).collect()
}
