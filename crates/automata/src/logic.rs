//! From path formulas of the logic (`volvelle-logic`) to formulas of automata: one operator at a time, or, for a formula that finite
//! paths satisfy, all of it, such that the step counts in which it is met. State formulas are up to the caller.

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

/// A co-safe path formula whose automaton accepts everything at the very step at which the *syntactic progression* of the formula
/// is true. Of `X φ` progression leaves `φ` for the next state, whatever `φ` is: `X true` is met one step later, although every
/// path satisfies it from the start. (PRISM: Klein et al., *Advances in probabilistic model checking with PRISM*, STTT 20, 2018,
/// section 4, where `X φ` is read as `X (φ & f)` with a proposition `f` that holds in every state.) Negations are
/// pushed inwards first, so that `!(X false)` is `X true`.
///
/// `literal` is the formula of a state formula, `TRUE` or `FALSE` where that is known; `always` is a literal that holds in
/// every state, and is asked for where one is needed; `steps` as for [`operator`]. `None` stands for a formula that is too
/// deep ([`Formulas::too_deep`]) or that has other operators.
///
/// # Errors
/// The errors of `literal` and `steps`.
pub fn progression<E>(
    formulas: &mut Formulas,
    arena: &Arena,
    is_path: impl Fn(PathId) -> bool,
    root: PathId,
    mut literal: impl FnMut(&mut Formulas, PathId) -> Result<FormulaId, E>,
    mut always: impl FnMut(&mut Formulas) -> FormulaId,
    steps: impl Fn(&TimeBound) -> Result<(u64, u64), E>,
) -> Result<Option<FormulaId>, E> {
    // Which formulas occur, as they are and negated.
    let mut occurs = vec![[false; 2]; root.index() + 1];
    occurs[root.index()][0] = true;
    for i in (0..occurs.len()).rev() {
        let id = PathId(i as u32);
        if occurs[i] == [false; 2] || !is_path(id) {
            continue;
        }
        let node = arena.get(id);
        for operand in node.operands() {
            for negated in [false, true] {
                let below = negated != matches!(node, Formula::Not(_));
                occurs[operand.index()][usize::from(below)] |= occurs[i][usize::from(negated)];
            }
        }
    }
    let mut done = vec![[Formulas::FALSE; 2]; occurs.len()];
    for i in 0..occurs.len() {
        let id = PathId(i as u32);
        for negated in [false, true] {
            if !occurs[i][usize::from(negated)] {
                continue;
            }
            let formula = if is_path(id) {
                let of = |operand: PathId, flip: bool| done[operand.index()][usize::from(negated != flip)];
                progressed(formulas, arena.get(id), negated, of, &mut always, &steps)?
            } else {
                let literal = literal(formulas, id)?;
                Some(if negated { formulas.not(literal) } else { literal })
            };
            let Some(formula) = formula.filter(|_| !formulas.too_deep()) else { return Ok(None) };
            done[i][usize::from(negated)] = formula;
        }
    }
    Ok(Some(done[root.index()][0]))
}

/// One operator of [`progression`], or its negation. `of` gives an operand with the polarity of the operator, or flipped.
fn progressed<E>(
    formulas: &mut Formulas,
    node: &Formula,
    negated: bool,
    of: impl Fn(PathId, bool) -> FormulaId,
    always: &mut impl FnMut(&mut Formulas) -> FormulaId,
    steps: impl Fn(&TimeBound) -> Result<(u64, u64), E>,
) -> Result<Option<FormulaId>, E> {
    // What is due in a later state has to be looked at there.
    let mut due =
        |formulas: &mut Formulas, id: FormulaId| if id == Formulas::TRUE { always(formulas) } else { id };
    Ok(Some(match *node {
        Formula::Not(a) => of(a, true),
        Formula::And(a, b) if !negated => formulas.and(of(a, false), of(b, false)),
        Formula::Or(a, b) if negated => formulas.and(of(a, false), of(b, false)),
        Formula::And(a, b) | Formula::Or(a, b) => formulas.or(of(a, false), of(b, false)),
        Formula::Next(a, bound) => match steps(&bound)? {
            (0..=1, 1..) => {
                let next = due(formulas, of(a, false));
                formulas.next(next)
            }
            _ => formulas.constant(negated),
        },
        Formula::Until(a, b, bound) | Formula::Release(a, b, bound) | Formula::WeakUntil(a, b, bound) => {
            let (lower, upper) = steps(&bound)?;
            let (a, mut b) = (of(a, false), of(b, false));
            let weak = matches!(node, Formula::WeakUntil(..));
            if matches!(node, Formula::Until(..)) != negated {
                if weak {
                    // The negation of `α W β` is `!β U (!α & !β)`.
                    let fails = formulas.and(a, b);
                    let goal = if lower > 0 { due(formulas, fails) } else { fails };
                    return Ok(Some(formulas.until(b, goal, lower, upper)));
                }
                if lower > 0 {
                    b = due(formulas, b);
                }
                formulas.until(a, b, lower, upper)
            } else if weak {
                // `α W β` is `β R (α | β)`.
                let either = formulas.or(a, b);
                let either = due(formulas, either);
                formulas.release(b, either, lower, upper)
            } else {
                b = due(formulas, b);
                formulas.release(a, b, lower, upper)
            }
        }
        _ => return Ok(None),
    }))
}
