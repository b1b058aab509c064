//! The memory of a run: the arguments that the program reads, registers without a machine register, and the
//! operands of calls.

use super::place::{Halves, Place};
use crate::program::{Class, Inst, Program, Reg};
use rustc_hash::FxHashMap;

/// Limit of lanes in a run.
pub(super) const MAX_LANES: usize = 16;

/// Values other than constants that are written into a frame before a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    /// A parameter of the kernel.
    Param(u32),
    /// Number of elements of a buffer.
    Len(u32),
    /// A parameter of the kernel in every lane of a vector, 64 or 32 bits each.
    ParamVector { index: u32, wide: bool },
    /// Number of elements of a buffer in every lane of a vector.
    LenVector(u32),
    /// The numbers of the lanes, two vectors.
    Lanes,
}

impl Fill {
    /// Whether it differs between the lanes of a kernel.
    pub(super) fn differs(self) -> bool {
        matches!(self, Fill::Lanes | Fill::Param(0) | Fill::ParamVector { index: 0, .. })
    }
}

/// Size of a buffer's description at the start of the frame: the address of its first element, and its number
/// of elements.
pub(super) const BUFFER: i32 = 16;

/// A frame in the making.
pub(super) struct Frame {
    /// Bytes of a vector register: four for each lane.
    pub(super) vector: i32,
    /// Bytes so far.
    pub(super) bytes: i32,
    /// Constants and their places.
    pub(super) constants: Vec<(i32, u64)>,
    pub(super) fills: Vec<(i32, Fill)>,
    cells: FxHashMap<u64, i32>,
    /// Where calls find two operands, the mask and the place for the result.
    pub(super) operands: [i32; 2],
    pub(super) mask: i32,
    pub(super) result: i32,
    /// Where calls save vector, mask and general registers, by number.
    pub(super) saved: i32,
    pub(super) saved_masks: i32,
    pub(super) saved_general: i32,
    /// Rounds left, by counter.
    pub(super) counters: i32,
}

impl Frame {
    pub(super) fn new(vector: i32, buffers: usize, counters: u32) -> Self {
        let mut frame = Frame {
            vector,
            bytes: BUFFER * buffers as i32,
            constants: Vec::new(),
            fills: Vec::new(),
            cells: FxHashMap::default(),
            operands: [0; 2],
            mask: 0,
            result: 0,
            saved: 0,
            saved_masks: 0,
            saved_general: 0,
            counters: 0,
        };
        frame.counters = frame.take(8 * counters as i32, 8);
        frame.operands = [frame.take(2 * vector, vector), frame.take(2 * vector, vector)];
        frame.result = frame.take(2 * vector, vector);
        frame.saved = frame.take(32 * vector, vector);
        frame.saved_masks = frame.take(64, 8);
        frame.saved_general = frame.take(128, 8);
        frame.mask = frame.take(8, 8);
        frame
    }

    /// Room for some bytes.
    pub(super) fn take(&mut self, bytes: i32, align: i32) -> i32 {
        let start = aligned(self.bytes, align);
        self.bytes = start + bytes;
        start
    }

    /// Eight bytes with a constant; a constant of 32 bits stands in the low half.
    pub(super) fn cell(&mut self, bits: u64) -> i32 {
        if let Some(&at) = self.cells.get(&bits) {
            return at;
        }
        let at = self.take(8, 8);
        self.constants.push((at, bits));
        self.cells.insert(bits, at);
        at
    }

    /// A vector of constant words.
    pub(super) fn words(&mut self, words: impl Fn(u32) -> u32) -> i32 {
        let at = self.take(self.vector, self.vector);
        for i in 0..self.vector as u32 / 8 {
            let pair = u64::from(words(2 * i)) | u64::from(words(2 * i + 1)) << 32;
            self.constants.push((at + 8 * i as i32, pair));
        }
        at
    }

    /// A vector of the same 64 bits.
    pub(super) fn vector_of(&mut self, bits: u64) -> i32 {
        if let Some(&at) = self.cells.get(&bits) {
            return at;
        }
        let at = self.words(|i| if i % 2 == 0 { bits as u32 } else { (bits >> 32) as u32 });
        self.cells.insert(bits, at);
        at
    }

    /// Places for the invariants of a program, by register.
    pub(super) fn invariants(&mut self, program: &Program) -> Vec<(Reg, Halves)> {
        let mut places = Vec::new();
        for inst in &program.invariants {
            let (dst, both) = match *inst {
                Inst::Constant { dst, bits } if program.class(dst) == Class::Mask => {
                    (dst, [Place::Fixed(bits != 0); 2])
                }
                Inst::Constant { dst, bits } => (dst, [Place::Uniform(self.cell(bits)); 2]),
                Inst::Param { dst, index } => (dst, self.filled(Fill::Param(index))),
                Inst::Len { dst, buffer } => (dst, self.filled(Fill::Len(buffer.0))),
                Inst::Lane { dst } => {
                    let at = self.take(2 * self.vector, self.vector);
                    self.fills.push((at, Fill::Lanes));
                    (dst, [Place::Frame(at), Place::Frame(at + self.vector)])
                }
                _ => continue,
            };
            places.push((dst, both));
        }
        places
    }

    fn filled(&mut self, fill: Fill) -> Halves {
        let at = self.take(8, 8);
        self.fills.push((at, fill));
        [Place::Uniform(at); 2]
    }

    /// Places for the invariants, each a whole vector (the same for both halves of a double), for machines
    /// that cannot broadcast one element to all lanes.
    pub(super) fn whole_invariants(&mut self, program: &Program) -> Vec<(Reg, Halves)> {
        let mut places = Vec::new();
        for inst in &program.invariants {
            let (dst, both) = match *inst {
                Inst::Constant { dst, bits } => {
                    let twice = |word: u64| word | word << 32;
                    let bits = match program.class(dst) {
                        Class::Mask => 0u64.wrapping_sub(bits),
                        Class::Word => twice(bits),
                        Class::Double => bits,
                    };
                    (dst, [Place::Frame(self.vector_of(bits)); 2])
                }
                Inst::Param { dst, index } => {
                    let wide = program.class(dst) == Class::Double;
                    (dst, self.filled_vector(Fill::ParamVector { index, wide }))
                }
                Inst::Len { dst, buffer } => (dst, self.filled_vector(Fill::LenVector(buffer.0))),
                Inst::Lane { dst } => {
                    let at = self.take(2 * self.vector, self.vector);
                    self.fills.push((at, Fill::Lanes));
                    (dst, [Place::Frame(at), Place::Frame(at + self.vector)])
                }
                _ => continue,
            };
            places.push((dst, both));
        }
        places
    }

    fn filled_vector(&mut self, fill: Fill) -> Halves {
        let at = self.take(self.vector, self.vector);
        self.fills.push((at, fill));
        [Place::Frame(at); 2]
    }
}

/// The next multiple of a power of two.
pub(super) fn aligned(bytes: i32, align: i32) -> i32 {
    (bytes + align - 1) & -align
}
