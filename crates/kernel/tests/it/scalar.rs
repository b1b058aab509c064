//! Operations on constants, against Rust's own arithmetic on the type itself.

use volvelle_kernel::interp::{binary, checked, checked_convert, convert, in_range, reinterpret, unary};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Type, UnaryOp};

/// A Rust type that stands for a type of the IR.
trait Scalar: Copy + PartialEq + std::fmt::Debug {
    const TY: Type;
    fn bits(self) -> u64;
    /// Values around zero and around every edge, in a deterministic order.
    fn samples() -> Vec<Self>;
    fn constant(self) -> Const {
        Const { ty: Self::TY, bits: self.bits() }
    }
}

macro_rules! integers {
    ($($int:ident $ty:ident $wide:ident $test:ident),*) => { $(
        impl Scalar for $int {
            const TY: Type = Type::$ty;
            fn bits(self) -> u64 {
                self as $wide as u64
            }
            fn samples() -> Vec<$int> {
                let mut all = Vec::new();
                for base in [0, $int::MIN, $int::MAX, $int::MAX / 2, $int::MIN / 2, 64, 46, 11] {
                    for offset in 0..4 {
                        all.extend([base.wrapping_add(offset), base.wrapping_sub(offset)]);
                    }
                }
                let mut random = 0x9e37_79b9_7f4a_7c15u64;
                for _ in 0..20 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    all.push((random >> 29) as $int);
                }
                all
            }
        }

        #[test]
        fn $test() {
            for a in $int::samples() {
                assert_eq!(unary(UnaryOp::Not, a.constant()), (!a).constant());
                assert_eq!(unary(UnaryOp::Neg, a.constant()), a.wrapping_neg().constant());
                for b in $int::samples() {
                    pairs(a, b);
                    let bits = $int::BITS;
                    let amount = b.rem_euclid(bits as $int) as u32;
                    let expect = |op, value: $int| {
                        assert_eq!(binary(op, a.constant(), b.constant()), value.constant(), "{op:?} {a} {b}");
                    };
                    expect(BinaryOp::Add, a.wrapping_add(b));
                    expect(BinaryOp::Sub, a.wrapping_sub(b));
                    expect(BinaryOp::Mul, a.wrapping_mul(b));
                    expect(BinaryOp::Min, if b < a { b } else { a });
                    expect(BinaryOp::Max, if b > a { b } else { a });
                    expect(BinaryOp::BitAnd, a & b);
                    expect(BinaryOp::BitOr, a | b);
                    expect(BinaryOp::BitXor, a ^ b);
                    expect(BinaryOp::Shl, a << amount);
                    expect(BinaryOp::Shr, a >> amount);
                    let expect = |op, value: Option<$int>| {
                        let value = value.map(Scalar::constant);
                        assert_eq!(checked(op, a.constant(), b.constant()), value, "{op:?} {a} {b}");
                    };
                    expect(CheckedOp::Add, a.checked_add(b));
                    expect(CheckedOp::Sub, a.checked_sub(b));
                    expect(CheckedOp::Mul, a.checked_mul(b));
                    expect(CheckedOp::Div, a.checked_div(b));
                    expect(CheckedOp::Rem, a.checked_rem(b));
                    // The least number congruent to `a` on the side of the divisor.
                    let modulo = a.wrapping_sub(b.wrapping_mul(floor_div!($wide, a, b)));
                    expect(CheckedOp::Mod, (b != 0).then_some(modulo));
                    let exponent = u32::try_from(b).ok();
                    if let Some(exponent) = exponent {
                        expect(CheckedOp::Pow, a.checked_pow(exponent));
                    }
                }
                from_integer(a, a as i128);
            }
        }
    )* };
}

/// Quotient towards −∞; any value for a zero divisor.
macro_rules! floor_div {
    (u64, $a:expr, $b:expr) => {
        $a.checked_div($b).unwrap_or(0)
    };
    (i64, $a:expr, $b:expr) => {{
        let quotient = ($a as i128).checked_div($b as i128).unwrap_or(0);
        let inexact = quotient * ($b as i128) != $a as i128;
        (if inexact && ($a < 0) != ($b < 0) { quotient - 1 } else { quotient }) as _
    }};
}

/// Conversions of an integer, to each integer type by hand.
fn from_integer<T: Scalar>(a: T, value: i128) {
    macro_rules! to {
        ($($int:ident),*) => { $(
            assert_eq!(convert($int::TY, a.constant()), (value as $int).constant());
            let fits = $int::try_from(value).ok().map(Scalar::constant);
            assert_eq!(checked_convert($int::TY, a.constant()), fits);
        )* };
    }
    to!(u8, u16, u32, u64, i8, i16, i32, i64);
    assert_eq!(convert(Type::F64, a.constant()), Const::f64(value as f64));
    assert_eq!(convert(Type::F32, a.constant()), Const::f32(value as f32));
    assert_eq!(convert(Type::Bool, a.constant()), Const::bool(value != 0));
}

/// The common operations of integers and floats.
fn pairs<T: Scalar + PartialOrd>(a: T, b: T) {
    let expect = |op, value| assert_eq!(binary(op, a.constant(), b.constant()), Const::bool(value), "{op:?}");
    expect(BinaryOp::Eq, a == b);
    expect(BinaryOp::Ne, a != b);
    expect(BinaryOp::Lt, a < b);
    expect(BinaryOp::Le, a <= b);
    expect(BinaryOp::Gt, a > b);
    expect(BinaryOp::Ge, a >= b);
}

integers!(
    u8 U8 u64 on_u8, u16 U16 u64 on_u16, u32 U32 u64 on_u32, u64 U64 u64 on_u64,
    i8 I8 i64 on_i8, i16 I16 i64 on_i16, i32 I32 i64 on_i32, i64 I64 i64 on_i64
);

/// `|MIN|` wraps.
#[test]
fn absolute_values() {
    for a in i8::samples() {
        assert_eq!(unary(UnaryOp::Abs, a.constant()), a.wrapping_abs().constant());
    }
    for a in i64::samples() {
        assert_eq!(unary(UnaryOp::Abs, a.constant()), a.wrapping_abs().constant());
    }
}

/// Exponents that no `u32` holds.
#[test]
fn powers_with_large_exponents() {
    let pow = |a: i64, b: i64| checked(CheckedOp::Pow, Const::i64(a), Const::i64(b)).map(|c| c.bits as i64);
    assert_eq!(pow(1, i64::MAX), Some(1));
    assert_eq!(pow(0, i64::MAX), Some(0));
    assert_eq!(pow(-1, i64::MAX), Some(-1));
    assert_eq!(pow(-1, i64::MAX - 1), Some(1));
    assert_eq!(pow(2, i64::MAX), None);
    assert_eq!(pow(i64::MIN, i64::MAX), None);
    for negative in [-1, i64::MIN] {
        assert_eq!([pow(0, negative), pow(1, negative), pow(-1, negative)], [None; 3]);
    }
}

macro_rules! floats {
    ($d:tt $float:ident $ty:ident $same:ident $test:ident) => {
        impl Scalar for $float {
            const TY: Type = Type::$ty;
            fn bits(self) -> u64 {
                self.to_bits() as u64
            }
            fn samples() -> Vec<$float> {
                let mut all: Vec<$float> = vec![0.0, 0.5, 0.9, 1.0, 1.5, 2.5, 1e-3, 3.0, 127.0, 127.9, 128.0, 128.9];
                all.extend([129.0, 255.0, 255.9, 256.0, 65535.9, 65536.0, 2147483647.5, 2147483648.0, 4294967295.9]);
                all.extend([4294967296.0, 9223372036854775808.0, 18446744073709551616.0, 9007199254740993.0, 1e30]);
                all.extend([$float::MAX, $float::MIN_POSITIVE, $float::EPSILON, $float::INFINITY, $float::NAN]);
                all.extend([$float::from_bits(1), (16777217.0 as $float), (1u64 << 63) as $float * 0.999]);
                let negative: Vec<$float> = all.iter().map(|x| -x).collect();
                all.extend(negative);
                all
            }
        }

        /// The same bits, or two NaNs.
        fn $same(found: Const, expected: $float) -> bool {
            found == expected.constant() || (found.as_f64().unwrap().is_nan() && expected.is_nan())
        }

        #[test]
        fn $test() {
            for a in $float::samples() {
                let one = |op, value: $float| assert!($same(unary(op, a.constant()), value), "{op:?} {a}");
                one(UnaryOp::Neg, -a);
                one(UnaryOp::Abs, a.abs());
                one(UnaryOp::Sqrt, a.sqrt());
                one(UnaryOp::Floor, a.floor());
                one(UnaryOp::Ceil, a.ceil());
                one(UnaryOp::Trunc, a.trunc());
                for b in $float::samples() {
                    pairs(a, b);
                    let two = |op, value: $float| {
                        assert!($same(binary(op, a.constant(), b.constant()), value), "{op:?} {a} {b}");
                    };
                    two(BinaryOp::Add, a + b);
                    two(BinaryOp::Sub, a - b);
                    two(BinaryOp::Mul, a * b);
                    two(BinaryOp::Div, a / b);
                    let nan = a.is_nan() || b.is_nan();
                    let (low, high) = if a < b || (a == b && a.is_sign_negative()) { (a, b) } else { (b, a) };
                    two(BinaryOp::Min, if nan { $float::NAN } else { low });
                    two(BinaryOp::Max, if nan { $float::NAN } else { high });
                    match checked(CheckedOp::Div, a.constant(), b.constant()) {
                        Some(quotient) => assert!(b != 0.0 && $same(quotient, a / b), "{a} {b}"),
                        None => assert!(b == 0.0, "{a} {b}"),
                    }
                }
                macro_rules! to {
                    ($d($d int:ident),*) => { $d(
                        assert_eq!(convert($d int::TY, a.constant()), (a as $d int).constant());
                        // It fits exactly where saturating changes nothing.
                        let fits = (a as $d int) as f64 == a.trunc() as f64
                            && (a.trunc() as f64) < ($d int::MAX as f64) + if $d int::BITS < 64 { 1.0 } else { 0.0 };
                        let found = checked_convert($d int::TY, a.constant());
                        assert_eq!(found, fits.then_some((a as $d int).constant()), "{a} {}", $d int::TY);
                    )* };
                }
                to!(u8, u16, u32, u64, i8, i16, i32, i64);
                assert_eq!(convert(Type::Bool, a.constant()), Const::bool(a != 0.0));
                assert!(same_f64(convert(Type::F64, a.constant()), a as f64));
                assert!(same_f32(convert(Type::F32, a.constant()), a as f32));
            }
        }
    };
}

floats!($ f64 F64 same_f64 on_f64);
floats!($ f32 F32 same_f32 on_f32);

/// Whatever operation gives it, a NaN has one pattern of bits here.
#[test]
fn nan_has_one_pattern() {
    let quiet = Const { ty: Type::F64, bits: 0x7ff8_0000_0000_0000 };
    let odd = Const { ty: Type::F64, bits: 0xfff0_0000_0000_0001 };
    let one = Const::f64(1.0);
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Min, BinaryOp::Max] {
        assert_eq!(binary(op, odd, one), quiet, "{op:?}");
        assert_eq!(binary(op, one, odd), quiet, "{op:?}");
    }
    assert_eq!(unary(UnaryOp::Sqrt, Const::f64(-1.0)), quiet);
    assert_eq!(unary(UnaryOp::Floor, odd), quiet);
    assert_eq!(convert(Type::F32, odd), Const { ty: Type::F32, bits: 0x7fc0_0000 });
    assert_eq!(unary(UnaryOp::Neg, odd).bits, 0x7ff0_0000_0000_0001);
    assert_eq!(unary(UnaryOp::Abs, odd).bits, 0x7ff0_0000_0000_0001);
}

#[test]
fn booleans() {
    for a in [false, true] {
        assert_eq!(unary(UnaryOp::Not, Const::bool(a)), Const::bool(!a));
        for ty in Type::ALL {
            let converted = convert(ty, Const::bool(a));
            assert_eq!(converted.ty, ty);
            assert_eq!(convert(Type::Bool, converted), Const::bool(a), "{ty}");
            assert_eq!(convert(Type::F64, converted), Const::f64(a as u8 as f64), "{ty}");
        }
        for b in [false, true] {
            let expect =
                |op, value| assert_eq!(binary(op, Const::bool(a), Const::bool(b)), Const::bool(value));
            expect(BinaryOp::BitAnd, a && b);
            expect(BinaryOp::BitOr, a || b);
            expect(BinaryOp::BitXor, a != b);
            expect(BinaryOp::Eq, a == b);
            expect(BinaryOp::Ne, a != b);
        }
    }
}

#[test]
fn ranges() {
    assert!(in_range(Const::i64(-3), -3, -3));
    assert!(!in_range(Const::i64(-4), -3, 5));
    assert!(in_range(Const::int(Type::U8, 200), 200, 1000));
    assert!(in_range(Const::u64(u64::MAX), 1, -1));
    assert!(!in_range(Const::u64(0), 1, -1));
    assert!(!in_range(Const::u64(1 << 63), 0, i64::MAX));
}

/// Bits stay as they are, read with another sign or as a float; all NaNs have the bits of one.
#[test]
fn bits_as_another_type() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut words: Vec<u64> = (0..64).flat_map(|n| [1 << n, (1u64 << n) - 1, !0 << n]).collect();
    for _ in 0..1000 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        words.push(random ^ random >> 32);
    }
    words.extend([f64::NAN, -f64::NAN, f64::INFINITY, -0.0, 5e-324].map(f64::to_bits));
    words.extend([f32::NAN, -f32::NAN, f32::NEG_INFINITY, 1e-45].map(|x| x.to_bits() as u64));
    let int = |ty, word: u64| Const::int(ty, word as i64);
    for word in words {
        for (signed, unsigned) in [(Type::I8, Type::U8), (Type::I16, Type::U16), (Type::I32, Type::U32)] {
            assert_eq!(reinterpret(signed, int(unsigned, word)), int(signed, word));
            assert_eq!(reinterpret(unsigned, int(signed, word)), int(unsigned, word));
        }
        let (double, single) = (f64::from_bits(word), f32::from_bits(word as u32));
        let wide = if double.is_nan() { 0x7ff8_0000_0000_0000 } else { word };
        let narrow = if single.is_nan() { 0x7fc0_0000 } else { word as u32 as u64 };
        for ty in [Type::I64, Type::U64] {
            assert_eq!(reinterpret(ty, Const::f64(double)), int(ty, wide));
            assert_eq!(reinterpret(Type::F64, int(ty, word)), Const { ty: Type::F64, bits: wide });
        }
        for ty in [Type::I32, Type::U32] {
            assert_eq!(reinterpret(ty, Const::f32(single)), int(ty, narrow));
            assert_eq!(reinterpret(Type::F32, int(ty, word)), Const { ty: Type::F32, bits: narrow });
        }
    }
}
