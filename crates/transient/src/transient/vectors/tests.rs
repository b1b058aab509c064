//! Vectors on devices against vectors on threads, bit for bit.

use std::sync::Mutex;

use volvelle_control::{Cancel, Control, Fact};
use volvelle_logic::StopReason;
use volvelle_reference::devices::*;
use volvelle_reference::*;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_solver::horizon_cache::HorizonCache;
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::{CheckError, Context, Detection, Options};
use volvelle_space::{BitSet, Kind, Space};

use crate::transient::Transient;

/// A question about a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    Hit,
    Elapse,
    Accumulate,
}

/// A chain with what is asked about it.
struct Case {
    space: Space,
    question: Question,
    /// Several are answered in one pass.
    times: Vec<f64>,
    needed: Option<BitSet>,
    options: Options,
    left: BitSet,
    right: BitSet,
    reward: Vec<f64>,
}

/// An answer: bits of the bounds for each time, and method and facts except for those about sweeps.
type Found = (Vec<Vec<[u64; 2]>>, Vec<String>, Vec<StopReason>);

impl Case {
    fn random(random: &mut Random, space: Space) -> Self {
        let n = space.num_states();
        let question = [Question::Hit, Question::Elapse, Question::Accumulate][random.below(3)];
        let detection =
            [Detection::Sound, Detection::Sound, Detection::Off, Detection::Prism][random.below(4)];
        let several = random.one_in(2);
        let times = if several { vec![3.0, 11.0, 40.0] } else { vec![[2.0, 25.0, 90.0][random.below(3)]] };
        Case {
            question,
            times,
            needed: random.one_in(2).then(|| {
                let mut needed = random_set(random, n, 5);
                needed.insert(0);
                needed
            }),
            options: Options { detection, relative: !random.one_in(4), ..Options::default() },
            left: random_set(random, n, 4).complement(),
            right: random_set(random, n, 4),
            reward: (0..n).map(|_| random.below(5) as f64 * 0.25).collect(),
            space,
        }
    }

    fn found(&self, sweeps: Option<&Sweeps>, control: &Control) -> Result<(Found, Vec<Fact>), CheckError> {
        let cache = HorizonCache::new(vec![self.times.clone()]);
        let context =
            Context::new(&self.space, self.options, control).with_horizons(Some(&cache)).with_sweeps(sweeps);
        let (mut bits, mut methods, mut stops) = (vec![], vec![], vec![]);
        for &time in &self.times {
            let mut transient = Transient::new(&context, self.needed.as_ref());
            let bounds = match self.question {
                Question::Hit => transient.hit(&self.left, &self.right, time)?,
                Question::Elapse => {
                    let value: Vec<[f64; 2]> = self.reward.iter().map(|&v| [v, v + 0.01]).collect();
                    transient.elapse(&self.left, &value, time)?
                }
                Question::Accumulate => transient.accumulate(&self.reward, time)?,
            };
            let numbers = transient.numbers(bounds);
            bits.push(numbers.bounds.iter().map(|b| b.map(f64::to_bits)).collect());
            methods.push(numbers.method);
            stops.push(numbers.stop);
        }
        Ok(((bits, methods, stops), context.facts()))
    }
}

/// Chains with few different weights and with many, discrete and continuous.
fn chain(random: &mut Random, n: usize) -> Space {
    let kind = if random.one_in(3) { Kind::Dtmc } else { Kind::Ctmc };
    let many = random.one_in(3);
    let mut rows = random_rows(random, n, 1);
    if kind == Kind::Ctmc {
        for entry in rows.iter_mut().flatten().flatten() {
            let scale = if many { 0.5 + random.below(1 << 20) as f64 / (1u64 << 20) as f64 } else { 2.0 };
            entry.1 *= scale;
        }
    }
    space(kind, &rows)
}

#[test]
fn same_bits_on_every_device() {
    let mut random = Random(8017);
    let mut seen = [0; 3];
    // Kept over all rounds: kernels are built once.
    let devices: Vec<Sweeps> = devices().map(|device| Sweeps::asked(device, still())).collect();
    for round in 0..60 {
        // Some of more rows than a lane looks at.
        let n = if round % 20 == 7 { 1500 } else { 2 + random.below(40) };
        let space = chain(&mut random, n);
        let case = Case::random(&mut random, space);
        let control = Control { threads: 2, ..Control::unlimited() };
        let (expected, _) = case.found(None, &control).unwrap();
        for sweeps in &devices {
            let (found, facts) = case.found(Some(sweeps), &control).unwrap();
            assert_eq!(found, expected, "round {round}, {:?} on {}", case.question, sweeps.name());
            assert_eq!(sweeps.take_failures(), []);
            match who(&facts) {
                Some((name, why)) => {
                    assert_eq!((name, why), (sweeps.name(), "requested"));
                    seen[case.question as usize] += 1;
                }
                // Graph analysis has decided everything.
                None => assert!(expected.2.iter().all(|stop| *stop == StopReason::StepsDone)),
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

#[test]
fn any_call_may_fail() {
    let mut random = Random(99);
    let mut failures = 0;
    for round in 0..6 {
        let space = chain(&mut random, 8);
        let case = Case::random(&mut random, space);
        let control = Control::unlimited();
        let (expected, _) = case.found(None, &control).unwrap();
        let faults = Faults::none();
        case.found(Some(&Sweeps::asked(Faulty::executor(interpreter(), faults.clone()), still())), &control)
            .unwrap();
        let calls = faults.calls();
        // Setting up call by call, and some of the multiplications.
        let every = (calls / 12).max(1);
        for k in (0..calls.min(30)).chain((30..calls).step_by(every as usize)) {
            for faults in [Faults::once(k), Faults::from(k)] {
                let sweeps = Sweeps::asked(Faulty::executor(interpreter(), faults.clone()), still());
                let (found, facts) = case.found(Some(&sweeps), &control).unwrap();
                assert_eq!(found, expected, "round {round}, call {k}");
                assert_eq!(sweeps.take_failures().len(), 1, "round {round}, call {k}");
                assert!(sweeps.has_failed());
                let name = sweeps.name();
                assert_eq!(who(&facts), Some(("threads", format!("{name} failed").as_str())));
                assert_eq!(faults.live(), 0, "regions are given back");
                failures += 1;
            }
        }
    }
    assert!(failures > 200, "{failures}");
}

/// A device that was not requested is kept where it is faster; its work is not lost where it is not.
#[test]
fn measured_speed_decides() {
    let mut random = Random(4);
    let n = 21_000;
    let rows: Rows = (0..n)
        .map(|s| vec![(1..5).map(|d| ((s + d * d * 37) % n, 0.25 * (1 + random.below(8)) as f64)).collect()])
        .collect();
    let space = space(Kind::Ctmc, &rows);
    for (question, times) in
        [(Question::Hit, vec![8.0]), (Question::Accumulate, vec![5.0, 8.0]), (Question::Elapse, vec![7.0])]
    {
        let small = chain(&mut random, 30);
        let mut case = Case::random(&mut random, small);
        case.space = space.clone();
        (case.left, case.right) = (BitSet::full(n), random_set(&mut random, n, 1000));
        case.reward = (0..n).map(|s| (s % 3) as f64).collect();
        (case.question, case.times, case.needed) = (question, times, None);
        case.options = Options { detection: Detection::Off, ..Options::default() };
        let control = Control::unlimited();
        let (expected, _) = case.found(None, &control).unwrap();
        let run = |moments: &[u64]| {
            let sweeps = Sweeps::where_they_pay(|| Ok(threads()), clock(moments));
            let (found, facts) = case.found(Some(&sweeps), &control).unwrap();
            assert_eq!(found, expected, "{question:?}");
            who(&facts).map(|(name, why)| (name.to_owned(), why.to_owned()))
        };
        // Begin and end of what threads do, then of what the device does.
        let (name, why) = run(&[0, 3200, 3200, 3201]).unwrap();
        assert!(name == "threads" && why.contains("against 200.000 ms on threads"), "{name}: {why}");
        let (name, why) = run(&[0, 3200, 3200, 99_000]).unwrap();
        assert!(name == "threads" && why.starts_with("200.000 ms per step against"), "{name}: {why}");
        // Too little work for a try.
        assert_eq!(run(&[0, 3, 3, 4, 4, 5]), None);
    }
}

/// Work that is stopped on a device ends soon, with bounds that hold.
#[test]
fn stopped_on_a_device() {
    let rows: Rows = vec![vec![vec![(1, 1.0)]], vec![vec![(0, 1.0), (2, 1e-3)]], vec![vec![]]];
    let space = space(Kind::Ctmc, &rows);
    let mut target = BitSet::new(3);
    target.insert(2);
    let hit = |sweeps: Option<&Sweeps>, control: &Control| {
        let options = Options { detection: Detection::Off, ..Options::default() };
        let context = Context::new(&space, options, control).with_sweeps(sweeps);
        let mut transient = Transient::new(&context, None);
        let bounds = transient.hit(&BitSet::full(3), &target, 1000.0).unwrap();
        transient.numbers(bounds)
    };
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = hit(
        Some(&Sweeps::asked(interpreter(), still())),
        &Control { cancel: &cancel, ..Control::unlimited() },
    );
    assert_eq!(stopped.stop, StopReason::Interrupted);
    // The steps that the device was given at once are still made: a few of some thousand.
    let steps = stopped.method.split(['(', ' ']).find_map(|word| word.parse::<u64>().ok());
    assert!(steps.is_some_and(|steps| steps <= 64), "{}", stopped.method);
    let truth = hit(None, &Control::unlimited());
    for (known, truth) in stopped.bounds.iter().zip(truth.bounds) {
        assert!(known[0] <= truth[0] && truth[1] <= known[1], "{known:?} and {truth:?}");
    }
}

/// A slow device is not tried again and again: failures are reported once, and then threads work alone.
#[test]
fn a_device_that_failed_is_left_alone() {
    let mut random = Random(5);
    let case = loop {
        let space = chain(&mut random, 10);
        let case = Case::random(&mut random, space);
        if case.times.len() == 3 {
            break case;
        }
    };
    let faults = Faults::from(0);
    let sweeps = Sweeps::asked(Faulty::executor(interpreter(), faults.clone()), still());
    let control = Control::unlimited();
    let log = Mutex::new(vec![]);
    for _ in 0..2 {
        case.found(Some(&sweeps), &control).unwrap();
        log.lock().unwrap().push((sweeps.take_failures().len(), faults.calls()));
    }
    assert_eq!(*log.lock().unwrap(), [(1, 1), (0, 1)]);
}
