//! Sizes of caches.

use volvelle_diagnostics::{Diagnostic, codes};

/// Which block of a set goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// The least recently used.
    #[default]
    Lru,
    /// The first that came.
    Fifo,
    /// Any: from a fixed sequence of pseudo-random numbers.
    Random,
}

/// Sizes of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheShape {
    /// Bytes of data.
    pub size_bytes: u64,
    /// Blocks of a set.
    pub ways: u32,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Which block of a set goes.
    pub policy: Policy,
}

impl CacheShape {
    /// Largest size of a cache.
    pub const LARGEST_BYTES: u64 = 1 << 26;
    /// Largest block.
    pub const LARGEST_BLOCK: u64 = 4096;
    /// Most blocks of a set.
    pub const MOST_WAYS: u64 = 64;

    /// 64 kB with two ways, as the paper has.
    pub fn paper(block_bytes: u64) -> Self {
        CacheShape { size_bytes: 65536, ways: 2, block_bytes, policy: Policy::Lru }
    }

    /// Number of sets.
    pub fn sets(&self) -> u64 {
        self.size_bytes / self.block_bytes / u64::from(self.ways)
    }

    /// Checks that sets, ways and blocks add up to the size. `name` names the cache in the message.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self, name: &str) -> Result<(), Diagnostic> {
        let CacheShape { size_bytes: size, ways, block_bytes: block, .. } = *self;
        let wrong =
            |message: String, help: &str| Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        for (key, value, most) in [("size", size, Self::LARGEST_BYTES), ("block", block, Self::LARGEST_BLOCK)]
        {
            if !value.is_power_of_two() || value > most {
                let message = format!("`{name}.{key}` is a power of two up to {most}, not {value}");
                return wrong(message, "sizes are in bytes");
            }
        }
        let blocks = size / block;
        if ways == 0
            || u64::from(ways) > Self::MOST_WAYS
            || blocks == 0
            || !blocks.is_multiple_of(ways.into())
        {
            let message = format!("{ways} ways of {block} bytes do not divide the {size} bytes of `{name}`");
            return wrong(message, "size = sets × ways × block, for a power of two as the number of sets");
        }
        if !(blocks / u64::from(ways)).is_power_of_two() {
            let message = format!("`{name}` has {} sets, which is no power of two", blocks / u64::from(ways));
            return wrong(message, "size = sets × ways × block, for a power of two as the number of sets");
        }
        Ok(())
    }
}
