//! From path formulas of the logic (`volvelle-logic`) to formulas of automata: one operator at a time, independent of state formulas
//! to the caller.

use crate::formula::{FormulaId, Formulas};
use volvelle_logic::{Formula, FormulaId as PathId, Formulas as Arena, TimeBound};

/// The path formulas below a root, and the state formulas that they refer to; operands first, the root last.
pub fn nodes(arena: &Arena, is_path: impl Fn(PathId) -> bool, root: PathId) -> Vec<PathId> {
    let mut wanted = vec![false; root.index() + 1];
    wanted[root.index()] = true;
    for i in (0..wanted.len()).rev() {
        let id = PathId(i as u32);
        if wanted[i] && is_path(id) {
            match *arena.get(id) {
                Formula::Not(a) | Formula::Next(a, _) => wanted[a.index()] = true,
                Formula::And(a, b)
                | Formula::Or(a, b)
                | Formula::Until(a, b, _)
                | Formula::WeakUntil(a, b, _)
                | Formula::Release(a, b, _) => {
                    wanted[a.index()] = true;
                    wanted[b.index()] = true;
                }
                _ => {}
            }
        }
    }
    (0..=root.0).map(PathId).filter(|id| wanted[id.index()]).collect()
}

/// The formula for an operator on paths whose operands are known; `None` if it is no such operator. `steps` gives the
/// steps of a bound, from and to ([`UNBOUNDED`](crate::UNBOUNDED): no upper bound); from 1 to 0 if there are none.
///
/// # Errors
/// The errors of `steps`.
pub fn operator<E>(
    formulas: &mut Formulas,
    formula: &Formula,
    of: impl Fn(PathId) -> FormulaId,
    steps: impl Fn(&TimeBound) -> Result<(u64, u64), E>,
) -> Result<Option<FormulaId>, E> {
    Ok(Some(match *formula {
        Formula::Not(a) => formulas.not(of(a)),
        Formula::And(a, b) => formulas.and(of(a), of(b)),
        Formula::Or(a, b) => formulas.or(of(a), of(b)),
        Formula::Next(a, bound) => match steps(&bound)? {
            (0..=1, 1..) => formulas.next(of(a)),
            _ => Formulas::FALSE,
        },
        Formula::Until(a, b, bound) => {
            let (lower, upper) = steps(&bound)?;
            formulas.until(of(a), of(b), lower, upper)
        }
        Formula::WeakUntil(a, b, bound) => {
            // The negation of `not b U (not a and not b)`.
            let (lower, upper) = steps(&bound)?;
            let either = formulas.or(of(a), of(b));
            formulas.release(of(b), either, lower, upper)
        }
        Formula::Release(a, b, bound) => {
            let (lower, upper) = steps(&bound)?;
            formulas.release(of(a), of(b), lower, upper)
        }
        _ => return Ok(None),
    }))
}
