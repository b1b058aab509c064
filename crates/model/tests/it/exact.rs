//! Expressions in rational arithmetic.

use dashu_ratio::RBig;
use volvelle_kernel::{BinaryOp, Const, ExprId, MathFn, Type, UnaryOp};
use volvelle_model::exact::{Evaluator, Inexact, Value, power};
use volvelle_model::{Choice, Domain, Field, FieldId, Origin, Program};

fn ratio(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(numerator.into(), denominator.into())
}

fn program() -> (Program, ExprId) {
    let mut program = Program::new(Choice::Uniform);
    let domain = Domain::Int { lo: 0, hi: 9 };
    program.fields.push(Field { name: "x".into(), domain, component: None, length: 1, origin: Origin(0) });
    let x = program.field(FieldId(0));
    let x = program.exprs.convert(Type::F64, x);
    (program, x)
}

fn value(program: &Program, expr: ExprId, x: i64) -> Result<Value, Inexact> {
    let mut evaluator = Evaluator::new(program, [expr]);
    evaluator.load(&[x]);
    evaluator.get(expr).cloned()
}

#[test]
fn decimals_are_what_was_written() {
    let (mut program, x) = program();
    let tenth = program.exprs.f64(0.1);
    program.exact.note(tenth, 0.1, Some(&ratio(1, 10)));
    let product = program.exprs.binary(BinaryOp::Mul, tenth, x);
    assert_eq!(value(&program, product, 3), Ok(Value::Ratio(ratio(3, 10))));
    let three_tenths = program.exprs.f64(0.3);
    program.exact.note(three_tenths, 0.3, Some(&ratio(3, 10)));
    let below = program.exprs.binary(BinaryOp::Le, product, three_tenths);
    // In doubles 0.1 * 3 is larger than 0.3.
    assert_eq!(value(&program, below, 3), Ok(Value::Const(Const::bool(true))));
    // A second meaning of the same double leaves none.
    program.exact.note(tenth, 0.1, Some(&ratio(2, 20)));
    assert_eq!(value(&program, product, 3), Ok(Value::Ratio(ratio(3, 10))));
    program.exact.note(tenth, 0.1, None);
    assert_eq!(value(&program, product, 3), Err(Inexact::Constant(0.1)));
}

#[test]
fn what_no_state_needs_may_be_irrational() {
    let (mut program, x) = program();
    let log = program.exprs.math1(MathFn::Log, x);
    let five = program.exprs.f64(5.0);
    let large = program.exprs.binary(BinaryOp::Gt, x, five);
    let either = program.exprs.select(large, log, x);
    assert_eq!(value(&program, either, 3), Ok(Value::Ratio(ratio(3, 1))));
    assert_eq!(value(&program, either, 7), Err(Inexact::Irrational("a logarithm")));
    let quotient = program.exprs.binary(BinaryOp::Div, five, x);
    assert_eq!(value(&program, quotient, 3), Ok(Value::Ratio(ratio(5, 3))));
    assert_eq!(value(&program, quotient, 0), Err(Inexact::DivisionByZero));
    let floor = program.exprs.unary(UnaryOp::Floor, quotient);
    let whole = program.exprs.convert(Type::I64, floor);
    assert_eq!(value(&program, whole, 2), Ok(Value::Const(Const::i64(2))));
}

#[test]
fn powers() {
    assert_eq!(power(&ratio(-2, 3), &ratio(-3, 1)), Ok(ratio(-27, 8)));
    assert_eq!(power(&ratio(2, 3), &ratio(0, 1)), Ok(ratio(1, 1)));
    assert_eq!(power(&ratio(-1, 1), &ratio(1_000_000_001, 1)), Ok(ratio(-1, 1)));
    assert_eq!(power(&ratio(0, 1), &ratio(-1, 1)), Err(Inexact::DivisionByZero));
    assert_eq!(power(&ratio(2, 1), &ratio(1_000_000_000, 1)), Err(Inexact::TooLarge));
    assert!(matches!(power(&ratio(2, 1), &ratio(1, 2)), Err(Inexact::Irrational(_))));
}
