//! Published values, and those of the test set of weighted structures.

use super::{finite, structure};
use crate::published::published;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::distance::{Distance, Kind, all_pairs, distance};

fn check(structure: &WeightedStructure, s: u32, t: u32, kind: Kind, expected: &str) {
    let found = distance(structure, s, t, kind, &Control::unlimited()).expect("no limits");
    assert_eq!(found, finite(expected), "{s} {t} {kind:?}");
    let matrix = all_pairs(structure, kind, &Control::unlimited()).expect("no limits");
    assert_eq!(matrix.distance(s, t), finite(expected), "{s} {t} {kind:?}");
}

fn check_named(name: &str, expected: &[(&str, &str, Kind, &str)]) {
    let named = published(name);
    for &(s, t, kind, value) in expected {
        check(&named.structure, named.number(s), named.number(t), kind, value);
    }
}

use Kind::{Ebd, Wbd};

#[test]
fn figure_1() {
    check_named("fig1ab", &[("s1", "s2", Wbd, "0"), ("s2", "s1", Wbd, "0"), ("s1", "s2_2", Wbd, "0")]);
    let pairs = [("s3", "s4"), ("s4", "s3"), ("s3", "s5"), ("s5", "s3"), ("s4", "s5"), ("s5", "s4")];
    for name in ["fig1cde", "fig1cde_loop0"] {
        for (&(s, t), (wbd, ebd)) in
            pairs.iter().zip([("0", "0"), ("1", "1"), ("1/2", "0"), ("1", "1"), ("1", "0"), ("1", "1")])
        {
            check_named(name, &[(s, t, Wbd, wbd), (s, t, Ebd, ebd)]);
        }
    }
    check_named(
        "fig1cde_nodirect",
        &[("s3", "s4", Wbd, "1/2"), ("s4", "s3", Wbd, "1"), ("s4", "s5", Ebd, "0")],
    );
}

#[test]
fn introduction() {
    let expected =
        [("s", "t", Ebd, "0"), ("t", "s", Ebd, "3/2"), ("s", "t", Wbd, "3/5"), ("t", "s", Wbd, "3/2")];
    check_named("intro", &expected);
}

#[test]
fn perturbation() {
    let structure = structure(&["p", "", "p", ""], &[(0, "51/10", 1), (2, "5", 3)]);
    check(&structure, 0, 2, Wbd, "1/51");
    check(&structure, 2, 0, Wbd, "1/50");
    check(&structure, 0, 2, Ebd, "0");
    check(&structure, 2, 0, Ebd, "1/50");
    let infinite = distance(&structure, 0, 1, Ebd, &Control::unlimited()).expect("no limits");
    assert_eq!(infinite, Distance::Infinite);
}

/// Sums do not bound the distance.
#[test]
fn triangle() {
    let steps = [(0, "1", 3), (1, "1", 0), (1, "5", 4), (2, "2", 4), (3, "3", 1), (4, "1", 3)];
    let structure = structure(&["p", "p", "p", "p", "q"], &steps);
    check(&structure, 2, 1, Wbd, "3/2");
    check(&structure, 1, 0, Wbd, "1");
    check(&structure, 2, 0, Wbd, "7/2");
}

/// States with loops of the same weights; one of them has a step of weight `cost` besides. Its nearest answer is the sum of loops that is
/// nearest to the cost.
#[test]
fn knapsack() {
    let weights = [1_000_003u64, 1_000_033, 1_000_037];
    let with = |weights: &[u64], cost: u64| {
        let mut builder = WeightedBuilder::new();
        for state in 0..3u32 {
            let loops = weights.iter().map(|&weight| WeightedStep { weight, target: state });
            let extra = (state == 1).then_some(WeightedStep { weight: cost, target: 2 });
            builder.state([], loops.chain(extra));
        }
        builder.finish(0, RBig::ONE, Vec::new())
    };
    check(&with(&[3, 5], 7), 1, 0, Wbd, "1/7");
    check(&with(&[3, 5], 8), 1, 0, Wbd, "0");
    check(&with(&[6, 9, 20], 43), 1, 0, Wbd, "1/43");
    check(&with(&[4, 6], 7), 1, 0, Wbd, "1/7");
    check(&with(&weights, 1_500_003), 1, 0, Wbd, "499966/1500003");
    // So many sums that they are not listed one by one.
    check(&with(&weights, 80 * 1_000_003 + 1), 1, 0, Wbd, "1/80000241");
}
