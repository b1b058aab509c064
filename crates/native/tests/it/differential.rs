//! Random kernels: native code in every configuration against the reference interpreter. Exits and all
//! buffers must be equal, bit for bit (any two NaNs taken for equal).

use crate::support::configurations;
use volvelle_kernel::generate::Case;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Exit};

/// Kernels per run of the test, each in every configuration.
const CASES: u64 = 500;

/// Two tests, for two processors.
#[test]
fn random_kernels_give_what_the_interpreter_gives() {
    compare(0..CASES / 2);
}

#[test]
fn more_random_kernels_give_what_the_interpreter_gives() {
    compare(CASES / 2..CASES);
}

fn compare(seeds: std::ops::Range<u64>) {
    let cases = seeds.end - seeds.start;
    let configurations = configurations();
    let (mut done, mut failed, mut full, mut out_of_bounds, mut refused) = (0, 0, 0, 0, 0);
    for seed in seeds {
        let case = Case::from_seed(seed);
        let expected = case.run(&*Interpreter.compile(&case.kernel).unwrap());
        match expected.exit {
            Exit::Done => done += 1,
            Exit::Failed(_) => failed += 1,
            Exit::Full(_) => full += 1,
            Exit::OutOfBounds(_) => out_of_bounds += 1,
        }
        for (configuration, native) in &configurations {
            let Ok(code) = native.compile(&case.kernel) else {
                refused += 1;
                continue;
            };
            let outcome = case.run(&*code);
            assert_eq!(
                outcome,
                expected,
                "seed {seed}, {configuration}\n{:#?}\n{}",
                case.kernel,
                native.explain(&case.kernel).unwrap()
            );
        }
    }
    assert_eq!(refused, 0, "every generated kernel compiles");
    // The generator reaches every way out, and most runs go to the end.
    assert!(
        done > cases / 3 && failed > cases / 20 && full >= cases / 250 && out_of_bounds >= cases / 100,
        "{done} done, {failed} failed, {full} full, {out_of_bounds} out of bounds"
    );
}
