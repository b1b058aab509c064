//! The debug adapter: `volvelle debug`.
//!
//! In: messages of the Debug Adapter Protocol. Out: where a walk through a model is, as editors show programs that run. The walk is that of
//! `stepping`, which every modelling language has; this crate knows none of them. Nothing is written but by the command `save`.
//!
//! `inbox` has the thread that reads, and `conversation` takes one message after the other on the thread that has the model: what is to stop a
//! long run is seen while it waits. `launch` says what is debugged, `opening` opens it, and `debuggee` answers.

mod ask;
mod client;
mod conversation;
mod counterexample;
mod debuggee;
mod found;
mod inbox;
mod launch;
mod opening;
pub mod options;
mod protocol;
mod reading;
mod witness;

pub use conversation::{Surroundings, converse};
