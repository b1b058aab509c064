//! Sorts of the values that participants exchange, and how labels show these values.
//!
//! Every item of an offer has a sort. Items of different sorts never fit, whatever their values; a label
//! shows a value in the way of its sort. Integers and truth values are sorts of every program, and the
//! default of items.

use crate::ids::SortId;

/// A sort of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Name as the user knows it.
    pub name: String,
    /// Its values.
    pub values: SortValues,
}

/// The values of a sort. In expressions and states they are numbers (`i64`); truth values are 0 and 1, or
/// `bool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortValues {
    /// Integers.
    Integers,
    /// Truth values, shown as `TRUE` and `FALSE`.
    TruthValues,
    /// A name for each value, from 0 on.
    Names(Vec<String>),
    /// Terms; the front end that numbers them also shows them ([`Terms::text`](crate::Terms::text)).
    Terms,
}

impl SortId {
    /// Plain integers: the sort of every `i64` that has no other.
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
    /// The text of a value. `terms` shows terms. A number without a name, or a term without `terms`, is shown
    /// as its number.
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
