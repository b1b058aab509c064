//! Marks: instructions before which cycles are recorded, at the ends of windows.

use super::flight::Flying;
use super::stack::Stack;
use std::collections::VecDeque;

/// An instruction before which cycles are recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub instruction: u64,
    pub cycles: u64,
    pub stack: Stack,
}

/// Marks of an engine.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// The number of the next mark not passed yet; `u64::MAX` if there is none.
    pub next: u64,
    pub waiting: VecDeque<u64>,
    pub passed: Vec<Mark>,
    /// The cycle after the last retirement so far.
    end: u64,
    /// Whether there are any.
    pub is_used: bool,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { next: u64::MAX, waiting: VecDeque::new(), passed: Vec::new(), end: 0, is_used: false }
    }
}

impl Marks {
    /// An instruction retires, of a number.
    pub fn retire(&mut self, number: u64, flying: &Flying, stack: &Stack) {
        if number == self.next {
            self.pass(number, stack);
        }
        self.end = self.end.max(flying.retire + 1);
    }

    /// Passes the marks before an instruction: all before it have retired.
    pub fn pass(&mut self, number: u64, stack: &Stack) {
        while self.next == number {
            self.waiting.pop_front();
            self.passed.push(Mark { instruction: number, cycles: self.end, stack: *stack });
            self.next = self.waiting.front().copied().unwrap_or(u64::MAX);
        }
    }
}
