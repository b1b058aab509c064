//! What the tests share: back ends in every configuration, buffers that own their elements.

use volvelle_kernel::types::canonical_int;
use volvelle_kernel::{BufferMut, Const, Type};
use volvelle_native::{Allocator, Native, OptLevel, Options};

/// A back end per combination of optimisation level, allocator and instruction set, with a name.
pub fn configurations() -> Vec<(String, Native)> {
    let mut all = Vec::new();
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            for host_features in [true, false] {
                let options = Options {
                    opt_level,
                    allocator,
                    verify_ir: true,
                    host_features,
                };
                all.push((
                    format!("{options:?}"),
                    Native::new(options).expect("a supported host"),
                ));
            }
        }
    }
    all
}

/// Equal in type and bits, any two NaNs taken for equal.
pub fn same(a: Const, b: Const) -> bool {
    let nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    a == b || (a.ty == b.ty && nan(a) && nan(b))
}

macro_rules! elements {
    ($($variant:ident $element:ty, $read:ident $write:ident $append:ident, $ty:pat, $to:expr, $from:expr;)*) => {
        /// Elements of one type.
        #[derive(Clone, Debug)]
        pub enum Elements { $($variant(Vec<$element>)),* }

        impl Elements {
            /// `values`, all of type `ty`, with room for `capacity` elements.
            pub fn new(ty: Type, values: &[Const], capacity: usize) -> Self {
                match ty {
                    $($ty => {
                        let mut elements: Vec<$element> = Vec::with_capacity(capacity);
                        elements.extend(values.iter().map(|c| $from(c.bits)));
                        Elements::$variant(elements)
                    })*
                }
            }

            /// The elements as constants of type `ty`.
            pub fn constants(&self, ty: Type) -> Vec<Const> {
                match self {
                    $(Elements::$variant(v) => v.iter().map(|&e| Const { ty, bits: $to(ty, e) }).collect(),)*
                }
            }

            #[allow(dead_code)] // not every test file lends every way
            pub fn lend_read(&self) -> BufferMut<'_> {
                match self { $(Elements::$variant(v) => BufferMut::$read(v),)* }
            }

            pub fn lend_write(&mut self) -> BufferMut<'_> {
                match self { $(Elements::$variant(v) => BufferMut::$write(v),)* }
            }

            #[allow(dead_code)]
            pub fn lend_append(&mut self) -> BufferMut<'_> {
                match self { $(Elements::$variant(v) => BufferMut::$append(v),)* }
            }
        }
    };
}

elements! {
    U8 u8, ReadU8 U8 AppendU8, Type::U8 | Type::Bool, |ty, e| canonical_int(ty, e as u64), |b| b as u8;
    U16 u16, ReadU16 U16 AppendU16, Type::U16, |_, e| e as u64, |b| b as u16;
    U32 u32, ReadU32 U32 AppendU32, Type::U32, |_, e| e as u64, |b| b as u32;
    U64 u64, ReadU64 U64 AppendU64, Type::U64, |_, e| e, |b| b;
    I8 i8, ReadI8 I8 AppendI8, Type::I8, |_, e| e as i64 as u64, |b| b as i8;
    I16 i16, ReadI16 I16 AppendI16, Type::I16, |_, e| e as i64 as u64, |b| b as i16;
    I32 i32, ReadI32 I32 AppendI32, Type::I32, |_, e| e as i64 as u64, |b| b as i32;
    I64 i64, ReadI64 I64 AppendI64, Type::I64, |_, e| e as u64, |b| b as i64;
    F32 f32, ReadF32 F32 AppendF32, Type::F32, |_, e: f32| e.to_bits() as u64, |b| f32::from_bits(b as u32);
    F64 f64, ReadF64 F64 AppendF64, Type::F64, |_, e: f64| e.to_bits(), f64::from_bits;
}

/// Values of a type at which operations change their behaviour.
#[allow(dead_code)]
pub fn edges(ty: Type) -> Vec<Const> {
    if ty.is_float() {
        return float_edges(ty);
    }
    if ty == Type::Bool {
        return vec![Const::bool(false), Const::bool(true)];
    }
    let mut values = vec![
        0,
        1,
        2,
        3,
        5,
        7,
        10,
        63,
        -1,
        -2,
        -3,
        -7,
        -10,
        i64::MIN,
        i64::MAX,
        i64::MIN + 1,
    ];
    for bits in [7, 8, 15, 16, 31, 32, 63] {
        let power = 1i64 << bits;
        for value in [power.wrapping_sub(1), power, power.wrapping_add(1)] {
            values.extend([value, value.wrapping_neg()]);
        }
    }
    let bits = ty.bits() as i64;
    values.extend([bits - 1, bits, bits + 1, (1 << (bits / 2)) - 1, 1 << (bits / 2)]);
    let mut edges: Vec<Const> = values.into_iter().map(|v| Const::int(ty, v)).collect();
    edges.sort();
    edges.dedup();
    edges
}

fn float_edges(ty: Type) -> Vec<Const> {
    let mut values = vec![
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.7,
        0.1,
        1e-300,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
    ];
    values.extend([
        f64::INFINITY,
        f64::NAN,
        f32::MAX as f64,
        f32::MIN_POSITIVE as f64,
        1e-45,
        16777217.0,
    ]);
    for exponent in [7, 8, 15, 16, 24, 31, 32, 53, 63, 64] {
        let power = 2f64.powi(exponent);
        values.extend([power, power - 0.5, power + 0.5, power - 1.0, power + 1.0]);
        values.extend([
            power.next_down(),
            power.next_up(),
            (power as f32).next_down() as f64,
        ]);
    }
    let negative: Vec<f64> = values.iter().map(|v| -v).collect();
    values.extend(negative);
    let constant = |v| {
        if ty == Type::F64 {
            Const::f64(v)
        } else {
            Const::f32(v as f32)
        }
    };
    let mut edges: Vec<Const> = values.into_iter().map(constant).collect();
    edges.sort();
    edges.dedup();
    edges
}
