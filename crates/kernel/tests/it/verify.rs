//! The verifier on kernels that no text can describe (see `filetests/errors` for those that one can).

use volvelle_kernel::verify::{MAX_BLOCK_NESTING, MAX_NESTING, Place, verify};
use volvelle_kernel::{
    Access, BinaryOp, Buffer, Const, ExprId, FailKind, Kernel, Local, MathFn, Node, Site, Stmt, Type, UnaryOp,
};

/// The messages, with their places, for a valid kernel that was changed.
fn errors(change: impl FnOnce(&mut Kernel)) -> Vec<String> {
    let mut kernel = Kernel::new("k");
    kernel.local("x", Type::I64);
    kernel.buffer("b", Type::I64, Access::Write);
    kernel.site(FailKind::Assertion, 0);
    assert_eq!(verify(&kernel), Ok(()));
    change(&mut kernel);
    let _ = kernel.to_string();
    verify(&kernel).err().unwrap_or_default().iter().map(|e| e.to_string()).collect()
}

/// The messages for a kernel that sets `x` to what a node gives, converted where needed.
fn node(node: Node) -> Vec<String> {
    errors(|k| {
        let arg = k.exprs.add(node);
        let value = k.exprs.add(Node::Convert { to: Type::I64, arg });
        k.body.push(Stmt::Set { local: Local(0), value });
    })
}

#[test]
fn ids_exist() {
    let id = ExprId(0);
    let one = |statement: Stmt| {
        errors(|k| {
            k.exprs.i64(1);
            k.body.push(statement);
        })
    };
    let value = ExprId(9);
    assert_eq!(one(Stmt::Set { local: Local(0), value }), ["statement 1: expression 9 does not exist"]);
    assert_eq!(one(Stmt::Set { local: Local(7), value: id }), ["statement 1: local 7 does not exist"]);
    assert_eq!(one(Stmt::Emit { buffer: Buffer(7), value: id }), ["statement 1: buffer 7 does not exist"]);
    assert_eq!(one(Stmt::Fail { site: Site(7) }), ["statement 1: site @7 does not exist"]);
    let body = Vec::new();
    assert_eq!(
        one(Stmt::For { local: Local(7), from: id, to: id, body }),
        ["statement 1: local 7 does not exist"]
    );
    assert_eq!(node(Node::Local(Local(3), Type::I64)), ["expression 0: local 3 does not exist"]);
    assert_eq!(node(Node::Len(Buffer(3))), ["expression 0: buffer 3 does not exist"]);
}

#[test]
fn nodes_fit_the_declarations() {
    assert_eq!(node(Node::Local(Local(0), Type::U8)), ["expression 0: reads `x` as u8 instead of i64"]);
    let load = |buffer, ty| {
        errors(|k| {
            let index = k.exprs.u64(0);
            let loaded = k.exprs.load(buffer, ty, index);
            let value = k.exprs.convert(Type::I64, loaded);
            k.body.push(Stmt::Set { local: Local(0), value });
        })
    };
    assert_eq!(load(Buffer(0), Type::F64), ["expression 1: loads f64 from `b`, which holds i64"]);
    assert_eq!(load(Buffer(1), Type::I64), ["expression 1: buffer 1 does not exist"]);
    assert!(load(Buffer(0), Type::I64).is_empty());
}

#[test]
fn constants_are_canonical() {
    for (ty, bits) in [
        (Type::Bool, 2),
        (Type::U8, 256),
        (Type::I8, 255),
        (Type::I32, u32::MAX as u64),
        (Type::U32, 1 << 32),
        (Type::F32, 1 << 32),
    ] {
        let found = node(Node::Const(Const { ty, bits }));
        assert_eq!(found, [format!("expression 0: the bits {bits:#x} are no {ty}")]);
    }
    assert!(node(Node::Const(Const { ty: Type::I8, bits: u64::MAX })).is_empty());
}

#[test]
fn functions_of_one_argument_repeat_it() {
    let found = errors(|k| {
        let (x, y) = (k.exprs.f64(1.0), k.exprs.f64(2.0));
        let made = k.exprs.add(Node::Math { f: MathFn::Exp, args: [x, y] });
        let value = k.exprs.convert(Type::I64, made);
        k.body.push(Stmt::Set { local: Local(0), value });
    });
    assert_eq!(found, ["expression 2: a function of one argument has two"]);
}

#[test]
fn what_nothing_needs_is_not_looked_at() {
    let found = errors(|k| {
        k.exprs.add(Node::Local(Local(77), Type::I64));
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn there_are_as_many_locals_as_parameters() {
    assert_eq!(errors(|k| k.params = 2), ["kernel: there are fewer locals than parameters"]);
}

#[test]
fn expressions_nest_to_a_limit_and_chains_do_not_count() {
    let deep = |levels: u32| {
        errors(|k| {
            let mut value = k.get(Local(0));
            for _ in 0..levels {
                value = k.exprs.add(Node::Unary { op: UnaryOp::Neg, arg: value });
            }
            k.body.push(Stmt::Set { local: Local(0), value });
        })
    };
    assert!(deep(MAX_NESTING).is_empty());
    assert_eq!(deep(MAX_NESTING + 1), ["expression 1001: nests 1001 deep, at most 1000 are allowed"]);
    let chain = errors(|k| {
        let x = k.get(Local(0));
        let mut value = x;
        for _ in 0..100_000 {
            value = k.exprs.binary(BinaryOp::Add, value, x);
        }
        k.body.push(Stmt::Set { local: Local(0), value });
    });
    assert!(chain.is_empty(), "{chain:?}");
}

#[test]
fn blocks_nest_to_a_limit() {
    let nested = |levels: usize| {
        let mut kernel = Kernel::new("k");
        let cond = kernel.exprs.bool(true);
        let mut body = vec![Stmt::Return];
        for _ in 0..levels {
            body = vec![Stmt::If { cond, then: body, otherwise: vec![] }];
        }
        kernel.body = body;
        verify(&kernel)
    };
    assert_eq!(nested(MAX_BLOCK_NESTING), Ok(()));
    let found = nested(MAX_BLOCK_NESTING + 1).unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, Place::Stmt(MAX_BLOCK_NESTING + 1));
}
