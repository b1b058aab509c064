//! Partitions of the unknown states into classes that share a value.

use volvelle_space::BitSet;

/// No class.
pub const NONE: u32 = u32::MAX;

/// A partition of the unknown states.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Class of a state, or [`NONE`].
    pub of: Vec<u32>,
    /// The states of class `c` are `members[start[c]..start[c + 1]]`.
    pub start: Vec<u32>,
    /// States, grouped.
    pub members: Vec<u32>,
}

impl Classes {
    /// Every unknown state is its own class, except that the states of each group share one.
    pub fn new<'a>(unknown: &BitSet, groups: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut of = vec![NONE; unknown.len()];
        let mut start = vec![0];
        let mut members = Vec::with_capacity(unknown.count());
        for group in groups {
            for &s in group {
                of[s as usize] = start.len() as u32 - 1;
            }
            members.extend_from_slice(group);
            start.push(members.len() as u32);
        }
        for s in unknown.iter() {
            if of[s] == NONE {
                of[s] = start.len() as u32 - 1;
                members.push(s as u32);
                start.push(members.len() as u32);
            }
        }
        Classes { of, start, members }
    }

    /// Number of classes.
    #[inline]
    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    /// The states of a class.
    #[inline]
    pub fn states(&self, class: usize) -> &[u32] {
        &self.members[self.start[class] as usize..self.start[class + 1] as usize]
    }
}
