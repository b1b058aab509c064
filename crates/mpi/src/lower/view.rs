//! What labels of a lowered program show.

/// The steps of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Time passes: everything is urgent but the latencies. Accesses have no label, latencies have numbers.
    Timed {
        /// Whether the processes start one after the other, in their order, and not in any order.
        ordered: bool,
    },
    /// `ACTION`, `LATENCY` and `END_ACTION` of all processes in any order.
    Interleaved,
    /// An access is one step, in any order; annotations are verified.
    Untimed {
        /// Whether it is also noted which copies of lines are the latest.
        tracks_copies: bool,
    },
}
