//! Leaving loops before their end: `break` and `return` under conditions on counters.
//!
//! A loop is left in the first iteration in which the condition holds. If the condition stays true as the
//! counter goes up, or holds in a single iteration (`if (i == n - 1) break`), the loop continues while the
//! condition did not hold in the previous iteration.

use super::Lowerer;
use super::loops::{Trend, slope, stays_false, trend, trips};
use super::lowerer::LoopExit;
use crate::expression::{Expr, Op};
use tree_sitter::Node as Syntax;

/// How long an iteration is not left, and since when it was.
struct Leaving {
    /// It has not been left up to this iteration.
    stays: Expr,
    /// It was left in this iteration or one before, had there been as many.
    left: Expr,
    /// The number of iterations before it is left; `None` if no expression describes it.
    after: Option<Expr>,
}

/// The condition under which a loop continues, and its number of iterations.
type Bound = (Expr, Option<Expr>);

impl Lowerer<'_> {
    /// Records that the enclosing loop is left here. Returns whether the condition for that is known.
    pub(super) fn note_exit(&mut self, returns: bool) -> bool {
        let innermost = self.scopes.iter().rposition(|scope| scope.is_loop);
        let at = match returns {
            true => innermost,
            false => self.scopes.len().checked_sub(1).filter(|at| Some(*at) == innermost),
        };
        let Some(scope) = at.map(|at| &mut self.scopes[at]) else { return false };
        let conditions: Option<Vec<Expr>> = self.path[scope.outside..].iter().cloned().collect();
        let when = conditions.map(|all| {
            all.into_iter().fold(Expr::Int(1), |all, one| match all {
                Expr::Int(1) => one,
                all => Expr::binary(Op::And, all, one),
            })
        });
        let is_known = when.is_some();
        scope.exits.push(LoopExit { when, returns });
        is_known
    }

    /// The bound of a loop that is left early, and the condition under which the function returns from it.
    /// `None` after a diagnostic.
    pub(super) fn with_exits(
        &mut self,
        node: Syntax<'_>,
        (mut test, mut trips): Bound,
        exits: &[LoopExit],
        counter: u16,
    ) -> Option<(Bound, Option<Expr>)> {
        let known = exits.iter().filter_map(|exit| Some((exit.when.as_ref()?, exit.returns)));
        let known: Vec<(&Expr, bool)> = known.collect();
        let help = "give the number of iterations before the loop: `// volvelle: trips = size / TS`";
        let mut returned = None;
        let k = Expr::Counter(counter);
        let first = Expr::binary(Op::Eq, k.clone(), Expr::Int(0));
        for (when, returns) in &known {
            let Some(leaving) = leaving(when, counter).filter(|leaving| !leaving.stays.is_too_deep()) else {
                let shown = self.show(when);
                let message =
                    format!("the iteration in which the loop is left cannot be derived from `{shown}`");
                self.refuse(node, message, help);
                return None;
            };
            if *returns {
                let ends = trips.clone().filter(|_| known.len() == 1);
                returned = ends.map(|ends| {
                    let last = Expr::binary(Op::Sub, ends.clone(), Expr::Int(1));
                    let left = leaving.left.replace(&mut |leaf| (*leaf == k).then(|| last.clone()));
                    Expr::binary(Op::And, Expr::binary(Op::Gt, ends, Expr::Int(0)), left)
                });
                // An endless loop is left only so.
                if returned.is_none() && known.iter().all(|(_, returns)| *returns) && test == Expr::Int(1) {
                    returned = Some(Expr::Int(1));
                }
                if returned.is_none() {
                    let message = "a loop that may end in several ways leaves the function";
                    self.refuse(node, message, help);
                    return None;
                }
            }
            let is_endless = test == Expr::Int(1);
            let before = Expr::binary(Op::Sub, k.clone(), Expr::Int(1));
            let stayed = leaving.stays.replace(&mut |leaf| (*leaf == k).then(|| before.clone()));
            let goes_on = Expr::binary(Op::Or, first.clone(), stayed);
            test = if is_endless { goes_on } else { Expr::binary(Op::And, test, goes_on) };
            trips = match (trips, leaving.after) {
                (Some(trips), Some(after)) => Some(Expr::binary(Op::Min, trips, after)),
                (None, after) if is_endless => after,
                _ => None,
            };
            trips = trips.filter(|trips| !trips.is_too_deep());
        }
        Some(((test, trips), returned))
    }
}

/// The negation of a comparison as a comparison.
fn inverse(test: &Expr) -> Option<Expr> {
    let Expr::Binary(op, both, _) = test else { return None };
    let op = match op {
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Ge => Op::Lt,
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        _ => return None,
    };
    Some(Expr::binary(op, both.0.clone(), both.1.clone()))
}

/// When a loop is left in the first iteration in which a condition holds.
fn leaving(when: &Expr, counter: u16) -> Option<Leaving> {
    if !when.uses_counter(counter) {
        let after = (*when == Expr::Int(1)).then_some(Expr::Int(1));
        return Some(Leaving { stays: when.clone().negate(), left: when.clone(), after });
    }
    let truth = |expr: &Expr| if expr.is_truth() { expr.clone() } else { expr.clone().negate().negate() };
    match when {
        Expr::Not(inner, _) => match &**inner {
            Expr::Binary(op @ (Op::And | Op::Or), both, _) => {
                let op = if *op == Op::And { Op::Or } else { Op::And };
                leaving(&Expr::binary(op, both.0.clone().negate(), both.1.clone().negate()), counter)
            }
            inner => leaving(&inverse(inner)?, counter),
        },
        Expr::Binary(Op::And, both, _) => {
            let (of, with) = match both.0.uses_counter(counter) {
                true if both.1.uses_counter(counter) => return None,
                true => (&both.0, &both.1),
                false => (&both.1, &both.0),
            };
            let of = leaving(of, counter)?;
            Some(Leaving {
                stays: Expr::binary(Op::Or, with.clone().negate(), of.stays),
                left: Expr::binary(Op::And, truth(with), of.left),
                after: None,
            })
        }
        Expr::Binary(Op::Or, both, _) => {
            let (a, b) = (leaving(&both.0, counter)?, leaving(&both.1, counter)?);
            Some(Leaving {
                stays: Expr::binary(Op::And, a.stays, b.stays),
                left: Expr::binary(Op::Or, a.left, b.left),
                after: a.after.zip(b.after).map(|(a, b)| Expr::binary(Op::Min, a, b)),
            })
        }
        Expr::Binary(Op::Eq, both, _) => {
            equal(&both.0, &both.1, counter).or_else(|| equal(&both.1, &both.0, counter))
        }
        _ => {
            let stays = inverse(when)?;
            stays_false(&stays, counter).then(|| Leaving {
                after: iterations(&stays, counter),
                stays,
                left: when.clone(),
            })
        }
    }
}

/// The number of iterations of a loop that continues while a condition held in the previous iteration.
fn iterations(stays: &Expr, counter: u16) -> Option<Expr> {
    let k = Expr::Counter(counter);
    let before = Expr::binary(Op::Sub, k.clone(), Expr::Int(1));
    let stayed = stays.replace(&mut |leaf| (*leaf == k).then(|| before.clone()));
    trips(&stayed, counter).map(|trips| Expr::binary(Op::Max, Expr::Int(1), trips))
}

/// Leaving when a value that moves by a constant step equals a constant one.
fn equal(moving: &Expr, staying: &Expr, counter: u16) -> Option<Leaving> {
    if staying.uses_counter(counter) {
        return None;
    }
    let Expr::Int(step) = slope(moving, counter)? else { return None };
    let is_up = match trend(moving, counter) {
        Trend::Up if step > 0 => true,
        Trend::Down if step < 0 => false,
        _ => return None,
    };
    let start = moving.replace(&mut |leaf| (*leaf == Expr::Counter(counter)).then_some(Expr::Int(0)));
    let (low, high) = if is_up { (start, staying.clone()) } else { (staying.clone(), start) };
    let distance = Expr::binary(Op::Sub, high.clone(), low.clone());
    let fits = Expr::binary(Op::Rem, distance, Expr::Int(step.checked_abs()?));
    let is_met =
        Expr::binary(Op::And, Expr::binary(Op::Le, low, high), Expr::binary(Op::Eq, fits, Expr::Int(0)));
    let (before, since) = if is_up { (Op::Lt, Op::Ge) } else { (Op::Gt, Op::Le) };
    let not_yet = Expr::binary(before, moving.clone(), staying.clone());
    Some(Leaving {
        after: iterations(&not_yet, counter).filter(|_| is_met == Expr::Int(1)),
        left: Expr::binary(Op::And, is_met.clone(), Expr::binary(since, moving.clone(), staying.clone())),
        stays: Expr::binary(Op::Or, not_yet, is_met.negate()),
    })
}
