//! Arithmetic and comparisons as machine code. Operations that AVX2 lacks are composed of those that it has.

use super::operations::{Emitter, S0, S1, S2, S3};
use crate::native::emitter::Operand;
use crate::program::{Arith, Class, Cmp, Num, QUIET_F32, QUIET_F64, Reg, Shift, Unary};
use iced_x86::{Code, Register};

/// Sign bits of words and of doubles, in every lane.
const SIGN_WORDS: u64 = 0x8000_0000_8000_0000;
const SIGN_DOUBLES: u64 = 1 << 63;

impl Emitter<'_> {
    /// A vector with the same 64 bits all over.
    pub(super) fn constant(&mut self, bits: u64) -> Operand {
        Operand::Frame(self.frame.vector_of(bits))
    }

    /// All ones in doubles that are negative as signed numbers, in `scratch`.
    fn signs(&mut self, x: Register, scratch: Register) {
        self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, scratch, scratch, Operand::Register(scratch));
        self.three(Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, scratch, scratch, Operand::Register(x));
    }

    pub(super) fn unary(&mut self, op: Unary, num: Num, dst: Reg, a: Reg) {
        for half in self.written_halves(dst) {
            let x = self.vector(a, half, S1);
            let operand = Operand::Register(x);
            // Rounding without exceptions.
            let mode = match op {
                Unary::Floor => 9,
                Unary::Ceil => 10,
                _ => 11,
            };
            match (op, num.is_wide()) {
                (Unary::Quiet, wide) => {
                    let (code, nan) = match wide {
                        true => (Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, QUIET_F64),
                        false => {
                            let bits = u64::from(QUIET_F32);
                            (Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, bits | bits << 32)
                        }
                    };
                    // Whether it is NaN.
                    self.three_by(code, S2, x, operand, 3);
                    let nan = self.constant(nan);
                    self.write(dst, half, |e, d| e.select(d, x, nan, S2));
                }
                (Unary::Abs, false) => {
                    self.write(dst, half, |e, d| e.two(Code::VEX_Vpabsd_ymm_ymmm256, d, operand))
                }
                (Unary::Abs, true) => {
                    self.signs(x, S2);
                    self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S3, x, Operand::Register(S2));
                    self.write(dst, half, |e, d| {
                        e.three(Code::VEX_Vpsubq_ymm_ymm_ymmm256, d, S3, Operand::Register(S2));
                    });
                }
                (Unary::Sqrt, false) => {
                    self.write(dst, half, |e, d| e.two(Code::VEX_Vsqrtps_ymm_ymmm256, d, operand))
                }
                (Unary::Sqrt, true) => {
                    self.write(dst, half, |e, d| e.two(Code::VEX_Vsqrtpd_ymm_ymmm256, d, operand))
                }
                (_, false) => {
                    self.write(dst, half, |e, d| e.two_by(Code::VEX_Vroundps_ymm_ymmm256_imm8, d, x, mode))
                }
                (_, true) => {
                    self.write(dst, half, |e, d| e.two_by(Code::VEX_Vroundpd_ymm_ymmm256_imm8, d, x, mode))
                }
            }
        }
    }

    pub(super) fn binary(&mut self, op: Arith, num: Num, dst: Reg, a: Reg, b: Reg) {
        for half in self.written_halves(dst) {
            if let Some(code) = binary_code(op, num) {
                let x = self.vector_once(a, half, S1);
                let y = self.operand_once(b, half);
                self.write(dst, half, |e, d| e.three(code, d, x, y));
                continue;
            }
            let x = self.vector(a, half, S1);
            let y = self.vector(b, half, S0);
            match (op, num) {
                (Arith::Mul, _) => self.multiply(dst, half, x, y),
                (Arith::Shr, _) => {
                    // Of a negative number the complement, and back.
                    self.signs(x, S2);
                    self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S3, x, Operand::Register(S2));
                    self.three(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, S3, S3, Operand::Register(y));
                    self.write(dst, half, |e, d| {
                        e.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, S3, Operand::Register(S2));
                    });
                }
                (_, Num::F32 | Num::F64) => self.extremum(op, num, dst, half, x, y),
                _ => {
                    let (mut u, mut v) = (x, y);
                    if num == Num::U64 {
                        let sign = self.constant(SIGN_DOUBLES);
                        self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S2, x, sign);
                        self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S3, y, sign);
                        (u, v) = (S2, S3);
                    }
                    self.three(Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, S2, u, Operand::Register(v));
                    let (greater, other) = if op == Arith::Min { (y, x) } else { (x, y) };
                    self.write(dst, half, |e, d| e.select(d, other, Operand::Register(greater), S2));
                }
            }
        }
    }

    /// Uses the form of the instruction that overwrites the summand or the first factor.
    pub(super) fn mul_add(&mut self, num: Num, dst: Reg, operands: [Reg; 3]) {
        let (to_sum, to_factor) = match num.is_wide() {
            true => (Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256, Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256),
            false => (Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256),
        };
        for half in self.written_halves(dst) {
            let [mut a, mut b, c] = operands.map(|reg| self.operand(reg, half));
            let is = |operand: Operand, register: Register| matches!(operand, Operand::Register(r) if r == register);
            if matches!(b, Operand::Register(_)) && !matches!(a, Operand::Register(_)) {
                (a, b) = (b, a);
            }
            self.write(dst, half, |e, d| {
                if is(b, d) && !is(a, d) {
                    (a, b) = (b, a);
                }
                if is(a, d) {
                    // The other factor must be in a register.
                    let factor = e.in_register(b, S1);
                    return e.three(to_factor, d, factor, c);
                }
                let factor = e.in_register(a, S1);
                if !is(c, d) {
                    e.two(Code::VEX_Vmovdqa_ymm_ymmm256, d, c);
                }
                e.three(to_sum, d, factor, b);
            });
        }
    }

    /// An operand in a register: its own, or `scratch`.
    fn in_register(&mut self, operand: Operand, scratch: Register) -> Register {
        match operand {
            Operand::Register(register) => register,
            other => {
                self.two(Code::VEX_Vmovdqa_ymm_ymmm256, scratch, other);
                scratch
            }
        }
    }

    /// Products of 64 bits from products of 32.
    fn multiply(&mut self, dst: Reg, half: usize, x: Register, y: Register) {
        let (shift, multiply, add) = (
            Code::VEX_Vpsrlq_ymm_ymm_imm8,
            Code::VEX_Vpmuludq_ymm_ymm_ymmm256,
            Code::VEX_Vpaddq_ymm_ymm_ymmm256,
        );
        self.two_by(shift, S2, x, 32);
        self.three(multiply, S2, S2, Operand::Register(y));
        self.two_by(shift, S3, y, 32);
        self.three(multiply, S3, S3, Operand::Register(x));
        self.three(add, S2, S2, Operand::Register(S3));
        self.two_by(Code::VEX_Vpsllq_ymm_ymm_imm8, S2, S2, 32);
        self.three(multiply, S3, x, Operand::Register(y));
        self.write(dst, half, |e, d| e.three(add, d, S2, Operand::Register(S3)));
    }

    /// The machine's minimum gives the second operand if both are zero or one is NaN. So it is computed in
    /// both orders: the union of the bits is −0 or NaN. For the maximum, their intersection is +0, and NaN is
    /// added.
    fn extremum(&mut self, op: Arith, num: Num, dst: Reg, half: usize, x: Register, y: Register) {
        let wide = num.is_wide();
        let code = match (op, wide) {
            (Arith::Min, false) => Code::VEX_Vminps_ymm_ymm_ymmm256,
            (Arith::Min, true) => Code::VEX_Vminpd_ymm_ymm_ymmm256,
            (_, false) => Code::VEX_Vmaxps_ymm_ymm_ymmm256,
            (_, true) => Code::VEX_Vmaxpd_ymm_ymm_ymmm256,
        };
        self.three(code, S2, x, Operand::Register(y));
        self.three(code, S3, y, Operand::Register(x));
        let or = Code::VEX_Vpor_ymm_ymm_ymmm256;
        if op == Arith::Min {
            return self.write(dst, half, |e, d| e.three(or, d, S2, Operand::Register(S3)));
        }
        self.three(Code::VEX_Vpand_ymm_ymm_ymmm256, S2, S2, Operand::Register(S3));
        let unordered =
            if wide { Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8 } else { Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8 };
        self.three_by(unordered, S3, x, Operand::Register(y), 3);
        self.write(dst, half, |e, d| e.three(or, d, S2, Operand::Register(S3)));
    }

    pub(super) fn shift(&mut self, op: Shift, num: Num, by: u8, dst: Reg, a: Reg) {
        let by = u32::from(by);
        let (left, right, width) = if num.is_wide() {
            (Code::VEX_Vpsllq_ymm_ymm_imm8, Code::VEX_Vpsrlq_ymm_ymm_imm8, 64)
        } else {
            (Code::VEX_Vpslld_ymm_ymm_imm8, Code::VEX_Vpsrld_ymm_ymm_imm8, 32)
        };
        for half in self.written_halves(dst) {
            let x = self.vector(a, half, S1);
            match (op, num) {
                (Shift::Left, _) => self.write(dst, half, |e, d| e.two_by(left, d, x, by)),
                (Shift::Rotate, _) => {
                    self.two_by(left, S2, x, by);
                    self.two_by(right, S3, x, width - by);
                    let or = Code::VEX_Vpor_ymm_ymm_ymmm256;
                    self.write(dst, half, |e, d| e.three(or, d, S2, Operand::Register(S3)));
                }
                (Shift::Right, Num::I32) => {
                    self.write(dst, half, |e, d| e.two_by(Code::VEX_Vpsrad_ymm_ymm_imm8, d, x, by));
                }
                (Shift::Right, Num::I64) => {
                    self.signs(x, S2);
                    self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S3, x, Operand::Register(S2));
                    self.two_by(right, S3, S3, by);
                    self.write(dst, half, |e, d| {
                        e.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, S3, Operand::Register(S2));
                    });
                }
                (Shift::Right, _) => self.write(dst, half, |e, d| e.two_by(right, d, x, by)),
            }
        }
    }

    /// Products of even and of odd lanes, 64 bits each, whose high halves are joined.
    pub(super) fn mul_high(&mut self, dst: Reg, a: Reg, b: Reg) {
        let (shift, multiply) = (Code::VEX_Vpsrlq_ymm_ymm_imm8, Code::VEX_Vpmuludq_ymm_ymm_ymmm256);
        let x = self.vector(a, 0, S0);
        let y = self.vector(b, 0, S1);
        self.two_by(shift, S2, x, 32);
        self.two_by(shift, S3, y, 32);
        self.three(multiply, S2, S2, Operand::Register(S3));
        self.three(multiply, S3, x, Operand::Register(y));
        self.two_by(shift, S3, S3, 32);
        // The odd lanes of the result are the odd words of the first product.
        let blend = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
        self.write(dst, 0, |e, d| e.three_by(blend, d, S3, Operand::Register(S2), 0xaa));
    }

    pub(super) fn compare(&mut self, op: Cmp, num: Num, dst: Reg, a: Reg, b: Reg) {
        if num.class() == Class::Word {
            let x = self.vector(a, 0, S1);
            let y = self.vector(b, 0, S2);
            return self.write(dst, 0, |e, d| e.compare_vectors(op, num, d, x, y));
        }
        for (half, result) in [(0, S0), (1, S1)] {
            let x = self.vector(a, half, S1);
            let y = self.vector(b, half, S2);
            self.compare_vectors(op, num, result, x, y);
        }
        self.join_words(dst, 0x88, S0, S1);
    }

    /// Joins one word of each double of two vectors: the low ones (0x88) or the high ones (0xdd).
    pub(super) fn join_words(&mut self, dst: Reg, which: u32, first: Register, second: Register) {
        let shuffle = Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        self.three_by(shuffle, S3, first, Operand::Register(second), which);
        self.write(dst, 0, |e, d| e.two_by(Code::VEX_Vpermq_ymm_ymmm256_imm8, d, S3, 0xd8));
    }

    /// All ones where the comparison holds. Uses the last two scratch registers; the result may overwrite an
    /// operand.
    fn compare_vectors(&mut self, op: Cmp, num: Num, d: Register, x: Register, y: Register) {
        if num.is_float() {
            // Quiet comparisons; with a NaN operand only `Ne` holds.
            let by = match op {
                Cmp::Eq => 0x00,
                Cmp::Ne => 0x04,
                Cmp::Lt => 0x11,
                Cmp::Le => 0x12,
                Cmp::Ge => 0x1d,
                Cmp::Gt => 0x1e,
            };
            let code = if num.is_wide() {
                Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8
            } else {
                Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8
            };
            return self.three_by(code, d, x, Operand::Register(y), by);
        }
        let (equal, greater, sign) = if num.is_wide() {
            (Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, SIGN_DOUBLES)
        } else {
            (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, SIGN_WORDS)
        };
        let (mut x, mut y) = (x, y);
        if matches!(num, Num::U32 | Num::U64) && !matches!(op, Cmp::Eq | Cmp::Ne) {
            let sign = self.constant(sign);
            let flip = Code::VEX_Vpxor_ymm_ymm_ymmm256;
            self.three(flip, S3, x, sign);
            self.three(flip, S2, y, sign);
            (x, y) = (S3, S2);
        }
        match op {
            Cmp::Eq | Cmp::Ne => self.three(equal, d, x, Operand::Register(y)),
            Cmp::Gt | Cmp::Le => self.three(greater, d, x, Operand::Register(y)),
            Cmp::Lt | Cmp::Ge => self.three(greater, d, y, Operand::Register(x)),
        }
        if matches!(op, Cmp::Ne | Cmp::Le | Cmp::Ge) {
            let ones = self.constant(u64::MAX);
            self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, d, ones);
        }
    }
}

/// The instruction of an operation that is one.
fn binary_code(op: Arith, num: Num) -> Option<Code> {
    use Arith::*;
    Some(match (num, op) {
        (Num::I32 | Num::U32, Add) => Code::VEX_Vpaddd_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32, Sub) => Code::VEX_Vpsubd_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32, Mul) => Code::VEX_Vpmulld_ymm_ymm_ymmm256,
        (Num::I32, Min) => Code::VEX_Vpminsd_ymm_ymm_ymmm256,
        (Num::U32, Min) => Code::VEX_Vpminud_ymm_ymm_ymmm256,
        (Num::I32, Max) => Code::VEX_Vpmaxsd_ymm_ymm_ymmm256,
        (Num::U32, Max) => Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32 | Num::I64 | Num::U64, And) => Code::VEX_Vpand_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32 | Num::I64 | Num::U64, Or) => Code::VEX_Vpor_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32 | Num::I64 | Num::U64, Xor) => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        (Num::I32 | Num::U32, Shl) => Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
        (Num::I32, Shr) => Code::VEX_Vpsravd_ymm_ymm_ymmm256,
        (Num::U32, Shr) => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
        (Num::I64 | Num::U64, Add) => Code::VEX_Vpaddq_ymm_ymm_ymmm256,
        (Num::I64 | Num::U64, Sub) => Code::VEX_Vpsubq_ymm_ymm_ymmm256,
        (Num::I64 | Num::U64, Shl) => Code::VEX_Vpsllvq_ymm_ymm_ymmm256,
        (Num::U64, Shr) => Code::VEX_Vpsrlvq_ymm_ymm_ymmm256,
        (Num::F32, Add) => Code::VEX_Vaddps_ymm_ymm_ymmm256,
        (Num::F32, Sub) => Code::VEX_Vsubps_ymm_ymm_ymmm256,
        (Num::F32, Mul) => Code::VEX_Vmulps_ymm_ymm_ymmm256,
        (Num::F32, Div) => Code::VEX_Vdivps_ymm_ymm_ymmm256,
        (Num::F64, Add) => Code::VEX_Vaddpd_ymm_ymm_ymmm256,
        (Num::F64, Sub) => Code::VEX_Vsubpd_ymm_ymm_ymmm256,
        (Num::F64, Mul) => Code::VEX_Vmulpd_ymm_ymm_ymmm256,
        (Num::F64, Div) => Code::VEX_Vdivpd_ymm_ymm_ymmm256,
        _ => return None,
    })
}
