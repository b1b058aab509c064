//! What a trace need not say: which instruction follows another, and what it accesses, as far as that is as it was before.
//!
//! The recorder and the reader keep the same tables. An instruction is followed by the one that followed it the last time, separately for each outcome;
//! it accesses the address that is as far from its last one as that was from the one before.

/// No instruction.
pub(super) const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Memory {
    last: u64,
    stride: u64,
}

#[derive(Clone, Default)]
pub(super) struct Followers {
    after: Vec<[u32; 2]>,
    memory: Vec<Memory>,
}

impl Followers {
    pub(super) fn len(&self) -> usize {
        self.after.len()
    }

    /// A further instruction is known.
    pub(super) fn add(&mut self) {
        self.after.push([NOBODY; 2]);
        self.memory.push(Memory { last: 0, stride: 0 });
    }

    /// The instruction that is expected behind another.
    #[inline]
    pub(super) fn expected(&self, instruction: u32, is_taken: bool) -> u32 {
        self.after[instruction as usize][usize::from(is_taken)]
    }

    #[inline]
    pub(super) fn set(&mut self, instruction: u32, is_taken: bool, follower: u32) {
        self.after[instruction as usize][usize::from(is_taken)] = follower;
    }

    /// How far an address is from what was expected.
    #[inline]
    pub(super) fn difference(&mut self, instruction: u32, address: u64) -> i64 {
        let memory = &mut self.memory[instruction as usize];
        let difference = address.wrapping_sub(memory.last.wrapping_add(memory.stride));
        *memory = Memory { last: address, stride: address.wrapping_sub(memory.last) };
        difference as i64
    }

    /// The address that is so far from what was expected.
    #[inline]
    pub(super) fn address(&mut self, instruction: u32, difference: i64) -> u64 {
        let memory = &mut self.memory[instruction as usize];
        let address = memory.last.wrapping_add(memory.stride).wrapping_add(difference as u64);
        *memory = Memory { last: address, stride: address.wrapping_sub(memory.last) };
        address
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.after.capacity() * size_of::<[u32; 2]>() + self.memory.capacity() * size_of::<Memory>()) as u64
    }
}
