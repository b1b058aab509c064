//! Conversions as machine code. A word is one vector of eight lanes, a double two of four.

use super::operations::{Emitter, S0, S1, S2, S3, low};
use crate::native::emitter::Operand;
use crate::program::{Conversion, Num, Reg};
use iced_x86::{Code, Instruction, Register};

impl Emitter<'_> {
    /// Whether a conversion is done by a function of Rust.
    pub(super) fn is_called(op: Conversion) -> bool {
        match op {
            Conversion::ToF32(num) => num != Num::I32,
            Conversion::Saturate(num) => num != Num::I32,
            _ => false,
        }
    }

    pub(super) fn convert(&mut self, op: Conversion, dst: Reg, a: Reg) {
        match op {
            Conversion::SignExtend => self.widen(Code::VEX_Vpmovsxdq_ymm_xmmm128, dst, a),
            Conversion::ZeroExtend => self.widen(Code::VEX_Vpmovzxdq_ymm_xmmm128, dst, a),
            Conversion::Promote => self.widen(Code::VEX_Vcvtps2pd_ymm_xmmm128, dst, a),
            Conversion::ToF64(Num::I32) => self.widen(Code::VEX_Vcvtdq2pd_ymm_xmmm128, dst, a),
            Conversion::ToF64(Num::U32) => self.unsigned_words_to_f64(dst, a),
            Conversion::ToF64(num) => self.doubles_to_f64(num == Num::I64, dst, a),
            Conversion::ToF32(_) => {
                let a = self.operand(a, 0);
                self.write(dst, 0, |e, d| e.two(Code::VEX_Vcvtdq2ps_ymm_ymmm256, d, a));
            }
            Conversion::Demote => {
                for (half, words) in [(0, S1), (1, S2)] {
                    let x = self.operand(a, half);
                    self.two(Code::VEX_Vcvtpd2ps_xmm_ymmm256, low(words), x);
                }
                self.join_halves(dst);
            }
            Conversion::Truncate | Conversion::HighHalf => {
                let (first, second) = (self.vector(a, 0, S1), self.vector(a, 1, S2));
                let which = if op == Conversion::Truncate { 0x88 } else { 0xdd };
                self.join_words(dst, which, first, second);
            }
            Conversion::Saturate(_) => self.saturate(dst, a),
        }
    }

    /// Word to double, by an instruction that takes four words.
    fn widen(&mut self, code: Code, dst: Reg, a: Reg) {
        for half in 0..2 {
            self.write(dst, half, |e, d| e.widen_half(code, d, a, half));
        }
    }

    /// Puts the low halves of two scratch registers together.
    fn join_halves(&mut self, dst: Reg) {
        let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        self.write(dst, 0, |e, d| e.put(Instruction::with4(code, d, S1, low(S2), 1u32)));
    }

    /// A word in the low bits of 2^52 is 2^52 more than itself.
    fn unsigned_words_to_f64(&mut self, dst: Reg, a: Reg) {
        let magic = self.constant(2f64.powi(52).to_bits());
        for half in 0..2 {
            self.widen_half(Code::VEX_Vpmovzxdq_ymm_xmmm128, S2, a, half);
            self.three(Code::VEX_Vpor_ymm_ymm_ymmm256, S2, S2, magic);
            self.write(dst, half, |e, d| e.three(Code::VEX_Vsubpd_ymm_ymm_ymmm256, d, S2, magic));
        }
    }

    /// Puts the high word into the low bits of 2^84 and the low word into those of 2^52. Both are exact, and
    /// so is the high part minus the added constants; only the sum is rounded. A signed number is first
    /// shifted by 2^63 to make it unsigned.
    fn doubles_to_f64(&mut self, signed: bool, dst: Reg, a: Reg) {
        let sign = if signed { 1 << 31 } else { 0 };
        let shift = if signed { 2f64.powi(63) } else { 0.0 };
        let high_magic = self.constant(2f64.powi(84).to_bits() | sign);
        let low_magic = self.constant(2f64.powi(52).to_bits());
        let added = self.constant((2f64.powi(84) + shift + 2f64.powi(52)).to_bits());
        for half in 0..2 {
            let x = self.vector(a, half, S1);
            self.two_by(Code::VEX_Vpsrlq_ymm_ymm_imm8, S2, x, 32);
            self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, S2, S2, high_magic);
            self.three(Code::VEX_Vsubpd_ymm_ymm_ymmm256, S2, S2, added);
            self.three_by(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, S3, x, low_magic, 0xaa);
            self.write(dst, half, |e, d| {
                e.three(Code::VEX_Vaddpd_ymm_ymm_ymmm256, d, S2, Operand::Register(S3));
            });
        }
    }

    /// To `i32`: clamped to the bounds, which doubles represent exactly; NaN becomes zero.
    fn saturate(&mut self, dst: Reg, a: Reg) {
        let (least, most) =
            (self.constant(f64::from(i32::MIN).to_bits()), self.constant(f64::from(i32::MAX).to_bits()));
        for (half, words) in [(0, S1), (1, S2)] {
            let x: Register = self.vector(a, half, S0);
            let ordered = Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
            self.three_by(ordered, S3, x, Operand::Register(x), 7);
            self.three(Code::VEX_Vminpd_ymm_ymm_ymmm256, S0, x, most);
            self.three(Code::VEX_Vmaxpd_ymm_ymm_ymmm256, S0, S0, least);
            self.three(Code::VEX_Vpand_ymm_ymm_ymmm256, S0, S0, Operand::Register(S3));
            self.two(Code::VEX_Vcvttpd2dq_xmm_ymmm256, low(words), Operand::Register(S0));
        }
        self.join_halves(dst);
    }
}
