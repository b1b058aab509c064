//! What is told of an execution while it runs. The interpreter is compiled for each observer, so what nobody wants costs nothing.

use crate::blocks::Blocks;
use crate::hart::Hart;
use crate::memory::Memory;
use crate::operation::Operation;
use volvelle_instructions::{Batch, Class, Listing, Step, WrongPaths};

/// Is told of accesses, in order, and of instructions, a block at a time.
pub trait Observer {
    /// Whether it wants to know of transfers: [`Observer::transfer`].
    const WANTS_TRANSFERS: bool = false;

    /// Memory was read.
    fn load(&mut self, address: u64, size_log2: u32);
    /// Memory was written.
    fn store(&mut self, address: u64, size_log2: u32);
    /// Memory was read and written at once.
    fn atomic(&mut self, address: u64, size_log2: u32);
    /// Operations of a block that begins at `pc` were executed; with the last of them control went elsewhere, or not.
    fn block(&mut self, pc: u64, operations: &[Operation], steps: &[Step], is_taken: bool);
    /// The last of these was a transfer of control, which is done; the other way it would have gone to `other`.
    fn transfer(&mut self, hart: &Hart, memory: &mut Memory, blocks: &mut Blocks, other: u64) {
        let _ = (hart, memory, blocks, other);
    }
}

/// Wants nothing.
pub struct Nobody;

impl Observer for Nobody {
    #[inline(always)]
    fn load(&mut self, _: u64, _: u32) {}
    #[inline(always)]
    fn store(&mut self, _: u64, _: u32) {}
    #[inline(always)]
    fn atomic(&mut self, _: u64, _: u32) {}
    #[inline(always)]
    fn block(&mut self, _: u64, _: &[Operation], _: &[Step], _: bool) {}
}

macro_rules! keeps_steps {
    ($($name:ident)*) => {
        $(impl Observer for $name {
            #[inline(always)]
            fn load(&mut self, address: u64, _: u32) {
                self.addresses.push(address);
            }

            #[inline(always)]
            fn store(&mut self, address: u64, _: u32) {
                self.addresses.push(address);
            }

            #[inline(always)]
            fn atomic(&mut self, address: u64, _: u32) {
                self.addresses.push(address);
            }

            #[inline(always)]
            fn block(&mut self, _: u64, _: &[Operation], steps: &[Step], is_taken: bool) {
                self.steps.extend_from_slice(steps);
                if is_taken && let Some(last) = self.steps.last_mut() {
                    *last = Step::new(last.instruction(), true);
                }
            }
        })*
    };
}

keeps_steps! { Batch WrongPaths }

/// Counts and hashes of an execution, by which two emulators are compared.
///
/// The hash is FNV-1a over words of 64 bits: of the address of each instruction, and of `address << 4 | log2(size) << 1 | is_store` of each
/// access below 2^32. An access that reads and writes is a load and then a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Over addresses of instructions.
    pub pc: u64,
    /// Over accesses below 2^32.
    pub memory: u64,
    /// Loads below 2^32.
    pub loads: u64,
    /// Stores below 2^32.
    pub stores: u64,
}

impl Default for Hashes {
    fn default() -> Self {
        Hashes { pc: OFFSET_BASIS, memory: OFFSET_BASIS, loads: 0, stores: 0 }
    }
}

const OFFSET_BASIS: u64 = 14_695_981_039_346_656_037;
const PRIME: u64 = 1_099_511_628_211;

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(PRIME)
}

impl Hashes {
    /// Goes on with instructions of a stream, as a recording gives them.
    pub fn add(&mut self, listing: &Listing, batch: &Batch) {
        let mut addresses = batch.addresses.iter();
        for step in &batch.steps {
            let instruction = &listing[step.instruction()];
            self.pc = mix(self.pc, instruction.pc);
            if !instruction.class.accesses_memory() {
                continue;
            }
            let Some(&address) = addresses.next() else { continue };
            let size_log2 = u32::from(instruction.size).max(1).ilog2();
            if instruction.class != Class::Store {
                self.access(address, size_log2, false);
            }
            if instruction.class.writes_memory() {
                self.access(address, size_log2, true);
            }
        }
    }

    fn access(&mut self, address: u64, size_log2: u32, is_store: bool) {
        if address >> 32 == 0 {
            self.memory = mix(self.memory, address << 4 | u64::from(size_log2) << 1 | u64::from(is_store));
            *(if is_store { &mut self.stores } else { &mut self.loads }) += 1;
        }
    }
}

impl Observer for Hashes {
    #[inline(always)]
    fn load(&mut self, address: u64, size_log2: u32) {
        self.access(address, size_log2, false);
    }

    #[inline(always)]
    fn store(&mut self, address: u64, size_log2: u32) {
        self.access(address, size_log2, true);
    }

    #[inline]
    fn atomic(&mut self, address: u64, size_log2: u32) {
        self.access(address, size_log2, false);
        self.access(address, size_log2, true);
    }

    #[inline(always)]
    fn block(&mut self, pc: u64, operations: &[Operation], _: &[Step], _: bool) {
        self.pc =
            operations.iter().fold(self.pc, |hash, operation| mix(hash, pc + u64::from(operation.offset)));
    }
}
