//! Tables that own their values.

use crate::Entity;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A vector that only entities of one type index. Values are never removed, so an entity stays valid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityVec<K, V> {
    values: Vec<V>,
    keys: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V> EntityVec<K, V> {
    /// An empty table.
    pub const fn new() -> Self {
        EntityVec { values: Vec::new(), keys: PhantomData }
    }

    /// An empty table with room for `capacity` values.
    pub fn with_capacity(capacity: usize) -> Self {
        Vec::with_capacity(capacity).into()
    }

    /// A table of `len` times the same value.
    pub fn filled(value: V, len: usize) -> Self
    where
        V: Clone,
    {
        vec![value; len].into()
    }

    /// Appends a value; gives its entity.
    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        self.values.push(value);
        key
    }

    /// The entity that the next [`EntityVec::push`] gives.
    pub fn next_key(&self) -> K {
        K::from_index(self.values.len())
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the table has a value for this entity.
    pub fn contains_key(&self, key: K) -> bool {
        key.index() < self.values.len()
    }

    /// The value of an entity, if it is of this table.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    /// The value of an entity, for writing, if it is of this table.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(key.index())
    }

    /// The last entity and its value.
    pub fn last(&self) -> Option<(K, &V)> {
        let value = self.values.last()?;
        Some((K::from_index(self.values.len() - 1), value))
    }

    /// All entities, in ascending order. The iterator does not borrow the table.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + Clone + use<K, V> {
        (0..self.values.len()).map(K::from_index)
    }

    /// All values, in the order of their entities.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// All values, in the order of their entities, for writing.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// All entities with their values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, value)| (K::from_index(i), value))
    }

    /// All entities with their values, for writing.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.values.iter_mut().enumerate().map(|(i, value)| (K::from_index(i), value))
    }

    /// A table of the same entities with other values.
    pub fn map<W>(&self, value: impl FnMut(&V) -> W) -> EntityVec<K, W> {
        self.values.iter().map(value).collect()
    }

    /// The first entity whose value has a property.
    pub fn position(&self, has: impl FnMut(&V) -> bool) -> Option<K> {
        self.values.iter().position(has).map(K::from_index)
    }

    /// The values alone.
    pub fn as_slice(&self) -> &[V] {
        &self.values
    }

    /// The values alone, for writing.
    pub fn as_mut_slice(&mut self) -> &mut [V] {
        &mut self.values
    }

    /// The values alone.
    pub fn into_values(self) -> Vec<V> {
        self.values
    }
}

impl<K: Entity, V> Default for EntityVec<K, V> {
    fn default() -> Self {
        EntityVec::new()
    }
}

impl<K, V> From<Vec<V>> for EntityVec<K, V> {
    fn from(values: Vec<V>) -> Self {
        EntityVec { values, keys: PhantomData }
    }
}

impl<K, V> FromIterator<V> for EntityVec<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<K, V> Extend<V> for EntityVec<K, V> {
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

impl<K: Entity, V> Index<K> for EntityVec<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for EntityVec<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity;

    entity!(
        /// An entity of these tests.
        pub(crate) Key
    );

    #[test]
    fn pushing_gives_keys_in_order() {
        let mut table = EntityVec::new();
        assert!(table.is_empty());
        assert_eq!(table.next_key(), Key(0));
        assert_eq!([table.push("a"), table.push("b")], [Key(0), Key(1)]);
        assert_eq!(table.next_key(), Key(2));
        assert_eq!(table[Key(1)], "b");
        assert_eq!(table.last(), Some((Key(1), &"b")));
        assert_eq!(table.get(Key(2)), None);
        assert!(table.contains_key(Key(1)) && !table.contains_key(Key(2)));
    }

    #[test]
    fn iterating_agrees_with_indexing() {
        let mut table: EntityVec<Key, u32> = (10..14).collect();
        for (key, value) in table.iter_mut() {
            *value += key.0;
        }
        for key in table.keys() {
            assert_eq!(table[key], 10 + 2 * key.0);
        }
        assert_eq!(table.iter().rev().map(|(key, _)| key.0).collect::<Vec<_>>(), [3, 2, 1, 0]);
        assert_eq!(table.position(|v| *v == 14), Some(Key(2)));
        assert_eq!(table.map(|v| v / 2).into_values(), [5, 6, 7, 8]);
    }

    #[test]
    fn keys_may_be_used_while_the_table_changes() {
        let mut table: EntityVec<Key, u32> = EntityVec::filled(1, 3);
        for key in table.keys() {
            table[key] = key.0;
        }
        table.extend([9]);
        assert_eq!(table.as_slice(), [0, 1, 2, 9]);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_key_of_another_table() {
        let table: EntityVec<Key, u32> = EntityVec::filled(1, 3);
        let _ = table[Key(3)];
    }
}
