//! Limits of unfoldings.

pub(super) const NONE: u32 = u32::MAX;

/// Why a state or its steps cannot be represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// There are more states than 32-bit numbers.
    States,
    /// There are too many different terms, or definitions have too many parts.
    Terms,
    /// There are 2^32 or more copies of a part, or of a proposition in a state.
    Copies,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            TooLarge::States => "there are more states than 32-bit numbers",
            TooLarge::Terms => "there are too many different terms",
            TooLarge::Copies => "a state has 2^32 or more copies of a process or of a proposition",
        })
    }
}

impl std::error::Error for TooLarge {}
