//! Several properties at once: those that are equal up to their times share one pass over the chain.
//!
//! A sweep over time asks `P=? [ F<=T x ]` for many T. Every member of such a family is evaluated on its own, by the same
//! code as a single property; but in a transient analysis, [`HorizonCache`] knows the times of the other members, and one
//! pass computes the results for all of them. Equal properties are evaluated once.

use std::collections::HashMap;

use volvelle_control::{Control, Fact};
use volvelle_logic::{
    Answer, CostBound, Formula, FormulaId, Formulas, Limit, Property, RewardQuery, StopReason, TimeBound,
};
use volvelle_solver::cost_cache::CostCache;
use volvelle_solver::horizon_cache::HorizonCache;
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::{CheckError, Context, MethodUse, Options};
use volvelle_space::{Kind, Space};
use volvelle_transient::{Window, window};

use super::Evaluator;

/// Rounds of refinement where an answer is not as precise as requested or a comparison is undecided.
const ROUNDS: i32 = 3;

/// The finest precision that refinement requests.
const FINEST: f64 = 1e-13;

/// The result of checking a property.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answer.
    pub outcome: Result<Answer, CheckError>,
    /// How the answer was computed; work that was done for several properties at once is listed for each.
    pub facts: Vec<Fact>,
    /// How the method that was asked for was used.
    pub method_use: MethodUse,
}

impl Checked {
    /// A property that has no answer.
    pub(crate) fn without_answer(error: CheckError) -> Self {
        Checked { outcome: Err(error), facts: Vec::new(), method_use: MethodUse::default() }
    }
}

/// Numbers of properties, in groups whose members are equal up to times; [`check_many`] answers a group together.
pub fn families(properties: &[&Property]) -> Vec<Vec<usize>> {
    let mut families: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (i, property) in properties.iter().enumerate() {
        let number = *known.entry(without_times(property)).or_insert_with(|| {
            families.push(Vec::new());
            families.len() - 1
        });
        families[number].push(i);
    }
    families
}

/// Evaluates properties at the initial states, or as their filters say, one result for each. Those that are equal up to
/// times share what they can; the others are independent of each other.
///
/// When the work is stopped, an answer may be there nevertheless, with wider bounds and the reason
/// [`StopReason::Interrupted`].
///
/// Sweeps run on the device where one is given; answers are the same bit for bit.
pub fn check_many(
    space: &Space,
    properties: &[&Property],
    numbers: &[Vec<f64>],
    options: &Options,
    sweeps: Option<&Sweeps>,
    control: &Control,
) -> Vec<Checked> {
    if let Err(error) = Context::require_engine(space) {
        let refused = || Checked::without_answer(error.clone());
        return properties.iter().map(|_| refused()).collect();
    }
    let mut results: Vec<Option<Checked>> = properties.iter().map(|_| None).collect();
    for family in families(properties) {
        // The first of several equal properties represents the others.
        let mut distinct: Vec<usize> = Vec::new();
        let mut stands_for: Vec<(usize, usize)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for i in family {
            let text = format!("{:?} {:?}", properties[i].root, properties[i].formulas);
            let place = *known.entry(text).or_insert_with(|| {
                distinct.push(i);
                distinct.len() - 1
            });
            stands_for.push((i, place));
        }
        let members: Vec<&Property> = distinct.iter().map(|&i| properties[i]).collect();
        let checked = together(space, &members, numbers, options, sweeps, control);
        for (i, place) in stands_for {
            results[i] = checked.get(place).cloned();
        }
    }
    results.into_iter().flatten().collect()
}

/// A member of a family while it is evaluated.
#[derive(Default)]
struct Member {
    last: Option<Result<Answer, CheckError>>,
    facts: Vec<Fact>,
    method_use: MethodUse,
    rounds: u64,
    finished: bool,
}

/// The members of one family. Coarse answers are refined together.
fn together(
    space: &Space,
    properties: &[&Property],
    numbers: &[Vec<f64>],
    options: &Options,
    sweeps: Option<&Sweeps>,
    control: &Control,
) -> Vec<Checked> {
    let mut members: Vec<Member> = properties.iter().map(|_| Member::default()).collect();
    let mut precise = *options;
    for round in 0..ROUNDS {
        let waiting: Vec<usize> = (0..members.len()).filter(|&i| !members[i].finished).collect();
        let cache = (waiting.len() > 1)
            .then(|| HorizonCache::new(times(space.kind, waiting.iter().map(|&i| &properties[i].formulas))));
        // The graph backwards is made once for all of them.
        let costs = (waiting.len() > 1)
            .then(|| CostCache::new(amounts(waiting.iter().map(|&i| &properties[i].formulas))));
        let context = Context::new(space, precise, control)
            .with_horizons(cache.as_ref())
            .with_costs(costs.as_ref())
            .with_sweeps(sweeps);
        for i in waiting {
            let member = &mut members[i];
            let result = Evaluator::new(&context, properties[i], numbers).answer();
            member.take(result, round, options, control);
            member.facts = context.facts();
            member.method_use = context.method_use();
            member.rounds += 1;
        }
        if precise.precision <= FINEST || members.iter().all(|m| m.finished) {
            break;
        }
        precise.precision = (precise.precision * 1e-3).max(FINEST);
    }
    members.into_iter().map(Member::checked).collect()
}

impl Member {
    /// The result, with the facts that every answer has before those of its engines.
    fn checked(self) -> Checked {
        let outcome = self.last.unwrap_or(Err(CheckError::EmptyFilter));
        let mut facts = Vec::new();
        if let Ok(answer) = &outcome {
            facts.push(Fact::text("method", answer.method.clone()));
            facts.push(Fact::text("stopped because", answer.stop.name()));
        }
        if self.rounds > 1 {
            let why = "the bounds of the first round were too wide, or left a comparison undecided";
            facts.push(Fact::count("rounds of refinement", self.rounds).because(why));
        }
        facts.extend(self.facts);
        Checked { outcome, facts, method_use: self.method_use }
    }

    /// Takes the result of a round.
    fn take(
        &mut self,
        result: Result<(Answer, super::IsPrecise), CheckError>,
        round: i32,
        options: &Options,
        control: &Control,
    ) {
        match result {
            Ok((answer, good)) => {
                let last_word = matches!(answer.stop, StopReason::IterationLimit | StopReason::Interrupted);
                let worse = answer.stop == StopReason::Interrupted && matches!(self.last, Some(Ok(_)));
                self.finished = good(options) || last_word || !answer.stop.is_sound();
                if !worse {
                    self.last = Some(Ok(answer));
                }
            }
            Err(undecided @ CheckError::CannotDecide { .. }) => {
                // Stopped work may leave a comparison undecided that would have been decided.
                let stopped = control.check().err();
                self.finished = stopped.is_some();
                self.last = Some(Err(stopped.map_or(undecided, CheckError::Limit)));
            }
            Err(other) => {
                // A finer attempt that fails does not undo a coarser answer.
                if round == 0 || !matches!(self.last, Some(Ok(_))) {
                    self.last = Some(Err(other));
                }
                self.finished = true;
            }
        }
    }
}

/// The times of each operator in formulas that are equal otherwise: a group for each operator with several.
fn times<'a>(kind: Kind, members: impl Iterator<Item = &'a Formulas> + Clone) -> Vec<Vec<f64>> {
    let count = members.clone().map(Formulas::len).min().unwrap_or(0);
    let group = |node: usize| {
        let id = FormulaId(node as u32);
        let mut times: Vec<f64> = members.clone().filter_map(|f| time_of(kind, f.get(id))).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    };
    (0..count).map(group).filter(|times| times.len() > 1).collect()
}

/// The bounds on rewards of each operator in formulas that are equal otherwise.
fn amounts<'a>(members: impl Iterator<Item = &'a Formulas> + Clone) -> Vec<Vec<Vec<CostBound>>> {
    let count = members.clone().map(Formulas::len).min().unwrap_or(0);
    let group = |node: usize| {
        let mut group: Vec<Vec<CostBound>> = Vec::new();
        for formulas in members.clone() {
            if let Formula::BoundedUntil(_, _, bounds) = formulas.get(FormulaId(node as u32))
                && !group.contains(bounds)
            {
                group.push(bounds.clone());
            }
        }
        group
    };
    (0..count).map(group).filter(|group| group.len() > 1).collect()
}

/// The time horizon of an operator, as transient analysis gets it.
fn time_of(kind: Kind, formula: &Formula) -> Option<f64> {
    let bound = match *formula {
        Formula::Until(_, _, bound) | Formula::WeakUntil(_, _, bound) | Formula::Release(_, _, bound) => {
            bound
        }
        Formula::Reward { what: RewardQuery::Cumulative(t) | RewardQuery::Instantaneous(t), .. } => {
            TimeBound { upper: Some(t), ..TimeBound::NONE }
        }
        _ => return None,
    };
    match window(kind, &bound) {
        Ok(Window::Range { upper: Some(upper), .. }) => Some(upper),
        _ => None,
    }
}

/// A text that two properties share if they are equal up to the upper ends of their time bounds.
fn without_times(property: &Property) -> String {
    let mut formulas = Formulas::default();
    let masked = |bound: TimeBound| TimeBound { upper: bound.upper.map(|_| 0.0), ..bound };
    for id in property.formulas.ids() {
        formulas.add(match property.formulas.get(id).clone() {
            Formula::Until(a, b, bound) => Formula::Until(a, b, masked(bound)),
            Formula::BoundedUntil(a, b, bounds) => {
                Formula::BoundedUntil(a, b, bounds.iter().map(without_amounts).collect())
            }
            Formula::WeakUntil(a, b, bound) => Formula::WeakUntil(a, b, masked(bound)),
            Formula::Release(a, b, bound) => Formula::Release(a, b, masked(bound)),
            Formula::Reward { rewards, optimum, query, what } => {
                let what = match what {
                    RewardQuery::Cumulative(_) => RewardQuery::Cumulative(0.0),
                    RewardQuery::Instantaneous(_) => RewardQuery::Instantaneous(0.0),
                    other => other,
                };
                Formula::Reward { rewards, optimum, query, what }
            }
            other => other,
        });
    }
    format!("{:?} {formulas:?}", property.root)
}

fn without_amounts(bound: &CostBound) -> CostBound {
    let masked = |limit: &Limit| Limit { amount: Default::default(), strict: limit.strict };
    let CostBound { counted, lower, upper } = bound;
    CostBound { counted: *counted, lower: lower.as_ref().map(masked), upper: upper.as_ref().map(masked) }
}

#[cfg(test)]
mod tests;
