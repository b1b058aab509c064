//! Searches for the least cost with reductions (orders of steps, symmetry, dead variables) against those of all states.

use volvelle_control::{Control, Limits};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_tune::Row;
use volvelle_tune::search::{
    Evaluator, Known, Method, Options, Prepared, Question, Refusal, Searched, search,
};

/// Costs beyond this are not looked at where the clock may tick for ever.
const FAR: f64 = 1e7;

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slices {
    /// States that were expanded, of all orders and with the reduction.
    pub states: [u64; 2],
    /// Configurations that reach the goal.
    pub reached: usize,
    /// Configurations some of whose runs end without it.
    pub dead_ends: usize,
    /// Configurations whose runs differ in cost.
    pub different: usize,
    /// Whether processes were interchangeable.
    pub is_symmetric: bool,
    /// Whether only differences of the clock mattered.
    pub is_relative: bool,
    /// Whether states were left out for others of a smaller cost.
    pub is_dominated: bool,
}

/// How far configurations are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To the end.
    All,
    /// Up to the best, which also ends where clocks may tick for ever.
    Best,
}

fn searched(
    program: &Program,
    question: &Question,
    (method, wanted, states): (Method, Wanted, u64),
    no_reduction: bool,
) -> Option<Result<Searched, Refusal>> {
    let prepared = Prepared::new(program.clone(), question, no_reduction);
    let evaluator = Evaluator { compiler: &Interpreter, patience: u64::MAX };
    let control =
        Control { limits: Limits { states: Some(states), ..Limits::default() }, ..Control::unlimited() };
    let options = Options { method, all: wanted == Wanted::All, seed: 1, no_reduction, reduce_after: 0 };
    let (_, found) = search(&prepared, evaluator, question, &options, &Known::default(), &control).ok()?;
    match found {
        Ok(found) if found.stop.is_some() => None,
        found => Some(found),
    }
}

/// Compares a search that leaves out orders of steps, and states for which others stand, with one that does not. `None` if it has more than so
/// many states.
///
/// # Panics
/// Where the two differ.
pub fn slices(
    program: &Program,
    question: &Question,
    wanted: Wanted,
    states: u64,
    text: &str,
) -> Option<Slices> {
    let how = (Method::BranchAndBound, wanted, states);
    let all = searched(program, question, how, true)?;
    let some = searched(program, question, how, false)?;
    let (all, some) = match (all, some) {
        (Ok(all), Ok(some)) => (all, some),
        // Which of several steps it is that decreases the cost does not matter; what a clock does that overflows is not looked at where
        // an earlier state stands for a later one.
        (Err(Refusal::Decrease(_)), Err(Refusal::Decrease(_))) => return None,
        (Err(Refusal::Decrease(_)), Ok(some)) if some.dominated > 0 => return None,
        (Err(all), Err(some)) => {
            assert_eq!(all, some, "refusals differ\n{text}");
            return None;
        }
        (all, some) => panic!("{all:?} without and {some:?} with a reduction\n{text}"),
    };
    let sorted = |found: &Searched| -> Vec<(String, Row)> {
        let rows = found.tuning.rows.iter();
        let mut rows: Vec<_> = rows.map(|row| (format!("{:?}", row.values), row.clone())).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    let (rows, others) = (sorted(&all), sorted(&some));
    assert_eq!(rows.len(), others.len(), "configurations differ\n{text}");
    for ((values, row), (other_values, other)) in rows.iter().zip(&others) {
        assert_eq!(values, other_values, "configurations differ\n{text}");
        let both = format!("{row:?} without and {other:?} with a reduction\n{text}");
        if wanted == Wanted::Best {
            assert!(row.lo <= other.hi && other.lo <= row.hi, "{both}");
            continue;
        }
        // Beyond the range of the clock nothing is said.
        let is_far = row.never_ends() && some.dominated > 0 && other.lo > FAR && other.hi.is_infinite();
        assert!(is_far || (row.lo, row.hi) == (other.lo, other.hi), "{both}");
        assert!(other.greatest.is_none() || row.greatest == other.greatest, "{both}");
        assert!(other.all_alike.is_none() || row.all_alike == other.all_alike, "{both}");
        assert!(some.dominated > 0 || row.all_alike == other.all_alike, "{both}");
    }
    assert_eq!(all.tuning.time(), some.tuning.time(), "the least costs differ\n{text}");
    if wanted == Wanted::All {
        assert_eq!(all.dead_ends, some.dead_ends, "dead ends differ\n{text}");
        assert_eq!(all.failures, some.failures, "steps that fail differ\n{text}");
    }
    assert_eq!(all.unsettled_ends, some.unsettled_ends, "dead ends without a configuration differ\n{text}");
    if let Some(Ok(lowered)) = searched(program, question, (Method::Bisection, wanted, states), false) {
        assert_eq!(lowered.tuning.time(), all.tuning.time(), "bisection finds another optimum\n{text}");
    }
    let prepared = Prepared::new(program.clone(), question, false);
    let rows = all.tuning.rows.iter();
    Some(Slices {
        states: [all.tuning.states, some.tuning.states],
        reached: rows.clone().filter(|row| row.hi.is_finite()).count(),
        dead_ends: all.dead_ends.len(),
        different: rows.filter(|row| row.greatest.is_some_and(|greatest| greatest > row.lo)).count(),
        is_symmetric: prepared.is_symmetric(),
        is_relative: prepared.is_relative(),
        is_dominated: some.dominated > 0,
    })
}
