//! Certificates of determinacy against an exploration of all schedules.

use std::collections::BTreeSet;
use volvelle_control::{Control, Limits};
use volvelle_determinacy::{Question, Runs, runs};
use volvelle_explore::{Processes, States};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{Label, Program};
use volvelle_space::StateId;

/// Bits of a number that are compared.
const BITS: usize = 20;

/// By exploring all schedules: what is told besides, and the cost, where the goal is first reached. `None` if there are too many states.
/// The question has at most one number besides the cost.
fn explored(program: &Program, question: &Question) -> Option<BTreeSet<(i64, i64)>> {
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
    let labels: Vec<usize> = (0..program.labels.len()).collect();
    let names: Vec<String> = labels.iter().map(|l| format!("l{l}")).collect();
    let options = NetworkOptions { labels, ..NetworkOptions::default() };
    let system = Processes::new(&program, options, &Interpreter, u64::MAX).ok()?;
    let control =
        Control { limits: Limits { states: Some(60_000), ..Limits::default() }, ..Control::unlimited() };
    let (_, table) = system.tabulated(&names, States::Stored, &control).ok()?;
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
    Some(found)
}

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Whether all schedules agree that reach the goal, and some does.
    pub is_alike: bool,
    /// Whether there are certificates.
    pub is_certified: bool,
    /// Whether a certified run reaches the goal.
    pub reaches: bool,
}

/// Compares what certificates say with an exploration of all schedules. `None` if there are too many states.
///
/// # Panics
/// Where the two differ.
pub fn schedules(program: &Program, question: &Question, text: &str) -> Option<Agreement> {
    let limits = volvelle_determinacy::Limits { events: 20_000, events_of_run: 5_000, runs: 200 };
    let certified: Option<Runs> = runs(program, question, limits, &Control::unlimited()).ok();
    let certified = certified.filter(|runs| runs.are_certified);
    let found = explored(program, question)?;
    let costs = |besides: i64| found.iter().filter(|(other, _)| *other == besides).count();
    let is_alike = !found.is_empty() && found.iter().all(|&(besides, _)| costs(besides) == 1);
    let Some(runs) = certified else {
        return Some(Agreement { is_alike, is_certified: false, reaches: false });
    };
    let low = |number: i64| number & ((1 << BITS) - 1);
    let told: BTreeSet<(i64, i64)> = runs
        .runs
        .iter()
        .filter_map(|run| run.reached.as_ref())
        .map(|reached| (reached.observed.first().map_or(0, |&besides| low(besides)), low(reached.cost)))
        .collect();
    assert_eq!(told, found, "certificates differ from all schedules\n{text}");
    Some(Agreement { is_alike, is_certified: true, reaches: !told.is_empty() })
}
