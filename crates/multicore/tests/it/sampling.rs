//! Windows that are sampled.

use volvelle_multicore::{Phase, Plan, Sampling};

#[test]
fn windows_are_spread_and_whole() {
    for (windows, window, warm_up, instructions) in
        [(3, 10, 5, 100), (7, 10, 0, 71), (1, 1, 0, 2), (4, 3, 2, 1000), (5, 199, 0, 999)]
    {
        let sampling = Sampling { windows, window, warm_up };
        let Some(plan) = Plan::new(sampling, instructions) else { panic!("{sampling:?}") };
        let phases: Vec<Phase> = (0..instructions).map(|at| plan.phase(at).0).collect();
        let count = |phase| phases.iter().filter(|&&other| other == phase).count() as u64;
        assert_eq!(count(Phase::Counted), windows * window, "{sampling:?}");
        assert_eq!(count(Phase::WarmUp), windows * warm_up, "{sampling:?}");
        for at in 0..instructions {
            let (phase, until) = plan.phase(at);
            assert!(until > at);
            assert!((at..until.min(instructions)).all(|at| phases[at as usize] == phase), "{at}");
        }
    }
    assert!(Plan::new(Sampling { windows: 10, window: 10, warm_up: 0 }, 100).is_none());
}
