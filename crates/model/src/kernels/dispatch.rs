//! Replaces consecutive tests of one integer by a jump: commands of control locations, or options of a loop.
//!
//! `if s=0 & a { A } if s=1 { B } if s=0 { C }` becomes `switch s { 0: if a { A } C; 1: B }`. Of a run of
//! tests that begin with an equality of the same field, only those with its value can succeed; they keep
//! their order. So the number of steps does not grow with the number of locations: n commands at n locations
//! take one jump.

use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Node, Stmt, Type};

/// Number of distinct values from which on a jump pays.
pub const FEWEST: usize = 8;

/// Number of tests of one field from which on a jump pays, however few values there are.
const MANY: usize = 32;

/// Turns runs of tests into jumps. `is_fixed` selects the integers (`i64`) that the block does not change;
/// only these are tested.
pub fn dispatch(block: Block, exprs: &mut Exprs, is_fixed: &dyn Fn(Node) -> bool) -> Block {
    let mut out = Block::with_capacity(block.len());
    let mut run: Vec<(Test, Block)> = Vec::new();
    for statement in block {
        match statement {
            Stmt::If { cond, then, otherwise } if otherwise.is_empty() => match test(cond, exprs, is_fixed) {
                Some(test) => {
                    if run.first().is_some_and(|(first, _)| first.on != test.on) {
                        end_run(&mut run, &mut out, exprs, is_fixed);
                    }
                    run.push((test, then));
                }
                None => {
                    end_run(&mut run, &mut out, exprs, is_fixed);
                    out.push(Stmt::If { cond, then, otherwise });
                }
            },
            other => {
                end_run(&mut run, &mut out, exprs, is_fixed);
                out.push(other);
            }
        }
    }
    end_run(&mut run, &mut out, exprs, is_fixed);
    out
}

/// Like [`dispatch`], for nested blocks, innermost first. Recursion is as deep as blocks nest in a step
/// kernel, which grows with the participants of a step.
pub fn dispatch_inside(block: Block, exprs: &mut Exprs, is_fixed: &dyn Fn(Node) -> bool) -> Block {
    let mut inner = |block: Block| dispatch_inside(block, exprs, is_fixed);
    let block = block.into_iter().map(|statement| match statement {
        Stmt::If { cond, then, otherwise } => {
            Stmt::If { cond, then: inner(then), otherwise: inner(otherwise) }
        }
        Stmt::For { local, from, to, body } => Stmt::For { local, from, to, body: inner(body) },
        other => other,
    });
    let block = block.collect();
    dispatch(block, exprs, is_fixed)
}

/// A condition that begins with an equality of an integer with a constant.
struct Test {
    cond: ExprId,
    on: ExprId,
    key: i64,
    /// The other conjuncts.
    rest: Option<ExprId>,
}

fn test(cond: ExprId, exprs: &mut Exprs, is_fixed: &dyn Fn(Node) -> bool) -> Option<Test> {
    let (mut first, mut rest) = (cond, Vec::new());
    while let Node::And { lhs, rhs } = exprs.node(first) {
        rest.push(rhs);
        first = lhs;
    }
    let Node::Binary { op: BinaryOp::Eq, lhs, rhs } = exprs.node(first) else {
        return None;
    };
    let (on, key) = match (exprs.as_const(lhs), exprs.as_const(rhs)) {
        (None, Some(key)) => (lhs, key.as_i64()?),
        (Some(key), None) => (rhs, key.as_i64()?),
        _ => return None,
    };
    if exprs.ty(on) != Type::I64 || !is_fixed(exprs.node(on)) {
        return None;
    }
    let rest = rest.into_iter().rev().reduce(|all, next| exprs.and(all, next));
    Some(Test { cond, on, key, rest })
}

fn end_run(
    run: &mut Vec<(Test, Block)>,
    out: &mut Block,
    exprs: &mut Exprs,
    is_fixed: &dyn Fn(Node) -> bool,
) {
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    for (test, _) in run.iter() {
        let next = places.len();
        places.entry(test.key).or_insert(next);
    }
    let plain = |(test, then): (Test, Block)| Stmt::If { cond: test.cond, then, otherwise: Block::new() };
    if places.len() < FEWEST && run.len() < MANY {
        out.extend(run.drain(..).map(plain));
        return;
    }
    let Some(on) = run.first().map(|(test, _)| test.on) else { return };
    let mut cases: Vec<(i64, Block)> = vec![(0, Block::new()); places.len()];
    for (test, then) in run.drain(..) {
        let (key, case) = &mut cases[places[&test.key]];
        *key = test.key;
        match test.rest {
            Some(cond) => case.push(Stmt::If { cond, then, otherwise: Block::new() }),
            None => case.extend(then),
        }
    }
    for (_, case) in &mut cases {
        // Recursion is as deep as conditions have further equalities, each in at least `FEWEST` or `MANY`
        // tests.
        *case = dispatch(std::mem::take(case), exprs, is_fixed);
    }
    cases.sort_by_key(|&(key, _)| key);
    out.push(Stmt::Switch { on, cases, default: Block::new() });
}
