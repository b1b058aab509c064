//! What runs the paths of a plan: the code that is soonest made, and whatever turns out to be faster while they run.
//!
//! `workshop` makes code, `scores` keeps the speeds (those of devices as well), `race` has paths run and code made. All code gives the same bits: only the time
//! that it takes depends on who runs what.

mod race;
mod scores;
mod workshop;

pub use race::{Account, Expected, Race};
pub use scores::{Rules, Scores, Work};

use super::settings::PathTier;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_simulate::error::Refusal;
use volvelle_simulate::path::Plan;
use workshop::{Design, Makers};

/// Makes code for a plan, the one asked for, or the one that is soonest made; others may follow.
///
/// # Errors
/// There is no such code.
pub fn race(
    plan: &Arc<Plan>,
    tier: PathTier,
    expected: Expected,
    control: &Control<'_>,
) -> Result<Race, Refusal> {
    let workshop = Box::new(Makers::new(Arc::clone(plan)));
    let others = |first| Design::others(tier, first);
    Race::start(workshop, Design::first(tier), others, expected, control).map_err(Refusal::Compile)
}
