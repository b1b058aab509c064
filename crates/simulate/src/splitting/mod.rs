//! Rare events: importance splitting with a fixed number of successes.
//!
//! Plain simulation needs hundreds of occurrences of an event, each of which takes many paths. Splitting
//! works in stages. Levels of an importance (module `importance`) divide the way to the target. Stage `k`
//! runs paths from states in which others first reached level `k`, until they reach level `k + 1`. The
//! product of the shares that do so estimates the probability.
//!
//! **A stage** runs paths `0, 1, …`, each from a state drawn uniformly from those that the previous stage
//! left, until `r` of them have reached the next level (fixed number of successes: Amrein and Künsch, *A
//! variant of importance splitting for rare event estimation*, ACM TOMACS 21, 2011), or until there were `M`
//! of them. Its factor is `(r - 1) / (n - 1)` if path number `n` was the `r`-th success, and `s / M` if only
//! `s < r` of `M` paths succeeded: the unbiased estimate for this stopping rule (Girshick, Mosteller and
//! Savage, 1946). All successes are passed on.
//!
//! **The estimate is unbiased.** Given the initial states of a stage, its paths are independent and
//! identically distributed. Hence the final states of successes are independent of the number of paths
//! needed. So the mean of the factor times the average of any function over these final states is the
//! probability of success times the mean of the function there. Take the probability of reaching the target
//! from a state as the function, and go backwards from the last stage: the mean of the product is the wanted
//! probability. A stage without success has factor 0, and so has the product. This holds for any importance
//! and any levels that are fixed before; they come from a pilot run with its own random numbers ([`levels`]).
//!
//! **The interval** comes from independent repetitions, by Student's t.
//!
//! A state is stored with the time and the number of steps at its entry, which is all that bounded properties
//! need.
//!
//! | module | subject |
//! |---|---|
//! | `importance` | the importance of states |
//! | `projection`, `fields`, `values`, `bounds` | distances in a projection of the model |
//! | `conjuncts` | distances in the conjuncts of a condition |
//! | `task` | a property to be estimated, and why there may be no estimate |
//! | `segments`, `population` | paths from level to level, and the states that they start from |
//! | `levels` | the pilot run |
//! | `repetition`, `seeds` | the estimate, and the seeds of its stages |
//! | `reference` | segments again, in a slow and direct way |

pub mod bounds;
pub mod conjuncts;
mod fields;
mod importance;
mod levels;
mod population;
pub mod projection;
mod reference;
mod repetition;
mod seeds;
mod segments;
mod task;
mod values;

pub use crate::importance::{Importance, Table};
pub use importance::{by_conjuncts, importance};
pub use levels::{Levels, levels};
pub use population::{Ends, Population};
pub use reference::{Segment, segment};
pub use repetition::{Repetition, Repetitions, Split, repeat, repetition};
pub use segments::Segments;
pub use task::{Lost, NoEstimate, SplittingTask};
