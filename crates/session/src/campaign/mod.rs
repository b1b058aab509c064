//! Runs that are computed in parts: by shards of a campaign, on other ranks, or before, up to a checkpoint.
//!
//! A run is told what it computes itself and what it knows already ([`PathWork`], [`PointWork`]); afterwards it has what it
//! computed as records that a [`Part`](volvelle_campaign::Part) keeps. With all records, and nothing left to compute, it
//! answers as if it had computed everything.

mod paths;
mod points;

pub use paths::PathCampaign;
pub use paths::PathWork;
pub use points::PointWork;
pub use points::{GroupRecord, GroupTask, PointCampaign};

use volvelle_campaign::Body;

/// Is told of what was computed as it grows, and saves it now and then.
pub trait Saver: Send {
    /// Whether it is time to save.
    fn is_due(&mut self) -> bool;

    /// Saves what was computed so far.
    fn save(&mut self, body: Body);
}
