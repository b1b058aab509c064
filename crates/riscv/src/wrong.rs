//! Wrong paths: what would have been executed had a transfer of control gone the other way.
//!
//! They are executed on a copy of the registers. Stores are kept apart, and seen by later loads of the same path only: memory stays as it is, and no page appears. Code
//! is that of memory, as in a processor, whose fetches see no stores of instructions that may be squashed.
//!
//! A path ends where execution cannot go on without consequences: at calls of the system, breakpoints, `fence.i`, illegal instructions, and accesses
//! and jumps to where nothing is.
//!
//! Instructions on wrong paths cost as much as others, about five nanoseconds: paths of 32 make it seven to ten on wrong paths for one that is executed, and a stream
//! of 200 million instructions a second one of 20 to 30. Streams without them pay nothing.

use crate::blocks::Blocks;
use crate::execute::{Leave, control, straight};
use crate::hart::Hart;
use crate::memory::{Memory, View, Written};
use crate::observer::Observer;
use crate::operation::{Code, Operation};
use volvelle_instructions::{Batch, Step, WrongPaths};

/// Instructions of a wrong path at most: more than any processor has in flight.
const LONGEST: usize = 1024;
/// Instructions on wrong paths of a batch at most, about.
const MOST_AT_ONCE: usize = 1 << 22;

/// Executes wrong paths.
pub struct WrongWay {
    length: usize,
    hart: Hart,
    stores: Stores,
}

impl WrongWay {
    /// Paths of at most so many instructions.
    pub fn new(length: usize) -> Self {
        WrongWay { length: length.min(LONGEST), hart: Hart::new(0), stores: Stores::default() }
    }

    /// Instructions that are executed at most, so that those on wrong paths are not too many.
    pub fn most_at_once(&self) -> usize {
        MOST_AT_ONCE / self.length.max(1)
    }

    fn go(
        &mut self,
        (from, pc): (&Hart, u64),
        memory: &mut Memory,
        blocks: &mut Blocks,
        paths: &mut WrongPaths,
    ) {
        let hart = &mut self.hart;
        hart.become_like(from);
        hart.pc = pc;
        self.stores.clear();
        let mut left = self.length;
        while left > 0 {
            let Ok(id) = blocks.find(hart.pc, memory) else { break };
            let block = *blocks.block(id);
            let (operations, steps) = blocks.content(&block);
            let operations = &operations[..operations.len().min(left)];
            let mut view = Apart { memory, stores: &mut self.stores };
            let (count, leave) = straight(hart, &mut view, paths, block.pc, operations);
            let is_taken = matches!(leave, Leave::Jump | Leave::Indirect(_));
            paths.block(block.pc, &operations[..count], &steps[..count], is_taken);
            left -= count;
            hart.executed += count as u64;
            hart.pc = match leave {
                Leave::Behind | Leave::CodeWritten => operations[count - 1].end(block.pc),
                Leave::Jump => operations[count - 1].immediate as u64,
                Leave::Indirect(target) => target,
                Leave::Before => {
                    let operation = &operations[count];
                    if operation.code != Code::Csr || control(hart, operation).is_none() {
                        break;
                    }
                    paths.block(block.pc, &operations[count..=count], &steps[count..=count], false);
                    left -= 1;
                    hart.executed += 1;
                    operation.end(block.pc)
                }
            };
        }
    }
}

/// Keeps what is executed in a batch, with wrong paths.
pub struct Following<'a> {
    /// What was executed.
    pub batch: &'a mut Batch,
    /// What executes wrong paths.
    pub way: &'a mut WrongWay,
}

impl Observer for Following<'_> {
    const WANTS_TRANSFERS: bool = true;

    #[inline(always)]
    fn load(&mut self, address: u64, size_log2: u32) {
        self.batch.load(address, size_log2);
    }

    #[inline(always)]
    fn store(&mut self, address: u64, size_log2: u32) {
        self.batch.store(address, size_log2);
    }

    #[inline(always)]
    fn atomic(&mut self, address: u64, size_log2: u32) {
        self.batch.atomic(address, size_log2);
    }

    #[inline(always)]
    fn block(&mut self, pc: u64, operations: &[Operation], steps: &[Step], is_taken: bool) {
        self.batch.block(pc, operations, steps, is_taken);
    }

    fn transfer(&mut self, hart: &Hart, memory: &mut Memory, blocks: &mut Blocks, other: u64) {
        self.way.go((hart, other), memory, blocks, &mut self.batch.wrong);
        self.batch.wrong.end();
    }
}

/// Memory with stores that have not reached it.
struct Apart<'a> {
    memory: &'a mut Memory,
    stores: &'a mut Stores,
}

impl View for Apart<'_> {
    #[inline(always)]
    fn read<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let mut bytes = self.memory.read::<N>(address)?;
        if self.stores.may_have(address, N) {
            self.stores.apply(address, &mut bytes);
        }
        Some(bytes)
    }

    #[inline(always)]
    fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Written {
        if !self.memory.may_write::<N>(address) {
            return Written::Not;
        }
        self.stores.add(address, &value);
        Written::Plain
    }
}

/// Stores of a path, in order.
#[derive(Default)]
struct Stores {
    all: Vec<Store>,
    /// A bit for each word of eight bytes that has some, by its number modulo 64: most loads need not look further.
    words: u64,
}

struct Store {
    address: u64,
    value: [u8; 8],
    bytes: u8,
}

/// The bits of the words that some bytes, 8 at most, are in.
fn words(address: u64, bytes: usize) -> u64 {
    1 << (address >> 3 & 63) | 1 << (address.wrapping_add(bytes as u64 - 1) >> 3 & 63)
}

impl Stores {
    fn clear(&mut self) {
        self.all.clear();
        self.words = 0;
    }

    fn add(&mut self, address: u64, bytes: &[u8]) {
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        self.all.push(Store { address, value, bytes: bytes.len() as u8 });
        self.words |= words(address, bytes.len());
    }

    fn may_have(&self, address: u64, bytes: usize) -> bool {
        self.words & words(address, bytes) != 0
    }

    /// Replaces bytes by those that were stored last.
    #[inline(never)]
    fn apply(&self, address: u64, to: &mut [u8]) {
        for store in &self.all {
            for (index, byte) in to.iter_mut().enumerate() {
                let at = address.wrapping_add(index as u64).wrapping_sub(store.address);
                if at < store.bytes.into() {
                    *byte = store.value[at as usize];
                }
            }
        }
    }
}
