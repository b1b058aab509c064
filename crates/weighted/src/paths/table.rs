//! Exact weights by a table of bits, one per node and weight: the method for small weights.

use super::walks::{Edge, Walks};
use crate::Failure;
use volvelle_control::Control;

/// For each node, the weights of its walks to the sink up to a limit, as bits.
#[derive(Debug)]
pub(crate) struct Table {
    words: usize,
    bits: Vec<u64>,
}

/// Fills the table by components, from the sink on; within a component by increasing weight.
pub(crate) fn table(walks: &Walks, alive: &[bool], high: u64, control: &Control) -> Result<Table, Failure> {
    let words = usize::try_from(high / 64 + 1).map_err(|_| Failure::Overflow)?;
    let size = words.checked_mul(walks.num_nodes()).ok_or(Failure::Overflow)?;
    control.check_memory(8 * size as u64)?;
    let mut table = Table { words, bits: vec![0; size] };
    table.bits[walks.sink() as usize * words] = 1;
    let found = walks.components(alive);
    let component = found.component_of(walks.num_nodes());
    let mut queue: Vec<u32> = Vec::new();
    let mut queued = vec![false; walks.num_nodes()];
    let mut internal: Vec<(u32, Edge)> = Vec::new();
    let mut work = 0usize;
    for (number, members) in found.iter().enumerate() {
        internal.clear();
        for &node in members {
            for edge in walks.outgoing(node).iter().filter(|edge| alive[edge.node as usize]) {
                if component[edge.node as usize] == number as u32 {
                    internal.push((node, *edge));
                } else {
                    work += words;
                    (0..words).for_each(|word| table.pull(node, edge, word, true));
                }
            }
            if work > 1 << 22 {
                work = 0;
                control.check()?;
            }
        }
        if internal.is_empty() {
            continue;
        }
        for word in 0..words {
            work += internal.len();
            if work > 1 << 22 {
                work = 0;
                control.check()?;
            }
            internal.iter().for_each(|(node, edge)| table.pull(*node, edge, word, false));
            queue.extend_from_slice(members);
            members.iter().for_each(|&node| queued[node as usize] = true);
            while let Some(node) = queue.pop() {
                queued[node as usize] = false;
                let value = table.bits[node as usize * words + word];
                for edge in walks.incoming(node).iter().filter(|edge| edge.weight < 64) {
                    let source = edge.node as usize;
                    if !alive[source] || component[source] != number as u32 {
                        continue;
                    }
                    let own = &mut table.bits[source * words + word];
                    if (value << edge.weight) & !*own != 0 {
                        *own |= value << edge.weight;
                        if !std::mem::replace(&mut queued[source], true) {
                            queue.push(edge.node);
                        }
                    }
                }
            }
        }
    }
    Ok(table)
}

impl Table {
    /// Adds to a word of a node what an edge contributes from lower words; if `same`, also from the same
    /// word.
    #[inline]
    fn pull(&mut self, node: u32, edge: &Edge, word: usize, same: bool) {
        let Ok(whole) = usize::try_from(edge.weight / 64) else { return };
        let shift = edge.weight % 64;
        let from = edge.node as usize * self.words;
        let mut value = 0;
        if word >= whole && (whole > 0 || same) {
            value |= self.bits[from + word - whole] << shift;
        }
        if shift > 0 && word > whole {
            value |= self.bits[from + word - whole - 1] >> (64 - shift);
        }
        self.bits[node as usize * self.words + word] |= value;
    }

    /// Whether a node has a walk with a weight.
    pub fn contains(&self, node: u32, weight: u64) -> bool {
        self.bits[node as usize * self.words + (weight / 64) as usize] >> (weight % 64) & 1 == 1
    }

    /// The least weight in an interval of a walk from a node.
    pub fn first_within(&self, node: u32, low: u64, high: u64) -> Option<u64> {
        let row = &self.bits[node as usize * self.words..(node as usize + 1) * self.words];
        let mut word = (low / 64) as usize;
        let mut value = row[word] >> (low % 64) << (low % 64);
        while value == 0 {
            word += 1;
            value = *row.get(word)?;
        }
        Some(64 * word as u64 + u64::from(value.trailing_zeros())).filter(|&weight| weight <= high)
    }

    /// The walk from a node with a weight that it has.
    pub fn walk(&self, walks: &Walks, mut node: u32, mut weight: u64) -> Vec<Edge> {
        let mut walk = Vec::new();
        // Steps of weight 0 may cycle, so they are searched breadth first up to a step with a weight, or the
        // sink.
        let mut from: Vec<Option<(u32, Edge)>> = vec![None; walks.num_nodes()];
        while node != walks.sink() || weight > 0 {
            let mut queue = vec![node];
            let mut place = 0;
            let mut last = None;
            'search: while let Some(&at) = queue.get(place) {
                place += 1;
                for edge in walks.outgoing(at).iter().filter(|edge| edge.weight <= weight) {
                    if !self.contains(edge.node, weight - edge.weight) {
                        continue;
                    }
                    if edge.weight > 0 || edge.node == walks.sink() {
                        last = Some((at, *edge));
                        break 'search;
                    }
                    if edge.node != node && from[edge.node as usize].is_none() {
                        from[edge.node as usize] = Some((at, *edge));
                        queue.push(edge.node);
                    }
                }
            }
            let Some((mut at, edge)) = last else { break };
            let start = walk.len();
            walk.push(edge);
            while let Some((before, step)) = from[at as usize] {
                walk.push(step);
                at = before;
            }
            walk[start..].reverse();
            queue.iter().for_each(|&seen| from[seen as usize] = None);
            node = edge.node;
            weight -= edge.weight;
        }
        walk
    }
}
