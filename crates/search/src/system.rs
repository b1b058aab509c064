//! The interface of transition systems that are generated during the search.
//!
//! A state is a fixed number of 64-bit words, which only the system interprets. A step is a number that the search returns in
//! trails and otherwise does not read.

use crate::ordered::{Order, OrderedExpander, WholeExpander};
use crate::successors::Expander;

/// A transition system generated on the fly.
pub trait System: Sync {
    /// 64-bit words of a packed state; at least 1.
    fn words(&self) -> usize;

    /// Whether its states are pairs of a state of a model and one of an automaton.
    fn is_product(&self) -> bool {
        false
    }

    /// All initial states, concatenated. None of them is inside an atomic sequence.
    fn initial(&self) -> Vec<u64>;

    /// An expander for one worker.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// A path-compressing expander: it may take several steps inside an atomic sequence at once, under the number of the
    /// first. The stored targets are the same, with fewer states in between. For searches; trails have all steps.
    fn path_compressing_expander(&self) -> Box<dyn Expander + '_> {
        self.expander()
    }

    /// A partial-order-reducing expander: it may return an ample set of the successors of a state, and reports for which
    /// states it did ([`Successors::reduced`](crate::Successors::reduced)). Deadlocks and errors are preserved as long as no step is ignored for ever,
    /// which the search ensures. May compress paths as [`System::path_compressing_expander`].
    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        self.path_compressing_expander()
    }

    /// An expander that compresses paths, and tells how many steps led to each successor ([`Successors::lengths`](crate::Successors::lengths)).
    /// `None` where there is none.
    fn counting_expander(&self) -> Option<Box<dyn Expander + '_>> {
        None
    }

    /// An expander for searches that go depth first in a given order. May compress paths.
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

    /// The other process that a step moves, where there is one (a rendezvous).
    fn partner_of(&self, step: u32) -> Option<u32> {
        let _ = step;
        None
    }
}
