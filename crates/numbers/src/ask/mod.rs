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
mod threshold;
