//! Names that occur many times, as small numbers.

use std::collections::HashMap;

/// Slots of the cache in front of the map; a power of two.
const SLOTS: usize = 256;

/// Distinct names in the order of their first occurrence. Borrows them from the text.
pub(crate) struct Names<'t> {
    list: Vec<&'t [u8]>,
    places: HashMap<&'t [u8], u32>,
    /// Places of names found lately, by a cheap hash; `u32::MAX` is unused.
    cache: [u32; SLOTS],
}

impl<'t> Default for Names<'t> {
    fn default() -> Self {
        Names { list: Vec::new(), places: HashMap::new(), cache: [u32::MAX; SLOTS] }
    }
}

impl<'t> Names<'t> {
    /// The number of a name.
    #[inline]
    pub fn number(&mut self, name: &'t [u8]) -> u32 {
        let slot = slot(name);
        let cached = self.cache[slot];
        if self.list.get(cached as usize).is_some_and(|&known| known == name) {
            return cached;
        }
        let place = *self.places.entry(name).or_insert_with(|| {
            self.list.push(name);
            (self.list.len() - 1) as u32
        });
        self.cache[slot] = place;
        place
    }

    /// The names, by number.
    pub fn list(&self) -> &[&'t [u8]] {
        &self.list
    }

    /// Bytes held, the names not counted.
    pub fn bytes(&self) -> u64 {
        (self.list.len() * (3 * size_of::<&[u8]>() + size_of::<u32>())) as u64
    }
}

/// A slot from the length and up to eight bytes at either end.
#[inline]
fn slot(name: &[u8]) -> usize {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &b| (word << 8) | u64::from(b));
    let short = name.len().min(8);
    let ends = match name.first_chunk::<8>() {
        Some(first) => u64::from_le_bytes(*first) ^ word(&name[name.len() - short..]).rotate_left(17),
        None => word(name),
    };
    ((ends ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_in_order() {
        let mut names = Names::default();
        let text: Vec<String> = (0..2000).map(|i| format!("name{}", i % 700)).collect();
        for (i, name) in text.iter().enumerate() {
            assert_eq!(names.number(name.as_bytes()), i as u32 % 700);
        }
        assert_eq!(names.number(b""), 700);
        assert_eq!(names.number(b""), 700);
        assert_eq!((names.list().len(), names.list()[3]), (701, &b"name3"[..]));
    }
}
