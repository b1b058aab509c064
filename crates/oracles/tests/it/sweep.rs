//! One space for the points of a sweep, on generated models and on some that are written for it.

use std::sync::Arc;
use volvelle_diagnostics::Sources;
use volvelle_model::Program;
use volvelle_oracles::sweep::{Tally, compare};
use volvelle_oracles::tiers::Bounds;
use volvelle_prism::testing::{Choices, random_model};
use volvelle_prism::{lower, parse};

const BOUNDS: Bounds = Bounds { states: 400, deadline: None };

/// The programs of a text under several constants, without those that are wrong.
fn programs(text: &str, points: &[&[(&str, &str)]]) -> Vec<Program> {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, diagnostics) = parse::model(&sources, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    let model = Arc::new(model);
    let lowered = points.iter().filter_map(|point| {
        let constants = point.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        lower::lower(&sources, model.clone(), &constants).0
    });
    lowered.map(|lowered| lowered.program().clone()).collect()
}

fn tally(text: &str, points: &[&[(&str, &str)]]) -> Tally {
    match compare(&programs(text, points), BOUNDS) {
        Ok(tally) => tally,
        Err(difference) => panic!("{difference}\n{text}"),
    }
}

/// The constants `p` and `N` of a generated model are opened. Both occur in guards, updates and ranges as
/// well as in weights, so that many points differ in their structure; and some weights become zero.
#[test]
fn generated_models() {
    let mut sum = Tally::default();
    for seed in 0..150 {
        let mut text = String::new();
        for line in random_model(&mut Choices::from_seed(seed)).lines() {
            text += match line {
                _ if line.starts_with("const double p =") => "const double p;",
                _ if line.starts_with("const int N =") => "const int N;",
                _ => line,
            };
            text += "\n";
        }
        if seed % 3 != 2 {
            // Rates that are zero in some states.
            text = text.replace("0.5 + max(0,", "max(0, 4*p - 1 - ");
        }
        let points: [&[(&str, &str)]; 9] = [
            &[("p", "0.5"), ("N", "2")],
            &[("p", "0.25"), ("N", "2")],
            &[("p", "0.25"), ("N", "3")],
            &[("p", "0.3"), ("N", "3")],
            &[("p", "1"), ("N", "3")],
            &[("p", "0.1"), ("N", "3")],
            &[("p", "0.7"), ("N", "1")],
            &[("p", "0"), ("N", "1")],
            &[("p", "0.625"), ("N", "1")],
        ];
        let found = tally(&text, &points);
        sum.reused += found.reused;
        sum.reevaluated += found.reevaluated;
        sum.differed += found.differed;
        sum.zero += found.zero;
        sum.failed += found.failed;
    }
    assert!(sum.reused > 300 && sum.reevaluated > 60, "{sum:?}");
    assert!(sum.differed > 300 && sum.zero > 4, "{sum:?}");
}

/// Rates, rewards and a label depend on the constants; all points share the space of the first.
#[test]
fn rates_and_rewards() {
    let text = r#"
        ctmc
        const double up;
        const double down;
        const double price;
        const int few;
        module queue
          n : [0..6];
          broken : bool;
          [] n<6 & !broken -> up : (n'=n+1);
          [] n>0 -> down*n : (n'=n-1) + 0.5*up : (broken'=true);
          [mend] broken -> down+few : (broken'=false) & (n'=max(n-2, 0));
        endmodule
        module mender
          [mend] true -> 2 : true;
        endmodule
        label "few" = n<=few;
        rewards n=6 : up*price; [mend] true : price + n; endrewards
        rewards "time" broken : 1; [] n>1 : few/2; endrewards
    "#;
    let point = |up, down, price, few| [("up", up), ("down", down), ("price", price), ("few", few)];
    let points = [
        point("0.5", "0.5", "1", "1"),
        point("0.5", "0.5", "2", "1"),
        // Numbers that were the same turn out to be different constants.
        point("0.5", "0.75", "2", "2"),
        point("0.9", "0.1", "0.1", "2"),
        point("0.3", "0.3", "0.3", "2"),
        point("1", "2", "3", "4"),
        point("0.5", "0.5", "1", "1"),
    ];
    let points: Vec<&[(&str, &str)]> = points.iter().map(|point| &point[..]).collect();
    assert_eq!(tally(text, &points), Tally { reused: 6, reevaluated: 6 - 1, ..Tally::default() });
}

/// Probabilities of commands that are chosen by chance or nondeterministically; with merged targets, and rewards of both kinds.
#[test]
fn probabilities() {
    for kind in ["dtmc", "mdp"] {
        let text = format!(
            "{kind}
            const double p;
            const double q;
            module m
              x : [-2..3];
              [] x<3 -> p : (x'=x+1) + 1-p : (x'=-2);
              [] x<2 -> p*q : (x'=3) + p*(1-q) : (x'=-2) + 1-p : (x'=max(x-1,-2));
              [a] x=0 -> (x>0 ? p : q) : (x'=1) + (x>0 ? 1-p : 1-q) : (x'=3);
            endmodule
            rewards [a] x>-1 : p; [] true : 1; x=3 : q; endrewards
            "
        );
        let points: [&[(&str, &str)]; 6] = [
            &[("p", "0.25"), ("q", "0.5")],
            &[("p", "0.5"), ("q", "0.25")],
            &[("p", "0.1"), ("q", "0.9")],
            // Commands lose an update.
            &[("p", "0.1"), ("q", "1")],
            &[("p", "0.2"), ("q", "1")],
            &[("p", "0.2"), ("q", "0.3")],
        ];
        let expected = Tally { reused: 3, reevaluated: 3, differed: 2, ..Tally::default() };
        assert_eq!(tally(&text, &points), expected, "{kind}");
    }
}

/// A rate that is zero in other states than before, alone and in synchronisations that are multiplied out by loops; an
/// update would leave its range where its rate is zero. And a rate that becomes negative.
#[test]
fn rates_that_turn_zero() {
    let alone = "ctmc
        const double least;
        module m
          x : [0..4];
          [] true -> max(0, 4.5-x-least) : (x'=x+1);
          [] x>0 -> 0.5+least : (x'=x-1);
        endmodule";
    let modules = |i: u32| {
        format!(
            "module m{i}
              x{i} : [0..2];
              [a] x{i}<2 -> max(0, x{i}+1-least) : (x{i}'=x{i}+1);
              [a] x{i}>0 -> 2-x{i} : (x{i}'=x{i}-1) + least : (x{i}'=0);
            endmodule\n"
        )
    };
    let together = "ctmc\nconst double least;\n".to_owned() + &(0..4).map(modules).collect::<String>();
    for (text, zero) in [(alone, ["3.5", "0.6", "1.25"]), (&together, ["1", "1.5", "0.5"])] {
        let points: [&[(&str, &str)]; 5] = [
            &[("least", "0.5")],
            &[("least", "0.75")],
            &[("least", zero[0])],
            &[("least", zero[1])],
            &[("least", zero[2])],
        ];
        let found = tally(text, &points);
        assert!(found.reused >= 1 && found.zero >= 2 && found.reused + found.zero == 4, "{found:?}\n{text}");
    }
    let text = "ctmc\nconst double r;\nmodule m\n x : [0..4];\n [] x<4 -> r-x : (x'=x+1);\nendmodule";
    let points: [&[(&str, &str)]; 4] = [&[("r", "5")], &[("r", "4.5")], &[("r", "2.5")], &[("r", "6")]];
    let expected = Tally { reused: 1, reevaluated: 1, failed: 1, ..Tally::default() };
    assert_eq!(tally(text, &points), expected);
}

/// Fields that grow, several initial states by a predicate, states without successors.
#[test]
fn whatever_else_a_model_has() {
    let text = "mdp
        const double p;
        module m
          n : int;
          b : bool;
          [] n<200 & !b -> p : (n'=n+3) + 1-p : (b'=true);
          [] n<200 & n>100 -> (n'=n-2);
        endmodule
        rewards b : n*p; endrewards
        label \"far\" = n*p > 20;
        ";
    let points: [&[(&str, &str)]; 3] = [&[("p", "0.5")], &[("p", "0.25")], &[("p", "0.75")]];
    assert_eq!(tally(text, &points), Tally { reused: 2, reevaluated: 2, ..Tally::default() });
    let text = "dtmc
        const double p;
        module m
          x : [0..9];
          y : [0..9];
          [] x<y -> p : (x'=x+1) + 1-p : (y'=y-1);
          [] x>y -> (x'=y);
        endmodule
        init x+y>=12 endinit";
    assert_eq!(tally(text, &points), Tally { reused: 2, reevaluated: 2, ..Tally::default() });
    let elsewhere = text.replace("x+y>=12", "x+y>=12+3*p");
    assert_eq!(tally(&elsewhere, &points), Tally { differed: 2, ..Tally::default() });
}
