//! Errors of random expressions, in doubles and over rationals.

use dashu_ratio::RBig;
use volvelle_kernel::interp::eval;
use volvelle_kernel::{BinaryOp, Const, ExprId, MathFn, Type, UnaryOp};
use volvelle_model::exact::{ConstantError, Evaluator, LIBRARY_ERROR};
use volvelle_model::kernels::Selection;
use volvelle_model::rounding::{Accuracy, Estimates, Plan, Twins};
use volvelle_model::{Choice, Domain, Field, FieldId, NumericObservation, Origin, Program};
use volvelle_random::Random;

const LARGEST: i64 = 9;

fn program() -> (Program, ExprId) {
    let mut program = Program::new(Choice::Uniform);
    let domain = Domain::Int { lo: 0, hi: LARGEST };
    program.fields.push(Field { name: "x".into(), domain, component: None, length: 1, origin: Origin(0) });
    let x = program.field(FieldId(0));
    (program, x)
}

/// A constant that is rounded, with what it stands for.
fn constant(program: &mut Program, random: &mut Random) -> ExprId {
    let (top, bottom) = (random.below(40) as i64 - 12, random.pick(&[1u8, 3, 4, 7, 10, 100]));
    let exact = RBig::from_parts(top.into(), bottom.into());
    let exact = if random.one_in(6) { exact * RBig::from(1_000_000) } else { exact };
    // Some are off by much more than a unit in the last place, like the rest that remains when constants
    // cancel.
    let double = exact.to_f64().value() + if random.one_in(8) { random.pick(&[1e-9, 0.5, 7.0]) } else { 0.0 };
    let id = program.exprs.f64(double);
    program.exact.note(id, double, Some(&exact));
    id
}

fn expression(program: &mut Program, x: ExprId, random: &mut Random) -> ExprId {
    let mut known: Vec<ExprId> = vec![program.exprs.convert(Type::F64, x)];
    for _ in 0..3 {
        known.push(constant(program, random));
    }
    for _ in 0..1 + random.below(6) {
        let (a, b) = (random.pick(&known), random.pick(&known));
        let exprs = &mut program.exprs;
        // Front ends fold constants and compute their exact values; here they must stay separate.
        if exprs.as_const(a).is_some() && exprs.as_const(b).is_some() {
            continue;
        }
        let made = match random.below(10) {
            0 | 1 => exprs.binary(BinaryOp::Add, a, b),
            2 | 3 => exprs.binary(BinaryOp::Sub, a, b),
            4 => exprs.binary(BinaryOp::Mul, a, b),
            5 => exprs.binary(BinaryOp::Div, a, b),
            6 => exprs.binary(BinaryOp::Max, a, b),
            7 if exprs.as_const(a).is_none() => exprs.unary(UnaryOp::Floor, a),
            8 if exprs.as_const(a).is_none() => {
                let two = exprs.f64(2.0);
                exprs.math2(MathFn::Pow, a, two)
            }
            _ => {
                let three = exprs.i64(3);
                let below = exprs.binary(BinaryOp::Lt, x, three);
                exprs.select(below, a, b)
            }
        };
        known.push(made);
    }
    *known.last().expect("there is the variable")
}

#[test]
fn bounds_hold() {
    let mut random = Random(11);
    let (mut exact, mut rounded, mut bounded, mut cancelled) = (0, 0, 0, 0);
    for case in 0..3000 {
        let (mut program, x) = program();
        let root = expression(&mut program, x, &mut random);
        let estimate = Estimates::new(&program, [root]).get(root);
        let mut twins = Twins::new(Estimates::new(&program, [root]));
        let error = twins.error(&mut program, root);
        for value in 0..=LARGEST {
            let double = eval(&program.exprs, root, &[Const::i64(value)]).unwrap().as_f64().unwrap();
            let bound = eval(&program.exprs, error, &[Const::i64(value)]).unwrap().as_f64().unwrap();
            let mut evaluator = Evaluator::new(&program, [root]);
            evaluator.load(&[value]);
            let (Ok(number), true) = (evaluator.ratio(root), double.is_finite()) else { continue };
            let off = RBig::try_from(double).unwrap() - number;
            let off = if off < RBig::ZERO { -off } else { off };
            let size = if *number < RBig::ZERO { -number.clone() } else { number.clone() };
            let within = |bound: f64| bound == f64::INFINITY || off <= RBig::try_from(bound).unwrap();
            assert!(bound.is_finite() && bound >= 0.0, "case {case}");
            assert!(within(bound), "case {case} at {value}: {double} is {number}, not within {bound}");
            assert!(within(estimate.absolute), "case {case} at {value}: {double} is {number}, {estimate:?}");
            if estimate.relative.is_finite() {
                let relative = RBig::try_from(estimate.relative).unwrap() * size;
                assert!(off <= relative, "case {case} at {value}: {double} is {number}, {estimate:?}");
            }
            exact += usize::from(estimate.is_exact());
            rounded += usize::from(!off.is_zero());
            bounded += usize::from(estimate.relative < 1e-13);
            cancelled += usize::from(estimate.relative == f64::INFINITY && bound < 1e-3);
        }
    }
    assert!(
        exact > 1000 && rounded > 2000 && bounded > 5000 && cancelled > 500,
        "{exact} {rounded} {bounded} {cancelled}"
    );
}

/// Roots, and powers with a rounded base.
#[test]
fn powers_of_rounded_numbers_are_bounded() {
    let ratio = |top: i64, bottom: u64| RBig::from_parts(top.into(), bottom.into());
    for value in 0..=LARGEST {
        for (exponent, exact) in [
            (0.5, ratio(value, 3)),
            (1.0, ratio(value * value, 9)),
            (1.5, ratio(value * value * value, 27)),
            (-0.5, ratio(3, value.max(1) as u64)),
        ] {
            let (mut program, x) = program();
            let exprs = &mut program.exprs;
            let number = exprs.convert(Type::F64, x);
            let square = exprs.binary(BinaryOp::Mul, number, number);
            let (nine, exponent_of) = (exprs.f64(9.0), exprs.f64(exponent));
            let base = exprs.binary(BinaryOp::Div, square, nine);
            let power = exprs.math2(MathFn::Pow, base, exponent_of);
            let root = exprs.unary(UnaryOp::Sqrt, base);
            for (expr, exact) in [(power, exact), (root, ratio(value, 3))] {
                let mut twins = Twins::new(Estimates::new(&program, [expr]));
                let error = twins.error(&mut program, expr);
                let of = |expr| eval(&program.exprs, expr, &[Const::i64(value)]).unwrap().as_f64().unwrap();
                let (double, bound) = (of(expr), of(error));
                if value == 0 && exponent < 0.0 && expr == power {
                    continue;
                }
                let off = RBig::try_from(double).unwrap() - &exact;
                let bound = RBig::try_from(bound).unwrap();
                assert!(off <= bound && -off <= bound, "{value} to {exponent}: {double}, within {bound:?}");
                assert!(bound <= exact * RBig::try_from(1e-14).unwrap(), "{value} to {exponent}: {bound:?}");
            }
        }
    }
}

/// Several numbers in one program, some of which are wanted: each gets the bounds of its own errors.
#[test]
fn plans_bound_the_numbers_they_are_asked_for() {
    let mut random = Random(12);
    let mut twins = 0;
    for case in 0..500 {
        let (mut program, x) = program();
        let roots: Vec<ExprId> = (0..4).map(|_| expression(&mut program, x, &mut random)).collect();
        program.numbers.extend(roots.iter().map(|&expr| NumericObservation { expr, otherwise: None }));
        let numbers: Vec<usize> = (0..4).filter(|_| random.one_in(2)).collect();
        let plan = Plan::new(&program, &Selection { numbers: numbers.clone(), ..Selection::default() });
        for &number in &numbers {
            for value in 0..=LARGEST {
                let state = [Const::i64(value)];
                let double = eval(&program.exprs, roots[number], &state).unwrap().as_f64().unwrap();
                let mut evaluator = Evaluator::new(&program, [roots[number]]);
                evaluator.load(&[value]);
                let (Ok(exact), true) = (evaluator.ratio(roots[number]), double.is_finite()) else {
                    continue;
                };
                let off = RBig::try_from(double).unwrap() - exact;
                let off = if off < RBig::ZERO { -off } else { off };
                let bound = match plan.numbers[number] {
                    Accuracy::Exact => 0.0,
                    Accuracy::Relative(error) => error * double.abs() * 1.01,
                    Accuracy::Twin(twin) => {
                        twins += 1;
                        let program = plan.program.as_ref().unwrap();
                        assert!(plan.observe.numbers.contains(&twin));
                        eval(&program.exprs, program.numbers[twin].expr, &state).unwrap().as_f64().unwrap()
                    }
                };
                assert!(
                    off <= RBig::try_from(bound).unwrap(),
                    "case {case}, number {number} at {value}: {bound}"
                );
            }
        }
    }
    assert!(twins > 1000, "{twins}");
}

/// `floor(x / 3)`, `round(x / 3 + 1)` and the like are exact.
#[test]
fn quotients_of_integers_are_cut_exactly() {
    let mut random = Random(13);
    let (mut exact, mut all) = (0, 0);
    for case in 0..400 {
        let (mut program, x) = program();
        let exprs = &mut program.exprs;
        let mut number = exprs.convert(Type::F64, x);
        let moved = exprs.f64(random.below(9) as f64 - 4.0);
        number = exprs.binary(BinaryOp::Add, number, moved);
        let divisor = exprs.f64(random.pick(&[-3.0, -1.0, 1.0, 3.0, 7.0, 10.0, 49.0, 1e15, 0.5]));
        number = exprs.binary(BinaryOp::Div, number, divisor);
        for _ in 0..random.below(3) {
            let half = exprs.f64(random.pick(&[0.5, 1.0, -1.5, 2.0, 0.25]));
            let op = random.pick(&[BinaryOp::Add, BinaryOp::Sub]);
            number = exprs.binary(op, number, half);
        }
        let root = exprs.unary(random.pick(&[UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Trunc]), number);
        let claimed = Estimates::new(&program, [root]).get(root).is_exact();
        all += 1;
        exact += usize::from(claimed);
        for value in (0..=LARGEST).filter(|_| claimed) {
            let double = eval(&program.exprs, root, &[Const::i64(value)]).unwrap().as_f64().unwrap();
            let mut evaluator = Evaluator::new(&program, [root]);
            evaluator.load(&[value]);
            assert_eq!(
                RBig::try_from(double).unwrap(),
                *evaluator.ratio(root).unwrap(),
                "case {case} at {value}"
            );
        }
    }
    assert!(exact > all / 2 && exact < all, "{exact} of {all}");
}

#[test]
fn what_a_double_stands_for() {
    let (mut program, _) = program();
    let tenth = program.exprs.f64(0.1);
    assert_eq!(program.exact.error(tenth, 0.1), ConstantError::default());
    program.exact.note(tenth, 0.1, Some(&RBig::from_parts(1.into(), 10u8.into())));
    let error = program.exact.error(tenth, 0.1);
    assert!(error.relative > 0.0 && error.relative <= f64::EPSILON / 2.0);
    assert!(error.absolute > 0.0 && error.absolute <= error.relative * 0.1 * (1.0 + 1e-9));
    program.exact.note(tenth, 0.1, None);
    assert_eq!(program.exact.error(tenth, 0.1).relative, LIBRARY_ERROR);
    // Full cancellation: nothing of the number is left in the double, or nothing of the double in the number.
    let zero = program.exprs.f64(0.0);
    program.exact.note(zero, 0.0, Some(&RBig::ONE));
    assert_eq!(program.exact.error(zero, 0.0).absolute, 1.0f64.next_up());
    let third = program.exprs.f64(0.25);
    program.exact.note(third, 0.25, Some(&RBig::ZERO));
    let error = program.exact.error(third, 0.25);
    assert_eq!((error.absolute, error.relative), (0.25f64.next_up(), f64::INFINITY));
    // A library may give zero for what is too small for doubles.
    let small = program.exprs.f64(-0.0);
    program.exact.note(small, -0.0, None);
    assert!(program.exact.error(small, -0.0).absolute > 0.0);
}
