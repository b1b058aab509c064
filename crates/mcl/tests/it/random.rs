//! Random formulas on random systems: the searches against the definition.

use crate::support::{self, formula, generate, naive};
use volvelle_control::Control;
use volvelle_mcl::check;
use volvelle_random::{Random, attack_cases};
use volvelle_space::{Edge, Lts};

/// Compares the verdict with the definition, on the system and on the evidence for it.
fn compare(text: &str, lts: &Lts) -> bool {
    let formula = formula(text);
    let expected = naive::holds(&formula, lts);
    let answer = check(&formula, lts, &Control::unlimited()).expect("no limits");
    let case = || format!("{text}\nfrom {}: {:?}", lts.initial, lts.transitions().collect::<Vec<_>>());
    assert_eq!(answer.holds, expected, "{}", case());
    let evidence = answer.evidence.expect("small systems");
    for t in &evidence.transitions {
        assert!(lts.outgoing(t.source).contains(&Edge { label: t.label, target: t.target }), "{}", case());
    }
    let part = evidence.system(&lts.labels);
    assert_eq!(naive::holds(&formula, &part), expected, "{}\non {evidence:?}", case());
    expected
}

#[test]
fn searches_agree_with_the_definition() {
    let mut random = Random(1);
    let mut verdicts = [0; 2];
    for _ in attack_cases(2000) {
        let lts = generate::lts(&mut random, 8);
        let depth = 1 + random.below(5);
        let text = generate::text(&mut random, depth);
        verdicts[usize::from(compare(&text, &lts))] += 1;
    }
    assert!(verdicts.iter().all(|&n| n > 400), "{verdicts:?}");
}

#[test]
fn larger_systems() {
    let mut random = Random(4);
    for _ in 0..600 {
        let lts = generate::lts(&mut random, 60);
        compare(&generate::text(&mut random, 4), &lts);
    }
}

/// One search asks another about many pairs, in all orders: values that a search leaves behind have to be final.
#[test]
fn searches_within_searches() {
    const TEXTS: [&str; 8] = [
        "[true*] <true* . \"c !1\"> true",
        "[true*] (<\"a\"> true or <(\"a\" or \"b\")* . \"c !1\"> true)",
        "<true*> [(\"a\" | \"b\" . \"i\")*] <true> true",
        "[\"a\"*] (@(true) implies <\"i\"* . \"b\"> @(\"a\" or \"b\"))",
        "[true*] mu X . (<\"a\"> true or (<true> true and [true] X))",
        "<true*> nu X . (<\"a\" or \"i\"> X and <\"b\"* . \"c !1\"> true)",
        "[true*] mu X . (<\"b\"> <true> X or [\"i\"] X)",
        "[true*] nu X . (<true> [\"a\"] X and [\"b\"] X)",
    ];
    let mut random = Random(8);
    for _ in 0..1500 {
        let lts = generate::lts(&mut random, 16);
        // Few labels, so that what is looked for is rare.
        let (initial, labels, starts, mut edges) = lts.into_parts();
        edges.iter_mut().for_each(|e| {
            if e.label == 3 && !random.one_in(4) {
                e.label = 1;
            }
        });
        let lts = Lts::new(initial, labels, starts, edges);
        TEXTS.iter().for_each(|text| {
            compare(text, &lts);
        });
    }
}

#[test]
fn games_agree_with_the_definition() {
    let mut random = Random(6);
    let mut verdicts = [0; 2];
    for _ in attack_cases(1000) {
        let lts = generate::lts(&mut random, 6);
        let text = generate::alternating(&mut random);
        verdicts[usize::from(compare(&text, &lts))] += 1;
    }
    assert!(verdicts.iter().all(|&n| n > 160), "{verdicts:?}");
}

/// Alternating operators as deep as formulas may nest: each is a block of its own.
#[test]
fn deep_formulas_need_no_deep_stack() {
    let mut random = Random(2);
    let lts = generate::lts(&mut random, 8);
    let text = format!("{}DEADLOCK_FREE", "<true*> [\"a\"] ".repeat(120));
    let formula = formula(&text);
    let answer = check(&formula, &lts, &Control::unlimited()).expect("no limits");
    assert_eq!(answer.holds, naive::holds(&formula, &lts));
    let nested: String = (0..80)
        .map(|n| format!("{} X{n} . (<true> X{n} or [\"a\"] ", if n % 2 == 0 { "mu" } else { "nu" }))
        .collect();
    let formula = support::formula(&format!("{nested} true {}", ")".repeat(80)));
    assert!(check(&formula, &lts, &Control::unlimited()).is_ok());
}
