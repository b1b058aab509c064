//! Inference about a mean from independent samples: intervals, sample sizes, tests of hypotheses, stopping
//! rules.
//!
//! Numbers in, numbers out: the crate knows no model and draws nothing. Every result is a function of the samples in
//! their order; where summaries are merged, the caller fixes the order.
//!
//! ```
//! use volvelle_statistics::{Confidence, Side, Tally, interval};
//!
//! // None of 1000 paths reached the error: the interval bounds its probability.
//! let interval = interval::clopper_pearson(Tally::new(0, 1000)?, Confidence::new(0.95)?, Side::Both);
//! assert_eq!(interval.lo, 0.0);
//! assert!((interval.hi - 0.003682).abs() < 1e-6);
//! # Ok::<(), volvelle_statistics::Error>(())
//! ```

pub mod bayes;
mod confidence;
mod error;
mod hypothesis;
pub mod interval;
mod moments;
pub mod sequential;
pub mod several;
pub mod size;
pub mod special;
pub mod sprt;
pub mod verdict;

pub use confidence::{Confidence, Side};
pub use error::Error;
pub use hypothesis::{Comparison, Decision};
pub use interval::{Interval, MeanInterval, Range};
pub use moments::{Moments, Tally};
