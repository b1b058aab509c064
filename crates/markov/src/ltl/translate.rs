//! From path formulas of the logic to formulas of automata.

use std::collections::HashMap;

use volvelle_automata::{Formulas, UNBOUNDED};
use volvelle_logic::{Formula, FormulaId, Formulas as Arena, TimeBound};
use volvelle_space::{BitSet, Kind};

use super::Ltl;
use crate::error::CheckError;
use crate::transient::{Window, window};

/// Translates a path formula. `set` gives the states of a state formula. With `fold` a proposition that holds
/// everywhere or nowhere becomes a constant; without, it is read like others, which matters to when exactly a formula
/// counts as satisfied.
pub fn translate(
    kind: Kind,
    arena: &Arena,
    is_path: &[bool],
    root: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
    fold: bool,
) -> Result<Ltl, CheckError> {
    let mut ltl = Ltl { formulas: Formulas::new(), root: Formulas::TRUE, propositions: Vec::new() };
    let mut done: HashMap<FormulaId, volvelle_automata::FormulaId> = HashMap::new();
    for id in path_nodes(arena, is_path, root) {
        let formula = if is_path[id.0 as usize] {
            temporal(kind, arena, id, &done, &mut ltl.formulas)?
        } else {
            match *arena.get(id) {
                Formula::Bool(value) => ltl.formulas.constant(value),
                _ => proposition(&mut ltl, set(id)?, fold),
            }
        };
        if ltl.formulas.too_deep() {
            return Err(CheckError::TooLarge {
                what: "operators inside of others in the path formula".to_string(),
            });
        }
        done.insert(id, formula);
        ltl.root = formula;
    }
    Ok(ltl)
}

/// The path formulas below a root, and the state formulas that they refer to; operands first, the root last.
pub fn path_nodes(arena: &Arena, is_path: &[bool], root: FormulaId) -> Vec<FormulaId> {
    let mut wanted = vec![false; root.0 as usize + 1];
    wanted[root.0 as usize] = true;
    for i in (0..wanted.len()).rev() {
        if wanted[i] && is_path[i] {
            for operand in crate::evaluate::operands(arena.get(FormulaId(i as u32))) {
                wanted[operand.0 as usize] = true;
            }
        }
    }
    (0..=root.0).map(FormulaId).filter(|id| wanted[id.0 as usize]).collect()
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

fn temporal(
    kind: Kind,
    arena: &Arena,
    id: FormulaId,
    done: &HashMap<FormulaId, volvelle_automata::FormulaId>,
    formulas: &mut Formulas,
) -> Result<volvelle_automata::FormulaId, CheckError> {
    let of = |id: FormulaId| done[&id];
    Ok(match *arena.get(id) {
        Formula::Not(a) => formulas.not(of(a)),
        Formula::And(a, b) => formulas.and(of(a), of(b)),
        Formula::Or(a, b) => formulas.or(of(a), of(b)),
        Formula::Next(a, bound) => match steps(kind, &bound)? {
            (0..=1, 1..) => formulas.next(of(a)),
            _ => Formulas::FALSE,
        },
        Formula::Until(a, b, bound) => {
            let (lower, upper) = steps(kind, &bound)?;
            formulas.until(of(a), of(b), lower, upper)
        }
        Formula::WeakUntil(a, b, bound) => {
            // The negation of `not b U (not a and not b)`.
            let (lower, upper) = steps(kind, &bound)?;
            let either = formulas.or(of(a), of(b));
            formulas.release(of(b), either, lower, upper)
        }
        Formula::Release(a, b, bound) => {
            let (lower, upper) = steps(kind, &bound)?;
            formulas.release(of(a), of(b), lower, upper)
        }
        _ => {
            let what = "a path formula stands where a state formula is expected".to_string();
            return Err(CheckError::TypeMismatch { what });
        }
    })
}

/// The steps of a bound, from and to; from 1 to 0 if there are none.
fn steps(kind: Kind, bound: &TimeBound) -> Result<(u64, u64), CheckError> {
    if bound.is_none() {
        return Ok((0, UNBOUNDED));
    }
    if kind == Kind::Ctmc {
        let what = "a time bound inside of A, E, or a combination of temporal operators".to_string();
        return Err(CheckError::WrongKind { what, kind: kind.name() });
    }
    Ok(match window(kind, bound)? {
        Window::Empty => (1, 0),
        Window::Range { lower, upper } => (lower as u64, upper.map_or(UNBOUNDED, |u| u as u64)),
    })
}
