//! Statistical simulation: from a program and properties to a kernel that runs paths, and from paths to samples.
//!
//! In: a [`Program`](volvelle_model::Program) whose choices are resolved by chance (DTMC, CTMC), and properties that single paths answer. Out:
//! one number per path and property, the same for every way to run the paths.
//!
//! | module | subject |
//! |---|---|
//! | `measure` | properties as numbers of paths |
//! | `monitor` | what paths keep track of: a measure, or a whole curve of them |
//! | `word` | formulas of linear temporal logic as automata |
//! | `slots` | what can happen in a state, flattened |
//! | `scheduler` | what makes the choices of an MDP |
//! | `walk`, `watch` | a path step by step, slowly: the reference, and what traces are made of |
//! | `weights` | rates and probabilities as exact integers, where they are |
//! | `path` | the kernel that runs paths |
//! | `foresight` | ending paths where a state tells what is to come |
//! | `engine`, `runner` | what workers run paths with: any code, which may change while they go on |
//! | `device` | paths and their sums on devices of the runtime |
//! | `sample` | blocks of paths on all threads, and on devices |
//! | `rare` | rare events: importance splitting |
//! | `error` | refusals, and failures of paths |
//!
//! Path `n` of a run is determined by the seed and `n` alone. What it draws, and in which order, is part of what a path is: the
//! order of slots and branches (`slots`), the order within a step (`path`), and the streams (`volvelle-streams`).

pub mod device;
pub mod engine;
pub mod error;
pub mod foresight;
pub mod measure;
pub mod monitor;
pub mod path;
pub mod rare;
pub mod runner;
pub mod sample;
pub mod scheduler;
pub mod slots;
mod summing;
pub mod walk;
pub mod watch;
pub mod weights;
pub mod word;
