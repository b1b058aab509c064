//! Conjunctions of literals, as labels of edges.

/// A conjunction: all propositions of `must`, none of `must_not`. The two are disjoint: no cube is unsatisfiable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Propositions that hold, by bit.
    pub must: u64,
    /// Propositions that do not.
    pub must_not: u64,
}

/// Limit on the steps of a question about unions of cubes, which is coNP-complete.
const COVER_STEPS: u32 = 2000;

impl Cube {
    /// All letters.
    pub const ALL: Cube = Cube { must: 0, must_not: 0 };

    /// The conjunction of two cubes, if it is satisfiable.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { must: self.must | other.must, must_not: self.must_not | other.must_not };
        (both.must & both.must_not == 0).then_some(both)
    }

    /// Whether all letters of `other` are letters of this one.
    pub fn contains(self, other: Cube) -> bool {
        self.must & !other.must == 0 && self.must_not & !other.must_not == 0
    }

    /// The union with another cube, where that is a cube: one contains the other, or they differ in the sign of
    /// one proposition and in nothing else.
    pub fn union(self, other: Cube) -> Option<Cube> {
        if self.contains(other) {
            return Some(self);
        }
        if other.contains(self) {
            return Some(other);
        }
        let differs = (self.must ^ other.must) | (self.must_not ^ other.must_not);
        let opposite = (self.must & other.must_not) | (self.must_not & other.must);
        (differs == opposite && differs.is_power_of_two())
            .then_some(Cube { must: self.must & !differs, must_not: self.must_not & !differs })
    }

    /// The letters of this cube that are not in another, as disjoint cubes.
    pub fn without(self, other: Cube) -> Vec<Cube> {
        if self.and(other).is_none() {
            return vec![self];
        }
        let mut parts = Vec::new();
        let mut inside = self;
        for bit in bits(other.must & !self.must) {
            parts.push(Cube { must_not: inside.must_not | bit, ..inside });
            inside.must |= bit;
        }
        for bit in bits(other.must_not & !self.must_not) {
            parts.push(Cube { must: inside.must | bit, ..inside });
            inside.must_not |= bit;
        }
        parts
    }

    /// Whether every letter of this cube is in one of some cubes; `false` also where the limit on steps is reached.
    pub fn is_covered(self, cubes: impl Iterator<Item = Cube>) -> bool {
        let touching: Vec<Cube> = cubes.filter(|c| c.and(self).is_some()).collect();
        // The rest to be covered, with the cubes that may cover it.
        let mut work = vec![(self, 0)];
        for _ in 0..COVER_STEPS {
            let Some((rest, from)) = work.pop() else { return true };
            let Some(at) = (from..touching.len()).find(|&i| touching[i].and(rest).is_some()) else {
                return false;
            };
            work.extend(rest.without(touching[at]).into_iter().map(|part| (part, at + 1)));
        }
        false
    }
}

/// The bits of a set, one by one.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
