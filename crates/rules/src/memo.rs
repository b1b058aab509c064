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
    /// The entry before it at the same place, from 1; 0 where there is none.
    next: u32,
}

/// Where results for a target and its arguments are. One argument that is a node or data has a place of its own in an array; others have
/// one by their hash, which they may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Node(Target, u32),
    Data(Target, u32),
    Text(Target, u32),
    Hash(u64),
}

/// What is at a place: the newest entry from 1, or, with this bit, the run that is looking for one. 0 where there is nothing.
pub(crate) const BUSY: u32 = 1 << 31;

/// All results that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// Number of nodes of the program.
    node_count: usize,
    nodes: Vec<Vec<u32>>,
    data: Vec<Vec<u32>>,
    texts: Vec<Vec<u32>>,
    hashed: FxHashMap<u64, u32>,
    entries: Vec<Entry>,
    values: Vec<Value>,
    reads: Vec<Read>,
}

fn hash(target: Target, args: &[Value]) -> u64 {
    use std::hash::{BuildHasher, Hash, Hasher};
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    target.hash(&mut hasher);
    args.hash(&mut hasher);
    hasher.finish()
}

impl Memo {
    /// For a program of so many nodes, and so many targets.
    pub(crate) fn new(node_count: usize, targets: usize) -> Self {
        let arrays = || vec![Vec::new(); targets];
        Memo { node_count, nodes: arrays(), data: arrays(), texts: arrays(), ..Self::default() }
    }

    /// How many bytes are in use, about.
    pub(crate) fn bytes(&self) -> usize {
        let arrays: usize = self.nodes.iter().chain(&self.data).chain(&self.texts).map(Vec::len).sum();
        arrays * 4
            + self.hashed.capacity() * 16
            + self.entries.len() * 64
            + self.values.len() * 8
            + self.reads.len() * 40
    }

    /// Where results for arguments are.
    #[inline]
    pub(crate) fn place(target: Target, args: &[Value]) -> Place {
        match *args {
            [Value::Node(node)] => Place::Node(target, node.index() as u32),
            [Value::Data(data)] => Place::Data(target, data.index() as u32),
            [Value::Text(text)] => Place::Text(target, text.index() as u32),
            _ => Place::Hash(hash(target, args)),
        }
    }

    /// What is at a place.
    #[inline]
    pub(crate) fn at(&self, place: Place) -> u32 {
        let found = match place {
            Place::Node(target, node) => self.nodes[target as usize].get(node as usize),
            Place::Data(target, data) => self.data[target as usize].get(data as usize),
            Place::Text(target, text) => self.texts[target as usize].get(text as usize),
            Place::Hash(hash) => self.hashed.get(&hash),
        };
        found.copied().unwrap_or(0)
    }

    /// Says what is at a place.
    pub(crate) fn set(&mut self, place: Place, what: u32) {
        let (array, at, size) = match place {
            Place::Node(target, node) => (&mut self.nodes[target as usize], node as usize, self.node_count),
            Place::Data(target, data) => {
                (&mut self.data[target as usize], data as usize, (data as usize + 1).next_power_of_two())
            }
            Place::Text(target, text) => {
                (&mut self.texts[target as usize], text as usize, (text as usize + 1).next_power_of_two())
            }
            Place::Hash(hash) => {
                if what == 0 {
                    self.hashed.remove(&hash);
                } else {
                    self.hashed.insert(hash, what);
                }
                return;
            }
        };
        if array.is_empty() {
            // Memory of zeros is not touched before it is used.
            *array = vec![0; size];
        } else if array.len() <= at {
            array.resize(size, 0);
        }
        array[at] = what;
    }

    pub(crate) fn values(&self, range: (u32, u32)) -> &[Value] {
        &self.values[range.0 as usize..range.1 as usize]
    }

    /// The result for arguments in an environment, with what it read.
    pub(crate) fn find(
        &self,
        heap: &Heap,
        newest: u32,
        target: Target,
        args: &[Value],
        env: EnvId,
    ) -> Option<(Outcome, &[Read])> {
        let mut at = newest;
        while at != 0 {
            let entry = &self.entries[at as usize - 1];
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

    /// Keeps a result before others at its place; gives its number from 1.
    pub(crate) fn keep(
        &mut self,
        next: u32,
        target: Target,
        args: &[Value],
        reads: impl Iterator<Item = Read>,
        whole: Option<EnvId>,
        outcome: Result<&[Value], FailureId>,
    ) -> u32 {
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
        self.entries.push(Entry { target, args, reads, whole, outcome, next });
        self.entries.len() as u32
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
