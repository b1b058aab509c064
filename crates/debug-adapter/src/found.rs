//! Runs that a claim leads to.

use crate::reading::TrailText;
use volvelle_stepping::KnownRun;

/// What was found.
pub enum Found {
    /// A trail of the choices of the walk.
    Trail(TrailText),
    /// A run by its states, for a model of modules.
    Run(FoundRun),
}

/// A run, and what there is to say about it.
pub struct FoundRun {
    /// Its steps.
    pub run: KnownRun,
    /// What it is, as a name of a trail.
    pub name: String,
    /// What is the case at its end.
    pub reason: String,
    /// The property that is looked at on the way.
    pub property: Option<String>,
}
