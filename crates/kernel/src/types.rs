//! Types and constants.

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names say it
pub enum Type {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Type {
    /// Every type, in the order of the text form's documentation.
    pub const ALL: [Type; 11] = [
        Type::Bool,
        Type::I8,
        Type::I16,
        Type::I32,
        Type::I64,
        Type::U8,
        Type::U16,
        Type::U32,
        Type::U64,
        Type::F32,
        Type::F64,
    ];

    /// Name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    /// Bytes an element takes in a buffer. A Boolean takes one byte, 0 or 1.
    pub fn bytes(self) -> usize {
        match self {
            Type::Bool | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Value bits: 1 for a Boolean.
    pub fn bits(self) -> u32 {
        if self == Type::Bool { 1 } else { self.bytes() as u32 * 8 }
    }

    /// `i8` … `u64`.
    pub fn is_int(self) -> bool {
        !matches!(self, Type::Bool | Type::F32 | Type::F64)
    }

    /// `i8` … `i64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// The least and the greatest value of an integer type of less than 64 bits.
    pub fn limits(self) -> Option<(i64, i64)> {
        let bits = self.bits();
        match self.is_int() && bits < 64 {
            true if self.is_signed() => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            true => Some((0, (1 << bits) - 1)),
            false => None,
        }
    }

    /// `f32`, `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A value of a type, as raw bits in canonical form: Booleans 0 or 1; integers sign- or zero-extended to
/// 64 bits according to their type; `f32` its 32 bits zero-extended; `f64` its bits. Equality and hashing
/// are on bits, so constants can be shared (two NaNs with the same bits are the same constant).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Const {
    /// Type of the value.
    pub ty: Type,
    /// Canonical bits.
    pub bits: u64,
}

impl Const {
    /// `bool`.
    pub fn bool(value: bool) -> Self {
        Const { ty: Type::Bool, bits: value as u64 }
    }

    /// An integer of type `ty`, wrapped to its width.
    pub fn int(ty: Type, value: i64) -> Self {
        debug_assert!(ty.is_int());
        Const { ty, bits: canonical_int(ty, value as u64) }
    }

    /// `i64`.
    pub fn i64(value: i64) -> Self {
        Const { ty: Type::I64, bits: value as u64 }
    }

    /// `u64`.
    pub fn u64(value: u64) -> Self {
        Const { ty: Type::U64, bits: value }
    }

    /// `f64`.
    pub fn f64(value: f64) -> Self {
        Const { ty: Type::F64, bits: value.to_bits() }
    }

    /// `f32`.
    pub fn f32(value: f32) -> Self {
        Const { ty: Type::F32, bits: value.to_bits() as u64 }
    }

    /// The value of a Boolean constant.
    pub fn as_bool(self) -> Option<bool> {
        (self.ty == Type::Bool).then_some(self.bits != 0)
    }

    /// The value of an integer constant; `u64` above `i64::MAX` has none.
    pub fn as_i64(self) -> Option<i64> {
        match self.ty {
            Type::U64 => i64::try_from(self.bits).ok(),
            ty if ty.is_int() => Some(self.bits as i64),
            _ => None,
        }
    }

    /// The value of a floating-point constant, widened.
    pub fn as_f64(self) -> Option<f64> {
        match self.ty {
            Type::F64 => Some(f64::from_bits(self.bits)),
            Type::F32 => Some(f32::from_bits(self.bits as u32) as f64),
            _ => None,
        }
    }
}

/// Brings the low bits of `value` into the canonical form of an integer (or Boolean) type.
pub fn canonical_int(ty: Type, value: u64) -> u64 {
    match ty {
        Type::Bool => value & 1,
        Type::I8 => value as i8 as i64 as u64,
        Type::I16 => value as i16 as i64 as u64,
        Type::I32 => value as i32 as i64 as u64,
        Type::U8 => value as u8 as u64,
        Type::U16 => value as u16 as u64,
        Type::U32 => value as u32 as u64,
        _ => value,
    }
}

/// The NaN that the interpreter gives: positive, quiet, without payload.
pub(crate) const QUIET_NAN_F64: u64 = 0x7ff8_0000_0000_0000;
/// As [`QUIET_NAN_F64`], for `f32`.
pub(crate) const QUIET_NAN_F32: u32 = 0x7fc0_0000;
