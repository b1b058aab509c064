//! Conversions as machine code. A word is one vector of sixteen lanes, a double two of eight.

use super::operations::{Emitter, K7, Lanes, S0, S1, S2};
use crate::native::emitter::Operand;
use crate::program::{Conversion, Num, Reg};
use iced_x86::{Code, Register};

/// The low 256 bits of a vector register.
pub(super) fn low(register: Register) -> Register {
    Register::YMM0 + (register as u32 - Register::ZMM0 as u32)
}

impl Emitter<'_> {
    pub(super) fn convert(&mut self, op: Conversion, dst: Reg, a: Reg, under: Option<Register>) {
        match op {
            Conversion::SignExtend => self.widen(Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256, dst, a, under),
            Conversion::ZeroExtend => self.widen(Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, dst, a, under),
            Conversion::Promote => self.widen(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, dst, a, under),
            Conversion::ToF64(Num::I32) => {
                self.widen(Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, dst, a, under);
            }
            Conversion::ToF64(Num::U32) => {
                self.widen(Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er, dst, a, under);
            }
            Conversion::ToF64(Num::I64) => {
                self.each_half(Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, dst, a, under);
            }
            Conversion::ToF64(_) => {
                self.each_half(Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er, dst, a, under);
            }
            Conversion::ToF32(Num::I32) => {
                let a = self.operand(a, 0);
                let code = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
                self.write(dst, 0, under, |e, d, lanes| e.two(code, d, a, lanes));
            }
            Conversion::ToF32(Num::U32) => {
                let a = self.operand(a, 0);
                let code = Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er;
                self.write(dst, 0, under, |e, d, lanes| e.two(code, d, a, lanes));
            }
            Conversion::ToF32(Num::I64) => {
                self.narrow(Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er, dst, a, under);
            }
            Conversion::ToF32(_) => {
                self.narrow(Code::EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er, dst, a, under);
            }
            Conversion::Demote => self.narrow(Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, dst, a, under),
            Conversion::Truncate => self.pick(0, dst, a, under),
            Conversion::HighHalf => self.pick(1, dst, a, under),
            Conversion::Saturate(Num::I64) => self.saturate_signed(dst, a, under),
            Conversion::Saturate(Num::U64) => self.saturate_unsigned(dst, a, under),
            Conversion::Saturate(num) => self.saturate_words(num, dst, a, under),
        }
    }

    /// Word to double, by an instruction that takes eight words.
    fn widen(&mut self, code: Code, dst: Reg, a: Reg, under: Option<Register>) {
        let words: [Operand; 2] = match self.operand(a, 0) {
            Operand::Frame(at) => [Operand::Frame(at), Operand::Frame(at + 32)],
            _ => {
                let a = self.vector(a, 0, S1);
                let extract = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                self.two_by(extract, low(S2), Operand::Register(a), 1, Lanes::All);
                [Operand::Register(low(a)), Operand::Register(low(S2))]
            }
        };
        for (half, words) in words.into_iter().enumerate() {
            self.write(dst, half, under, |e, d, lanes| e.two(code, d, words, lanes));
        }
    }

    /// Double to double.
    fn each_half(&mut self, code: Code, dst: Reg, a: Reg, under: Option<Register>) {
        for half in 0..2 {
            let a = self.operand(a, half);
            self.write(dst, half, under, |e, d, lanes| e.two(code, d, a, lanes));
        }
    }

    /// Double to word, by an instruction that gives eight words.
    fn narrow(&mut self, code: Code, dst: Reg, a: Reg, under: Option<Register>) {
        for (half, scratch) in [(0, S1), (1, S2)] {
            let a = self.operand(a, half);
            self.two(code, low(scratch), a, Lanes::All);
        }
        self.join_halves(dst, under);
    }

    /// Puts the low halves of two scratch registers together.
    pub(super) fn join_halves(&mut self, dst: Reg, under: Option<Register>) {
        let code = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        if under.is_none() {
            let high = Operand::Register(low(S2));
            return self.write(dst, 0, None, |e, d, _| e.three(code, d, S1, high, Some(1), Lanes::All));
        }
        // Its masks are of doubles.
        self.three(code, S1, S1, Operand::Register(low(S2)), Some(1), Lanes::All);
        self.write(dst, 0, under, |e, d, lanes| e.move_to(d, Operand::Register(S1), false, lanes));
    }

    /// The low (0) or high (1) words of a double.
    fn pick(&mut self, which: u32, dst: Reg, a: Reg, under: Option<Register>) {
        let table = self.level.picked[which as usize];
        let first = self.vector(a, 0, S1);
        let second = match self.operand(a, 1) {
            // A broadcast of words would name half of the double.
            Operand::Broadcast(_) => Operand::Register(self.vector(a, 1, S0)),
            other => other,
        };
        let pick = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
        // The result takes the place of the numbers.
        let apart = |d: Register| d != first && !matches!(second, Operand::Register(r) if r == d);
        if let (Operand::Register(d), None) = (self.operand(dst, 0), under)
            && apart(d)
        {
            self.move_to(d, Operand::Frame(table), false, Lanes::All);
            return self.three(pick, d, first, second, None, Lanes::All);
        }
        self.move_to(S2, Operand::Frame(table), false, Lanes::All);
        self.three(pick, S2, first, second, None, Lanes::All);
        self.write(dst, 0, under, |e, d, lanes| e.move_to(d, Operand::Register(S2), false, lanes));
    }

    /// To 32 bits: clamped to the bounds, which doubles represent exactly; NaN becomes zero.
    fn saturate_words(&mut self, num: Num, dst: Reg, a: Reg, under: Option<Register>) {
        let (code, least, most) = if num == Num::I32 {
            (Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, f64::from(i32::MIN), f64::from(i32::MAX))
        } else {
            (Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, 0.0, f64::from(u32::MAX))
        };
        let (least, most) = (self.frame.cell(least.to_bits()), self.frame.cell(most.to_bits()));
        for (half, scratch) in [(0, S1), (1, S2)] {
            let x = self.vector(a, half, S0);
            self.numbers(K7, x);
            let (min, max) =
                (Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae);
            self.three(min, S0, x, Operand::Broadcast(most), None, Lanes::All);
            self.three(max, S0, S0, Operand::Broadcast(least), None, Lanes::All);
            self.two(code, low(scratch), Operand::Register(S0), Lanes::Zero(K7));
        }
        self.join_halves(dst, under);
    }

    /// If the result does not fit, the conversion gives the least number: correct only below the range.
    fn saturate_signed(&mut self, dst: Reg, a: Reg, under: Option<Register>) {
        let (bound, most) =
            (self.frame.cell(9_223_372_036_854_775_808f64.to_bits()), self.frame.cell(i64::MAX as u64));
        for half in 0..2 {
            let x = self.vector(a, half, S1);
            self.numbers(K7, x);
            let operand = Operand::Register(x);
            self.two(Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae, S2, operand, Lanes::Zero(K7));
            // Not below the bound, quietly.
            let compare = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
            self.three(compare, K7, x, Operand::Broadcast(bound), Some(0x1d), Lanes::All);
            self.move_to(S2, Operand::Broadcast(most), true, Lanes::Merge(K7));
            self.write(dst, half, under, |e, d, lanes| e.move_to(d, Operand::Register(S2), true, lanes));
        }
    }

    /// If the result does not fit, the conversion gives the greatest number: correct only above the range.
    fn saturate_unsigned(&mut self, dst: Reg, a: Reg, under: Option<Register>) {
        let zero = self.frame.cell(0);
        for half in 0..2 {
            let x = self.vector(a, half, S1);
            self.numbers(K7, x);
            let max = Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae;
            self.three(max, S2, x, Operand::Broadcast(zero), None, Lanes::All);
            let operand = Operand::Register(S2);
            self.two(Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, S2, operand, Lanes::Zero(K7));
            self.write(dst, half, under, |e, d, lanes| e.move_to(d, Operand::Register(S2), true, lanes));
        }
    }
}
