//! The kind of search that an automaton needs.

use crate::buchi::components::{Components, components};
use crate::buchi::cube::Cube;
use crate::buchi::{Buchi, BuchiState};

/// The strength of an automaton: the effort of finding an accepting run. An automaton of one kind is also of those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A run that meets an accepting state can always go on and accept: reachability is enough. The language is
    /// that of finite prefixes, so that a never claim of this kind stands for a safety property.
    Terminal,
    /// Each component accepts with all of its cycles or with none: one search for cycles is enough.
    Weak,
    /// A search for cycles through accepting states is necessary.
    Strong,
}

impl Buchi {
    fn components(&self) -> Components {
        let successors: Vec<Vec<u32>> =
            self.states.iter().map(|s| s.edges.iter().map(|e| e.target).collect()).collect();
        components(&successors)
    }

    /// The strength, by the shape of the automaton.
    pub fn strength(&self) -> Strength {
        let components = self.components();
        let inside = |s: usize, target: u32| components.of[s] == components.of[target as usize];
        let mut strength = Strength::Terminal;
        for (s, state) in self.states.iter().enumerate() {
            if state
                .edges
                .iter()
                .any(|e| inside(s, e.target) && self.states[e.target as usize].accepting != state.accepting)
            {
                return Strength::Strong;
            }
            let staying = state.edges.iter().filter(|e| inside(s, e.target));
            let cubes = staying.map(|e| Cube { must: e.must, must_not: e.must_not });
            if state.accepting && !Cube::ALL.is_covered(cubes) {
                strength = Strength::Weak;
            }
        }
        strength
    }

    /// Makes acceptance uniform where it makes no difference: off the cycles no state accepts, and if no cycle
    /// of a component avoids its accepting states, all of it accepts.
    pub(crate) fn with_uniform_acceptance(mut self) -> Self {
        let all = self.components();
        let rejecting: Vec<Vec<u32>> = self
            .states
            .iter()
            .map(|s| {
                let stays =
                    s.edges.iter().filter(|e| !s.accepting && !self.states[e.target as usize].accepting);
                stays.map(|e| e.target).collect()
            })
            .collect();
        let parts = components(&rejecting);
        let (mut cyclic, mut accepts, mut avoids) =
            (vec![false; all.count], vec![false; all.count], vec![false; all.count]);
        for (s, state) in self.states.iter().enumerate() {
            let c = all.of[s] as usize;
            accepts[c] |= state.accepting;
            cyclic[c] |= state.edges.iter().any(|e| all.of[e.target as usize] == all.of[s]);
            avoids[c] |= rejecting[s].iter().any(|&t| parts.of[t as usize] == parts.of[s]);
        }
        for (s, state) in self.states.iter_mut().enumerate() {
            let c = all.of[s] as usize;
            state.accepting = cyclic[c] && accepts[c] && (state.accepting || !avoids[c]);
        }
        self
    }

    /// Sorts the edges of every state so that those come first that lead to acceptance in fewer steps, and the one to the
    /// state itself last: searches that take them in turn find counterexamples sooner.
    pub(crate) fn with_accepting_first(mut self) -> Self {
        let n = self.states.len();
        let mut sources = vec![Vec::new(); n];
        for (s, state) in self.states.iter().enumerate() {
            for edge in &state.edges {
                sources[edge.target as usize].push(s);
            }
        }
        let mut distance = vec![usize::MAX; n];
        let mut queue: Vec<usize> = (0..n).filter(|&s| self.states[s].accepting).collect();
        queue.iter().for_each(|&s| distance[s] = 0);
        let mut at = 0;
        while let Some(&s) = queue.get(at) {
            at += 1;
            for &from in &sources[s] {
                if distance[from] == usize::MAX {
                    distance[from] = distance[s] + 1;
                    queue.push(from);
                }
            }
        }
        for (s, state) in self.states.iter_mut().enumerate() {
            state.edges.sort_by_key(|e| (e.target as usize == s, distance[e.target as usize]));
        }
        self
    }

    /// Whether no letter leaves a choice.
    pub fn is_deterministic(&self) -> bool {
        self.choices() == 0
    }

    /// Pairs of edges of the same state that have letters in common.
    pub(crate) fn choices(&self) -> usize {
        let of_state = |state: &BuchiState| -> usize {
            let cubes: Vec<Cube> =
                state.edges.iter().map(|e| Cube { must: e.must, must_not: e.must_not }).collect();
            (0..cubes.len()).map(|i| cubes[..i].iter().filter(|c| c.and(cubes[i]).is_some()).count()).sum()
        };
        self.states.iter().map(of_state).sum()
    }
}
