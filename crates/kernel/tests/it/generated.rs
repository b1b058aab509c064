//! Properties of generated kernels.

use std::collections::BTreeSet;
use volvelle_kernel::generate::Case;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{
    BinaryOp, Block, Buffer, CheckedOp, Compiler, Const, Exit, ExprId, Exprs, Local, MathFn, Node, Site,
    Stmt, Type, UnaryOp,
};

const CASES: u64 = 4000;

/// Valid, and of a kind that tests something: every way out is taken often enough.
#[test]
fn cases_are_valid_and_end_in_all_ways() {
    let (mut done, mut full, mut failed, mut beyond) = (0, 0, 0, 0);
    for seed in 0..CASES {
        let case = Case::from_seed(seed);
        let code = match Interpreter.compile(&case.kernel) {
            Ok(code) => code,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let outcome = case.run(&*code);
        assert_eq!(outcome, case.run(&*code), "seed {seed}");
        match outcome.exit {
            Exit::Done => done += 1,
            Exit::Full(_) => full += 1,
            Exit::Failed(_) => failed += 1,
            Exit::OutOfBounds(_) => beyond += 1,
        }
    }
    let all = [done, full, failed, beyond];
    assert!(done > CASES / 3 && all.iter().all(|&n| n > CASES / 200), "{all:?}");
}

#[test]
fn bytes_that_end_early_give_a_small_kernel() {
    let case = Case::from_bytes(&[]);
    assert_eq!(case.kernel.buffers.len(), 1);
    assert_eq!(case.kernel.body.len(), 2);
}

/// The block with every `goto` turned into a `break`.
fn without_jumps(block: &Block) -> Block {
    let statement = |statement: &Stmt| match statement {
        Stmt::Goto { .. } => Stmt::Break,
        Stmt::If { cond, then, otherwise } => {
            Stmt::If { cond: *cond, then: without_jumps(then), otherwise: without_jumps(otherwise) }
        }
        Stmt::Switch { on, cases, default } => Stmt::Switch {
            on: *on,
            cases: cases.iter().map(|(key, block)| (*key, without_jumps(block))).collect(),
            default: without_jumps(default),
        },
        Stmt::For { local, from, to, body } => {
            Stmt::For { local: *local, from: *from, to: *to, body: without_jumps(body) }
        }
        Stmt::Machine { local, from, to, start, blocks } => Stmt::Machine {
            local: *local,
            from: *from,
            to: *to,
            start: *start,
            blocks: blocks.iter().map(without_jumps).collect(),
        },
        other => other.clone(),
    };
    block.iter().map(statement).collect()
}

/// Machines occur, and it matters where they jump.
#[test]
fn jumps_make_a_difference() {
    let (mut with_jumps, mut different) = (0, 0);
    for seed in 0..CASES {
        let mut case = Case::from_seed(seed);
        let outcome = case.run(&*Interpreter.compile(&case.kernel).unwrap());
        let body = without_jumps(&case.kernel.body);
        if body != case.kernel.body {
            with_jumps += 1;
            case.kernel.body = body;
            different += (case.run(&*Interpreter.compile(&case.kernel).unwrap()) != outcome) as u64;
        }
    }
    assert!(with_jumps > CASES / 20 && different > CASES / 100, "{with_jumps} {different}");
}

/// Name of an operation with the type of its operands (conversions: both types).
fn operation(exprs: &Exprs, node: &Node) -> String {
    let ty = |id| exprs.ty(id);
    match *node {
        Node::Const(c) => format!("const {}", c.ty),
        Node::Local(_, ty) => format!("local {ty}"),
        Node::Load { ty, .. } => format!("load {ty}"),
        Node::Len(_) => "len".into(),
        Node::Unary { op, arg } => format!("{op:?} {}", ty(arg)),
        Node::Binary { op, lhs, .. } => format!("{op:?} {}", ty(lhs)),
        Node::Checked { op, lhs, .. } => format!("checked {op:?} {}", ty(lhs)),
        Node::Convert { to, arg } => format!("{} as {to}", ty(arg)),
        Node::Reinterpret { to, arg } => format!("{} as bits {to}", ty(arg)),
        Node::CheckedConvert { to, arg, .. } => format!("{} as@ {to}", ty(arg)),
        Node::Range { arg, .. } => format!("range {}", ty(arg)),
        Node::Select { yes, .. } => format!("select {}", ty(yes)),
        Node::And { .. } => "and".into(),
        Node::Or { .. } => "or".into(),
        Node::Math { f, .. } => format!("{f:?}"),
        Node::MulAdd { args } => format!("fma {}", ty(args[0])),
    }
}

/// Every node that is well-typed, on operands of every type.
fn all_operations() -> BTreeSet<String> {
    use {BinaryOp as B, CheckedOp as C, UnaryOp as U};
    let mut exprs = Exprs::new();
    let leaves: Vec<ExprId> =
        Type::ALL.iter().map(|&ty| exprs.add(Node::Const(Const { ty, bits: 0 }))).collect();
    let truth = leaves[0];
    let (buffer, site, local) = (Buffer(0), Site(0), Local(0));
    let mut nodes = vec![Node::Len(buffer)];
    for (&ty, &arg) in Type::ALL.iter().zip(&leaves) {
        let (lhs, rhs) = (arg, arg);
        nodes.extend([Node::Const(Const { ty, bits: 0 }), Node::Local(local, ty)]);
        nodes.push(Node::Load { buffer, ty, index: leaves[8] });
        for op in [U::Not, U::Neg, U::Abs, U::Sqrt, U::Floor, U::Ceil, U::Trunc] {
            nodes.push(Node::Unary { op, arg });
        }
        for op in [
            B::Add,
            B::Sub,
            B::Mul,
            B::Div,
            B::Min,
            B::Max,
            B::BitAnd,
            B::BitOr,
            B::BitXor,
            B::Shl,
            B::Shr,
            B::Eq,
            B::Ne,
            B::Lt,
            B::Le,
            B::Gt,
            B::Ge,
        ] {
            nodes.push(Node::Binary { op, lhs, rhs });
        }
        for op in [C::Add, C::Sub, C::Mul, C::Div, C::Rem, C::Mod, C::Pow] {
            nodes.push(Node::Checked { op, lhs, rhs, site });
        }
        for to in Type::ALL {
            nodes.extend([Node::Convert { to, arg }, Node::CheckedConvert { to, arg, site }]);
            nodes.push(Node::Reinterpret { to, arg });
        }
        nodes.push(Node::MulAdd { args: [lhs, rhs, arg] });
        nodes.push(Node::Range { arg, lo: 0, hi: 0, site });
        nodes.push(Node::Select { cond: truth, yes: lhs, no: rhs });
        nodes.extend([Node::And { lhs, rhs }, Node::Or { lhs, rhs }]);
        for f in [MathFn::Exp, MathFn::Log, MathFn::Pow] {
            nodes.push(Node::Math { f, args: [lhs, rhs] });
        }
    }
    nodes.iter().filter(|n| exprs.type_of(n).is_ok()).map(|n| operation(&exprs, n)).collect()
}

#[test]
fn every_operation_occurs_on_every_type() {
    let mut missing = all_operations();
    assert!(missing.len() > 300, "{}", missing.len());
    for seed in 0..CASES {
        let exprs = Case::from_seed(seed).kernel.exprs;
        for id in exprs.ids() {
            missing.remove(&operation(&exprs, &exprs.node(id)));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
