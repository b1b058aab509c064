//! Labelled transition systems: states, and transitions with labels.
//!
//! One flat array of transitions, sorted by source, and one offset per state: 8 bytes per transition and 4 per state. Labels
//! are texts as ALDEBARAN files have them (`PUT !1 !TRUE`, `rate 2.5`, `a; prob 0.5`); label 0 is always the internal
//! action, whose text is `i`.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// A transition, without the state that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct Edge {
    /// Number of its label ([`Labels`]).
    pub label: u32,
    /// The state that it leads to.
    pub target: u32,
}

impl Edge {
    /// Whether it has the internal action.
    pub fn is_internal(self) -> bool {
        self.label == Labels::INTERNAL
    }
}

/// Distinct texts of labels with their numbers. Number 0 is the internal action.
#[derive(Clone, Debug)]
pub struct Labels {
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Labels {
    /// The number of the internal action.
    pub const INTERNAL: u32 = 0;

    /// The text of the internal action.
    pub const INTERNAL_TEXT: &str = "i";

    /// No label but the internal action.
    pub fn new() -> Self {
        let mut labels = Labels { texts: Vec::new(), numbers: FxHashMap::default() };
        labels.number(Self::INTERNAL_TEXT);
        labels
    }

    /// The number of a text, a new one where it has none.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The number of a text, if it is one of the labels.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The text of a number.
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// All texts, by number.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// How many labels there are, with the internal action.
    #[expect(clippy::len_without_is_empty, reason = "the internal action is always there")]
    pub fn len(&self) -> usize {
        self.texts.len()
    }
}

impl Default for Labels {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

/// A labelled transition system.
///
/// The order of the transitions of a state has no meaning; a transition may occur several times, which matters only where
/// labels are rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Lts {
    /// The initial state.
    pub initial: u32,
    /// Texts of labels. Some may occur on no transition.
    pub labels: Labels,
    /// Transitions of state `s`: `starts[s]..starts[s + 1]`; length states + 1.
    starts: Vec<u32>,
    /// Transitions, by the states that they leave.
    edges: Vec<Edge>,
}

impl Lts {
    /// A system from its arrays. `starts[s]..starts[s + 1]` are the transitions of state `s`.
    ///
    /// # Panics
    /// The arrays do not fit together, or a state or label is out of range.
    pub fn new(initial: u32, labels: Labels, starts: Vec<u32>, edges: Vec<Edge>) -> Self {
        assert!(starts.first() == Some(&0) && starts.is_sorted(), "offsets begin at 0 and grow");
        assert_eq!(starts.last().map(|&end| end as usize), Some(edges.len()), "the last offset is the end");
        let (states, known) = ((starts.len() - 1) as u32, labels.len() as u32);
        assert!(initial < states, "the initial state is a state");
        assert!(edges.iter().all(|e| e.target < states && e.label < known), "states and labels are in range");
        Lts { initial, labels, starts, edges }
    }

    /// A system from transitions in any order: source, label, target. Transitions of a state keep their order.
    ///
    /// # Panics
    /// A state or label is out of range.
    pub fn from_transitions(
        states: u32,
        initial: u32,
        labels: Labels,
        transitions: &[(u32, u32, u32)],
    ) -> Self {
        let mut starts = vec![0u32; states as usize + 1];
        for &(source, ..) in transitions {
            starts[source as usize + 1] += 1;
        }
        for state in 0..states as usize {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut edges = vec![Edge { label: 0, target: 0 }; transitions.len()];
        for &(source, label, target) in transitions {
            let place = &mut next[source as usize];
            edges[*place as usize] = Edge { label, target };
            *place += 1;
        }
        Lts::new(initial, labels, starts, edges)
    }

    /// How many states there are.
    pub fn num_states(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many transitions there are.
    pub fn num_transitions(&self) -> usize {
        self.edges.len()
    }

    /// The transitions that leave a state.
    #[inline]
    pub fn outgoing(&self, state: u32) -> &[Edge] {
        &self.edges[self.range(state)]
    }

    /// The places of a state's transitions in [`edges`](Self::edges).
    #[inline]
    pub fn range(&self, state: u32) -> Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    /// Offsets of the states' transitions; length states + 1.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// All transitions, by the states that they leave.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Strongly connected components that no transition leaves: members in increasing order, components by their least members.
    pub fn bottom_components(&self) -> Vec<Vec<u32>> {
        let n = self.num_states();
        let successor = |state: usize, edge: usize| self.outgoing(state as u32).get(edge).map(|e| e.target);
        let found = crate::components_by(n, successor, |_| true);
        let of = found.component_of(n);
        let stays = |c: u32, state: u32| self.outgoing(state).iter().all(|e| of[e.target as usize] == c);
        let mut bottoms: Vec<Vec<u32>> = (0..)
            .zip(found.iter())
            .filter(|&(c, members)| members.iter().all(|&state| stays(c, state)))
            .map(|(_, members)| members.to_vec())
            .collect();
        bottoms.iter_mut().for_each(|members| members.sort_unstable());
        bottoms.sort_unstable_by_key(|members| members[0]);
        bottoms
    }

    /// All transitions: source, label, target.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0..self.num_states() as u32)
            .flat_map(|source| self.outgoing(source).iter().map(move |e| (source, e.label, e.target)))
    }

    /// Its initial state, labels, offsets and transitions.
    pub fn into_parts(self) -> (u32, Labels, Vec<u32>, Vec<Edge>) {
        (self.initial, self.labels, self.starts, self.edges)
    }

    /// The same with other labels: `number[l]` is the new number of label `l`.
    ///
    /// # Panics
    /// A new number is out of range.
    pub fn relabelled(mut self, labels: Labels, number: &[u32]) -> Self {
        assert!(number.iter().all(|&n| (n as usize) < labels.len()), "labels are in range");
        self.edges.iter_mut().for_each(|edge| edge.label = number[edge.label as usize]);
        Lts { labels, ..self }
    }

    /// Sorts the transitions of every state by label, then target, on some threads: internal ones come first.
    pub fn sort(&mut self, threads: usize) {
        /// Transitions that a thread should have at least.
        const LEAST: usize = 1 << 14;
        let threads = threads.clamp(1, (self.edges.len() / LEAST).max(1));
        let wanted = self.edges.len().div_ceil(threads);
        let states = self.num_states();
        std::thread::scope(|scope| {
            let (mut first, mut rest) = (0, &mut self.edges[..]);
            for thread in 1..=threads {
                let behind = match thread == threads {
                    true => states,
                    false => {
                        self.starts.partition_point(|&start| (start as usize) < thread * wanted).min(states)
                    }
                };
                let bounds = &self.starts[first..=behind.max(first)];
                let count = (bounds[bounds.len() - 1] - bounds[0]) as usize;
                let (own, later) = std::mem::take(&mut rest).split_at_mut(count);
                (first, rest) = (behind.max(first), later);
                if thread < threads {
                    scope.spawn(move || sort_rows(bounds, own));
                } else {
                    sort_rows(bounds, own);
                }
            }
        });
    }

    /// Bytes held by the arrays.
    pub fn bytes(&self) -> u64 {
        (size_of::<Edge>() * self.edges.capacity() + size_of::<u32>() * self.starts.capacity()) as u64
    }
}

/// Sorts the transitions of consecutive states, of which those of the first begin at 0.
fn sort_rows(starts: &[u32], edges: &mut [Edge]) {
    for pair in starts.windows(2) {
        let own = &mut edges[(pair[0] - starts[0]) as usize..(pair[1] - starts[0]) as usize];
        if !own.is_sorted() {
            own.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_sorted_by_source() {
        let mut labels = Labels::new();
        let (a, b) = (labels.number("a"), labels.number("b"));
        assert_eq!((labels.find("i"), labels.find("a"), labels.find("c")), (Some(0), Some(a), None));
        let transitions = [(2, a, 0), (0, b, 1), (2, 0, 1), (0, a, 2)];
        let lts = Lts::from_transitions(3, 2, labels, &transitions);
        let sorted: Vec<_> = lts.transitions().collect();
        assert_eq!(sorted, [(0, b, 1), (0, a, 2), (2, a, 0), (2, 0, 1)]);
        assert!(lts.outgoing(1).is_empty() && lts.outgoing(2)[1].is_internal());
        assert_eq!((lts.num_states(), lts.num_transitions()), (3, 4));
    }
}
