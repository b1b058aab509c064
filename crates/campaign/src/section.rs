//! Records of the paths of one estimation.

use crate::shard::Shard;
use std::ops::Range;
use std::time::Duration;
use volvelle_simulate::blocks::BlockRecord;
use volvelle_simulate::summary::BLOCK;

/// The paths that one estimation of a run has in a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The paths of the round: those of all shards together.
    pub round: Range<u64>,
    /// The paths of the share.
    pub share: Range<u64>,
    /// What is known of them, from the first on.
    pub record: BlockRecord,
    /// The code that ran most of them.
    pub tier: String,
    /// Time that they took.
    pub time: Duration,
}

impl Section {
    /// The paths of a share of a round: whole blocks, but for the last.
    pub fn share_of(shard: Shard, round: &Range<u64>) -> Range<u64> {
        let blocks = shard.consecutive(&(round.start / BLOCK..round.end.div_ceil(BLOCK)));
        let until = |block: u64| block.saturating_mul(BLOCK).min(round.end);
        until(blocks.start)..until(blocks.end)
    }

    /// Whether all paths of the share are there, or no more of them matter.
    pub fn is_complete(&self) -> bool {
        self.record.is_closed() || self.share.is_empty() || self.record.paths().end == self.share.end
    }
}
