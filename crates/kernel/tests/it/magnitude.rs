//! Bounds of floats hold: for the nodes of generated kernels, and for arithmetic that stays finite.

use volvelle_kernel::generate::Case;
use volvelle_kernel::interp::{Evaluator, convert};
use volvelle_kernel::magnitude::magnitudes;
use volvelle_kernel::{BinaryOp, Const, Kernel, Type};

#[test]
fn no_value_exceeds_its_bound() {
    let mut bounded = 0;
    for seed in 0..1500 {
        let case = Case::from_seed(seed);
        let exprs = &case.kernel.exprs;
        let bounds = magnitudes(exprs);
        let mut locals = case.params.clone();
        for (i, decl) in case.kernel.locals.iter().enumerate().skip(locals.len()) {
            locals.push(convert(decl.ty, Const::f64(if i % 2 == 0 { -1e300 } else { f64::NAN })));
        }
        let mut evaluator = Evaluator::new();
        for id in exprs.ids() {
            let bound = bounds[id.index()];
            if exprs.ty(id) != Type::F64 {
                assert!(bound.is_infinite());
            } else if let (true, Ok(value)) = (bound.is_finite(), evaluator.eval(exprs, id, &locals)) {
                let value = value.as_f64().unwrap();
                assert!(value.abs() <= bound, "seed {seed}, expression {}: {value} > {bound}", id.0);
                bounded += 1;
            }
        }
    }
    assert!(bounded > 1000, "{bounded}");
}

#[test]
fn what_comes_from_integers_is_finite() {
    let mut k = Kernel::new("k");
    let x = k.local("x", Type::U64);
    let y = k.local("y", Type::F64);
    let (x, y) = (k.get(x), k.get(y));
    let e = &mut k.exprs;
    let eleven = e.u64(11);
    let high = e.binary(BinaryOp::Shr, x, eleven);
    let number = e.convert(Type::F64, high);
    let (half, scale, large) = (e.f64(0.5), e.f64(2f64.powi(-53)), e.f64(f64::MAX));
    let sum = e.binary(BinaryOp::Add, number, half);
    let unit = e.binary(BinaryOp::Mul, sum, scale);
    let overflows = e.binary(BinaryOp::Mul, number, large);
    let unknown = e.binary(BinaryOp::Mul, y, scale);
    let quotient = e.binary(BinaryOp::Div, half, number);
    let bounds = magnitudes(&k.exprs);
    assert_eq!(bounds[unit.index()], 2048.0);
    for id in [overflows, unknown, quotient] {
        assert!(bounds[id.index()].is_infinite());
    }
}
