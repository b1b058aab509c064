//! A model with its properties, and the forms that answers have.
//!
//! A [`Session`] holds one model: it reads its files in the language that they are in ([`language`]), gives values to constants, lowers
//! properties, and explores. Questions are functions over a session, in crates of their own; what they find has the types of
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
pub mod follow;
pub mod fractions;
pub mod interim;
pub mod json;
pub mod language;
pub mod limits;
pub mod needed;
pub mod observed;
pub mod outline;
pub mod pending;
pub mod points;
pub mod range;
pub mod reduced;
pub mod remarks;
pub mod report;
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

pub use session::{Exploration, Session, mentions};
pub use settings::Settings;
pub use text::{Text, decode};
