//! Compiled paths against paths walked by the reference, with their measures decided on the way.

use volvelle_simulate::measure::UNDECIDED;
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference;

/// Compares with what a compiled path tells, and its status, to the last bit.
pub fn check(plan: &Plan, seed: u64, path: u64, max_steps: u32, told: &[f64], status: u64) {
    let (walk, watch, result) = reference::follow(plan, seed, path, max_steps);
    assert_eq!(result, Ok(()), "path {path}");
    let given_up = u64::from(walk.steps() == max_steps);
    assert_eq!(2 * u64::from(walk.steps()) + given_up, status, "status of path {path}");
    for (k, (&seen, value)) in watch.values().iter().zip(plan.monitors.values(told)).enumerate() {
        let measure = &plan.measures[k];
        let seen = if given_up == 1 && watch.is_open(k) { UNDECIDED } else { seen };
        assert_eq!(
            seen.to_bits(),
            value.to_bits(),
            "path {path}, measure {k} {measure:?}: {seen} instead of {value}"
        );
    }
}
