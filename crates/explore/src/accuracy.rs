//! How far the doubles of an explored space are from the numbers of its program.
//!
//! In: the plan of [`volvelle_model::rounding`], and a space explored with the twins of that plan. Out: the
//! space without twins, with the accuracy of its rewards and bounds of the relative errors of its weights.
//! Rows contribute what the plan cannot know: how many weights of equal targets were added, and how many
//! commands share a step.

use volvelle_model::Kind;
use volvelle_model::exact::U;
use volvelle_model::rounding::{Accuracy as Planned, Plan};
use volvelle_model::row_sums::NOTEWORTHY;
use volvelle_model::underflow::is_vague;
use volvelle_space::{Accuracy, Space, Values};

/// The operations by which rows were made from weights and rewards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowOperations {
    /// Most weights of equal targets that were added.
    pub merged: u32,
    /// Most successors of a state.
    pub successors: u32,
    /// Whether commands of a state share its steps.
    pub shared: bool,
    /// Whether weights were divided by the number of choices that share a step, and rounded.
    pub divided: bool,
}

impl RowOperations {
    /// Combines two sets of operations.
    pub fn unite(&mut self, other: RowOperations) {
        self.merged = self.merged.max(other.merged);
        self.successors = self.successors.max(other.successors);
        self.shared |= other.shared;
        self.divided |= other.divided;
    }
}

/// Errors of the numbers of a space, besides those of its rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// Largest relative error of a probability or rate.
    pub weights: f64,
    /// Errors of numeric observations.
    pub numbers: Vec<Accuracy>,
    /// A state where probabilities were scaled, since as written they do not sum to one; of several, the one
    /// farthest from one.
    pub scaled: Option<u32>,
}

impl Errors {
    /// Errors of weights that were read, or that are the doubles nearest to rationals.
    pub fn of_read(values: &Values, numbers: Vec<Accuracy>) -> Self {
        Errors { weights: U + of_vague(values), numbers, scaled: None }
    }

    /// Errors of numbers that may have been divided by the sums of their rows. Four roundings count: of the
    /// number, of the others in the exact sum, of the computed sum, and of the quotient.
    #[must_use]
    pub fn with_shares(self) -> Self {
        Errors { weights: self.weights + 5.0 * U, ..self }
    }

    /// Whether some weight is only known to be positive, and very small or very large.
    pub fn is_vague(&self) -> bool {
        self.weights >= VAGUE
    }

    /// Errors of a space whose states are states of this one, and whose rows are sums over at most `mixed` of
    /// its choices.
    pub fn projected(&self, state_of: &[u32], mixed: u32) -> Self {
        let number = |accuracy: &Accuracy| match accuracy {
            Accuracy::Within { state: Some(errors), choice } => {
                let errors = state_of.iter().map(|&s| errors.get(s as usize)).collect();
                Accuracy::Within { state: Some(errors), choice: choice.clone() }
            }
            other => other.clone(),
        };
        let rounded = if mixed > 1 { (f64::from(mixed) + 1.0) * U } else { 0.0 };
        let scaled = self.scaled.and_then(|state| state_of.iter().position(|&s| s == state));
        Errors {
            weights: self.weights + rounded,
            numbers: self.numbers.iter().map(number).collect(),
            scaled: scaled.map(|state| state as u32),
        }
    }
}

/// The relative error of a number of which only the sign is known.
const VAGUE: f64 = 1.0;

/// The relative error of weights outside the range of doubles.
fn of_vague(values: &Values) -> f64 {
    let any = match values.distinct() {
        Some(distinct) => distinct.iter().any(|&weight| is_vague(weight)),
        None => values.iter().any(is_vague),
    };
    if any { VAGUE } else { 0.0 }
}

/// Removes the twins of a plan from a space, and adds the accuracy of its rewards.
pub fn resolve(
    plan: &Plan,
    kind: Kind,
    rows: RowOperations,
    space: &mut Space,
    numbers: &mut Vec<Vec<f64>>,
) -> Errors {
    let twins = space.rewards.split_off(plan.rewards.len().min(space.rewards.len()));
    let twin = |number: usize| twins.get(number - plan.rewards.len());
    let mut weights = plan.weights + f64::from(rows.merged.saturating_sub(1)) * U;
    weights += if rows.divided { U } else { 0.0 };
    if let Some(number) = plan.weight_twin {
        let largest = twin(number).and_then(|twin| twin.state.as_ref());
        weights += largest.map_or(0.0, |values| values.iter().fold(0.0, f64::max));
    }
    weights += of_vague(&space.values);
    // Rewards of steps are multiplied by weights, added, and divided.
    let per_step = match kind {
        Kind::Mdp | Kind::Lts => 0.0,
        Kind::Dtmc if !rows.shared => 0.0,
        _ => weights + (2.0 * f64::from(rows.successors) + 4.0) * U,
    };
    for (rewards, &planned) in space.rewards.iter_mut().zip(&plan.rewards) {
        let on_steps = if rewards.choice.is_some() { per_step } else { 0.0 };
        rewards.accuracy = match planned {
            Planned::Exact if on_steps == 0.0 => Accuracy::Exact,
            Planned::Exact => Accuracy::Relative(on_steps),
            Planned::Relative(error) => Accuracy::Relative((error + on_steps) * (1.0 + 1e-9)),
            Planned::Twin(number) => {
                // A twin is at least a unit roundoff of the reward itself.
                let factor = 1.0 + on_steps / U;
                let scaled = |values: &Values| values.iter().map(|v| v * factor).collect::<Values>();
                let twin = twin(number);
                Accuracy::Within {
                    state: twin.and_then(|twin| twin.state.clone()),
                    choice: twin.and_then(|twin| twin.choice.as_ref()).map(scaled),
                }
            }
        };
    }
    let differences = plan.sums.and_then(twin).and_then(|twin| twin.state.as_ref());
    let scaled = differences.and_then(|differences| {
        let (state, most) =
            differences.iter().enumerate().fold((0, 0.0), |(at, most), (state, difference)| {
                if difference > most { (state, difference) } else { (at, most) }
            });
        (most > NOTEWORTHY).then_some(state as u32)
    });
    Errors { weights, numbers: of_numbers(plan, numbers), scaled }
}

/// Takes the twins of numbers out of numbers; their accuracy.
pub fn of_numbers(plan: &Plan, numbers: &mut Vec<Vec<f64>>) -> Vec<Accuracy> {
    let errors = numbers.split_off(plan.numbers.len().min(numbers.len()));
    let accuracy = |planned: &Planned| match *planned {
        Planned::Exact => Accuracy::Exact,
        Planned::Relative(error) => Accuracy::Relative(error),
        Planned::Twin(number) => {
            let values = errors.get(number - plan.numbers.len()).cloned().unwrap_or_default();
            Accuracy::Within { state: Some(values.into()), choice: None }
        }
    };
    plan.numbers.iter().map(accuracy).collect()
}
