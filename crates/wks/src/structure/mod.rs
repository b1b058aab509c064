//! Weighted Kripke structures as texts: `.wks` and JSON, which are read and written, and DOT, which is written.
//!
//! ```text
//! wks vending;                      // a name for the whole; optional
//! parameter x in [1, 5];            // any number, above the states that use them
//! initial idle;                     // optional: otherwise the first state
//! state idle {ready, coin*2}: -0-> idle, -3/2-> paid, -(2*x + 1)-> paid;
//! state paid;                       // no propositions, no steps
//! ```
//!
//! Names are words (a letter or `_`, then letters, digits, `_`, `.`, `'`) or texts in quotation marks. A weight is an integer, a decimal
//! number, a fraction, or, in parentheses, a linear expression of parameters; no weight is negative. `coin*2` is a proposition with
//! multiplicity two, as states of parallel processes have them.

mod assemble;
mod json;
pub mod json_text;
mod read;
mod weight;
mod write;

pub use json::{read_json, write_json};
pub use read::read;
pub use write::{write, write_dot};

use dashu_ratio::RBig;
use volvelle_diagnostics::Span;
use volvelle_space::{NoWeights, ParametricStructure, WeightedStructure};

/// A structure from a text.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// The name of the whole.
    pub name: Option<String>,
    /// Names of states, by number.
    pub states: Vec<String>,
    /// The structure; where there are parameters, with the middles of their ranges.
    pub structure: WeightedStructure,
    /// The structure with its parameters, if there are any.
    pub parametric: Option<ParametricStructure>,
    /// Where each state is declared, by number.
    pub span_of_state: Vec<Span>,
}

impl Explicit {
    /// The number of a state; the search goes through all names.
    pub fn state(&self, name: &str) -> Option<u32> {
        self.states.iter().position(|known| known == name).map(|number| number as u32)
    }

    /// The structure with these values of the parameters, by number; without parameters, the structure.
    ///
    /// # Errors
    /// A weight is negative, which happens only outside the ranges of parameters, or weights have no common unit in 64 bits.
    pub fn at(&self, values: &[RBig]) -> Result<WeightedStructure, NoWeights> {
        match &self.parametric {
            Some(parametric) => parametric.at(values),
            None => Ok(self.structure.clone()),
        }
    }
}
