//! What the tests share: back ends in every configuration.

use volvelle_native::{Allocator, Native, OptLevel, Options};

/// A back end per combination of optimisation level, allocator and instruction set, with a name.
pub fn configurations() -> Vec<(String, Native)> {
    let mut all = Vec::new();
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            for host_features in [true, false] {
                let options = Options {
                    opt_level,
                    allocator,
                    verify_ir: true,
                    host_features,
                };
                all.push((
                    format!("{options:?}"),
                    Native::new(options).expect("a supported host"),
                ));
            }
        }
    }
    all
}
