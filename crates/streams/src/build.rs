//! Shorthands for writing arithmetic into a kernel.

use volvelle_kernel::{BinaryOp, Const, ExprId, Exprs, Kernel, Local, Stmt, Type};

/// Arithmetic on nodes of an arena.
pub(crate) struct Build<'e>(pub(crate) &'e mut Exprs);

impl Build<'_> {
    pub(crate) fn u32(&mut self, value: u32) -> ExprId {
        self.0.constant(Const::int(Type::U32, i64::from(value)))
    }

    pub(crate) fn u64(&mut self, value: u64) -> ExprId {
        self.0.u64(value)
    }

    pub(crate) fn f64(&mut self, value: f64) -> ExprId {
        self.0.f64(value)
    }

    /// The integer constant `value` of the type of `like`.
    fn amount(&mut self, like: ExprId, value: u32) -> ExprId {
        let ty = self.0.ty(like);
        self.0.constant(Const::int(ty, i64::from(value)))
    }

    pub(crate) fn add(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::Add, x, y)
    }

    pub(crate) fn sub(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::Sub, x, y)
    }

    pub(crate) fn mul(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::Mul, x, y)
    }

    pub(crate) fn div(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::Div, x, y)
    }

    pub(crate) fn xor(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::BitXor, x, y)
    }

    pub(crate) fn or(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::BitOr, x, y)
    }

    pub(crate) fn and(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::BitAnd, x, y)
    }

    pub(crate) fn shl(&mut self, x: ExprId, by: u32) -> ExprId {
        let by = self.amount(x, by);
        self.0.binary(BinaryOp::Shl, x, by)
    }

    pub(crate) fn shr(&mut self, x: ExprId, by: u32) -> ExprId {
        let by = self.amount(x, by);
        self.0.binary(BinaryOp::Shr, x, by)
    }

    /// A `u32`, rotated to the left.
    pub(crate) fn rotate(&mut self, x: ExprId, by: u32) -> ExprId {
        let (high, low) = (self.shl(x, by), self.shr(x, 32 - by));
        self.or(high, low)
    }

    pub(crate) fn less(&mut self, x: ExprId, y: ExprId) -> ExprId {
        self.0.binary(BinaryOp::Lt, x, y)
    }

    /// The low half of a `u64` as `u32`.
    pub(crate) fn low(&mut self, x: ExprId) -> ExprId {
        self.0.convert(Type::U32, x)
    }

    /// The high half of a `u64` as `u32`.
    pub(crate) fn high(&mut self, x: ExprId) -> ExprId {
        let high = self.shr(x, 32);
        self.low(high)
    }

    /// The product of two `u32` as `u64`.
    pub(crate) fn wide_mul(&mut self, x: ExprId, y: ExprId) -> ExprId {
        let (x, y) = (self.wide(x), self.wide(y));
        self.mul(x, y)
    }

    /// A `u32` as `u64`.
    pub(crate) fn wide(&mut self, x: ExprId) -> ExprId {
        self.0.convert(Type::U64, x)
    }

    /// Two `u32` as one `u64`.
    pub(crate) fn joined(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let (high, low) = (self.wide(high), self.wide(low));
        let high = self.shl(high, 32);
        self.or(high, low)
    }
}

/// `local := value`, where the value is built from nodes.
pub(crate) fn set(kernel: &mut Kernel, local: Local, value: impl FnOnce(&mut Build<'_>) -> ExprId) -> Stmt {
    let value = value(&mut Build(&mut kernel.exprs));
    Stmt::Set { local, value }
}
