//! The states of a product: vectors of states of its members, numbered in the order in which they are found.

/// No state in a slot.
const FREE: u32 = u32::MAX;

/// A table of vectors. All have the same length; they lie one behind another, and slots of a hash table hold their numbers.
pub(super) struct States {
    width: usize,
    parts: Vec<u32>,
    /// Numbers of states by their hashes, with linear probing; at most half of the slots are taken.
    slots: Vec<u32>,
}

impl States {
    pub fn new(width: usize) -> Self {
        States { width, parts: Vec::new(), slots: vec![FREE; 1 << 10] }
    }

    pub fn len(&self) -> usize {
        self.parts.len() / self.width
    }

    /// The parts of a state.
    pub fn get(&self, state: usize) -> &[u32] {
        &self.parts[state * self.width..][..self.width]
    }

    /// The number of a vector, a new one where it is new. `None`: 32-bit numbers do not suffice.
    pub fn number(&mut self, parts: &[u32]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(parts) as usize & mask;
        loop {
            match self.slots[slot] {
                FREE => break,
                state if self.get(state as usize) == parts => return Some(state),
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = u32::try_from(self.len()).ok().filter(|&number| number != FREE)?;
        self.slots[slot] = number;
        self.parts.extend_from_slice(parts);
        if 2 * self.len() > self.slots.len() {
            self.grow();
        }
        Some(number)
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        let mut slots = vec![FREE; mask + 1];
        for state in 0..self.len() {
            let mut slot = hash(self.get(state)) as usize & mask;
            while slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            slots[slot] = state as u32;
        }
        self.slots = slots;
    }

    pub fn bytes(&self) -> u64 {
        (size_of::<u32>() * (self.parts.capacity() + self.slots.capacity())) as u64
    }
}

/// Multiplication and rotation, as in FxHash; the high bits, which are the better ones, are folded down.
fn hash(parts: &[u32]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mixed = parts.iter().fold(0u64, |h, &part| (h.rotate_left(5) ^ u64::from(part)).wrapping_mul(FACTOR));
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_their_numbers_as_the_table_grows() {
        let mut states = States::new(3);
        let vector = |k: u32| [k % 7, k / 7, 5 * k];
        for k in 0..5_000 {
            assert_eq!(states.number(&vector(k)), Some(k));
        }
        assert!(
            (0..5_000).all(|k| states.number(&vector(k)) == Some(k) && states.get(k as usize) == vector(k))
        );
        assert_eq!(states.len(), 5_000);
    }
}
