//! Strongly connected components by Tarjan's algorithm (SIAM J. Comput. 1972), without recursion.
//!
//! In: a graph in compressed rows. Out: the components in reverse topological order (a component comes
//! after every component that it can reach), the order in which equations are solved.

use std::ops::Range;

/// A partition of (some of the) vertices into strongly connected components, sinks first.
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
}

/// Components of the graph whose vertex `v` has the edges `columns[row(v)]`, restricted to the vertices
/// for which `inside` holds.
pub fn components(
    vertices: usize,
    row: impl Fn(usize) -> Range<usize>,
    columns: &[u32],
    inside: impl Fn(usize) -> bool,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    // Discovery number while on the stack, UNSEEN before, DONE after.
    let mut number = vec![UNSEEN; vertices];
    let mut low = vec![0u32; vertices];
    let mut stack: Vec<u32> = Vec::new();
    // Vertex and the next edge to look at.
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut result = Components { members: Vec::new(), start: vec![0] };
    let mut discovered = 0u32;

    for root in 0..vertices {
        if number[root] != UNSEEN || !inside(root) {
            continue;
        }
        calls.push((root as u32, row(root).start as u32));
        number[root] = discovered;
        low[root] = discovered;
        discovered += 1;
        stack.push(root as u32);
        while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
            let v = v as usize;
            let end = row(v).end as u32;
            let mut child = None;
            while *edge < end {
                let w = columns[*edge as usize] as usize;
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
                calls.push((w as u32, row(w).start as u32));
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
