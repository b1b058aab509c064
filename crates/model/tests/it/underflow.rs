//! Weights that doubles are too coarse for.

use volvelle_kernel::{BinaryOp, Const, ExprId, MathFn, Type, interp};
use volvelle_model::exact::Evaluator;
use volvelle_model::rounding::Surroundings;
use volvelle_model::underflow::{SMALLEST, kept};
use volvelle_model::{Choice, Domain, Field, FieldId, Origin, Program};

fn keep(program: &mut Program, root: ExprId) -> ExprId {
    kept(program, &Surroundings::new(program), root)
}

#[test]
fn what_is_positive_in_the_text_stays_positive() {
    let mut program = Program::new(Choice::Uniform);
    let domain = Domain::Int { lo: 0, hi: 400 };
    program.fields.push(Field { name: "x".into(), domain, component: None, length: 1, origin: Origin(0) });
    let x = program.field(FieldId(0));
    let e = &mut program.exprs;
    let x = e.convert(Type::F64, x);
    let (half, tiny, thousandth) = (e.f64(0.5), e.f64(1e-200), e.f64(1e-3));
    let plain = e.binary(BinaryOp::Mul, x, half);
    let power = e.math2(MathFn::Pow, thousandth, x);
    let product = e.binary(BinaryOp::Mul, x, tiny);
    let square = e.binary(BinaryOp::Mul, product, product);
    let back = e.binary(BinaryOp::Div, square, tiny);
    let mixed = e.binary(BinaryOp::Add, plain, square);
    assert_eq!(keep(&mut program, plain), plain);
    let made = [power, square, back, mixed].map(|id| keep(&mut program, id));
    let at = |id, x: i64| interp::eval(&program.exprs, id, &[Const::i64(x)]).unwrap().as_f64().unwrap();
    assert_eq!(made.map(|id| at(id, 0)), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(made.map(|id| at(id, 200)), [SMALLEST, SMALLEST, SMALLEST, 100.0]);
    assert_eq!(at(made[0], 3), at(power, 3));
    // Rational arithmetic has the value of the text.
    let mut evaluator = Evaluator::new(&program, made);
    evaluator.load(&[2]);
    let ratio = evaluator.ratio(made[1]).unwrap();
    assert!(*ratio > dashu_ratio::RBig::ZERO && *ratio < dashu_ratio::RBig::try_from(1e-300).unwrap());
}
