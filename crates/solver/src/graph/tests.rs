use volvelle_logic::Optimum;
use volvelle_reference::*;
use volvelle_space::{BitSet, Kind, Space};

use super::*;

#[test]
fn a_long_path_does_not_overflow_the_stack() {
    let n = 1_000_000;
    let rows: Rows = (0..n).map(|s| vec![vec![((s + 1) % n, 1.0)]]).collect();
    let space = space(Kind::Dtmc, &rows);
    let inside = BitSet::full(n);
    assert_eq!(end_components(&space, &inside, |_| true).iter().count(), 1);
}

/// All end components by brute force: the union of overlapping sets of states that are closed under some
/// choice each and strongly connected by these.
fn slow_end_components(space: &Space, inside: &BitSet) -> Vec<Vec<usize>> {
    let n = space.num_states();
    let mut found: Vec<u32> = vec![];
    for mask in 1u32..1 << n {
        let has = |s: usize| mask >> s & 1 != 0;
        if (0..n).any(|s| has(s) && !inside.contains(s)) {
            continue;
        }
        let closed = |c: usize| space.transitions(c).all(|(t, _)| has(t));
        let all_stay = (0..n).filter(|&s| has(s)).all(|s| space.choices_of(s).any(closed));
        if !all_stay {
            continue;
        }
        let connected = (0..n).filter(|&s| has(s)).all(|s| {
            let mut reached = 1u32 << s;
            loop {
                let before = reached;
                for t in (0..n).filter(|&t| before >> t & 1 != 0) {
                    for c in space.choices_of(t).filter(|&c| closed(c)) {
                        space.transitions(c).for_each(|(u, _)| reached |= 1 << u);
                    }
                }
                if reached == before {
                    return reached == mask;
                }
            }
        });
        if connected {
            found.push(mask);
        }
    }
    let maximal = |&m: &u32| !found.iter().any(|&o| o != m && o & m == m);
    let mut result: Vec<Vec<usize>> = found
        .iter()
        .copied()
        .filter(maximal)
        .map(|m| (0..n).filter(|&s| m >> s & 1 != 0).collect())
        .collect();
    result.sort();
    result
}

#[test]
fn end_components_agree_with_brute_force() {
    let mut random = Random(2);
    let mut seen = 0;
    for _ in 0..300 {
        let n = 1 + random.below(7);
        let space = space(Kind::Mdp, &random_rows(&mut random, n, 3));
        let inside = if random.one_in(2) { BitSet::full(n) } else { random_set(&mut random, n, 2) };
        let found = end_components(&space, &inside, |_| true);
        let mut sets: Vec<Vec<usize>> = found
            .iter()
            .map(|c| {
                let mut c: Vec<usize> = c.iter().map(|&s| s as usize).collect();
                c.sort_unstable();
                c
            })
            .collect();
        sets.sort();
        assert_eq!(sets, slow_end_components(&space, &inside));
        seen += sets.iter().filter(|s| s.len() > 1).count();
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn certain_states_agree_with_all_policies() {
    let mut random = Random(3);
    for _ in 0..300 {
        let n = 2 + random.below(5);
        let kind = if random.one_in(3) { Kind::Dtmc } else { Kind::Mdp };
        let space = space(kind, &random_rows(&mut random, n, if kind == Kind::Mdp { 3 } else { 1 }));
        let (mut left, right) = (random_set(&mut random, n, 3).complement(), random_set(&mut random, n, 3));
        if random.one_in(2) {
            left = BitSet::full(n);
        }
        let predecessors = Predecessors::new(&space);
        for optimum in [Optimum::Min, Optimum::Max] {
            let found = prob01(&space, &predecessors, &left, &right, optimum);
            let mut best: Vec<Option<dashu_ratio::RBig>> = vec![];
            for (chain, _) in policies(&space) {
                let values = exact_until(&chain, &left, &right);
                if best.is_empty() {
                    best = values.into_iter().map(Some).collect();
                } else {
                    best = best.into_iter().zip(values).map(|(b, v)| pick(optimum, b, Some(v))).collect();
                }
            }
            for (s, value) in best.into_iter().enumerate() {
                let value = value.unwrap();
                assert_eq!(found.zero.contains(s), value == dashu_ratio::RBig::ZERO, "{optimum:?} zero {s}");
                assert_eq!(found.one.contains(s), value == dashu_ratio::RBig::ONE, "{optimum:?} one {s}");
            }
        }
    }
}
