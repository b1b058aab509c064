//! Operations on values that are affine in the numbers of iterations.

use volvelle_determinacy::affine::{binary, checked};
use volvelle_determinacy::value::{Nest, Value};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Site, Type, interp};

/// An operation on affine values gives, for each iteration, the result of the operation on the values of
/// that iteration.
#[test]
fn affine_operations_are_those_of_each_iteration() {
    let at = |value: &Value, k: i64| value.base + value.slopes[0] * k;
    let mut decided = 0;
    for (a, b) in (-6..7).flat_map(|a| (-6..7).map(move |b| (a, b))) {
        for (s, t) in [(0, 1), (1, 0), (1, 1), (2, -1), (-1, 0), (3, 3), (-2, 4)] {
            let x = Value::constant(a).with_slope(0, s);
            let y = Value::constant(b).with_slope(0, t);
            for op in BinaryOp::ALL {
                let mut nest = Nest::open();
                if op == BinaryOp::Div {
                    continue;
                }
                let Ok(result) = binary(op, Type::I64, x, y, &mut nest) else { continue };
                decided += 1;
                for k in 0..=nest.limit.min(9) {
                    let each = interp::binary(op, Const::i64(at(&x, k)), Const::i64(at(&y, k)));
                    assert_eq!(at(&result, k), each.bits as i64, "{op:?} {x:?} {y:?} {k}");
                }
            }
            for op in [CheckedOp::Div, CheckedOp::Rem, CheckedOp::Mod, CheckedOp::Mul, CheckedOp::Sub] {
                let mut nest = Nest::open();
                let Ok(result) = checked(op, Type::I64, x, y, Site(0), &mut nest) else { continue };
                for k in 0..=nest.limit.min(9) {
                    let each = interp::checked(op, Const::i64(at(&x, k)), Const::i64(at(&y, k)));
                    assert_eq!(Some(at(&result, k)), each.map(|c| c.bits as i64), "{op:?} {x:?} {y:?} {k}");
                }
            }
        }
    }
    assert!(decided > 5_000, "{decided}");
}
