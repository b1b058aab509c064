//! Compiled paths against paths walked by the reference, with their measures decided on the way.

use volvelle_simulate::path::Plan;
use volvelle_simulate::watch;

/// Compares with what a compiled path tells, and its status, to the last bit. What a path tells that was given up means
/// nothing for measures that are not decided by then.
pub fn check(plan: &Plan, seed: u64, path: u64, max_steps: u32, told: &[f64], status: u64) {
    let (walk, watch, result) = watch::follow(plan, seed, path, max_steps);
    assert_eq!(result, Ok(()), "path {path}");
    let given_up = u64::from(walk.steps() == max_steps);
    assert_eq!(2 * u64::from(walk.steps()) + given_up, status, "status of path {path}");
    for (k, (seen, value)) in watch.values().iter().zip(plan.monitors.values(told)).enumerate() {
        let measure = &plan.measures[k];
        if watch.is_open(k) {
            assert_eq!(given_up, 1, "path {path}, measure {k} {measure:?} is not decided");
            let alone = plan.monitors.is_alone(k);
            assert!(alone || value.is_nan(), "path {path}, measure {k} {measure:?}: {value} is not decided");
            continue;
        }
        assert_eq!(
            seen.to_bits(),
            value.to_bits(),
            "path {path}, measure {k} {measure:?}: {seen} instead of {value}"
        );
    }
}
