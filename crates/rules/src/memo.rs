//! Results that are kept.
//!
//! A result belongs to a judgment or function, its arguments, and *what was read* of its environment: keys with their values, and keys
//! that were not there. Another environment with the same mappings of these keys gives the same result. A rule that hands its
//! environment on as a value has read all of it.

use crate::value::{EnvId, FailureId, Heap, Value};
use rustc_hash::FxHashMap;

/// A judgment or function: its number, judgments first.
pub(crate) type Target = u32;

/// Something that was read of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    /// The environment that was asked; none stands for the one of the result.
    pub(crate) env: Option<EnvId>,
    /// The key; none where the whole environment was used.
    pub(crate) key: Option<Value>,
    /// What was found: its value, and the environment that the mapping made.
    pub(crate) found: Option<(Value, EnvId)>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With results, which are among those of all entries.
    Holds(u32, u32),
    /// With a failure.
    Fails(FailureId),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    target: Target,
    args: (u32, u32),
    reads: (u32, u32),
    /// The environment, where all of it was read.
    whole: Option<EnvId>,
    outcome: Outcome,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// All results that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    heads: FxHashMap<u64, u32>,
    entries: Vec<Entry>,
    values: Vec<Value>,
    reads: Vec<Read>,
}

pub(crate) fn hash(target: Target, args: &[Value]) -> u64 {
    use std::hash::{BuildHasher, Hash, Hasher};
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    target.hash(&mut hasher);
    args.hash(&mut hasher);
    hasher.finish()
}

impl Memo {
    /// How many bytes are in use, about.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * 64 + self.values.len() * 8 + self.reads.len() * 40
    }

    pub(crate) fn values(&self, range: (u32, u32)) -> &[Value] {
        &self.values[range.0 as usize..range.1 as usize]
    }

    /// The result for arguments in an environment, with what it read.
    pub(crate) fn find(
        &self,
        heap: &Heap,
        hash: u64,
        target: Target,
        args: &[Value],
        env: EnvId,
    ) -> Option<(Outcome, &[Read])> {
        let mut at = self.heads.get(&hash).copied().unwrap_or(NONE);
        while at != NONE {
            let entry = &self.entries[at as usize];
            let reads = &self.reads[entry.reads.0 as usize..entry.reads.1 as usize];
            let same = entry.target == target && self.values(entry.args) == args;
            if same
                && entry.whole.is_none_or(|whole| whole == env)
                && reads.iter().all(|read| holds(heap, read, env))
            {
                return Some((entry.outcome, reads));
            }
            at = entry.next;
        }
        None
    }

    pub(crate) fn keep(
        &mut self,
        hash: u64,
        target: Target,
        args: &[Value],
        reads: impl Iterator<Item = Read>,
        whole: Option<EnvId>,
        outcome: Result<&[Value], FailureId>,
    ) {
        let args = self.add(args);
        let first = self.reads.len() as u32;
        self.reads.extend(reads);
        let reads = (first, self.reads.len() as u32);
        let outcome = match outcome {
            Ok(results) => {
                let (from, to) = self.add(results);
                Outcome::Holds(from, to)
            }
            Err(failure) => Outcome::Fails(failure),
        };
        let head = self.heads.entry(hash).or_insert(NONE);
        self.entries.push(Entry { target, args, reads, whole, outcome, next: *head });
        *head = (self.entries.len() - 1) as u32;
    }

    fn add(&mut self, values: &[Value]) -> (u32, u32) {
        let first = self.values.len() as u32;
        self.values.extend_from_slice(values);
        (first, self.values.len() as u32)
    }
}

/// Whether an environment has what was read; reads of other environments belong to the arguments.
fn holds(heap: &Heap, read: &Read, env: EnvId) -> bool {
    match (read.env, read.key) {
        (None, Some(key)) => {
            heap.find(env, key).map(|at| heap.binding(at).1) == read.found.map(|(value, _)| value)
        }
        _ => true,
    }
}
