//! How much of a long trail is listed.

/// Steps of a trail that is listed as a whole, unless that is wanted of longer ones.
pub const LONGEST: usize = 1000;

/// Steps at the beginning and at the end of a longer one that are listed.
pub const LISTED: usize = 150;

/// Stored states of a trail that is given in full, and its steps. It is listed in part where it has more steps than [`LONGEST`].
pub const LONGEST_TRAIL: usize = LONGEST + 1;
