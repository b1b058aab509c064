//! Machine code for x86-64.
//!
//! The stages: `allocate` gives registers of the program a `place` in the machine or in the `frame` of a run.
//! The `emitter` feeds an `assembler` with control flow and `calls` of Rust functions; `avx512` and `avx2`
//! add the other instructions. `memory` makes the code executable.

mod allocate;
mod assembler;
mod avx2;
mod avx512;
mod calls;
mod emitter;
mod exit;
mod frame;
mod machine;
mod memory;
mod place;

use crate::program::Program;
use calls::Call;
use frame::{BUFFER, Fill};
use machine::VectorMachine;
use memory::Executable;
use volvelle_kernel::{Buffer, BufferDecl, CompileError, Const, Exit, RawParts, Site};

/// Whether this machine has AVX2 and fused multiply-add, which almost all machines with AVX2 have.
pub(crate) fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// Whether this machine has the instructions that code for AVX-512 uses.
pub(crate) fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512bw")
}

/// The generated function. Returns a packed exit.
type Entry = unsafe extern "sysv64" fn(frame: *mut u8) -> u64;

/// 64 bytes, aligned as vectors want it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// A program as machine code.
pub(crate) struct NativeCode {
    lanes: usize,
    /// Begins with a function of type [`Entry`], generated for a verified kernel with the owner's
    /// declarations.
    code: Executable,
    /// Descriptions of calls, which the code finds by an address in its frame.
    calls: Box<[Call]>,
    call_table: i32,
    /// A frame with its constants.
    template: Box<[Line]>,
    fills: Vec<(i32, Fill)>,
}

impl NativeCode {
    /// Code for AVX-512. The machine must satisfy [`has_avx512`].
    pub(crate) fn avx512(program: &Program, buffers: &[BufferDecl]) -> Result<Self, CompileError> {
        Self::new(&avx512::MACHINE, program, buffers)
    }

    /// Code for AVX2. The machine must satisfy [`has_avx2`].
    pub(crate) fn avx2(program: &Program, buffers: &[BufferDecl]) -> Result<Self, CompileError> {
        Self::new(&avx2::MACHINE, program, buffers)
    }

    fn new(machine: &VectorMachine, program: &Program, buffers: &[BufferDecl]) -> Result<Self, CompileError> {
        let helper = calls::lane_by_lane as unsafe extern "sysv64" fn(*mut u8, *const Call) -> u64;
        let emitted = (machine.emit)(program, buffers, helper as usize as u64)?;
        let lines = (emitted.frame.bytes as usize).div_ceil(size_of::<Line>());
        let mut template = vec![Line([0; 8]); lines].into_boxed_slice();
        for &(at, bits) in &emitted.frame.constants {
            *cell(&mut template, at) = bits;
        }
        Ok(NativeCode {
            lanes: machine.lanes,
            code: Executable::new(&emitted.bytes)?,
            calls: emitted.calls.into(),
            call_table: emitted.call_table,
            template,
            fills: emitted.frame.fills,
        })
    }

    /// Lanes of a run.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Runs `groups` groups of lanes from `first` on, one after the other, up to the first group that fails.
    /// Parameters match the kernel.
    ///
    /// # Safety
    /// As for `Code::run_shared`.
    pub(crate) unsafe fn run(&self, first: u64, groups: u64, params: &[Const], buffers: &[RawParts]) -> Exit {
        let mut frame = self.template.clone();
        for (i, parts) in buffers.iter().enumerate() {
            let at = BUFFER * i as i32;
            *cell(&mut frame, at) = parts.data.expose_provenance() as u64;
            *cell(&mut frame, at + 8) = parts.len as u64;
        }
        *cell(&mut frame, self.call_table) = self.calls.as_ptr().expose_provenance() as u64;
        for &(at, fill) in &self.fills {
            self.fill(&mut frame, at, fill, first, params, buffers);
        }
        // SAFETY: the code begins with a function of this type (invariant of the field).
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(self.code.start()) };
        for group in 0..groups {
            if group > 0 {
                // Filled-in values are only read, and the rest of the frame is written before it is read, so
                // the frame can be reused for the next group.
                let first = first.wrapping_add(group * self.lanes as u64);
                for &(at, fill) in self.fills.iter().filter(|(_, fill)| fill.differs()) {
                    self.fill(&mut frame, at, fill, first, params, buffers);
                }
            }
            // SAFETY: the frame is as long as the code needs, aligned, and filled as it expects; the buffers are those of
            // the declarations, there for the call (contract of this function). The code touches no other memory: every
            // load and store of an element is checked against the number of elements.
            let word = unsafe { entry(frame.as_mut_ptr().cast()) };
            match word >> 32 {
                0 => {}
                1 => return Exit::Failed(Site(word as u32)),
                2 => return Exit::OutOfBounds(Buffer(word as u32)),
                _ => return Exit::Full(Buffer(word as u32)),
            }
        }
        Exit::Done
    }

    /// Writes the arguments that a run of the lanes from `first` on reads.
    fn fill(
        &self,
        frame: &mut [Line],
        at: i32,
        fill: Fill,
        first: u64,
        params: &[Const],
        buffers: &[RawParts],
    ) {
        let param = |i: u32| if i == 0 { first } else { params[i as usize].bits };
        match fill {
            Fill::Param(i) => *cell(frame, at) = param(i),
            Fill::Len(buffer) => *cell(frame, at) = buffers[buffer as usize].len as u64,
            Fill::ParamVector { index, wide } => {
                let bits = param(index);
                let bits = if wide { bits } else { bits & 0xffff_ffff | bits << 32 };
                (0..self.lanes as i32 / 2).for_each(|i| *cell(frame, at + 8 * i) = bits);
            }
            Fill::LenVector(buffer) => {
                let len = buffers[buffer as usize].len as u64;
                (0..self.lanes as i32 / 2).for_each(|i| *cell(frame, at + 8 * i) = len);
            }
            Fill::Lanes => {
                for lane in 0..self.lanes {
                    *cell(frame, at + 8 * lane as i32) = first.wrapping_add(lane as u64);
                }
            }
        }
    }
}

/// Eight bytes of a frame.
fn cell(frame: &mut [Line], at: i32) -> &mut u64 {
    let word = at as usize / 8;
    &mut frame[word / 8].0[word % 8]
}
