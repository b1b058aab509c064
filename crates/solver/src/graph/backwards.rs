//! Edges by their targets.

/// The edges of a graph in compressed rows, by the vertex that they lead to; `T` is what is known of an edge.
#[derive(Clone, Debug)]
pub struct Backwards<T> {
    start: Vec<u32>,
    edges: Vec<T>,
}

impl<T: Copy + Default> Backwards<T> {
    /// `targets` are those of all edges, in any order; `edges` gives each edge with its target. Edges with the same
    /// target keep their order.
    pub fn new(vertices: usize, targets: &[u32], edges: impl Iterator<Item = (u32, T)>) -> Self {
        let mut start = vec![0u32; vertices + 1];
        for &target in targets {
            start[target as usize + 1] += 1;
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut sorted = vec![T::default(); targets.len()];
        edges.for_each(|(target, edge)| {
            let slot = &mut next[target as usize];
            sorted[*slot as usize] = edge;
            *slot += 1;
        });
        Backwards { start, edges: sorted }
    }

    /// The edges to a vertex.
    pub fn of(&self, vertex: usize) -> &[T] {
        &self.edges[self.start[vertex] as usize..self.start[vertex + 1] as usize]
    }
}
