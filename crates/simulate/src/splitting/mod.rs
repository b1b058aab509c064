//! Rare events: importance splitting with a fixed number of successes.
//!
//! Plain simulation needs hundreds of occurrences of an event, each of which takes many paths. Splitting works in stages: levels
//! of an importance (module `importance`) divide the way to the target, and stage `k` runs paths from states in which others have reached
//! level `k` for the first time, until they reach level `k + 1`. The product of the shares that do is an estimate of the
//! probability.
//!
//! **A stage** runs paths `0, 1, …`, each from a state drawn uniformly from those that the stage before left, until `r` of
//! them have reached the next level (fixed number of successes: Amrein and Künsch, *A variant of importance splitting for rare
//! event estimation*, ACM TOMACS 21, 2011), or until there were `M` of them. Its factor is `(r - 1) / (n - 1)` where path
//! number `n` was the `r`-th success, and `s / M` where only `s < r` of `M` paths succeeded: the unbiased estimate for this
//! way of stopping (Girshick, Mosteller and Savage, 1946). All successes are handed on.
//!
//! **The estimate is unbiased.** Given the states that a stage starts from, its paths are independent and alike. Hence where
//! the successes ended is independent of how many paths they took, and the mean of the factor times the average of any
//! function over these ends is the probability of success times the mean of the function there. Going backwards from the last
//! stage, with the probability of reaching the target from a state as function, the mean of the product is the requested
//! probability. A stage without success has factor 0, and so has the product. Neither the importance nor the levels matter for that,
//! as long as they are fixed before: they come from a pilot run with random numbers of its own ([`levels`]).
//!
//! **The interval** comes from independent repetitions, by Student's t.
//!
//! A state is held with the time and the number of steps at which it was entered, so that bounded properties need nothing more.
//!
//! | module | subject |
//! |---|---|
//! | `importance` | the importance of states |
//! | `projection`, `fields`, `values`, `bounds` | distances in a projection of the model |
//! | `conjuncts` | distances in the conjuncts of a condition |
//! | `task` | a property that is estimated, and why there may be no estimate |
//! | `segments`, `population` | paths from level to level, and the states that they start from |
//! | `levels` | the pilot run |
//! | `repetition`, `seeds` | the estimate, and the seeds of its stages |
//! | `reference` | segments once more, slowly |

mod bounds;
mod conjuncts;
mod fields;
mod importance;
mod levels;
mod population;
mod projection;
mod reference;
mod repetition;
mod seeds;
mod segments;
mod task;
#[cfg(test)]
mod tests;
mod values;

pub use crate::importance::{Importance, Table};
pub use importance::{by_conjuncts, importance};
pub use levels::{Levels, levels};
pub use population::{Ends, Population};
pub use reference::{Segment, segment};
pub use repetition::{Repetition, Repetitions, Split, repeat, repetition};
pub use segments::Segments;
pub use task::{Lost, NoEstimate, SplittingTask};
