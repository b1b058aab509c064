//! Devices against each other and against sweeps in place; devices that fail; components with a period.

use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_reference::devices::*;
use volvelle_reference::*;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_space::{BitSet, Kind, Space};

use crate::context::Context;
use crate::numbers::Numbers;
use crate::options::{Classical, Method, Options};
use crate::reach::until;
use crate::reward::reachability_reward;
use crate::scheduling::LEAST;
use crate::sweeps::Sweeps;

/// A question about a component of about [`LEAST`] unknowns.
struct Case {
    space: Space,
    goal: BitSet,
    /// Of choices; none: a probability is requested.
    reward: Option<Vec<f64>>,
    optimum: Optimum,
    options: Options,
}

impl Case {
    /// Every state goes to the next, and by chance elsewhere; now and then to the goal (state 0) or to the state that is
    /// never left (state 1).
    fn random(random: &mut Random, kind: Kind, leaves: f64) -> Self {
        let n = LEAST + 2 + random.below(40);
        let row = |s: usize, random: &mut Random| {
            let next = if s + 1 < n { s + 1 } else { 2 };
            let exit = if random.one_in(4) { 1 } else { 0 };
            let stay = 0.125 * random.below(3) as f64;
            let leave = leaves * random.below(3) as f64;
            let far = 0.25;
            vec![(s, stay), (exit, leave), (2 + random.below(n - 2), far), (next, 1.0 - stay - leave - far)]
        };
        let rows: Rows = (0..n)
            .map(|s| match s {
                0 | 1 => vec![vec![(s, 1.0)]],
                _ if kind == Kind::Mdp => (0..1 + random.below(3)).map(|_| row(s, random)).collect(),
                _ => vec![row(s, random)],
            })
            .collect();
        let mut space = space(kind, &rows);
        if random.one_in(2) {
            // Few different numbers, stored as places in a table.
            space.values = space.values.iter().collect();
        }
        let mut goal = BitSet::new(n);
        goal.insert(0);
        let reward = random.one_in(2).then(|| {
            goal.insert(1);
            (0..space.num_choices()).map(|_| random.below(3) as f64 * 0.5).collect()
        });
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        let options = Options { method: Method::Iteration, ..Options::default() };
        Case { space, goal, reward, optimum, options }
    }

    fn found(&self, sweeps: Option<&Sweeps>) -> (Numbers, Option<(String, String)>) {
        let control = Control::unlimited();
        let context = Context::new(&self.space, self.options, &control).with_sweeps(sweeps);
        let numbers = match &self.reward {
            Some(reward) => reachability_reward(&context, reward, &self.goal, self.optimum).unwrap(),
            None => {
                until(&context, &BitSet::full(self.space.num_states()), &self.goal, self.optimum).unwrap()
            }
        };
        let facts = context.facts();
        let who = who(&facts).map(|(name, why)| (name.to_owned(), why.to_owned()));
        (numbers, who)
    }
}

fn bits(numbers: &Numbers) -> (Vec<[u64; 2]>, String) {
    let bits = numbers.bounds.iter().map(|b| b.map(f64::to_bits)).collect();
    (bits, format!("{}, {:?}", numbers.method, numbers.stop))
}

/// Both are sound: they have something in common.
fn assert_agree(found: &Numbers, other: &Numbers, what: &str) {
    assert_eq!(found.stop, StopReason::Converged, "{what}");
    for (s, ([a, b], [c, d])) in found.bounds.iter().zip(&other.bounds).enumerate() {
        assert!(a <= d && c <= b, "{what}, state {s}: [{a}, {b}] and [{c}, {d}]");
        assert!(b - a <= 1e-6 * b, "{what}, state {s}: [{a}, {b}]");
    }
}

#[test]
fn same_bits_on_every_device() {
    let mut random = Random(71);
    let devices: Vec<Sweeps> = devices().map(|device| Sweeps::asked(device, still())).collect();
    let mut differ = 0;
    for round in 0..8 {
        let kind = if round % 2 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let case = Case::random(&mut random, kind, 1.0 / 16.0);
        let in_place = case.found(None).0;
        let mut expected = None;
        for sweeps in &devices {
            let (found, who) = case.found(Some(sweeps));
            assert_agree(&found, &in_place, &format!("round {round} on {}", sweeps.name()));
            let found = bits(&found);
            assert_eq!(&found, expected.get_or_insert(found.clone()), "round {round} on {}", sweeps.name());
            assert_eq!(who, Some((sweeps.name().to_owned(), "requested".to_owned())));
            assert_eq!(sweeps.take_failures(), []);
        }
        differ += usize::from(expected != Some(bits(&in_place)));
    }
    assert!(differ > 0, "the device made no sweeps");
}

#[test]
fn any_call_may_fail() {
    let mut random = Random(5);
    for kind in [Kind::Dtmc, Kind::Mdp] {
        let case = Case::random(&mut random, kind, 0.25);
        let threads = threads();
        let faults = Faults::none();
        let healthy = Sweeps::asked(Faulty::executor(threads.clone(), faults.clone()), still());
        let expected = bits(&case.found(Some(&healthy)).0);
        assert!(faults.calls() > 40, "{}", faults.calls());
        for k in 0..faults.calls() {
            for faults in [Faults::once(k), Faults::from(k)] {
                let sweeps = Sweeps::asked(Faulty::executor(threads.clone(), faults.clone()), still());
                let (found, who) = case.found(Some(&sweeps));
                assert_eq!(bits(&found), expected, "call {k}");
                assert_eq!(sweeps.take_failures().len(), 1);
                assert_eq!(who, Some(("threads".to_owned(), format!("{} failed", sweeps.name()))));
                assert_eq!(faults.live(), 0, "regions are given back");
            }
        }
    }
}

#[test]
fn classical_methods_have_the_same_bits_without_a_device() {
    let mut random = Random(23);
    let devices: Vec<Sweeps> = devices().map(|device| Sweeps::asked(device, still())).collect();
    for (round, method) in [Classical::Jacobi, Classical::Jor(0.9), Classical::Jacobi, Classical::Jor(0.5)]
        .into_iter()
        .enumerate()
    {
        let kind = if round % 2 == 0 { Kind::Mdp } else { Kind::Dtmc };
        let mut case = Case::random(&mut random, kind, 1.0 / 16.0);
        case.options =
            Options { method: Method::Classical(method), relative: round < 2, ..Options::default() };
        let (expected, _) = case.found(None);
        for sweeps in &devices {
            let (found, who) = case.found(Some(sweeps));
            assert_eq!(bits(&found), bits(&expected), "{method:?} on {}", sweeps.name());
            assert_eq!(who, Some((sweeps.name().to_owned(), "requested".to_owned())));
        }
    }
}

/// From even states to odd ones and back, and only odd states are left: the values of even and of odd states rise by turns,
/// and the change of a single sweep does not predict that of the next one.
#[test]
fn a_period_does_no_harm() {
    // Some states are entered from nowhere, and are no part of the component.
    let n = 2 * LEAST;
    let mut random = Random(9);
    let mut other = |s: usize| 2 + (2 * random.below(n / 2 - 1) + s + 1) % (n - 2);
    let rows: Rows = (0..n)
        .map(|s| match s {
            0 | 1 => vec![vec![(s, 1.0)]],
            _ if s % 2 == 0 => vec![vec![(other(s), 0.5), (other(s), 0.5)]],
            _ => vec![vec![(0, 0.03125), (1, 0.03125), (other(s), 0.4375), (other(s), 0.5)]],
        })
        .collect();
    let mut goal = BitSet::new(n);
    goal.insert(0);
    let options = Options { method: Method::Iteration, ..Options::default() };
    let case = Case { space: space(Kind::Dtmc, &rows), goal, reward: None, optimum: Optimum::Max, options };
    let in_place = case.found(None).0;
    let sweeps = Sweeps::asked(threads(), still());
    let (found, who) = case.found(Some(&sweeps));
    assert_agree(&found, &in_place, "to and fro");
    assert_eq!(who, Some((sweeps.name().to_owned(), "requested".to_owned())));
    assert!((found.bounds[2][0] - 0.5).abs() < 1e-6, "both exits are equally likely from everywhere");
}
