//! Iterated distributions against elimination.

use std::collections::BTreeMap;

use volvelle_control::Control;
use volvelle_reference::*;
use volvelle_space::{Kind, Space};

use super::iterated::stationary_iterated;
use super::sparse::{Shares, stationary_widely};
use super::stationary::stationary;

/// The least sum of the widths of bounds, `None` where there are none; they meet those of elimination.
fn compared(space: &Space, what: &str) -> Option<f64> {
    let members: Vec<u32> = (0..space.num_states() as u32).collect();
    let control = Control::unlimited();
    let exact = match stationary(space, &members, &members, &control).unwrap() {
        Some(shares) => shares,
        None => match stationary_widely(space, &members, &members, &control).unwrap() {
            Shares::Bounds(shares) => shares,
            Shares::TooMuchWork => panic!("{what}"),
        },
    };
    let found = stationary_iterated(space, &members, &members, &control).unwrap()?;
    for (s, (a, b)) in exact.iter().zip(&found.bounds).enumerate() {
        assert!(a[0] <= b[1] && b[0] <= a[1], "{what}, state {s}: {a:?} {b:?}");
    }
    Some(found.bounds.iter().map(|[lo, hi]| hi - lo).sum())
}

/// A grid with steps in three directions, so that flows go round in circles.
fn tandem(room: usize, rates: [f64; 3]) -> Space {
    let base = room + 1;
    let row = |s: usize| {
        let (x, y) = (s % base, s / base);
        let mut row = Vec::new();
        if x < room {
            row.push((s + 1, rates[0]));
        }
        if x > 0 && y < room {
            row.push((s - 1 + base, rates[1]));
        }
        if y > 0 {
            row.push((s - base, rates[2]));
        }
        vec![row]
    };
    space(Kind::Ctmc, &(0..base * base).map(row).collect())
}

#[test]
fn random_chains() {
    let mut random = Random(21);
    for round in 0..60 {
        let n = if round < 50 { 2 + random.below(60) } else { 400 + random.below(800) };
        // Of magnitudes far apart in every other chain.
        let rate = |random: &mut Random| {
            let size = if round % 2 == 0 { 0 } else { random.below(13) as i32 - 6 };
            (1.0 + random.below(9) as f64) * 10f64.powi(size)
        };
        let rows = (0..n).map(|s| {
            let mut row = BTreeMap::from([((s + 1) % n, rate(&mut random))]);
            for _ in 0..random.below(4) {
                row.insert(random.below(n), rate(&mut random));
            }
            vec![row.into_iter().collect()]
        });
        let space = space(Kind::Ctmc, &rows.collect());
        let width = compared(&space, &format!("round {round}"));
        assert!(round % 2 == 1 || width.is_some_and(|width| width < 1e-8), "round {round}: {width:?}");
    }
}

#[test]
fn grids() {
    for rates in [[1.0, 1.0, 1.0], [0.9, 1.0, 1.1], [2.0, 1.0, 1.5], [1.0, 1000.0, 3.0]] {
        let width = compared(&tandem(40, rates), &format!("{rates:?}"));
        assert!(width.is_some_and(|width| width < 1e-7), "{rates:?}: {width:?}");
    }
}

/// Groups of states that are rarely left.
#[test]
fn nearly_decomposable() {
    let (groups, size) = (8, 60);
    let n = groups * size;
    for rare in [1e-3, 1e-7] {
        let row = |s: usize| {
            let (group, place) = (s / size, s % size);
            let mut row = BTreeMap::from([(group * size + (place + 1) % size, 1.0 + (place % 3) as f64)]);
            row.insert(group * size + (place * 7 + 1) % size, 2.0);
            if place == 0 {
                row.insert((s + size) % n, rare * (1 + group) as f64);
            }
            vec![row.into_iter().filter(|&(t, _)| t != s).collect()]
        };
        let width = compared(&space(Kind::Ctmc, &(0..n).map(row).collect()), &format!("{rare}"));
        assert!(width.is_some_and(|width| width < 1e-4), "{rare}: {width:?}");
    }
}

/// Steps round a circle: a chain in discrete time whose distributions at a time do not converge.
#[test]
fn periodic() {
    let n = 600;
    let row = |s: usize| vec![vec![((s + 1) % n, 0.75), ((s + 7) % n, 0.25)]].remove(0);
    let space = space(Kind::Dtmc, &(0..n).map(|s| vec![row(s)]).collect());
    assert!(compared(&space, "circle").is_some_and(|width| width < 1e-9));
}

/// Weights that are not those of the chain, with bounds of their errors that must say so.
#[test]
fn errors_are_seen() {
    let space = tandem(25, [0.9, 1.0, 1.1]);
    let component = super::flows::Component::new(&space, 0);
    let even = vec![1.0; component.len()];
    let imbalance = component.imbalance(&even);
    assert!(imbalance.iter().any(|&r| r > 0.05));
    let mut errors = vec![1.0; component.len()];
    errors[0] = 0.0;
    assert_eq!(component.factor_to_exceed(&errors, &imbalance), f64::INFINITY);
}

/// A queue that is hardly ever long: most states of the longer one are so improbable that their probabilities are no doubles. Bounds
/// hold where there are any.
#[test]
fn improbable_states() {
    for (n, arrive, serve) in [(60, 1.0, 2.0), (60, 9.0, 10.0), (3000, 9.0, 10.0), (3000, 1.0, 40.0)] {
        let row = |s: usize| {
            let up = (s + 1 < n).then_some((s + 1, arrive));
            vec![up.into_iter().chain((s > 0).then(|| (s - 1, serve))).collect()]
        };
        let space = space(Kind::Ctmc, &(0..n).map(row).collect());
        let members: Vec<u32> = (0..n as u32).collect();
        let found = stationary_iterated(&space, &members, &members, &Control::unlimited()).unwrap();
        assert!(n > 60 || found.is_some(), "{arrive}/{serve}");
        let Some(found) = found else { continue };
        let load: f64 = arrive / serve;
        let none = (1.0 - load) / (1.0 - load.powi(n as i32));
        for (k, [lo, hi]) in found.bounds.iter().enumerate() {
            let truth = none * load.powi(k as i32);
            assert!(
                *lo <= truth * (1.0 + 1e-11) && truth * (1.0 - 1e-11) <= *hi,
                "{k}: {lo:e} {hi:e} {truth:e}"
            );
        }
        let width: f64 = found.bounds.iter().map(|[lo, hi]| hi - lo).sum();
        assert!(n > 60 || width < 1e-7, "{arrive}/{serve}: {width:e}");
    }
}
