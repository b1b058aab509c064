//! What caches count.

/// Counts of the caches of all cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CacheCounts {
    /// Accesses to blocks: an access across a border of blocks counts for each.
    pub accesses: u64,
    /// Accesses that needed nothing from other caches or memory.
    pub hits: u64,
    /// Accesses to blocks that the core did not hold.
    pub misses: u64,
    /// Stores to blocks that the core held but not for writing.
    pub upgrades: u64,
    /// Blocks taken away from other cores.
    pub invalidations: u64,
    /// Misses while another core had the block.
    pub transfers: u64,
    /// Blocks written to memory, or handed over by their owner to a core that missed them.
    pub writebacks: u64,
    /// Blocks that were removed to make room for others.
    pub evictions: u64,
    /// Misses on blocks that a store of another core took away.
    pub coherence_misses: u64,
    /// Coherence misses whose access touches nothing that others wrote since: only the block is shared, not
    /// the data.
    pub false_sharing: u64,
}

impl CacheCounts {
    /// All counts with their names.
    pub fn parts(&self) -> [(&'static str, u64); 10] {
        [
            ("accesses", self.accesses),
            ("hits", self.hits),
            ("misses", self.misses),
            ("upgrades", self.upgrades),
            ("invalidations", self.invalidations),
            ("transfers", self.transfers),
            ("writebacks", self.writebacks),
            ("evictions", self.evictions),
            ("coherence_misses", self.coherence_misses),
            ("false_sharing", self.false_sharing),
        ]
    }
}
