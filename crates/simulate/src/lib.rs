//! Statistical simulation: from a program and properties to a kernel that runs paths, and from paths to samples.
//!
//! In: a [`Program`](volvelle_model::Program) or a [`Table`](table::Table) of states, whose choices are
//! resolved by chance (DTMC, CTMC); and properties that single paths decide. Out: one number per path and
//! property, the same for every way of running the paths.
//!
//! | module | subject |
//! |---|---|
//! | `measure`, `conditions` | properties as numbers of paths |
//! | `monitor` | the state that paths keep for a measure, or for a whole curve of them |
//! | `automaton` | monitor automata: formulas of linear temporal logic as tables |
//! | `combinations` | the command combinations of a program: the possible steps of a state |
//! | `scheduler` | how the choices of an MDP are resolved |
//! | `table` | explicit chains |
//! | `reference` | the reference simulator and the reference monitor: a path step by step |
//! | `weights` | rates and probabilities as exact integers, if possible |
//! | `path` | the kernel that runs paths |
//! | `early_termination` | ending paths in states that decide their measures |
//! | `engine`, `runner` | the code with which workers run paths, which may change meanwhile |
//! | `device` | paths and their sums on devices of the runtime |
//! | `sample`, `summary`, `summing` | blocks of paths on all threads and on devices, summed up |
//! | `blocks` | records of blocks: the summaries of paths that were run elsewhere or before |
//! | `splitting`, `importance` | rare events: importance splitting |
//! | `error` | unsupported features, and failures of paths |
//!
//! The seed and the number of a path determine the path. The definition of a path includes what it draws, and
//! in which order: the order of combinations and branches (`combinations`), the order within a step (`path`),
//! and the streams (`volvelle-streams`).

pub mod amounts;
pub mod automaton;
pub mod blocks;
pub mod combinations;
mod conditions;
pub mod device;
pub mod early_termination;
pub mod engine;
pub mod error;
mod importance;
pub mod measure;
pub mod monitor;
pub mod path;
pub mod reference;
pub mod runner;
pub mod sample;
pub mod scheduler;
pub mod splitting;
pub mod summary;
pub mod summing;
pub mod table;
pub mod weights;
