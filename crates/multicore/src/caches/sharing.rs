//! Blocks that moved from core to core: which cores lost them, and what was written since.

use crate::hash::ByNumber;

/// A block that caused coherence misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SharedBlock {
    /// Its first byte.
    pub address: u64,
    /// Misses on it caused by stores of other cores.
    pub coherence_misses: u64,
    /// Coherence misses that touch nothing that others wrote since.
    pub false_sharing: u64,
}

/// A core that lost a block.
#[derive(Clone, Copy, Debug)]
struct Loss {
    core: u8,
    /// What others wrote since: a bit for each 64th of the block, or for each byte of smaller blocks.
    written: u64,
}

#[derive(Clone, Debug, Default)]
struct Block {
    losses: Vec<Loss>,
    coherence_misses: u64,
    false_sharing: u64,
}

/// All blocks that were taken away from a core.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    blocks: ByNumber<Block>,
}

impl Sharing {
    /// A store that wrote `written` took a block away from a core.
    pub fn lose(&mut self, core: usize, block: u64, written: u64) {
        let losses = &mut self.blocks.entry(block).or_default().losses;
        losses.retain(|loss| usize::from(loss.core) != core);
        losses.push(Loss { core: core as u8, written });
    }

    /// Records a store to a block that others have lost.
    pub fn write(&mut self, core: usize, block: u64, written: u64) {
        if let Some(found) = self.blocks.get_mut(&block) {
            for loss in found.losses.iter_mut().filter(|loss| usize::from(loss.core) != core) {
                loss.written |= written;
            }
        }
    }

    /// Records that a core misses a block. Returns whether it had lost the block, whether it touches nothing
    /// that others wrote since, and whether others have lost the block.
    pub fn miss(&mut self, core: usize, block: u64, touched: u64) -> (bool, bool, bool) {
        let Some(found) = self.blocks.get_mut(&block) else { return (false, false, false) };
        let place = found.losses.iter().position(|loss| usize::from(loss.core) == core);
        let Some(place) = place else { return (false, false, !found.losses.is_empty()) };
        let loss = found.losses.swap_remove(place);
        let is_false = loss.written & touched == 0;
        found.coherence_misses += 1;
        found.false_sharing += u64::from(is_false);
        (true, is_false, !found.losses.is_empty())
    }

    /// Blocks with coherence misses, those with most first.
    pub fn blocks(&self, block_bytes: u64) -> Vec<SharedBlock> {
        let missed = self.blocks.iter().filter(|(_, block)| block.coherence_misses > 0);
        let mut all: Vec<SharedBlock> = missed
            .map(|(&number, block)| SharedBlock {
                address: number.wrapping_mul(block_bytes),
                coherence_misses: block.coherence_misses,
                false_sharing: block.false_sharing,
            })
            .collect();
        all.sort_by_key(|block| (u64::MAX - block.coherence_misses, block.address));
        all
    }

    /// Approximate number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.blocks.capacity() * (size_of::<(u64, Block)>() + 16)) as u64
    }
}
