//! The systems that formulas are checked on: given as a whole, or explored as far as a verdict needs.

use volvelle_control::Stop;
use volvelle_space::{BitSet, Edge, Labels, Lts};

/// A labelled transition system whose states have numbers from 0 on.
pub trait System {
    /// The initial state.
    fn initial(&self) -> u32;

    /// The labels met so far. Numbers of labels never change.
    fn labels(&self) -> &Labels;

    /// How many states have a number so far.
    fn num_states(&self) -> usize;

    /// Finds the transitions of a state, if they are not known yet.
    ///
    /// # Errors
    /// The system cannot be explored further.
    fn expand(&mut self, state: u32) -> Result<(), Stop>;

    /// The transitions of a state that was expanded.
    fn outgoing(&self, state: u32) -> &[Edge];
}

impl System for &Lts {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn num_states(&self) -> usize {
        Lts::num_states(self)
    }

    #[inline]
    fn expand(&mut self, _: u32) -> Result<(), Stop> {
        Ok(())
    }

    #[inline]
    fn outgoing(&self, state: u32) -> &[Edge] {
        Lts::outgoing(self, state)
    }
}

/// A system of which some states are known and not expanded, for example those that a walk met last. What is decided without them holds
/// for the whole system; otherwise the answer is [`Stop::States`].
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The system; states that are not expanded have no transitions in it.
    pub lts: &'a Lts,
    /// The states that are not expanded.
    pub unexpanded: &'a BitSet,
}

impl System for Part<'_> {
    fn initial(&self) -> u32 {
        self.lts.initial
    }

    fn labels(&self) -> &Labels {
        &self.lts.labels
    }

    fn num_states(&self) -> usize {
        self.lts.num_states()
    }

    #[inline]
    fn expand(&mut self, state: u32) -> Result<(), Stop> {
        if self.unexpanded.contains(state as usize) { Err(Stop::States) } else { Ok(()) }
    }

    #[inline]
    fn outgoing(&self, state: u32) -> &[Edge] {
        self.lts.outgoing(state)
    }
}

impl<S: System> System for &mut S {
    fn initial(&self) -> u32 {
        S::initial(self)
    }

    fn labels(&self) -> &Labels {
        S::labels(self)
    }

    fn num_states(&self) -> usize {
        S::num_states(self)
    }

    fn expand(&mut self, state: u32) -> Result<(), Stop> {
        S::expand(self, state)
    }

    fn outgoing(&self, state: u32) -> &[Edge] {
        S::outgoing(self, state)
    }
}

/// A system that a function explores: it appends the transitions of a state and gives new labels and states their numbers.
///
/// States are numbered from 0 on as they are found; each state is asked for once.
pub struct OnTheFly<F> {
    initial: u32,
    labels: Labels,
    successors: F,
    num_states: usize,
    /// The transitions of each state in `edges`; `None` where they are not known.
    ranges: Vec<Option<(usize, usize)>>,
    edges: Vec<Edge>,
}

impl<F: FnMut(u32, &mut Labels, &mut Vec<Edge>) -> Result<(), Stop>> OnTheFly<F> {
    /// A system with this initial state.
    pub fn new(initial: u32, labels: Labels, successors: F) -> Self {
        OnTheFly {
            initial,
            labels,
            successors,
            num_states: initial as usize + 1,
            ranges: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// How many states were expanded.
    pub fn num_expanded(&self) -> usize {
        self.ranges.iter().flatten().count()
    }
}

impl<F: FnMut(u32, &mut Labels, &mut Vec<Edge>) -> Result<(), Stop>> System for OnTheFly<F> {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn num_states(&self) -> usize {
        self.num_states
    }

    fn expand(&mut self, state: u32) -> Result<(), Stop> {
        let at = state as usize;
        if self.ranges.len() <= at {
            self.ranges.resize(at + 1, None);
        }
        if self.ranges[at].is_none() {
            let start = self.edges.len();
            (self.successors)(state, &mut self.labels, &mut self.edges)?;
            let last = self.edges[start..].iter().map(|edge| edge.target as usize + 1).max();
            self.num_states = self.num_states.max(last.unwrap_or(0)).max(at + 1);
            self.ranges[at] = Some((start, self.edges.len()));
        }
        Ok(())
    }

    fn outgoing(&self, state: u32) -> &[Edge] {
        let (start, end) = self.ranges[state as usize].expect("the state was expanded");
        &self.edges[start..end]
    }
}
