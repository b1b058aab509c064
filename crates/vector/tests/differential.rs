//! Random kernels and ones as simulation has them: every level against the reference interpreter, which runs the lanes
//! one after the other. Exits and all buffers must be equal, bit for bit (any two NaNs taken for equal).

mod support;

use support::{LANES, compare, levels};
use volvelle_kernel::Exit;
use volvelle_kernel::generate::Case;

/// Kernels per run of the test.
const CASES: u64 = 1500;

#[test]
fn random_kernels_give_what_the_interpreter_gives() {
    let (mut done, mut failed, mut out_of_bounds) = (0, 0, 0);
    for seed in 0..CASES {
        let case = Case::for_lanes(seed, LANES);
        let exit = compare(&case, &levels()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.kernel));
        match exit {
            Exit::Done => done += 1,
            Exit::Failed(_) => failed += 1,
            Exit::OutOfBounds(_) => out_of_bounds += 1,
            Exit::Full(_) => panic!("no buffer grows"),
        }
    }
    // The generator reaches every way out, and many runs go to the end.
    assert!(
        done > CASES / 4 && failed > CASES / 20 && out_of_bounds > CASES / 200,
        "{done} done, {failed} failed, {out_of_bounds} out of bounds"
    );
}
