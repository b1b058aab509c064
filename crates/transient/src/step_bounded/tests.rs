//! Steps that are stopped, and steps on devices.

use super::*;
use volvelle_control::{Cancel, Progress};
use volvelle_reference::devices::*;
use volvelle_reference::*;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_solver::Options;
use volvelle_solver::sweeps::Sweeps;
use volvelle_space::{Kind, Space};

/// Raises the flag once some steps have been made.
struct Impatient<'a>(&'a Cancel);

impl Progress for Impatient<'_> {
    fn report(&self, event: ProgressEvent) {
        if matches!(event, ProgressEvent::Solving { done, .. } if done > 0) {
            self.0.cancel();
        }
    }
}

/// A pass that is stopped in the middle: what rises or falls is bounded by what it has reached.
#[test]
fn a_stopped_pass_keeps_what_it_knows() {
    let step = |p: f64| vec![(0, 1.0 - p), (1, p)];
    let rows: Rows = vec![vec![step(1e-7), step(5e-8)], vec![vec![(1, 1.0)]]];
    let space = space(Kind::Mdp, &rows);
    let count = 5_000_000.0;
    let run = |pass: &Pass, optimum, patient: bool| {
        let cancel = Cancel::new();
        let impatient = Impatient(&cancel);
        let control = Control { cancel: &cancel, progress: &impatient, ..Control::unlimited() };
        let unlimited = Control::unlimited();
        let control = if patient { &unlimited } else { &control };
        let context = Context::new(&space, Options::default(), control);
        pass.run(&context, optimum, count).unwrap()
    };
    let gains = [1e-6, 2e-6, 0.0];
    let up = Pass { start: vec![0.0, 1.0], inside: None, keep: None, reward: None, probability: true };
    let down = Pass { start: vec![1.0, 0.0], inside: None, keep: None, reward: None, probability: true };
    let gain =
        Pass { start: vec![0.0; 2], inside: None, keep: None, reward: Some(&gains), probability: false };
    for optimum in [Optimum::Min, Optimum::Max] {
        for (pass, side) in [(&up, 0), (&down, 1), (&gain, 0)] {
            let (truth, stopped) = (run(pass, optimum, true), run(pass, optimum, false));
            assert_eq!(truth.stop, StopReason::StepsDone);
            assert_eq!(stopped.stop, StopReason::Interrupted);
            let ([a, b], [c, d]) = (truth.bounds[0], stopped.bounds[0]);
            assert!(c <= a && b <= d && d.is_finite(), "{optimum:?}: [{a}, {b}] within [{c}, {d}]");
            // A fifth of the way at least was gone.
            assert!(if side == 0 { c > 0.05 * a } else { d < 1.0 - 1e-3 }, "{optimum:?}: [{c}, {d}]");
        }
    }
}
/// Steps that are requested.
struct Case {
    space: Space,
    optimum: Optimum,
    start: Vec<f64>,
    inside: Option<BitSet>,
    keep: Option<BitSet>,
    reward: Option<Vec<f64>>,
    count: f64,
}

impl Case {
    fn random(random: &mut Random, n: usize) -> Self {
        let rows = random_rows(random, n, 3);
        let mut space = space(Kind::Mdp, &rows);
        if random.one_in(2) {
            // Few different numbers, stored as places in a table.
            space.values = space.values.iter().collect();
        }
        let start: Vec<f64> = match random.below(3) {
            0 => vec![0.0; n],
            1 => (0..n).map(|_| random.below(5) as f64 * 0.25).collect(),
            // So small that products leave the range of doubles.
            _ => (0..n).map(|_| random.below(2) as f64 * 1e-245).collect(),
        };
        let reward = random
            .one_in(2)
            .then(|| (0..space.num_choices()).map(|_| random.below(3) as f64 * 0.5).collect());
        let [inside, keep] = [3, 4].map(|share| random.one_in(2).then(|| random_set(random, n, share)));
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        let count = [1.0, 7.0, 200.0][random.below(3)];
        Case { space, optimum, start, inside, keep, reward, count }
    }

    /// Bits of the bounds, and the rest; with facts.
    fn found(&self, sweeps: Option<&Sweeps>, control: &Control) -> ((Vec<[u64; 2]>, String), Vec<Fact>) {
        let context = Context::new(&self.space, Options::default(), control).with_sweeps(sweeps);
        let pass = Pass {
            start: self.start.clone(),
            inside: self.inside.as_ref(),
            keep: self.keep.as_ref(),
            reward: self.reward.as_deref(),
            probability: false,
        };
        let numbers = pass.run(&context, self.optimum, self.count).unwrap();
        let bits = numbers.bounds.iter().map(|b| b.map(f64::to_bits)).collect();
        ((bits, format!("{}, {:?}", numbers.method, numbers.stop)), context.facts())
    }
}

/// Many steps are made in bundles, single ones state by state.
#[test]
fn bundled_states_have_the_bits_of_single_steps() {
    let mut random = Random(518);
    let control = Control::unlimited();
    for round in 0..60 {
        let n = 1 + random.below(300);
        let case = Case::random(&mut random, n);
        let context = Context::new(&case.space, Options::default(), &control);
        let (inside, keep, reward) = (case.inside.as_ref(), case.keep.as_ref(), case.reward.as_deref());
        let begin = || StepBounded::new(&context, case.optimum, case.start.clone(), 0.0);
        let (mut bundled, mut single) = (begin(), begin());
        bundled.back(40, inside, keep, reward).unwrap();
        (0..40).for_each(|_| single.back(1, inside, keep, reward).unwrap());
        let bits = |steps: &StepBounded| steps.value.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&bundled), bits(&single), "round {round}");
        assert_eq!(bundled.underflow, single.underflow, "round {round}");
    }
}

#[test]
fn same_bits_on_every_device() {
    let mut random = Random(517);
    let control = Control::unlimited();
    let devices: Vec<Sweeps> = devices().map(|device| Sweeps::asked(device, still())).collect();
    let (mut fixed, mut tiny) = (0, 0);
    for round in 0..60 {
        let n = if round % 20 == 7 { 1500 } else { 1 + random.below(40) };
        let case = Case::random(&mut random, n);
        let (expected, _) = case.found(None, &control);
        fixed += usize::from(case.count == 200.0 && !expected.1.contains("(200 steps)"));
        tiny += usize::from(expected.0.iter().any(|b| b.map(f64::from_bits) == [0.0, TINY]));
        for sweeps in &devices {
            let (found, facts) = case.found(Some(sweeps), &control);
            assert_eq!(found, expected, "round {round} on {}", sweeps.name());
            assert_eq!(who(&facts), Some((sweeps.name(), "requested")));
            assert_eq!(sweeps.take_failures(), []);
        }
    }
    assert!(fixed > 3 && tiny > 3, "{fixed} {tiny}");
}

#[test]
fn any_call_may_fail() {
    let mut random = Random(6);
    let control = Control::unlimited();
    for round in 0..6 {
        let case = Case { count: 40.0, ..Case::random(&mut random, 8) };
        let (expected, _) = case.found(None, &control);
        let faults = Faults::none();
        case.found(Some(&Sweeps::asked(Faulty::executor(interpreter(), faults.clone()), still())), &control);
        assert!(faults.calls() > 20);
        for k in 0..faults.calls() {
            for faults in [Faults::once(k), Faults::from(k)] {
                let sweeps = Sweeps::asked(Faulty::executor(interpreter(), faults.clone()), still());
                let (found, facts) = case.found(Some(&sweeps), &control);
                assert_eq!(found, expected, "round {round}, call {k}");
                assert_eq!(sweeps.take_failures().len(), 1);
                let why = format!("{} failed", sweeps.name());
                assert_eq!(who(&facts), Some(("threads", why.as_str())));
                assert_eq!(faults.live(), 0, "regions are given back");
            }
        }
    }
}

/// A device that was not requested is kept where it is faster; its work is not lost where it is not.
#[test]
fn measured_speed_decides() {
    let n = 30_000;
    let row = |s: usize, d: usize| vec![((s + d) % n, 0.5), ((s * d + 1) % n, 0.25), (s, 0.25)];
    let rows: Rows = (0..n).map(|s| vec![row(s, 37), row(s, 1009)]).collect();
    let mut random = Random(3);
    let case = Case {
        space: space(Kind::Mdp, &rows),
        optimum: Optimum::Max,
        start: (0..n).map(|s| f64::from(u8::from(s % 1000 == 0))).collect(),
        inside: None,
        keep: Some(random_set(&mut random, n, 2000)),
        reward: None,
        count: 120.0,
    };
    let control = Control::unlimited();
    let (expected, _) = case.found(None, &control);
    let run = |moments: &[u64]| {
        let sweeps = Sweeps::where_they_pay(|| Ok(threads()), clock(moments));
        let (found, facts) = case.found(Some(&sweeps), &control);
        assert_eq!(found, expected);
        who(&facts).map(|(name, why)| (name.to_owned(), why.to_owned()))
    };
    let (name, why) = run(&[0, 2200, 2200, 2201]).unwrap();
    assert!(name == "threads" && why.contains("against 100.000 ms on threads"), "{name}: {why}");
    let (name, why) = run(&[0, 2200, 2200, 99_000]).unwrap();
    assert!(name == "threads" && why.starts_with("100.000 ms per step against"), "{name}: {why}");
    assert_eq!(run(&[0, 3, 3, 4, 4, 5]), None);
}

/// A pass that ends at a fixpoint long before its bound counts the errors of the steps that it made; from above the value without
/// a bound helps.
#[test]
fn steps_that_are_not_made_cost_no_precision() {
    let rows: Rows = vec![
        vec![vec![(0, 0.5), (1, 0.5)], vec![(0, 0.9), (2, 0.1)]],
        vec![vec![(1, 1.0)]],
        vec![vec![(2, 1.0)]],
    ];
    let space = space(Kind::Mdp, &rows);
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    let (goal, everywhere) = (BitSet::of(3, [1]), BitSet::full(3));
    let reward = [1.0, 1.0, 0.0, 0.0];
    for (optimum, reached, steps) in [(Optimum::Max, 1.0, 10.0), (Optimum::Min, 0.0, 2.0)] {
        let pass = Pass {
            start: vec![0.0, 1.0, 0.0],
            inside: Some(&everywhere),
            keep: Some(&goal),
            reward: None,
            probability: true,
        };
        let found = pass.run(&context, optimum, 4e9).unwrap();
        assert!(found.bounds[0][0] <= reached && found.bounds[0][0] >= reached - 1e-12, "{:?}", found.bounds);
        let limit = || volvelle_solver::reach::until(&context, &everywhere, &goal, optimum);
        let [lo, hi] = found.at_most(&context, limit).unwrap().bounds[0];
        assert!(lo <= reached && reached <= hi && hi - lo < 1e-12, "{optimum:?} [{lo}, {hi}]");
        let pass =
            Pass { start: vec![0.0; 3], inside: None, keep: None, reward: Some(&reward), probability: false };
        let found = pass.run(&context, optimum, 4e9).unwrap();
        let limit = || volvelle_solver::reward::total(&context, &reward, optimum);
        let [lo, hi] = found.at_most(&context, limit).unwrap().bounds[0];
        assert!(lo <= steps && steps <= hi && hi - lo < 1e-9, "{optimum:?} [{lo}, {hi}]");
    }
}
