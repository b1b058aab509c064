//! Intervals of estimates from windows.

use volvelle_multicore::{Answer, Window};
use volvelle_statistics::Interval;

fn answer(cycles: &[u64]) -> Answer {
    let windows = cycles.iter().map(|&cycles| Window { instructions: 1000, cycles }).collect();
    Answer { windows, ..Answer::default() }
}

/// By hand: means 1 and 1.1 cycles, deviations 0.1, t = 4.3027 with two degrees of freedom.
#[test]
fn intervals_by_hand() {
    let one = answer(&[900, 1000, 1100]);
    let half = 4.302_652_7 * 0.1 / f64::sqrt(3.0);
    let Interval { lo, hi } = one.ipc_interval().expect("three windows");
    assert!((lo - 1.0 / (1.0 + half)).abs() < 1e-6 && (hi - 1.0 / (1.0 - half)).abs() < 1e-6, "{lo} {hi}");
    // A tenth more everywhere: the ratio is the same in all windows.
    let gain = one.gain_interval(&answer(&[990, 1100, 1210])).expect("three windows");
    assert!((gain.lo - 0.1).abs() < 1e-9 && (gain.hi - 0.1).abs() < 1e-9, "{gain:?}");
    assert!(answer(&[900]).ipc_interval().is_none());
    assert!(one.gain_interval(&answer(&[900])).is_none());
}
