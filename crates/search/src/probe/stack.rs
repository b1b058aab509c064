//! The stack of a probe: for each state, where to continue, and its difference from the state below.
//!
//! Only the state on top is stored in full. A state takes 20 bytes, plus 10 per word in which it differs.

use crate::ordered::Position;

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The current part of its successors, and the next one.
    pub part: Position,
    pub next: Position,
    /// Successors of the part that were visited, and all of them.
    pub visited: u16,
    pub count: u16,
    /// The claim's edge.
    pub edge: u16,
    /// Number of consecutive expansions with a single successor inside an atomic sequence that led to it.
    pub run: u16,
    /// Words in which it differs from the state below.
    changed: u16,
    /// Flags of this module.
    pub flags: u8,
}

/// The current part has precedence.
pub const PRECEDES: u8 = 1;
/// Some successor is not on the stack.
pub const LEADS_OUT: u8 = 2;
/// Some successor is on the stack.
pub const LEADS_BACK: u8 = 4;
/// It is accepting.
pub const ACCEPTING: u8 = 8;
/// The system cannot move; the only successor is the claim's.
pub const STUTTERS: u8 = 16;
/// It was expanded in full, although a part had precedence.
pub const FULL: u8 = 32;

/// The stack.
#[derive(Default)]
pub struct Stack {
    frames: Vec<Frame>,
    differences: Vec<u64>,
    places: Vec<u16>,
    /// The state on top.
    pub state: Vec<u64>,
}

impl Frame {
    const NEW: Frame = Frame {
        part: Position::START,
        next: Position::END,
        visited: 0,
        count: 0,
        edge: 0,
        run: 0,
        changed: 0,
        flags: 0,
    };
}

impl Stack {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The state on top.
    pub fn top(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Puts a first state.
    pub fn start(&mut self, state: &[u64]) {
        self.frames.clear();
        self.differences.clear();
        self.places.clear();
        self.state.clear();
        self.state.extend_from_slice(state);
        self.frames.push(Frame::NEW);
    }

    /// Puts a state on top.
    pub fn push(&mut self, state: &[u64]) {
        let mut changed = 0;
        for (place, (old, &new)) in self.state.iter_mut().zip(state).enumerate() {
            if *old != new {
                self.differences.push(*old ^ new);
                self.places.push(place as u16);
                *old = new;
                changed += 1;
            }
        }
        self.frames.push(Frame { changed, ..Frame::NEW });
    }

    /// Removes the state on top.
    pub fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            let left = self.places.len() - frame.changed as usize;
            for (place, difference) in self.places.drain(left..).zip(self.differences.drain(left..)) {
                self.state[place as usize] ^= difference;
            }
        }
    }

    /// Calls a function with each state and its place, from the top down.
    pub fn each_down(&self, mut each: impl FnMut(usize, &[u64])) {
        let mut state = self.state.clone();
        let mut end = self.places.len();
        for (at, frame) in self.frames.iter().enumerate().rev() {
            each(at, &state);
            let start = end - frame.changed as usize;
            for change in start..end {
                state[self.places[change] as usize] ^= self.differences[change];
            }
            end = start;
        }
    }

    /// Limit of additional bytes for `more` states of `words` words.
    pub fn growth_within(&self, more: usize, words: usize) -> u64 {
        let grows = self.frames.len() + more > self.frames.capacity()
            || self.places.len() + more * words > self.places.capacity();
        if grows { 2 * self.bytes() } else { 0 }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>()
            + 8 * self.differences.capacity()
            + 2 * self.places.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_below() {
        let mut stack = Stack::default();
        let states: Vec<Vec<u64>> = (0..100u64).map(|n| vec![n / 7, 3, n * n, n % 5]).collect();
        stack.start(&states[0]);
        states[1..].iter().for_each(|state| stack.push(state));
        let mut seen = Vec::new();
        stack.each_down(|at, state| seen.push((at, state.to_vec())));
        seen.reverse();
        assert_eq!(seen, states.iter().cloned().enumerate().collect::<Vec<_>>());
        for state in states.iter().rev() {
            assert_eq!(stack.state, *state);
            stack.pop();
        }
        assert_eq!(stack.len(), 0);
    }
}
