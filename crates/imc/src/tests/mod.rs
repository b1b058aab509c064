//! Tests against values in closed form, and against slow computations on generated models.

mod behaviour;
mod elimination;
mod oracle;
mod passages;
mod queue;
mod range;

use volvelle_space::{Labels, Lts};

/// A system from lines of an ALDEBARAN file without quotes: source, label, target.
pub(crate) fn lts(states: u32, transitions: &[(u32, &str, u32)]) -> Lts {
    let mut labels = Labels::new();
    let transitions: Vec<(u32, u32, u32)> =
        transitions.iter().map(|&(from, label, to)| (from, labels.number(label), to)).collect();
    Lts::from_transitions(states, 0, labels, &transitions)
}

/// Whether bounds hold a number and are narrow.
pub(crate) fn encloses(bounds: [f64; 2], value: f64) -> bool {
    bounds[0] <= value && value <= bounds[1] && bounds[1] - bounds[0] <= 1e-9 * value.abs().max(1e-3)
}
