//! Code that was decoded: blocks of operations that are executed one after the other.
//!
//! A block begins where control arrived, and ends with the first instruction that may go elsewhere. What it is followed by is looked up once
//! and then kept beside it. A write to decoded code forgets all blocks: programs that write code do so rarely, or much at once.

use crate::classify::classify;
use crate::compressed::expand;
use crate::decode::decode;
use crate::memory::{Fault, Memory};
use crate::operation::Operation;
use crate::word::Word;
use rustc_hash::FxHashMap;
use volvelle_instructions::{Listing, Step};

/// Instructions of a block at most.
pub const LONGEST: usize = 64;
/// No block.
pub const NO_BLOCK: u32 = u32::MAX;
/// Bytes of blocks that are kept; no program of less than a million instructions has so many.
pub const MOST_KEPT_BYTES: u64 = 64 << 20;
/// Blocks that are found by their address at once.
const RECENT: usize = 4096;

/// Operations that are executed one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Where it begins.
    pub pc: u64,
    /// Bytes of its instructions.
    pub bytes: u32,
    /// The first operation, and how many.
    first: u32,
    count: u32,
    /// The blocks behind it and at the address that its last operation jumps to, once they were needed.
    pub next: [u32; 2],
}

/// All blocks.
pub struct Blocks {
    all: Vec<Block>,
    operations: Vec<Operation>,
    steps: Vec<Step>,
    by_pc: FxHashMap<u64, u32>,
    recent: Box<[(u64, u32); RECENT]>,
    listing: Listing,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks {
            all: Vec::new(),
            operations: Vec::new(),
            steps: Vec::new(),
            by_pc: FxHashMap::default(),
            recent: Box::new([(u64::MAX, NO_BLOCK); RECENT]),
            listing: Listing::default(),
        }
    }
}

impl Blocks {
    /// All instructions that were decoded.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.code_bytes() + self.listing.bytes()
    }

    /// Those that [`Blocks::forget`] makes free again, for other blocks.
    pub fn code_bytes(&self) -> u64 {
        let own = self.all.capacity() * size_of::<Block>()
            + self.operations.capacity() * size_of::<Operation>()
            + self.steps.capacity() * size_of::<Step>()
            + self.by_pc.capacity() * (size_of::<(u64, u32)>() + 1);
        own as u64
    }

    /// A block.
    #[inline]
    pub fn block(&self, id: u32) -> &Block {
        &self.all[id as usize]
    }

    /// Its operations, and the numbers of their instructions.
    #[inline]
    pub fn content(&self, block: &Block) -> (&[Operation], &[Step]) {
        let (first, end) = (block.first as usize, (block.first + block.count) as usize);
        (&self.operations[first..end], &self.steps[first..end])
    }

    /// Notes which block follows.
    #[inline]
    pub fn link(&mut self, id: u32, slot: usize, next: u32) {
        self.all[id as usize].next[slot] = next;
    }

    /// Forgets all blocks.
    pub fn forget(&mut self) {
        // A program that writes code again and again needs the room again; what is uncommonly large is given back.
        if self.code_bytes() > MOST_KEPT_BYTES {
            (self.all, self.operations, self.steps) = (Vec::new(), Vec::new(), Vec::new());
            self.by_pc = FxHashMap::default();
        }
        self.all.clear();
        self.operations.clear();
        self.steps.clear();
        self.by_pc.clear();
        self.recent.fill((u64::MAX, NO_BLOCK));
    }

    /// The block at an address, which is decoded if it is not there.
    ///
    /// # Errors
    /// There is nothing to execute.
    #[inline]
    pub fn find(&mut self, pc: u64, memory: &mut Memory) -> Result<u32, Fault> {
        let slot = (pc >> 1) as usize % RECENT;
        match self.recent[slot] {
            (at, id) if at == pc => Ok(id),
            _ => {
                let id = self.find_elsewhere(pc, memory)?;
                self.recent[slot] = (pc, id);
                Ok(id)
            }
        }
    }

    #[inline(never)]
    fn find_elsewhere(&mut self, pc: u64, memory: &mut Memory) -> Result<u32, Fault> {
        if let Some(&id) = self.by_pc.get(&pc) {
            return Ok(id);
        }
        let (first, mut at) = (self.operations.len(), pc);
        loop {
            let (word, length) = match fetch(at, memory) {
                Ok(found) => found,
                // The instruction before it may jump elsewhere, or stop the program.
                Err(_) if at != pc => break,
                Err(fault) => return Err(fault),
            };
            let operation = decode(word, at, length);
            self.operations.push(Operation { offset: (at - pc) as u16, ..operation });
            self.steps.push(Step::new(self.listing.number(classify(word, at, length)), false));
            at = at.wrapping_add(u64::from(length));
            if operation.code.ends_block() || self.operations.len() - first == LONGEST {
                break;
            }
        }
        let id = self.all.len() as u32;
        let bytes = at.wrapping_sub(pc) as u32;
        memory.note_code(pc, bytes.into());
        let count = (self.operations.len() - first) as u32;
        self.all.push(Block { pc, bytes, first: first as u32, count, next: [NO_BLOCK; 2] });
        self.by_pc.insert(pc, id);
        Ok(id)
    }
}

/// The instruction at an address as a word of 32 bits, and its length. What is illegal in 16 bits stays as it is: it is no word of 32 bits.
fn fetch(pc: u64, memory: &mut Memory) -> Result<(Word, u8), Fault> {
    let mut half = [0; 2];
    if !memory.fetch(pc, &mut half) {
        return Err(memory.fault());
    }
    let low = u16::from_le_bytes(half);
    if low & 3 != 3 {
        return Ok((expand(low).unwrap_or(Word(low.into())), 2));
    }
    if !memory.fetch(pc.wrapping_add(2), &mut half) {
        return Err(memory.fault());
    }
    Ok((Word(u32::from(low) | u32::from(u16::from_le_bytes(half)) << 16), 4))
}
