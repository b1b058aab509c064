//! A partition of states that becomes finer, with the history of its splits.

/// States in blocks. When a block is split, the largest part keeps its number and the others get new ones: a state changes its block
/// at most log n times, since the block is then at most half as large.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The block of each state.
    pub of: Vec<u32>,
    /// The states, those of a block together.
    elements: Vec<u32>,
    /// The place of each state in `elements`.
    place: Vec<u32>,
    /// Where the states of each block begin in `elements`.
    start: Vec<u32>,
    /// States in each block.
    size: Vec<u32>,
    /// The block that each was split from; its own number for those that were there from the beginning.
    parent: Vec<u32>,
    /// The round in which each was made.
    born: Vec<u32>,
}

impl Blocks {
    /// All states in one block.
    pub fn one(states: usize) -> Self {
        let elements: Vec<u32> = (0..states as u32).collect();
        Blocks {
            of: vec![0; states],
            place: elements.clone(),
            elements,
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

    /// The states of a block.
    pub fn members(&self, block: u32) -> &[u32] {
        let start = self.start[block as usize] as usize;
        &self.elements[start..start + self.size[block as usize] as usize]
    }

    /// How many states a block has.
    #[inline]
    pub fn size(&self, block: u32) -> u32 {
        self.size[block as usize]
    }

    /// Where the states of a block begin, as a place for [`place`](Self::place).
    pub fn start(&self, block: u32) -> u32 {
        self.start[block as usize]
    }

    /// The block that a block was split from.
    pub fn parent(&self, block: u32) -> u32 {
        self.parent[block as usize]
    }

    /// Exchanges a state with the one at a place of its block.
    #[inline]
    pub fn place(&mut self, state: u32, place: u32) {
        let (other, old) = (self.elements[place as usize], self.place[state as usize]);
        self.elements[old as usize] = other;
        self.place[other as usize] = old;
        self.elements[place as usize] = state;
        self.place[state as usize] = place;
    }

    /// Makes a new block of the states at some places of a block, at one of its ends.
    pub fn split_off(&mut self, block: u32, start: u32, size: u32, round: u32) -> u32 {
        let new = self.size.len() as u32;
        self.start.push(start);
        self.size.push(size);
        self.parent.push(block);
        self.born.push(round);
        for &state in &self.elements[start as usize..(start + size) as usize] {
            self.of[state as usize] = new;
        }
        let of_block = &mut self.start[block as usize];
        if *of_block == start {
            *of_block += size;
        }
        self.size[block as usize] -= size;
        new
    }

    /// The block that a state was in after a round.
    pub fn after_round(&self, state: u32, round: u32) -> u32 {
        let mut block = self.of[state as usize];
        while self.born[block as usize] > round {
            block = self.parent[block as usize];
        }
        block
    }

    /// The first round after which two states were in different blocks; `None` if they never were.
    pub fn separated(&self, left: u32, right: u32) -> Option<u32> {
        let (mut a, mut b) = (self.of[left as usize], self.of[right as usize]);
        let mut round = None;
        while a != b {
            // The younger of the two was made by the split, or by one that came later.
            let younger = if self.born[a as usize] >= self.born[b as usize] { &mut a } else { &mut b };
            round = Some(self.born[*younger as usize]);
            *younger = self.parent[*younger as usize];
        }
        round
    }

    /// Numbers without gaps in the order in which states meet them, and how many blocks have states.
    pub fn renumbered(&self) -> (Vec<u32>, u32) {
        let mut number = vec![u32::MAX; self.len()];
        let mut next = 0;
        let of = self.of.iter().map(|&block| {
            let number = &mut number[block as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            *number
        });
        (of.collect(), next)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * (3 * self.of.len() + 4 * self.size.len()) as u64
    }
}
