//! Random kernels: every level that the machine has against the reference interpreter, which runs the lanes one after the
//! other. Exits and all buffers must be equal, bit for bit (any two NaNs taken for equal).

use volvelle_kernel::Exit;
use volvelle_kernel::generate::Case;
use volvelle_vector::{Level, Vector};

/// Kernels per run of the test.
const CASES: u64 = 1500;

/// Lanes of a case: a multiple of what any level runs at once.
const LANES: usize = 128;

#[test]
fn random_kernels_give_what_the_interpreter_gives() {
    let (mut done, mut failed, mut out_of_bounds) = (0, 0, 0);
    for seed in 0..CASES {
        let case = Case::for_lanes(seed, LANES);
        let reference = case.lane_by_lane(LANES);
        match reference.failures.first() {
            None => done += 1,
            Some(Exit::OutOfBounds(_)) => out_of_bounds += 1,
            Some(_) => failed += 1,
        }
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let vector = Vector::new(level);
            let code = vector.compile(&case.kernel).unwrap_or_else(|e| panic!("seed {seed}, {level:?}: {e}"));
            if let Err(difference) = case.agrees(&reference, &code, code.lanes()) {
                let program = vector.explain(&case.kernel).unwrap();
                panic!("seed {seed}, {level:?}: {difference}\n{}\n{program}", case.kernel);
            }
        }
    }
    // The generator reaches every way out, and many runs go to the end.
    assert!(
        done > CASES / 4 && failed > CASES / 20 && out_of_bounds > CASES / 200,
        "{done} done, {failed} failed, {out_of_bounds} out of bounds"
    );
}
