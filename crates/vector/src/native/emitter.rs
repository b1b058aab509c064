//! The emitter of machine code for all levels: control flow, calls, and the places of operands and results.
//!
//! A [`Level`] adds its instructions for vectors and masks. `rbx` holds the frame. `rax`, `rcx` and the
//! scratch registers of the level are free within the code of one instruction; the others belong to the
//! allocation.

use super::allocate::Allocation;
use super::assembler::{Assembler, CodeLabel};
use super::calls::{Call, live_across};
use super::exit::pack;
use super::frame::{BUFFER, Frame};
use super::machine::{Emitted, failed};
use super::place::{Halves, Place};
use crate::program::{Class, Counter, Inst, Label, Op, Program, Reg};
use crate::spans::Span;
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use std::collections::BTreeMap;
use volvelle_kernel::{Buffer, BufferDecl, CompileError, Exit};

/// An operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Register),
    /// A vector in the frame.
    Frame(i32),
    /// One element in the frame, for all lanes; only if the level's instructions accept one.
    Broadcast(i32),
}

/// The instructions of a level that control flow and calls need.
pub(super) trait Level: Sized {
    /// The first vector register.
    const VECTORS: Register;
    /// The first scratch register, which may still hold a vector that was just stored.
    const SCRATCH: Register;
    /// The scratch register for operands of calls.
    const OPERAND: Register;
    /// Stores a vector register in aligned memory.
    const STORE: Code;
    /// Loads a vector register from aligned memory.
    const LOAD: Code;
    /// General registers saved at the start and restored at the end; the first is `rbx`.
    const PRESERVED: &'static [Register];
    /// Whether the upper halves of vector registers are cleared before a call, since compiled Rust code may
    /// use older encodings.
    const CLEARS_BEFORE_CALLS: bool;

    /// Emits an instruction that only computes, loads or stores; returns `false` if it needs a call.
    fn compute(e: &mut Emitter<'_, Self>, at: usize) -> bool;

    /// Sets the zero flag if a mask is empty.
    fn test(e: &mut Emitter<'_, Self>, mask: Reg);

    /// Stores the mask of a call in the frame; jumps to `over` if it is empty.
    fn leave_mask(e: &mut Emitter<'_, Self>, mask: Option<Reg>, over: CodeLabel);

    /// Saves a mask or a general register in the frame (`save`), or restores it.
    fn save(e: &mut Emitter<'_, Self>, place: Place, save: bool);

    /// Moves an operand that is not in a vector register to one.
    fn load(e: &mut Emitter<'_, Self>, dst: Register, src: Operand, wide: bool);

    /// Sets half of a register.
    fn set(e: &mut Emitter<'_, Self>, dst: Reg, half: usize, src: Operand);

    /// Records that an instruction writes a register: values kept in scratch registers are discarded.
    fn written(e: &mut Emitter<'_, Self>, register: Register);

    /// Discards the values kept in scratch registers.
    fn forget(&mut self);
}

/// The code to emit.
pub(super) struct Source<'p> {
    pub(super) program: &'p Program,
    /// Its instructions, as the level joins them.
    pub(super) code: &'p [Op],
    /// The spans in which registers hold values.
    pub(super) spans: &'p [Option<Span>],
    pub(super) buffers: &'p [BufferDecl],
    /// Address of the function that executes calls.
    pub(super) helper: u64,
}

/// The state of an emission.
pub(super) struct Emitter<'p, L> {
    pub(super) program: &'p Program,
    pub(super) code: &'p [Op],
    spans: &'p [Option<Span>],
    pub(super) places: Vec<Halves>,
    pub(super) buffers: &'p [BufferDecl],
    pub(super) frame: Frame,
    pub(super) asm: Assembler,
    labels: Vec<CodeLabel>,
    /// The place in the frame whose vector the first scratch register still holds after a store.
    pub(super) held: Option<i32>,
    /// Labels where the kernel is left early, by returned value.
    exits: BTreeMap<u64, CodeLabel>,
    /// Where `rax` is returned.
    leave: CodeLabel,
    /// Calls of the program, in the order of their numbers.
    calls: Vec<Call>,
    /// Address of the function that executes calls.
    helper: u64,
    /// The place in the frame of the address of the first description of a call.
    call_table: i32,
    /// State that the instruction set tracks.
    pub(super) level: L,
}

impl<'p, L: Level> Emitter<'p, L> {
    /// An emitter of code whose registers have places. The level may reserve space in the frame.
    pub(super) fn new(
        source: Source<'p>,
        allocation: Allocation,
        mut frame: Frame,
        level: impl FnOnce(&mut Frame) -> L,
    ) -> Self {
        let Source { program, code, spans, buffers, helper } = source;
        frame.bytes = allocation.frame;
        let call_table = frame.take(8, 8);
        let level = level(&mut frame);
        let mut asm = Assembler::default();
        let labels = (0..program.labels).map(|_| asm.label()).collect();
        let leave = asm.label();
        Emitter {
            program,
            code,
            spans,
            places: allocation.places,
            buffers,
            frame,
            asm,
            labels,
            held: None,
            exits: BTreeMap::new(),
            leave,
            calls: Vec::new(),
            helper,
            call_table,
            level,
        }
    }

    /// Emits the whole function.
    pub(super) fn emit(mut self) -> Result<Emitted, CompileError> {
        self.whole();
        let bytes = self.asm.assemble().map_err(failed)?;
        Ok(Emitted { bytes, frame: self.frame, calls: self.calls, call_table: self.call_table })
    }

    fn whole(&mut self) {
        // Calls need the stack aligned to 16 bytes, and the return address takes eight.
        let is_odd = L::PRESERVED.len().is_multiple_of(2);
        for &register in L::PRESERVED {
            self.asm.put(Instruction::with1(Code::Push_r64, register));
        }
        if is_odd {
            self.asm.put(Instruction::with2(Code::Sub_rm64_imm8, Register::RSP, 8));
        }
        self.asm.copy(Register::RBX, Register::RDI);
        for at in 0..self.code.len() {
            self.op(at);
        }
        self.asm.put(Instruction::with2(Code::Xor_rm32_r32, Register::EAX, Register::EAX));
        self.asm.bind(self.leave);
        self.asm.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        if is_odd {
            self.asm.put(Instruction::with2(Code::Add_rm64_imm8, Register::RSP, 8));
        }
        for &register in L::PRESERVED.iter().rev() {
            self.asm.put(Instruction::with1(Code::Pop_r64, register));
        }
        self.asm.put(Ok(Instruction::with(Code::Retnq)));
        for (word, label) in std::mem::take(&mut self.exits) {
            self.asm.bind(label);
            self.asm.put(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, word));
            self.asm.jump(Code::Jmp_rel32_64, self.leave);
        }
    }

    fn op(&mut self, at: usize) {
        match self.code[at].inst {
            Inst::Constant { .. } | Inst::Param { .. } | Inst::Lane { .. } | Inst::Len { .. } => {}
            Inst::Fail { mask, site } => {
                let exit = self.exit(Exit::Failed(site));
                match mask {
                    Some(mask) => {
                        L::test(self, mask);
                        self.asm.jump(Code::Jne_rel32_64, exit);
                    }
                    None => self.asm.jump(Code::Jmp_rel32_64, exit),
                }
            }
            Inst::Skip { mask, to } => {
                L::test(self, mask);
                self.asm.jump(Code::Je_rel32_64, self.labels[to.0 as usize]);
            }
            Inst::Label { label } | Inst::Head { label } => {
                self.asm.bind(self.labels[label.0 as usize]);
                self.forget_held();
            }
            Inst::Count { counter, from, to, signed, end } => self.count(counter, from, to, signed, end),
            Inst::Repeat { head, mask, counter } => self.repeat(head, mask, counter),
            _ => {
                if !L::compute(self, at) {
                    self.call(at);
                }
            }
        }
    }

    // Control flow.

    /// The label where the kernel is left with an exit.
    pub(super) fn exit(&mut self, exit: Exit) -> CodeLabel {
        let asm = &mut self.asm;
        *self.exits.entry(pack(exit)).or_insert_with(|| asm.label())
    }

    /// Sets a counter; jumps to `end` if there is no iteration.
    fn count(&mut self, counter: Counter, from: Reg, to: Reg, signed: bool, end: Label) {
        let end = self.labels[end.0 as usize];
        let word = self.program.class(from) == Class::Word;
        for (register, reg) in [(Register::RAX, to), (Register::RCX, from)] {
            let at = match self.places[reg.index()][0] {
                Place::Frame(at) | Place::Uniform(at) => at,
                Place::Vector(n) => {
                    // By way of memory, since counts are rare.
                    let at = self.frame.operands[0];
                    self.put(Instruction::with2(L::STORE, memory(at), L::VECTORS + u32::from(n)));
                    at
                }
                _ => unreachable!("bounds of a count are numbers"),
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
        self.asm.put(Instruction::with2(Code::Sub_r64_rm64, Register::RAX, Register::RCX));
        // The subtraction has set the flags of the comparison.
        self.asm.jump(if signed { Code::Jle_rel32_64 } else { Code::Jbe_rel32_64 }, end);
        let at = self.frame.counters + 8 * counter.0 as i32;
        self.asm.put(Instruction::with2(Code::Mov_rm64_r64, memory(at), Register::RAX));
    }

    /// Jumps back to the head of a loop while a counter has iterations left and a mask has lanes.
    fn repeat(&mut self, head: Label, mask: Option<Reg>, counter: Option<Counter>) {
        let head = self.labels[head.0 as usize];
        let done = self.asm.label();
        if let Some(counter) = counter {
            let at = self.frame.counters + 8 * counter.0 as i32;
            self.asm.put(Instruction::with1(Code::Dec_rm64, memory(at)));
            if mask.is_none() {
                self.asm.jump(Code::Jne_rel32_64, head);
            } else {
                self.asm.jump(Code::Je_rel32_64, done);
            }
        }
        if let Some(mask) = mask {
            L::test(self, mask);
            self.asm.jump(Code::Jne_rel32_64, head);
        } else if counter.is_none() {
            self.asm.jump(Code::Jmp_rel32_64, head);
        }
        self.forget_held();
        self.asm.bind(done);
    }

    // Calls.

    /// Has an instruction done by a function of Rust, lane by lane.
    fn call(&mut self, at: usize) {
        let inst = self.code[at].inst;
        let Some((call, operands, mask)) = Call::of(&inst, self.buffers, &self.frame) else { return };
        let over = self.asm.label();
        L::leave_mask(self, mask, over);
        let vector = self.frame.vector;
        for (operand, place) in operands.into_iter().zip(self.frame.operands) {
            let Some(operand) = operand else { continue };
            for half in Self::halves(self.program.class(operand)) {
                let x = self.vector(operand, half, L::OPERAND);
                let at = memory(place + vector * half as i32);
                self.put(Instruction::with2(L::STORE, at, x));
            }
        }
        let saved = live_across(at, self.spans, &self.places);
        self.each_saved(&saved, true);
        self.asm.copy(Register::RDI, Register::RBX);
        self.asm.put(Instruction::with2(Code::Mov_r64_rm64, Register::RSI, memory(self.call_table)));
        let offset = self.calls.len() * size_of::<Call>();
        self.asm.put(Instruction::with2(Code::Add_rm64_imm32, Register::RSI, offset as i32));
        self.asm.put(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, self.helper));
        if L::CLEARS_BEFORE_CALLS {
            self.asm.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        }
        self.asm.put(Instruction::with1(Code::Call_rm64, Register::RAX));
        self.each_saved(&saved, false);
        self.asm.put(Instruction::with2(Code::Test_rm64_r64, Register::RAX, Register::RAX));
        self.asm.jump(Code::Jne_rel32_64, self.leave);
        if let Some(dst) = inst.dst() {
            for half in Self::halves(self.program.class(dst)) {
                L::set(self, dst, half, Operand::Frame(self.frame.result + vector * half as i32));
            }
        }
        self.calls.push(call);
        self.forget_held();
        self.asm.bind(over);
    }

    fn each_saved(&mut self, places: &[Place], save: bool) {
        for &place in places {
            let Place::Vector(n) = place else {
                L::save(self, place, save);
                continue;
            };
            let at = memory(self.frame.saved + self.frame.vector * i32::from(n));
            let register = L::VECTORS + u32::from(n);
            self.put(if save {
                Instruction::with2(L::STORE, at, register)
            } else {
                Instruction::with2(L::LOAD, register, at)
            });
        }
    }

    // Operands.

    /// The halves that a class has.
    pub(super) fn halves(class: Class) -> std::ops::Range<usize> {
        if class == Class::Double { 0..2 } else { 0..1 }
    }

    /// The halves of a register that an instruction writes: only one if both share a place.
    pub(super) fn written_halves(&self, dst: Reg) -> std::ops::Range<usize> {
        let [first, second] = self.places[dst.index()];
        let is_shared = first == second && matches!(first, Place::Vector(_) | Place::Frame(_));
        if is_shared { 0..1 } else { Self::halves(self.program.class(dst)) }
    }

    /// Leaves an index that is the same in all lanes in `rax`.
    pub(super) fn uniform_index(&mut self, base: Reg, vmovq: Code, low: impl Fn(Register) -> Register) {
        let inst = match self.operand(base, 0) {
            Operand::Register(register) => Instruction::with2(vmovq, Register::RAX, low(register)),
            Operand::Frame(at) | Operand::Broadcast(at) => {
                Instruction::with2(Code::Mov_r64_rm64, Register::RAX, memory(at))
            }
        };
        self.put(inst);
    }

    /// Leaves the kernel if the index in `rax` is outside the buffer. Returns the address of the element;
    /// uses `rcx`.
    pub(super) fn uniform_element(&mut self, buffer: Buffer, offset: i32) -> MemoryOperand {
        let at = BUFFER * buffer.index() as i32;
        let exit = self.exit(Exit::OutOfBounds(buffer));
        let mut index = Register::RAX;
        if offset != 0 {
            index = Register::RCX;
            let sum = MemoryOperand::with_base_displ(Register::RAX, offset.into());
            self.put(Instruction::with2(Code::Lea_r64_m, Register::RCX, sum));
        }
        // Compared, not written.
        self.asm.put(Instruction::with2(Code::Cmp_r64_rm64, index, memory(at + 8)));
        self.asm.jump(Code::Jae_rel32_64, exit);
        self.put(Instruction::with2(Code::Mov_r64_rm64, Register::RCX, memory(at)));
        let size = self.buffers[buffer.index()].ty.bytes() as u32;
        let displacement = i64::from(offset) * i64::from(size);
        MemoryOperand::with_base_index_scale_displ_size(Register::RCX, Register::RAX, size, displacement, 1)
    }

    /// Half of a register as the last operand of an instruction.
    pub(super) fn operand(&self, reg: Reg, half: usize) -> Operand {
        match self.places[reg.index()][half] {
            Place::Vector(n) => Operand::Register(L::VECTORS + u32::from(n)),
            Place::Frame(at) => Operand::Frame(at),
            Place::Uniform(at) => Operand::Broadcast(at),
            // The register has no value, so any operand will do.
            _ => Operand::Register(L::SCRATCH),
        }
    }

    /// As [`Emitter::operand`], for code of one instruction, which may use a vector still held in the first
    /// scratch register.
    pub(super) fn operand_once(&self, reg: Reg, half: usize) -> Operand {
        match self.operand(reg, half) {
            Operand::Frame(at) if self.held == Some(at) => Operand::Register(L::SCRATCH),
            other => other,
        }
    }

    /// As [`Emitter::vector`], for code of one instruction.
    pub(super) fn vector_once(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        match self.operand_once(reg, half) {
            Operand::Register(register) => register,
            _ => self.vector(reg, half, scratch),
        }
    }

    /// Half of a register in a vector register; loaded into `scratch` if it is elsewhere.
    pub(super) fn vector(&mut self, reg: Reg, half: usize, scratch: Register) -> Register {
        let wide = self.program.class(reg) == Class::Double;
        match self.operand(reg, half) {
            Operand::Register(register) => register,
            other => {
                L::load(self, scratch, other, wide);
                scratch
            }
        }
    }

    // Instructions.

    /// Discards the value held in the first scratch register.
    pub(super) fn forget_held(&mut self) {
        self.held = None;
        self.level.forget();
    }

    /// Adds an instruction.
    pub(super) fn put(&mut self, inst: Result<Instruction, IcedError>) {
        if let Ok(inst) = &inst {
            L::written(self, inst.op0_register());
        }
        self.asm.put(inst);
    }
}

/// Memory in the frame.
pub(super) fn memory(at: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RBX, at.into())
}
