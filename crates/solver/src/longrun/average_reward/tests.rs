//! Gains on devices, and on devices that fail; that gains are right is tested with the rest of [`crate::longrun`].

use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_reference::devices::*;
use volvelle_reference::*;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_space::{Kind, Space};

use super::optimal_average;
use crate::context::Context;
use crate::options::Options;
use crate::scheduling::LEAST;
use crate::sweeps::Sweeps;

/// One end component in which every state can be left in up to three ways.
fn random_component(random: &mut Random) -> (Space, Vec<f64>) {
    let n = LEAST + random.below(50);
    let rows: Rows = (0..n)
        .map(|s| {
            let mut row = || vec![((s + 1) % n, 0.25), (random.below(n), 0.5), (random.below(n), 0.25)];
            let mut choices = vec![row()];
            if s % 3 > 0 {
                choices.push(row());
            }
            if s % 7 == 0 {
                choices.push(row());
            }
            choices
        })
        .collect();
    let space = space(Kind::Mdp, &rows);
    let reward = (0..space.num_choices()).map(|_| random.below(8) as f64 * 0.5).collect();
    (space, reward)
}

/// Bits of the bounds, and how they came about.
type Found = (Vec<[u64; 2]>, String);

/// With the device that made the sweeps, and the reason.
fn found(
    (space, reward): &(Space, Vec<f64>),
    optimum: Optimum,
    sweeps: Option<&Sweeps>,
) -> (Found, Option<(String, String)>) {
    let control = Control::unlimited();
    let context = Context::new(space, Options::default(), &control).with_sweeps(sweeps);
    let numbers = optimal_average(&context, reward, optimum).unwrap();
    assert_eq!(numbers.stop, StopReason::Converged);
    let bits = numbers.bounds.iter().map(|b| b.map(f64::to_bits)).collect();
    let facts = context.facts();
    let who = who(&facts).map(|(name, why)| (name.to_owned(), why.to_owned()));
    ((bits, numbers.method), who)
}

#[test]
fn same_bits_on_every_device() {
    let mut random = Random(83);
    let devices: Vec<Sweeps> = devices().map(|device| Sweeps::asked(device, still())).collect();
    for optimum in [Optimum::Min, Optimum::Max] {
        let case = random_component(&mut random);
        let (expected, nobody) = found(&case, optimum, None);
        assert_eq!(nobody, None);
        for sweeps in &devices {
            let (bits, who) = found(&case, optimum, Some(sweeps));
            assert_eq!(bits, expected, "{optimum:?} on {}", sweeps.name());
            assert_eq!(who, Some((sweeps.name().to_owned(), "requested".to_owned())));
            assert_eq!(sweeps.take_failures(), []);
        }
    }
}

#[test]
fn any_call_may_fail() {
    let case = random_component(&mut Random(84));
    let (expected, _) = found(&case, Optimum::Max, None);
    let threads = threads();
    let faults = Faults::none();
    found(
        &case,
        Optimum::Max,
        Some(&Sweeps::asked(Faulty::executor(threads.clone(), faults.clone()), still())),
    );
    assert!(faults.calls() > 40, "{}", faults.calls());
    for k in 0..faults.calls() {
        let faults = Faults::from(k);
        let sweeps = Sweeps::asked(Faulty::executor(threads.clone(), faults.clone()), still());
        let (bits, who) = found(&case, Optimum::Max, Some(&sweeps));
        assert_eq!(bits, expected, "call {k}");
        assert_eq!(sweeps.take_failures().len(), 1);
        assert_eq!(who, Some(("threads".to_owned(), format!("{} failed", sweeps.name()))));
        assert_eq!(faults.live(), 0, "regions are given back");
    }
}

/// A cycle that costs nothing, and ways around it that cost little or much.
#[test]
fn least_averages_are_zero_where_one_may_stay_for_nothing() {
    let rows: Rows =
        vec![vec![vec![(1, 1.0)]], vec![vec![(0, 1.0)], vec![(2, 1.0)]], vec![vec![(0, 0.5), (2, 0.5)]]];
    let space = space(Kind::Mdp, &rows);
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    let bounds = |reward: &[f64], optimum| optimal_average(&context, reward, optimum).unwrap().bounds;
    assert_eq!(bounds(&[0.0, 0.0, 3.0, 1e-9], Optimum::Min), [[0.0; 2]; 3]);
    assert!(bounds(&[0.0, 0.0, 3.0, 1e-9], Optimum::Max).iter().all(|b| b[0] > 0.5));
    // The cheapest cycle costs a little.
    assert!(bounds(&[0.0, 1e-3, 3.0, 0.0], Optimum::Min).iter().all(|b| 0.0 < b[0] && b[1] < 5.1e-4));
}
