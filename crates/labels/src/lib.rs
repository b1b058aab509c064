//! Labels of transition systems as texts: what they say about rates and probabilities, patterns over them, hiding and renaming.
//!
//! A label is the text that an ALDEBARAN file has: `PUT !1 !TRUE`, `i`, `rate 2.5`, `a; prob 0.5`. Knows no transition system: functions
//! go from texts to texts, and callers apply them once per distinct label.

mod hide;
mod meaning;
mod pattern;
mod rename;

pub use hide::Hiding;
pub use meaning::{Meaning, action, factor_and_name, meaning, meaning_with_names};
pub use pattern::{BadPattern, Pattern, gate};
pub use rename::Renaming;
