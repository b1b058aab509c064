//! Searches for the least cost with reductions (orders of steps, symmetry, dead variables) against those of all states.

use volvelle_control::{Control, Limits};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_tune::search::{
    Evaluator, Known, Method, Options, Prepared, Question, Refusal, Searched, search,
};

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    /// States that were expanded, of all orders and with the reduction.
    pub states: [u64; 2],
    /// Configurations that reach the goal.
    pub reached: usize,
    /// Configurations some of whose runs end without it.
    pub dead_ends: usize,
    /// Configurations whose runs differ in cost.
    pub different: usize,
}

fn searched(
    program: &Program,
    question: &Question,
    method: Method,
    no_reduction: bool,
) -> Option<Result<Searched, Refusal>> {
    let prepared = Prepared::new(program.clone(), question, no_reduction);
    let evaluator = Evaluator { compiler: &Interpreter, patience: u64::MAX };
    let control =
        Control { limits: Limits { states: Some(60_000), ..Limits::default() }, ..Control::unlimited() };
    let options = Options { method, all: true, seed: 1, no_reduction, reduce_after: 0 };
    let (_, found) = search(&prepared, evaluator, question, &options, &Known::default(), &control).ok()?;
    match found {
        Ok(found) if found.stop.is_some() => None,
        found => Some(found),
    }
}

/// Compares a search that leaves out orders of steps with one that does not. `None` if there are too many states.
///
/// # Panics
/// Where the two differ.
pub fn slices(program: &Program, question: &Question, text: &str) -> Option<Slices> {
    let all = searched(program, question, Method::BranchAndBound, true)?;
    let some = searched(program, question, Method::BranchAndBound, false)?;
    let (all, some) = match (all, some) {
        (Ok(all), Ok(some)) => (all, some),
        // Which of several steps it is that decreases the cost does not matter.
        (Err(Refusal::Decrease(_)), Err(Refusal::Decrease(_))) => return None,
        (Err(all), Err(some)) => {
            assert_eq!(all, some, "refusals differ\n{text}");
            return None;
        }
        (all, some) => panic!("{all:?} without and {some:?} with a reduction\n{text}"),
    };
    let rows = |found: &Searched| -> Vec<_> {
        let rows = found.tuning.rows.iter();
        rows.map(|row| (format!("{:?}", row.values), row.lo, row.hi, row.greatest, row.all_alike)).collect()
    };
    assert_eq!(rows(&all), rows(&some), "costs without and with a reduction differ\n{text}");
    assert_eq!(all.dead_ends, some.dead_ends, "dead ends differ\n{text}");
    assert_eq!(all.unsettled_ends, some.unsettled_ends, "dead ends without a configuration differ\n{text}");
    assert_eq!(all.failures, some.failures, "steps that fail differ\n{text}");
    if let Some(Ok(lowered)) = searched(program, question, Method::Bisection, false) {
        assert_eq!(lowered.tuning.time(), all.tuning.time(), "bisection finds another optimum\n{text}");
    }
    let rows = all.tuning.rows.iter();
    Some(Slices {
        states: [all.tuning.states, some.tuning.states],
        reached: rows.clone().filter(|row| row.hi.is_finite()).count(),
        dead_ends: all.dead_ends.len(),
        different: rows.filter(|row| row.greatest.is_some_and(|greatest| greatest > row.lo)).count(),
    })
}
