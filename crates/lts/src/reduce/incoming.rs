//! Transitions seen from their targets.

use super::parallel;
use volvelle_space::{Edge, Lts};

/// The sources of the transitions that lead to each state. Parallel transitions give a source several times.
#[derive(Debug)]
pub(super) struct Incoming {
    starts: Vec<u32>,
    sources: Vec<u32>,
}

/// What one thread makes of the tables: those of some targets.
struct Part<'a> {
    first: usize,
    starts: &'a mut [u32],
    sources: &'a mut [u32],
    /// Sources before these.
    before: u32,
}

impl Incoming {
    /// The sources of those transitions that `wanted` accepts. Every thread looks at all transitions, and writes those that lead to its
    /// states.
    pub fn new(lts: &Lts, wanted: impl Fn(Edge) -> bool + Sync, threads: usize) -> Self {
        let states = lts.num_states();
        let threads = parallel::threads_for(threads, states.min(lts.num_transitions()));
        let mut starts = vec![0u32; states + 1];
        let is_in = |first: usize, len: usize, edge: &Edge| (edge.target as usize).wrapping_sub(first) < len;
        let size = states.div_ceil(threads).max(1);
        let parts = starts[1..].chunks_mut(size).enumerate().map(|(k, part)| (k * size, part));
        parallel::each(parts.collect(), |(first, part)| {
            let len = part.len();
            for edge in lts.edges().iter().filter(|edge| is_in(first, len, edge) && wanted(**edge)) {
                part[edge.target as usize - first] += 1;
            }
        });
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut sources = vec![0u32; starts[states] as usize];
        let bounds: Vec<u32> = (0..=states).step_by(size).map(|first| starts[first]).collect();
        let (mut rest, mut parts) = (&mut sources[..], Vec::new());
        for (k, part) in starts[..states].chunks_mut(size).enumerate() {
            let before = bounds[k];
            let end = bounds.get(k + 1).map_or(rest.len(), |end| (end - before) as usize);
            let (own, later) = rest.split_at_mut(end);
            rest = later;
            parts.push(Part { first: k * size, starts: part, sources: own, before });
        }
        // Offsets serve as places to write, and are moved back by one state afterwards.
        parallel::each(parts, |Part { first, starts, sources, before }| {
            for source in 0..states as u32 {
                for edge in lts.outgoing(source) {
                    if is_in(first, starts.len(), edge) && wanted(*edge) {
                        let place = &mut starts[edge.target as usize - first];
                        sources[(*place - before) as usize] = source;
                        *place += 1;
                    }
                }
            }
        });
        starts.copy_within(0..states, 1);
        starts[0] = 0;
        Incoming { starts, sources }
    }

    /// The sources of the transitions that lead to a state.
    #[inline]
    pub fn of(&self, state: u32) -> &[u32] {
        &self.sources[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * (self.starts.len() + self.sources.len()) as u64
    }
}
