//! What makes work differ among work-groups, or among the items of one.

use crate::expression::{Expr, Op, Ranges};
use crate::kernel::Test;
use crate::model::{Piece, Step};

/// The dividend and divisor of a remainder by a constant, if the dividend is never negative.
pub(crate) fn remainder<'e>(op: Op, both: &'e (Expr, Expr), ranges: &Ranges<'_>) -> Option<(&'e Expr, i64)> {
    let constant = |expr: &Expr| expr.same(ranges);
    let (of, modulus) = match op {
        Op::Rem => (&both.0, constant(&both.1)?),
        Op::BitAnd => {
            let (of, mask) = match constant(&both.1) {
                Some(mask) => (&both.0, mask),
                None => (&both.1, constant(&both.0)?),
            };
            (of, mask.checked_add(1).filter(|modulus| modulus.count_ones() == 1)?)
        }
        _ => return None,
    };
    (modulus > 0 && of.range(ranges)?.0 >= 0).then_some((of, modulus))
}

/// The first expression that makes the work of some steps differ among groups.
pub(crate) fn steps_differ<'s>(steps: &'s [Step], ranges: &Ranges<'_>) -> Option<&'s Expr> {
    steps.iter().find_map(|step| match step {
        Step::Barrier => None,
        Step::Region(region) if !region.depends.group => None,
        Step::Region(region) => pieces_differ(&region.work, ranges, Id::Group),
        Step::If { test, then, other } => match test.same(ranges) {
            Some(0) => steps_differ(other, ranges),
            Some(_) => steps_differ(then, ranges),
            None => differs(test, ranges, Id::Group)
                .or_else(|| steps_differ(then, ranges))
                .or_else(|| steps_differ(other, ranges)),
        },
        Step::Loop { test, trips, body, is_alike, .. } => {
            let inside = Ranges { any_iteration: true, ..*ranges };
            let deciding = match trips {
                Some(trips) if *is_alike => differs(trips, ranges, Id::Group),
                _ => differs(test, &inside, Id::Group),
            };
            deciding.or_else(|| steps_differ(body, &inside))
        }
    })
}

/// The id of a work-item in its group, or that of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    Local,
    Group,
}

/// The first expression with which some work differs by an id: the cost of a piece, or its control flow.
pub(crate) fn pieces_differ<'s>(pieces: &'s [Piece], ranges: &Ranges<'_>, id: Id) -> Option<&'s Expr> {
    let of = |pieces: &'s [Piece]| pieces_differ(pieces, ranges, id);
    pieces.iter().find_map(|piece| match piece {
        Piece::Cost(cost) => differs(&cost.time, ranges, id),
        Piece::If { test: Test::Known(test), then, other } => match test.same(ranges) {
            Some(0) => of(other),
            Some(_) => of(then),
            None => differs(test, ranges, id).or_else(|| of(then)).or_else(|| of(other)),
        },
        Piece::If { then, other, .. } => of(then).or_else(|| of(other)),
        Piece::Loop { trips: Some(trips), body, is_alike: true, .. } => match trips.same(ranges) {
            Some(..=0) => None,
            Some(_) => of(body),
            None => differs(trips, ranges, id).or_else(|| of(body)),
        },
        Piece::Loop { test, body, .. } => {
            let inside = Ranges { any_iteration: true, ..*ranges };
            differs(test, &inside, id).or_else(|| pieces_differ(body, &inside, id))
        }
    })
}

/// The part of an expression that makes its value differ with an id, if it may.
fn differs<'e>(expr: &'e Expr, ranges: &Ranges<'_>, id: Id) -> Option<&'e Expr> {
    if is_same(expr, ranges, id) {
        return None;
    }
    let of = |expr: &'e Expr| differs(expr, ranges, id);
    let part = match expr {
        Expr::Not(inner, _) => of(inner),
        Expr::Binary(Op::And | Op::Or, both, _) => of(&both.0).or_else(|| of(&both.1)),
        Expr::Choose(all, _) => of(&all.0).or_else(|| of(&all.1)).or_else(|| of(&all.2)),
        _ => None,
    };
    Some(part.unwrap_or(expr))
}

/// Whether an expression has the same value whatever an id is, all else being equal.
fn is_same(expr: &Expr, ranges: &Ranges<'_>, id: Id) -> bool {
    let dependence = expr.dependence();
    let depends = match id {
        Id::Local => dependence.local,
        Id::Group => dependence.group,
    };
    if !depends || expr.same(ranges).is_some() {
        return true;
    }
    let all = |expr: &Expr| is_same(expr, ranges, id);
    match expr {
        Expr::Not(inner, _) => all(inner),
        Expr::Choose(of, _) => all(&of.0) && all(&of.1) && all(&of.2),
        Expr::Binary(op, both, _) => (all(&both.0) && all(&both.1)) || repeats(*op, both, ranges, id),
        _ => false,
    }
}

/// Whether a remainder is the same for all groups: the dividend grows by a multiple of the divisor from each
/// group to the next.
fn repeats(op: Op, both: &(Expr, Expr), ranges: &Ranges<'_>, id: Id) -> bool {
    let Some((of, modulus)) = remainder(op, both, ranges).filter(|_| id == Id::Group) else { return false };
    (0..3_u8).all(|dimension| {
        let at = usize::from(dimension);
        let (first, last) = ranges.group[at];
        let step = ranges.coefficient(of, dimension).and_then(|by| by.checked_mul(ranges.group_steps[at]));
        first == last || step.is_some_and(|step| step % modulus == 0)
    })
}
