//! Operations on vectors and masks, and the level of AVX-512 for the emitter.
//!
//! Vector registers 29 to 31 and mask registers 0, 6 and 7 are scratch registers.

use crate::native::assembler::CodeLabel;
use crate::native::emitter::{self, Level, Operand, memory};
use crate::native::frame::Frame;
use crate::native::place::{GENERAL, Place};
use crate::program::{Class, Inst, Logic, Program, Reg};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

/// Vector registers for use within one instruction.
pub(super) const S0: Register = Register::ZMM31;
pub(super) const S1: Register = Register::ZMM30;
pub(super) const S2: Register = Register::ZMM29;
/// Mask registers for use within one instruction; the first cannot be a predicate.
pub(super) const K0: Register = Register::K0;
pub(super) const K6: Register = Register::K6;
pub(super) const K7: Register = Register::K7;

/// Which lanes an instruction writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    All,
    /// Other lanes keep their values.
    Merge(Register),
    /// Other lanes become zero.
    Zero(Register),
}

/// An emitter of code for AVX-512.
pub(super) type Emitter<'p> = emitter::Emitter<'p, Avx512>;

/// The level of AVX-512, with its state.
pub(super) struct Avx512 {
    /// Registers that are zero in all lanes.
    zeros: Vec<bool>,
    /// The place whose mask [`K6`] still holds.
    held_mask: Option<Place>,
    /// The register whose value, the same in all lanes, is in `rax`.
    pub(super) index: Option<Reg>,
    /// Vectors with the indices of the low and of the high words of sixteen doubles.
    pub(super) picked: [i32; 2],
}

impl Avx512 {
    /// The level for a program, with its vectors in the frame.
    pub(super) fn new(program: &Program, frame: &mut Frame) -> Self {
        let mut zeros = vec![false; program.classes.len()];
        for inst in &program.invariants {
            if let Inst::Constant { dst, bits: 0 } = inst {
                zeros[dst.index()] = true;
            }
        }
        let picked = [0, 1].map(|which| frame.words(|i| 2 * i + which));
        Avx512 { zeros, held_mask: None, index: None, picked }
    }
}

impl Level for Avx512 {
    const VECTORS: Register = Register::ZMM0;
    const SCRATCH: Register = S0;
    const OPERAND: Register = S1;
    const STORE: Code = Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm;
    const LOAD: Code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
    const PRESERVED: &'static [Register] =
        &[Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
    const CLEARS_BEFORE_CALLS: bool = false;

    fn compute(e: &mut Emitter<'_>, at: usize) -> bool {
        let op = e.code[at];
        match op.inst {
            Inst::Logic { op, dst, a, b } => e.logic(op, dst, a, b),
            Inst::Assign { dst, src, mask } => e.assign(dst, src, mask),
            Inst::Blend { dst, mask, yes, no } => e.blend(dst, mask, yes, no),
            Inst::Load { dst, buffer, index, mask } if e.in_place(buffer) => {
                e.gather(dst, buffer, index, mask);
            }
            Inst::LoadUniform { dst, buffer, base, offset } => e.load_uniform(dst, buffer, base, offset),
            Inst::MulAdd { num, dst, a, b, c } => e.mul_add(num, dst, [a, b, c]),
            Inst::Store { buffer, index, value, mask } if e.in_place(buffer) => {
                e.scatter(buffer, index, value, mask);
            }
            Inst::Compare { op: cmp, num, dst, a, b } => e.compare(cmp, num, dst, a, b, op.under),
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Shift { .. }
            | Inst::MulHigh { .. }
            | Inst::Convert { .. } => e.compute(&op),
            _ => return false,
        }
        true
    }

    fn test(e: &mut Emitter<'_>, mask: Reg) {
        if let Some(general) = e.general(mask) {
            return e.put(Instruction::with2(Code::Test_rm32_r32, general, general));
        }
        if let Place::Frame(at) = e.places[mask.index()][0] {
            return e.put(Instruction::with2(Code::Cmp_rm16_imm8, memory(at), 0i32));
        }
        let k = e.mask(mask, K7);
        e.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, k, k));
    }

    fn leave_mask(e: &mut Emitter<'_>, mask: Option<Reg>, over: CodeLabel) {
        let Some(mask) = mask else {
            return e.put(Instruction::with2(Code::Mov_rm16_imm16, memory(e.frame.mask), 0xffffu32));
        };
        let k = e.mask(mask, K7);
        e.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, k, k));
        e.asm.jump(Code::Je_rel32_64, over);
        e.put(Instruction::with2(Code::VEX_Kmovw_m16_kr, memory(e.frame.mask), k));
    }

    fn save(e: &mut Emitter<'_>, place: Place, save: bool) {
        let (at, register, [store, load]) = match place {
            Place::Mask(n) => (
                e.frame.saved_masks + 8 * i32::from(n),
                Register::K0 + u32::from(n),
                [Code::VEX_Kmovw_m16_kr, Code::VEX_Kmovw_kr_km16],
            ),
            Place::General(n) => (
                e.frame.saved_general + 8 * i32::from(n),
                GENERAL[usize::from(n)],
                [Code::Mov_rm32_r32, Code::Mov_r32_rm32],
            ),
            _ => return,
        };
        e.put(if save {
            Instruction::with2(store, memory(at), register)
        } else {
            Instruction::with2(load, register, memory(at))
        });
    }

    fn load(e: &mut Emitter<'_>, dst: Register, src: Operand, wide: bool) {
        e.move_to(dst, src, wide, Lanes::All);
    }

    fn set(e: &mut Emitter<'_>, dst: Reg, half: usize, src: Operand) {
        let wide = e.program.class(dst) == Class::Double;
        e.write(dst, half, None, |e, d, lanes| e.move_to(d, src, wide, lanes));
    }

    fn written(e: &mut Emitter<'_>, register: Register) {
        match register {
            Register::ZMM31 | Register::YMM31 => e.held = None,
            Register::K6 => e.level.held_mask = None,
            Register::RAX | Register::EAX | Register::AX => e.level.index = None,
            _ => {}
        }
    }

    fn forget(&mut self) {
        self.held_mask = None;
        self.index = None;
    }
}

impl Emitter<'_> {
    // Masks.

    /// The mask register of a mask; one that is elsewhere comes into `scratch`.
    pub(super) fn mask(&mut self, mask: Reg, scratch: Register) -> Register {
        let place = self.places[mask.index()][0];
        if scratch == K6 && self.level.held_mask == Some(place) {
            return K6;
        }
        match place {
            Place::Mask(n) => return Register::K0 + u32::from(n),
            Place::Frame(at) => {
                self.put(Instruction::with2(Code::VEX_Kmovw_kr_km16, scratch, memory(at)));
            }
            Place::General(n) => {
                self.put(Instruction::with2(Code::VEX_Kmovw_kr_r32, scratch, GENERAL[usize::from(n)]));
            }
            Place::Fixed(all) => {
                let code = if all { Code::VEX_Kxnorw_kr_kr_kr } else { Code::VEX_Kxorw_kr_kr_kr };
                self.put(Instruction::with3(code, scratch, scratch, scratch));
            }
            Place::None => return scratch,
            Place::Vector(_) | Place::Uniform(_) => unreachable!("no mask: {place:?}"),
        }
        if scratch == K6 {
            self.level.held_mask = Some(place);
        }
        scratch
    }

    /// A mask is written: [`K6`] has an old value of it, if any.
    fn forget_mask(&mut self, mask: Reg) {
        if self.level.held_mask == Some(self.places[mask.index()][0]) {
            self.level.held_mask = None;
        }
    }

    /// Computes a mask: `f` writes a register, which is then moved to its place.
    pub(super) fn write_mask(&mut self, dst: Reg, f: impl FnOnce(&mut Self, Register)) {
        self.forget_mask(dst);
        match self.places[dst.index()][0] {
            Place::Mask(n) => f(self, Register::K0 + u32::from(n)),
            Place::Frame(at) => {
                f(self, K7);
                self.put(Instruction::with2(Code::VEX_Kmovw_m16_kr, memory(at), K7));
            }
            Place::General(n) => {
                f(self, K7);
                self.put(Instruction::with2(Code::VEX_Kmovw_r32_kr, GENERAL[usize::from(n)], K7));
            }
            _ => {}
        }
    }

    /// The general register of a mask that has one.
    fn general(&self, mask: Reg) -> Option<Register> {
        match self.places[mask.index()][0] {
            Place::General(n) => Some(GENERAL[usize::from(n)]),
            _ => None,
        }
    }

    fn logic(&mut self, op: Logic, dst: Reg, a: Reg, b: Reg) {
        let in_mask_register = |r: &&Reg| matches!(self.places[r.index()][0], Place::Mask(_));
        if [dst, a, b].iter().filter(in_mask_register).count() <= 1 {
            return self.general_logic(op, dst, a, b);
        }
        let all = |e: &Self, r: Reg| e.places[r.index()][0] == Place::Fixed(true);
        if op == Logic::Xor && all(self, b) {
            let k = self.mask(a, K6);
            return self.write_mask(dst, |e, d| e.put(Instruction::with2(Code::VEX_Knotw_kr_kr, d, k)));
        }
        let (x, y) = (self.mask(a, K6), self.mask(b, K7));
        let code = match op {
            Logic::And => Code::VEX_Kandw_kr_kr_kr,
            Logic::AndNot => Code::VEX_Kandnw_kr_kr_kr,
            Logic::Or => Code::VEX_Korw_kr_kr_kr,
            Logic::Xor => Code::VEX_Kxorw_kr_kr_kr,
        };
        self.write_mask(dst, |e, d| e.put(Instruction::with3(code, d, x, y)));
    }

    /// An operation on masks most of which are in general registers.
    fn general_logic(&mut self, op: Logic, dst: Reg, a: Reg, b: Reg) {
        let (a, b) = if op != Logic::AndNot && dst == b { (b, a) } else { (a, b) };
        let own = self.general(dst).filter(|d| op != Logic::AndNot && self.general(b) != Some(*d));
        let result = own.unwrap_or(Register::EAX);
        self.move_to_general(result, a);
        if op == Logic::AndNot {
            self.put(Instruction::with1(Code::Not_rm32, result));
        }
        let (code, code_with_constant) = match op {
            Logic::And | Logic::AndNot => (Code::And_r32_rm32, Code::And_rm32_imm32),
            Logic::Or => (Code::Or_r32_rm32, Code::Or_rm32_imm32),
            Logic::Xor => (Code::Xor_r32_rm32, Code::Xor_rm32_imm32),
        };
        match (self.places[b.index()][0], self.general(b)) {
            (Place::Fixed(all), _) => {
                let lanes = if all { 0xffffu32 } else { 0 };
                self.put(Instruction::with2(code_with_constant, result, lanes));
            }
            (_, Some(b)) => self.put(Instruction::with2(code, result, b)),
            _ => {
                self.move_to_general(Register::ECX, b);
                self.put(Instruction::with2(code, result, Register::ECX));
            }
        }
        self.forget_mask(dst);
        match self.places[dst.index()][0] {
            Place::General(n) if GENERAL[usize::from(n)] == result => {}
            Place::General(n) => {
                self.put(Instruction::with2(Code::Mov_r32_rm32, GENERAL[usize::from(n)], result));
            }
            Place::Frame(at) => self.put(Instruction::with2(Code::Mov_rm16_r16, memory(at), Register::AX)),
            Place::Mask(n) => {
                let k = Register::K0 + u32::from(n);
                self.put(Instruction::with2(Code::VEX_Kmovw_kr_r32, k, result));
            }
            _ => {}
        }
    }

    /// Moves a mask to a general register, in which it has sixteen bits. (From the frame it is loaded with
    /// the size with which it was stored, so the load need not wait for the store.)
    fn move_to_general(&mut self, dst: Register, mask: Reg) {
        match self.places[mask.index()][0] {
            Place::Mask(n) => {
                let k = Register::K0 + u32::from(n);
                self.put(Instruction::with2(Code::VEX_Kmovw_r32_kr, dst, k));
            }
            Place::General(n) => {
                let src = GENERAL[usize::from(n)];
                if src != dst {
                    self.put(Instruction::with2(Code::Mov_r32_rm32, dst, src));
                }
            }
            Place::Frame(at) => self.put(Instruction::with2(Code::Movzx_r32_rm16, dst, memory(at))),
            Place::Fixed(all) => {
                let lanes = if all { 0xffffu32 } else { 0 };
                self.put(Instruction::with2(Code::Mov_r32_imm32, dst, lanes));
            }
            _ => {}
        }
    }

    /// The mask of the lanes of a half.
    pub(super) fn half_mask(&mut self, k: Register, half: usize) -> Register {
        if half == 0 {
            return k;
        }
        self.put(Instruction::with3(Code::VEX_Kshiftrw_kr_kr_imm8, K7, k, 8u32));
        K7
    }

    // Vectors.

    /// Moves a vector.
    pub(super) fn move_to(&mut self, dst: Register, src: Operand, wide: bool, lanes: Lanes) {
        let code = match (src, wide) {
            (Operand::Broadcast(_), false) => Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            (Operand::Broadcast(_), true) => Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
            (_, false) => Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
            (_, true) => Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
        };
        // A load that broadcasts names one element; it is no broadcast operand.
        let src = if let Operand::Broadcast(at) = src { Operand::Frame(at) } else { src };
        self.two(code, dst, src, lanes);
    }

    /// Computes half of a register: `f` writes a vector register, in all lanes or in those of a mask, and the
    /// result is moved to its place. `under` is the mask of the lanes to write, for both halves.
    pub(super) fn write(
        &mut self,
        dst: Reg,
        half: usize,
        under: Option<Register>,
        f: impl FnOnce(&mut Self, Register, Lanes),
    ) {
        match self.places[dst.index()][half] {
            Place::Vector(n) => {
                let lanes = match under {
                    Some(k) => Lanes::Merge(self.half_mask(k, half)),
                    None => Lanes::All,
                };
                f(self, Register::ZMM0 + u32::from(n), lanes);
            }
            Place::Frame(at) => {
                f(self, S0, Lanes::All);
                let wide = self.program.class(dst) == Class::Double;
                self.store(at, S0, wide, under, half);
            }
            _ => {}
        }
    }

    /// As [`Emitter::write`], for code of one instruction. A result that is merged with its old value in the
    /// frame is stored as a whole, so that loads do not wait for it.
    pub(super) fn write_once(
        &mut self,
        dst: Reg,
        half: usize,
        under: Option<Register>,
        f: impl FnOnce(&mut Self, Register, Lanes),
    ) {
        let (Place::Frame(at), Some(k)) = (self.places[dst.index()][half], under) else {
            return self.write(dst, half, under, f);
        };
        let wide = self.program.class(dst) == Class::Double;
        let k = self.half_mask(k, half);
        self.move_to(S2, Operand::Frame(at), wide, Lanes::All);
        f(self, S2, Lanes::Merge(k));
        self.store(at, S2, wide, None, half);
        self.held = None;
    }

    fn store(&mut self, at: i32, src: Register, wide: bool, under: Option<Register>, half: usize) {
        let code =
            if wide { Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm } else { Code::EVEX_Vmovdqa32_zmmm512_k1z_zmm };
        let mask = under.map(|k| self.half_mask(k, half));
        let inst = Instruction::with2(code, memory(at), src).map(|mut inst| {
            if let Some(k) = mask {
                inst.set_op_mask(k);
            }
            inst
        });
        self.put(inst);
        self.held = mask.is_none().then_some(at);
    }

    fn assign(&mut self, dst: Reg, src: Reg, mask: Option<Reg>) {
        let class = self.program.class(dst);
        if class == Class::Mask {
            if self.places[dst.index()] == self.places[src.index()] {
                return;
            }
            let place = self.places[dst.index()][0];
            if let (
                Place::General(_) | Place::Frame(_),
                Place::General(_) | Place::Frame(_) | Place::Fixed(_),
            ) = (place, self.places[src.index()][0])
            {
                self.forget_mask(dst);
                let result = self.general(dst).unwrap_or(Register::EAX);
                self.move_to_general(result, src);
                if let Place::Frame(at) = place {
                    self.put(Instruction::with2(Code::Mov_rm16_r16, memory(at), Register::AX));
                }
                return;
            }
            let k = self.mask(src, K7);
            return self.write_mask(dst, |e, d| {
                if d != k {
                    e.put(Instruction::with2(Code::VEX_Kmovw_kr_km16, d, k));
                }
            });
        }
        let under = mask.map(|mask| self.mask(mask, K6));
        for half in self.written_halves(dst) {
            if self.places[dst.index()][half] == self.places[src.index()][half] {
                continue;
            }
            let src = self.operand_once(src, half);
            self.write_once(dst, half, under, |e, d, lanes| {
                e.move_to(d, src, class == Class::Double, lanes);
            });
        }
    }

    fn blend(&mut self, dst: Reg, mask: Reg, yes: Reg, no: Reg) {
        let class = self.program.class(yes);
        let wide = class == Class::Double;
        let k = self.mask(mask, K6);
        let no_is_zero = self.level.zeros[no.index()];
        for half in Self::halves(class) {
            let k = self.half_mask(k, half);
            let yes = self.operand_once(yes, half);
            if no_is_zero {
                self.write(dst, half, None, |e, d, _| e.move_to(d, yes, wide, Lanes::Zero(k)));
                continue;
            }
            let no = self.vector_once(no, half, S1);
            let code = if wide {
                Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64
            } else {
                Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32
            };
            self.write(dst, half, None, |e, d, _| e.three(code, d, no, yes, None, Lanes::Merge(k)));
        }
    }

    // Instructions.

    fn put_masked(&mut self, inst: Result<Instruction, IcedError>, lanes: Lanes) {
        self.put(inst.map(|mut inst| {
            match lanes {
                Lanes::All => {}
                Lanes::Merge(k) => inst.set_op_mask(k),
                Lanes::Zero(k) => {
                    inst.set_op_mask(k);
                    inst.set_zeroing_masking(true);
                }
            }
            inst
        }));
    }

    /// An instruction with a result and one operand.
    pub(super) fn two(&mut self, code: Code, dst: Register, a: Operand, lanes: Lanes) {
        let inst = match a {
            Operand::Register(a) => Instruction::with2(code, dst, a),
            other => Instruction::with2(code, dst, other_memory(other)),
        };
        self.put_masked(inst, lanes);
    }

    /// An instruction with a result, one operand and a constant.
    pub(super) fn two_by(&mut self, code: Code, dst: Register, a: Operand, by: u32, lanes: Lanes) {
        let inst = match a {
            Operand::Register(a) => Instruction::with3(code, dst, a, by),
            other => Instruction::with3(code, dst, other_memory(other), by),
        };
        self.put_masked(inst, lanes);
    }

    /// An instruction with a result, two operands and perhaps a constant.
    pub(super) fn three(
        &mut self,
        code: Code,
        dst: Register,
        a: Register,
        b: Operand,
        by: Option<u32>,
        lanes: Lanes,
    ) {
        let inst = match (b, by) {
            (Operand::Register(b), None) => Instruction::with3(code, dst, a, b),
            (Operand::Register(b), Some(by)) => Instruction::with4(code, dst, a, b, by),
            (other, None) => Instruction::with3(code, dst, a, other_memory(other)),
            (other, Some(by)) => Instruction::with4(code, dst, a, other_memory(other), by),
        };
        self.put_masked(inst, lanes);
    }
}

fn other_memory(operand: Operand) -> MemoryOperand {
    match operand {
        Operand::Broadcast(at) => {
            MemoryOperand::with_base_displ_bcst_seg(Register::RBX, at.into(), true, Register::None)
        }
        Operand::Frame(at) => memory(at),
        Operand::Register(_) => unreachable!("no memory"),
    }
}
