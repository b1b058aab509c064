//! Exact weights by search over pairs of a node and a weight: the method for few sums, of any size.

use super::ends::BATCH;
use super::walks::{Edge, Walks};
use crate::Failure;
use rustc_hash::FxHashMap;
use volvelle_control::Control;

/// All weights up to a bound of walks to the sink.
#[derive(Debug)]
pub(crate) struct Sums {
    /// By node and weight: the first edge of a walk; `None` for the sink.
    pub first: FxHashMap<(u32, u64), Option<Edge>>,
}

/// Searches backwards from the sink through alive nodes; `None` if there are more pairs than `most`.
pub(crate) fn sums(
    walks: &Walks,
    alive: &[bool],
    high: u64,
    most: usize,
    control: &Control,
) -> Result<Option<Sums>, Failure> {
    let mut first: FxHashMap<(u32, u64), Option<Edge>> = FxHashMap::default();
    let mut queue = vec![(walks.sink(), 0u64)];
    first.insert((walks.sink(), 0), None);
    let mut place = 0;
    while let Some(&(node, weight)) = queue.get(place) {
        place += 1;
        if place.is_multiple_of(BATCH) {
            control.check()?;
            // The size of a pair in the queue, and in the table with its edge.
            control.check_memory(72 * queue.len() as u64)?;
        }
        for edge in walks.incoming(node) {
            let Some(sum) = weight.checked_add(edge.weight).filter(|&sum| sum <= high) else { continue };
            if alive[edge.node as usize] {
                first.entry((edge.node, sum)).or_insert_with(|| {
                    queue.push((edge.node, sum));
                    Some(Edge { node, ..*edge })
                });
            }
        }
        if first.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(Sums { first }))
}

impl Sums {
    /// The walk from a node with a weight, as edges.
    pub fn walk(&self, mut node: u32, mut weight: u64) -> Option<Vec<Edge>> {
        let mut walk = Vec::new();
        while let Some(edge) = self.first.get(&(node, weight))? {
            walk.push(*edge);
            weight -= edge.weight;
            node = edge.node;
        }
        Some(walk)
    }
}
