//! An order of elimination with little fill-in: approximate minimum degree.
//!
//! In: a symmetric graph. Out: its vertices in the order in which to eliminate them. Eliminated vertices live on as
//! *elements*, cliques of their neighbours, in a quotient graph; degrees are bounds from above, and indistinguishable
//! vertices are merged (P. Amestoy, T. Davis, I. Duff, *An approximate minimum degree ordering algorithm*, SIAM J. Matrix
//! Anal. Appl. 17, 1996).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entries of lists that may be looked at for each multiplication that elimination may take: a small part of the work.
const LOOKS: f64 = 0.01;

struct Quotient {
    /// Neighbours by edges of the graph, by vertex.
    neighbours: Vec<Vec<u32>>,
    /// Elements that a vertex belongs to.
    elements: Vec<Vec<u32>>,
    /// Vertices of an element, which has the number of the vertex that made it.
    members: Vec<Vec<u32>>,
    /// Vertices that one stands for; zero once it is eliminated or merged.
    weight: Vec<u32>,
    /// Sum of the weights of an element's members; zero once it is absorbed.
    size: Vec<u32>,
}

/// An order for a graph that is given by its lists of neighbours, each edge on both sides, without loops. `None` where
/// eliminating in it would take more than about `most_work` multiplications or `most_entries` entries above the diagonal, or
/// where the order itself is too expensive.
pub fn minimum_degree(neighbours: Vec<Vec<u32>>, most_work: f64, most_entries: f64) -> Option<Vec<u32>> {
    let n = neighbours.len();
    let (mut work, mut entries, mut looked_at) = (0.0, 0.0, 0usize);
    // Vertices next to very many others go last: they would fill every element.
    let dense = ((10.0 * (n as f64).sqrt()) as usize).max(40);
    let mut last: Vec<u32> = (0..n as u32).filter(|&v| neighbours[v as usize].len() > dense).collect();
    let mut graph = Quotient {
        neighbours,
        elements: vec![Vec::new(); n],
        members: vec![Vec::new(); n],
        weight: vec![1; n],
        size: vec![0; n],
    };
    last.iter().for_each(|&v| graph.weight[v as usize] = 0);
    let mut merged: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut degree: Vec<u32> = graph.neighbours.iter().map(|list| list.len() as u32).collect();
    let mut heap: BinaryHeap<Reverse<(u32, u32)>> = (0..n as u32)
        .filter(|&v| graph.weight[v as usize] > 0)
        .map(|v| Reverse((degree[v as usize], v)))
        .collect();
    let mut order = Vec::with_capacity(n);
    let mut mark = vec![0u32; n];
    let mut outside = vec![0u32; n];
    let mut seen = vec![0u32; n];
    let mut stamp = 0;
    let mut keys: Vec<(u64, u32)> = Vec::new();
    while let Some(Reverse((key, pivot))) = heap.pop() {
        let p = pivot as usize;
        if graph.weight[p] == 0 || key != degree[p] {
            continue;
        }
        stamp += 1;
        let element = graph.eliminate(p, stamp, &mut mark);
        push_merged(pivot, &mut merged, &mut order);
        let width = f64::from(key);
        work += width * width;
        entries += width;
        if work > most_work || entries > most_entries || looked_at as f64 > LOOKS * most_work {
            return None;
        }
        let total: u32 = element.iter().map(|&i| graph.weight[i as usize]).sum();
        // Weights of elements outside the new one.
        for &i in &element {
            let i = i as usize;
            looked_at += graph.elements[i].len() + graph.neighbours[i].len();
            for &e in &graph.elements[i] {
                let e = e as usize;
                if graph.size[e] == 0 {
                    continue;
                }
                if seen[e] != stamp {
                    seen[e] = stamp;
                    outside[e] = graph.size[e];
                }
                outside[e] -= graph.weight[i];
            }
        }
        keys.clear();
        for &i in &element {
            let weight = graph.weight[i as usize];
            let mut bound = total - weight;
            let Quotient { neighbours, elements, size, weight: weights, .. } = &mut graph;
            let list = &mut elements[i as usize];
            list.retain(|&e| size[e as usize] > 0 && outside[e as usize] > 0);
            bound = list.iter().fold(bound, |b, &e| b.saturating_add(outside[e as usize]));
            list.push(pivot);
            let list = &mut neighbours[i as usize];
            list.retain(|&j| weights[j as usize] > 0 && mark[j as usize] != stamp);
            bound = list.iter().fold(bound, |b, &j| b.saturating_add(weights[j as usize]));
            degree[i as usize] = bound.min(degree[i as usize].saturating_add(total - weight));
            let hash = |list: &[u32]| list.iter().map(|&v| u64::from(v) + 1).sum::<u64>();
            let key = hash(&elements[i as usize]) ^ (hash(&neighbours[i as usize]) << 24);
            keys.push((key, i));
        }
        graph.size[p] = total;
        keys.sort_unstable();
        graph.merge_alike(&keys, &mut merged);
        graph.members[p] = element.into_iter().filter(|&i| graph.weight[i as usize] > 0).collect();
        for &i in &graph.members[p] {
            heap.push(Reverse((degree[i as usize], i)));
        }
    }
    order.append(&mut last);
    Some(order)
}

/// Appends a vertex with those merged into it.
fn push_merged(vertex: u32, merged: &mut [Vec<u32>], order: &mut Vec<u32>) {
    let mut stack = vec![vertex];
    while let Some(v) = stack.pop() {
        order.push(v);
        stack.append(&mut merged[v as usize]);
    }
}

impl Quotient {
    /// Makes a vertex an element; gives its members.
    fn eliminate(&mut self, p: usize, stamp: u32, mark: &mut [u32]) -> Vec<u32> {
        self.weight[p] = 0;
        let mut element = Vec::new();
        let mut take = |v: u32, weight: &[u32]| {
            if weight[v as usize] > 0 && mark[v as usize] != stamp {
                mark[v as usize] = stamp;
                element.push(v);
            }
        };
        for v in std::mem::take(&mut self.neighbours[p]) {
            take(v, &self.weight);
        }
        for e in std::mem::take(&mut self.elements[p]) {
            for v in std::mem::take(&mut self.members[e as usize]) {
                take(v, &self.weight);
            }
            self.size[e as usize] = 0;
        }
        element
    }

    /// Merges vertices with the same neighbours and elements; `keys` are sorted hashes.
    fn merge_alike(&mut self, keys: &[(u64, u32)], merged: &mut [Vec<u32>]) {
        for (at, &(key, i)) in keys.iter().enumerate() {
            if self.weight[i as usize] == 0 {
                continue;
            }
            // Few vertices share a hash without being alike.
            for &(_, j) in keys[at + 1..].iter().take_while(|k| k.0 == key).take(64) {
                if self.weight[j as usize] > 0 && self.are_alike(i as usize, j as usize) {
                    self.weight[i as usize] += self.weight[j as usize];
                    self.weight[j as usize] = 0;
                    merged[i as usize].push(j);
                    self.neighbours[j as usize].clear();
                    self.elements[j as usize].clear();
                }
            }
        }
    }

    fn are_alike(&mut self, i: usize, j: usize) -> bool {
        for lists in [&mut self.elements, &mut self.neighbours] {
            if lists[i].len() != lists[j].len() {
                return false;
            }
            lists[i].sort_unstable();
            lists[j].sort_unstable();
            if lists[i] != lists[j] {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::Random;

    use super::*;

    /// Entries above the diagonal after eliminating in this order, the obvious way.
    fn fill(graph: &[Vec<u32>], order: &[u32]) -> usize {
        let n = graph.len();
        let mut edges = vec![vec![false; n]; n];
        graph.iter().enumerate().for_each(|(i, list)| list.iter().for_each(|&j| edges[i][j as usize] = true));
        let mut gone = vec![false; n];
        let mut count = 0;
        for &p in order {
            let p = p as usize;
            gone[p] = true;
            let around: Vec<usize> = (0..n).filter(|&j| !gone[j] && edges[p][j]).collect();
            count += around.len();
            for &i in &around {
                around.iter().filter(|&&j| j != i).for_each(|&j| edges[i][j] = true);
            }
        }
        count
    }

    fn grid(side: usize) -> Vec<Vec<u32>> {
        let at = |x: usize, y: usize| (x * side + y) as u32;
        let mut graph = vec![Vec::new(); side * side];
        for x in 0..side {
            for y in 0..side {
                if x + 1 < side {
                    graph[at(x, y) as usize].push(at(x + 1, y));
                    graph[at(x + 1, y) as usize].push(at(x, y));
                }
                if y + 1 < side {
                    graph[at(x, y) as usize].push(at(x, y + 1));
                    graph[at(x, y + 1) as usize].push(at(x, y));
                }
            }
        }
        graph
    }

    #[test]
    fn every_vertex_comes_once() {
        let mut random = Random(7);
        for n in [1, 2, 30, 200] {
            let mut graph = vec![Vec::new(); n];
            for _ in 0..2 * n {
                let (i, j) = (random.below(n), random.below(n));
                if i != j && !graph[i].contains(&(j as u32)) {
                    graph[i].push(j as u32);
                    graph[j].push(i as u32);
                }
            }
            let mut order = minimum_degree(graph, 1e9, 1e9).unwrap();
            order.sort_unstable();
            assert_eq!(order, (0..n as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_tree_has_no_fill_in() {
        let n = 100;
        let mut graph = vec![Vec::new(); n];
        for i in 1..n {
            let parent = (i - 1) / 3;
            graph[i].push(parent as u32);
            graph[parent].push(i as u32);
        }
        let order = minimum_degree(graph.clone(), 1e9, 1e9).unwrap();
        assert_eq!(fill(&graph, &order), n - 1);
    }

    #[test]
    fn a_grid_fills_in_less_than_its_band() {
        let graph = grid(24);
        let order = minimum_degree(graph.clone(), 1e9, 1e9).unwrap();
        let natural: Vec<u32> = (0..graph.len() as u32).collect();
        let (found, band) = (fill(&graph, &order), fill(&graph, &natural));
        assert!(3 * found < 2 * band, "{found} {band}");
    }
}
