//! The work of closing sets along edges.

use std::cell::Cell;
use volvelle_model::closure::close;
use volvelle_store::BitSet;

/// All steps of a chain of `n` nodes, each of which leads to the next, or to the one before it.
fn chain(n: usize, is_backwards: bool) -> usize {
    let edges: Vec<Vec<(usize, ())>> = (0..n)
        .map(|node| match is_backwards {
            true => node.checked_sub(1),
            false => Some(node + 1).filter(|&to| to < n),
        })
        .map(|to| to.map(|to| (to, ())).into_iter().collect())
        .collect();
    let mut sets: Vec<BitSet> = (0..n).map(|node| BitSet::of(3, [node % 3])).collect();
    let steps = Cell::new(0);
    close(&mut sets, &edges, |set, other, ()| {
        steps.set(steps.get() + 1);
        set.unite(other);
    });
    assert!(sets.iter().skip(2).take(n - 4).all(|set| set.count() == 3));
    steps.get()
}

#[test]
fn work_follows_the_edges_in_both_directions() {
    for is_backwards in [false, true] {
        let (small, large) = (chain(1_000, is_backwards), chain(2_000, is_backwards));
        assert!(large <= 2 * small + 10, "{small} {large}");
    }
}
