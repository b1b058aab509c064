//! Bounds of expressions over all work-items: interval arithmetic (R. E. Moore, *Interval Analysis*, 1966).
//!
//! An expression that is the same for all items needs to be computed once. Whether a condition such as
//! `get_global_id(0) < n` is the same everywhere, or the number of iterations of
//! `for (i = get_global_id(0); i < n; i += get_global_size(0))`, depends on the configuration. Bounds show
//! it.

use super::{Expr, Op, Values, apply};

/// Bounds of the leaves of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Ranges<'a> {
    /// Names and counters have these values.
    pub values: Values<'a>,
    /// The least and the greatest id of a work-item within its group.
    pub local: [(i64, i64); 3],
    /// The least and the greatest id of a group.
    pub group: [(i64, i64); 3],
    /// From one of these groups to the next in each dimension.
    pub group_steps: [i64; 3],
    /// Whether counters may be anything instead.
    pub any_iteration: bool,
}

impl Expr {
    /// Bounds of all values; `None` if they are unknown, or if the expression may have no value.
    pub fn range(&self, of: &Ranges<'_>) -> Option<(i64, i64)> {
        Some(match self {
            Expr::Local(dimension) => of.local[usize::from(*dimension)],
            Expr::Group(dimension) => of.group[usize::from(*dimension)],
            Expr::Counter(_) if of.any_iteration => return None,
            Expr::Int(_) | Expr::Name(_) | Expr::Counter(_) => {
                let value = self.value(&of.values).ok()?;
                (value, value)
            }
            Expr::Not(inner, _) => {
                let holds = truth(inner.range(of)?);
                (i64::from(holds == Some(false)), i64::from(holds != Some(true)))
            }
            Expr::Binary(op, both, _) => {
                let a = both.0.range(of)?;
                match (op, truth(a)) {
                    (Op::And, Some(false)) => (0, 0),
                    (Op::Or, Some(true)) => (1, 1),
                    _ => binary(*op, a, both.1.range(of)?)?,
                }
            }
            Expr::Choose(all, _) => match truth(all.0.range(of)?) {
                Some(true) => all.1.range(of)?,
                Some(false) => all.2.range(of)?,
                None => {
                    let (yes, no) = (all.1.range(of)?, all.2.range(of)?);
                    (yes.0.min(no.0), yes.1.max(no.1))
                }
            },
        })
    }

    /// Its value, if it is the same for all work-items.
    pub fn same(&self, of: &Ranges<'_>) -> Option<i64> {
        let (lo, hi) = self.range(of)?;
        (lo == hi).then_some(lo)
    }
}

impl Ranges<'_> {
    /// How much an expression grows from a group to the next in a dimension, if that is the same everywhere.
    pub(crate) fn coefficient(&self, expr: &Expr, dimension: u8) -> Option<i64> {
        let of = |expr: &Expr| self.coefficient(expr, dimension);
        match expr {
            Expr::Group(own) => Some(i64::from(*own == dimension)),
            Expr::Binary(Op::Add, both, _) => of(&both.0)?.checked_add(of(&both.1)?),
            Expr::Binary(Op::Sub, both, _) => of(&both.0)?.checked_sub(of(&both.1)?),
            Expr::Binary(Op::Mul, both, _) => match (both.0.same(self), both.1.same(self)) {
                (Some(factor), _) => of(&both.1)?.checked_mul(factor),
                (_, Some(factor)) => of(&both.0)?.checked_mul(factor),
                _ => self.without(expr, dimension),
            },
            Expr::Binary(Op::Shl, both, _) => match both.1.same(self).filter(|by| (0..62).contains(by)) {
                Some(by) => of(&both.0)?.checked_mul(1 << by),
                None => self.without(expr, dimension),
            },
            _ => self.without(expr, dimension),
        }
    }

    /// 0 if the id of the group does not occur in the expression.
    fn without(&self, expr: &Expr, dimension: u8) -> Option<i64> {
        let mut occurs = false;
        expr.leaves(&mut |leaf| occurs |= *leaf == Expr::Group(dimension));
        (!occurs).then_some(0)
    }
}

/// The value of a condition if it is the same for all values within bounds.
fn truth((lo, hi): (i64, i64)) -> Option<bool> {
    match (lo, hi) {
        (0, 0) => Some(false),
        _ if lo > 0 || hi < 0 => Some(true),
        _ => None,
    }
}

fn binary(op: Op, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let condition = |always: bool, never: bool| Some((i64::from(always), i64::from(!never)));
    match op {
        // These rise or fall with each operand, so that bounds are at corners.
        Op::Add | Op::Sub | Op::Mul | Op::Min | Op::Max => corners(op, a, b),
        Op::Div if b.0 > 0 => corners(op, a, b),
        Op::Shl | Op::Shr if b.0 == b.1 => corners(op, a, b),
        Op::Rem if b.0 > 0 && a.0 >= 0 => match b.0 == b.1 && a.0 / b.0 == a.1 / b.0 {
            true => Some((a.0 % b.0, a.1 % b.0)),
            false => Some((0, a.1.min(b.1 - 1))),
        },
        Op::Lt => condition(a.1 < b.0, a.0 >= b.1),
        Op::Le => condition(a.1 <= b.0, a.0 > b.1),
        Op::Gt => condition(a.0 > b.1, a.1 <= b.0),
        Op::Ge => condition(a.0 >= b.1, a.1 < b.0),
        Op::Eq => condition(a.0 == a.1 && a == b, a.1 < b.0 || b.1 < a.0),
        Op::Ne => condition(a.1 < b.0 || b.1 < a.0, a.0 == a.1 && a == b),
        Op::And => condition(
            truth(a) == Some(true) && truth(b) == Some(true),
            truth(a) == Some(false) || truth(b) == Some(false),
        ),
        Op::Or => condition(
            truth(a) == Some(true) || truth(b) == Some(true),
            truth(a) == Some(false) && truth(b) == Some(false),
        ),
        _ if a.0 == a.1 && b.0 == b.1 => corners(op, a, b),
        Op::BitAnd if a.0 >= 0 && b.0 >= 0 => Some((0, a.1.min(b.1))),
        _ => None,
    }
}

fn corners(op: Op, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let mut found: Option<(i64, i64)> = None;
    for (x, y) in [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)] {
        let value = apply(op, x, y).ok()?;
        found = Some(found.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::NameId;
    use volvelle_random::Random;

    fn generated(random: &mut Random, depth: u32) -> Expr {
        if depth == 0 || random.below(5) == 0 {
            return match random.below(6) {
                0 => Expr::Int(random.below(9) as i64 - 2),
                1 => Expr::Name(NameId(random.below(2) as u32)),
                2 | 3 => Expr::Local(random.below(2) as u8),
                _ => Expr::Group(0),
            };
        }
        const OPS: [Op; 21] = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Rem,
            Op::Shl,
            Op::Shr,
            Op::BitAnd,
            Op::BitOr,
            Op::BitXor,
            Op::And,
            Op::Or,
            Op::Lt,
            Op::Le,
            Op::Gt,
            Op::Ge,
            Op::Eq,
            Op::Ne,
            Op::Min,
            Op::Max,
            Op::Pow,
        ];
        let (a, b) = (generated(random, depth - 1), generated(random, depth - 1));
        match random.below(12) {
            0 => a.negate(),
            1 => Expr::choose(generated(random, depth - 1), a, b),
            _ => Expr::binary(OPS[random.below(21)], a, b),
        }
    }

    /// All values lie within the bounds, and expressions with bounds have values.
    #[test]
    fn bounds_hold_for_all_items() {
        let mut random = Random(5);
        let (mut known, mut same) = (0, 0);
        for _ in 0..20_000 {
            let expr = generated(&mut random, 4);
            let names = [random.below(20) as i64 - 4, 1 << random.below(6)];
            let values = Values { names: &names, local: [0; 3], group: [0; 3], counters: &[] };
            let (local, group) = ([(0, 3), (0, 2), (0, 0)], [(1, 4), (0, 0), (0, 0)]);
            let of = Ranges { values, local, group, group_steps: [1; 3], any_iteration: false };
            let Some((lo, hi)) = expr.range(&of) else { continue };
            known += 1;
            same += u32::from(lo == hi);
            for (x, y, group) in
                (0..4).flat_map(|x| (0..3).flat_map(move |y| (1..5).map(move |group| (x, y, group))))
            {
                let at = Values { local: [x, y, 0], group: [group, 0, 0], ..values };
                let value = expr.value(&at);
                assert!(
                    value.is_ok_and(|value| (lo..=hi).contains(&value)),
                    "{expr:?} {names:?}: {lo} {hi} {value:?}"
                );
            }
        }
        assert!(known > 5_000 && same > 2_000, "{known} {same}");
    }
}
