//! Side tables: something more about the entities of another table.

use crate::Entity;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense map from entities to values, in which every entity has a value: the default until another one is written.
/// Writing makes room; reading never does.
#[derive(Clone, Debug)]
pub struct EntityMap<K, V> {
    values: Vec<V>,
    default: V,
    keys: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V: Clone> EntityMap<K, V> {
    /// A map in which every entity has this value.
    pub const fn with_default(default: V) -> Self {
        EntityMap { values: Vec::new(), default, keys: PhantomData }
    }

    /// The entities that may have another value than the default, with their values: all up to the greatest that was written.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, value)| (K::from_index(i), value))
    }

    /// Gives every entity the default again; keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

impl<K: Entity, V: Clone + Default> Default for EntityMap<K, V> {
    fn default() -> Self {
        EntityMap::with_default(V::default())
    }
}

impl<K: Entity, V: Clone> Index<K> for EntityMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for EntityMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, self.default.clone());
        }
        &mut self.values[index]
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
    fn every_key_has_a_value() {
        let mut map: EntityMap<Key, Option<u32>> = EntityMap::default();
        assert_eq!(map[Key(1000)], None);
        assert_eq!(map.iter().len(), 0, "reading makes no room");
        map[Key(2)] = Some(7);
        assert_eq!((map[Key(1)], map[Key(2)], map[Key(3)]), (None, Some(7), None));
        assert_eq!(map.iter().filter(|(_, v)| v.is_some()).map(|(k, _)| k).collect::<Vec<_>>(), [Key(2)]);
        map.clear();
        assert_eq!(map[Key(2)], None);
    }

    #[test]
    fn a_default_of_ones_own() {
        let mut map: EntityMap<Key, u32> = EntityMap::with_default(u32::MAX);
        map[Key(1)] -= 1;
        assert_eq!([map[Key(0)], map[Key(1)], map[Key(2)]], [u32::MAX, u32::MAX - 1, u32::MAX]);
    }
}
