//! The least bound of an until: the least `u` for which `E(f U[0,u] g)` or `A(f U[0,u] g)` holds.
//!
//! With `E` it is the weight of a lightest path through `f` to `g`, with `A` that of a heaviest one. There is
//! no bound if the formula holds with none. Since systems branch finitely, `A(f U g)` has a bound wherever it
//! holds.

use super::blocking::Blocking;
use super::explain::{Explainer, Explanation, Reason};
use super::global::{Checked, check_global, check_planned};
use super::local::{check, check_local};
use super::plan::{FAR, Plan};
use crate::{Failure, System, Valued};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::WctlFormula;

/// The least bound in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastBound {
    /// The bound, in units; `None` if the formula holds with no bound.
    pub bound: Option<u64>,
    /// Why it holds with this bound, as a path of exactly this weight; or why it fails even without a bound.
    pub explanation: Explanation,
    /// Number of states whose steps were generated.
    pub expanded: u64,
}

/// The least bound of a formula whose root is an until over all weights, in a state (by default the initial
/// one) of a system that is generated on the fly. `unit` is the value of weight 1.
///
/// # Errors
/// Those of [`check_local`].
pub fn least_bound<S: System>(
    system: &mut S,
    formula: &WctlFormula,
    state: Option<u32>,
    blocking: Blocking,
    unit: &RBig,
    control: &Control<'_>,
) -> Result<LeastBound, Failure> {
    let plan = Plan::asking(formula, unit);
    let found = check(system, Explainer::asking(formula, &plan), state, blocking, control)?;
    if found.holds {
        let bound = Some(weight(&found.explanation)?);
        return Ok(LeastBound { bound, explanation: found.explanation, expanded: found.expanded });
    }
    let found = check_local(system, formula, state, blocking, unit, control)?;
    if found.holds {
        return Err(Failure::Overflow);
    }
    Ok(LeastBound { bound: None, explanation: found.explanation, expanded: found.expanded })
}

/// The weight of the path of an explanation.
fn weight(explanation: &Explanation) -> Result<u64, Failure> {
    let Reason::Path { steps, .. } = &explanation.reason else { return Err(Failure::Overflow) };
    steps.iter().try_fold(0u64, |sum, step| sum.checked_add(step.1)).ok_or(Failure::Overflow)
}

/// The least bounds in all states of a structure.
pub struct LeastBounds<'a> {
    bounded: Checked<'a>,
    unbounded: Checked<'a>,
    bounds: Vec<u64>,
}

/// The least bounds, in all states of a structure, of a formula whose root is an until over all weights.
///
/// # Errors
/// Those of [`check_global`].
pub fn least_bounds<'a>(
    valued: &Valued<'a>,
    formula: &'a WctlFormula,
    blocking: Blocking,
    control: &Control<'a>,
) -> Result<LeastBounds<'a>, Failure> {
    let unit = &valued.structure().unit;
    let bounded = check_planned(valued, formula, Plan::asking(formula, unit), blocking, control)?;
    let unbounded = check_global(valued, formula, blocking, control)?;
    if unbounded.holds() != bounded.holds() {
        return Err(Failure::Overflow);
    }
    let bounds = bounded.bounds(FAR)?;
    Ok(LeastBounds { bounded, unbounded, bounds })
}

impl LeastBounds<'_> {
    /// Number of states, without a sink.
    pub fn num_states(&self) -> usize {
        self.unbounded.num_states()
    }

    /// The bound in a state, in units; `None` if the formula holds with no bound.
    pub fn bound(&self, state: u32) -> Option<u64> {
        let is_bounded = self.bounded.holds().contains(state as usize);
        is_bounded.then(|| self.bounds.get(state as usize).copied()).flatten()
    }

    /// Why the formula holds in a state with the bound, as a path of exactly this weight; or why it fails
    /// even without a bound.
    ///
    /// # Errors
    /// A limit was reached, or a sum of weights does not fit.
    pub fn explain(&self, state: u32) -> Result<Explanation, Failure> {
        match self.bound(state) {
            Some(_) => self.bounded.explain_bound(state),
            None => self.unbounded.explain(state),
        }
    }
}
