//! Machine code for processors with AVX2: eight lanes. A word of all lanes is one vector register, a double
//! two; a mask consists of words of all ones or zero.

mod compute;
mod convert;
mod operations;

use super::allocate::{Registers, allocate};
use super::emitter::Source;
use super::frame::Frame;
use super::machine::{Emitted, VectorMachine};
use super::place::Place;
use crate::program::{Op, Program};
use crate::spans::spans;
use operations::{Avx2, Emitter};
use volvelle_kernel::{BufferDecl, CompileError};

/// Bytes of a vector.
const VECTOR: i32 = 32;

/// Vector registers 12 to 15 are for the emitter.
const REGISTERS: Registers = Registers { vectors: 12, masks: &[], bytes: VECTOR };

/// Eight lanes.
pub(super) const MACHINE: VectorMachine = VectorMachine { lanes: 8, emit };

fn emit(program: &Program, buffers: &[BufferDecl], helper: u64) -> Result<Emitted, CompileError> {
    let code: Vec<Op> = program.code.iter().map(|&inst| Op { inst, under: None }).collect();
    let spans = spans(program, &code);
    let mut frame = Frame::new(VECTOR, buffers.len(), program.counters);
    let mut places = vec![[Place::None; 2]; program.classes.len()];
    for (reg, halves) in frame.whole_invariants(program) {
        places[reg.index()] = halves;
    }
    let shared = crate::uniform::shared(program);
    let allocation = allocate(program, &code, &spans, &shared, REGISTERS, places, frame.bytes);
    let source = Source { program, code: &code, spans: &spans, buffers, helper };
    Emitter::new(source, allocation, frame, |_| Avx2).emit()
}
