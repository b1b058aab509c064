//! Closure of sets along the edges of a graph: each node gets its own members and those of all its
//! successors.
//!
//! In: sets and edges. Out: the least such sets. A node is visited again only when a successor has grown. So
//! the work is proportional to edges and members, however the nodes are numbered.

use volvelle_store::BitSet;

/// Adds to each set the members of its successors. An edge is the number of a node and a rule; `add` receives
/// the rule with the sets of both ends.
pub(crate) fn close<R: Copy>(
    sets: &mut [BitSet],
    edges: &[Vec<(usize, R)>],
    add: impl Fn(&mut BitSet, &BitSet, R),
) {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); sets.len()];
    for (from, edges) in edges.iter().enumerate() {
        for &(to, _) in edges {
            if sources[to].last() != Some(&from) {
                sources[to].push(from);
            }
        }
    }
    // Most edges lead to larger numbers, so visit the last nodes first.
    let mut todo: Vec<usize> = (0..sets.len()).collect();
    let mut is_due = vec![true; sets.len()];
    while let Some(node) = todo.pop() {
        is_due[node] = false;
        let mut set = sets[node].clone();
        for &(to, rule) in &edges[node] {
            add(&mut set, &sets[to], rule);
        }
        if set != sets[node] {
            sets[node] = set;
            for &source in &sources[node] {
                if !std::mem::replace(&mut is_due[source], true) {
                    todo.push(source);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::close;
    use std::cell::Cell;
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
}
