//! State-space exploration.
//!
//! Takes a `Program` and a kernel [`Compiler`](volvelle_kernel::Compiler); gives a `Space` (sparse matrix
//! with choices, labels, rewards) and the [`StateTable`] behind its numbers. Breadth-first; numbers of
//! states are the same on every run, with any compiler and any number of threads: batches of states are
//! expanded and looked up by all threads at once, but new states get their numbers in one fixed order
//! (module `workers`).
//!
//! Programs that differ in weights and rewards only share their states: [`Reusable`].
//!
//! [`Modules`] makes a transition system of a program of modules that `search` searches without a matrix.
//!
//! Processes that come and go have no matrix: [`Processes`] makes a transition system of them that `search` searches.
//!
//! The visited set is the bottleneck, not the successor function: see `store`.
//!
//! Stands on `kernel`, `model`, `space`, `search` and `control`. Does no I/O and knows no language.

mod accuracy;
mod assemble;
mod batch;
mod canonical;
mod engine;
mod error;
mod exact;
mod exact_explorer;
mod explorer;
mod initial;
mod interference;
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
mod row_permutations;
mod rows;
mod scene;
mod step;
pub mod store;
mod symmetry;
mod tabulate;
mod tiers;
mod trace;
mod weighing;
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
