//! Published examples (Figures 1 and 3 and the introduction of the paper), with verdicts that were derived by hand.

use crate::published::{Published, published};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::{Preorder, Window, simulation};

fn check(named: &Published, window: &Window, verdicts: &[(&str, &str, bool)]) {
    let relation = relation(&named.structure, window);
    for &(s, t, related) in verdicts {
        assert_eq!(relation.contains(named.number(s), named.number(t)), related, "{window:?}: {s}, {t}");
    }
}

fn relation(structure: &WeightedStructure, window: &Window) -> Preorder {
    simulation(structure, window, Options::default(), &Control::unlimited()).expect("no limits")
}

#[test]
fn figure_1() {
    for name in ["fig1cde", "fig1cde_loop0", "fig1cde_nodirect"] {
        let figure = published(name);
        let at_most = [("s3", "s5", true), ("s3", "s4", true), ("s4", "s5", true)];
        let not_at_most = [("s4", "s3", false), ("s5", "s3", false), ("s5", "s4", false)];
        check(&figure, &Window::AtMost, &at_most);
        check(&figure, &Window::AtMost, &not_at_most);
        let direct = name != "fig1cde_nodirect";
        let at_least = [("s3", "s5", true), ("s3", "s4", direct), ("s5", "s3", false), ("s4", "s3", false)];
        check(&figure, &Window::AtLeast, &at_least);
    }
}

#[test]
fn figure_3() {
    check(&published("fig3"), &Window::AtLeast, &[("s", "t", false), ("s1", "t2", true)]);
}

#[test]
fn introduction() {
    check(&published("intro"), &Window::AtMost, &[("s", "t", true)]);
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
        let structure = published(name);
        let distance: RBig = distance.parse().expect("a fraction");
        let below = &distance - RBig::ONE / RBig::from(1000u32);
        check(&structure, &kind(distance), &[(s, t, true)]);
        check(&structure, &kind(below), &[(s, t, false)]);
    }
    let figure = published("fig1cde");
    check(&figure, &both(RBig::ZERO), &[("s3", "s4", true)]);
    check(&figure, &upper(RBig::ZERO), &[("s3", "s4", true), ("s3", "s5", true), ("s4", "s5", true)]);
}

#[test]
fn perturbation() {
    let mut builder = WeightedBuilder::new();
    builder.state([(0, 1)], [WeightedStep { weight: 51, target: 2 }]);
    builder.state([(0, 1)], [WeightedStep { weight: 50, target: 2 }]);
    builder.state([], []);
    let structure = builder.finish(0, "1/10".parse().expect("a fraction"), vec!["p".to_owned()]);
    let check = |window: &Window, verdicts: &[(u32, u32, bool)]| {
        let relation = relation(&structure, window);
        for &(s, t, related) in verdicts {
            assert_eq!(relation.contains(s, t), related, "{window:?}: {s}, {t}");
        }
    };
    let (s, t) = (0, 1);
    let around = |e: &str| Window::Around(e.parse().expect("a fraction"));
    check(&around("1/51"), &[(s, t, true), (t, s, false)]);
    check(&around("1/52"), &[(s, t, false)]);
    check(&around("1/50"), &[(t, s, true)]);
}
