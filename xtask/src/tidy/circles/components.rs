//! Strongly connected components of a small graph.

use std::collections::BTreeSet;

/// The components with more than one vertex, each sorted, of the graph with `size` vertices and these edges. Kosaraju's
/// algorithm: the vertices in the order in which a depth-first search leaves them, then backwards from the last.
pub fn components(size: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let mut forward = vec![Vec::new(); size];
    let mut backward = vec![Vec::new(); size];
    for &(from, to) in edges {
        forward[from].push(to);
        backward[to].push(from);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; size];
    for root in 0..size {
        order.extend(postorder(root, &forward, &mut seen));
    }
    seen.fill(false);
    let mut components = Vec::new();
    for &root in order.iter().rev() {
        let mut component = postorder(root, &backward, &mut seen);
        if component.len() > 1 {
            component.sort_unstable();
            components.push(component);
        }
    }
    components.sort();
    components
}

/// The vertices that are reached from `root` and were not seen, in the order in which the search leaves them.
fn postorder(root: usize, successors: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut left = Vec::new();
    let mut stack = Vec::new();
    if !std::mem::replace(&mut seen[root], true) {
        stack.push((root, 0));
    }
    while let Some((vertex, next)) = stack.last_mut() {
        match successors[*vertex].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                left.push(*vertex);
                stack.pop();
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::components;
    use std::collections::BTreeSet;

    /// Components by the definition: vertices that reach each other.
    fn by_definition(size: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
        let mut reaches = vec![vec![false; size]; size];
        for &(a, b) in edges {
            reaches[a][b] = true;
        }
        for k in 0..size {
            for a in 0..size {
                for b in 0..size {
                    reaches[a][b] |= reaches[a][k] && reaches[k][b];
                }
            }
        }
        let component =
            |a: usize| (0..size).filter(|&b| a == b || (reaches[a][b] && reaches[b][a])).collect::<Vec<_>>();
        let all: BTreeSet<Vec<usize>> = (0..size).map(component).filter(|c| c.len() > 1).collect();
        all.into_iter().collect()
    }

    #[test]
    fn two_circles_with_a_bridge() {
        let edges = BTreeSet::from([(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2), (5, 0)]);
        assert_eq!(components(6, &edges), [vec![0, 1], vec![2, 3, 4]]);
    }

    #[test]
    fn all_graphs_of_four_vertices() {
        let pairs: Vec<(usize, usize)> =
            (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        for chosen in 0..1u32 << pairs.len() {
            let edges = pairs
                .iter()
                .enumerate()
                .filter(|(i, _)| chosen >> i & 1 == 1)
                .map(|(_, pair)| *pair)
                .collect();
            assert_eq!(components(4, &edges), by_definition(4, &edges), "{edges:?}");
        }
    }
}
