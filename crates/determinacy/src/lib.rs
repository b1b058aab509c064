//! Determinacy: whether all schedules of a program of processes give the same result, certified along one
//! path.
//!
//! In: a program of processes, and a [`Question`]: a goal, a cost, and what is observed where the goal is
//! reached. Out: one [`Run`] for each sequence of choices that the processes make by themselves. A run has
//! the cost with which it reaches the goal, and a certificate that every schedule gives the same cost, or a
//! [`Refusal`] that says why this is not certain.
//!
//! Model checkers explore all interleavings to find the least cost. Where the schedule makes no difference,
//! one path is a proof. The path is taken step by step (`machine`). Repeated steps are passed in one go
//! (`loops`): numbers are affine in the iteration number (`value`), also in nested loops, so a path of 10^7
//! steps takes about 10^3. Along the path, `order` computes what must have happened before each step under
//! any schedule; the argument is there.
//!
//! It builds on `kernel` and `model`. It knows no language, prints nothing, and reads no clock.

mod accesses;
pub mod affine;
mod bound;
mod branches;
mod clock;
mod code;
mod contested;
mod evaluate;
mod history;
mod loops;
mod machine;
mod memory;
mod names;
mod needed;
mod order;
mod path;
mod program;
mod refusal;
mod runs;
mod sequence;
mod trace;
pub mod value;
mod waiting;
mod windows;

pub use path::{End, Question, Reached};
pub use refusal::Refusal;
pub use runs::{Limits, Run, Runs, runs};
