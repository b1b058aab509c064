//! Arithmetic and comparisons as machine code.

use super::operations::{Emitter, K0, K6, K7, Lanes, S0, S1, S2};
use crate::native::emitter::Operand;
use crate::program::{Arith, Class, Cmp, Inst, Num, Op, QUIET_F32, QUIET_F64, Reg, Shift, Unary};
use iced_x86::{Code, Instruction, Register};

/// Immediates of comparisons that take NaN for different, quietly.
const ORDERED: u32 = 7;
const UNORDERED: u32 = 3;

impl Emitter<'_> {
    /// An instruction that computes, in all lanes or into a variable in some.
    pub(super) fn compute(&mut self, op: &Op) {
        let under = op.under.map(|mask| self.mask(mask, K6));
        match op.inst {
            Inst::Unary { op, num, dst, a } => self.unary(op, num, dst, a, under),
            Inst::Binary { op, num, dst, a, b } => self.binary(op, num, dst, a, b, under),
            Inst::Shift { op, num, by, dst, a } => self.shift(op, num, by, dst, a, under),
            Inst::MulHigh { dst, a, b } => self.mul_high(dst, a, b, under),
            Inst::Convert { op, dst, a } => self.convert(op, dst, a, under),
            _ => {}
        }
    }

    fn unary(&mut self, op: Unary, num: Num, dst: Reg, a: Reg, under: Option<Register>) {
        let wide = num.is_wide();
        if op == Unary::Quiet {
            return self.quiet(wide, dst, a, under);
        }
        for half in self.written_halves(dst) {
            let a = self.operand_once(a, half);
            // Rounding without exceptions.
            let round = |mode: u32| Some(mode | 8);
            let (code, by) = match (op, wide) {
                (Unary::Abs, false) => (Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32, None),
                (Unary::Abs, true) => (Code::EVEX_Vpabsq_zmm_k1z_zmmm512b64, None),
                (Unary::Sqrt, false) => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
                (Unary::Sqrt, true) => (Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, None),
                (Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Quiet, _) => {
                    let mode = match op {
                        Unary::Floor => 1,
                        Unary::Ceil => 2,
                        _ => 3,
                    };
                    let code = if wide {
                        Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae
                    } else {
                        Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae
                    };
                    (code, round(mode))
                }
            };
            self.write_once(dst, half, under, |e, d, lanes| match by {
                None => e.two(code, d, a, lanes),
                Some(by) => e.two_by(code, d, a, by, lanes),
            });
        }
    }

    /// A table tells the instruction what to do with each kind of number (Intel SDM, `VFIXUPIMMPD`): keep the
    /// destination for NaN (0), and take others from the operand (1).
    fn quiet(&mut self, wide: bool, dst: Reg, a: Reg, under: Option<Register>) {
        const TABLE: u64 = 0x1111_1100;
        let (code, nan) = match wide {
            true => (Code::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae, QUIET_F64),
            false => (Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae, QUIET_F32.into()),
        };
        let (nan, table) = (self.frame.cell(nan), self.frame.cell(TABLE));
        for half in self.written_halves(dst) {
            let x = self.vector(a, half, S1);
            self.write(dst, half, under, |e, d, lanes| {
                let direct = d != x && matches!(lanes, Lanes::All);
                let result = if direct { d } else { S2 };
                e.move_to(result, Operand::Broadcast(nan), wide, Lanes::All);
                e.three(code, result, x, Operand::Broadcast(table), Some(0), Lanes::All);
                if !direct {
                    e.move_to(d, Operand::Register(result), wide, lanes);
                }
            });
        }
    }

    fn binary(&mut self, op: Arith, num: Num, dst: Reg, a: Reg, b: Reg, under: Option<Register>) {
        let commutes = matches!(op, Arith::Add | Arith::Mul | Arith::And | Arith::Or | Arith::Xor)
            || matches!(op, Arith::Min | Arith::Max);
        for half in self.written_halves(dst) {
            let (mut x, mut y) = (a, b);
            let in_register = |e: &Self, r: Reg| matches!(e.operand_once(r, half), Operand::Register(_));
            if commutes && !in_register(self, x) && in_register(self, y) {
                (x, y) = (y, x);
            }
            let code = binary_code(op, num);
            let (first, second) = if code.is_some() {
                (self.vector_once(x, half, S1), self.operand_once(y, half))
            } else {
                (self.vector(x, half, S1), self.operand(y, half))
            };
            match code {
                Some(code) => {
                    self.write_once(dst, half, under, |e, d, lanes| {
                        e.three(code, d, first, second, None, lanes);
                    });
                }
                None => self.extremum(op, num, dst, half, first, second, under),
            }
        }
    }

    /// Uses the form of the instruction that overwrites the summand or the first factor.
    pub(super) fn mul_add(&mut self, num: Num, dst: Reg, operands: [Reg; 3]) {
        let (to_sum, to_factor) = match num.is_wide() {
            true => (
                Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
                Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
            ),
            false => (
                Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
                Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            ),
        };
        for half in self.written_halves(dst) {
            let [mut a, mut b, c] = operands.map(|reg| self.operand(reg, half));
            let is = |operand: Operand, register: Register| matches!(operand, Operand::Register(r) if r == register);
            if matches!(b, Operand::Register(_)) && !matches!(a, Operand::Register(_)) {
                (a, b) = (b, a);
            }
            self.write(dst, half, None, |e, d, _| {
                if is(b, d) && !is(a, d) {
                    (a, b) = (b, a);
                }
                if is(a, d) {
                    // The other factor must be in a register.
                    let factor = e.in_register(b, S1, num.is_wide());
                    return e.three(to_factor, d, factor, c, None, Lanes::All);
                }
                let factor = e.in_register(a, S1, num.is_wide());
                if !is(c, d) {
                    e.move_to(d, c, num.is_wide(), Lanes::All);
                }
                e.three(to_sum, d, factor, b, None, Lanes::All);
            });
        }
    }

    /// An operand in a register: its own, or `scratch`.
    fn in_register(&mut self, operand: Operand, scratch: Register, wide: bool) -> Register {
        match operand {
            Operand::Register(register) => register,
            other => {
                self.move_to(scratch, other, wide, Lanes::All);
                scratch
            }
        }
    }

    /// The smaller or larger float: NaN if either is, −0 below +0.
    #[allow(clippy::too_many_arguments)] // one half of `binary`
    fn extremum(
        &mut self,
        op: Arith,
        num: Num,
        dst: Reg,
        half: usize,
        a: Register,
        b: Operand,
        under: Option<Register>,
    ) {
        let wide = num.is_wide();
        // Sign of the result as compared; smaller or larger.
        let by = 4 | u32::from(op == Arith::Max);
        let (range, compare, nan) = if wide {
            let nan = self.frame.cell(f64::NAN.to_bits());
            (
                Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae,
                Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
                nan,
            )
        } else {
            let nan = self.frame.cell(f32::NAN.to_bits().into());
            (
                Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae,
                Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
                nan,
            )
        };
        self.three(range, S2, a, b, Some(by), Lanes::All);
        self.three(compare, K7, a, b, Some(UNORDERED), Lanes::All);
        self.move_to(S2, Operand::Broadcast(nan), wide, Lanes::Merge(K7));
        self.write(dst, half, under, |e, d, lanes| e.move_to(d, Operand::Register(S2), wide, lanes));
    }

    fn shift(&mut self, op: Shift, num: Num, by: u8, dst: Reg, a: Reg, under: Option<Register>) {
        let code = match (op, num) {
            (Shift::Left, Num::I64 | Num::U64) => Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
            (Shift::Left, _) => Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
            (Shift::Right, Num::I64) => Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8,
            (Shift::Right, Num::U64) => Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
            (Shift::Right, Num::I32) => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
            (Shift::Right, _) => Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            (Shift::Rotate, Num::I64 | Num::U64) => Code::EVEX_Vprolq_zmm_k1z_zmmm512b64_imm8,
            (Shift::Rotate, _) => Code::EVEX_Vprold_zmm_k1z_zmmm512b32_imm8,
        };
        for half in self.written_halves(dst) {
            let a = self.operand_once(a, half);
            self.write_once(dst, half, under, |e, d, lanes| e.two_by(code, d, a, by.into(), lanes));
        }
    }

    /// Products of even and of odd lanes, 64 bits each, whose high halves are joined.
    fn mul_high(&mut self, dst: Reg, a: Reg, b: Reg, under: Option<Register>) {
        let (shift, multiply) =
            (Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64);
        let x = self.vector(a, 0, S1);
        let y = self.vector(b, 0, S2);
        self.three(multiply, S0, x, Operand::Register(y), None, Lanes::All);
        self.two_by(shift, S1, Operand::Register(x), 32, Lanes::All);
        self.two_by(shift, S2, Operand::Register(y), 32, Lanes::All);
        self.three(multiply, S1, S1, Operand::Register(S2), None, Lanes::All);
        self.two_by(shift, S0, Operand::Register(S0), 32, Lanes::All);
        // The odd lanes of the result are the odd words of the second product.
        let odd = self.frame.cell(0xaaaa);
        self.put(Instruction::with2(Code::VEX_Kmovw_kr_km16, K7, crate::native::emitter::memory(odd)));
        let code = Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
        let merged = Operand::Register(S1);
        if under.is_none() {
            return self.write(dst, 0, None, |e, d, _| e.three(code, d, S0, merged, None, Lanes::Merge(K7)));
        }
        self.three(code, S0, S0, merged, None, Lanes::Merge(K7));
        self.write(dst, 0, under, |e, d, lanes| e.move_to(d, Operand::Register(S0), false, lanes));
    }

    pub(super) fn compare(&mut self, op: Cmp, num: Num, dst: Reg, a: Reg, b: Reg, under: Option<Reg>) {
        let (code, by) = compare_code(op, num);
        if num.class() == Class::Word {
            let lanes = match under {
                Some(mask) => Lanes::Merge(self.mask(mask, K6)),
                None => Lanes::All,
            };
            let (mut a, mut b, mut by) = (a, b, by);
            let in_register = |e: &Self, r: Reg| matches!(e.operand_once(r, 0), Operand::Register(_));
            if !in_register(self, a) && in_register(self, b) {
                (a, b) = (b, a);
                by = compare_code(mirrored(op), num).1;
            }
            let x = self.vector_once(a, 0, S1);
            let y = self.operand_once(b, 0);
            return self.write_mask(dst, |e, d| e.three(code, d, x, y, Some(by), lanes));
        }
        for (half, k) in [(0, K7), (1, K0)] {
            let x = self.vector_once(a, half, S1);
            let y = self.operand_once(b, half);
            self.three(code, k, x, y, Some(by), Lanes::All);
        }
        self.write_mask(dst, |e, d| e.put(Instruction::with3(Code::VEX_Kunpckbw_kr_kr_kr, d, K0, K7)));
    }

    /// Which lanes of a double are numbers, into a mask register.
    pub(super) fn numbers(&mut self, k: Register, x: Register) {
        let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
        self.three(code, k, x, Operand::Register(x), Some(ORDERED), Lanes::All);
    }
}

/// The comparison with its operands exchanged.
fn mirrored(op: Cmp) -> Cmp {
    match op {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Eq | Cmp::Ne => op,
    }
}

fn compare_code(op: Cmp, num: Num) -> (Code, u32) {
    let integer = match op {
        Cmp::Eq => 0,
        Cmp::Lt => 1,
        Cmp::Le => 2,
        Cmp::Ne => 4,
        Cmp::Ge => 5,
        Cmp::Gt => 6,
    };
    // Quiet comparisons; with a NaN operand only `Ne` holds.
    let float = match op {
        Cmp::Eq => 0x00,
        Cmp::Ne => 0x04,
        Cmp::Lt => 0x11,
        Cmp::Le => 0x12,
        Cmp::Ge => 0x1d,
        Cmp::Gt => 0x1e,
    };
    match num {
        Num::I32 => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, integer),
        Num::U32 => (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, integer),
        Num::I64 => (Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8, integer),
        Num::U64 => (Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8, integer),
        Num::F32 => (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, float),
        Num::F64 => (Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae, float),
    }
}

/// The instruction of an operation that is one.
fn binary_code(op: Arith, num: Num) -> Option<Code> {
    use Arith::*;
    let words = |signed: bool| {
        Some(match op {
            Add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            Sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            Mul => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
            Min if signed => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
            Min => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
            Max if signed => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
            Max => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
            And => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            Or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
            Xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            Shl => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
            Shr if signed => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
            Shr => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
            Div => return None,
        })
    };
    let doubles = |signed: bool| {
        Some(match op {
            Add => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
            Sub => Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
            Mul => Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
            Min if signed => Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64,
            Min => Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64,
            Max if signed => Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64,
            Max => Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64,
            And => Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
            Or => Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
            Xor => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
            Shl => Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
            Shr if signed => Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
            Shr => Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
            Div => return None,
        })
    };
    match (num, op) {
        (Num::I32, _) => words(true),
        (Num::U32, _) => words(false),
        (Num::I64, _) => doubles(true),
        (Num::U64, _) => doubles(false),
        (Num::F32, Add) => Some(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er),
        (Num::F32, Sub) => Some(Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er),
        (Num::F32, Mul) => Some(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er),
        (Num::F32, Div) => Some(Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er),
        (Num::F64, Add) => Some(Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er),
        (Num::F64, Sub) => Some(Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er),
        (Num::F64, Mul) => Some(Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er),
        (Num::F64, Div) => Some(Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er),
        (Num::F32 | Num::F64, _) => None,
    }
}
