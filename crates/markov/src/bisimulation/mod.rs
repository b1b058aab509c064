//! Strong bisimulation: states that a property cannot distinguish are merged before anything is solved.
//!
//! In: a space and a property. The coarsest bisimulation that preserves labels, numbers and rewards which the property
//! mentions ([`Observed`]) is found by partition refinement (`refine`), the property is evaluated on the quotient, and
//! the answer is about the states of the space again. On a CTMC states are equivalent when they go to every block,
//! their own included, with the same total rate; that preserves all of CSL, next and rewards included (Baier, Katoen,
//! Hermanns and Wolf, *Comparative branching-time semantics for Markov chains*, Inf. Comput. 200, 2005).
//!
//! Sums are compared exactly, as sums of the doubles that the space stores: states whose rates agree only nearly stay
//! apart. So bounds on the quotient are bounds on the space (`quotient` says how they are rounded).
//!
//! Filters that count states (`count`, `sum`, `avg`, `state`) are evaluated on the space itself.

mod partition;
mod quotient;
mod refine;
mod sums;

pub use quotient::{Observed, Quotient};

use volvelle_control::{Control, Stop};
use volvelle_logic::{Answer, FilterOp, Formula, Property, Value};
use volvelle_solver::rounding::U;
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::{Bisimulation, CheckError, Detection, Method, Options};
use volvelle_space::{Kind, Space};

use crate::evaluate::{Checked, check_many};

/// Steps of uniformisation (or of a chain) from which a reduction is tried unasked: it costs about as much as some
/// hundred steps, so that a failed attempt costs little.
const MANY_STEPS: f64 = 2000.0;

/// Spaces below this size are solved at once.
const SMALL: usize = 1000;

/// Evaluates one family of properties, equal up to times, as [`check_many`] does, on the quotient by bisimulation where the
/// options request it.
pub fn check_family(
    space: &Space,
    properties: &[&Property],
    numbers: &[Vec<f64>],
    options: &Options,
    sweeps: Option<&Sweeps>,
    control: &Control,
) -> Vec<Checked> {
    let whole = |note: &str| {
        let mut checked = check_many(space, properties, numbers, options, sweeps, control);
        if !note.is_empty() {
            for answer in checked.iter_mut().filter_map(|c| c.outcome.as_mut().ok()) {
                answer.method = format!("{note}, {}", answer.method);
            }
        }
        checked
    };
    let asked = match options.bisimulation {
        Bisimulation::Off => false,
        Bisimulation::Strong => true,
        Bisimulation::Auto => !reproduces(options) && properties.iter().any(|p| pays(space, p)),
    };
    let (true, Some(&first)) = (asked, properties.first()) else { return whole("") };
    let told = options.bisimulation == Bisimulation::Strong;
    if !properties.iter().all(|p| preserves(p)) {
        return whole(if told { "no bisimulation for a filter that counts states" } else { "" });
    }
    // Properties that differ in their times only observe the same, so that the first one stands for all.
    let quotient = match Quotient::new(space, numbers, &Observed::by(first), control) {
        Ok(quotient) => quotient,
        Err(Stop::Memory) => None,
        Err(stop) => {
            let stopped = Checked::without_answer(stop.into());
            return properties.iter().map(|_| stopped.clone()).collect();
        }
    };
    let Some(quotient) = quotient.filter(|q| q.first.len() < space.num_states()) else {
        return whole(if told { "no two states are bisimilar" } else { "" });
    };
    // Errors of the space enter a step once, and equations once per state of the space. The quotient adds two roundings.
    let states = match quotient::horizon(first) {
        0.0 => space.num_states() as f64 / quotient.first.len() as f64,
        _ => 1.0,
    };
    let options = &options.with_input(options.input * states + 2.0 * U);
    let checked = check_many(&quotient.space, properties, &quotient.numbers, options, sweeps, control);
    let of_space = |checked: Checked| {
        let outcome = checked.outcome.map_err(|error| of_states(error, &quotient));
        Checked { outcome: outcome.map(|answer| of_blocks(answer, &quotient)), ..checked }
    };
    checked.into_iter().map(of_space).collect()
}

/// Translates an answer about blocks into one about the states in them.
fn of_blocks(mut answer: Answer, quotient: &Quotient) -> Answer {
    let blocks = quotient.first.len();
    answer.method = format!("bisimulation to {}, {}", counted(blocks), answer.method);
    if let Value::States(found) = &mut answer.value {
        let mut values = vec![None; blocks];
        found.iter().for_each(|&(block, value)| values[block as usize] = Some(value));
        let all = quotient.block_of.iter().enumerate();
        *found = all.filter_map(|(s, &b)| values[b as usize].map(|v| (s as u32, v))).collect();
    }
    answer
}

fn counted(states: usize) -> String {
    if states == 1 { "1 state".to_string() } else { format!("{states} states") }
}

/// Whether the answer on the quotient is the answer on the space.
fn preserves(property: &Property) -> bool {
    use FilterOp::*;
    let counts = |formula: &Formula| matches!(formula, Formula::Filter { op: Count | Sum | Avg | State, .. });
    property.formulas.ids().all(|id| !counts(property.formulas.get(id)))
}

/// Whether the options request the numbers of another tool, which depend on the matrix that is iterated.
fn reproduces(options: &Options) -> bool {
    matches!(options.method, Method::Classical(_)) || options.detection == Detection::Prism
}

/// Whether a reduction can be expected to pay, which is where transient analysis takes very many steps.
fn pays(space: &Space, property: &Property) -> bool {
    if space.num_states() < SMALL || space.kind == Kind::Mdp {
        return false;
    }
    let horizon = quotient::horizon(property);
    let steps = match space.kind {
        Kind::Ctmc => horizon * largest_rate(space),
        _ => horizon,
    };
    steps >= MANY_STEPS
}

/// The largest rate at which a state is left.
fn largest_rate(space: &Space) -> f64 {
    let leaving = |s: usize| space.transitions(s).filter(|&(t, _)| t != s).map(|(_, v)| v).sum::<f64>();
    (0..space.num_states()).map(leaving).fold(0.0, f64::max)
}

/// Translates an error about a block into one about its first state.
fn of_states(error: CheckError, quotient: &Quotient) -> CheckError {
    let first = |block: u32| quotient.first[block as usize];
    match error {
        CheckError::EndlessLoss { rewards, state } => {
            CheckError::EndlessLoss { rewards, state: first(state) }
        }
        CheckError::BalancedLoss { rewards, state, states } => {
            CheckError::BalancedLoss { rewards, state: first(state), states }
        }
        CheckError::NoAmount { state } => CheckError::NoAmount { state: first(state) },
        CheckError::NegativeReward { rewards, state, value } => {
            CheckError::NegativeReward { rewards, state: first(state), value }
        }
        CheckError::CannotDecide { state, lo, hi, threshold } => {
            CheckError::CannotDecide { state: first(state), lo, hi, threshold }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
