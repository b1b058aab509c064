//! Trails under construction, of which only the beginning and the end may be kept.

use crate::report::{Gap, Trail, UNLISTED};

/// Which trails are given in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Steps of the longest one.
    pub longest: usize,
    /// Steps at the beginning and at the end of longer ones ([`Trail::gap`]).
    pub listed: usize,
}

impl Listing {
    /// All of them.
    pub const WHOLE: Listing = Listing { longest: usize::MAX, listed: usize::MAX / 4 };
}

impl Default for Listing {
    fn default() -> Self {
        Listing::WHOLE
    }
}

/// A path segment: the steps from a stored state to the next stored state, or to an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSegment {
    /// The steps, each with the state that it leads to.
    pub path: Vec<(u32, Vec<u64>)>,
    /// The index of a step that stands for several, and their number.
    pub gap: Option<(usize, u64)>,
    /// For an error: the step that failed.
    pub error_step: u32,
    /// For an error: whether the path includes the step that failed.
    pub went_on: bool,
}

/// A trail that grows at its end; each state has a mark of the caller's.
pub(crate) struct TrailBuilder {
    listing: Listing,
    trail: Trail,
    marks: Vec<u32>,
    /// By how many positions the steps after the gap have moved to the front.
    moved: usize,
}

impl TrailBuilder {
    /// A trail of one state.
    pub fn starting(state: &[u64], mark: u32, listing: Listing) -> Self {
        TrailBuilder { listing, trail: Trail::starting(state), marks: vec![mark], moved: 0 }
    }

    /// Appends a state that is `missing` stored states and one step away.
    pub fn skip(&mut self, missing: u64, to: &[u64], mark: u32) {
        self.push(UNLISTED, to.to_vec(), mark);
        self.open_gap(missing + 1);
    }

    /// Appends some steps, with one mark for the intermediate states and one for the last state.
    pub fn append(&mut self, segment: PathSegment, on_the_way: u32, last: u32) {
        let PathSegment { path, gap, .. } = segment;
        let end = path.len();
        for (at, (step, state)) in path.into_iter().enumerate() {
            self.push(step, state, if at + 1 == end { last } else { on_the_way });
            if let Some((_, steps)) = gap.filter(|gap| gap.0 == at) {
                self.open_gap(steps);
            }
        }
        if self.trail.steps.len() > self.listing.longest.saturating_mul(2) {
            self.cut();
        }
    }

    /// The place of the last state, for [`TrailBuilder::index_of`].
    pub fn place(&self) -> usize {
        self.trail.steps.len() + self.moved
    }

    /// The index of a place; of a missing one, that of the next state.
    pub fn index_of(&self, place: usize) -> usize {
        match self.trail.gap {
            Some(gap) if place > gap.at => place.saturating_sub(self.moved).max(gap.at + 1),
            _ => place,
        }
    }

    /// Finally removes excess steps.
    pub fn close(&mut self) {
        if self.trail.steps.len() > self.listing.longest {
            self.cut();
        }
    }

    /// The trail, and the marks of its states.
    pub fn finish(mut self) -> (Trail, Vec<u32>) {
        self.close();
        (self.trail, self.marks)
    }

    fn push(&mut self, step: u32, state: Vec<u64>, mark: u32) {
        self.trail.steps.push(step);
        self.trail.states.push(state);
        self.marks.push(mark);
    }

    /// Makes the last step stand for `steps`. There is only one gap: two gaps and all between them become
    /// one.
    fn open_gap(&mut self, steps: u64) {
        let last = self.trail.steps.len() - 1;
        match self.trail.gap {
            None => self.trail.gap = Some(Gap { at: last, steps }),
            Some(gap) => {
                let between = (last - gap.at - 1) as u64;
                self.take_out(gap.at, last + 1, gap.steps + between + steps);
            }
        }
    }

    /// Takes out the middle.
    fn cut(&mut self) {
        let (steps, listed) = (self.trail.steps.len(), self.listing.listed.max(1));
        if steps <= 2 * listed + 1 {
            return;
        }
        let (mut first, mut end) = (listed, steps - listed);
        let mut missing = 0;
        if let Some(gap) = self.trail.gap {
            (first, end) = (first.min(gap.at), end.max(gap.at + 1));
            missing = gap.steps - 1;
        }
        self.take_out(first, end, missing + (end - first) as u64);
    }

    /// Replaces some steps by one that stands for `steps`.
    fn take_out(&mut self, first: usize, end: usize, steps: u64) {
        self.trail.steps.splice(first..end, [UNLISTED]);
        self.trail.states.drain(first + 1..end);
        self.marks.drain(first + 1..end);
        self.moved += end - first - 1;
        self.trail.gap = Some(Gap { at: first, steps });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a trail is put together, its beginning and its end are the same, and so is the number of steps.
    #[test]
    fn long_trails_keep_both_ends() {
        let listing = Listing { longest: 20, listed: 7 };
        for (length, inner, at) in [(1000, 3, 0), (1000, 50, 200), (1000, 1000, 0), (15, 4, 0), (400, 1, 399)]
        {
            let mut builder = TrailBuilder::starting(&[0], 0, listing);
            let (mut done, mut places) = (0u64, Vec::new());
            while done < length {
                let steps = inner.min(length - done);
                let path = (1..=steps).map(|n| ((done + n) as u32, vec![done + n])).collect();
                places.push((builder.place(), done));
                // One segment has a gap of its own.
                let mut segment = PathSegment { path, ..PathSegment::default() };
                if inner > 20 && done == at {
                    segment.path.drain(10..steps as usize - 10);
                    segment.path.insert(10, (UNLISTED, vec![done + steps - 10]));
                    segment.gap = Some((10, steps - 20));
                }
                builder.append(segment, 1, 2);
                done += steps;
            }
            builder.close();
            let indices: Vec<usize> = places.iter().map(|&(place, _)| builder.index_of(place)).collect();
            let (trail, marks) = builder.finish();
            let missing = trail.gap.map_or(0, |gap| gap.steps - 1);
            assert_eq!(trail.steps.len() as u64 + missing, length);
            assert_eq!((trail.states.len(), marks.len()), (trail.steps.len() + 1, trail.steps.len() + 1));
            assert!(trail.steps.len() <= 20);
            let gap = trail.gap.map_or(usize::MAX, |gap| gap.at);
            for (index, state) in trail.states.iter().enumerate() {
                let before = if index > gap { missing } else { 0 };
                assert_eq!(state[0], index as u64 + before);
                assert!(index == 0 || index - 1 == gap || trail.steps[index - 1] == state[0] as u32);
            }
            for (&index, &(_, state)) in indices.iter().zip(&places) {
                assert!(
                    trail.states[index][0] == state || index == gap + 1 && trail.states[index][0] > state
                );
            }
        }
    }
}
