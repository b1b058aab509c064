//! From path formulas of the logic to formulas of automata.

use std::collections::HashMap;

use volvelle_automata::{Formulas, UNBOUNDED, logic};
use volvelle_entity::EntityVec;
use volvelle_logic::{Formula, FormulaId, Formulas as Arena, TimeBound};
use volvelle_space::{BitSet, Kind};

use super::Ltl;
use crate::error::CheckError;
use crate::transient::{Window, window};

/// Translates a path formula. `set` gives the states of a state formula. With `fold` a proposition that holds
/// everywhere or nowhere becomes a constant; without, it is read like others, on which the step depends in which a formula
/// counts as satisfied.
pub fn translate(
    kind: Kind,
    arena: &Arena,
    is_path: &EntityVec<FormulaId, bool>,
    root: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
    fold: bool,
) -> Result<Ltl, CheckError> {
    let mut ltl = Ltl { formulas: Formulas::new(), root: Formulas::TRUE, propositions: Vec::new() };
    let mut done: HashMap<FormulaId, volvelle_automata::FormulaId> = HashMap::new();
    for id in logic::nodes(arena, |id| is_path[id], root) {
        let formula = if is_path[id] {
            let steps = |bound: &TimeBound| steps(kind, bound);
            if let Formula::BoundedUntil(..) = arena.get(id) {
                let what =
                    "a bound on a reward inside a combination of temporal operators, or inside R".to_string();
                return Err(CheckError::NotYetEvaluated { what });
            }
            let what = "expected a state formula, found a path formula";
            logic::operator(&mut ltl.formulas, arena.get(id), |operand| done[&operand], steps)?
                .ok_or_else(|| CheckError::TypeMismatch { what: what.to_string() })?
        } else {
            match *arena.get(id) {
                Formula::Bool(value) => ltl.formulas.constant(value),
                _ => proposition(&mut ltl, set(id)?, fold),
            }
        };
        if ltl.formulas.too_deep() {
            return Err(CheckError::TooLarge { what: "nested operators in the path formula".to_string() });
        }
        done.insert(id, formula);
        ltl.root = formula;
    }
    Ok(ltl)
}

/// A set as a literal: of a proposition that is new, known, or the negation of a known one.
fn proposition(ltl: &mut Ltl, set: BitSet, fold: bool) -> volvelle_automata::FormulaId {
    let count = set.count();
    if fold && (count == 0 || count == set.len()) {
        return ltl.formulas.constant(count > 0);
    }
    let opposite = set.complement();
    for (i, known) in ltl.propositions.iter().enumerate() {
        if *known == set || *known == opposite {
            return ltl.formulas.literal(i as u32, *known == set);
        }
    }
    ltl.propositions.push(set);
    ltl.formulas.literal(ltl.propositions.len() as u32 - 1, true)
}

/// The steps of a bound, from and to; from 1 to 0 if there are none.
fn steps(kind: Kind, bound: &TimeBound) -> Result<(u64, u64), CheckError> {
    if bound.is_none() {
        return Ok((0, UNBOUNDED));
    }
    if kind == Kind::Ctmc {
        let what = "a time bound inside A, E, or a combination of temporal operators".to_string();
        return Err(CheckError::WrongKind { what, kind: kind.name() });
    }
    Ok(match window(kind, bound)? {
        Window::Empty => (1, 0),
        Window::Range { lower, upper } => (lower as u64, upper.map_or(UNBOUNDED, |u| u as u64)),
    })
}
