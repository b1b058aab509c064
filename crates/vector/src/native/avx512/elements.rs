//! Loads and stores of elements of 32 and 64 bits, with gather and scatter instructions. Indices are checked
//! against the number of elements first.

use super::operations::{Emitter, K0, K6, K7, Lanes, S0, S1, S2};
use crate::native::emitter::{Operand, memory};
use crate::native::frame::BUFFER;
use crate::program::{Class, Reg};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use volvelle_kernel::{Buffer, Exit};

/// "Not below", for unsigned numbers.
const NOT_BELOW: u32 = 5;

impl Emitter<'_> {
    /// Whether there are instructions for the elements of a buffer.
    pub(super) fn in_place(&self, buffer: Buffer) -> bool {
        self.buffers[buffer.index()].ty.bytes() >= 4
    }

    /// The mask register of a mask, or of all lanes.
    fn mask_or_all(&mut self, mask: Option<Reg>) -> Register {
        match mask {
            Some(mask) => self.mask(mask, K6),
            None => {
                self.put(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, K6, K6, K6));
                K6
            }
        }
    }

    /// Leaves the kernel if an index of the mask is outside the buffer; afterwards, `rax` holds the address
    /// of the first element.
    fn check(&mut self, buffer: Buffer, index: Reg, mask: Register) {
        let at = BUFFER * buffer.index() as i32;
        let exit = self.exit(Exit::OutOfBounds(buffer));
        for half in 0..2 {
            let k = self.half_mask(mask, half);
            let index = self.vector(index, half, S0);
            let code = Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8;
            self.three(code, K0, index, Operand::Broadcast(at + 8), Some(NOT_BELOW), Lanes::Merge(k));
            self.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, K0, K0));
            self.asm.jump(Code::Jne_rel32_64, exit);
        }
        self.put(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, memory(at)));
    }

    /// A copy of the mask of a half, which gathering and scattering use up.
    fn spent_mask(&mut self, mask: Register, half: usize) -> Register {
        if half == 0 {
            self.put(Instruction::with2(Code::VEX_Kmovw_kr_km16, K7, mask));
            return K7;
        }
        self.half_mask(mask, half)
    }

    fn masked(inst: Result<Instruction, IcedError>, k: Register) -> Result<Instruction, IcedError> {
        inst.map(|mut inst| {
            inst.set_op_mask(k);
            inst
        })
    }

    pub(super) fn gather(&mut self, dst: Reg, buffer: Buffer, index: Reg, mask: Option<Reg>) {
        let mask = self.mask_or_all(mask);
        self.check(buffer, index, mask);
        let wide = self.program.class(dst) == Class::Double;
        for (half, words) in [(0, S1), (1, S2)] {
            let k = self.spent_mask(mask, half);
            // The result must not be in the register of the index.
            let index = self.vector(index, half, S0);
            let element = |scale| MemoryOperand::with_base_index_scale(Register::RAX, index, scale);
            // Breaks the dependency on the old value.
            let zero = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            self.three(zero, words, words, Operand::Register(words), None, Lanes::All);
            if wide {
                let inst = Instruction::with2(Code::EVEX_Vpgatherqq_zmm_k1_vm64z, words, element(8));
                self.put(Self::masked(inst, k));
                let result = Operand::Register(words);
                self.write(dst, half, None, |e, d, lanes| e.move_to(d, result, true, lanes));
            } else {
                let low = super::convert::low(words);
                let inst = Instruction::with2(Code::EVEX_Vpgatherqd_ymm_k1_vm64z, low, element(4));
                self.put(Self::masked(inst, k));
            }
        }
        if !wide {
            self.join_halves(dst, None);
        }
    }

    /// One element for all lanes.
    pub(super) fn load_uniform(&mut self, dst: Reg, buffer: Buffer, base: Reg, offset: i32) {
        let is_fixed = !self.program.variable[base.index()];
        if !(is_fixed && self.level.index == Some(base)) {
            self.uniform_index(base, Code::EVEX_Vmovq_rm64_xmm, |register| {
                Register::XMM0 + (register as u32 - Register::ZMM0 as u32)
            });
            self.level.index = Some(base);
        }
        let element = self.uniform_element(buffer, offset);
        let wide = self.program.class(dst) == Class::Double;
        let code = match wide {
            true => Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
            false => Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        };
        for half in self.written_halves(dst) {
            self.write(dst, half, None, |e, d, _| e.put(Instruction::with2(code, d, element)));
        }
    }

    pub(super) fn scatter(&mut self, buffer: Buffer, index: Reg, value: Reg, mask: Option<Reg>) {
        let mask = self.mask_or_all(mask);
        self.check(buffer, index, mask);
        let wide = self.program.class(value) == Class::Double;
        for half in 0..2 {
            let k = self.spent_mask(mask, half);
            let index = self.vector(index, half, S0);
            let element = |scale| MemoryOperand::with_base_index_scale(Register::RAX, index, scale);
            let inst = if wide {
                let value = self.vector(value, half, S1);
                Instruction::with2(Code::EVEX_Vpscatterqq_vm64z_k1_zmm, element(8), value)
            } else {
                let mut value = self.vector(value, 0, S1);
                if half == 1 {
                    let extract = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                    let low = super::convert::low(S2);
                    self.two_by(extract, low, Operand::Register(value), 1, Lanes::All);
                    value = S2;
                }
                let low = super::convert::low(value);
                Instruction::with2(Code::EVEX_Vpscatterqd_vm64z_k1_ymm, element(4), low)
            };
            self.put(Self::masked(inst, k));
        }
    }
}
