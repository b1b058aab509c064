//! The operations of the IR on values.

use super::Lowering;
use crate::runtime;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, StackSlotData, StackSlotKind, Value, types};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Exit, ExprId, MathFn, Node, Site, Type, UnaryOp};

impl Lowering<'_> {
    /// The value of a node whose operands are on the stack of values.
    pub(super) fn apply(&mut self, id: ExprId) -> Value {
        let exprs = &self.kernel.exprs;
        match exprs.node(id) {
            Node::Unary { op, arg } => {
                let x = self.pop();
                self.unary(op, exprs.ty(arg), x)
            }
            Node::Binary { op, lhs, .. } => {
                let (x, y) = self.pop_two();
                self.binary(op, exprs.ty(lhs), x, y)
            }
            Node::Checked { op, lhs, rhs, site } => {
                let (x, y) = self.pop_two();
                let ty = exprs.ty(lhs);
                let operands = Operands { x, y, x_const: exprs.as_const(lhs), y_const: exprs.as_const(rhs) };
                self.checked(op, ty, operands, Exit::Failed(site))
            }
            Node::Convert { to, arg } => {
                let x = self.pop();
                self.convert(exprs.ty(arg), to, x)
            }
            Node::Reinterpret { to, arg } => {
                let x = self.pop();
                self.reinterpret(exprs.ty(arg), to, x, self.magnitudes[arg.index()].is_finite())
            }
            Node::CheckedConvert { to, arg, site } => {
                let x = self.pop();
                self.checked_convert(exprs.ty(arg), to, x, Exit::Failed(site))
            }
            Node::Range { arg, lo, hi, site } => {
                let x = self.pop();
                self.range(exprs.ty(arg), x, lo, hi, site);
                x
            }
            Node::Load { buffer, ty, .. } => {
                let index = self.pop();
                self.load(buffer, ty, index)
            }
            // Scheduled as a whole only where evaluating both sides is cheap and cannot fail.
            Node::Select { .. } => {
                let no = self.pop();
                let (cond, yes) = self.pop_two();
                self.b.ins().select(cond, yes, no)
            }
            Node::And { .. } => {
                let (x, y) = self.pop_two();
                self.b.ins().band(x, y)
            }
            Node::Or { .. } => {
                let (x, y) = self.pop_two();
                self.b.ins().bor(x, y)
            }
            Node::Math { f, .. } => self.math(f),
            Node::MulAdd { .. } => {
                let z = self.pop();
                let (x, y) = self.pop_two();
                // Where the processor has no such instruction, Cranelift calls `runtime::library_function`.
                self.b.ins().fma(x, y, z)
            }
            Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("leaves have no operands"),
        }
    }

    /// Two operands, the left one first.
    fn pop_two(&mut self) -> (Value, Value) {
        let y = self.pop();
        (self.pop(), y)
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, x: Value) -> Value {
        let float = ty.is_float();
        let ins = self.b.ins();
        match op {
            UnaryOp::Not if ty == Type::Bool => ins.bxor_imm_u(x, 1),
            UnaryOp::Not => ins.bnot(x),
            UnaryOp::Neg if float => ins.fneg(x),
            UnaryOp::Neg => ins.ineg(x),
            UnaryOp::Abs if float => ins.fabs(x),
            UnaryOp::Abs => ins.iabs(x),
            UnaryOp::Sqrt => ins.sqrt(x),
            UnaryOp::Floor => ins.floor(x),
            UnaryOp::Ceil => ins.ceil(x),
            UnaryOp::Trunc => ins.trunc(x),
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, x: Value, y: Value) -> Value {
        if op.is_comparison() {
            return self.compare(op, ty, x, y);
        }
        let (float, signed) = (ty.is_float(), ty.is_signed());
        let ins = self.b.ins();
        match op {
            BinaryOp::Add if float => ins.fadd(x, y),
            BinaryOp::Add => ins.iadd(x, y),
            BinaryOp::Sub if float => ins.fsub(x, y),
            BinaryOp::Sub => ins.isub(x, y),
            BinaryOp::Mul if float => ins.fmul(x, y),
            BinaryOp::Mul => ins.imul(x, y),
            BinaryOp::Div => ins.fdiv(x, y),
            BinaryOp::Min if float => ins.fmin(x, y),
            BinaryOp::Min if signed => ins.smin(x, y),
            BinaryOp::Min => ins.umin(x, y),
            BinaryOp::Max if float => ins.fmax(x, y),
            BinaryOp::Max if signed => ins.smax(x, y),
            BinaryOp::Max => ins.umax(x, y),
            BinaryOp::BitAnd => ins.band(x, y),
            BinaryOp::BitOr => ins.bor(x, y),
            BinaryOp::BitXor => ins.bxor(x, y),
            // Cranelift, too, takes the amount modulo the width.
            BinaryOp::Shl => ins.ishl(x, y),
            BinaryOp::Shr if signed => ins.sshr(x, y),
            BinaryOp::Shr => ins.ushr(x, y),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                unreachable!("comparisons are done")
            }
        }
    }

    fn compare(&mut self, op: BinaryOp, ty: Type, x: Value, y: Value) -> Value {
        if ty.is_float() {
            let condition = match op {
                BinaryOp::Eq => FloatCC::Equal,
                BinaryOp::Ne => FloatCC::NotEqual,
                BinaryOp::Lt => FloatCC::LessThan,
                BinaryOp::Le => FloatCC::LessThanOrEqual,
                BinaryOp::Gt => FloatCC::GreaterThan,
                _ => FloatCC::GreaterThanOrEqual,
            };
            return self.b.ins().fcmp(condition, x, y);
        }
        let signed = match op {
            BinaryOp::Eq => IntCC::Equal,
            BinaryOp::Ne => IntCC::NotEqual,
            BinaryOp::Lt => IntCC::SignedLessThan,
            BinaryOp::Le => IntCC::SignedLessThanOrEqual,
            BinaryOp::Gt => IntCC::SignedGreaterThan,
            _ => IntCC::SignedGreaterThanOrEqual,
        };
        let condition = if ty.is_signed() { signed } else { signed.unsigned() };
        self.b.ins().icmp(condition, x, y)
    }

    fn checked(&mut self, op: CheckedOp, ty: Type, operands: Operands, exit: Exit) -> Value {
        let Operands { x, y, .. } = operands;
        match op {
            CheckedOp::Add => self.checked_add(ty, operands, exit),
            CheckedOp::Sub => self.checked_sub(ty, operands, exit),
            CheckedOp::Mul => {
                let ins = self.b.ins();
                let (product, overflow) =
                    if ty.is_signed() { ins.smul_overflow(x, y) } else { ins.umul_overflow(x, y) };
                self.leave_if(overflow, exit);
                product
            }
            CheckedOp::Div if ty.is_float() => {
                let zero = self.constant(Const { ty, bits: 0 });
                let is_zero = self.b.ins().fcmp(FloatCC::Equal, y, zero);
                self.leave_if(is_zero, exit);
                self.b.ins().fdiv(x, y)
            }
            CheckedOp::Div => {
                self.divisible(ty, operands, exit);
                self.leave_on_min_by_minus_one(ty, operands, exit);
                if ty.is_signed() { self.b.ins().sdiv(x, y) } else { self.b.ins().udiv(x, y) }
            }
            CheckedOp::Rem => {
                self.divisible(ty, operands, exit);
                self.leave_on_min_by_minus_one(ty, operands, exit);
                self.remainder(ty, x, y)
            }
            CheckedOp::Mod => {
                self.divisible(ty, operands, exit);
                let remainder = self.remainder(ty, x, y);
                if ty.is_signed() { self.sign_of_divisor(remainder, y) } else { remainder }
            }
            CheckedOp::Pow => self.integer_power(ty, x, y, exit),
        }
    }

    /// Unsigned sums, and signed ones with a constant, wrap to the wrong side of `x` where they overflow;
    /// comparing for that leaves Cranelift ordinary operations to optimise.
    fn checked_add(&mut self, ty: Type, operands: Operands, exit: Exit) -> Value {
        let Operands { x, y, .. } = operands;
        let wrong = match operands.y_const {
            _ if !ty.is_signed() => IntCC::UnsignedLessThan,
            Some(c) if (c.bits as i64) < 0 => IntCC::SignedGreaterThan,
            Some(_) => IntCC::SignedLessThan,
            None => {
                let (sum, overflow) = self.b.ins().sadd_overflow(x, y);
                self.leave_if(overflow, exit);
                return sum;
            }
        };
        let sum = self.b.ins().iadd(x, y);
        let overflow = self.b.ins().icmp(wrong, sum, x);
        self.leave_if(overflow, exit);
        sum
    }

    fn checked_sub(&mut self, ty: Type, operands: Operands, exit: Exit) -> Value {
        let Operands { x, y, .. } = operands;
        let wrong = match operands.y_const {
            _ if !ty.is_signed() => IntCC::UnsignedGreaterThan,
            Some(c) if (c.bits as i64) < 0 => IntCC::SignedLessThan,
            Some(_) => IntCC::SignedGreaterThan,
            None => {
                let (difference, overflow) = self.b.ins().ssub_overflow(x, y);
                self.leave_if(overflow, exit);
                return difference;
            }
        };
        let difference = self.b.ins().isub(x, y);
        let overflow = self.b.ins().icmp(wrong, difference, x);
        self.leave_if(overflow, exit);
        difference
    }

    /// Leaves where an integer divisor is zero.
    fn divisible(&mut self, ty: Type, operands: Operands, exit: Exit) {
        if operands.y_const.is_none_or(|c| c.bits == 0) {
            let zero = self.int(ty, 0);
            let is_zero = self.b.ins().icmp(IntCC::Equal, operands.y, zero);
            self.leave_if(is_zero, exit);
        }
    }

    /// Leaves where the quotient overflows.
    fn leave_on_min_by_minus_one(&mut self, ty: Type, operands: Operands, exit: Exit) {
        let min = 1u64 << (ty.bits() - 1);
        let possible = ty.is_signed()
            && operands.y_const.is_none_or(|c| c.bits as i64 == -1)
            && operands.x_const.is_none_or(|c| c == Const::int(ty, min as i64));
        if possible {
            let (min, minus_one) = (self.int(ty, min), self.int(ty, u64::MAX));
            let is_min = self.b.ins().icmp(IntCC::Equal, operands.x, min);
            let is_minus_one = self.b.ins().icmp(IntCC::Equal, operands.y, minus_one);
            let both = self.b.ins().band(is_min, is_minus_one);
            self.leave_if(both, exit);
        }
    }

    /// Truncating remainder by a divisor that is not zero; `MIN` by −1 is 0.
    fn remainder(&mut self, ty: Type, x: Value, y: Value) -> Value {
        if ty.is_signed() { self.b.ins().srem(x, y) } else { self.b.ins().urem(x, y) }
    }

    /// Turns a truncating remainder into the one with the sign of the divisor.
    fn sign_of_divisor(&mut self, remainder: Value, divisor: Value) -> Value {
        let signs = self.b.ins().bxor(remainder, divisor);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let nonzero = self.b.ins().icmp_imm_s(IntCC::NotEqual, remainder, 0);
        let shift = self.b.ins().band(differ, nonzero);
        let shifted = self.b.ins().iadd(remainder, divisor);
        self.b.ins().select(shift, shifted, remainder)
    }

    /// Integer power, by a Rust function at 64 bits; a narrow result must also fit its type.
    fn integer_power(&mut self, ty: Type, x: Value, y: Value, exit: Exit) -> Value {
        let wide = if ty.is_signed() { Type::I64 } else { Type::U64 };
        let (x, y) = (self.convert(ty, wide, x), self.convert(ty, wide, y));
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
        let result = self.b.ins().stack_addr(self.pointer, slot, 0);
        let function = runtime::integer_power(wide);
        let params = [types::I64, types::I64, self.pointer];
        let fits = self.call(function, &params, types::I8, &[x, y, result]);
        self.leave_unless(fits, exit);
        let power = self.b.ins().stack_load(self.pointer, types::I64, slot, 0);
        self.checked_convert(wide, ty, power, exit)
    }

    fn range(&mut self, ty: Type, x: Value, lo: i64, hi: i64, site: Site) {
        let within = self.within(ty, x, lo, hi);
        if let Some(within) = within {
            self.leave_unless(within, Exit::Failed(site));
        }
    }

    fn math(&mut self, f: MathFn) -> Value {
        match f.arity() {
            1 => {
                let x = self.pop();
                self.call(runtime::math1(f), &[types::F64], types::F64, &[x])
            }
            _ => {
                let (x, y) = self.pop_two();
                self.call(runtime::math2(f), &[types::F64; 2], types::F64, &[x, y])
            }
        }
    }

    /// Calls a Rust function with the C calling convention.
    fn call(&mut self, address: usize, params: &[types::Type], result: types::Type, args: &[Value]) -> Value {
        let mut signature = Signature::new(self.b.func.signature.call_conv);
        signature.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
        signature.returns.push(AbiParam::new(result));
        let signature = self.b.import_signature(signature);
        let address = self.b.ins().iconst(self.pointer, address as i64);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call)[0]
    }
}

/// Operands of a checked operation.
#[derive(Clone, Copy)]
struct Operands {
    x: Value,
    y: Value,
    /// Facts about the operands.
    x_const: Option<Const>,
    y_const: Option<Const>,
}
