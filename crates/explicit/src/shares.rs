//! Rows of a file whose probabilities do not quite sum to 1, because digits were lost: each is divided by the sum of its row.
//!
//! So every engine sees a row that sums to 1, as for models in the PRISM language. The warning names the first row and its sum.

use crate::finding::{Finding, Place};
use crate::model::{Model, Numbers};
use volvelle_diagnostics::codes;

/// Divides the probabilities of some choices by their sums.
pub fn scale(model: &mut Model, choices: &[usize], file: &str) -> Option<Finding> {
    let Some(Numbers::Double(values)) = &mut model.values else { return None };
    let mut first = None;
    for &choice in choices {
        let range = model.branches.range(choice);
        let sum = sum(&values[range.clone()]);
        values[range].iter_mut().for_each(|value| *value /= sum);
        first = first.or(Some((choice, sum)));
    }
    let (choice, sum) = first?;
    let state = model.choices.row_of(choice);
    let message = format!("the probabilities of state {state} sum to {sum}");
    let finding = Finding::warning(codes::EXPLICIT_SUM, message).at(Place::File(file.to_owned()));
    let finding = finding.note("they are shares: each is divided by their sum");
    Some(match choices.len() - 1 {
        0 => finding,
        1 => finding.note("so are those of another row"),
        more => finding.note(format!("so are those of {more} other rows")),
    })
}

/// The sum, with compensation: off by two units in the last place at most (A. Neumaier, ZAMM 54, 1974).
fn sum(values: &[f64]) -> f64 {
    let (mut high, mut low) = (0.0f64, 0.0);
    for &value in values {
        let sum = high + value;
        low += if high >= value { (high - sum) + value } else { (value - sum) + high };
        high = sum;
    }
    high + low
}
