//! Where the cycles go.

use super::flight::Flying;

/// Cycles of all cores by cause. Their sum is the number of cores times the number of cycles.
///
/// A cycle in which a core retires something is busy. Any other cycle is attributed to what holds up the
/// oldest instruction of the core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stack {
    /// Something retires, or is ready and waits for a unit.
    pub busy: u64,
    /// It waits for operands, or takes more than one cycle.
    pub dependence: u64,
    /// The instruction is not fetched yet, or is in the pipeline.
    pub fetch: u64,
    /// It is not fetched yet because its block was missed.
    pub icache: u64,
    /// It waits for a block of data.
    pub dcache: u64,
    /// It waits for a block that another core took away, or for the right to write.
    pub coherence: u64,
    /// The core has no task because one was mispredicted.
    pub squash: u64,
    /// The core has no task, because others are slower.
    pub imbalance: u64,
}

impl Stack {
    /// The number of parts.
    pub const PARTS: usize = 8;

    /// All parts with their names.
    pub fn parts(&self) -> [(&'static str, u64); Self::PARTS] {
        [
            ("busy", self.busy),
            ("dependence", self.dependence),
            ("fetch", self.fetch),
            ("icache", self.icache),
            ("dcache", self.dcache),
            ("coherence", self.coherence),
            ("squash", self.squash),
            ("imbalance", self.imbalance),
        ]
    }

    /// Adds the difference between `until` and `from`.
    pub(super) fn add(&mut self, until: &Stack, from: &Stack) {
        let more = until.values();
        let values = self.values();
        let from = from.values();
        *self = Stack::of(std::array::from_fn(|part| values[part] + more[part] - from[part]));
    }

    /// The same shares of another total.
    pub(crate) fn scaled(&self, total: u64) -> Stack {
        let sum = u128::from(self.total().max(1));
        let mut values = self.values().map(|cycles| (u128::from(cycles) * u128::from(total) / sum) as u64);
        // The largest part gets the rounding error.
        let rest = total - values.iter().sum::<u64>();
        let largest = (0..values.len()).max_by_key(|&part| values[part]).unwrap_or(0);
        values[largest] += rest;
        Stack::of(values)
    }

    fn values(&self) -> [u64; Self::PARTS] {
        self.parts().map(|(_, cycles)| cycles)
    }

    fn of(
        [busy, dependence, fetch, icache, dcache, coherence, squash, imbalance]: [u64; Self::PARTS],
    ) -> Self {
        Stack { busy, dependence, fetch, icache, dcache, coherence, squash, imbalance }
    }

    /// The sum of all parts: cycles times cores.
    pub fn total(&self) -> u64 {
        self.parts().iter().map(|(_, cycles)| cycles).sum()
    }

    /// Attributes the cycles between `from` and the retirement of an instruction to what held it up, and the
    /// cycle of the retirement to the busy ones.
    #[inline]
    pub(super) fn retire(&mut self, from: u64, flying: &Flying) {
        self.busy += 1;
        if from == flying.retire {
            return;
        }
        let mut at = from;
        let mut until = |end: u64| {
            let cycles = end.min(flying.retire).saturating_sub(at);
            at += cycles;
            cycles
        };
        let Flying { fetch, issue, complete, .. } = *flying;
        self.fetch += until(fetch - u64::from(flying.stall));
        self.icache += until(fetch);
        self.fetch += until(fetch + 1);
        self.dependence += until(flying.ready);
        self.busy += until(issue);
        self.fetch += until(issue + 1);
        self.dependence += until(complete - u64::from(flying.extra));
        let waited = until(complete);
        *(if flying.is_coherence { &mut self.coherence } else { &mut self.dcache }) += waited;
        self.busy += until(flying.retire);
    }
}
