//! Compiled paths against paths walked by the reference, with their measures decided on the way.

use volvelle_kernel::Site;
use volvelle_simulate::path::Plan;
use volvelle_simulate::walk::Walk;
use volvelle_simulate::watch::Watch;

/// Values and status of a path, as compiled paths have them.
pub fn run(plan: &Plan, seed: u64, path: u64, max_steps: u32) -> Result<(Vec<f64>, u64), Site> {
    let (mut walk, mut watch) = (Walk::new(plan, seed, path), Watch::new(plan));
    while walk.steps() < max_steps {
        watch.arrive(&mut walk)?;
        if !watch.any_open() {
            break;
        }
        let stay = walk.stay()?;
        watch.dwell(&mut walk, &stay)?;
        if stay.for_ever || !watch.any_open() {
            break;
        }
        let slot = walk.draw()?;
        watch.step(&mut walk, plan.slots[slot].action)?;
        walk.take(slot, None, &stay)?;
    }
    let given_up = u64::from(walk.steps() == max_steps);
    Ok((watch.values().to_vec(), 2 * u64::from(walk.steps()) + given_up))
}

/// Compares with a compiled path, to the last bit.
pub fn check(plan: &Plan, seed: u64, path: u64, max_steps: u32, values: &[f64], status: u64) {
    let (seen, seen_status) = run(plan, seed, path, max_steps).expect("no failure");
    assert_eq!(seen_status, status, "status of path {path}");
    for (k, (seen, value)) in seen.iter().zip(values).enumerate() {
        let measure = &plan.measures[k];
        assert_eq!(
            seen.to_bits(),
            value.to_bits(),
            "path {path}, measure {k} {measure:?}: {seen} instead of {value}"
        );
    }
}
