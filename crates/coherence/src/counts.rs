//! How many caches hold the line in each way.
//!
//! Caches are alike, so that a configuration of the whole machine is the number of caches in each [`Class`], and whether memory has the
//! latest value. With a given number of caches the numbers are exact. For any number of them they are 0, 1 or "many" (two or more), and
//! there are always caches without the line.

use crate::protocol::{MOST_STATES, State};

/// A way to hold the line: the state, and whether the copy has the latest value. Without the line there is one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Class(u8);

/// Classes of a protocol with as many states as there may be.
const MOST_CLASSES: u8 = 2 * MOST_STATES as u8 - 1;

impl Class {
    pub const INVALID: Class = Class(0);

    pub fn new(state: State, is_latest: bool) -> Class {
        if state == State::INVALID { Class::INVALID } else { Class(2 * state.0 - 1 + u8::from(is_latest)) }
    }

    pub fn state(self) -> State {
        State(self.0.div_ceil(2))
    }

    pub fn is_latest(self) -> bool {
        self.0 != 0 && self.0.is_multiple_of(2)
    }

    /// The classes of a protocol with `states` states, without the line first.
    pub fn all(states: usize) -> impl DoubleEndedIterator<Item = Class> {
        (0..2 * states as u8 - 1).map(Class)
    }
}

/// Bits of a count.
const WIDTH: u32 = 4;
/// The bit that says whether memory has the latest value.
const MEMORY: u128 = 1 << (WIDTH * MOST_CLASSES as u32);

/// How many caches there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Caches {
    /// Any number; the count 2 means two or more, and caches without the line are not counted: there are more always.
    Any,
    /// So many.
    Exactly(u8),
}

/// "Two or more", where there are any number of caches.
const MANY: u8 = 2;

/// Counts by class in four bits each, and the bit of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Counts(u128);

impl Counts {
    /// No cache holds the line, and memory has the latest value.
    pub fn initial(caches: Caches) -> Counts {
        let mut counts = Counts(MEMORY);
        if let Caches::Exactly(count) = caches {
            counts.set(Class::INVALID, count);
        }
        counts
    }

    /// No caches at all.
    pub fn none(is_memory_latest: bool) -> Counts {
        Counts(if is_memory_latest { MEMORY } else { 0 })
    }

    pub fn get(self, class: Class) -> u8 {
        (self.0 >> (WIDTH * u32::from(class.0)) & 0xf) as u8
    }

    fn set(&mut self, class: Class, count: u8) {
        let shift = WIDTH * u32::from(class.0);
        self.0 = self.0 & !(0xf << shift) | u128::from(count) << shift;
    }

    pub fn is_memory_latest(self) -> bool {
        self.0 & MEMORY != 0
    }

    /// Adds caches to a class.
    pub fn add(&mut self, class: Class, count: u8, caches: Caches) {
        let sum = self.get(class) + count;
        match caches {
            Caches::Exactly(_) => self.set(class, sum),
            Caches::Any if class == Class::INVALID => {}
            Caches::Any => self.set(class, sum.min(MANY)),
        }
    }

    /// Whether there is a cache of this class.
    pub fn has(self, class: Class, caches: Caches) -> bool {
        self.get(class) > 0 || caches == Caches::Any && class == Class::INVALID
    }

    /// What the other caches may be, without one of this class: one less of "many" is one, or many still.
    pub fn without(self, class: Class, caches: Caches) -> impl Iterator<Item = Counts> {
        let count = self.get(class);
        let (first, second) = match caches {
            Caches::Any if count == 0 => (self, None),
            Caches::Any if count == MANY => (self.with(class, 1), Some(self)),
            _ => (self.with(class, count - 1), None),
        };
        std::iter::once(first).chain(second)
    }

    fn with(mut self, class: Class, count: u8) -> Counts {
        self.set(class, count);
        self
    }

    /// The strongest state of a cache.
    pub fn strongest(self) -> State {
        let counts = self.0 & (MEMORY - 1);
        let class = counts.checked_ilog2().map_or(0, |bit| bit / WIDTH);
        Class(class as u8).state()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_states_and_values() {
        assert_eq!(Class::new(State(0), true), Class::INVALID);
        assert_eq!(Class::INVALID.state(), State::INVALID);
        let all: Vec<Class> = Class::all(MOST_STATES).collect();
        assert_eq!(all.len(), usize::from(MOST_CLASSES));
        for &class in &all {
            assert_eq!(Class::new(class.state(), class.is_latest()), class);
        }
        for state in 1..MOST_STATES as u8 {
            let class = Class::new(State(state), true);
            assert!(class.is_latest() && class.state() == State(state) && all.contains(&class));
        }
    }

    #[test]
    fn numbers_are_kept_apart() {
        let exactly = Caches::Exactly(5);
        let strongest = Class::new(State(15), true);
        let mut counts = Counts::initial(exactly);
        assert_eq!((counts.strongest(), counts.get(Class::INVALID)), (State(0), 5));
        counts.add(strongest, 3, exactly);
        counts.add(Class::new(State(1), false), 5, exactly);
        assert_eq!(
            (counts.get(strongest), counts.strongest(), counts.is_memory_latest()),
            (3, State(15), true)
        );
        let less: Vec<Counts> = counts.without(strongest, exactly).collect();
        assert_eq!((less.len(), less[0].get(strongest)), (1, 2));
    }

    #[test]
    fn many_less_one_is_one_or_many() {
        let class = Class::new(State(1), true);
        let mut counts = Counts::initial(Caches::Any);
        assert!(counts.has(Class::INVALID, Caches::Any) && !counts.has(class, Caches::Any));
        counts.add(class, 1, Caches::Any);
        let left: Vec<u8> = counts.without(class, Caches::Any).map(|left| left.get(class)).collect();
        assert_eq!(left, [0]);
        counts.add(class, 2, Caches::Any);
        counts.add(Class::INVALID, 1, Caches::Any);
        assert_eq!((counts.get(class), counts.get(Class::INVALID)), (2, 0));
        let left: Vec<u8> = counts.without(class, Caches::Any).map(|left| left.get(class)).collect();
        assert_eq!(left, [1, 2]);
        assert_eq!(counts.without(Class::INVALID, Caches::Any).count(), 1);
    }
}
