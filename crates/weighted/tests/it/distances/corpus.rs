//! Published values, and those of the test set of weighted structures.

use super::{finite, structure};
use dashu_ratio::RBig;
use serde_json::Value;
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure, integer_weights};
use volvelle_weighted::distance::{Distance, Kind, all_pairs, distance};

/// A structure of the set, with the names of its states.
fn named(name: &str) -> (WeightedStructure, Vec<String>) {
    let all: Value = serde_json::from_str(include_str!("../../corpus/wks.json")).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let given = &all[name];
    let states: Vec<String> = list(&given["states"]).iter().map(text).collect();
    let number = |value: &Value| states.iter().position(|s| *s == text(value)).expect("a state") as u32;
    let steps = list(&given["trans"]);
    let weights: Vec<RBig> = steps.iter().map(|step| super::ratio(&text(&step[1]))).collect();
    let (unit, weights) = integer_weights(&weights).expect("small weights");
    let propositions = ["p", "q", "r"].map(str::to_owned).to_vec();
    let mut builder = WeightedBuilder::new();
    for (state, name) in states.iter().enumerate() {
        let labels = list(&given["labels"][name]);
        let labels = labels.iter().map(|label| {
            let known = propositions.iter().position(|known| *known == text(label));
            (known.expect("p, q or r") as u32, 1)
        });
        let outgoing = steps.iter().zip(&weights).filter(|(step, _)| number(&step[0]) == state as u32);
        builder
            .state(labels, outgoing.map(|(step, &weight)| WeightedStep { weight, target: number(&step[2]) }));
    }
    (builder.finish(0, unit, propositions), states)
}

fn check(structure: &WeightedStructure, s: u32, t: u32, kind: Kind, expected: &str) {
    let found = distance(structure, s, t, kind, &Control::unlimited()).expect("no limits");
    assert_eq!(found, finite(expected), "{s} {t} {kind:?}");
    let matrix = all_pairs(structure, kind, &Control::unlimited()).expect("no limits");
    assert_eq!(matrix.distance(s, t), finite(expected), "{s} {t} {kind:?}");
}

fn check_named(name: &str, expected: &[(&str, &str, Kind, &str)]) {
    let (structure, names) = named(name);
    let number = |state: &str| names.iter().position(|known| known == state).expect("a state") as u32;
    for &(s, t, kind, value) in expected {
        check(&structure, number(s), number(t), kind, value);
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
