//! Random models: the lowered program does what the syntax tree says, state by state and choice by choice.

use crate::support::behaviour::{Behaviour, assert_same};
use crate::support::program::{self, View};
use crate::support::reference::{self, Reference};
use crate::support::{lowered, rendered};
use std::collections::HashMap;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_prism::lower::Constants;
use volvelle_prism::parse;
use volvelle_prism::testing::{Choices, random_model};

const LIMIT: usize = 400;

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    states: usize,
    synchronised: usize,
    failed: usize,
    limited: usize,
}

#[test]
fn programs_do_what_the_text_says() {
    let mut tally = Tally::default();
    for seed in 0..2000 {
        compare(&random_model(&mut Choices::from_seed(seed)), &format!("seed {seed}"), &mut tally);
    }
    assert!(tally.compared > 1500 && tally.states > 10_000, "{tally:?}");
    assert!(tally.synchronised > 200 && tally.failed > 50, "{tally:?}");
}

/// Whatever bytes a fuzzer gives, the text is a model.
#[test]
fn bytes_make_models_too() {
    let mut tally = Tally::default();
    for seed in 0..300u32 {
        let bytes: Vec<u8> =
            (0..seed).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed * 97) >> 13) as u8).collect();
        compare(&random_model(&mut Choices::from_bytes(&bytes)), &format!("bytes {seed}"), &mut tally);
    }
    assert!(tally.compared > 100, "{tally:?}");
}

fn compare(text: &str, name: &str, tally: &mut Tally) {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, diagnostics) = parse::model(&sources, file);
    assert!(diagnostics.is_empty(), "{name}\n{}\n{text}", rendered(&diagnostics, &sources));
    let (_, lowered) = lowered(text, &Constants::new());
    let program = lowered.program();
    tally.synchronised += program.groups.iter().filter(|group| group.participants.len() > 1).count().min(1);

    let reference = Reference::new(&model, HashMap::new());
    let expected = reference.explore(LIMIT);
    let found = program::explore(program, LIMIT);
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_same(&expected, &found, &format!("{name}\n{text}"));
            compare_observations(&reference, program, &expected, &format!("{name}\n{text}"));
            tally.compared += 1;
            tally.states += expected.len();
        }
        (Err(reference::Stop::Failed(_)), Err(program::Stop::Failed(failure))) => {
            let diagnostic = lowered.explain_failure(&sources, failure.site, &failure.state);
            assert!(diagnostic.primary.is_some() && diagnostic.severity == Severity::Error);
            assert!(rendered(&[diagnostic], &sources).contains("in state"), "{name}\n{text}");
            tally.failed += 1;
        }
        (Err(reference::Stop::Limit), _) | (_, Err(program::Stop::Limit)) => tally.limited += 1,
        (expected, found) => {
            let (expected, found) = (expected.map(|b| b.len()), found.map(|b| b.len()));
            panic!("{name}: expected {expected:?}, found {found:?}\n{text}");
        }
    }
}

fn compare_observations(
    reference: &Reference<'_>,
    program: &volvelle_model::Program,
    states: &Behaviour,
    name: &str,
) {
    for state in states.keys() {
        let view = View::new(program, state);
        for label in &program.labels {
            let expected =
                reference.label(label.name.as_deref().expect("a name"), state).expect("no failure");
            assert_eq!(view.bool(label.expr), Ok(expected), "{name}: {:?} in {state:?}", label.name);
        }
        for (i, rewards) in program.rewards.iter().enumerate() {
            let expected = reference.state_reward(i, state).expect("no failure");
            let mut found = 0.0;
            for item in &rewards.states {
                if view.bool(item.guard).expect("no failure") {
                    found += view.f64(item.value).expect("no failure");
                }
            }
            // Constants are computed without rounding, and the reference computes with doubles.
            let close = expected == found || (expected - found).abs() <= 1e-12 * expected.abs();
            assert!(close, "{name}: reward {expected} or {found} in {state:?}");
        }
    }
}
