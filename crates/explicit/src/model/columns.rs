//! Values of any type, one per state, choice, branch, observation or player.

use super::numbers::{Numbers, Texts};
use super::rows::Rows;
use volvelle_space::BitSet;

/// The things of a model that values are attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// States.
    States,
    /// Choices.
    Choices,
    /// Branches.
    Branches,
    /// Observations.
    Observations,
    /// Players.
    Players,
}

impl Entity {
    /// All of them.
    pub const ALL: [Entity; 5] =
        [Entity::States, Entity::Choices, Entity::Branches, Entity::Observations, Entity::Players];

    /// The word for several of them: `states`.
    pub fn name(self) -> &'static str {
        match self {
            Entity::States => "states",
            Entity::Choices => "choices",
            Entity::Branches => "branches",
            Entity::Observations => "observations",
            Entity::Players => "players",
        }
    }

    /// The word for one of them: `state`.
    pub fn singular(self) -> &'static str {
        match self {
            Entity::States => "state",
            Entity::Choices => "choice",
            Entity::Branches => "branch",
            Entity::Observations => "observation",
            Entity::Players => "player",
        }
    }
}

/// Values by position.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Truth values.
    Bool(BitSet),
    /// Signed integers.
    Int(Integers),
    /// Integers of which one at least is beyond the signed ones.
    Unsigned(Vec<u64>),
    /// Doubles, rationals, or intervals of either.
    Numbers(Numbers),
    /// Texts.
    Text(Texts),
    /// Intervals of signed integers.
    IntInterval(Vec<[i64; 2]>),
    /// Intervals of unsigned integers.
    UnsignedInterval(Vec<[u64; 2]>),
}

impl Column {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Column::Bool(values) => values.len(),
            Column::Int(values) => values.len(),
            Column::Unsigned(values) => values.len(),
            Column::Numbers(values) => values.len(),
            Column::Text(values) => values.len(),
            Column::IntInterval(values) => values.len(),
            Column::UnsignedInterval(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word for the type in messages: `int`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Column::Bool(_) => "bool",
            Column::Int(_) => "int",
            Column::Unsigned(_) => "uint",
            Column::Numbers(Numbers::Double(_)) => "double",
            Column::Numbers(Numbers::Exact(_)) => "rational",
            Column::Numbers(Numbers::DoubleInterval(_)) => "double-interval",
            Column::Numbers(Numbers::ExactInterval(_)) => "rational-interval",
            Column::Numbers(Numbers::Symbolic(_)) => "expression",
            Column::Text(_) => "string",
            Column::IntInterval(_) => "int-interval",
            Column::UnsignedInterval(_) => "uint-interval",
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        match self {
            Column::Bool(values) => 8 * values.words().len() as u64,
            Column::Int(values) => values.bytes(),
            Column::Unsigned(values) => 8 * values.capacity() as u64,
            Column::Numbers(values) => values.bytes(),
            Column::Text(values) => values.bytes(),
            Column::IntInterval(values) => 16 * values.capacity() as u64,
            Column::UnsignedInterval(values) => 16 * values.capacity() as u64,
        }
    }
}

/// Signed integers by position, in as few bytes each as the largest of them needs.
#[derive(Clone, Debug)]
pub enum Integers {
    /// One byte each.
    Byte(Vec<i8>),
    /// Two bytes each.
    Short(Vec<i16>),
    /// Four bytes each.
    Word(Vec<i32>),
    /// Eight bytes each.
    Long(Vec<i64>),
}

impl Default for Integers {
    fn default() -> Self {
        Integers::Byte(Vec::new())
    }
}

impl Integers {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Integers::Byte(values) => values.len(),
            Integers::Short(values) => values.len(),
            Integers::Word(values) => values.len(),
            Integers::Long(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The integer at a position.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        match self {
            Integers::Byte(values) => values[i].into(),
            Integers::Short(values) => values[i].into(),
            Integers::Word(values) => values[i].into(),
            Integers::Long(values) => values[i],
        }
    }

    /// All integers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends an integer; those before it are widened where it needs more bytes.
    pub fn push(&mut self, value: i64) {
        loop {
            match self {
                Integers::Byte(values) => match i8::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => *self = Integers::Short(values.iter().map(|&v| v.into()).collect()),
                },
                Integers::Short(values) => match i16::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => *self = Integers::Word(values.iter().map(|&v| v.into()).collect()),
                },
                Integers::Word(values) => match i32::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => *self = Integers::Long(values.iter().map(|&v| v.into()).collect()),
                },
                Integers::Long(values) => return values.push(value),
            }
        }
    }

    /// The least and the greatest of them.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((self.iter().min()?, self.iter().max()?))
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (match self {
            Integers::Byte(values) => values.capacity(),
            Integers::Short(values) => 2 * values.capacity(),
            Integers::Word(values) => 4 * values.capacity(),
            Integers::Long(values) => 8 * values.capacity(),
        }) as u64
    }
}

impl FromIterator<i64> for Integers {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut integers = Integers::default();
        values.into_iter().for_each(|value| integers.push(value));
        integers
    }
}

/// Equal integers at equal positions; how they are stored makes no difference.
impl PartialEq for Integers {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Values that are drawn: entity `i` has the values `rows.range(i)` of a column, with these probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The values of every entity.
    pub rows: Rows,
    /// Probabilities, aligned with the values.
    pub probabilities: Numbers,
}
