//! One-directional relations of weighted structures, as greatest fixpoints of one game.
//!
//! A relation R between states with equal valuations is a simulation for a [`Window`] if, for all `(s, t)` in
//! R, every step `s -w-> s'` has an answer: a path `t = t0 -> .. -> tk`, `k >= 0`, whose weight is in the
//! window of `w`, with `(s', tk)` in R, and `(s, ti)` in R for all `i < k`. [`simulation`] computes the
//! largest one: existential bounded simulation, universal bounded simulation, or the relation of a distance
//! at a fixed tolerance. [`related`] decides one pair, with the strategy of the winner.
//!
//! Source: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances: Logical Characterization and
//! Complexity*, Definitions 7, 9, 11 and 14.

mod answers;
mod explain;
mod fixpoint;
mod pair;
mod preorder;
mod quotient;
mod sets;
mod strategy;

pub use pair::{refuted, related};
pub use preorder::Preorder;
pub use strategy::{Attack, Defence, Defended, Reason, Refuted, Verdict};

use crate::Failure;
use crate::bisimulation::Options;
use crate::game::classes::Dominance;
use crate::game::stay::Stay;
use crate::window::Window;
use fixpoint::{Fixpoint, Staying};
use quotient::Quotient;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// The largest simulation of a structure for a window.
///
/// With [`Options::divergence`] and [`Window::AtLeast`], it is the largest one that also respects divergence:
/// for `(s, t)` in it, every infinite path of steps of weight 0 from `s` has a state that is related to a
/// successor of `t`. Then a formula of universal bounded until operators that `t` satisfies also holds in
/// `s`; without this, cycles of weight 0 may violate it. With other windows, options have no effect.
///
/// # Errors
/// A limit was reached, or a bound of a window does not fit into 64 bits.
pub fn simulation(
    structure: &WeightedStructure,
    window: &Window,
    options: Options,
    control: &Control<'_>,
) -> Result<Preorder, Failure> {
    simulation_within(structure, window, options, None, control)
}

/// The largest simulation, computed from a relation that contains it: the largest simulation of the same
/// structure for a window that is nowhere smaller.
///
/// # Errors
/// A limit was reached, or a bound of a window does not fit into 64 bits.
pub fn simulation_within(
    structure: &WeightedStructure,
    window: &Window,
    options: Options,
    within: Option<&Preorder>,
    control: &Control<'_>,
) -> Result<Preorder, Failure> {
    let options = if *window == Window::AtLeast { options } else { Options::default() };
    let dominance = Dominance::of(window, options);
    let quotient = match within {
        Some(within) if within.quotient.dominance == dominance => within.quotient.clone(),
        _ => Arc::new(Quotient::new(structure, dominance, control)?),
    };
    let classes = options.divergence.then(|| quotient.structure(structure));
    let stay = classes.as_ref().and_then(|classes| Some((classes, Stay::new(classes, options)?)));
    let mut fixpoint = Fixpoint::new(&quotient, window, within, control)?;
    fixpoint.stay = stay.map(|(structure, stay)| Staying::new(structure, stay));
    let related = fixpoint.run()?;
    Ok(Preorder { quotient, related })
}
