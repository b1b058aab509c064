//! Machine code for processors with AVX-512 (F, DQ, VL, BW): sixteen lanes. A word of all lanes is one vector
//! register, a double two, a mask a mask register.

mod compute;
mod convert;
mod elements;
mod join;
mod operations;

use super::allocate::{Registers, allocate};
use super::emitter::Source;
use super::frame::Frame;
use super::machine::{Emitted, VectorMachine};
use super::place::Place;
use crate::program::Program;
use crate::spans::spans;
use operations::{Avx512, Emitter};
use volvelle_kernel::{BufferDecl, CompileError};

/// Bytes of a vector.
const VECTOR: i32 = 64;

/// Vector registers 29 to 31 and mask registers 0, 6 and 7 belong to the emitter.
const REGISTERS: Registers = Registers { vectors: 29, masks: &[1, 2, 3, 4, 5], bytes: VECTOR };

/// Sixteen lanes.
pub(super) const MACHINE: VectorMachine = VectorMachine { lanes: 16, emit };

fn emit(program: &Program, buffers: &[BufferDecl], helper: u64) -> Result<Emitted, CompileError> {
    let code = join::join(program);
    let spans = spans(program, &code);
    let mut frame = Frame::new(VECTOR, buffers.len(), program.counters);
    let mut places = vec![[Place::None; 2]; program.classes.len()];
    for (reg, halves) in frame.invariants(program) {
        places[reg.index()] = halves;
    }
    let shared = crate::uniform::shared(program);
    let allocation = allocate(program, &code, &spans, &shared, REGISTERS, places, frame.bytes);
    let level = |frame: &mut Frame| Avx512::new(program, frame);
    let source = Source { program, code: &code, spans: &spans, buffers, helper };
    Emitter::new(source, allocation, frame, level).emit()
}
