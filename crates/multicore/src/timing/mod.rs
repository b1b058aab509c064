//! Cycles: when instructions are fetched, issued, completed and retired, and where the cycles go.
//!
//! Rules T1 to T10 of the golden data, for rounds; [`crate::Mode`] names the other ways in which cores get tasks. Nothing here goes from cycle
//! to cycle. As the oldest instructions issue first, an instruction takes the first cycle in which the older ones of its core leave a
//! unit free: instructions are scheduled in program order. Only what an access to a data cache costs depends on the order of
//! accesses in time. So what they cost is first guessed, then they are done in the order of their cycles; where one costs something
//! else, younger instructions are scheduled again. Older ones cannot depend on it, and all that issued no later keeps its cycle.

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
