//! Properties of generated kernels.

use volvelle_kernel::generate::Case;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Exit};

const CASES: u64 = 4000;

/// Valid, and of a kind that tests something: every way out is taken often enough.
#[test]
fn cases_are_valid_and_end_in_all_ways() {
    let (mut done, mut full, mut failed, mut beyond) = (0, 0, 0, 0);
    for seed in 0..CASES {
        let case = Case::from_seed(seed);
        let code = match Interpreter.compile(&case.kernel) {
            Ok(code) => code,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let outcome = case.run(&*code);
        assert_eq!(outcome, case.run(&*code), "seed {seed}");
        match outcome.exit {
            Exit::Done => done += 1,
            Exit::Full(_) => full += 1,
            Exit::Failed(_) => failed += 1,
            Exit::OutOfBounds(_) => beyond += 1,
        }
    }
    let all = [done, full, failed, beyond];
    assert!(done > CASES / 3 && all.iter().all(|&n| n > CASES / 200), "{all:?}");
}

#[test]
fn bytes_that_end_early_give_a_small_kernel() {
    let case = Case::from_bytes(&[]);
    assert_eq!(case.kernel.buffers.len(), 1);
    assert_eq!(case.kernel.body.len(), 2);
}
