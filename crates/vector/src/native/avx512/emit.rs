//! Machine code from a program: registers, operands, control flow.
//!
//! `rbx` holds the frame. Vector registers 29 to 31, mask registers 0, 6 and 7, and `rax` and `rcx` are free for use
//! within the code of one instruction; the others belong to the allocation.

use crate::native::allocate::{Allocation, GENERAL, Halves, Place};
use crate::native::frame::Frame;
use crate::native::{Emitted, failed, pack};
use crate::program::{Class, Counter, Inst, Label, Logic, Op, Program, Reg};
use crate::spans::Span;
use iced_x86::code_asm::{
    CodeAssembler, CodeLabel, eax, qword_ptr, r12, r13, r14, r15, rax, rbp, rbx, rdi, rsp,
};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use std::collections::BTreeMap;
use volvelle_kernel::{BufferDecl, CompileError, Exit};

/// Vector registers for use within one instruction.
pub(super) const S0: Register = Register::ZMM31;
pub(super) const S1: Register = Register::ZMM30;
pub(super) const S2: Register = Register::ZMM29;
/// Mask registers for use within one instruction; the first cannot be a predicate.
pub(super) const K0: Register = Register::K0;
pub(super) const K6: Register = Register::K6;
pub(super) const K7: Register = Register::K7;

/// An operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Register),
    /// A vector in the frame.
    Frame(i32),
    /// One element in the frame, for all lanes.
    Broadcast(i32),
}

/// Which lanes an instruction writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    All,
    /// Others keep what they had.
    Merge(Register),
    /// Others become zero.
    Zero(Register),
}

pub(super) struct Emitter<'p> {
    pub(super) program: &'p Program,
    pub(super) code: &'p [Op],
    pub(super) spans: &'p [Option<Span>],
    pub(super) places: Vec<Halves>,
    pub(super) buffers: &'p [BufferDecl],
    pub(super) frame: Frame,
    pub(super) asm: CodeAssembler,
    /// The first error of the assembler.
    error: Option<IcedError>,
    labels: Vec<CodeLabel>,
    /// Where the kernel is left early, by what is returned there.
    exits: BTreeMap<u64, CodeLabel>,
    /// Registers that are zero in all lanes.
    zeros: Vec<bool>,
    /// The place in the frame whose vector the first scratch register still has, because it was just stored.
    held: Option<i32>,
    /// The place whose mask [`K6`] still has.
    held_mask: Option<Place>,
    /// Where `rax` is returned.
    pub(super) leave: CodeLabel,
    /// Calls of the program, in the order of their numbers.
    pub(super) calls: Vec<crate::native::calls::Call>,
    /// Address of the function that does them.
    pub(super) helper: u64,
    /// Where the frame has the address of the first description of a call.
    pub(super) call_table: i32,
    /// Vectors with the numbers of the low and of the high words of sixteen doubles.
    pub(super) picked: [i32; 2],
}

impl<'p> Emitter<'p> {
    pub(super) fn new(
        program: &'p Program,
        code: &'p [Op],
        spans: &'p [Option<Span>],
        allocation: Allocation,
        mut frame: Frame,
        buffers: &'p [BufferDecl],
        helper: u64,
    ) -> Result<Self, CompileError> {
        frame.bytes = allocation.frame;
        let call_table = frame.take(8, 8);
        let mut zeros = vec![false; program.classes.len()];
        for inst in &program.invariants {
            if let Inst::Constant { dst, bits: 0 } = inst {
                zeros[dst.index()] = true;
            }
        }
        let picked = [0, 1].map(|which| frame.words(|i| 2 * i + which));
        let mut asm = CodeAssembler::new(64).map_err(failed)?;
        let labels = (0..program.labels).map(|_| asm.create_label()).collect();
        let leave = asm.create_label();
        Ok(Emitter {
            program,
            code,
            spans,
            places: allocation.places,
            buffers,
            frame,
            asm,
            error: None,
            labels,
            exits: BTreeMap::new(),
            zeros,
            held: None,
            held_mask: None,
            leave,
            calls: Vec::new(),
            helper,
            call_table,
            picked,
        })
    }

    pub(super) fn emit(mut self) -> Result<Emitted, CompileError> {
        let result = self.whole();
        if let Some(error) = result.err().or(self.error.take()) {
            return Err(failed(error));
        }
        let bytes = self.asm.assemble(0).map_err(failed)?;
        Ok(Emitted { bytes, frame: self.frame, calls: self.calls, call_table: self.call_table })
    }

    fn whole(&mut self) -> Result<(), IcedError> {
        for register in [rbx, rbp, r12, r13, r14, r15] {
            self.asm.push(register)?;
        }
        // Calls want the stack aligned to 16 bytes.
        self.asm.sub(rsp, 8)?;
        self.asm.mov(rbx, rdi)?;
        for at in 0..self.code.len() {
            self.op(at)?;
        }
        self.asm.xor(eax, eax)?;
        let mut leave = self.leave;
        self.asm.set_label(&mut leave)?;
        self.asm.vzeroupper()?;
        self.asm.add(rsp, 8)?;
        for register in [r15, r14, r13, r12, rbp, rbx] {
            self.asm.pop(register)?;
        }
        self.asm.ret()?;
        for (word, mut label) in std::mem::take(&mut self.exits) {
            self.asm.set_label(&mut label)?;
            self.asm.mov(rax, word)?;
            self.asm.jmp(self.leave)?;
        }
        Ok(())
    }

    fn op(&mut self, at: usize) -> Result<(), IcedError> {
        let op = self.code[at];
        match op.inst {
            Inst::Constant { .. } | Inst::Param { .. } | Inst::Lane { .. } | Inst::Len { .. } => {}
            Inst::Logic { op, dst, a, b } => self.logic(op, dst, a, b),
            Inst::Assign { dst, src, mask } => self.assign(dst, src, mask),
            Inst::Blend { dst, mask, yes, no } => self.blend(dst, mask, yes, no),
            Inst::Fail { mask, site } => {
                let exit = self.exit(Exit::Failed(site));
                match mask {
                    Some(mask) => {
                        self.test(mask);
                        self.asm.jnz(exit)?;
                    }
                    None => self.asm.jmp(exit)?,
                }
            }
            Inst::Skip { mask, to } => {
                self.test(mask);
                self.asm.jz(self.labels[to.0 as usize])?;
            }
            Inst::Label { label } | Inst::Head { label } => self.label(label)?,
            Inst::Count { counter, from, to, signed, end } => self.count(counter, from, to, signed, end)?,
            Inst::Repeat { head, mask, counter } => self.repeat(head, mask, counter)?,
            Inst::Load { dst, buffer, index, mask } if self.in_place(buffer) => {
                self.gather(dst, buffer, index, mask)?;
            }
            Inst::Store { buffer, index, value, mask } if self.in_place(buffer) => {
                self.scatter(buffer, index, value, mask)?;
            }
            Inst::Load { .. } | Inst::Store { .. } | Inst::PerLane { .. } => self.call(at)?,
            Inst::Compare { op: cmp, num, dst, a, b } => self.compare(cmp, num, dst, a, b, op.under),
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Shift { .. }
            | Inst::MulHigh { .. }
            | Inst::Convert { .. } => self.compute(&op),
        }
        Ok(())
    }

    // Control flow.

    fn label(&mut self, label: Label) -> Result<(), IcedError> {
        let mut place = self.labels[label.0 as usize];
        self.asm.set_label(&mut place)?;
        self.forget_held();
        // Several labels may stand at one place.
        self.asm.zero_bytes()
    }

    /// A place where the kernel is left.
    pub(super) fn exit(&mut self, exit: Exit) -> CodeLabel {
        let word = pack(exit);
        let asm = &mut self.asm;
        *self.exits.entry(word).or_insert_with(|| asm.create_label())
    }

    /// Sets the zero flag where a mask is empty.
    pub(super) fn test(&mut self, mask: Reg) {
        if let Some(general) = self.general(mask) {
            return self.put(Instruction::with2(Code::Test_rm32_r32, general, general));
        }
        if let Place::Frame(at) = self.places[mask.index()][0] {
            return self.put(Instruction::with2(Code::Cmp_rm16_imm8, memory(at), 0i32));
        }
        let k = self.mask(mask, K7);
        self.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, k, k));
    }

    fn count(
        &mut self,
        counter: Counter,
        from: Reg,
        to: Reg,
        signed: bool,
        end: Label,
    ) -> Result<(), IcedError> {
        let ([Place::Uniform(from_at), _], [Place::Uniform(to_at), _]) =
            (self.places[from.index()], self.places[to.index()])
        else {
            unreachable!("bounds of a count are the same for all lanes");
        };
        let end = self.labels[end.0 as usize];
        let word = self.program.class(from) == Class::Word;
        for (register, at) in [(Register::RAX, to_at), (Register::RCX, from_at)] {
            let memory = MemoryOperand::with_base_displ(Register::RBX, at.into());
            match (word, signed) {
                (true, true) => self.put(Instruction::with2(Code::Movsxd_r64_rm32, register, memory)),
                (true, false) => {
                    let low = if register == Register::RAX { Register::EAX } else { Register::ECX };
                    self.put(Instruction::with2(Code::Mov_r32_rm32, low, memory));
                }
                _ => self.put(Instruction::with2(Code::Mov_r64_rm64, register, memory)),
            }
        }
        self.asm.sub(rax, iced_x86::code_asm::rcx)?;
        // The flags of the subtraction are those of comparing.
        if signed {
            self.asm.jle(end)?;
        } else {
            self.asm.jbe(end)?;
        }
        let at = self.frame.counters + 8 * counter.0 as i32;
        self.asm.mov(qword_ptr(rbx + at), rax)
    }

    fn repeat(&mut self, head: Label, mask: Option<Reg>, counter: Option<Counter>) -> Result<(), IcedError> {
        let head = self.labels[head.0 as usize];
        let mut done = self.asm.create_label();
        if let Some(counter) = counter {
            let at = self.frame.counters + 8 * counter.0 as i32;
            self.asm.dec(qword_ptr(rbx + at))?;
            if mask.is_none() {
                self.asm.jnz(head)?;
            } else {
                self.asm.jz(done)?;
            }
        }
        if let Some(mask) = mask {
            self.test(mask);
            self.asm.jnz(head)?;
        } else if counter.is_none() {
            self.asm.jmp(head)?;
        }
        self.forget_held();
        self.asm.set_label(&mut done)?;
        self.asm.zero_bytes()
    }

    // Masks.

    /// The mask register of a mask; one that is elsewhere comes into `scratch`.
    pub(super) fn mask(&mut self, mask: Reg, scratch: Register) -> Register {
        let place = self.places[mask.index()][0];
        if scratch == K6 && self.held_mask == Some(place) {
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
            self.held_mask = Some(place);
        }
        scratch
    }

    /// A mask is written: [`K6`] has an old value of it, if any.
    fn forget_mask(&mut self, mask: Reg) {
        if self.held_mask == Some(self.places[mask.index()][0]) {
            self.held_mask = None;
        }
    }

    /// Computes a mask: `f` writes a register, which is then put where it belongs.
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

    /// An operation on masks of which most are elsewhere, in general registers.
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

    /// Moves a mask to a general register, in which it has sixteen bits. (What is in the frame is loaded as it was stored,
    /// so that the load need not wait for the store.)
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

    /// The halves that a class has.
    pub(super) fn halves(class: Class) -> std::ops::Range<usize> {
        if class == Class::Double { 0..2 } else { 0..1 }
    }

    /// Half of a register as the last operand of an instruction.
    pub(super) fn operand(&self, reg: Reg, half: usize) -> Operand {
        match self.places[reg.index()][half] {
            Place::Vector(n) => Operand::Register(Register::ZMM0 + u32::from(n)),
            Place::Frame(at) => Operand::Frame(at),
            Place::Uniform(at) => Operand::Broadcast(at),
            // A register without a value: any will do.
            _ => Operand::Register(S0),
        }
    }

    /// Scratch registers have other values now.
    pub(super) fn forget_held(&mut self) {
        self.held = None;
        self.held_mask = None;
    }

    /// As [`Emitter::operand`], for code of one instruction, which may find a vector in the first scratch register.
    pub(super) fn operand_once(&self, reg: Reg, half: usize) -> Operand {
        match self.places[reg.index()][half] {
            Place::Frame(at) if self.held == Some(at) => Operand::Register(S0),
            _ => self.operand(reg, half),
        }
    }

    /// As [`Emitter::vector`], for code of one instruction.
    pub(super) fn vector_once(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        match self.operand_once(reg, half) {
            Operand::Register(register) => register,
            _ => self.vector(reg, half, scratch),
        }
    }

    /// Half of a register in a vector register; one that is elsewhere comes into `scratch`.
    pub(super) fn vector(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        let wide = self.program.class(reg) == Class::Double;
        match self.operand(reg, half) {
            Operand::Register(register) => register,
            other => {
                self.move_to(scratch, other, wide, Lanes::All);
                scratch
            }
        }
    }

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

    /// Computes half of a register: `f` writes a vector register, in all lanes or in those of a mask; the result is put
    /// where it belongs. `under` is the mask of the lanes to be written, for both halves.
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

    /// As [`Emitter::write`], for code of one instruction. What is merged with its old value in the frame is stored as a
    /// whole: loads do not wait for it.
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
        for half in Self::halves(class) {
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
        let no_is_zero = self.zeros[no.index()];
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

    /// Adds an instruction.
    pub(super) fn put(&mut self, inst: Result<Instruction, IcedError>) {
        match inst.as_ref().map(|inst| inst.op0_register()) {
            Ok(Register::ZMM31 | Register::YMM31) => self.held = None,
            Ok(Register::K6) => self.held_mask = None,
            _ => {}
        }
        if let Err(error) = inst.and_then(|inst| self.asm.add_instruction(inst)) {
            self.error.get_or_insert(error);
        }
    }

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

/// Memory in the frame.
pub(super) fn memory(at: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RBX, at.into())
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
