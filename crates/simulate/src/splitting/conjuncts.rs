//! A distance in the conjuncts of a condition: how far variables are from satisfying it.
//!
//! The distance of `x >= 5` is `max(0, 5 - x)`, that of `x = 5` is `|x - 5|`. Conjunctions add distances,
//! disjunctions take the smaller one. Other conditions have distance 0 or 1; so do parts that may fail, and
//! numbers whose difference may be large.

use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Node, Type, UnaryOp};
use volvelle_model::Program;
use volvelle_model::interval::{self, Env};

/// No distance is greater.
const FARTHEST: i64 = 1 << 30;

/// Distances to where a condition holds, and to where it fails: non-negative expressions of type `i64`.
#[derive(Clone, Copy)]
struct Distances {
    to_yes: ExprId,
    to_no: ExprId,
}

/// The importance of states for a target: the greatest distance minus that to the target. It never fails.
pub fn importance(program: &mut Program, target: ExprId) -> ExprId {
    let env = Env::new(program);
    let exprs = &mut program.exprs;
    let mut found: FxHashMap<ExprId, Distances> = FxHashMap::default();
    for id in exprs.needed([target]).into_iter().filter(|&id| exprs.ty(id) == Type::Bool).collect::<Vec<_>>()
    {
        let distances = of(exprs, &env, id, &found);
        found.insert(id, distances);
    }
    let farthest = exprs.i64(FARTHEST);
    let Some(distances) = found.get(&target) else { return exprs.i64(0) };
    let near = exprs.binary(BinaryOp::Min, distances.to_yes, farthest);
    exprs.binary(BinaryOp::Sub, farthest, near)
}

fn of(exprs: &mut Exprs, env: &Env, id: ExprId, found: &FxHashMap<ExprId, Distances>) -> Distances {
    let known = |id: ExprId| found.get(&id).copied();
    let both = |e: &mut Exprs, op: BinaryOp, a: ExprId, b: ExprId| {
        // Kept small, so that no sum leaves 64 bits.
        let value = e.binary(op, a, b);
        let farthest = e.i64(FARTHEST);
        e.binary(BinaryOp::Min, value, farthest)
    };
    match exprs.node(id) {
        Node::Unary { op: UnaryOp::Not, arg } => {
            if let Some(d) = known(arg) {
                return Distances { to_yes: d.to_no, to_no: d.to_yes };
            }
        }
        Node::And { lhs, rhs } => {
            if let Some((a, b)) = known(lhs).zip(known(rhs)) {
                let to_yes = both(exprs, BinaryOp::Add, a.to_yes, b.to_yes);
                return Distances { to_yes, to_no: both(exprs, BinaryOp::Min, a.to_no, b.to_no) };
            }
        }
        Node::Or { lhs, rhs } => {
            if let Some((a, b)) = known(lhs).zip(known(rhs)) {
                let to_yes = both(exprs, BinaryOp::Min, a.to_yes, b.to_yes);
                return Distances { to_yes, to_no: both(exprs, BinaryOp::Add, a.to_no, b.to_no) };
            }
        }
        Node::Binary { op, lhs, rhs } if op.is_comparison() => {
            if let Some(distances) = comparison(exprs, env, id, op, lhs, rhs) {
                return distances;
            }
        }
        _ => {}
    }
    plain(exprs, id)
}

/// 0 if the condition holds or may fail, else 1.
fn plain(exprs: &mut Exprs, id: ExprId) -> Distances {
    let (zero, one) = (exprs.i64(0), exprs.i64(1));
    if !exprs.is_infallible(id) {
        return Distances { to_yes: zero, to_no: zero };
    }
    Distances { to_yes: exprs.select(id, zero, one), to_no: exprs.select(id, one, zero) }
}

fn comparison(
    exprs: &mut Exprs,
    env: &Env,
    id: ExprId,
    op: BinaryOp,
    lhs: ExprId,
    rhs: ExprId,
) -> Option<Distances> {
    if !exprs.is_infallible(id) {
        return None;
    }
    // By how much the left side is greater, in integers.
    let is_int = exprs.ty(lhs) == Type::I64;
    let more = |e: &mut Exprs, a: ExprId, b: ExprId| {
        if is_int {
            let difference = e.binary(BinaryOp::Sub, a, b);
            let known = interval::of(e, difference, env)?;
            return known.within(-FARTHEST, FARTHEST).then_some(difference);
        }
        if e.ty(a) != Type::F64 {
            return None;
        }
        let difference = e.binary(BinaryOp::Sub, a, b);
        let (most, least) = (e.f64(FARTHEST as f64), e.f64(-(FARTHEST as f64)));
        let difference = e.binary(BinaryOp::Min, difference, most);
        let difference = e.binary(BinaryOp::Max, difference, least);
        let difference = e.unary(UnaryOp::Ceil, difference);
        Some(e.convert(Type::I64, difference))
    };
    let (above, below) = (more(exprs, lhs, rhs)?, more(exprs, rhs, lhs)?);
    let (zero, one) = (exprs.i64(0), exprs.i64(1));
    let excess = |e: &mut Exprs, by: ExprId, strict: bool| {
        // `a < b` misses by `a - b + 1`.
        let by = if strict { e.binary(BinaryOp::Add, by, one) } else { by };
        e.binary(BinaryOp::Max, by, zero)
    };
    let (to_yes, to_no) = match op {
        BinaryOp::Lt => (excess(exprs, above, true), excess(exprs, below, false)),
        BinaryOp::Le => (excess(exprs, above, false), excess(exprs, below, true)),
        BinaryOp::Gt => (excess(exprs, below, true), excess(exprs, above, false)),
        BinaryOp::Ge => (excess(exprs, below, false), excess(exprs, above, true)),
        BinaryOp::Eq | BinaryOp::Ne => {
            let apart = exprs.binary(BinaryOp::Max, above, below);
            let equal = exprs.select(id, one, zero);
            let differ = exprs.select(id, zero, one);
            if op == BinaryOp::Eq { (apart, equal) } else { (differ, apart) }
        }
        _ => return None,
    };
    Some(Distances { to_yes, to_no })
}
