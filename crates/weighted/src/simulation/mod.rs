//! One-directional relations of weighted structures, which are the greatest fixpoints of one game.
//!
//! A relation R between states with equal valuations is a simulation for a [`Window`] if for all `(s, t)` in R every step `s -w-> s'` is
//! answered by a path `t = t0 -> .. -> tk`, `k >= 0`, whose weight is in the window of `w`, with `(s', tk)` in R and `(s, ti)` in R for
//! all `i < k`. [`simulation`] gives the largest one: existential bounded simulation, universal bounded simulation, and the relations at
//! a fixed tolerance of the distances. [`related`] decides one pair, and gives the strategy of the winner.
//!
//! Source: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances: Logical Characterization and
//! Complexity*, Definitions 7, 9, 11 and 14.

mod answers;
mod fixpoint;
mod game;
mod preorder;
mod quotient;
mod sets;
mod window;

pub use game::{Attack, Defence, Defended, Reason, Refuted, Verdict, related};
pub use preorder::Preorder;
pub use window::Window;

use crate::Failure;
use fixpoint::Fixpoint;
use quotient::{Dominance, Quotient};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// The largest simulation of a structure for a window.
///
/// # Errors
/// A limit was reached, or a bound of a window does not fit into 64 bits.
pub fn simulation(
    structure: &WeightedStructure,
    window: &Window,
    control: &Control<'_>,
) -> Result<Preorder, Failure> {
    simulation_within(structure, window, None, control)
}

/// The largest simulation, found from a relation that is known to contain it: the largest simulation of the same structure for a window
/// that is nowhere smaller.
///
/// # Errors
/// A limit was reached, or a bound of a window does not fit into 64 bits.
pub fn simulation_within(
    structure: &WeightedStructure,
    window: &Window,
    within: Option<&Preorder>,
    control: &Control<'_>,
) -> Result<Preorder, Failure> {
    let dominance = Dominance::of(window);
    let quotient = match within {
        Some(within) if within.quotient.dominance == dominance => within.quotient.clone(),
        _ => Arc::new(Quotient::new(structure, dominance, control)?),
    };
    let related = Fixpoint::new(&quotient, window, within, control)?.run()?;
    Ok(Preorder { quotient, related })
}
