//! Transitions seen from their targets.

use volvelle_space::{Edge, Lts};

/// The sources of the transitions that lead to each state. Parallel transitions give a source several times.
#[derive(Debug)]
pub(super) struct Incoming {
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Incoming {
    /// The sources of those transitions that `wanted` accepts.
    pub fn new(lts: &Lts, wanted: impl Fn(Edge) -> bool) -> Self {
        let states = lts.num_states();
        let mut starts = vec![0u32; states + 1];
        for edge in lts.edges().iter().filter(|edge| wanted(**edge)) {
            starts[edge.target as usize + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut sources = vec![0u32; starts[states] as usize];
        // Offsets serve as places to write, and are moved back by one state afterwards.
        for source in 0..states as u32 {
            for edge in lts.outgoing(source).iter().filter(|edge| wanted(**edge)) {
                let place = &mut starts[edge.target as usize];
                sources[*place as usize] = source;
                *place += 1;
            }
        }
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
