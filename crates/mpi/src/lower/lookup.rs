//! Expressions that look a number up: functions of a small index, without buffers.

use volvelle_kernel::{BinaryOp, ExprId, Exprs, Type};

/// Bits of a mask.
const WORD: usize = 64;

/// `f` of an index (`i64`, in `0..count`), as `i64`: a test for each value but the most frequent one.
pub fn lookup(exprs: &mut Exprs, index: ExprId, count: usize, f: impl Fn(usize) -> i64) -> ExprId {
    let values: Vec<i64> = (0..count).map(f).collect();
    if let Some(place) = exprs.as_const(index) {
        let place =
            place.as_i64().and_then(|place| usize::try_from(place).ok()).filter(|&place| place < count);
        return exprs.i64(place.map_or(0, |place| values[place]));
    }
    let mut distinct = values.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let uses = |value: i64| values.iter().filter(|&&other| other == value).count();
    let Some(&default) = distinct.iter().max_by_key(|&&value| uses(value)) else { return exprs.i64(0) };
    let mut result = exprs.i64(default);
    for value in distinct.into_iter().filter(|&value| value != default) {
        let cond = is_one_of(exprs, index, count, |place| values[place] == value);
        let value = exprs.i64(value);
        result = exprs.select(cond, value, result);
    }
    result
}

/// Whether an index (`i64`, in `0..count`) is one of those that `f` says, as `bool`.
pub fn is_one_of(exprs: &mut Exprs, index: ExprId, count: usize, f: impl Fn(usize) -> bool) -> ExprId {
    let members: Vec<usize> = (0..count).filter(|&place| f(place)).collect();
    if members.is_empty() || members.len() == count {
        return exprs.bool(!members.is_empty());
    }
    if let [only] = members[..] {
        let only = exprs.i64(only as i64);
        return exprs.binary(BinaryOp::Eq, index, only);
    }
    let mut result = exprs.bool(false);
    for start in (0..count).step_by(WORD).rev() {
        let inside = members.iter().filter(|&&place| place >= start && place < start + WORD);
        let mask = inside.fold(0u64, |mask, &place| mask | 1 << (place - start));
        let test = if mask == 0 {
            exprs.bool(false)
        } else {
            let first = exprs.i64(start as i64);
            let offset = if start == 0 { index } else { exprs.binary(BinaryOp::Sub, index, first) };
            let offset = exprs.convert(Type::U64, offset);
            let mask = exprs.u64(mask);
            let shifted = exprs.binary(BinaryOp::Shr, mask, offset);
            let one = exprs.u64(1);
            let bit = exprs.binary(BinaryOp::BitAnd, shifted, one);
            exprs.binary(BinaryOp::Eq, bit, one)
        };
        let end = exprs.i64((start + WORD) as i64);
        let below = exprs.binary(BinaryOp::Lt, index, end);
        result = if start + WORD >= count { test } else { exprs.select(below, test, result) };
    }
    result
}
