//! Predictors of targets: where a taken transfer goes.
//!
//! J. Lee's task address cache has 2,048 entries. ITTAGE: A. Seznec, *A 64-Kbytes ITTAGE indirect branch predictor*, CBP-3, 2011, without
//! its random choices. Returns come from a stack where that is asked for (D. R. Kaeli, P. G. Emma, ISCA 1991).

use super::history::{History, low};

/// The predictor of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TargetKind {
    /// The last target of a task, in a cache of 2,048 entries found by address.
    #[default]
    Cache,
    /// The same, and tagged tables over the history of outcomes and targets.
    Ittage,
}

/// Entries of the address cache.
const CACHE_ENTRIES: usize = 2048;
/// Lengths of history of the tagged tables.
const LENGTHS: [u32; 4] = [4, 10, 25, 64];
const TABLE_BITS: u32 = 9;
/// Returns that the stack holds; the oldest is lost.
const STACK_ENTRIES: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Entry {
    address: u64,
    target: u64,
    /// 0 to 3: how often the target came again.
    confidence: u8,
}

/// A task that was never seen: no task begins at an odd address.
const NONE: Entry = Entry { address: 1, target: 0, confidence: 0 };

/// A task's end, as predictors of targets see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where the task begins.
    pub task: u64,
    /// Where the transfer goes.
    pub target: u64,
    /// The return address, if it is a call.
    pub behind: Option<u64>,
    /// Whether it is a return.
    pub is_return: bool,
}

/// A predictor of targets at work.
#[derive(Clone, Debug)]
pub struct TargetPredictor {
    cache: Vec<Entry>,
    tables: Vec<Entry>,
    history: History,
    stack: Vec<u64>,
    has_stack: bool,
    /// Number of predicted targets.
    pub lookups: u64,
    /// Targets that were unknown or wrong.
    pub misses: u64,
}

impl TargetPredictor {
    /// An empty one. `has_stack`: targets of returns come from a stack.
    pub fn new(kind: TargetKind, has_stack: bool) -> Self {
        let entries = if kind == TargetKind::Ittage { LENGTHS.len() << TABLE_BITS } else { 0 };
        TargetPredictor {
            cache: vec![NONE; CACHE_ENTRIES],
            tables: vec![NONE; entries],
            history: History::default(),
            stack: Vec::new(),
            has_stack,
            lookups: 0,
            misses: 0,
        }
    }

    /// Records a taken transfer. Returns whether its target was predicted correctly.
    pub fn observe(&mut self, transfer: &Transfer) -> bool {
        let known = self.foretell(transfer);
        self.lookups += 1;
        self.misses += u64::from(!known);
        known
    }

    fn foretell(&mut self, transfer: &Transfer) -> bool {
        let Transfer { task, target, behind, is_return } = *transfer;
        if self.has_stack {
            if is_return && let Some(top) = self.stack.pop() {
                return top == target;
            }
            if let Some(behind) = behind {
                if self.stack.len() == STACK_ENTRIES {
                    self.stack.remove(0);
                }
                self.stack.push(behind);
            }
        }
        let slot = (task >> 1) as usize % CACHE_ENTRIES;
        let cached = self.cache[slot].address == task && self.cache[slot].target == target;
        self.cache[slot] = Entry { address: task, target, confidence: 0 };
        if self.tables.is_empty() {
            return cached;
        }
        self.tagged(task, target).unwrap_or(cached)
    }

    /// Whether the longest match among the tagged tables predicted the target; `None` if none matched.
    fn tagged(&mut self, task: u64, target: u64) -> Option<bool> {
        let address = task >> 1;
        let hash = address ^ address >> TABLE_BITS;
        let place = |history: &History, table: usize| {
            let folded = history.fold(LENGTHS[table], TABLE_BITS);
            (table << TABLE_BITS) + ((hash ^ folded) & low(TABLE_BITS)) as usize
        };
        let provider =
            (0..LENGTHS.len()).rev().find(|&table| self.tables[place(&self.history, table)].address == task);
        let mut known = None;
        if let Some(table) = provider {
            let at = place(&self.history, table);
            let entry = &mut self.tables[at];
            let is_right = entry.target == target;
            known = Some(is_right);
            if is_right {
                entry.confidence = (entry.confidence + 1).min(3);
            } else if entry.confidence > 0 {
                entry.confidence -= 1;
            } else {
                entry.target = target;
            }
        }
        if known != Some(true) {
            for table in provider.map_or(0, |table| table + 1)..LENGTHS.len() {
                let at = place(&self.history, table);
                let entry = &mut self.tables[at];
                if entry.confidence == 0 {
                    *entry = Entry { address: task, target, confidence: 0 };
                    break;
                }
                entry.confidence -= 1;
            }
        }
        // Two bits of each target: paths differ even if outcomes do not.
        self.history.push(target >> 1 & 1 == 1);
        self.history.push(target >> 2 & 1 == 1);
        known
    }
}
