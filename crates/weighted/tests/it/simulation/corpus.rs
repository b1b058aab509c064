//! Published examples (Figures 1 and 3 and the introduction of the paper), with verdicts that were derived by hand.

use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure, integer_weights};
use volvelle_weighted::{Preorder, Window, simulation};

struct Named {
    structure: WeightedStructure,
    numbers: HashMap<String, u32>,
}

fn read(name: &str) -> Named {
    let all: serde_json::Value =
        serde_json::from_str(include_str!("../../corpus/wks.json")).expect("it is JSON");
    let one = &all[name];
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let states: Vec<String> = list(&one["states"]).iter().map(text).collect();
    let numbers: HashMap<String, u32> = states.iter().cloned().zip(0..).collect();
    let steps: Vec<[String; 3]> =
        list(&one["trans"]).iter().map(|step| [text(&step[0]), text(&step[1]), text(&step[2])]).collect();
    let weights: Vec<RBig> = steps.iter().map(|step| step[1].parse().expect("a fraction")).collect();
    let (unit, weights) = integer_weights(&weights).expect("small weights");
    let mut propositions: Vec<String> = Vec::new();
    let mut builder = WeightedBuilder::new();
    for state in &states {
        let mut own = Vec::new();
        for label in list(&one["labels"][state]).iter().map(text) {
            let known = propositions.iter().position(|known| *known == label);
            own.push((known.unwrap_or(propositions.len()) as u32, 1));
            if known.is_none() {
                propositions.push(label);
            }
        }
        let outgoing = steps.iter().zip(&weights).filter(|(step, _)| step[0] == *state);
        let outgoing = outgoing.map(|(step, &weight)| WeightedStep { weight, target: numbers[&step[2]] });
        builder.state(own, outgoing.collect::<Vec<_>>());
    }
    Named { structure: builder.finish(0, unit, propositions), numbers }
}

impl Named {
    fn relation(&self, window: &Window) -> Preorder {
        simulation(&self.structure, window, &Control::unlimited()).expect("no limits")
    }

    fn check(&self, window: &Window, verdicts: &[(&str, &str, bool)]) {
        let relation = self.relation(window);
        for &(s, t, related) in verdicts {
            assert_eq!(relation.contains(self.numbers[s], self.numbers[t]), related, "{window:?}: {s}, {t}");
        }
    }
}

#[test]
fn figure_1() {
    for name in ["fig1cde", "fig1cde_loop0", "fig1cde_nodirect"] {
        let figure = read(name);
        let at_most = [("s3", "s5", true), ("s3", "s4", true), ("s4", "s5", true)];
        let not_at_most = [("s4", "s3", false), ("s5", "s3", false), ("s5", "s4", false)];
        figure.check(&Window::AtMost, &at_most);
        figure.check(&Window::AtMost, &not_at_most);
        let direct = name != "fig1cde_nodirect";
        let at_least = [("s3", "s5", true), ("s3", "s4", direct), ("s5", "s3", false), ("s4", "s3", false)];
        figure.check(&Window::AtLeast, &at_least);
    }
}

#[test]
fn figure_3() {
    read("fig3").check(&Window::AtLeast, &[("s", "t", false), ("s1", "t2", true)]);
}

#[test]
fn introduction() {
    read("intro").check(&Window::AtMost, &[("s", "t", true)]);
}

/// The relation at the distance and just below it.
#[test]
fn distances() {
    let both = Window::Around as fn(RBig) -> Window;
    let upper = Window::AtMostWidened as fn(RBig) -> Window;
    let cases = [
        ("fig1cde", both, "s4", "s3", "1"),
        ("fig1cde", both, "s3", "s5", "1/2"),
        ("fig1cde", both, "s5", "s3", "1"),
        ("fig1cde", both, "s4", "s5", "1"),
        ("fig1cde", both, "s5", "s4", "1"),
        ("fig1cde", upper, "s4", "s3", "1"),
        ("fig1cde", upper, "s5", "s3", "1"),
        ("fig1cde", upper, "s5", "s4", "1"),
        ("fig1cde_nodirect", both, "s3", "s4", "1/2"),
        ("intro", upper, "t", "s", "3/2"),
        ("intro", both, "s", "t", "3/5"),
        ("intro", both, "t", "s", "3/2"),
    ];
    for (name, kind, s, t, distance) in cases {
        let structure = read(name);
        let distance: RBig = distance.parse().expect("a fraction");
        let below = &distance - RBig::ONE / RBig::from(1000u32);
        structure.check(&kind(distance), &[(s, t, true)]);
        structure.check(&kind(below), &[(s, t, false)]);
    }
    let figure = read("fig1cde");
    figure.check(&both(RBig::ZERO), &[("s3", "s4", true)]);
    figure.check(&upper(RBig::ZERO), &[("s3", "s4", true), ("s3", "s5", true), ("s4", "s5", true)]);
}

#[test]
fn perturbation() {
    let mut builder = WeightedBuilder::new();
    builder.state([(0, 1)], [WeightedStep { weight: 51, target: 2 }]);
    builder.state([(0, 1)], [WeightedStep { weight: 50, target: 2 }]);
    builder.state([], []);
    let structure = builder.finish(0, "1/10".parse().expect("a fraction"), vec!["p".to_owned()]);
    let named = Named { structure, numbers: [("s".to_owned(), 0), ("t".to_owned(), 1)].into() };
    let around = |e: &str| Window::Around(e.parse().expect("a fraction"));
    named.check(&around("1/51"), &[("s", "t", true), ("t", "s", false)]);
    named.check(&around("1/52"), &[("s", "t", false)]);
    named.check(&around("1/50"), &[("t", "s", true)]);
}
