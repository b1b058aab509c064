//! Shapes of evidence, and how much of a system is looked at.

use crate::support::{formula, generate, naive, system};
use volvelle_control::{Cancel, Control, Limits, Stop};
use volvelle_mcl::{Answer, Evidence, OnTheFly, Part, Shape, check, check_with_evidence};
use volvelle_random::Random;
use volvelle_space::{BitSet, Edge, Labels, Lts};

const CYCLE_AND_EXIT: &str = r#"des (0, 7, 6)
(0, "a", 1)
(1, "b", 2)
(2, "b", 1)
(2, "c", 3)
(0, "i", 4)
(4, "i", 5)
(5, "d", 3)"#;

fn answer(text: &str, lts: &Lts) -> Answer {
    check(&formula(text), lts, &Control::unlimited()).expect("no limits")
}

/// The labels of a trace or lasso.
fn labels<'l>(evidence: &Evidence, lts: &'l Lts) -> Vec<&'l str> {
    let mut state = evidence.initial;
    for t in &evidence.transitions {
        assert_eq!(t.source, state, "one behind the other");
        state = t.target;
        assert!(lts.outgoing(t.source).contains(&Edge { label: t.label, target: t.target }));
    }
    if let Shape::Lasso { circle } = evidence.shape {
        assert_eq!(evidence.transitions[circle].source, state, "it closes");
    }
    evidence.transitions.iter().map(|t| lts.labels.text(t.label)).collect()
}

#[track_caller]
fn shown(text: &str, holds: bool, shape: Shape, expected: &[&str]) {
    let lts = system(CYCLE_AND_EXIT);
    let answer = answer(text, &lts);
    let evidence = answer.evidence.expect("a small system");
    assert_eq!((answer.holds, evidence.shape), (holds, shape), "{evidence:?}");
    assert_eq!(labels(&evidence, &lts), expected);
}

#[test]
fn traces() {
    shown("DEADLOCK_FREE", false, Shape::Trace, &["a", "b", "c"]);
    shown("NEVER (\"d\")", false, Shape::Trace, &["i", "i", "d"]);
    shown("<true* . \"c\"> true", true, Shape::Trace, &["a", "b", "c"]);
    shown("<\"a\" . \"b\"{3}> true", true, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
    shown("RESPONSE (\"i\", \"c\")", false, Shape::Trace, &["i", "i", "d"]);
    shown("[\"b\"] false", true, Shape::Trace, &[]);
    shown("true", true, Shape::Trace, &[]);
}

#[test]
fn lassos() {
    shown("INEVITABLE (\"c\" or \"d\")", false, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
    shown("<\"a\"> @(\"b\")", true, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
    shown("<true*> nu X . <\"b\"> X", true, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
    shown("INFINITELY_OFTEN (\"c\")", false, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
    shown("@(\"b\" | \"a\" . \"b\"*)", true, Shape::Lasso { circle: 1 }, &["a", "b", "b"]);
}

#[test]
fn graphs_and_limits() {
    let lts = system(CYCLE_AND_EXIT);
    let holds = answer("[true*] (<true> true or not <\"a\"> true)", &lts);
    let evidence = holds.evidence.expect("a small system");
    assert_eq!((holds.holds, evidence.shape), (true, Shape::Graph));
    let formula = formula("[true*] (<true> true or not <\"a\"> true)");
    let few = check_with_evidence(&formula, &lts, 3, &Control::unlimited()).expect("no limits");
    assert_eq!((few.holds, few.evidence), (true, None));
}

#[test]
fn the_library() {
    let lts = system(CYCLE_AND_EXIT);
    for (text, expected) in [
        ("DEADLOCK_FREE", false),
        ("LIVELOCK_FREE", true),
        ("NEVER (\"e\")", true),
        ("POSSIBLE (\"d\")", true),
        ("ALWAYS_POSSIBLE (\"b\")", false),
        ("INEVITABLE (true)", true),
        ("INEVITABLE (\"b\" or \"d\")", true),
        ("FAIR_INEVITABLE (\"c\" or \"d\")", true),
        ("FAIR_INEVITABLE (\"c\")", false),
        ("RESPONSE (\"a\", \"b\")", true),
        ("RESPONSE (\"a\", \"c\")", false),
        ("FAIR_RESPONSE (\"a\", \"c\")", true),
        ("PRECEDENCE (\"a\", \"b\")", true),
        ("PRECEDENCE (\"a\", \"d\")", false),
        ("ABSENCE_BETWEEN (\"a\", \"c\", \"d\")", true),
        ("ABSENCE_BETWEEN (\"a\", \"c\", \"b\")", false),
        ("INFINITELY_OFTEN (\"b\")", true),
        ("INFINITELY_OFTEN (\"c\")", false),
    ] {
        assert_eq!(answer(text, &lts).holds, expected, "{text}");
        assert_eq!(naive::holds(&formula(text), &lts), expected, "{text}, by definition");
    }
}

/// Counts upwards for ever; `BAD` leads from 1000 to 1001.
fn counter() -> OnTheFly<impl FnMut(u32, &mut Labels, &mut Vec<Edge>) -> Result<(), Stop>> {
    OnTheFly::new(0, Labels::new(), |state, labels, edges| {
        let label = labels.number(if state == 1000 { "BAD" } else { "tick" });
        edges.push(Edge { label, target: state + 1 });
        Ok(())
    })
}

#[test]
fn no_more_is_explored_than_needed() {
    for (text, expected, most) in [
        ("[true* . \"BAD\"] false", false, 1001),
        ("<true* . \"BAD\"> true", true, 1001),
        ("[true] <true* . \"BAD\"> true", true, 1001),
        ("mu X . (<\"BAD\"> true or <true> X)", true, 1001),
        ("mu X . (<\"BAD\"> true or (<true> true and [true] <true> X))", true, 1001),
        ("nu X . ([\"BAD\"] false and ([true] false or <true> [true] X))", false, 1001),
        ("[true* . \"BAD\"] <\"tick\"> false", false, 1002),
        ("[true{5}] <\"tick\"> true", true, 6),
    ] {
        let mut system = counter();
        let answer = check(&formula(text), &mut system, &Control::unlimited()).expect("no limits");
        assert_eq!(answer.holds, expected, "{text}");
        assert!(system.num_expanded() <= most, "{text}: {}", system.num_expanded());
        assert!(answer.evidence.is_some());
    }
}

#[test]
fn exploration_on_the_fly_changes_nothing() {
    let mut random = Random(11);
    for _ in 0..1000 {
        let lts = generate::lts(&mut random, 8);
        let formula = formula(&generate::text(&mut random, 4));
        // Labels get other numbers, and states those in which they are found.
        let mut numbers = vec![u32::MAX; lts.num_states()];
        let mut states = vec![lts.initial];
        numbers[lts.initial as usize] = 0;
        let lazy = OnTheFly::new(0, Labels::new(), |state, labels: &mut Labels, edges: &mut Vec<Edge>| {
            for edge in lts.outgoing(states[state as usize]).to_vec() {
                let number = &mut numbers[edge.target as usize];
                if *number == u32::MAX {
                    *number = states.len() as u32;
                    states.push(edge.target);
                }
                edges.push(Edge { label: labels.number(lts.labels.text(edge.label)), target: *number });
            }
            Ok(())
        });
        let found = check(&formula, lazy, &Control::unlimited()).expect("no limits");
        let whole = check(&formula, &lts, &Control::unlimited()).expect("no limits");
        assert_eq!(found.holds, whole.holds, "{formula}");
    }
}

#[test]
fn what_a_part_decides_holds_for_the_whole() {
    let mut random = Random(12);
    let (mut decided, mut open) = (0, 0);
    for _ in 0..3000 {
        let lts = generate::lts(&mut random, 8);
        let formula = formula(&generate::text(&mut random, 4));
        let states = lts.num_states();
        let unexpanded = BitSet::of(states, (0..states).filter(|_| random.below(4) == 0));
        // The part has nothing of what it does not expand.
        let kept = lts.transitions().filter(|(from, ..)| !unexpanded.contains(*from as usize));
        let kept: Vec<_> = kept.collect();
        let part = Lts::from_transitions(states as u32, lts.initial, lts.labels.clone(), &kept);
        let found = check(&formula, Part { lts: &part, unexpanded: &unexpanded }, &Control::unlimited());
        match found {
            Ok(answer) => {
                assert_eq!(answer.holds, naive::holds(&formula, &lts), "{formula}");
                decided += 1;
            }
            Err(stop) => {
                assert_eq!(stop, Stop::States);
                open += 1;
            }
        }
    }
    assert!(decided > 300 && open > 300, "{decided} decided, {open} open");
}

#[test]
fn work_can_be_stopped() {
    let formula = formula("[true* . \"NEVER\"] false");
    let cancel = Cancel::new();
    cancel.cancel();
    let control = Control { cancel: &cancel, ..Control::unlimited() };
    assert_eq!(check(&formula, counter(), &control), Err(Stop::Cancelled));
    let limits = Limits { memory_bytes: Some(1 << 20), ..Limits::default() };
    assert_eq!(check(&formula, counter(), &Control { limits, ..Control::unlimited() }), Err(Stop::Memory));
}
