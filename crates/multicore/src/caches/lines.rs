//! Blocks in caches.

use super::counts::CacheCounts;
use super::shape::{CacheShape, Policy};
use super::sharing::{SharedBlock, Sharing};
use super::table::ProtocolTable;
use volvelle_coherence::Operation;

/// The worst that happened to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// Nothing came from other caches or memory.
    Hit,
    /// The core got the right to write.
    Upgrade,
    /// The block came from outside.
    Miss,
}

/// The effect of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The worst of the blocks that are touched.
    pub touch: Touch,
    /// Whether a block was missed that a store of another core took away.
    pub is_coherence: bool,
    /// Whether a block was missed that no other core has: it comes from the second level or memory.
    pub is_from_below: bool,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    block: u64,
    /// When it was used, or came: smaller is older.
    stamp: u64,
    /// 0: the line is empty.
    state: u8,
    /// Whether another core has lost the block: then stores to it are recorded.
    is_contested: bool,
}

/// The caches of all cores.
#[derive(Clone, Debug)]
pub struct Caches {
    table: ProtocolTable,
    cores: usize,
    ways: usize,
    sets_mask: u64,
    block_shift: u32,
    /// The last byte within a block.
    offset_mask: u64,
    policy: Policy,
    /// By set, core and way, so that the lines that are searched together are adjacent.
    lines: Vec<Line>,
    clock: u64,
    random: u64,
    counts: CacheCounts,
    sharing: Sharing,
    /// Places of a block in other caches, during an access.
    holders: Vec<(u8, u32)>,
}

impl Caches {
    /// Empty caches of a shape that passes [`CacheShape::check`].
    pub fn new(cores: usize, shape: &CacheShape, table: ProtocolTable) -> Self {
        let empty = Line { block: 0, stamp: 0, state: 0, is_contested: false };
        let ways = shape.ways as usize;
        Caches {
            table,
            cores,
            ways,
            sets_mask: shape.sets() - 1,
            block_shift: shape.block_bytes.trailing_zeros(),
            offset_mask: shape.block_bytes - 1,
            policy: shape.policy,
            lines: vec![empty; cores * shape.sets() as usize * ways],
            clock: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            counts: CacheCounts::default(),
            sharing: Sharing::default(),
            holders: Vec::new(),
        }
    }

    /// Counts since the beginning.
    pub fn counts(&self) -> &CacheCounts {
        &self.counts
    }

    /// Blocks with coherence misses, those with most first.
    pub fn shared_blocks(&self) -> Vec<SharedBlock> {
        self.sharing.blocks(1 << self.block_shift)
    }

    /// Approximate number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.lines.len() * size_of::<Line>()) as u64 + self.sharing.bytes()
    }

    /// The name of the state that a core has of an address.
    pub fn state(&self, core: usize, address: u64) -> &str {
        let line = self.find(core, address >> self.block_shift);
        &self.table.names[line.map_or(0, |line| usize::from(self.lines[line].state))]
    }

    /// The number of the block of an address.
    #[inline]
    pub fn block(&self, address: u64) -> u64 {
        address >> self.block_shift
    }

    /// What an access would find in the first block that it touches, if it were next. Changes nothing.
    #[inline]
    pub fn foresee(&self, core: usize, operation: Operation, address: u64) -> Touch {
        match self.find(core, self.block(address)) {
            None => Touch::Miss,
            Some(at) if self.table.quiet[operation as usize][usize::from(self.lines[at].state)].is_quiet => {
                Touch::Hit
            }
            Some(_) => Touch::Upgrade,
        }
    }

    /// An access of a core to `size` bytes, at least 1.
    #[inline]
    pub fn access(&mut self, core: usize, operation: Operation, address: u64, size: u8) -> Effect {
        let first = address >> self.block_shift;
        let last = address.saturating_add(u64::from(size) - 1) >> self.block_shift;
        if first == last {
            return self.touch(core, operation, first, address, size);
        }
        self.across(core, operation, address, size, first..=last)
    }

    #[cold]
    fn across(
        &mut self,
        core: usize,
        operation: Operation,
        address: u64,
        size: u8,
        blocks: std::ops::RangeInclusive<u64>,
    ) -> Effect {
        let mut worst = Effect { touch: Touch::Hit, is_coherence: false, is_from_below: false };
        for block in blocks {
            let effect = self.touch(core, operation, block, address, size);
            worst.touch = worst.touch.max(effect.touch);
            worst.is_coherence |= effect.is_coherence;
            worst.is_from_below |= effect.is_from_below;
        }
        worst
    }

    #[inline]
    fn set(&self, core: usize, block: u64) -> usize {
        ((block & self.sets_mask) as usize * self.cores + core) * self.ways
    }

    #[inline]
    fn find(&self, core: usize, block: u64) -> Option<usize> {
        let set = self.set(core, block);
        let lines = &self.lines[set..set + self.ways];
        lines.iter().position(|line| line.block == block && line.state != 0).map(|way| set + way)
    }

    #[inline]
    fn touch(&mut self, core: usize, operation: Operation, block: u64, address: u64, size: u8) -> Effect {
        self.counts.accesses += 1;
        self.clock += 1;
        let Some(at) = self.find(core, block) else {
            return self.miss(core, operation, block, address, size);
        };
        let line = &mut self.lines[at];
        if self.policy == Policy::Lru {
            line.stamp = self.clock;
        }
        let quiet = self.table.quiet[operation as usize][usize::from(line.state)];
        if quiet.is_quiet {
            line.state = quiet.own;
            self.counts.hits += 1;
            if line.is_contested && operation.writes() {
                let written = self.part(block, address, size);
                self.sharing.write(core, block, written);
            }
            return Effect { touch: Touch::Hit, is_coherence: false, is_from_below: false };
        }
        self.shared(core, operation, block, at, self.part(block, address, size))
    }

    /// An access to a block that is held, if it matters what others hold.
    fn shared(&mut self, core: usize, operation: Operation, block: u64, at: usize, part: u64) -> Effect {
        let strongest = self.strongest(core, block);
        let cell =
            self.table.cells[operation as usize][usize::from(self.lines[at].state)][usize::from(strongest)];
        if operation.writes() && self.lines[at].is_contested {
            self.sharing.write(core, block, part);
        }
        let lost =
            strongest > 0 && cell.changes_others && self.change(operation, block, &cell.others, part).0;
        let line = &mut self.lines[at];
        line.state = cell.own;
        line.is_contested |= lost;
        let touch = if cell.is_hit { Touch::Hit } else { Touch::Upgrade };
        match cell.is_hit {
            true => self.counts.hits += 1,
            false => self.counts.upgrades += 1,
        }
        Effect { touch, is_coherence: false, is_from_below: false }
    }

    /// Brings a block.
    fn miss(&mut self, core: usize, operation: Operation, block: u64, address: u64, size: u8) -> Effect {
        self.counts.misses += 1;
        let part = self.part(block, address, size);
        let (mut is_coherence, mut is_contested) = (false, false);
        let strongest = self.strongest(core, block);
        let is_held = !self.holders.is_empty();
        if self.cores > 1 {
            let (lost, is_false, contested) = self.sharing.miss(core, block, part);
            is_coherence = lost;
            is_contested = contested;
            self.counts.coherence_misses += u64::from(lost);
            self.counts.false_sharing += u64::from(is_false);
            if operation.writes() && contested {
                self.sharing.write(core, block, part);
            }
        }
        let cell = self.table.cells[operation as usize][0][usize::from(strongest)];
        self.counts.transfers += u64::from(is_held);
        if is_held && cell.changes_others {
            let (lost, cleaned) = self.change(operation, block, &cell.others, part);
            is_contested |= lost;
            self.counts.writebacks += u64::from(cleaned);
        }
        let set = self.set(core, block);
        let at = self.victim(set);
        let old = self.lines[at];
        if old.state != 0 {
            self.counts.evictions += 1;
            self.counts.writebacks += u64::from(self.table.dirty[usize::from(old.state)]);
        }
        self.lines[at] = Line { block, stamp: self.clock, state: cell.own, is_contested };
        Effect { touch: Touch::Miss, is_coherence, is_from_below: !is_held }
    }

    /// An empty line of a set, or the one that goes.
    fn victim(&mut self, set: usize) -> usize {
        let lines = &self.lines[set..set + self.ways];
        if let Some(way) = lines.iter().position(|line| line.state == 0) {
            return set + way;
        }
        if self.policy == Policy::Random {
            // G. Marsaglia, Xorshift RNGs, JSS 8(14), 2003.
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            return set + (self.random % self.ways as u64) as usize;
        }
        let oldest = lines.iter().enumerate().min_by_key(|(_, line)| line.stamp);
        set + oldest.map_or(0, |(way, _)| way)
    }

    /// The strongest state among other cores. Records which of them hold the block.
    fn strongest(&mut self, core: usize, block: u64) -> u8 {
        let mut strongest = 0;
        self.holders.clear();
        for other in (0..self.cores).filter(|&other| other != core) {
            if let Some(at) = self.find(other, block) {
                strongest = self.lines[at].state.max(strongest);
                self.holders.push((other as u8, at as u32));
            }
        }
        strongest
    }

    /// Changes the recorded blocks of other cores. Returns whether one lost the block, and whether one gave
    /// up the duty to write it to memory.
    fn change(&mut self, operation: Operation, block: u64, new: &[u8], part: u64) -> (bool, bool) {
        let (mut lost, mut cleaned) = (false, false);
        for &(other, at) in &self.holders {
            let line = &mut self.lines[at as usize];
            let old = usize::from(line.state);
            line.state = new[old];
            cleaned |= self.table.dirty[old] && !self.table.dirty[usize::from(line.state)];
            if line.state == 0 {
                self.counts.invalidations += 1;
                // In migratory protocols loads take blocks away, too; they write nothing.
                let written = if operation.writes() { part } else { 0 };
                self.sharing.lose(other.into(), block, written);
                lost = true;
            }
        }
        (lost, cleaned)
    }

    /// The part of a block that an access touches: a bit for each 64th of it, or for each byte of smaller blocks.
    fn part(&self, block: u64, address: u64, size: u8) -> u64 {
        let start = block << self.block_shift;
        let end = start + self.offset_mask;
        let from = address.max(start) - start;
        let to = address.saturating_add(u64::from(size) - 1).min(end) - start;
        let shift = self.block_shift.saturating_sub(6);
        let (from, to) = (from >> shift, to >> shift);
        (u64::MAX >> (63 - (to - from))) << from
    }
}
