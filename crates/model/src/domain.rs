//! Finite sets of values, of fields and of messages.

use volvelle_kernel::Type;

/// Values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `false`, `true`.
    Bool,
    /// `lo..=hi`; the packed form stores the offset from `lo`.
    Int {
        /// Smallest value.
        lo: i64,
        /// Largest value.
        hi: i64,
    },
    /// An integer without declared bounds, now stored in a window `lo..=hi` that exploration widens when a
    /// value leaves it ([`Program::widen`](crate::Program::widen)), up to the 32-bit signed integers.
    Growing {
        /// Smallest value that has room now.
        lo: i64,
        /// Largest value that has room now.
        hi: i64,
    },
}

impl Domain {
    /// Type of the field's local in expressions.
    pub fn ty(self) -> Type {
        if self == Domain::Bool { Type::Bool } else { Type::I64 }
    }

    /// Smallest and largest value as integers.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Domain::Bool => (0, 1),
            Domain::Int { lo, hi } | Domain::Growing { lo, hi } => (lo, hi),
        }
    }
}
