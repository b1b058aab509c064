//! Closure of sets along the edges of a graph: each node gets its own members and those of all its
//! successors.
//!
//! In: sets and edges. Out: the least such sets. A node is visited again only when a successor has grown. So
//! the work is proportional to edges and members, however the nodes are numbered.

use volvelle_store::BitSet;

/// Adds to each set the members of its successors. An edge is the number of a node and a rule; `add` receives
/// the rule with the sets of both ends.
pub fn close<R: Copy>(sets: &mut [BitSet], edges: &[Vec<(usize, R)>], add: impl Fn(&mut BitSet, &BitSet, R)) {
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
