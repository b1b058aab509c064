//! Machine code from a program: registers, operands, control flow, calls.
//!
//! `rbx` holds the frame. Vector registers 12 to 15, and `rax` and `rcx`, are free for use within the code of one
//! instruction; the others belong to the allocation.

use crate::native::allocate::{Allocation, Halves, Place};
use crate::native::calls::{Call, live_across};
use crate::native::frame::Frame;
use crate::native::{Emitted, failed, pack};
use crate::program::{Class, Counter, Inst, Label, Logic, Op, Program, Reg};
use crate::spans::Span;
use iced_x86::code_asm::{CodeAssembler, CodeLabel, eax, qword_ptr, rax, rbx, rcx, rdi, rsi};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use std::collections::BTreeMap;
use volvelle_kernel::{BufferDecl, CompileError, Exit};

/// Vector registers for use within one instruction.
pub(super) const S0: Register = Register::YMM15;
pub(super) const S1: Register = Register::YMM14;
pub(super) const S2: Register = Register::YMM13;
pub(super) const S3: Register = Register::YMM12;

/// An operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Register),
    /// A vector in the frame.
    Frame(i32),
}

pub(super) struct Emitter<'p> {
    pub(super) program: &'p Program,
    code: &'p [Op],
    spans: &'p [Option<Span>],
    places: Vec<Halves>,
    buffers: &'p [BufferDecl],
    pub(super) frame: Frame,
    asm: CodeAssembler,
    /// The first error of the assembler.
    error: Option<IcedError>,
    labels: Vec<CodeLabel>,
    /// The place in the frame whose vector the first scratch register still has, because it was just stored.
    held: Option<i32>,
    /// Where the kernel is left early, by what is returned there.
    exits: BTreeMap<u64, CodeLabel>,
    /// Where `rax` is returned.
    leave: CodeLabel,
    calls: Vec<Call>,
    /// Address of the function that does calls.
    helper: u64,
    /// Where the frame has the address of the first description of a call.
    call_table: i32,
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
            held: None,
            exits: BTreeMap::new(),
            leave,
            calls: Vec::new(),
            helper,
            call_table,
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
        // This also aligns the stack for calls.
        self.asm.push(rbx)?;
        self.asm.mov(rbx, rdi)?;
        for at in 0..self.code.len() {
            self.op(at)?;
        }
        self.asm.xor(eax, eax)?;
        let mut leave = self.leave;
        self.asm.set_label(&mut leave)?;
        self.asm.vzeroupper()?;
        self.asm.pop(rbx)?;
        self.asm.ret()?;
        for (word, mut label) in std::mem::take(&mut self.exits) {
            self.asm.set_label(&mut label)?;
            self.asm.mov(rax, word)?;
            self.asm.jmp(self.leave)?;
        }
        Ok(())
    }

    fn op(&mut self, at: usize) -> Result<(), IcedError> {
        match self.code[at].inst {
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
            Inst::Label { label } | Inst::Head { label } => {
                let mut place = self.labels[label.0 as usize];
                self.asm.set_label(&mut place)?;
                self.held = None;
                // Several labels may stand at one place.
                self.asm.zero_bytes()?;
            }
            Inst::Count { counter, from, to, signed, end } => self.count(counter, from, to, signed, end)?,
            Inst::Repeat { head, mask, counter } => self.repeat(head, mask, counter)?,
            Inst::Load { .. } | Inst::Store { .. } | Inst::PerLane { .. } => self.call(at)?,
            Inst::Convert { op, .. } if Self::is_called(op) => self.call(at)?,
            Inst::Convert { op, dst, a } => self.convert(op, dst, a),
            Inst::Compare { op, num, dst, a, b } => self.compare(op, num, dst, a, b),
            Inst::Unary { op, num, dst, a } => self.unary(op, num, dst, a),
            Inst::Binary { op, num, dst, a, b } => self.binary(op, num, dst, a, b),
            Inst::Shift { op, num, by, dst, a } => self.shift(op, num, by, dst, a),
            Inst::MulHigh { dst, a, b } => self.mul_high(dst, a, b),
        }
        Ok(())
    }

    // Control flow.

    fn exit(&mut self, exit: Exit) -> CodeLabel {
        let asm = &mut self.asm;
        *self.exits.entry(pack(exit)).or_insert_with(|| asm.create_label())
    }

    /// Sets the zero flag where a mask is empty.
    fn test(&mut self, mask: Reg) {
        let mask = self.vector_once(mask, 0, S1);
        self.put(Instruction::with2(Code::VEX_Vptest_ymm_ymmm256, mask, mask));
    }

    fn count(
        &mut self,
        counter: Counter,
        from: Reg,
        to: Reg,
        signed: bool,
        end: Label,
    ) -> Result<(), IcedError> {
        let end = self.labels[end.0 as usize];
        let word = self.program.class(from) == Class::Word;
        for (register, reg) in [(Register::RAX, to), (Register::RCX, from)] {
            let [Place::Frame(at), _] = self.places[reg.index()] else {
                unreachable!("bounds of a count are constants or parameters");
            };
            match (word, signed) {
                (true, true) => self.put(Instruction::with2(Code::Movsxd_r64_rm32, register, memory(at))),
                (true, false) => {
                    let low = if register == Register::RAX { Register::EAX } else { Register::ECX };
                    self.put(Instruction::with2(Code::Mov_r32_rm32, low, memory(at)));
                }
                _ => self.put(Instruction::with2(Code::Mov_r64_rm64, register, memory(at))),
            }
        }
        self.asm.sub(rax, rcx)?;
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
        self.held = None;
        self.asm.set_label(&mut done)?;
        self.asm.zero_bytes()
    }

    // Operands and results.

    /// The halves that a class has.
    pub(super) fn halves(class: Class) -> std::ops::Range<usize> {
        if class == Class::Double { 0..2 } else { 0..1 }
    }

    /// Half of a register as the last operand of an instruction.
    pub(super) fn operand(&self, reg: Reg, half: usize) -> Operand {
        match self.places[reg.index()][half] {
            Place::Vector(n) => Operand::Register(Register::YMM0 + u32::from(n)),
            Place::Frame(at) => Operand::Frame(at),
            // A register without a value: any will do.
            _ => Operand::Register(S0),
        }
    }

    /// As [`Emitter::operand`], for code of one instruction, which may find a vector in the first scratch register.
    pub(super) fn operand_once(&self, reg: Reg, half: usize) -> Operand {
        match self.operand(reg, half) {
            Operand::Frame(at) if self.held == Some(at) => Operand::Register(S0),
            other => other,
        }
    }

    /// As [`Emitter::vector`], for code of one instruction.
    pub(super) fn vector_once(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        match self.operand_once(reg, half) {
            Operand::Register(register) => register,
            Operand::Frame(_) => self.vector(reg, half, scratch),
        }
    }

    /// Half of a register in a vector register; one that is elsewhere comes into `scratch`.
    pub(super) fn vector(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        match self.operand(reg, half) {
            Operand::Register(register) => register,
            Operand::Frame(at) => {
                self.put(Instruction::with2(Code::VEX_Vmovdqa_ymm_ymmm256, scratch, memory(at)));
                scratch
            }
        }
    }

    /// Computes half of a register: `f` writes a vector register, which is then put where it belongs.
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

    /// The mask of the lanes of a half of a double, as doubles, in `scratch`; of words the mask itself.
    pub(super) fn half_mask(&mut self, mask: Reg, class: Class, half: usize, scratch: Register) -> Register {
        if class != Class::Double {
            return self.vector_once(mask, 0, scratch);
        }
        self.widen_half(Code::VEX_Vpmovsxdq_ymm_xmmm128, scratch, mask, half);
        scratch
    }

    /// An instruction that takes four words, on half of a register of words; `dst` is not that register.
    pub(super) fn widen_half(&mut self, code: Code, dst: Register, words: Reg, half: usize) {
        let inst = match self.operand(words, 0) {
            Operand::Frame(at) => Instruction::with2(code, dst, memory(at + 16 * half as i32)),
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
        let class = self.program.class(dst);
        for half in Self::halves(class) {
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

    // Calls.

    fn call(&mut self, at: usize) -> Result<(), IcedError> {
        let inst = self.code[at].inst;
        let Some((call, operands, mask)) = Call::of(&inst, self.buffers, &self.frame) else { return Ok(()) };
        let mut over = self.asm.create_label();
        match mask {
            Some(mask) => {
                let mask = self.vector(mask, 0, S0);
                self.put(Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, Register::EAX, mask));
                self.asm.test(eax, eax)?;
                self.asm.jz(over)?;
            }
            None => self.asm.mov(eax, 0xffu32)?,
        }
        self.put(Instruction::with2(Code::Mov_rm32_r32, memory(self.frame.mask), Register::EAX));
        let vector = self.frame.vector;
        for (operand, place) in operands.into_iter().zip(self.frame.operands) {
            let Some(operand) = operand else { continue };
            for half in Self::halves(self.program.class(operand)) {
                let x = self.vector(operand, half, S0);
                let at = memory(place + vector * half as i32);
                self.put(Instruction::with2(Code::VEX_Vmovdqa_ymmm256_ymm, at, x));
            }
        }
        let saved = live_across(at, self.spans, &self.places);
        let place =
            |n: u8, e: &Self| (memory(e.frame.saved + vector * i32::from(n)), Register::YMM0 + u32::from(n));
        for live in &saved {
            if let Place::Vector(n) = *live {
                let (at, register) = place(n, self);
                self.put(Instruction::with2(Code::VEX_Vmovdqa_ymmm256_ymm, at, register));
            }
        }
        self.asm.mov(rdi, rbx)?;
        self.asm.mov(rsi, qword_ptr(rbx + self.call_table))?;
        let offset = self.calls.len() * size_of::<Call>();
        self.asm.add(rsi, offset as i32)?;
        self.asm.mov(rax, self.helper)?;
        // Rust may use the older encodings.
        self.asm.vzeroupper()?;
        self.asm.call(rax)?;
        for live in &saved {
            if let Place::Vector(n) = *live {
                let (at, register) = place(n, self);
                self.put(Instruction::with2(Code::VEX_Vmovdqa_ymm_ymmm256, register, at));
            }
        }
        self.asm.test(rax, rax)?;
        self.asm.jnz(self.leave)?;
        if let Some(dst) = inst.dst() {
            for half in Self::halves(self.program.class(dst)) {
                let result = Operand::Frame(self.frame.result + vector * half as i32);
                self.write(dst, half, |e, d| e.two(Code::VEX_Vmovdqa_ymm_ymmm256, d, result));
            }
        }
        self.calls.push(call);
        self.held = None;
        self.asm.set_label(&mut over)?;
        self.asm.zero_bytes()
    }

    // Instructions.

    /// Adds an instruction.
    pub(super) fn put(&mut self, inst: Result<Instruction, IcedError>) {
        let written = inst.as_ref().map(|inst| inst.op0_register());
        if matches!(written, Ok(Register::YMM15 | Register::XMM15)) {
            self.held = None;
        }
        if let Err(error) = inst.and_then(|inst| self.asm.add_instruction(inst)) {
            self.error.get_or_insert(error);
        }
    }

    pub(super) fn two(&mut self, code: Code, dst: Register, a: Operand) {
        self.put(match a {
            Operand::Register(a) => Instruction::with2(code, dst, a),
            Operand::Frame(at) => Instruction::with2(code, dst, memory(at)),
        });
    }

    /// With a constant.
    pub(super) fn two_by(&mut self, code: Code, dst: Register, a: Register, by: u32) {
        self.put(Instruction::with3(code, dst, a, by));
    }

    pub(super) fn three(&mut self, code: Code, dst: Register, a: Register, b: Operand) {
        self.put(match b {
            Operand::Register(b) => Instruction::with3(code, dst, a, b),
            Operand::Frame(at) => Instruction::with3(code, dst, a, memory(at)),
        });
    }

    /// With a constant.
    pub(super) fn three_by(&mut self, code: Code, dst: Register, a: Register, b: Operand, by: u32) {
        self.put(match b {
            Operand::Register(b) => Instruction::with4(code, dst, a, b, by),
            Operand::Frame(at) => Instruction::with4(code, dst, a, memory(at), by),
        });
    }

    /// `mask ? yes : no`.
    pub(super) fn select(&mut self, dst: Register, no: Register, yes: Operand, mask: Register) {
        let code = Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm;
        self.put(match yes {
            Operand::Register(yes) => Instruction::with4(code, dst, no, yes, mask),
            Operand::Frame(at) => Instruction::with4(code, dst, no, memory(at), mask),
        });
    }
}

/// The low 128 bits of a vector register.
pub(super) fn low(register: Register) -> Register {
    Register::XMM0 + (register as u32 - Register::YMM0 as u32)
}

/// Memory in the frame.
fn memory(at: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RBX, at.into())
}
