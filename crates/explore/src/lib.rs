//! State-space exploration.
//!
//! In: a `Program` and a kernel [`Compiler`](volvelle_kernel::Compiler). Out: a `Space` (sparse matrix with
//! choices, labels, rewards), and the [`StateTable`] that explains its numbers. Exploration is breadth-first.
//! Numbers of states are the same on every run, with any compiler and any number of threads: all threads
//! expand and look up batches of states at once, but new states get their numbers in one fixed order (module
//! `workers`).
//!
//! Programs that differ only in weights and rewards share their states: [`Reusable`].
//!
//! [`Modules`] makes a transition system from a program of modules, which `search` searches without a matrix.
//!
//! Programs of processes have no matrix: [`Processes`] makes a transition system from them for `search`.
//!
//! The bottleneck is the visited set, not the successor function: see `store`.
//!
//! It builds on `kernel`, `model`, `space`, `search` and `control`. It does no I/O and knows no language.

mod accuracy;
mod assemble;
mod batch;
pub mod canonical;
mod engine;
mod error;
mod exact;
mod exact_explorer;
mod explorer;
mod initial;
mod interference;
pub mod interval_operations;
mod labels;
mod levels;
mod loaded;
mod memo;
mod modules;
mod observe;
mod ordered;
mod overflow;
mod patience;
mod process_system;
mod processes;
mod reduction;
mod resources;
mod reuse;
pub mod row_permutations;
mod rows;
mod scene;
pub mod slots;
mod step;
pub mod store;
mod symmetry;
mod tabulate;
mod tiers;
mod trace;
mod weighing;
mod widening;
mod workers;

pub use accuracy::Errors;
pub use error::{ExploreError, Reached};
pub use exact::{ExactError, exact};
pub use exact_explorer::{explore_exactly, rounding_matters};
pub use explorer::{
    Explored, Options, Rationals, explore, explore_reduced, explore_with_terms, kind_of_space,
    state_with_choices,
};
pub use initial::initial_state;
pub use levels::StepLimit;
pub use loaded::{LoadedSpace, observe_loaded};
pub use memo::Undefined;
pub use modules::{CommandOf, MAX_LABELS, Modules, ModulesOptions};
pub use observe::failing_site;
pub use processes::{Growth, Processes, ProcessesError};
pub use reduction::Lookahead;
pub use reuse::{Mismatch, Reusable};
pub use step::Step;
pub use store::StateTable;
pub use symmetry::{Exchange, Sorter};
pub use tabulate::{Failure, NO_STEP, States, TabulateError, Tabulated, tabulate};
pub use trace::{Stepper, Successor};
pub use weighing::{Counter, Weighed};
