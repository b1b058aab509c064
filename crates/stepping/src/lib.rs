//! Stepping through models: one dialogue for all languages.
//!
//! [`Walk`] is what an engine can do: list the steps of a state, take one, return to an earlier state. Each engine implements it in its
//! own wing. A [`Journey`] adds what is the same for all of them: steps back and forward again, random steps, a goal, [`Trail`]s. Neither
//! knows a terminal, so other faces than the [dialogue] can stand on them.

pub mod dialogue;
mod goal;
mod journey;
mod known;
pub mod options;
mod step;
mod trail;
mod walk;

pub use goal::Goal;
pub use journey::{Journey, Pace, Stopped};
pub use known::{KnownRun, KnownStep};
pub use step::{Effect, Enabled, Field, Part, StepText, Taken, Weights};
pub use trail::{SavedStep, Trail, mismatch};
pub use walk::{End, Misread, Owner, Party, Variable, Walk};
