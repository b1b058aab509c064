//! Calls of Rust functions from generated code.

use super::emit::{Emitter, K7, Operand, S1, memory};
use crate::native::allocate::{GENERAL, Place};
use crate::native::calls::{Call, live_across};
use crate::program::{Class, Reg};
use iced_x86::code_asm::{qword_ptr, rax, rbx, rdi, rsi, word_ptr};
use iced_x86::{Code, IcedError, Instruction, Register};

impl Emitter<'_> {
    pub(super) fn call(&mut self, at: usize) -> Result<(), IcedError> {
        let op = self.code[at];
        let Some((call, operands, mask)) = Call::of(&op.inst, self.buffers, &self.frame) else {
            return Ok(());
        };
        let mut over = self.asm.create_label();
        if let Some(mask) = mask {
            let k = self.mask(mask, K7);
            self.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, k, k));
            self.asm.jz(over)?;
            self.put(Instruction::with2(Code::VEX_Kmovw_m16_kr, memory(self.frame.mask), k));
        } else {
            self.asm.mov(word_ptr(rbx + self.frame.mask), 0xffffu32)?;
        }
        for (operand, place) in operands.into_iter().zip(self.frame.operands) {
            if let Some(operand) = operand {
                self.leave_operand(operand, place);
            }
        }
        let saved = live_across(at, self.spans, &self.places);
        self.each_saved(&saved, true);
        self.asm.mov(rdi, rbx)?;
        self.asm.mov(rsi, qword_ptr(rbx + self.call_table))?;
        let offset = self.calls.len() * size_of::<Call>();
        self.asm.add(rsi, offset as i32)?;
        self.asm.mov(rax, self.helper)?;
        self.asm.call(rax)?;
        self.each_saved(&saved, false);
        self.asm.test(rax, rax)?;
        self.asm.jnz(self.leave)?;
        if let Some(dst) = op.inst.dst() {
            let wide = self.program.class(dst) == Class::Double;
            for half in Self::halves(self.program.class(dst)) {
                let result = Operand::Frame(self.frame.result + self.frame.vector * half as i32);
                self.write(dst, half, None, |e, d, lanes| e.move_to(d, result, wide, lanes));
            }
        }
        self.calls.push(call);
        self.forget_held();
        self.asm.set_label(&mut over)?;
        self.asm.zero_bytes()
    }

    fn leave_operand(&mut self, operand: Reg, place: i32) {
        for half in Self::halves(self.program.class(operand)) {
            let x = self.vector(operand, half, S1);
            let at = memory(place + self.frame.vector * half as i32);
            self.put(Instruction::with2(Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm, at, x));
        }
    }

    fn each_saved(&mut self, places: &[Place], save: bool) {
        for place in places {
            match *place {
                Place::Vector(n) => {
                    let (at, register) = (
                        memory(self.frame.saved + self.frame.vector * i32::from(n)),
                        Register::ZMM0 + u32::from(n),
                    );
                    self.put(if save {
                        Instruction::with2(Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm, at, register)
                    } else {
                        Instruction::with2(Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512, register, at)
                    });
                }
                Place::Mask(n) => {
                    let (at, register) =
                        (memory(self.frame.saved_masks + 8 * i32::from(n)), Register::K0 + u32::from(n));
                    self.put(if save {
                        Instruction::with2(Code::VEX_Kmovw_m16_kr, at, register)
                    } else {
                        Instruction::with2(Code::VEX_Kmovw_kr_km16, register, at)
                    });
                }
                Place::General(n) => {
                    let (at, register) =
                        (memory(self.frame.saved_general + 8 * i32::from(n)), GENERAL[usize::from(n)]);
                    self.put(if save {
                        Instruction::with2(Code::Mov_rm32_r32, at, register)
                    } else {
                        Instruction::with2(Code::Mov_r32_rm32, register, at)
                    });
                }
                _ => {}
            }
        }
    }
}
