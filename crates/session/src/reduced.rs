//! Which properties may be answered on an MDP without the choices that others stand for.
//!
//! Such an MDP keeps the minimal and maximal probabilities of path formulas that do not notice when a state is repeated
//! ([`volvelle_explore::explore_reduced`]): no next, no bounds, no operators inside of operators. Everything else
//! gets all choices.
//!
//! States of interchangeable modules keep more: everything but what asks for single states.

use crate::settings::Settings;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::{FilterOp, Formula, FormulaId, Property, TimeBound};
use volvelle_model::{Kind, Program};

/// Whether properties and settings are content with fewer choices.
pub fn fits(program: &Program, properties: &[&Property], settings: &Settings) -> bool {
    let whole = settings.full_space
        || settings.all_states
        || settings.exact
        || settings.sampling.is_some()
        || !settings.fix_deadlocks
        || settings.evidence.wanted().is_some();
    settings.reduce && !whole && program.kind() == Kind::Mdp && properties.iter().all(|p| is_unnoticed(p))
}

/// `--reduce` where it has no effect.
pub fn no_effect() -> Diagnostic {
    Diagnostic::warning(codes::UNSUPPORTED_CONSTRUCT, "`--reduce` has no effect: all choices are explored")
        .note("a property notices when a state is repeated, or an option refers to individual states")
        .help("it applies to probabilities of path formulas without X and without bounds")
}

/// Whether properties and settings are content with one state in place of those that differ from it by a permutation of
/// interchangeable modules: nothing lists states, counts them or picks some.
pub fn fits_permutations(properties: &[&Property], settings: &Settings) -> bool {
    let whole = settings.all_states || settings.sampling.is_some() || settings.evidence.wanted().is_some();
    settings.symmetry && !whole && properties.iter().all(|property| asks_for_no_states(property))
}

fn asks_for_no_states(property: &Property) -> bool {
    let mut left: Vec<FormulaId> = vec![property.root];
    while let Some(formula) = left.pop().map(|id| property.formulas.get(id)) {
        let keeps = [FilterOp::Min, FilterOp::Max, FilterOp::ForAll, FilterOp::Exists];
        if matches!(formula, Formula::Filter { op, .. } if !keeps.contains(op)) {
            return false;
        }
        left.extend(formula.operands());
    }
    true
}

/// Whether a property is a probability whose path formula does not notice repeated states.
fn is_unnoticed(property: &Property) -> bool {
    let Formula::Prob { path, .. } = *property.formulas.get(property.root) else { return false };
    let mut left: Vec<FormulaId> = vec![path];
    while let Some(formula) = left.pop().map(|id| property.formulas.get(id)) {
        if !is_allowed(formula) {
            return false;
        }
        left.extend(formula.operands());
    }
    true
}

/// Whether an operator may occur.
fn is_allowed(formula: &Formula) -> bool {
    matches!(
        formula,
        Formula::Bool(_)
            | Formula::Label(_)
            | Formula::Not(_)
            | Formula::And(..)
            | Formula::Or(..)
            | Formula::Until(_, _, TimeBound::NONE)
            | Formula::WeakUntil(_, _, TimeBound::NONE)
            | Formula::Release(_, _, TimeBound::NONE)
    )
}
