//! Determinacy: whether all schedules of a program of processes give the same result, certified along one path.
//!
//! In: a program of processes, and a [`Question`]: a goal, a cost, and what else is asked where the goal is reached. Out: a [`Run`] for every
//! sequence of choices that the processes make themselves, with the cost with which it reaches the goal, and a certificate that every
//! schedule of the processes gives the same (or a [`Refusal`] with the reason why that is not certain).
//!
//! Model checkers explore all interleavings to find the least cost; where the schedule makes no difference, one path is a proof. Three things make
//! it short: the path is taken step by step (`machine`); repeated steps are passed in one go, with numbers that are affine in the
//! number of the iteration (`loops`, `value`), loops in loops included, so that a path of 10^7 steps takes some 10^3; and what must
//! have happened before each step under any schedule is computed along it (`order`, where the argument is).
//!
//! What it stands on: `kernel` and `model`. It knows no language, prints nothing, and reads no clock.

mod accesses;
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
mod value;
mod waiting;
mod windows;

pub use path::{End, Question, Reached};
pub use refusal::Refusal;
pub use runs::{Limits, Run, Runs, runs};
