//! Sorts: what the values that participants exchange are, and how labels show them.
//!
//! Every item of an offer has a sort. Items of different sorts never fit, whatever their numbers are; a label shows a value as its
//! sort says. Integers and truth values are sorts of every program, and those of items that say nothing else.

use crate::ids::SortId;

/// A sort of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Name as the user knows it.
    pub name: String,
    /// Its values.
    pub values: SortValues,
}

/// The values of a sort, all of them numbers (`i64`) in expressions and states; truth values are 0 and 1, or `bool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortValues {
    /// Integers.
    Integers,
    /// Truth values, shown as `TRUE` and `FALSE`.
    TruthValues,
    /// A name for each value, from 0 on.
    Names(Vec<String>),
    /// Terms, which whoever numbers them shows ([`Terms::text`](crate::Terms::text)).
    Terms,
}

impl SortId {
    /// Integers without a name of their own: the sort of every `i64` that has no other.
    pub const INTEGER: SortId = SortId(0);
    /// Truth values: the sort of every `bool` that has no other.
    pub const BOOLEAN: SortId = SortId(1);
}

/// The sorts of every program, in the order of their numbers.
pub(crate) fn predefined() -> Vec<Sort> {
    let sort = |name: &str, values| Sort { name: name.to_owned(), values };
    vec![sort("integer", SortValues::Integers), sort("boolean", SortValues::TruthValues)]
}

impl Sort {
    /// The text of a value, with the evaluator of terms where there is one. A number without a name, or a term that nobody can
    /// show, is its number.
    pub fn text(&self, sort: SortId, value: i64, terms: Option<&dyn crate::Terms>) -> String {
        match (&self.values, terms) {
            (SortValues::TruthValues, _) => (if value == 0 { "FALSE" } else { "TRUE" }).to_owned(),
            (SortValues::Names(names), _) => {
                let name = usize::try_from(value).ok().and_then(|value| names.get(value));
                name.cloned().unwrap_or_else(|| value.to_string())
            }
            (SortValues::Terms, Some(terms)) => terms.text(sort, value),
            (SortValues::Integers | SortValues::Terms, _) => value.to_string(),
        }
    }
}
