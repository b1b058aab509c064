//! Rounding: how far the doubles that a program computes may be from their exact values.
//!
//! In: a program, and the wanted observations. Out: a [`Plan`]. For each reward structure and number it says
//! that the doubles are exact, or gives a bound of the relative error in every state (`estimate`); it gives
//! one such bound for the weights of steps. If no such bound is useful, because numbers cancel, the plan has
//! another program with additional observations, the *twins*, whose values bound the errors in each state
//! (`twin`). Exploring that program costs as much more as the twins do, and nothing if there are none.
//!
//! Conditions (guards, labels, `?:`) are taken as the doubles decide them.

mod estimate;
mod twin;

pub use twin::{Twins, UNBOUNDED};

use crate::constant_error::{U, error_of};
use crate::places::Place;
use crate::program::{Initial, NumericObservation, Program, RewardStructure, StateReward, TransitionReward};
use crate::selection::Selection;
use crate::steps::{Alternative, Group, Kind, Weight};
pub use estimate::{Estimate, Estimates, Surroundings};
use twin::scaled;
use volvelle_kernel::{BinaryOp, ExprId, Node, Type, UnaryOp};

/// Relative errors up to this bound are small enough to be used for all states at once.
const SMALL: f64 = 1e-13;

/// The accuracy of the doubles of a reward structure or number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// The doubles are exact.
    Exact,
    /// The relative error is at most this.
    Relative(f64),
    /// The structure or observation with this number bounds the errors.
    Twin(usize),
}

/// The accuracy of everything that is wanted of a program.
#[derive(Debug)]
pub struct Plan {
    /// The program with its twins, if there are any.
    pub program: Option<Program>,
    /// The wanted observations, and the twins.
    pub observe: Selection,
    /// For each reward structure of the program.
    pub rewards: Vec<Accuracy>,
    /// For each number that it observes.
    pub numbers: Vec<Accuracy>,
    /// Relative error of the weights of steps, before weights with equal targets are added.
    pub weights: f64,
    /// The structure whose state rewards bound the relative errors of weights that `weights` does not cover.
    pub weight_twin: Option<usize>,
    /// The structure whose state rewards are the distances of sums of probabilities from one, if these are
    /// unknown.
    pub sums: Option<usize>,
}

impl Plan {
    /// Makes the plan for a program and the wanted observations.
    pub fn new(program: &Program, selection: &Selection) -> Self {
        let mut roots: Vec<ExprId> = Vec::new();
        for alternative in alternatives(program) {
            roots.extend(alternative.outcomes.iter().filter_map(|outcome| match outcome.weight {
                Weight::Expr { expr, .. } => Some(expr),
                Weight::Constant { .. } => None,
            }));
        }
        for &structure in &selection.rewards {
            let rewards = &program.rewards[structure];
            roots.extend(rewards.states.iter().map(|item| item.value));
            roots.extend(rewards.transitions.iter().map(|item| item.value));
        }
        roots.extend(selection.numbers.iter().map(|&number| program.numbers[number].expr));
        let estimates = Estimates::new(program, roots);
        let mut rewards = vec![Accuracy::Exact; program.rewards.len()];
        for &structure in &selection.rewards {
            rewards[structure] = of_rewards(program, structure, &estimates);
        }
        let mut numbers = vec![Accuracy::Exact; program.numbers.len()];
        for &number in &selection.numbers {
            numbers[number] = of(estimates.get(program.numbers[number].expr), number);
        }
        let of_group = |group| of_weights(program, group, &estimates);
        let weights = program.groups.iter().map(of_group).fold(0.0, f64::max);
        let mut plan = Plan {
            program: None,
            observe: selection.clone(),
            rewards,
            numbers,
            weights,
            weight_twin: None,
            sums: None,
        };
        plan.add_twins(program, estimates);
        plan
    }

    /// Whether steps must be generated anew because some twins are on transitions.
    pub fn changes_steps(&self) -> bool {
        let Some(program) = &self.program else { return false };
        self.rewards.iter().any(|accuracy| match accuracy {
            Accuracy::Twin(twin) => !program.rewards[*twin].transitions.is_empty(),
            _ => false,
        })
    }

    fn add_twins(&mut self, base: &Program, estimates: Estimates) {
        let cancels = |group: &Group| {
            let mut alternatives = group.participants.iter().flat_map(|p| &p.alternatives);
            alternatives.any(|alternative| !cancelling(alternative, &estimates).is_empty())
        };
        let weights = base.groups.iter().any(cancels);
        let wanted = |accuracy: &Accuracy| matches!(accuracy, Accuracy::Twin(_));
        let has_sums = alternatives(base).any(|alternative| alternative.sum.is_some());
        if !has_sums && !weights && !self.rewards.iter().any(wanted) && !self.numbers.iter().any(wanted) {
            return;
        }
        let mut program = base.clone();
        let cancelling: Vec<Vec<Vec<Vec<ExprId>>>> = base
            .groups
            .iter()
            .map(|group| {
                let of = |a: &Alternative| cancelling(a, &estimates);
                group.participants.iter().map(|p| p.alternatives.iter().map(of).collect()).collect()
            })
            .collect();
        let mut twins = Twins::new(estimates);
        for accuracy in &mut self.rewards {
            if let Accuracy::Twin(structure) = accuracy {
                let twin = twin_of_rewards(&mut program, &base.rewards[*structure], &mut twins);
                program.rewards.push(twin);
                *accuracy = Accuracy::Twin(program.rewards.len() - 1);
                self.observe.rewards.push(program.rewards.len() - 1);
            }
        }
        for accuracy in &mut self.numbers {
            if let Accuracy::Twin(number) = accuracy {
                let expr = twins.error(&mut program, base.numbers[*number].expr);
                // An undefined number has an undefined error.
                let otherwise = base.numbers[*number].otherwise.map(|_| expr);
                program.numbers.push(NumericObservation { expr, otherwise });
                *accuracy = Accuracy::Twin(program.numbers.len() - 1);
                self.observe.numbers.push(program.numbers.len() - 1);
            }
        }
        if weights {
            let mut states = Vec::new();
            for (group, cancelling) in base.groups.iter().zip(cancelling) {
                if !has_meaning_in_states(base, group)
                    && cancelling.iter().flatten().any(|exprs| !exprs.is_empty())
                {
                    // Observations of states cannot bound what depends on exchanged values.
                    self.weights = f64::INFINITY;
                    continue;
                }
                for (at, of_participant) in cancelling.iter().enumerate() {
                    for (alternative, exprs) in group.participants[at].alternatives.iter().zip(of_participant)
                    {
                        states.extend(twin_of_weights(
                            &mut program,
                            group,
                            at,
                            alternative,
                            exprs,
                            &mut twins,
                        ));
                    }
                }
            }
            program.rewards.push(RewardStructure { states, ..RewardStructure::default() });
            self.weight_twin = Some(program.rewards.len() - 1);
            self.observe.rewards.push(program.rewards.len() - 1);
        }
        if has_sums {
            let states = sums(&mut program, base);
            program.rewards.push(RewardStructure { states, ..RewardStructure::default() });
            self.sums = Some(program.rewards.len() - 1);
            self.observe.rewards.push(program.rewards.len() - 1);
        }
        self.program = Some(program);
    }
}

/// Whether doubles may decide something differently from the exact numbers: a guard, an update, a label,
/// where the program stops or begins, whether a weight is zero, or a comparison or conversion to an integer
/// within rewards.
pub fn decides(program: &Program, selection: &Selection) -> bool {
    let mut roots: Vec<ExprId> = Vec::new();
    let mut weights: Vec<ExprId> = Vec::new();
    for alternative in alternatives(program) {
        roots.push(alternative.guard);
        for outcome in &alternative.outcomes {
            roots.extend(outcome.assignments().iter().map(|assignment| assignment.value));
            if let Weight::Expr { expr, .. } = outcome.weight {
                weights.push(expr);
            }
        }
    }
    roots.extend(selection.labels.iter().map(|&label| program.labels[label].expr));
    roots.extend(program.stop_condition());
    if let Initial::Predicate(predicate) = program.initial {
        roots.push(predicate);
    }
    let mut earned: Vec<ExprId> = Vec::new();
    for structure in selection.rewards.iter().map(|&structure| &program.rewards[structure]) {
        roots.extend(structure.states.iter().map(|item| item.guard));
        roots.extend(structure.transitions.iter().map(|item| item.guard));
        earned.extend(structure.states.iter().map(|item| item.value));
        earned.extend(structure.transitions.iter().map(|item| item.value));
    }
    let numbers: Vec<ExprId> = selection.numbers.iter().map(|&number| program.numbers[number].expr).collect();
    let all = roots.iter().chain(&weights).chain(&earned).chain(&numbers).copied();
    let estimates = Estimates::new(program, all);
    let in_rewards = program.exprs.reachable(earned.iter().copied());
    roots.extend(program.exprs.ids().filter(|id| in_rewards[id.index()]).flat_map(|id| {
        let decides = match program.exprs.node(id) {
            Node::Unary { op: UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc, .. } => {
                !estimates.get(id).is_exact()
            }
            _ => program.exprs.ty(id) == Type::Bool,
        };
        decides.then_some(id)
    }));
    let needed = program.exprs.reachable(roots);
    let is_rounded =
        |id: ExprId| program.exprs.ty(id) == Type::F64 && needed[id.index()] && !estimates.get(id).is_exact();
    program.exprs.ids().any(is_rounded)
        || weights.iter().chain(&earned).chain(&numbers).any(|&number| estimates.get(number).relative > SMALL)
}

fn alternatives(program: &Program) -> impl Iterator<Item = &Alternative> {
    program.groups.iter().flat_map(|group| &group.participants).flat_map(|p| &p.alternatives)
}

/// The accuracy of a number on its own. `number` is that of its twin, if it needs one.
fn of(estimate: Estimate, number: usize) -> Accuracy {
    match estimate {
        estimate if estimate.is_exact() => Accuracy::Exact,
        estimate if estimate.relative <= SMALL => Accuracy::Relative(estimate.relative),
        _ => Accuracy::Twin(number),
    }
}

/// The accuracy of a structure, whose items are added. Errors of the weights that multiply the items are not
/// included.
fn of_rewards(program: &Program, number: usize, estimates: &Estimates) -> Accuracy {
    let structure = &program.rewards[number];
    let states = structure.states.iter().map(|item| estimates.get(item.value));
    let transitions = structure.transitions.iter().map(|item| estimates.get(item.value));
    let is_averaged = !structure.transitions.is_empty() && program.kind() == Kind::Ctmc;
    match of(Estimate::sum(states.chain(transitions)), number) {
        Accuracy::Exact if is_averaged => Accuracy::Relative(U),
        accuracy => accuracy,
    }
}

/// The relative error of a weight; zero if its twin bounds it.
fn of_weight(program: &Program, weight: &Weight, estimates: &Estimates) -> f64 {
    match weight {
        Weight::Constant { value, exact: Some(exact) } => error_of(*value, exact),
        Weight::Constant { exact: None, .. } => program.exact.weight_error(),
        Weight::Expr { expr, .. } => {
            Some(estimates.get(*expr).relative).filter(|&error| error <= SMALL).unwrap_or(0.0)
        }
    }
}

/// The relative error of the products of a group's weights, without those that twins bound.
fn of_weights(program: &Program, group: &Group, estimates: &Estimates) -> f64 {
    let of_participants = group.participants.iter().map(|participant| {
        let outcomes = participant.alternatives.iter().flat_map(|a| &a.outcomes);
        outcomes.map(|outcome| of_weight(program, &outcome.weight, estimates)).fold(0.0, f64::max)
    });
    let sum: f64 = of_participants.sum();
    let products = group.participants.len().saturating_sub(1) as f64 * U;
    if sum == 0.0 && products == 0.0 { 0.0 } else { (sum + products) * (1.0 + 1e-9) }
}

/// The weights of an alternative that have no useful bound for all states.
fn cancelling(alternative: &Alternative, estimates: &Estimates) -> Vec<ExprId> {
    let outcomes = alternative.outcomes.iter();
    let exprs = outcomes.filter_map(|outcome| match outcome.weight {
        Weight::Expr { expr, .. } => Some(expr),
        Weight::Constant { .. } => None,
    });
    exprs.filter(|&expr| estimates.get(expr).relative > SMALL).collect()
}

/// Whether guards and weights of a group read only fields, not values that exist within the step.
fn has_meaning_in_states(program: &Program, group: &Group) -> bool {
    let alternatives = group.participants.iter().flat_map(|p| &p.alternatives);
    let roots = alternatives.flat_map(|alternative| {
        let weights = alternative.outcomes.iter().filter_map(|outcome| match outcome.weight {
            Weight::Expr { expr, .. } => Some(expr),
            Weight::Constant { .. } => None,
        });
        std::iter::once(alternative.guard).chain(weights)
    });
    let reads_field =
        |id: ExprId| matches!(program.place_read(&program.exprs.node(id)), None | Some(Place::Field(_)));
    program.needed(roots).into_iter().all(reads_field)
}

/// Bounds of the errors of a structure: of its items, and of adding them.
fn twin_of_rewards(program: &mut Program, structure: &RewardStructure, twins: &mut Twins) -> RewardStructure {
    let count = (structure.states.len() + structure.transitions.len() + 1) as f64;
    let mut bound = |value: ExprId| {
        let error = twins.error(program, value);
        let exprs = &mut program.exprs;
        let adding = scaled(exprs, value, count * U);
        exprs.binary(BinaryOp::Add, error, adding)
    };
    let states =
        structure.states.iter().map(|item| StateReward { value: bound(item.value), ..*item }).collect();
    let transitions = structure
        .transitions
        .iter()
        .map(|item| TransitionReward { value: bound(item.value), ..*item })
        .collect();
    RewardStructure { name: None, states, transitions }
}

/// A state reward that bounds the relative errors of some weights of an alternative where its group moves.
fn twin_of_weights(
    program: &mut Program,
    group: &Group,
    participant: usize,
    alternative: &Alternative,
    weights: &[ExprId],
    twins: &mut Twins,
) -> Option<StateReward> {
    let site = alternative.outcomes.iter().find_map(|outcome| match outcome.weight {
        Weight::Expr { site, .. } => Some(site),
        Weight::Constant { .. } => None,
    })?;
    let guard = moves(program, group, participant, alternative);
    let mut value: Option<ExprId> = None;
    for &weight in weights {
        let error = twins.error(program, weight);
        let exprs = &mut program.exprs;
        // Relative to the exact number, which may be smaller than the double.
        let least = exprs.binary(BinaryOp::Sub, weight, error);
        let quotient = exprs.binary(BinaryOp::Div, error, least);
        let (zero, one) = (exprs.f64(0.0), exprs.f64(1.0));
        // A weight of zero means that there is no such step. NaN is no bound.
        let is_useful = exprs.binary(BinaryOp::Lt, error, least);
        let quotient = exprs.select(is_useful, quotient, one);
        let positive = exprs.binary(BinaryOp::Gt, weight, zero);
        let relative = exprs.select(positive, quotient, zero);
        value = Some(match value {
            Some(largest) => exprs.binary(BinaryOp::Max, largest, relative),
            None => relative,
        });
    }
    value.map(|value| StateReward { guard, value, site })
}

/// The condition that a group moves by an alternative of a participant.
fn moves(program: &mut Program, group: &Group, participant: usize, alternative: &Alternative) -> ExprId {
    let mut guard = alternative.guard;
    for (at, other) in group.participants.iter().enumerate() {
        if at != participant {
            let mut any = program.exprs.bool(false);
            for alternative in &other.alternatives {
                any = program.exprs.or(any, alternative.guard);
            }
            guard = program.exprs.and(any, guard);
        }
    }
    guard
}

/// State rewards that add up the distances of sums of probabilities from one.
fn sums(program: &mut Program, base: &Program) -> Vec<StateReward> {
    let mut states = Vec::new();
    for group in base.groups.iter().filter(|group| has_meaning_in_states(base, group)) {
        for (at, participant) in group.participants.iter().enumerate() {
            for alternative in &participant.alternatives {
                let Some(sum) = alternative.sum else { continue };
                let guard = moves(program, group, at, alternative);
                let value = sum.difference(&mut program.exprs);
                states.push(StateReward { guard, value, site: sum.site });
            }
        }
    }
    states
}
