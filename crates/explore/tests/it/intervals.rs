//! Operations on intervals contain all results.

use volvelle_explore::interval_operations::{ANY, ANY_TRUTH, binary, checked, convert};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Type, interp};
use volvelle_model::interval::Interval;

fn constant(ty: Type, value: i64) -> Const {
    Const { ty, bits: value as u64 }
}

fn within(interval: Interval) -> impl Iterator<Item = i64> {
    interval.lo..=interval.hi
}

/// Every result on operands in the intervals is in the interval of the result.
#[test]
fn results_contain_all_values() {
    let ends = [-7, -2, -1, 0, 1, 2, 3, 5, 8];
    let all = || ends.iter().flat_map(|&lo| ends.iter().filter_map(move |&hi| Interval::new(lo, hi)));
    let (mut narrow, mut total) = (0, 0);
    for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
        for ty in [Type::I64, Type::U64, Type::Bool, Type::I32] {
            let fits = |i: Interval| match ty {
                Type::Bool => i.within(0, 1),
                _ => true,
            };
            if !fits(a) || !fits(b) {
                continue;
            }
            for op in BinaryOp::ALL {
                let is_arithmetic = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl | BinaryOp::Shr
                ) || matches!(
                    op,
                    BinaryOp::Min | BinaryOp::Max | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
                );
                if op == BinaryOp::Div || ty == Type::Bool && is_arithmetic {
                    continue;
                }
                let result = binary(op, ty, a, b);
                total += 1;
                narrow += usize::from(result != ANY && result != ANY_TRUTH);
                for (x, y) in within(a).flat_map(|x| within(b).map(move |y| (x, y))) {
                    let each = interp::binary(op, constant(ty, x), constant(ty, y)).bits as i64;
                    assert!(
                        result.within(i64::MIN, i64::MAX) && result.lo <= each && each <= result.hi,
                        "{op:?} {ty:?} {a:?} {b:?}"
                    );
                }
            }
            if ty == Type::Bool {
                continue;
            }
            for op in CheckedOp::ALL {
                let result = checked(op, ty, a, b);
                for (x, y) in within(a).flat_map(|x| within(b).map(move |y| (x, y))) {
                    let Some(each) = interp::checked(op, constant(ty, x), constant(ty, y)) else {
                        continue;
                    };
                    let each = each.bits as i64;
                    assert!(result.lo <= each && each <= result.hi, "{op:?} {ty:?} {a:?} {b:?} {each}");
                }
            }
        }
        for from in [Type::I64, Type::U64] {
            for to in [Type::Bool, Type::I8, Type::U8, Type::U64, Type::I64, Type::U32] {
                let result = convert(from, to, a);
                for x in within(a) {
                    let each = interp::convert(to, constant(from, x)).bits as i64;
                    assert!(result.lo <= each && each <= result.hi, "{from:?} {to:?} {a:?} {each}");
                }
            }
        }
    }
    assert!(narrow > total / 10, "{narrow} of {total}");
}
