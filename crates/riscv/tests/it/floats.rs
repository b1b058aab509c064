//! Arithmetic against that of the machine at hand, which rounds to the nearest: bits of results, on operands of all magnitudes.

use std::hint::black_box;
use volvelle_riscv::float::{
    Context, Double, Flags, Format, Integer, Rounding, Single, add, divide, equal, from_integer, fused, less,
    multiply, narrow, square_root, to_integer, widen,
};

/// xorshift64* (Vigna 2016, doi:10.1145/2845077).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(2_685_821_657_736_338_717)
    }

    /// Bits of a number: any, near another, few bits set, tiny, or a special one.
    fn bits<F: Format>(&mut self, near: u64) -> u64 {
        let mask = F::SIGN | (F::SIGN - 1);
        let any = self.next() & mask;
        match self.next() % 8 {
            0 | 1 => any,
            2 => near ^ (self.next() & 7) ^ (self.next() & F::SIGN),
            3 => {
                (near & F::INFINITY).wrapping_add((self.next() % 5) << F::FRACTION) & mask
                    | any & (F::INFINITY ^ mask)
            }
            4 => any & !F::INFINITY,
            5 => any & (F::SIGN | F::INFINITY) | (1 << (self.next() % u64::from(F::FRACTION))),
            6 => {
                [0, F::SIGN, F::INFINITY, F::INFINITY | F::SIGN, F::NAN, F::INFINITY | 1, F::INFINITY - 1, 1]
                    [(self.next() % 8) as usize]
            }
            _ => {
                any & (F::SIGN | ((1 << F::FRACTION) - 1))
                    | (F::BIAS as u64 + self.next() % 64 - 32) << F::FRACTION
            }
        }
    }
}

const CASES: usize = 200_000;

fn nearest() -> Context {
    Context::new(Rounding::NearestEven)
}

// Compilers may take the root of a negative number for one: what they cannot see through is tested for being none.
fn of_double(value: f64) -> u64 {
    if black_box(value).is_nan() { Double::NAN } else { value.to_bits() }
}

fn of_single(value: f32) -> u64 {
    if black_box(value).is_nan() { Single::NAN } else { value.to_bits().into() }
}

#[test]
fn double_precision() {
    let mut random = Random(1);
    let mut before = 0;
    for _ in 0..CASES {
        let (a, b, c) =
            (random.bits::<Double>(before), random.bits::<Double>(before), random.bits::<Double>(before));
        before = a;
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let shown = format!("{a:#x} {b:#x} {c:#x}");
        assert_eq!(add::<Double>(a, b, &mut nearest()), of_double(x + y), "{shown}");
        assert_eq!(multiply::<Double>(a, b, &mut nearest()), of_double(x * y), "{shown}");
        assert_eq!(divide::<Double>(a, b, &mut nearest()), of_double(x / y), "{shown}");
        assert_eq!(square_root::<Double>(a, &mut nearest()), of_double(x.sqrt()), "{shown}");
        assert_eq!(fused::<Double>(a, b, c, &mut nearest()), of_double(x.mul_add(y, z)), "{shown}");
        assert_eq!(narrow(a, &mut nearest()), of_single(x as f32), "{shown}");
        assert_eq!(less::<Double>(a, b, &mut nearest()), x < y, "{shown}");
        assert_eq!(equal::<Double>(a, b, &mut nearest()), x == y, "{shown}");
        assert_eq!(
            from_integer::<Double>(a, Integer::Long, &mut nearest()),
            of_double(a as i64 as f64),
            "{shown}"
        );
        assert_eq!(
            from_integer::<Double>(a, Integer::UnsignedLong, &mut nearest()),
            of_double(a as f64),
            "{shown}"
        );
        if !x.is_nan() {
            let mut context = Context::new(Rounding::Zero);
            assert_eq!(to_integer::<Double>(a, Integer::Long, &mut context), (x as i64) as u64, "{shown}");
            assert_eq!(to_integer::<Double>(a, Integer::UnsignedLong, &mut context), x as u64, "{shown}");
        }
    }
}

#[test]
fn single_precision() {
    let mut random = Random(2);
    let mut before = 0;
    for _ in 0..CASES {
        let (a, b, c) =
            (random.bits::<Single>(before), random.bits::<Single>(before), random.bits::<Single>(before));
        before = a;
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        let shown = format!("{a:#x} {b:#x} {c:#x}");
        assert_eq!(add::<Single>(a, b, &mut nearest()), of_single(x + y), "{shown}");
        assert_eq!(multiply::<Single>(a, b, &mut nearest()), of_single(x * y), "{shown}");
        assert_eq!(divide::<Single>(a, b, &mut nearest()), of_single(x / y), "{shown}");
        assert_eq!(square_root::<Single>(a, &mut nearest()), of_single(x.sqrt()), "{shown}");
        assert_eq!(fused::<Single>(a, b, c, &mut nearest()), of_single(x.mul_add(y, z)), "{shown}");
        assert_eq!(widen(a, &mut nearest()), of_double(x.into()), "{shown}");
        assert_eq!(
            from_integer::<Single>(a, Integer::UnsignedLong, &mut nearest()),
            of_single(a as f32),
            "{shown}"
        );
    }
}

/// Directed modes enclose the exact result: down and up are equal, or neighbours between which it lies; towards zero is one of them; and
/// the flag of inexactness tells which.
#[test]
fn directed_modes() {
    let mut random = Random(3);
    let mut before = 0;
    for _ in 0..CASES / 4 {
        let (a, b) = (random.bits::<Single>(before), random.bits::<Single>(before));
        before = b;
        for operation in [add::<Single>, multiply::<Single>, divide::<Single>] {
            let in_mode = |rounding| {
                let mut context = Context::new(rounding);
                let bits = operation(a, b, &mut context);
                (f32::from_bits(bits as u32), context.flags.0)
            };
            let (down, flags) = in_mode(Rounding::Down);
            let (up, _) = in_mode(Rounding::Up);
            let (zero, _) = in_mode(Rounding::Zero);
            let (even, _) = in_mode(Rounding::NearestEven);
            let (away, _) = in_mode(Rounding::NearestAway);
            let shown = format!("{a:#x} {b:#x}: {down:e} {up:e} {zero:e} {even:e} {away:e}");
            if down.is_nan() {
                assert!(up.is_nan() && zero.is_nan() && even.is_nan() && away.is_nan(), "{shown}");
                continue;
            }
            assert!(down <= up && (zero == down || zero == up), "{shown}");
            assert!((even == down || even == up) && (away == down || away == up), "{shown}");
            assert_eq!(down != up, flags & Flags::INEXACT != 0, "{shown}");
            if down != up {
                assert_eq!(down.next_up(), up, "{shown}");
                assert_eq!(zero == down, down >= 0.0, "{shown}");
            }
        }
    }
}

/// What is tiny before rounding and not after it is no underflow.
#[test]
fn tininess_is_told_after_rounding() {
    // The least normal number times the largest below one is just below it, and rounds to it.
    let mut context = nearest();
    let least = 1 << Double::FRACTION;
    let near_one = (1.0_f64).next_down().to_bits();
    assert_eq!(multiply::<Double>(least, near_one, &mut context), least);
    assert_eq!(context.flags.0, Flags::INEXACT | Flags::UNDERFLOW);
    // With a bit more it would be normal if exponents had no end: (1 + 2^-52) (1 - 2^-53).
    let mut context = nearest();
    assert_eq!(multiply::<Double>(least + 1, near_one, &mut context), least);
    assert_eq!(context.flags.0, Flags::INEXACT);
}
