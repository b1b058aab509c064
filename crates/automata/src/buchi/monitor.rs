//! What the beginning of a word decides, however it goes on.
//!
//! In: an automaton of the violations, perhaps one of the words that are no violations, and letters one by one. Out: a verdict with three
//! values (A. Bauer, M. Leucker, C. Schallhart, *Runtime verification for LTL and TLTL*, ACM TOSEM 20(4), 2011, doi:10.1145/2000799.2000800). The
//! states in which an automaton may be are kept as a set; those from which it accepts nothing are left out, so that an empty set decides.

use super::components::components;
use super::cube::Cube;
use super::{Buchi, BuchiEdge};

/// A monitor of words.
#[derive(Clone, Debug)]
pub struct Monitor {
    violations: Buchi,
    /// Absent where there are only the violations.
    others: Option<Buchi>,
}

/// Where the automata of a monitor may be: sets of states, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    violations: Vec<u32>,
    others: Option<Vec<u32>>,
}

impl Position {
    /// The states in which the automaton of the violations may be.
    pub fn states(&self) -> &[u32] {
        &self.violations
    }
}

impl Monitor {
    /// A monitor. `violations` accepts a word exactly if `others` does not, where there is one.
    pub fn new(violations: Buchi, others: Option<Buchi>) -> Self {
        Monitor { violations: violations.trimmed(), others: others.map(Buchi::trimmed) }
    }

    /// The automaton of the violations, without edges to states that accept nothing.
    pub fn violations(&self) -> &Buchi {
        &self.violations
    }

    /// Before the first letter.
    pub fn beginning(&self) -> Position {
        let initial = |automaton: &Buchi| match automaton.accepting_from()[automaton.initial as usize] {
            true => vec![automaton.initial],
            false => Vec::new(),
        };
        Position { violations: initial(&self.violations), others: self.others.as_ref().map(initial) }
    }

    /// Behind a further letter.
    pub fn read(&self, at: &Position, letter: u64) -> Position {
        let others = self.others.as_ref().zip(at.others.as_ref());
        Position {
            violations: self.violations.next(&at.violations, letter),
            others: others.map(|(automaton, states)| automaton.next(states, letter)),
        }
    }

    /// Whether all words that go on from here are violations (`false`), or none of them is (`true`). Without the automaton of the other
    /// words, violations are known only where a state accepts whatever follows.
    pub fn verdict(&self, at: &Position) -> Option<bool> {
        let accepts_all = |&state: &u32| self.violations.accepts_whatever_follows(state);
        if at.violations.is_empty() {
            Some(true)
        } else if at.others.as_ref().is_some_and(Vec::is_empty) || at.violations.iter().any(accepts_all) {
            Some(false)
        } else {
            None
        }
    }

    /// Whether the word is no violation that goes on with this letter for ever.
    pub fn verdict_if_repeated(&self, at: &Position, letter: u64) -> bool {
        let accepting = self.violations.only(letter).accepting_from();
        !at.violations.iter().any(|&state| accepting[state as usize])
    }
}

impl BuchiEdge {
    /// Whether it is taken with a letter.
    fn is_enabled(&self, letter: u64) -> bool {
        letter & self.must == self.must && letter & self.must_not == 0
    }
}

impl Buchi {
    /// The states behind a letter.
    fn next(&self, states: &[u32], letter: u64) -> Vec<u32> {
        let edges = states.iter().flat_map(|&state| &self.states[state as usize].edges);
        let mut next: Vec<u32> =
            edges.filter(|edge| edge.is_enabled(letter)).map(|edge| edge.target).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// By state, whether it accepts some word.
    fn accepting_from(&self) -> Vec<bool> {
        let possible = |edge: &&BuchiEdge| edge.must & edge.must_not == 0;
        let successors: Vec<Vec<u32>> = self
            .states
            .iter()
            .map(|state| state.edges.iter().filter(possible).map(|edge| edge.target).collect())
            .collect();
        let found = components(&successors);
        let (mut cyclic, mut accepts) = (vec![false; found.count], vec![false; found.count]);
        let mut sources = vec![Vec::new(); self.states.len()];
        for (s, state) in self.states.iter().enumerate() {
            accepts[found.of[s] as usize] |= state.accepting;
            for &target in &successors[s] {
                cyclic[found.of[s] as usize] |= found.of[target as usize] == found.of[s];
                sources[target as usize].push(s);
            }
        }
        let is_good = |s: usize| cyclic[found.of[s] as usize] && accepts[found.of[s] as usize];
        let mut work: Vec<usize> = (0..self.states.len()).filter(|&s| is_good(s)).collect();
        let mut all = vec![false; self.states.len()];
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut all[state], true) {
                work.extend(&sources[state]);
            }
        }
        all
    }

    /// The same without edges to states that accept nothing.
    fn trimmed(mut self) -> Self {
        let accepting = self.accepting_from();
        for state in &mut self.states {
            state.edges.retain(|edge| accepting[edge.target as usize] && edge.must & edge.must_not == 0);
        }
        self
    }

    /// The same with the edges for one letter only.
    fn only(&self, letter: u64) -> Self {
        let mut all = self.clone();
        all.states.iter_mut().for_each(|state| state.edges.retain(|edge| edge.is_enabled(letter)));
        all
    }

    /// Whether a state accepts, and stays where it is with every letter.
    fn accepts_whatever_follows(&self, state: u32) -> bool {
        let own = &self.states[state as usize];
        let loops = own.edges.iter().filter(|edge| edge.target == state);
        own.accepting && Cube::ALL.is_covered(loops.map(|e| Cube { must: e.must, must_not: e.must_not }))
    }
}
