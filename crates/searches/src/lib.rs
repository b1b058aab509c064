//! Searching models: verdicts on all runs, with counterexamples.
//!
//! In: a session on a Promela model (`run`) or of modules (`modules`), what is [`Wanted`], and [`SearchSettings`]. Out: the
//! [`Report`](volvelle_session::report::Report) that all questions share; a property is an assertion, deadlock or end state ([`SAFETY`]), a claim of the model, or a formula given
//! from outside. Its answer is true or false, and a property that is false comes with a counterexample.

pub mod ask;
mod claims;
pub mod failures;
mod followed;
pub mod json;
mod lint;
mod listing;
mod method;
mod modules;
pub mod options;
mod probing;
mod run;
mod runs;
mod search;
mod settings;
mod shortening;
mod shortest;
pub mod stepping;
mod subject;
mod symmetric;
mod verdict;
mod visited;
mod wanted;

pub use followed::{ClaimStanding, FollowedClaims};
pub use lint::{Lint, lint};
pub use runs::{
    Characters, Runnable, SavedStep, SavedTrail, Simulation, Taken, fits_model, read_spin_trail, runnable,
    save_as_spin_trail, save_trail, simulate,
};
pub use search::{add_claims, search};
pub use settings::{PATIENCE, SearchMethod, SearchSettings};
pub use visited::{Counts, processes_report, searched};
pub use wanted::{ACCEPTANCE, PROGRESS, SAFETY, Wanted};
