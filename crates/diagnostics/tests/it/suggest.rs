//! Which name is suggested for which slip, and the distance against a slow definition.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use volvelle_diagnostics::suggest;

#[track_caller]
fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
    assert_eq!(suggest(name, candidates.iter().copied()), expected, "for {name}");
}

#[test]
fn slips_of_the_keyboard() {
    check("srepp", &["s", "srep", "rrep"], Some("srep"));
    check("arirve", &["serve", "arrive"], Some("arrive"));
    check("requestng", &["requesting", "released"], Some("requesting"));
    check("memory", &["mem", "memroy"], Some("memroy"));
}

#[test]
fn case_decides_between_equals() {
    check("Max", &["max", "Mix"], Some("max"));
    check("LAMBDA", &["lambda"], Some("lambda"));
    check("sX", &["sy", "sx"], Some("sx"));
    check("abc", &["abd", "abe"], Some("abd"));
}

#[test]
fn too_far_is_no_suggestion() {
    check("x", &["y", "z"], None);
    check("queue", &["client", "server"], None);
    check("ab", &["cd"], None);
    check("", &["a"], None);
    check("a", &[], None);
    check("same", &["same"], None);
    check(&"a".repeat(1000), &["a"], None);
    let long = "a".repeat(1000);
    check("aaa", &[&long], None);
}

#[test]
fn owned_names_can_be_searched() {
    let names = vec!["alpha".to_owned(), "beta".to_owned()];
    assert_eq!(suggest("bets", &names), Some(&names[1]));
}

/// Optimal string alignment distance by its recursive definition.
fn slow_distance(a: &[char], b: &[char]) -> usize {
    let (Some((x, front_a)), Some((y, front_b))) = (a.split_last(), b.split_last()) else {
        return a.len() + b.len();
    };
    let substituted = slow_distance(front_a, front_b) + usize::from(x != y);
    let mut best = substituted.min(slow_distance(front_a, b) + 1).min(slow_distance(a, front_b) + 1);
    if a.len() > 1 && b.len() > 1 && front_a.last() == Some(y) && front_b.last() == Some(x) {
        best = best.min(slow_distance(&a[..a.len() - 2], &b[..b.len() - 2]) + 1);
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// A single candidate is suggested exactly if it is near enough by the slow definition.
    #[test]
    fn near_enough_is_what_the_definition_says(name in "[abB]{1,6}", candidate in "[abB]{0,6}") {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let distance = slow_distance(&letters(&name), &letters(&candidate));
        let limit = (name.len() / 3).clamp(1, 3);
        let near = distance <= limit && distance < name.len().max(candidate.len());
        let same_but_case = name.to_lowercase() == candidate.to_lowercase();
        let expected = name != candidate && (near || same_but_case);
        prop_assert_eq!(suggest(&name, [&candidate]).is_some(), expected);
    }

    /// Among several candidates no nearer one is passed over.
    #[test]
    fn the_nearest_wins(name in "[abc]{3,7}", candidates in prop::collection::vec("[abc]{1,7}", 0..6)) {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let distance = |text: &String| slow_distance(&letters(&name), &letters(text));
        if let Some(found) = suggest(&name, &candidates) {
            let nearest = candidates.iter().filter(|c| **c != name).map(distance).min();
            prop_assert_eq!(Some(distance(found)), nearest);
        }
    }
}
