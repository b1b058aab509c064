//! Tests of one integer become a jump.

use volvelle_kernel::{BinaryOp, Block, Exprs, Local, Node, Stmt, Type};
use volvelle_model::kernels::dispatch::{FEWEST, dispatch};

#[test]
fn tests_of_one_field_become_a_jump_and_keep_their_order() {
    let mut exprs = Exprs::new();
    let s = exprs.add(Node::Local(Local::from_index(0), Type::I64));
    let b = exprs.add(Node::Local(Local::from_index(1), Type::Bool));
    let first = |below: usize| move |node| matches!(node, Node::Local(field, _) if field.index() < below);
    let fail = |n: usize| vec![Stmt::Goto { block: n as u32 }];
    let mut block = Block::new();
    for n in 0..2 * FEWEST {
        let key = exprs.i64((n % FEWEST) as i64);
        let mut cond = exprs.binary(BinaryOp::Eq, s, key);
        if n < FEWEST {
            cond = exprs.and(cond, b);
        }
        block.push(Stmt::If { cond, then: fail(n), otherwise: Block::new() });
    }
    let jump = dispatch(block.clone(), &mut exprs, &first(2));
    let [Stmt::Switch { on, cases, .. }] = &jump[..] else { panic!("{jump:?}") };
    assert_eq!(*on, s);
    for (n, (key, case)) in cases.iter().enumerate() {
        assert_eq!(*key, n as i64);
        let guarded = Stmt::If { cond: b, then: fail(n), otherwise: Block::new() };
        assert_eq!(case, &vec![guarded, fail(n + FEWEST).remove(0)]);
    }
    assert_eq!(dispatch(block.clone(), &mut exprs, &first(0)), block, "a local that is no field");
    block.truncate(FEWEST - 1);
    assert_eq!(dispatch(block.clone(), &mut exprs, &first(2)), block, "few values");
}
