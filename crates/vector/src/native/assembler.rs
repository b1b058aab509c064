//! Instructions in a row, with labels between them.

use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, IcedError, Instruction, InstructionBlock, Register};

/// A place in the code that jumps go to.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeLabel(usize);

/// Code being assembled. It keeps the first error, so that errors are handled once, at the end.
#[derive(Default)]
pub(super) struct Assembler {
    /// The address of an instruction is its index until all are encoded.
    code: Vec<Instruction>,
    /// Jumps, by index, and their targets.
    jumps: Vec<(usize, CodeLabel)>,
    /// For each label the index of the instruction that follows it.
    labels: Vec<Option<usize>>,
    error: Option<IcedError>,
}

impl Assembler {
    /// A label that has yet to be [bound](Assembler::bind).
    pub(super) fn label(&mut self) -> CodeLabel {
        self.labels.push(None);
        CodeLabel(self.labels.len() - 1)
    }

    /// Puts a label before the next instruction. Several labels may be bound to one place.
    pub(super) fn bind(&mut self, label: CodeLabel) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// Adds an instruction that does not jump.
    pub(super) fn put(&mut self, inst: Result<Instruction, IcedError>) {
        match inst {
            Ok(mut inst) => {
                inst.set_ip(self.code.len() as u64);
                self.code.push(inst);
            }
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// Adds a jump. `code` has an offset of 32 bits, which is encoded in 8 bits if that is enough.
    pub(super) fn jump(&mut self, code: Code, label: CodeLabel) {
        self.jumps.push((self.code.len(), label));
        self.put(Instruction::with_branch(code, 0));
    }

    /// Copies one general register of 64 bits to another.
    pub(super) fn copy(&mut self, to: Register, from: Register) {
        self.put(Instruction::with2(Code::Mov_r64_rm64, to, from));
    }

    /// The bytes of the code, which is position-independent.
    ///
    /// # Errors
    /// An instruction does not exist with its operands.
    ///
    /// # Panics
    /// If a jump goes to an unbound label.
    pub(super) fn assemble(mut self) -> Result<Vec<u8>, IcedError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        for (index, label) in self.jumps {
            let target = self.labels[label.0].expect("labels are bound");
            self.code[index].set_near_branch64(target as u64);
        }
        let block = InstructionBlock::new(&self.code, 0);
        Ok(BlockEncoder::encode(64, block, BlockEncoderOptions::NONE)?.code_buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mov eax, 1` takes five bytes, a short jump two, a near one six.
    fn jump_over(instructions: usize) -> Vec<u8> {
        let mut asm = Assembler::default();
        let (over, too) = (asm.label(), asm.label());
        asm.jump(Code::Jne_rel32_64, over);
        for _ in 0..instructions {
            asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 1));
        }
        asm.bind(over);
        asm.bind(too);
        asm.put(Ok(Instruction::with(Code::Retnq)));
        asm.assemble().expect("it is valid")
    }

    #[test]
    fn jumps_are_as_short_as_they_can_be() {
        assert_eq!(jump_over(1), [0x75, 5, 0xb8, 1, 0, 0, 0, 0xc3]);
        assert_eq!(jump_over(20)[..2], [0x75, 100]);
        assert_eq!(jump_over(30)[..6], [0x0f, 0x85, 150, 0, 0, 0]);
    }

    #[test]
    fn jumps_go_back() {
        let mut asm = Assembler::default();
        let head = asm.label();
        asm.put(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 1));
        asm.bind(head);
        asm.put(Instruction::with2(Code::Xor_rm32_r32, Register::EAX, Register::EAX));
        asm.jump(Code::Jmp_rel32_64, head);
        assert_eq!(asm.assemble().expect("it is valid")[5..], [0x31, 0xc0, 0xeb, 0xfc]);
    }

    #[test]
    fn the_first_error_is_kept() {
        let mut asm = Assembler::default();
        asm.put(Instruction::with_branch(Code::Retnq, 0));
        asm.put(Ok(Instruction::with(Code::Retnq)));
        assert!(asm.assemble().is_err());
    }
}
