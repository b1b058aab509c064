//! How much of a long trail is listed.

/// Steps of a trail that is listed as a whole, unless that is wanted of longer ones.
pub const LONGEST: usize = 1000;

/// Steps at the beginning and at the end of a longer one that are listed.
pub const LISTED: usize = 150;
