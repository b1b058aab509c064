//! Names of predictors: `perceptron-8-by-address`.

use super::corrected::CorrectedShape;
use super::hashed::HashedShape;
use super::perceptron::PerceptronShape;
use super::specification::{Kind, Specification};
use super::tage::TageShape;
use std::ops::RangeInclusive;
use volvelle_diagnostics::{Diagnostic, codes};

/// Names that diagnostics propose.
pub const PREDICTORS: [&str; 16] = [
    "oracle",
    "always-taken",
    "never-taken",
    "bimodal-12",
    "gag-14",
    "gshare-14",
    "pag-10",
    "tournament-12",
    "perceptron-8",
    "perceptron-24",
    "perceptron-8-by-address",
    "perceptron-8-small",
    "perceptron-8-weights-4",
    "hashed",
    "tage",
    "tage-sc-l",
];

/// Binary logarithm of the greatest number of entries in a table.
pub(super) const MOST_BITS: u64 = 24;
/// Vectors of the perceptron that has the budget of `gag-14`.
const SMALL: u32 = 455;

impl Specification {
    /// The predictor with this name.
    ///
    /// # Errors
    /// There is none, or a size is out of its range.
    pub fn parse(name: &str) -> Result<Self, Diagnostic> {
        let kind = match name {
            "oracle" => Kind::Oracle,
            "always-taken" => Kind::Always(true),
            "never-taken" => Kind::Always(false),
            _ => sized(name)?,
        };
        Ok(Specification { name: name.to_owned(), kind })
    }
}

/// A predictor whose name has sizes.
fn sized(name: &str) -> Result<Kind, Diagnostic> {
    let mut words = Words { name, rest: name };
    let kind = if words.skip("bimodal-") {
        Kind::Bimodal(words.number("number of bits", 1..=MOST_BITS)?)
    } else if words.skip("gag-") {
        Kind::Gag(words.number("history", 1..=MOST_BITS)?)
    } else if words.skip("gshare-") {
        Kind::Gshare(words.number("history", 1..=MOST_BITS)?)
    } else if words.skip("pag-") {
        Kind::Pag(words.number("history", 1..=MOST_BITS)?)
    } else if words.skip("tournament-") {
        Kind::Tournament(words.number("number of bits", 1..=MOST_BITS)?)
    } else if words.skip("perceptron-") {
        perceptron(&mut words)?
    } else if words.skip("hashed") {
        let mut shape = HashedShape::usual();
        if words.skip("-tables-") {
            shape.table_bits = words.number("number of bits", 1..=MOST_BITS)?;
        }
        if words.skip("-weights-") {
            shape.weight_bits = words.number("size of weights", 2..=8)?;
        }
        Kind::Hashed(shape)
    } else if words.skip("tage-sc-l") {
        let mut shape = CorrectedShape::usual();
        if words.skip("-tables-") {
            shape.scale(words.number("number of bits", 1..=MOST_BITS - 3)?);
        }
        Kind::Corrected(shape)
    } else if words.skip("tage") {
        let mut shape = TageShape::usual();
        if words.skip("-tables-") {
            shape.scale(words.number("number of bits", 1..=MOST_BITS - 3)?);
        }
        Kind::Tage(shape)
    } else {
        return Err(unknown(name));
    };
    if words.rest.is_empty() { Ok(kind) } else { Err(unknown(name)) }
}

/// The words after `perceptron-`: the history, then sizes and forms in any order.
fn perceptron(words: &mut Words<'_>) -> Result<Kind, Diagnostic> {
    let mut shape = PerceptronShape::paper(words.number("history", 1..=64)?);
    while !words.rest.is_empty() {
        if words.skip("-by-address") {
            shape.is_by_address = true;
        } else if words.skip("-small") {
            shape.vectors = SMALL;
        } else if words.skip("-vectors-") {
            shape.vectors = words.number("number of vectors", 1..=1 << MOST_BITS)?;
        } else if words.skip("-weights-") {
            shape.weight_bits = words.number("size of weights", 2..=8)?;
        } else if words.skip("-threshold-") {
            shape.threshold = words.number("threshold", 0..=10_000)? as i32;
        } else {
            return Err(unknown(words.name));
        }
    }
    Ok(Kind::Perceptron(shape))
}

/// A name, and the part that was not read yet.
struct Words<'n> {
    name: &'n str,
    rest: &'n str,
}

impl Words<'_> {
    fn skip(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn number(&mut self, what: &str, range: RangeInclusive<u64>) -> Result<u32, Diagnostic> {
        let end = self.rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        if digits.is_empty() {
            return Err(unknown(self.name));
        }
        self.rest = rest;
        let number = digits.parse().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number: u64| u32::try_from(number).ok());
        number.ok_or_else(|| {
            let (name, low, high) = (self.name.escape_debug(), range.start(), range.end());
            let message = format!("the {what} of `{name}` is a whole number from {low} to {high}");
            Diagnostic::error(codes::PREDICTOR_VALUE, message)
        })
    }
}

fn unknown(name: &str) -> Diagnostic {
    let shown = name.escape_debug();
    let found = Diagnostic::error(codes::UNKNOWN_PREDICTOR, format!("there is no predictor `{shown}`"));
    found.misspelt_or(name, PREDICTORS, || {
        format!("there are `{}`, and the like with other sizes", PREDICTORS.join("`, `"))
    })
}
