//! The operations of expressions, by name. [`crate::interp`] defines their results.

/// Total operations on one operand; the result has the operand's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `bool`: negation. Integers: bitwise complement.
    Not,
    /// Integers wrap; floats flip the sign bit.
    Neg,
    /// Integers wrap (`|MIN| = MIN`); floats clear the sign bit. Signed and floats only.
    Abs,
    /// Floats, IEEE.
    Sqrt,
    /// Floats, towards −∞.
    Floor,
    /// Floats, towards +∞.
    Ceil,
    /// Floats, towards zero.
    Trunc,
}

impl UnaryOp {
    /// All of them.
    pub const ALL: [UnaryOp; 7] = {
        use UnaryOp::*;
        [Not, Neg, Abs, Sqrt, Floor, Ceil, Trunc]
    };
}

/// Total operations on two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    /// Integers wrap; floats IEEE.
    Add,
    /// Integers wrap; floats IEEE.
    Sub,
    /// Integers wrap; floats IEEE.
    Mul,
    /// Floats only, IEEE (x/0 is ±∞ or NaN). For integers see [`CheckedOp::Div`].
    Div,
    /// Floats: NaN if either is NaN; −0 < +0.
    Min,
    /// Floats: NaN if either is NaN; −0 < +0.
    Max,
    /// `bool` (strict) and integers.
    BitAnd,
    /// `bool` (strict) and integers.
    BitOr,
    /// `bool` and integers.
    BitXor,
    /// Integers; the amount is taken modulo the width.
    Shl,
    /// Integers; arithmetic for signed types; the amount is taken modulo the width.
    Shr,
    /// Any type, to `bool`. Floats as IEEE (NaN differs from everything).
    Eq,
    /// Any type, to `bool`.
    Ne,
    /// Numbers, to `bool`.
    Lt,
    /// Numbers, to `bool`.
    Le,
    /// Numbers, to `bool`.
    Gt,
    /// Numbers, to `bool`.
    Ge,
}

impl BinaryOp {
    /// All of them.
    pub const ALL: [BinaryOp; 17] = {
        use BinaryOp::*;
        [Add, Sub, Mul, Div, Min, Max, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge]
    };

    /// Gives `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// Operations on two operands of one type that may fail at their site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CheckedOp {
    /// Integers; fails on overflow.
    Add,
    /// Integers; fails on overflow.
    Sub,
    /// Integers; fails on overflow.
    Mul,
    /// Integers: truncating division; fails on a zero divisor or overflow. Floats: IEEE division that
    /// fails on a zero divisor.
    Div,
    /// Integers: remainder of [`CheckedOp::Div`]; fails as it does.
    Rem,
    /// Integers: remainder with the sign of the divisor (`-1 mod 3 = 2`); fails on a zero divisor.
    /// `MIN mod -1` is 0.
    Mod,
    /// Integers: power; fails on a negative exponent or overflow. `0^0 = 1`.
    Pow,
}

impl CheckedOp {
    /// All of them.
    pub const ALL: [CheckedOp; 7] = {
        use CheckedOp::*;
        [Add, Sub, Mul, Div, Rem, Mod, Pow]
    };
}

/// Mathematical functions, f64 to f64. Their bits are defined by [`crate::math`], on every back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MathFn {
    /// e^x.
    Exp,
    /// Natural logarithm.
    Log,
    /// x^y; two arguments.
    Pow,
}

impl MathFn {
    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            MathFn::Exp | MathFn::Log => 1,
            MathFn::Pow => 2,
        }
    }
}
