//! The stack of a depth-first search, on the heap: states with the targets that are left to visit.

/// A stack of states.
#[derive(Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
    /// Targets of all states on the stack, those of the last at the end.
    targets: Vec<u32>,
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its number.
    pub state: u32,
    /// Steps that were found when it was expanded, those inside atomic sequences included.
    pub steps: u32,
    first: usize,
    next: usize,
}

impl Stack {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The states from the bottom up.
    pub fn states(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.frames.iter().map(|frame| frame.state)
    }

    /// The state on top.
    pub fn top(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    /// Where a state is, counted from the bottom.
    pub fn position(&self, state: u32) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.state == state)
    }

    /// Puts a state on top.
    pub fn push(&mut self, state: u32, targets: &[u32], steps: u32) {
        let first = self.targets.len();
        self.targets.extend_from_slice(targets);
        self.frames.push(Frame { state, steps, first, next: first });
    }

    /// More targets for the state on top.
    pub fn extend(&mut self, targets: &[u32]) {
        self.targets.extend_from_slice(targets);
    }

    /// The next target of the state on top; `None` if none is left.
    pub fn next_target(&mut self) -> Option<u32> {
        let frame = self.frames.last_mut()?;
        let target = self.targets.get(frame.next).copied()?;
        frame.next += 1;
        Some(target)
    }

    /// Takes the state on top away; gives the number of its targets.
    pub fn pop(&mut self) -> usize {
        let Some(frame) = self.frames.pop() else { return 0 };
        let targets = self.targets.len() - frame.first;
        self.targets.truncate(frame.first);
        targets
    }

    /// Forgets all states.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.targets.clear();
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>() + self.targets.capacity() * 4) as u64
    }
}
