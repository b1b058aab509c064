//! The evaluator against a plain recursive one, and where it must not run away.

use volvelle_kernel::generate::Case;
use volvelle_kernel::interp::{self, EvalError, Evaluator, eval};
use volvelle_kernel::{
    BinaryOp, CheckedOp, Const, ExprId, Exprs, FailKind, Kernel, Node, Site, Type, UnaryOp,
};

/// The definition, read aloud: recursive, without memory.
fn slow(exprs: &Exprs, id: ExprId, locals: &[Const]) -> Result<Const, EvalError> {
    let of = |id| slow(exprs, id, locals);
    let fail = |site: Site| EvalError::Failed(site);
    match exprs.node(id) {
        Node::Const(c) => Ok(c),
        Node::Local(local, _) => Ok(locals[local.index()]),
        Node::Load { buffer, index, .. } => of(index).and(Err(EvalError::Buffer(buffer))),
        Node::Len(buffer) => Err(EvalError::Buffer(buffer)),
        Node::Unary { op, arg } => Ok(interp::unary(op, of(arg)?)),
        Node::Binary { op, lhs, rhs } => {
            let lhs = of(lhs)?;
            Ok(interp::binary(op, lhs, of(rhs)?))
        }
        Node::Checked { op, lhs, rhs, site } => {
            let lhs = of(lhs)?;
            interp::checked(op, lhs, of(rhs)?).ok_or(fail(site))
        }
        Node::Convert { to, arg } => Ok(interp::convert(to, of(arg)?)),
        Node::Reinterpret { to, arg } => Ok(interp::reinterpret(to, of(arg)?)),
        Node::CheckedConvert { to, arg, site } => interp::checked_convert(to, of(arg)?).ok_or(fail(site)),
        Node::Range { arg, lo, hi, site } => {
            let value = of(arg)?;
            if interp::in_range(value, lo, hi) { Ok(value) } else { Err(fail(site)) }
        }
        Node::Select { cond, yes, no } => of(if of(cond)? == Const::bool(true) { yes } else { no }),
        Node::And { lhs, rhs } => {
            if of(lhs)? == Const::bool(true) {
                of(rhs)
            } else {
                Ok(Const::bool(false))
            }
        }
        Node::Or { lhs, rhs } => {
            if of(lhs)? == Const::bool(true) {
                Ok(Const::bool(true))
            } else {
                of(rhs)
            }
        }
        Node::Math { f, args } => {
            let x = of(args[0])?;
            Ok(interp::math(f, x, of(args[1])?))
        }
        Node::MulAdd { args: [x, y, z] } => {
            let (x, y) = (of(x)?, of(y)?);
            Ok(interp::mul_add(x, y, of(z)?))
        }
    }
}

/// Values for the locals of a kernel: its parameters, then values that depend on the seed.
fn locals(case: &Case, seed: u64) -> Vec<Const> {
    let mut values = case.params.clone();
    for (i, decl) in case.kernel.locals.iter().enumerate().skip(values.len()) {
        values.push(interp::convert(decl.ty, Const::i64((seed as i64 + i as i64) % 7 - 3)));
    }
    values
}

#[test]
fn every_expression_has_the_value_of_the_definition() {
    let (mut values, mut failures, mut buffers) = (0, 0, 0);
    for seed in 0..1500 {
        let case = Case::from_seed(seed);
        let locals = locals(&case, seed);
        let exprs = &case.kernel.exprs;
        // By recursion, with the explicit stack, and changing from one to the other.
        let mut evaluators = [48, 0, 1, 3].map(Evaluator::recursing_to);
        for id in exprs.ids() {
            let expected = slow(exprs, id, &locals);
            for evaluator in &mut evaluators {
                assert_eq!(evaluator.eval(exprs, id, &locals), expected, "seed {seed}, expression {}", id.0);
            }
            match expected {
                Ok(value) => {
                    assert_eq!(value.ty, exprs.ty(id));
                    values += 1;
                }
                Err(EvalError::Failed(_)) => failures += 1,
                Err(_) => buffers += 1,
            }
        }
    }
    assert!(values > 10_000 && failures > 1000 && buffers > 1000, "{values} {failures} {buffers}");
}

/// Builder methods fold; what they build means the same as the nodes as they were written.
#[test]
fn folding_changes_neither_values_nor_failures() {
    let mut smaller = 0;
    for seed in 0..1500 {
        let case = Case::from_seed(seed);
        let locals = locals(&case, seed);
        let exprs = &case.kernel.exprs;
        let mut built = Exprs::new();
        let mut ids: Vec<ExprId> = Vec::new();
        for id in exprs.ids() {
            let at = |id: ExprId| ids[id.index()];
            let new = match exprs.node(id) {
                Node::Const(c) => built.constant(c),
                Node::Local(local, ty) => built.local(local, ty),
                Node::Load { buffer, ty, index } => built.load(buffer, ty, at(index)),
                Node::Unary { op, arg } => built.unary(op, at(arg)),
                Node::Binary { op, lhs, rhs } => built.binary(op, at(lhs), at(rhs)),
                Node::Checked { op, lhs, rhs, site } => built.checked(op, at(lhs), at(rhs), site),
                Node::Convert { to, arg } => built.convert(to, at(arg)),
                Node::Reinterpret { to, arg } => built.reinterpret(to, at(arg)),
                Node::Select { cond, yes, no } => built.select(at(cond), at(yes), at(no)),
                Node::And { lhs, rhs } => built.and(at(lhs), at(rhs)),
                Node::Or { lhs, rhs } => built.or(at(lhs), at(rhs)),
                Node::CheckedConvert { to, arg, site } => {
                    let arg = at(arg);
                    built.add(Node::CheckedConvert { to, arg, site })
                }
                Node::Range { arg, lo, hi, site } => {
                    let arg = at(arg);
                    built.add(Node::Range { arg, lo, hi, site })
                }
                Node::Math { f, args } => {
                    let args = args.map(at);
                    built.add(Node::Math { f, args })
                }
                Node::MulAdd { args: [x, y, z] } => built.mul_add(at(x), at(y), at(z)),
                node @ Node::Len(_) => built.add(node),
            };
            ids.push(new);
            let (before, after) = (eval(exprs, id, &locals), eval(&built, new, &locals));
            // Folding may drop the length of a buffer, which a kernel can always read.
            if !matches!(before, Err(EvalError::Buffer(_))) {
                assert_eq!(after, before, "seed {seed}, expression {}: {:?}", id.0, exprs.node(id));
            }
        }
        smaller += (built.len() < exprs.len()) as u32;
    }
    assert!(smaller > 100, "{smaller}");
}

#[test]
fn errors_are_values() {
    let mut kernel = Kernel::new("k");
    let x = kernel.local("x", Type::I64);
    let b = kernel.buffer("b", Type::I64, volvelle_kernel::Access::Read);
    let site = kernel.site(FailKind::Division, 0);
    let read = kernel.get(x);
    let zero = kernel.exprs.i64(0);
    let quotient = kernel.exprs.checked(CheckedOp::Div, read, zero, site);
    let index = kernel.exprs.u64(0);
    let load = kernel.exprs.load(b, Type::I64, index);
    let len = kernel.exprs.add(Node::Len(b));
    let exprs = &kernel.exprs;
    assert_eq!(eval(exprs, quotient, &[Const::i64(1)]), Err(EvalError::Failed(site)));
    assert_eq!(eval(exprs, load, &[]), Err(EvalError::Buffer(b)));
    assert_eq!(eval(exprs, len, &[]), Err(EvalError::Buffer(b)));
    assert_eq!(eval(exprs, read, &[]), Err(EvalError::Local(x)));
    assert_eq!(eval(exprs, read, &[Const::u64(1)]), Err(EvalError::Local(x)));
    assert_eq!(eval(exprs, read, &[Const::i64(7)]), Ok(Const::i64(7)));
}

/// A million negations, and a sum that doubles sixty times: neither stack nor time runs out.
#[test]
fn depth_and_sharing_cost_nothing() {
    let mut exprs = Exprs::new();
    let x = exprs.local(volvelle_kernel::Local(0), Type::I64);
    let mut deep = x;
    for _ in 0..1_000_000 {
        deep = exprs.add(Node::Unary { op: UnaryOp::Neg, arg: deep });
    }
    let mut wide = x;
    for _ in 0..60 {
        wide = exprs.binary(BinaryOp::Add, wide, wide);
    }
    assert_eq!(eval(&exprs, deep, &[Const::i64(5)]), Ok(Const::i64(5)));
    assert_eq!(eval(&exprs, wide, &[Const::i64(3)]), Ok(Const::i64(3 << 60)));
}
