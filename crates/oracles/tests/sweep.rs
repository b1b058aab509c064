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
    let (model, complaints) = parse::model(&sources, file);
    assert!(complaints.is_empty(), "{complaints:?}\n{text}");
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
    for seed in 0..700 {
        let mut text = String::new();
        for line in random_model(&mut Choices::from_seed(seed)).lines() {
            text += match line {
                _ if line.starts_with("const double p =") => "const double p;",
                _ if line.starts_with("const int N =") => "const int N;",
                _ => line,
            };
            text += "\n";
        }
        if seed % 3 == 0 {
            // Rates that are zero in some states.
            text = text.replace("0.5 + max(0,", "max(0, -p + ");
        }
        let points: [&[(&str, &str)]; 9] = [
            &[("p", "0.5"), ("N", "2")],
            &[("p", "0.25"), ("N", "2")],
            &[("p", "0.25"), ("N", "3")],
            &[("p", "1/3"), ("N", "3")],
            &[("p", "1"), ("N", "3")],
            &[("p", "0.1"), ("N", "3")],
            &[("p", "0.7"), ("N", "1")],
            &[("p", "0"), ("N", "1")],
            &[("p", "0.625"), ("N", "1")],
        ];
        let found = tally(&text, &points);
        sum.reused += found.reused;
        sum.reweighed += found.reweighed;
        sum.differed += found.differed;
        sum.zero += found.zero;
        sum.failed += found.failed;
    }
    assert!(sum.reused > 1500 && sum.reweighed > 200, "{sum:?}");
    assert!(sum.differed > 500 && sum.zero > 20, "{sum:?}");
}
