//! Cycles: when instructions are fetched, issued, completed and retired, and where the cycles go.
//!
//! Rules T1 to T10 of the golden data, for rounds; [`crate::Mode`] names the other ways in which cores get
//! tasks. Nothing here iterates over cycles. Since the oldest instructions issue first, an instruction takes
//! the first cycle in which the older ones of its core leave a unit free, so instructions are scheduled in
//! program order. Only the cost of accesses to a data cache depends on their order in time. So costs are
//! guessed first, then the accesses are performed in the order of their cycles. If the cost of one differs
//! from the guess, younger instructions are scheduled again. Older ones cannot depend on it, and all that
//! issued no later keep their cycles.

mod bounds;
mod bus;
mod engine;
mod flight;
mod front;
mod marks;
mod shares;
mod slots;
mod stack;
mod window;
mod windows;
mod wrong;

pub use bounds::Bounds;
pub(crate) use bounds::Dataflow;
pub(crate) use engine::Engine;
pub use flight::Times;
pub use shares::Shares;
pub use stack::Stack;
