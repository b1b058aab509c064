//! Expansion of stored states to their stored successors, through atomic sequences.
//!
//! A batch of sources goes through the expander. Targets inside atomic sequences are queued ([`AtomicQueue`])
//! and expanded in rounds, together for all sources of the batch, until only stored targets are left.

use crate::atomic_queue::{AtomicQueue, FROM_SOURCE, Link};
use crate::successors::{Exit, Expander, REACH, Successors, TRANSIENT};

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Some states were expanded; [`AtomicExpander::targets`] and the other accessors have the results.
    Expanded,
    /// All sources are expanded.
    Finished,
    /// A successor does not fit the layout. The results before it are available.
    LayoutOverflow {
        /// The place of the overflow, as the system numbers it.
        code: u32,
    },
}

/// The origin of a state of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The stored source of this index.
    Source(u32),
    /// A state of the queue.
    Inner(u32),
}

/// Expands batches of sources through atomic sequences; reused from batch to batch.
#[derive(Debug)]
pub struct AtomicExpander {
    words: usize,
    /// The successors that the expander found last.
    pub out: Successors,
    /// States inside atomic sequences of this batch.
    pub inner: AtomicQueue,
    /// Number of sources whose own successors are known.
    sources_done: usize,
    /// Number of queued states whose successors are known.
    inner_done: usize,
    /// First state of the last call, and whether it was a source.
    called: (usize, bool),
    /// Stored targets of the last call, if not all its successors are stored.
    picked: Vec<u64>,
    all_stored: bool,
    /// For each stored target of the last call, its source; and the first step of the path to it.
    source_of: Vec<u32>,
    first_steps: Vec<u32>,
    /// Limits for continuing after the steps of stored sources.
    reach: Vec<u64>,
    /// States inside atomic sequences of each source, and the most of them.
    inner_of: Vec<u32>,
    deepest: u32,
}

impl AtomicExpander {
    /// For states of `words` words.
    pub fn new(words: usize) -> Self {
        AtomicExpander {
            words,
            out: Successors::default(),
            inner: AtomicQueue::new(words),
            sources_done: 0,
            inner_done: 0,
            called: (0, true),
            picked: Vec::new(),
            all_stored: true,
            source_of: Vec::new(),
            first_steps: Vec::new(),
            reach: Vec::new(),
            inner_of: Vec::new(),
            deepest: 0,
        }
    }

    /// Begins with a new batch.
    pub fn start(&mut self) {
        self.inner.clear();
        self.sources_done = 0;
        self.inner_done = 0;
        self.inner_of.clear();
        self.deepest = 0;
    }

    /// The largest number of states inside atomic sequences after one source of this batch, so far.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// Calls the expander once more. `sources` (packed) must be the same for all calls of a batch.
    pub fn next(&mut self, expander: &mut dyn Expander, sources: &[u64]) -> Call {
        let w = self.words;
        let of_sources = self.sources_done * w < sources.len();
        let states = if of_sources {
            &sources[self.sources_done * w..]
        } else {
            self.inner.states_from(self.inner_done)
        };
        if states.is_empty() {
            return Call::Finished;
        }
        self.reach.resize(self.reach.len().max(states.len() / w), REACH);
        let reach =
            if of_sources { &self.reach[..states.len() / w] } else { self.inner.reach_from(self.inner_done) };
        let exit = expander.expand_within(states, reach, &mut self.out);
        self.called = (if of_sources { self.sources_done } else { self.inner_done }, of_sources);
        let done = self.out.ends.len();
        if of_sources {
            self.sources_done += done;
        } else {
            self.inner_done += done;
        }
        self.sort_out();
        match exit {
            Exit::LayoutOverflow { code } => Call::LayoutOverflow { code },
            Exit::Done | Exit::Full => {
                assert!(done > 0, "an expander makes progress");
                Call::Expanded
            }
        }
    }

    /// Queues transient targets and expansions the stored ones.
    fn sort_out(&mut self) {
        let w = self.words;
        self.picked.clear();
        self.source_of.clear();
        self.first_steps.clear();
        self.all_stored = self.out.steps.iter().all(|step| step & TRANSIENT == 0);
        let mut at = 0;
        for call in 0..self.out.ends.len() {
            let end = self.out.ends[call] as usize;
            let source = self.source(call as u32);
            let (parent, first) = match self.origin(call as u32) {
                Origin::Source(_) => (FROM_SOURCE, None),
                Origin::Inner(index) => (index, Some(self.inner.first_step(index as usize))),
            };
            if self.all_stored {
                self.source_of.resize(end, source);
                match first {
                    Some(first) => self.first_steps.resize(end, first),
                    None => self.first_steps.extend_from_slice(&self.out.steps[at..end]),
                }
                at = end;
                continue;
            }
            let is_only = at + 1 == end;
            for at in at..end {
                let state = &self.out.states[at * w..(at + 1) * w];
                let step = self.out.steps[at];
                if step & TRANSIENT == 0 {
                    self.picked.extend_from_slice(state);
                    self.source_of.push(source);
                    self.first_steps.push(first.unwrap_or(step));
                } else {
                    let run = match parent {
                        FROM_SOURCE => 0,
                        _ if is_only => self.inner.run(parent as usize).saturating_add(1),
                        _ => 0,
                    };
                    let length = self.out.lengths.get(at).copied().unwrap_or(1);
                    let known = self.inner.len();
                    self.inner.insert(state, source, Link { parent, step: step & !TRANSIENT, length, run });
                    if self.inner.len() > known {
                        let source = source as usize;
                        self.inner_of.resize(self.inner_of.len().max(source + 1), 0);
                        self.inner_of[source] += 1;
                        self.deepest = self.deepest.max(self.inner_of[source]);
                    }
                }
            }
            at = end;
        }
    }

    /// The origin of a state of the last call.
    pub fn origin(&self, call: u32) -> Origin {
        let (first, of_sources) = self.called;
        let index = first as u32 + call;
        if of_sources { Origin::Source(index) } else { Origin::Inner(index) }
    }

    /// The source of a state of the last call.
    pub fn source(&self, call: u32) -> u32 {
        match self.origin(call) {
            Origin::Source(index) => index,
            Origin::Inner(index) => self.inner.source(index as usize),
        }
    }

    /// Stored targets of the last call, packed.
    pub fn targets(&self) -> &[u64] {
        if self.all_stored { &self.out.states } else { &self.picked }
    }

    /// For each stored target of the last call, the index of its source.
    pub fn source_of(&self) -> &[u32] {
        &self.source_of
    }

    /// For each stored target of the last call, the first step of the path from its source.
    pub fn first_steps(&self) -> &[u32] {
        &self.first_steps
    }
}
