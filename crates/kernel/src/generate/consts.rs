//! Constants, mostly where arithmetic has its edges.

use super::source::Source;
use crate::types::{Const, Type};

impl Source<'_> {
    /// A constant of a type: small, at an edge, or any bits.
    pub(super) fn constant(&mut self, ty: Type) -> Const {
        match ty {
            Type::Bool => Const::bool(self.below(2) == 1),
            Type::F64 => Const::f64(match self.below(4) {
                0 => self.below(8) as f64,
                1 => f64::from_bits(self.word()),
                _ => self.pick(&FLOATS),
            }),
            Type::F32 => Const::f32(match self.below(4) {
                0 => self.below(8) as f32,
                1 => f32::from_bits(self.word() as u32),
                _ => self.pick(&FLOATS) as f32,
            }),
            _ => {
                let bits = ty.bits();
                let value = match self.below(4) {
                    0 => self.below(8) as i64,
                    1 => self.below(16) as i64 - 8,
                    2 => self.word() as i64,
                    _ => {
                        // Around the powers of two at which some type ends.
                        let power = self.pick(&[3, 5, 6, 7, 8, 15, 16, 24, 31, 32, 53, bits - 1, bits]);
                        let edge =
                            1i64.checked_shl(power).unwrap_or(0).wrapping_add(self.below(3) as i64 - 1);
                        if self.chance(64) { edge.wrapping_neg() } else { edge }
                    }
                };
                Const::int(ty, value)
            }
        }
    }
}

const FLOATS: [f64; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    -0.9,
    1.5,
    2.5,
    1e-3,
    0.1,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
    127.5,
    -128.5,
    255.5,
    32767.9,
    65535.9,
    2147483647.5,
    -2147483648.9,
    4294967295.5,
    9007199254740991.0,
    9007199254740993.0,
    9223372036854775808.0,
    -9223372036854775808.0,
    18446744073709551616.0,
];
