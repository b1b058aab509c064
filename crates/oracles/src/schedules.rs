//! Certificates of determinacy against an exploration of all schedules.

use std::collections::BTreeSet;
use volvelle_control::{Control, Limits};
use volvelle_determinacy::{Question, Runs, runs};
use volvelle_explore::{Processes, States};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{FieldId, Label, Program};
use volvelle_space::StateId;
use volvelle_tune::search::{Question as Tuned, Writers};

/// Bits of a number that are compared.
const BITS: usize = 20;

/// How far costs are explored beyond what certificates say.
const BEYOND: i64 = 4;

/// States that are explored, at most.
const STATES: u64 = 20_000;

/// What is told besides, and the cost, where the goal is first reached.
type Reached = BTreeSet<(i64, i64)>;

/// By exploring all schedules, or those whose cost never exceeds `most`. `None` if there are too many states.
/// The question has at most one number besides the cost.
fn explored(program: &Program, question: &Question, most: Option<i64>) -> Option<Reached> {
    let mut program = program.clone();
    program.labels.clear();
    let label = |expr: ExprId| Label { name: None, expr, origin: None };
    program.labels.push(label(question.goal));
    for &number in [question.cost].iter().chain(&question.observed) {
        for bit in 0..BITS as i64 {
            let e = &mut program.exprs;
            let (by, one) = (e.i64(bit), e.i64(1));
            let shifted = e.binary(BinaryOp::Shr, number, by);
            let low = e.binary(BinaryOp::BitAnd, shifted, one);
            let set = e.binary(BinaryOp::Eq, low, one);
            program.labels.push(label(set));
        }
    }
    if let Some(most) = most {
        limit(&mut program, question.cost, most);
    }
    let labels: Vec<usize> = (0..program.labels.len()).collect();
    let names: Vec<String> = labels.iter().map(|l| format!("l{l}")).collect();
    let options = NetworkOptions { labels, ..NetworkOptions::default() };
    let system = Processes::new(&program, options, &Interpreter, u64::MAX).ok()?;
    let control =
        Control { limits: Limits { states: Some(STATES), ..Limits::default() }, ..Control::unlimited() };
    let (_, table) = system.tabulated(&names, States::Stored, usize::MAX, &control).ok()?;
    let space = table.ok()?.space;
    let holds = |label: usize, state: u32| space.labels[label].1.contains(state as usize);
    let number = |which: usize, state: u32| {
        let first = 1 + which * BITS;
        (0..BITS).map(|bit| i64::from(holds(first + bit, state)) << bit).sum::<i64>()
    };
    let told = |state: u32| {
        let besides = if question.observed.is_empty() { 0 } else { number(1, state) };
        (besides, number(0, state))
    };
    if holds(0, 0) {
        return Some(BTreeSet::from([told(0)]));
    }
    // Only states before the goal: behind it, anything may happen.
    let mut found = BTreeSet::new();
    let mut seen = vec![false; space.num_states()];
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        for &next in space.successors(StateId(state).index()) {
            if holds(0, next) {
                found.insert(told(next));
            } else if !std::mem::replace(&mut seen[next as usize], true) {
                open.push(next);
            }
        }
    }
    found.retain(|&(_, cost)| most.is_none_or(|most| cost <= low(most)));
    Some(found)
}

/// No step is possible any more where the cost exceeds `most`.
fn limit(program: &mut Program, cost: ExprId, most: i64) {
    let exprs = &mut program.exprs;
    let most = exprs.i64(most);
    let is_within = exprs.binary(BinaryOp::Le, cost, most);
    for location in &mut program.network.locations {
        for alternative in location.alternatives_mut() {
            alternative.guard = exprs.and(alternative.guard, is_within);
        }
    }
}

fn low(number: i64) -> i64 {
    number & ((1 << BITS) - 1)
}

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Whether there are certificates.
    pub is_certified: bool,
    /// Whether a certified run reaches the goal.
    pub reaches: bool,
    /// Whether a certified run is cut off at a bound.
    pub is_cut: bool,
}

/// Compares what certificates say with an exploration of all schedules. `None` if there are too many states. `grows`: the cost
/// never decreases, in any run; then those are left out that cost much more than the certified ones.
///
/// # Panics
/// Where the two differ.
pub fn schedules(program: &Program, question: &Question, grows: bool, text: &str) -> Option<Agreement> {
    let limits = volvelle_determinacy::Limits { events: 20_000, events_of_run: 5_000, runs: 200 };
    let certified: Option<Runs> = runs(program, question, limits, &Control::unlimited()).ok();
    let Some(runs) = certified.filter(|runs| runs.are_certified) else {
        return Some(Agreement { is_certified: false, reaches: false, is_cut: false });
    };
    let told: Reached = runs
        .runs
        .iter()
        .filter_map(|run| run.reached.as_ref())
        .map(|reached| (reached.observed.first().map_or(0, |&besides| low(besides)), low(reached.cost)))
        .collect();
    let bound = runs.runs.iter().filter_map(|run| run.above).min();
    let within = |all: &Reached, most: i64| -> Reached {
        all.iter().filter(|(_, cost)| *cost <= most).copied().collect()
    };
    match bound {
        None => {
            let most = told.iter().map(|reached| reached.1).max().unwrap_or(0);
            let found = explored(program, question, grows.then_some(most + BEYOND))?;
            assert_eq!(told, found, "certificates differ from all schedules\n{text}");
        }
        Some(bound) => {
            let found = explored(program, question, Some(bound))?;
            assert_eq!(within(&told, bound), found, "within {bound}\n{text}");
            if grows && let Some(found) = explored(program, question, Some(bound + BEYOND)) {
                beyond(program, question, &runs, &told, &found, text);
            }
        }
    }
    Some(Agreement { is_certified: true, reaches: !told.is_empty(), is_cut: bound.is_some() })
}

/// Runs that cost more than the bound belong to configurations of which that is said.
fn beyond(program: &Program, question: &Question, runs: &Runs, told: &Reached, found: &Reached, text: &str) {
    let fields: Vec<FieldId> = question.observed.iter().filter_map(|&e| Tuned::field(program, e)).collect();
    let writers = Writers::new(program, &fields);
    for reached in found {
        let is_said = runs.runs.iter().any(|run| {
            let is_open = run.locations.iter().any(|&location| writers.may_write(location));
            let values = run.observed.as_ref().and_then(|values| values.first());
            let is_its = is_open || values.is_none_or(|&value| low(value) == reached.0);
            is_its && run.above.is_some_and(|above| reached.1 > above)
        });
        assert!(is_said || told.contains(reached), "{reached:?} is not told\n{text}");
    }
}
