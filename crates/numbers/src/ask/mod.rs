//! The questions about numbers: properties of one model or of a grid, thresholds, distributions, sampled paths, parts of runs.

mod compute;
mod distribution;
mod grid;
mod merge;
mod methods;
mod needs;
mod sampled;
mod schedulers;
mod states;
mod suggested;
mod threshold;

use std::time::Instant;
use volvelle_session::{Session, Settings};

/// A question that is ready to be worked on: of which model, and how.
struct Ready {
    session: Session,
    settings: Settings,
    threads: usize,
    start: Instant,
}
