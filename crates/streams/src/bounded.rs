//! Uniform integers below a bound, without bias.
//!
//! Let `U = 0.b₁b₂b₃…` be a uniform real number whose digits to the base 2^32 (or 2^64) are draws. Then
//! `⌊total · U⌋` takes each value below `total` with the same probability. The first digit almost always
//! decides: `total · 0.b₁` has an integer part and a remainder `low / 2^32`. The later digits add less than
//! `total / 2^32`, so there is no carry if `low <= 2^32 - total`. Otherwise, digits are drawn until the carry
//! is known; the next one decides except with a probability of 2^-32. (S. Canon, *An optimal algorithm for
//! bounded random integers*, Swift pull request 39143, 2021, stops after the second digit; without that limit
//! the result is exact.)
//!
//! Compared with rejection (Lemire, *Fast random integer generation in an interval*, ACM TOMACS 29, 2019,
//! doi:10.1145/3230636), the common path is the same, a product and a comparison. The rare path has no
//! division and does not start again, so the lanes of a vector stay together. If the bound is a constant
//! power of two, there is no rare path.

use crate::build::{Build, set};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Kernel, Local, Stmt, Type};

/// A value below `total` (0 if `total` is 0) from digits of 32 bits.
pub(crate) fn below32(total: u32, mut digit: impl FnMut() -> u32) -> u32 {
    let product = u64::from(digit()) * u64::from(total);
    let (mut value, mut low) = ((product >> 32) as u32, product as u32);
    if low > total.wrapping_neg() {
        for _ in 0..u32::MAX {
            let product = u64::from(digit()) * u64::from(total);
            let (sum, carries) = low.overflowing_add((product >> 32) as u32);
            if sum != u32::MAX {
                value += carries as u32;
                break;
            }
            low = product as u32;
        }
    }
    value
}

/// A value below `total` (0 if `total` is 0) from digits of 64 bits.
pub(crate) fn below64(total: u64, mut digit: impl FnMut() -> u64) -> u64 {
    let product = u128::from(digit()) * u128::from(total);
    let (mut value, mut low) = ((product >> 64) as u64, product as u64);
    if low > total.wrapping_neg() {
        for _ in 0..u32::MAX {
            let product = u128::from(digit()) * u128::from(total);
            let (sum, carries) = low.overflowing_add((product >> 64) as u64);
            if sum != u64::MAX {
                value += carries as u64;
                break;
            }
            low = product as u64;
        }
    }
    value
}

/// Temporaries of a kernel for bounded integers.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    total32: Local,
    bits32: Local,
    high32: Local,
    low32: Local,
    sum32: Local,
    product: Local,
    total64: Local,
    bits64: Local,
    high64: Local,
    low64: Local,
    sum64: Local,
    /// Partial products.
    lowest: Local,
    middle: Local,
    other_middle: Local,
    round: Local,
}

impl Bounded {
    pub(crate) fn declare(mut local: impl FnMut(&str, Type) -> Local) -> Self {
        Bounded {
            total32: local("total32", Type::U32),
            bits32: local("bits32", Type::U32),
            high32: local("high32", Type::U32),
            low32: local("low32", Type::U32),
            sum32: local("sum32", Type::U32),
            product: local("product", Type::U64),
            total64: local("total64", Type::U64),
            bits64: local("bits64", Type::U64),
            high64: local("high64", Type::U64),
            low64: local("low64", Type::U64),
            sum64: local("sum64", Type::U64),
            lowest: local("lowest", Type::U64),
            middle: local("middle", Type::U64),
            other_middle: local("other_middle", Type::U64),
            round: local("round", Type::U32),
        }
    }

    /// Sets `into` to a value below `total`, of the same type (`u32` or `u64`); `digit` draws into a local of
    /// that type.
    pub(crate) fn below(
        &self,
        kernel: &mut Kernel,
        digit: &dyn Fn(&mut Kernel, Local) -> Block,
        total: ExprId,
        into: Local,
    ) -> Block {
        let wide = kernel.exprs.ty(total) == Type::U64;
        let of = |narrow, double| if wide { double } else { narrow };
        let mut block = Block::new();
        let known = kernel.exprs.as_const(total);
        let total = if known.is_some() {
            total
        } else {
            // `total` may read a local that is set below.
            let kept = of(self.total32, self.total64);
            block.push(Stmt::Set { local: kept, value: total });
            kernel.get(kept)
        };
        let (bits, high, low) =
            (of(self.bits32, self.bits64), of(self.high32, self.high64), of(self.low32, self.low64));
        block.extend(digit(kernel, bits));
        block.extend(self.times(kernel, bits, total, into, low));
        if known.is_some_and(|c| c.bits.is_power_of_two()) {
            // The rest is a multiple of the bound.
            return block;
        }

        let (sum, ty) = (of(self.sum32, self.sum64), kernel.exprs.ty(total));
        // The integer part of this digit's share goes to `high`, its rest to `bits`.
        let mut round = digit(kernel, bits);
        round.extend(self.times(kernel, bits, total, high, bits));
        let [low_value, high_value, bits_value, sum_value, into_value] =
            [low, high, bits, sum, into].map(|local| kernel.get(local));
        round.push(set(kernel, sum, |b| b.add(low_value, high_value)));
        let carry = set(kernel, into, |b| {
            let carries = b.less(sum_value, low_value);
            let carry = b.0.convert(ty, carries);
            b.add(into_value, carry)
        });
        let e = &mut kernel.exprs;
        let most = e.constant(Const::int(ty, -1));
        let undecided = e.binary(BinaryOp::Eq, sum_value, most);
        let zero = e.constant(Const::int(ty, 0));
        let least = e.binary(BinaryOp::Sub, zero, total);
        let may_carry = e.binary(BinaryOp::Gt, low_value, least);
        round.push(Stmt::If {
            cond: undecided,
            then: vec![Stmt::Set { local: low, value: bits_value }],
            otherwise: vec![carry, Stmt::Break],
        });
        let from = kernel.exprs.constant(Const::int(Type::U32, 0));
        let to = kernel.exprs.constant(Const::int(Type::U32, -1));
        let rounds = Stmt::For { local: self.round, from, to, body: round };
        block.push(Stmt::If { cond: may_carry, then: vec![rounds], otherwise: vec![] });
        block
    }

    /// The double-width product of `bits` and `total`: its halves go to `high` and `low` (which may be
    /// `bits`).
    fn times(&self, kernel: &mut Kernel, bits: Local, total: ExprId, high: Local, low: Local) -> Block {
        let x = kernel.get(bits);
        if kernel.exprs.ty(total) == Type::U32 {
            let product = kernel.get(self.product);
            return vec![
                set(kernel, self.product, |b| b.wide_mul(x, total)),
                set(kernel, high, |b| b.high(product)),
                set(kernel, low, |b| b.low(product)),
            ];
        }
        // Schoolbook multiplication: of halves `(a, b) · (c, d)`.
        let [lowest, middle, other_middle] =
            [self.lowest, self.middle, self.other_middle].map(|local| kernel.get(local));
        let half = |b: &mut Build<'_>, high: bool, of: ExprId| if high { b.high(of) } else { b.low(of) };
        let partial = |b: &mut Build<'_>, high_x: bool, high_total: bool| {
            let (x, total) = (half(b, high_x, x), half(b, high_total, total));
            b.wide_mul(x, total)
        };
        // The high half of a small constant adds nothing.
        let small = kernel.exprs.as_const(total).is_some_and(|c| c.bits >> 32 == 0);
        let mut block = vec![
            set(kernel, self.lowest, |b| partial(b, false, false)),
            set(kernel, self.middle, |b| {
                let (product, carried) = (partial(b, true, false), b.shr(lowest, 32));
                b.add(product, carried)
            }),
            set(kernel, self.other_middle, |b| {
                let rest = b.low(middle);
                let rest = b.wide(rest);
                if small {
                    return rest;
                }
                let product = partial(b, false, true);
                b.add(product, rest)
            }),
            set(kernel, high, |b| {
                let carried = b.shr(middle, 32);
                if small {
                    return carried;
                }
                let (product, other) = (partial(b, true, true), b.shr(other_middle, 32));
                let sum = b.add(product, carried);
                b.add(sum, other)
            }),
        ];
        block.push(set(kernel, low, |b| {
            let (high, low) = (b.low(other_middle), b.low(lowest));
            b.joined(high, low)
        }));
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_kernel::interp::Interpreter;
    use volvelle_kernel::{Access, BufferMut, Code, Compiler, Exit, Node};
    use volvelle_native::{Native, Options};

    /// Some 32-bit digits that lead to each way through the rare path, for a total: with a carry, without, and
    /// undecided for one or two more digits.
    fn digits32(total: u32) -> Vec<Vec<u32>> {
        let of = |low: u32, wanted: u32| {
            // The digit for which `low` plus its share is `wanted`, if there is one.
            let share = u64::from(wanted.wrapping_sub(low));
            (share << 32).div_ceil(u64::from(total)) as u32
        };
        let mut all = Vec::new();
        // The last digits before the first one that gives a value.
        let before = [1, 2, total / 3, total / 2, total - 1].map(|value| of(0, value).wrapping_sub(1));
        let firsts = [0u32, 1, 77, 0x8000_0000, 0xdead_beef, u32::MAX, total, total.wrapping_neg()];
        for first in firsts.into_iter().chain(before) {
            let low = first.wrapping_mul(total);
            for wanted in [u32::MAX, u32::MAX - 1, 0, 1] {
                let second = of(low, wanted);
                for delta in [0, 1, u32::MAX] {
                    let second = second.wrapping_add(delta);
                    let third = of(second.wrapping_mul(total), u32::MAX);
                    all.push(vec![first, second, third, 0x1234_5678, u32::MAX, 5]);
                    all.push(vec![first, second, third.wrapping_add(1), 0, 0, 5]);
                }
            }
        }
        all
    }

    const TOTALS: [u32; 10] =
        [1, 3, 64, 1000, 0x7fff_ffff, 1 << 31, 0x8000_0001, 3_000_000_001, u32::MAX - 1, u32::MAX];

    /// The integer part of `total` times the number with these digits to the base 2^32.
    fn exact(total: u32, digits: &[u32]) -> u32 {
        let mut carry = 0u64;
        for &digit in digits.iter().rev() {
            carry = (u64::from(digit) * u64::from(total) + carry) >> 32;
        }
        carry as u32
    }

    #[test]
    fn values_are_those_of_the_real_number() {
        let (mut rare, mut undecided) = (0, 0);
        for total in TOTALS {
            for digits in digits32(total) {
                let mut used = 0;
                let value = below32(total, || {
                    used += 1;
                    digits[used - 1]
                });
                assert_eq!(value, exact(total, &digits), "{total} {digits:x?}");
                // No further digits can change it.
                for tail in [0, u32::MAX] {
                    let mut other = digits.clone();
                    other[used..].fill(tail);
                    assert_eq!(value, exact(total, &other), "{total} {digits:x?}");
                }
                rare += (used > 1) as u32;
                undecided += (used > 2) as u32;
            }
        }
        assert!(rare > 500 && undecided > 50, "{rare} {undecided}");
    }

    /// 64-bit digits for the same ways.
    fn digits64(total: u64) -> Vec<Vec<u64>> {
        let of = |low: u64, wanted: u64| {
            let share = u128::from(wanted.wrapping_sub(low));
            (share << 64).div_ceil(u128::from(total)) as u64
        };
        let mut all = Vec::new();
        // The last digits before the first one that gives a value.
        let before = [1, 2, total / 3, total / 2, total - 1].map(|value| of(0, value).wrapping_sub(1));
        let firsts = [0u64, 1, 77, 1 << 63, 0xdead_beef_0bad_cafe, u64::MAX, total, total.wrapping_neg()];
        for first in firsts.into_iter().chain(before) {
            let low = first.wrapping_mul(total);
            for wanted in [u64::MAX, u64::MAX - 1, 0, 1] {
                let second = of(low, wanted);
                for delta in [0, 1, u64::MAX] {
                    let second = second.wrapping_add(delta);
                    let third = of(second.wrapping_mul(total), u64::MAX);
                    all.push(vec![first, second, third, 0x1234_5678, u64::MAX, 5]);
                    all.push(vec![first, second, third.wrapping_add(1), 0, 0, 5]);
                }
            }
        }
        all
    }

    fn exact64(total: u64, digits: &[u64]) -> u64 {
        let mut carry = 0u128;
        for &digit in digits.iter().rev() {
            carry = (u128::from(digit) * u128::from(total) + carry) >> 64;
        }
        carry as u64
    }

    const WIDE_TOTALS: [u64; 9] = [
        1,
        3,
        1000,
        0xffff_ffff,
        1 << 32,
        (1 << 32) + 1,
        (1 << 62) + 1,
        (1 << 63) - 1,
        12_345_678_901_234_567,
    ];

    #[test]
    fn wide_values_are_those_of_the_real_number() {
        let (mut rare, mut undecided) = (0, 0);
        for total in WIDE_TOTALS {
            for digits in digits64(total) {
                let mut used = 0;
                let value = below64(total, || {
                    used += 1;
                    digits[used - 1]
                });
                assert_eq!(value, exact64(total, &digits), "{total} {digits:x?}");
                rare += (used > 1) as u32;
                undecided += (used > 2) as u32;
            }
        }
        assert!(rare > 200 && undecided > 30, "{rare} {undecided}");
    }

    /// A kernel that takes digits from a buffer, and emits the value and how many digits it used.
    fn kernel(ty: Type, total: u64, constant: bool) -> Kernel {
        let mut k = Kernel::new("k");
        let bound = k.param("total", ty);
        let digits = k.buffer("digits", ty, Access::Read);
        let out = k.buffer("out", Type::U64, Access::Append);
        let (used, value) = (k.local("used", Type::U64), k.local("value", ty));
        let bounded = Bounded::declare(|name, ty| k.local(name, ty));
        let total = if constant { k.exprs.constant(Const::int(ty, total as i64)) } else { k.get(bound) };
        let used_value = k.get(used);
        let digit = |kernel: &mut Kernel, into: Local| {
            let value = kernel.exprs.add(Node::Load { buffer: digits, ty, index: used_value });
            let one = kernel.exprs.u64(1);
            let next = kernel.exprs.binary(BinaryOp::Add, used_value, one);
            vec![Stmt::Set { local: into, value }, Stmt::Set { local: used, value: next }]
        };
        let mut body = bounded.below(&mut k, &digit, total, value);
        let value = k.get(value);
        for value in [k.exprs.convert(Type::U64, value), used_value] {
            body.push(Stmt::Emit { buffer: out, value });
        }
        k.body = body;
        k
    }

    fn codes(kernel: &Kernel) -> [Box<dyn Code>; 2] {
        let native = Native::new(Options { verify_ir: true, ..Options::default() }).unwrap();
        [Interpreter.compile(kernel).unwrap(), native.compile(kernel).unwrap()]
    }

    #[test]
    fn kernels_take_the_same_ways() {
        for constant in [false, true] {
            for total in TOTALS {
                let codes = codes(&kernel(Type::U32, total.into(), constant));
                for digits in digits32(total) {
                    let mut used = 0;
                    let value = below32(total, || {
                        used += 1;
                        digits[used - 1]
                    });
                    for code in &codes {
                        let mut out = Vec::with_capacity(2);
                        let lent = &mut [BufferMut::ReadU32(&digits), BufferMut::AppendU64(&mut out)];
                        assert_eq!(code.run(&[Const::int(Type::U32, total.into())], lent), Exit::Done);
                        assert_eq!(out, [value.into(), used as u64], "{total} {digits:x?}");
                    }
                }
            }
            for total in WIDE_TOTALS {
                let codes = codes(&kernel(Type::U64, total, constant));
                for digits in digits64(total) {
                    let mut used = 0;
                    let value = below64(total, || {
                        used += 1;
                        digits[used - 1]
                    });
                    for code in &codes {
                        let mut out = Vec::with_capacity(2);
                        let lent = &mut [BufferMut::ReadU64(&digits), BufferMut::AppendU64(&mut out)];
                        assert_eq!(code.run(&[Const::u64(total)], lent), Exit::Done);
                        assert_eq!(out, [value, used as u64], "{total} {digits:x?}");
                    }
                }
            }
        }
    }
}
