//! Operations on vectors and masks, and the level of AVX2 for the emitter.
//!
//! Vector registers 12 to 15 are scratch registers.

use crate::native::assembler::CodeLabel;
use crate::native::emitter::{self, Level, Operand, memory};
use crate::native::place::Place;
use crate::program::{Class, Inst, Logic, Reg};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use volvelle_kernel::Buffer;

/// Vector registers for use within one instruction.
pub(super) const S0: Register = Register::YMM15;
pub(super) const S1: Register = Register::YMM14;
pub(super) const S2: Register = Register::YMM13;
pub(super) const S3: Register = Register::YMM12;

/// An emitter of code for AVX2.
pub(super) type Emitter<'p> = emitter::Emitter<'p, Avx2>;

/// The level of AVX2.
pub(super) struct Avx2;

impl Level for Avx2 {
    const VECTORS: Register = Register::YMM0;
    const SCRATCH: Register = S0;
    const OPERAND: Register = S0;
    const STORE: Code = Code::VEX_Vmovdqa_ymmm256_ymm;
    const LOAD: Code = Code::VEX_Vmovdqa_ymm_ymmm256;
    const PRESERVED: &'static [Register] = &[Register::RBX];
    const CLEARS_BEFORE_CALLS: bool = true;

    fn compute(e: &mut Emitter<'_>, at: usize) -> bool {
        match e.code[at].inst {
            Inst::Logic { op, dst, a, b } => e.logic(op, dst, a, b),
            Inst::Assign { dst, src, mask } => e.assign(dst, src, mask),
            Inst::Blend { dst, mask, yes, no } => e.blend(dst, mask, yes, no),
            Inst::Convert { op, dst, a } if !Emitter::is_called(op) => e.convert(op, dst, a),
            Inst::Compare { op, num, dst, a, b } => e.compare(op, num, dst, a, b),
            Inst::LoadUniform { dst, buffer, base, offset } => e.load_uniform(dst, buffer, base, offset),
            Inst::MulAdd { num, dst, a, b, c } => e.mul_add(num, dst, [a, b, c]),
            Inst::Unary { op, num, dst, a } => e.unary(op, num, dst, a),
            Inst::Binary { op, num, dst, a, b } => e.binary(op, num, dst, a, b),
            Inst::Shift { op, num, by, dst, a } => e.shift(op, num, by, dst, a),
            Inst::MulHigh { dst, a, b } => e.mul_high(dst, a, b),
            _ => return false,
        }
        true
    }

    fn test(e: &mut Emitter<'_>, mask: Reg) {
        let mask = e.vector_once(mask, 0, S1);
        e.put(Instruction::with2(Code::VEX_Vptest_ymm_ymmm256, mask, mask));
    }

    fn leave_mask(e: &mut Emitter<'_>, mask: Option<Reg>, over: CodeLabel) {
        match mask {
            Some(mask) => {
                let mask = e.vector(mask, 0, S0);
                e.put(Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, Register::EAX, mask));
                e.put(Instruction::with2(Code::Test_rm32_r32, Register::EAX, Register::EAX));
                e.asm.jump(Code::Je_rel32_64, over);
            }
            None => e.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 0xff)),
        }
        e.put(Instruction::with2(Code::Mov_rm32_r32, memory(e.frame.mask), Register::EAX));
    }

    /// Masks are vectors here.
    fn save(_: &mut Emitter<'_>, _: Place, _: bool) {}

    fn load(e: &mut Emitter<'_>, dst: Register, src: Operand, _: bool) {
        e.two(Code::VEX_Vmovdqa_ymm_ymmm256, dst, src);
    }

    fn set(e: &mut Emitter<'_>, dst: Reg, half: usize, src: Operand) {
        e.write(dst, half, |e, d| e.two(Code::VEX_Vmovdqa_ymm_ymmm256, d, src));
    }

    fn written(e: &mut Emitter<'_>, register: Register) {
        if matches!(register, Register::YMM15 | Register::XMM15) {
            e.held = None;
        }
    }

    fn forget(&mut self) {}
}

impl Emitter<'_> {
    /// Computes half of a register: `f` writes a vector register, which is then moved to the half's place.
    pub(super) fn write(&mut self, dst: Reg, half: usize, f: impl FnOnce(&mut Self, Register)) {
        match self.places[dst.index()][half] {
            Place::Vector(n) => f(self, Register::YMM0 + u32::from(n)),
            Place::Frame(at) => {
                f(self, S0);
                self.put(Instruction::with2(Code::VEX_Vmovdqa_ymmm256_ymm, memory(at), S0));
                self.held = Some(at);
            }
            _ => {}
        }
    }

    /// One element for all lanes.
    fn load_uniform(&mut self, dst: Reg, buffer: Buffer, base: Reg, offset: i32) {
        self.uniform_index(base, Code::VEX_Vmovq_rm64_xmm, low);
        let element = self.uniform_element(buffer, offset);
        let code = match self.program.class(dst) {
            Class::Double => Code::VEX_Vbroadcastsd_ymm_m64,
            _ => Code::VEX_Vbroadcastss_ymm_m32,
        };
        for half in self.written_halves(dst) {
            self.write(dst, half, |e, d| e.put(Instruction::with2(code, d, element)));
        }
    }

    /// The mask of the lanes of a half: for doubles, widened to doubles in `scratch`; for words, the mask
    /// itself.
    pub(super) fn half_mask(&mut self, mask: Reg, class: Class, half: usize, scratch: Register) -> Register {
        if class != Class::Double {
            return self.vector_once(mask, 0, scratch);
        }
        self.widen_half(Code::VEX_Vpmovsxdq_ymm_xmmm128, scratch, mask, half);
        scratch
    }

    /// An instruction that widens four words, a half of a register of words. `dst` is not that register.
    pub(super) fn widen_half(&mut self, code: Code, dst: Register, words: Reg, half: usize) {
        let inst = match self.operand(words, 0) {
            Operand::Frame(at) | Operand::Broadcast(at) => {
                Instruction::with2(code, dst, memory(at + 16 * half as i32))
            }
            Operand::Register(words) if half == 0 => Instruction::with2(code, dst, low(words)),
            Operand::Register(words) => {
                let extract = Code::VEX_Vextracti128_xmmm128_ymm_imm8;
                self.put(Instruction::with3(extract, low(dst), words, 1u32));
                Instruction::with2(code, dst, low(dst))
            }
        };
        self.put(inst);
    }

    fn logic(&mut self, op: Logic, dst: Reg, a: Reg, b: Reg) {
        let code = match op {
            Logic::And => Code::VEX_Vpand_ymm_ymm_ymmm256,
            Logic::AndNot => Code::VEX_Vpandn_ymm_ymm_ymmm256,
            Logic::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
            Logic::Xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        };
        let a = self.vector_once(a, 0, S1);
        let b = self.operand_once(b, 0);
        self.write(dst, 0, |e, d| e.three(code, d, a, b));
    }

    fn assign(&mut self, dst: Reg, src: Reg, mask: Option<Reg>) {
        for half in self.written_halves(dst) {
            if self.places[dst.index()][half] == self.places[src.index()][half] {
                continue;
            }
            match mask {
                Some(mask) => self.choose(dst, half, mask, src, dst),
                None => {
                    let src = self.operand_once(src, half);
                    self.write(dst, half, |e, d| e.two(Code::VEX_Vmovdqa_ymm_ymmm256, d, src));
                }
            }
        }
    }

    fn blend(&mut self, dst: Reg, mask: Reg, yes: Reg, no: Reg) {
        for half in Self::halves(self.program.class(dst)) {
            self.choose(dst, half, mask, yes, no);
        }
    }

    fn choose(&mut self, dst: Reg, half: usize, mask: Reg, yes: Reg, no: Reg) {
        let mask = self.half_mask(mask, self.program.class(dst), half, S2);
        let no = self.vector_once(no, half, S1);
        let yes = self.operand_once(yes, half);
        self.write(dst, half, |e, d| e.select(d, no, yes, mask));
    }

    pub(super) fn two(&mut self, code: Code, dst: Register, a: Operand) {
        self.put(match a {
            Operand::Register(a) => Instruction::with2(code, dst, a),
            other => Instruction::with2(code, dst, address(other)),
        });
    }

    /// With a constant.
    pub(super) fn two_by(&mut self, code: Code, dst: Register, a: Register, by: u32) {
        self.put(Instruction::with3(code, dst, a, by));
    }

    pub(super) fn three(&mut self, code: Code, dst: Register, a: Register, b: Operand) {
        self.put(match b {
            Operand::Register(b) => Instruction::with3(code, dst, a, b),
            other => Instruction::with3(code, dst, a, address(other)),
        });
    }

    /// With a constant.
    pub(super) fn three_by(&mut self, code: Code, dst: Register, a: Register, b: Operand, by: u32) {
        self.put(match b {
            Operand::Register(b) => Instruction::with4(code, dst, a, b, by),
            other => Instruction::with4(code, dst, a, address(other), by),
        });
    }

    /// `mask ? yes : no`.
    pub(super) fn select(&mut self, dst: Register, no: Register, yes: Operand, mask: Register) {
        let code = Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm;
        self.put(match yes {
            Operand::Register(yes) => Instruction::with4(code, dst, no, yes, mask),
            other => Instruction::with4(code, dst, no, address(other), mask),
        });
    }
}

/// The low 128 bits of a vector register.
pub(super) fn low(register: Register) -> Register {
    Register::XMM0 + (register as u32 - Register::YMM0 as u32)
}

/// The address of an operand in memory.
fn address(operand: Operand) -> MemoryOperand {
    match operand {
        // Without broadcasts, elements for all lanes are stored as whole vectors.
        Operand::Frame(at) | Operand::Broadcast(at) => memory(at),
        Operand::Register(_) => unreachable!("no memory"),
    }
}
