//! Moments of phase-type distributions.

use volvelle_mpi::machine::Stage;
use volvelle_mpi::phase::{MOST_STAGES, erlang, with_variation};

/// Mean and second moment of a chain of stages, by the equations of its states from the last one on.
fn moments(stages: &[Stage]) -> (f64, f64) {
    stages.iter().rev().fold((0.0, 0.0), |(mean, second), stage| {
        let rest = stage.goes_on * mean;
        let own = stage.mean;
        (own + rest, 2.0 * own * own + 2.0 * own * rest + stage.goes_on * second)
    })
}

#[test]
fn mean_and_variation_are_as_wanted() {
    for variation in
        [0.126, 0.2, 0.25, 1.0 / 3.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.99, 1.0, 1.01, 1.5, 2.0, 5.0, 40.0]
    {
        let stages = with_variation(variation).expect("few stages");
        let (mean, second) = moments(&stages);
        assert!((mean - 1.0).abs() < 1e-9, "{variation}: mean {mean}");
        let found = (second - mean * mean).sqrt();
        assert!((found - variation).abs() < 1e-7 * variation.max(1.0), "{variation}: {found}");
        assert!(stages.len() <= MOST_STAGES as usize && stages.last().unwrap().goes_on == 0.0);
    }
    assert_eq!(with_variation(0.1), None);
    assert_eq!(with_variation(f64::NAN), None);
}

#[test]
fn erlang_distributions() {
    for k in [1, 2, 7] {
        let (mean, second) = moments(&erlang(k));
        assert!((mean - 1.0).abs() < 1e-12);
        assert!((second - 1.0 - 1.0 / f64::from(k)).abs() < 1e-12);
    }
}
