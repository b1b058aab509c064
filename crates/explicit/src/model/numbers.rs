//! Numbers on branches, states and choices: doubles, rationals, intervals of either, or expressions over parameters.

use dashu_ratio::RBig;
use volvelle_space::Ratios;

/// Numbers by position.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Doubles.
    Double(Vec<f64>),
    /// Rationals; equal ones are stored once.
    Exact(Ratios),
    /// Intervals of doubles: lower, upper.
    DoubleInterval(Vec<[f64; 2]>),
    /// Intervals of rationals: entry `i` reaches from number `2 i` to number `2 i + 1`.
    ExactInterval(Ratios),
    /// Expressions over the parameters of the model, as texts; equal ones are stored once.
    Symbolic(Texts),
}

/// How the numbers of an array are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberType {
    /// Double precision.
    Double,
    /// Numerator and denominator.
    Exact,
    /// Lower and upper bound in double precision.
    DoubleInterval,
    /// Lower and upper bound as rationals.
    ExactInterval,
    /// Expressions over parameters.
    Symbolic,
}

impl NumberType {
    /// Whether entries are intervals.
    pub fn is_interval(self) -> bool {
        matches!(self, NumberType::DoubleInterval | NumberType::ExactInterval)
    }

    /// Whether entries are rationals or bounded by rationals.
    pub fn is_exact(self) -> bool {
        matches!(self, NumberType::Exact | NumberType::ExactInterval)
    }

    /// The name in messages: `rationals`.
    pub fn name(self) -> &'static str {
        match self {
            NumberType::Double => "doubles",
            NumberType::Exact => "rationals",
            NumberType::DoubleInterval => "intervals of doubles",
            NumberType::ExactInterval => "intervals of rationals",
            NumberType::Symbolic => "expressions over parameters",
        }
    }
}

/// One number of [`Numbers`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number<'a> {
    /// A double.
    Double(f64),
    /// A rational.
    Exact(&'a RBig),
    /// Lower and upper bound.
    DoubleInterval(f64, f64),
    /// Lower and upper bound.
    ExactInterval(&'a RBig, &'a RBig),
    /// An expression.
    Symbolic(&'a str),
}

impl Numbers {
    /// How the numbers are written down.
    pub fn number_type(&self) -> NumberType {
        match self {
            Numbers::Double(_) => NumberType::Double,
            Numbers::Exact(_) => NumberType::Exact,
            Numbers::DoubleInterval(_) => NumberType::DoubleInterval,
            Numbers::ExactInterval(_) => NumberType::ExactInterval,
            Numbers::Symbolic(_) => NumberType::Symbolic,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Double(values) => values.len(),
            Numbers::Exact(values) => values.len(),
            Numbers::DoubleInterval(values) => values.len(),
            Numbers::ExactInterval(values) => values.len() / 2,
            Numbers::Symbolic(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a position.
    pub fn get(&self, i: usize) -> Number<'_> {
        match self {
            Numbers::Double(values) => Number::Double(values[i]),
            Numbers::Exact(values) => Number::Exact(values.get(i)),
            Numbers::DoubleInterval(values) => Number::DoubleInterval(values[i][0], values[i][1]),
            Numbers::ExactInterval(values) => Number::ExactInterval(values.get(2 * i), values.get(2 * i + 1)),
            Numbers::Symbolic(values) => Number::Symbolic(values.get(i)),
        }
    }

    /// All numbers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Number<'_>> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Bytes held, large rationals not counted.
    pub fn bytes(&self) -> u64 {
        match self {
            Numbers::Double(values) => 8 * values.capacity() as u64,
            Numbers::DoubleInterval(values) => 16 * values.capacity() as u64,
            Numbers::Exact(values) | Numbers::ExactInterval(values) => 4 * values.len() as u64,
            Numbers::Symbolic(values) => values.bytes(),
        }
    }
}

impl Number<'_> {
    /// The nearest double of a plain number; `None` for intervals and expressions.
    pub fn to_f64(self) -> Option<f64> {
        match self {
            Number::Double(value) => Some(value),
            Number::Exact(value) => Some(value.to_f64().value()),
            _ => None,
        }
    }

    /// Whether the number is 0, or the interval `[0, 0]`.
    pub fn is_zero(self) -> bool {
        match self {
            Number::Double(value) => value == 0.0,
            Number::Exact(value) => value.is_zero(),
            Number::DoubleInterval(lower, upper) => lower == 0.0 && upper == 0.0,
            Number::ExactInterval(lower, upper) => lower.is_zero() && upper.is_zero(),
            Number::Symbolic(text) => text == "0",
        }
    }
}

/// Texts by position; equal ones are stored once.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    distinct: Vec<String>,
    codes: Vec<u32>,
}

impl Texts {
    /// The entries `codes` of the table `distinct`. Every code must be a place of the table.
    pub fn new(distinct: Vec<String>, codes: Vec<u32>) -> Self {
        debug_assert!(codes.iter().all(|&code| (code as usize) < distinct.len()));
        Texts { distinct, codes }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The text at a position.
    pub fn get(&self, i: usize) -> &str {
        &self.distinct[self.codes[i] as usize]
    }

    /// All texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.codes.iter().map(|&code| self.distinct[code as usize].as_str())
    }

    /// The texts that occur, each once, and perhaps some that do not.
    pub fn distinct(&self) -> &[String] {
        &self.distinct
    }

    /// Places in [`Texts::distinct`], by position.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let texts: usize = self.distinct.iter().map(|text| text.capacity() + size_of::<String>()).sum();
        (texts + 4 * self.codes.capacity()) as u64
    }
}

/// Equal texts at equal positions; the order of the table makes no difference.
impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Texts under construction.
#[derive(Clone, Debug, Default)]
pub struct TextsBuilder {
    texts: Texts,
    places: std::collections::HashMap<String, u32>,
}

impl TextsBuilder {
    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        let code = match self.places.get(text) {
            Some(&code) => code,
            None => {
                let code = self.texts.distinct.len() as u32;
                self.texts.distinct.push(text.to_owned());
                self.places.insert(text.to_owned(), code);
                code
            }
        };
        self.texts.codes.push(code);
    }

    /// The texts.
    pub fn finish(self) -> Texts {
        self.texts
    }
}
