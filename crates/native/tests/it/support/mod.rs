//! Support of the tests: back ends in every configuration.

use volvelle_native::{Allocator, Native, OptLevel, Options};

/// Back ends that differ in optimisation level, allocator, instruction set, and in where scalars live (all in
/// the frame, mixed, all in registers), with their names; the default first.
pub fn configurations() -> Vec<(String, Native)> {
    let default = Options { verify_ir: true, ..Options::default() };
    let mut all = vec![default];
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            for host_features in [true, false] {
                // Every pair of settings occurs, not every combination.
                let max_register_uses = if host_features { 0 } else { u32::MAX };
                all.push(Options { opt_level, allocator, max_register_uses, host_features, ..default });
            }
            all.push(Options { opt_level, allocator, max_register_uses: 2, ..default });
        }
    }
    all.into_iter()
        .map(|options| (format!("{options:?}"), Native::new(options).expect("a supported host")))
        .collect()
}
