//! The stack of a depth-first search, on the heap: states with their remaining targets.
//!
//! A state takes 16 bytes, plus 4 per remaining target. The targets of the state on top come last, in reverse
//! order, and are removed as they are visited.

/// A stack of states.
#[derive(Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
    /// Targets that are left of all states on the stack.
    targets: Vec<u32>,
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its number.
    pub state: u32,
    /// Number of steps found when it was expanded, including those inside atomic sequences.
    pub steps: u32,
    /// Its targets.
    pub count: u32,
    /// Number of remaining targets.
    left: u32,
}

impl Stack {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The states from the terminal up.
    pub fn states(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.frames.iter().map(|frame| frame.state)
    }

    /// The state on top.
    pub fn top(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    /// The position of a state, counted from the bottom.
    pub fn position(&self, state: u32) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.state == state)
    }

    /// Puts a state on top.
    pub fn push(&mut self, state: u32, targets: &[u32], steps: u32) {
        self.frames.push(Frame { state, steps, count: 0, left: 0 });
        self.extend(targets);
    }

    /// Adds targets to the state on top, whose other targets were all visited.
    pub fn extend(&mut self, targets: &[u32]) {
        let Some(frame) = self.frames.last_mut() else { return };
        debug_assert_eq!(frame.left, 0, "targets are visited in their order");
        self.targets.extend(targets.iter().rev());
        frame.count += targets.len() as u32;
        frame.left += targets.len() as u32;
    }

    /// The next target of the state on top, if any is left.
    pub fn next_target(&mut self) -> Option<u32> {
        let frame = self.frames.last_mut()?;
        frame.left = frame.left.checked_sub(1)?;
        self.targets.pop()
    }

    /// Removes the state on top; returns the number of its targets.
    pub fn pop(&mut self) -> usize {
        let Some(frame) = self.frames.pop() else { return 0 };
        self.targets.truncate(self.targets.len() - frame.left as usize);
        frame.count as usize
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.targets.clear();
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>() + self.targets.capacity() * 4) as u64
    }
}
