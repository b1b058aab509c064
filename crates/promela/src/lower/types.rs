//! Types of variables, and names of values.

use crate::ast;
use rustc_hash::FxHashMap;
use volvelle_kernel::entity;
use volvelle_model::Domain;

entity!(
    /// A `typedef`.
    StructId
);

/// Type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bit`, `bool`
    Bit,
    /// `byte`
    Byte,
    /// Numbers of processes.
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : n`
    Unsigned(u32),
    /// `mtype`, with the number of its set.
    Mtype(u32),
    /// Numbers of channels; 0 means no channel.
    Chan,
}

impl Scalar {
    /// The least and the greatest value that a field of this type holds. Process and channel numbers have no limit of 255 here.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Scalar::Bit => (0, 1),
            Scalar::Byte | Scalar::Mtype(_) => (0, 255),
            Scalar::Pid | Scalar::Chan => (0, 65_535),
            Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Scalar::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::Unsigned(bits) => (0, (1 << bits) - 1),
        }
    }

    /// The same as the domain of a field.
    pub fn domain(self) -> Domain {
        let (lo, hi) = self.bounds();
        Domain::Int { lo, hi }
    }

    /// A value truncated to the type, as SPIN does it where the value is stored.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Scalar::Short => i64::from(value as i16),
            Scalar::Int => i64::from(value as i32),
            // Numbers above 255 are numbers of processes and channels here. Below 0 it is SPIN's byte.
            Scalar::Pid | Scalar::Chan if value < 0 => value & 0xff,
            _ => value & self.bounds().1,
        }
    }
}

/// Type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A `typedef`.
    Struct(StructId),
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its members, in the order of the text.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its length; `None` for a single one.
    pub length: Option<u32>,
    /// Its initial value.
    pub initial: Option<ast::Initial>,
}

/// Greatest length of an array, and greatest capacity of a channel.
pub(super) const MAX_LENGTH: i64 = 1 << 20;

/// Most names of a set: a variable has a byte, and 0 is no name. SPIN has the same limit.
pub(super) const MAX_NAMES: i64 = 255;

/// Type of the counter of a loop over a channel, which counts to the greatest capacity.
pub(super) const LOOP_COUNTER: Scalar = Scalar::Unsigned(21);

/// Names of `mtype` values.
#[derive(Clone, Debug, Default)]
pub struct Mtypes {
    /// Names of the sets; the first has none.
    pub sets: Vec<Option<String>>,
    /// Set and value of each name; values are numbered as SPIN numbers them.
    pub values: FxHashMap<String, (u32, i64)>,
}

impl Mtypes {
    /// The number of a set, which is added where it is missing.
    pub fn set(&mut self, name: Option<&str>) -> u32 {
        if let Some(found) = self.sets.iter().position(|s| s.as_deref() == name) {
            return found as u32;
        }
        self.sets.push(name.map(str::to_owned));
        (self.sets.len() - 1) as u32
    }

    /// The name of a value.
    pub fn name(&self, set: u32, value: i64) -> Option<&str> {
        self.values.iter().find(|(_, v)| **v == (set, value)).map(|(name, _)| name.as_str())
    }
}
