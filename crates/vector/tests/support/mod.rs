//! What the tests share: running a case on every level and on the interpreter.

use volvelle_kernel::generate::Case;
use volvelle_kernel::harness::{Contents, Outcome, run};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Code, Compiler, Const, Exit};
use volvelle_vector::{Level, Vector};

/// Lanes of a case: a multiple of what any level runs at once.
pub const LANES: usize = 128;

/// The levels of this machine.
pub fn levels() -> Vec<Level> {
    Level::ALL.into_iter().filter(|level| level.is_available()).collect()
}

/// Runs a case in steps of `lanes` lanes, until one does not end well.
fn run_in_steps(case: &Case, code: &dyn Code, lanes: usize) -> Outcome {
    let first = case.params[0].bits;
    let mut params = case.params.clone();
    let mut outcome = Outcome { exit: Exit::Done, buffers: Vec::new() };
    let mut contents = case.buffers.clone();
    for step in 0..LANES / lanes {
        params[0] = Const::u64(first.wrapping_add((step * lanes) as u64));
        outcome = run(code, &case.kernel.buffers, &params, &contents);
        if outcome.exit != Exit::Done {
            break;
        }
        contents = outcome.buffers.iter().cloned().map(Contents::Elements).collect();
    }
    outcome
}

/// Compares levels with the interpreter; gives the exit of the first.
pub fn compare(case: &Case, levels: &[Level]) -> Result<Exit, String> {
    let reference = Interpreter.compile(&case.kernel).map_err(|e| e.to_string())?;
    let first = case.params[0].bits;
    let mut params = case.params.clone();
    let exits: Vec<Exit> = (0..LANES as u64)
        .map(|lane| {
            params[0] = Const::u64(first.wrapping_add(lane));
            run(&*reference, &case.kernel.buffers, &params, &case.buffers).exit
        })
        .collect();
    let failures: Vec<Exit> = exits.into_iter().filter(|e| *e != Exit::Done).collect();
    let expected = failures.is_empty().then(|| run_in_steps(case, &*reference, 1));
    let mut exit = None;
    for &level in levels {
        let code = Vector::new(level).compile(&case.kernel).map_err(|e| format!("{level:?}: {e}"))?;
        let outcome = run_in_steps(case, &code, code.lanes());
        match &expected {
            Some(expected) if outcome == *expected => {}
            Some(expected) => return Err(format!("{level:?}: {}", difference(expected, &outcome))),
            None if failures.contains(&outcome.exit) => {}
            None => {
                return Err(format!("{level:?} ends with {:?}, lanes fail with {failures:?}", outcome.exit));
            }
        }
        exit.get_or_insert(outcome.exit);
    }
    exit.ok_or_else(|| "no level".to_owned())
}

fn difference(expected: &Outcome, found: &Outcome) -> String {
    if expected.exit != found.exit {
        return format!("{:?} instead of {:?}", found.exit, expected.exit);
    }
    for (buffer, (a, b)) in expected.buffers.iter().zip(&found.buffers).enumerate() {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if !volvelle_kernel::harness::same_value(*a, *b) {
                return format!("buffer {buffer}, element {i}: {b:x?} instead of {a:x?}");
            }
        }
    }
    "buffers differ in length".to_owned()
}
