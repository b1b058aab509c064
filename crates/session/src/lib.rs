//! A model with its properties, and the forms that answers have.
//!
//! A [`Model`] reads its files in the language that they are in ([`language`]), gets values of constants, lowers properties, and is
//! explored. A [`Run`] has what works on a question besides the threads of this process: devices, other processes, the part of a
//! campaign. A [`Session`] is both. Questions are functions in crates of their own, over a model, or over a session where paths or
//! sweeps are shared out; how precisely they are answered is told by [`Settings`]. What they find has the types of
//! [`report`], so that screens, JSON ([`json`]) and parts of campaigns are shared by all.
//!
//! Opens no files and prints nothing. The clock is read here, for the times in reports: engines never do.

pub mod accuracy;
pub mod campaign;
pub mod choices;
pub mod cluster;
pub mod constants;
pub mod conversion;
pub mod csv;
pub mod devices;
pub mod disagreements;
pub mod engine;
pub mod evidence;
pub mod explore;
pub mod failure;
mod folder;
pub mod follow;
pub mod fractions;
pub mod interim;
pub mod json;
pub mod language;
pub mod limits;
mod model;
pub mod needed;
pub mod observed;
pub mod outline;
pub mod pending;
pub mod points;
pub mod range;
pub mod reduced;
pub mod remarks;
pub mod report;
mod run;
pub mod saved_strategy;
pub mod select;
mod session;
pub mod settings;
pub mod state_graph;
pub mod statistics;
pub mod study;
pub mod sweeping;
pub mod symmetric;
pub mod text;
pub mod times;
pub mod trace;
mod transition_system;
pub mod vague;
pub mod verification;
pub mod ways;
pub mod weighting;

pub use folder::{Folder, NamedFiles, NoFolder};
pub use model::{Model, mentions};
pub use run::Run;
pub use session::Session;
pub use settings::Settings;
pub use text::{Text, decode};
