//! A partition of states that becomes finer, with the history of its splits.

use std::sync::atomic::{AtomicU32, Ordering};
use volvelle_control::{Control, ProgressEvent};

/// States in blocks. When a block is split, the largest part keeps its number and the others get new ones: a state changes its block
/// at most log n times, since the block is then at most half as large.
///
/// What is kept by state are atomic numbers, since threads that split different blocks write to states of their own that lie among
/// those of others. No thread reads what another one writes: plain loads and stores are enough.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// The block of each state.
    of: Box<[AtomicU32]>,
    /// The states, those of a block together.
    elements: Box<[AtomicU32]>,
    /// The place of each state in `elements`.
    place: Box<[AtomicU32]>,
    /// Where the states of each block begin in `elements`.
    start: Vec<u32>,
    /// States in each block.
    size: Vec<u32>,
    /// The block that each was split from; its own number for those that were there from the beginning.
    parent: Vec<u32>,
    /// The round in which each was made.
    born: Vec<u32>,
}

/// Some blocks, and room for new ones that come of them.
pub(crate) struct Room<'a> {
    first: u32,
    start: &'a mut [u32],
    size: &'a mut [u32],
    first_new: u32,
    /// New blocks so far.
    new: usize,
    new_start: &'a mut [u32],
    new_size: &'a mut [u32],
    new_parent: &'a mut [u32],
}

impl Room<'_> {
    /// Makes a new block of the states at some places of a block, at one of its ends.
    pub fn split_off(&mut self, block: u32, start: u32, size: u32) -> u32 {
        let new = self.new;
        self.new += 1;
        self.new_start[new] = start;
        self.new_size[new] = size;
        self.new_parent[new] = block;
        let place = (block - self.first) as usize;
        if self.start[place] == start {
            self.start[place] += size;
        }
        self.size[place] -= size;
        self.first_new + new as u32
    }
}

#[inline]
fn get(array: &[AtomicU32], at: u32) -> u32 {
    array[at as usize].load(Ordering::Relaxed)
}

#[inline]
fn set(array: &[AtomicU32], at: u32, value: u32) {
    array[at as usize].store(value, Ordering::Relaxed);
}

/// The first entries of an array, which keeps the others.
fn cut<'a>(array: &mut &'a mut [u32], count: u32) -> &'a mut [u32] {
    let (own, later) = std::mem::take(array).split_at_mut(count as usize);
    *array = later;
    own
}

impl Blocks {
    /// Tells the user how far refinement is before a round, the first of which has number 1.
    pub fn report(&self, round: u32, control: &Control<'_>) {
        control.progress.report(ProgressEvent::Refining {
            rounds: u64::from(round) - 1,
            classes: self.len() as u64,
            states: self.of.len() as u64,
        });
    }

    /// All states in one block.
    pub fn one(states: usize) -> Self {
        let numbers = || (0..states as u32).map(AtomicU32::new).collect();
        Blocks {
            of: (0..states).map(|_| AtomicU32::new(0)).collect(),
            place: numbers(),
            elements: numbers(),
            start: vec![0],
            size: vec![states as u32],
            parent: vec![0],
            born: vec![0],
        }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.size.len()
    }

    /// The block of a state.
    #[inline]
    pub fn of(&self, state: u32) -> u32 {
        get(&self.of, state)
    }

    /// The states of a block.
    pub fn members(&self, block: u32) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        self.at(self.start[block as usize], self.size[block as usize])
    }

    /// The states at some places.
    pub fn at(&self, start: u32, count: u32) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let range = start as usize..(start + count) as usize;
        self.elements[range].iter().map(|state| state.load(Ordering::Relaxed))
    }

    /// How many states a block has.
    #[inline]
    pub fn size(&self, block: u32) -> u32 {
        self.size[block as usize]
    }

    /// Where the states of a block begin, as a place for [`exchange`](Self::exchange).
    pub fn start(&self, block: u32) -> u32 {
        self.start[block as usize]
    }

    /// The block that a block was split from.
    pub fn parent(&self, block: u32) -> u32 {
        self.parent[block as usize]
    }

    /// Exchanges a state with the one at a place of its block.
    #[inline]
    pub fn exchange(&self, state: u32, place: u32) {
        let (other, old) = (get(&self.elements, place), get(&self.place, state));
        set(&self.elements, old, other);
        set(&self.place, other, old);
        self.put(state, place);
    }

    /// Puts a state at a place; whatever was there is put elsewhere.
    #[inline]
    pub fn put(&self, state: u32, place: u32) {
        set(&self.elements, place, state);
        set(&self.place, state, place);
    }

    /// Notes that a state is in a block.
    #[inline]
    pub fn assign(&self, state: u32, block: u32) {
        set(&self.of, state, block);
    }

    /// Makes room for new blocks: for each of some ranges of so many blocks the number of those that come of its blocks. Gives for each range
    /// what a thread needs to make them. The states of new blocks are still to be [assigned](Self::assign) to these.
    pub fn make_room(&mut self, size: usize, counts: &[u32], round: u32) -> Vec<Room<'_>> {
        let before = self.size.len();
        let after = before + counts.iter().sum::<u32>() as usize;
        [&mut self.start, &mut self.size, &mut self.parent]
            .into_iter()
            .for_each(|array| array.resize(after, 0));
        self.born.resize(after, round);
        let (start, mut new_start) = self.start.split_at_mut(before);
        let (of_size, mut new_size) = self.size.split_at_mut(before);
        let mut new_parent = &mut self.parent[before..];
        let mut next = before as u32;
        let (mut starts, mut sizes) = (start.chunks_mut(size), of_size.chunks_mut(size));
        let room = |(k, &count): (usize, &u32)| {
            let first_new = next;
            next += count;
            Room {
                first: (k * size) as u32,
                start: starts.next().unwrap_or_default(),
                size: sizes.next().unwrap_or_default(),
                first_new,
                new: 0,
                new_start: cut(&mut new_start, count),
                new_size: cut(&mut new_size, count),
                new_parent: cut(&mut new_parent, count),
            }
        };
        counts.iter().enumerate().map(room).collect()
    }

    /// The block that a state was in after a round.
    pub fn after_round(&self, state: u32, round: u32) -> u32 {
        let mut block = self.of(state);
        while self.born[block as usize] > round {
            block = self.parent[block as usize];
        }
        block
    }

    /// The first round after which two states were in different blocks; `None` if they never were.
    pub fn separated(&self, left: u32, right: u32) -> Option<u32> {
        let (mut a, mut b) = (self.of(left), self.of(right));
        let mut round = None;
        while a != b {
            // The younger of the two was made by the split, or by one that came later.
            let younger = if self.born[a as usize] >= self.born[b as usize] { &mut a } else { &mut b };
            round = Some(self.born[*younger as usize]);
            *younger = self.parent[*younger as usize];
        }
        round
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * (3 * self.of.len() + 4 * self.size.len()) as u64
    }
}
