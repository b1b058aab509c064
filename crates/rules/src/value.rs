//! Values, and where they lie.
//!
//! A value is eight bytes. Data, pairs and texts are held once, so that equal ones are the same; lists are made so where they are
//! compared or kept ([`Heap::same`]): a list that grows in a loop shares its memory with those it grew from.

use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use volvelle_entity::entity;
use volvelle_trees::{ClassId, Interner, NodeId, Symbol};

entity!(
    /// A value of a type that a system declares, or a pair.
    DataId
);
entity!(
    /// A list.
    SequenceId
);
entity!(
    /// An environment; no entity is the empty one.
    EnvId
);
entity!(
    /// A failure.
    FailureId
);
entity!(
    /// A map that can be changed.
    MapId
);
entity!(
    /// A function with the values that it uses.
    ClosureId
);
entity!(
    /// A number without room in 32 bits.
    WideId
);

/// A value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// None.
    #[default]
    Null,
    /// A truth value.
    Truth(bool),
    /// A number of 32 bits.
    Number(i32),
    /// A number of 64 bits.
    Wide(WideId),
    /// A text.
    Text(Symbol),
    /// A node of a program.
    Node(NodeId),
    /// Data, or a pair.
    Data(DataId),
    /// A list.
    List(SequenceId),
    /// An environment.
    Env(EnvId),
    /// A failure.
    Failure(FailureId),
    /// A map that can be changed.
    Map(MapId),
    /// A function.
    Closure(ClosureId),
}

#[derive(Clone, Copy, Debug)]
struct Record {
    class: ClassId,
    first: u32,
}

#[derive(Clone, Copy, Debug)]
struct Sequence {
    start: u32,
    end: u32,
    /// The first list of the same items, once they were compared.
    same: Option<SequenceId>,
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    key: Value,
    value: Value,
    below: EnvId,
}

/// Holds values.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// Texts.
    pub texts: Interner,
    wide: Vec<i64>,
    wide_numbers: FxHashMap<i64, WideId>,
    records: Vec<Record>,
    fields: Vec<Value>,
    field_counts: Vec<u8>,
    /// Data and their hashes.
    known: HashTable<(u64, DataId)>,
    sequences: Vec<Sequence>,
    items: Vec<Value>,
    known_sequences: HashTable<(u64, SequenceId)>,
    bindings: Vec<Binding>,
    maps: Vec<FxHashMap<Value, Value>>,
    closures: Vec<(u32, Box<[Value]>)>,
}

impl EnvId {
    /// The environment without mappings.
    pub const EMPTY: EnvId = EnvId(0);
}

fn hash(class: u32, values: &[Value]) -> u64 {
    use std::hash::{BuildHasher, Hash, Hasher};
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    class.hash(&mut hasher);
    values.hash(&mut hasher);
    hasher.finish()
}

impl Heap {
    /// Nothing is held; `texts` are.
    pub fn new(texts: Interner) -> Self {
        Heap { texts, ..Self::default() }
    }

    /// How many bytes are in use, about.
    pub fn bytes(&self) -> usize {
        self.fields.len() * 8
            + self.records.len() * 40
            + self.items.len() * 8
            + self.sequences.len() * 16
            + self.bindings.len() * 24
            + self.closures.len() * 48
            + self.texts.bytes()
    }

    /// A text as a value.
    pub fn text(&mut self, text: &str) -> Value {
        Value::Text(self.texts.intern(text))
    }

    /// A number as a value.
    pub fn number(&mut self, number: i64) -> Value {
        if let Ok(small) = i32::try_from(number) {
            return Value::Number(small);
        }
        let next = WideId::from_index(self.wide.len());
        let id = *self.wide_numbers.entry(number).or_insert(next);
        if id == next {
            self.wide.push(number);
        }
        Value::Wide(id)
    }

    /// The number that a value is.
    pub fn as_number(&self, value: Value) -> Option<i64> {
        match value {
            Value::Number(small) => Some(small.into()),
            Value::Wide(id) => Some(self.wide[id.index()]),
            _ => None,
        }
    }

    /// Data of a class.
    pub fn data(&mut self, class: ClassId, fields: &[Value]) -> Value {
        let mut fields: smallfields::Fields = smallfields::Fields::from(fields);
        for field in fields.iter_mut() {
            *field = self.same(*field);
        }
        let hash = hash(class.0.into(), &fields);
        let known = self.known.find(hash, |&(known, id)| {
            known == hash && self.records[id.index()].class == class && self.fields_of(id) == &*fields
        });
        if let Some(&(_, id)) = known {
            return Value::Data(id);
        }
        let id = DataId::from_index(self.records.len());
        self.records.push(Record { class, first: self.fields.len() as u32 });
        self.field_counts.push(fields.len() as u8);
        self.fields.extend_from_slice(&fields);
        self.known.insert_unique(hash, (hash, id), |known| known.0);
        Value::Data(id)
    }

    /// The class of data.
    #[inline]
    pub fn class_of(&self, data: DataId) -> ClassId {
        self.records[data.index()].class
    }

    /// The fields of data.
    #[inline]
    pub fn fields_of(&self, data: DataId) -> &[Value] {
        let first = self.records[data.index()].first as usize;
        &self.fields[first..first + usize::from(self.field_counts[data.index()])]
    }

    /// A list.
    pub fn list(&mut self, items: &[Value]) -> SequenceId {
        let start = self.items.len() as u32;
        self.items.extend_from_slice(items);
        self.sequence(start, self.items.len() as u32)
    }

    fn sequence(&mut self, start: u32, end: u32) -> SequenceId {
        let id = SequenceId::from_index(self.sequences.len());
        self.sequences.push(Sequence { start, end, same: None });
        id
    }

    /// The items of a list.
    #[inline]
    pub fn items(&self, list: SequenceId) -> &[Value] {
        let Sequence { start, end, .. } = self.sequences[list.index()];
        &self.items[start as usize..end as usize]
    }

    /// Part of a list.
    pub fn part(&mut self, list: SequenceId, from: usize, to: usize) -> SequenceId {
        let Sequence { start, .. } = self.sequences[list.index()];
        self.sequence(start + from as u32, start + to as u32)
    }

    /// A list with one more item. Takes constant time where the list is the newest one.
    pub fn append(&mut self, list: SequenceId, item: Value) -> SequenceId {
        let Sequence { start, end, .. } = self.sequences[list.index()];
        if end as usize == self.items.len() {
            self.items.push(item);
            return self.sequence(start, end + 1);
        }
        let first = self.items.len() as u32;
        self.items.extend_from_within(start as usize..end as usize);
        self.items.push(item);
        self.sequence(first, self.items.len() as u32)
    }

    /// A value that is the same for all that are equal: of lists, the first of these items.
    pub fn same(&mut self, value: Value) -> Value {
        let Value::List(list) = value else { return value };
        if let Some(same) = self.sequences[list.index()].same {
            return Value::List(same);
        }
        let Sequence { start, end, .. } = self.sequences[list.index()];
        for at in start..end {
            // Lists in lists; their depth is that of a type.
            if matches!(self.items[at as usize], Value::List(_)) {
                let same = self.same(self.items[at as usize]);
                self.items[at as usize] = same;
            }
        }
        let hash = hash(u32::MAX, self.items(list));
        let found = self
            .known_sequences
            .find(hash, |&(known, id)| known == hash && self.items(id) == self.items(list));
        let found = found.map(|&(_, id)| id);
        let same = found.unwrap_or(list);
        if found.is_none() {
            self.known_sequences.insert_unique(hash, (hash, list), |known| known.0);
        }
        self.sequences[list.index()].same = Some(same);
        Value::List(same)
    }

    /// An environment with one more mapping.
    pub fn bind(&mut self, below: EnvId, key: Value, value: Value) -> EnvId {
        self.bindings.push(Binding { key, value, below });
        EnvId::from_index(self.bindings.len())
    }

    /// The newest mapping of a key: the environment that it made.
    pub fn find(&self, mut env: EnvId, key: Value) -> Option<EnvId> {
        while env != EnvId::EMPTY {
            let binding = &self.bindings[env.index() - 1];
            if binding.key == key {
                return Some(env);
            }
            env = binding.below;
        }
        None
    }

    /// The mapping that an environment, which is not empty, adds to the one below.
    #[inline]
    pub fn binding(&self, env: EnvId) -> (Value, Value, EnvId) {
        let Binding { key, value, below } = self.bindings[env.index() - 1];
        (key, value, below)
    }

    /// Mappings of one environment over those of another.
    pub fn over(&mut self, below: EnvId, above: EnvId) -> EnvId {
        if below == EnvId::EMPTY {
            return above;
        }
        let mut mappings = Vec::new();
        let mut env = above;
        while env != EnvId::EMPTY {
            let (key, value, next) = self.binding(env);
            mappings.push((key, value));
            env = next;
        }
        mappings.into_iter().rev().fold(below, |env, (key, value)| self.bind(env, key, value))
    }

    /// A map that can be changed.
    pub fn map(&mut self) -> Value {
        self.maps.push(FxHashMap::default());
        Value::Map(MapId::from_index(self.maps.len() - 1))
    }

    /// The entries of a map.
    pub fn entries(&mut self, map: MapId) -> &mut FxHashMap<Value, Value> {
        &mut self.maps[map.index()]
    }

    /// A function that uses values.
    pub fn closure(&mut self, routine: u32, captured: &[Value]) -> Value {
        self.closures.push((routine, captured.into()));
        Value::Closure(ClosureId::from_index(self.closures.len() - 1))
    }

    /// The routine of a function, and what it uses.
    pub fn routine(&self, closure: ClosureId) -> (u32, &[Value]) {
        let (routine, captured) = &self.closures[closure.index()];
        (*routine, captured)
    }
}

/// Fields of data while they are made: few of them, on the stack.
mod smallfields {
    use super::Value;
    use std::ops::{Deref, DerefMut};

    pub(super) enum Fields {
        Few([Value; 8], usize),
        Many(Vec<Value>),
    }

    impl From<&[Value]> for Fields {
        fn from(values: &[Value]) -> Self {
            if values.len() > 8 {
                return Fields::Many(values.to_vec());
            }
            let mut few = [Value::Null; 8];
            few[..values.len()].copy_from_slice(values);
            Fields::Few(few, values.len())
        }
    }

    impl Deref for Fields {
        type Target = [Value];

        fn deref(&self) -> &[Value] {
            match self {
                Fields::Few(few, count) => &few[..*count],
                Fields::Many(many) => many,
            }
        }
    }

    impl DerefMut for Fields {
        fn deref_mut(&mut self) -> &mut [Value] {
            match self {
                Fields::Few(few, count) => &mut few[..*count],
                Fields::Many(many) => many,
            }
        }
    }
}
