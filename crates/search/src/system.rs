//! The interface of transition systems that are generated during the search.
//!
//! A state is a fixed number of 64-bit words, which only the system interprets. A step is a number that the
//! search returns in trails and does not interpret otherwise.

use crate::ordered::{Order, OrderedExpander, WholeExpander};
use crate::successors::Expander;

/// A transition system generated on the fly.
pub trait System: Sync {
    /// 64-bit words of a packed state; at least 1.
    fn words(&self) -> usize;

    /// Whether its states are pairs of a model state and an automaton state.
    fn is_product(&self) -> bool {
        false
    }

    /// All initial states, concatenated. None of them is inside an atomic sequence.
    fn initial(&self) -> Vec<u64>;

    /// An expander for one worker.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// A path-compressing expander: it may take several steps inside an atomic sequence at once, under the
    /// number of the first. The stored targets are the same, with fewer states in between. Only for searches;
    /// trails have all steps.
    fn path_compressing_expander(&self) -> Box<dyn Expander + '_> {
        self.expander()
    }

    /// A partial-order-reducing expander: it may return an ample set of the successors of a state, and
    /// reports the states for which it did ([`Successors::reduced`](crate::Successors::reduced)). It
    /// preserves deadlocks and errors as long as no step is ignored forever, which the search ensures. It may
    /// compress paths like [`System::path_compressing_expander`].
    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        self.path_compressing_expander()
    }

    /// A path-compressing expander that reports the number of steps to each successor
    /// ([`Successors::lengths`](crate::Successors::lengths)), if there is one.
    fn counting_expander(&self) -> Option<Box<dyn Expander + '_>> {
        None
    }

    /// An expander for depth-first searches in a given order. It may compress paths.
    fn ordered_expander(&self, order: Order) -> Box<dyn OrderedExpander + '_> {
        Box::new(WholeExpander::new(self.path_compressing_expander(), order))
    }

    /// Number of processes to which steps belong. Used only under weak fairness.
    fn num_processes(&self) -> usize {
        1
    }

    /// The process that takes a step, below [`System::num_processes`]. [`TRANSIENT`](crate::TRANSIENT) is not set in `step`.
    fn process_of(&self, step: u32) -> u32 {
        let _ = step;
        0
    }

    /// The other process that a step moves, if there is one (a rendezvous).
    fn partner_of(&self, step: u32) -> Option<u32> {
        let _ = step;
        None
    }
}
