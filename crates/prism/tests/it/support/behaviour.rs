//! What a model does, in the plainest form: for every reachable state the choices with their distributions.

use std::collections::BTreeMap;

/// One value per variable.
pub type State = Vec<i64>;

/// An action (empty if silent) and the weights of the successors.
pub type Choice = (String, BTreeMap<State, f64>);

/// Choices of every reachable state.
pub type Behaviour = BTreeMap<State, Vec<Choice>>;

/// Number of (state, choice, successor) triples.
pub fn transitions(behaviour: &Behaviour) -> usize {
    behaviour.values().flatten().map(|(_, successors)| successors.len()).sum()
}

/// Asserts that two behaviours are the same up to the order of choices and a relative difference of 1e-9 in
/// the weights.
pub fn assert_same(expected: &Behaviour, found: &Behaviour, context: &str) {
    let missing: Vec<_> = expected.keys().filter(|s| !found.contains_key(*s)).take(3).collect();
    let extra: Vec<_> = found.keys().filter(|s| !expected.contains_key(*s)).take(3).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{context}: missing {missing:?}, extra {extra:?}");
    for (state, choices) in expected {
        let (a, b) = (sorted(choices), sorted(&found[state]));
        assert_eq!(a.len(), b.len(), "{context}: choices of {state:?}\n{a:?}\n{b:?}");
        for (x, y) in a.iter().zip(&b) {
            let same = x.0 == y.0
                && x.1.len() == y.1.len()
                && x.1.iter().zip(&y.1).all(|(p, q)| p.0 == q.0 && (p.1 - q.1).abs() <= 1e-9 * p.1.abs());
            assert!(same, "{context}: a choice of {state:?}\n{x:?}\n{y:?}");
        }
    }
}

fn sorted(choices: &[Choice]) -> Vec<&Choice> {
    let mut sorted: Vec<&Choice> = choices.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |c: &Choice| (c.0.clone(), c.1.keys().cloned().collect::<Vec<_>>());
        let weights = |c: &Choice| c.1.values().map(|w| (w * 1e9).round() as i64).collect::<Vec<_>>();
        key(a).cmp(&key(b)).then_with(|| weights(a).cmp(&weights(b)))
    });
    sorted
}
