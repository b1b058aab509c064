//! Strongly connected components, without recursion.
//!
//! R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1(2), 1972, doi:10.1137/0201010, with
//! an explicit stack. Components come out in reverse topological order (a component after all those that it can
//! reach), the order in which equations are solved.

/// A partition of (some of the) vertices of a graph into strongly connected components, sinks first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Vertices, grouped by component. Within a component the vertex discovered last comes first, which
    /// is a good order for Gauss–Seidel: it tends to start where paths leave.
    pub members: Vec<u32>,
    /// Component `c` is `members[start[c]..start[c + 1]]`.
    pub start: Vec<u32>,
}

impl Components {
    /// Number of components.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices of a component.
    pub fn component(&self, c: usize) -> &[u32] {
        &self.members[self.start[c] as usize..self.start[c + 1] as usize]
    }

    /// All components, sinks first.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|c| self.component(c))
    }

    /// The component of each of the first `vertices` vertices; `u32::MAX` for those outside the partition.
    pub fn component_of(&self, vertices: usize) -> Vec<u32> {
        let mut of = vec![u32::MAX; vertices];
        for (c, members) in self.iter().enumerate() {
            members.iter().for_each(|&v| of[v as usize] = c as u32);
        }
        of
    }
}

/// Computes the components of a graph restricted to the vertices for which `inside` holds. `successors` gives the
/// targets of the edges of a vertex; it is asked again whenever the search returns to the vertex.
///
/// Linear time; 16 bytes per vertex and 12 per vertex on the current path, none of them allocated vertex by vertex.
pub fn components<'g>(
    vertices: usize,
    successors: impl Fn(usize) -> &'g [u32],
    inside: impl Fn(usize) -> bool,
) -> Components {
    components_by(vertices, |v, edge| successors(v).get(edge).copied(), inside)
}

/// Like [`components`], of a graph whose targets are not in one array: `successor(v, k)` is the target of the `k`-th edge of a
/// vertex, if it has so many.
pub fn components_by(
    vertices: usize,
    successor: impl Fn(usize, usize) -> Option<u32>,
    inside: impl Fn(usize) -> bool,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    // Discovery number while on the stack, UNSEEN before, DONE after.
    let mut number = vec![UNSEEN; vertices];
    let mut low = vec![0u32; vertices];
    let mut stack: Vec<u32> = Vec::new();
    // Vertex and the place of its next edge.
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut result = Components { members: Vec::new(), start: vec![0] };
    let mut discovered = 0u32;

    for root in 0..vertices {
        if number[root] != UNSEEN || !inside(root) {
            continue;
        }
        calls.push((root as u32, 0));
        number[root] = discovered;
        low[root] = discovered;
        discovered += 1;
        stack.push(root as u32);
        while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
            let v = v as usize;
            let mut child = None;
            while let Some(w) = successor(v, *edge as usize) {
                let w = w as usize;
                *edge += 1;
                if number[w] == UNSEEN {
                    if inside(w) {
                        child = Some(w);
                        break;
                    }
                } else if number[w] != DONE {
                    low[v] = low[v].min(number[w]);
                }
            }
            if let Some(w) = child {
                number[w] = discovered;
                low[w] = discovered;
                discovered += 1;
                stack.push(w as u32);
                calls.push((w as u32, 0));
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == number[v] {
                while let Some(w) = stack.pop() {
                    number[w as usize] = DONE;
                    result.members.push(w);
                    if w as usize == v {
                        break;
                    }
                }
                result.start.push(result.members.len() as u32);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    /// The reachability relation, by transitive closure.
    fn closure(graph: &[Vec<u32>], inside: &[bool]) -> Vec<Vec<bool>> {
        let n = graph.len();
        let mut reach = vec![vec![false; n]; n];
        for v in (0..n).filter(|&v| inside[v]) {
            reach[v][v] = true;
            graph[v].iter().filter(|&&w| inside[w as usize]).for_each(|&w| reach[v][w as usize] = true);
        }
        for via in 0..n {
            for v in 0..n {
                for w in 0..n {
                    reach[v][w] |= reach[v][via] && reach[via][w];
                }
            }
        }
        reach
    }

    #[test]
    fn agree_with_mutual_reachability() {
        let mut random = Random(7);
        let mut seen = 0;
        for _ in 0..400 {
            let n = 1 + random.below(14);
            let graph: Vec<Vec<u32>> =
                (0..n).map(|_| (0..random.below(4)).map(|_| random.below(n) as u32).collect()).collect();
            let inside: Vec<bool> = (0..n).map(|_| !random.one_in(5)).collect();
            let reach = closure(&graph, &inside);
            let found = components(n, |v| &graph[v], |v| inside[v]);
            let of = found.component_of(n);
            assert_eq!(found.members.len(), inside.iter().filter(|&&is| is).count());
            for v in 0..n {
                assert_eq!(of[v] != u32::MAX, inside[v]);
                for w in (0..n).filter(|&w| inside[v] && inside[w]) {
                    assert_eq!(of[v] == of[w], reach[v][w] && reach[w][v]);
                    assert!(!reach[v][w] || of[w] <= of[v], "sinks come first");
                }
            }
            seen += found.iter().filter(|members| members.len() > 1).count();
        }
        assert!(seen > 100, "{seen}");
    }

    /// The search has a stack of its own.
    #[test]
    fn long_paths() {
        let n = 1_000_000u32;
        let next: Vec<u32> = (1..=n).collect();
        let path = |v: usize| if v + 1 < n as usize { &next[v..v + 1] } else { &[] };
        assert_eq!(components(n as usize, path, |_| true).len(), n as usize);
        let round: Vec<u32> = (0..n).map(|v| (v + 1) % n).collect();
        let found = components(n as usize, |v| &round[v..v + 1], |_| true);
        assert_eq!(found.len(), 1);
        assert_eq!(found.members[0], n - 1, "the vertex discovered last comes first");
    }

    #[test]
    fn no_vertices() {
        let found = components(3, |_| &[], |_| false);
        assert!(found.is_empty());
        assert_eq!(found.component_of(3), [u32::MAX; 3]);
    }
}
