//! Claims: Büchi automata that read the observations of a run.

use crate::successors::PROGRESS;

/// A Büchi automaton; it may be nondeterministic and incomplete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The states.
    pub states: Vec<ClaimState>,
    /// The initial state.
    pub initial: u32,
}

/// A state of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimState {
    /// Whether a run is accepted that visits such states infinitely often.
    pub accepting: bool,
    /// Its outgoing edges. If none is enabled, the claim's run ends and is not accepted.
    pub edges: Vec<ClaimEdge>,
}

/// An edge of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimEdge {
    /// Bits that the observation must have.
    pub must: u64,
    /// Bits that it must not have.
    pub must_not: u64,
    /// The state that the edge leads to.
    pub target: u32,
}

impl ClaimEdge {
    /// Whether the edge can be taken under an observation.
    #[inline]
    pub fn is_enabled(&self, observation: u64) -> bool {
        observation & self.must == self.must && observation & self.must_not == 0
    }
}

impl Claim {
    /// Accepts the runs that visit progress states only finitely often. It guesses the point after the last
    /// one.
    pub fn non_progress() -> Self {
        let stay = ClaimEdge { must: 0, must_not: 0, target: 0 };
        let without = ClaimEdge { must: 0, must_not: PROGRESS, target: 1 };
        Claim {
            states: vec![
                ClaimState { accepting: false, edges: vec![stay, without] },
                ClaimState { accepting: true, edges: vec![without] },
            ],
            initial: 0,
        }
    }

    /// A claim that allows every run and accepts none: one state, not accepting.
    pub fn anything() -> Self {
        let edges = vec![ClaimEdge::default()];
        Claim { states: vec![ClaimState { accepting: false, edges }], initial: 0 }
    }

    /// The set of states (as bits) after an observation, from a set of states; `None` if one of them is
    /// accepting, or was.
    pub(crate) fn next_subset(&self, states: u64, observation: u64) -> Option<u64> {
        let (mut next, mut left) = (0u64, states);
        while left != 0 {
            let state = &self.states[left.trailing_zeros() as usize];
            left &= left - 1;
            if state.accepting {
                return None;
            }
            for edge in state.edges.iter().filter(|edge| edge.is_enabled(observation)) {
                if self.states[edge.target as usize].accepting {
                    return None;
                }
                next |= 1 << edge.target;
            }
        }
        Some(next)
    }

    /// Whether a run is accepted as soon as the claim reaches an accepting state, whatever follows.
    pub fn is_terminal(&self) -> bool {
        let stays = |at: usize| {
            let anything = ClaimEdge { must: 0, must_not: 0, target: at as u32 };
            self.states[at].edges.contains(&anything)
        };
        (0..self.states.len()).all(|at| !self.states[at].accepting || stays(at))
    }

    /// Whether all edges lead to states, and the initial state is one.
    pub fn is_sound(&self) -> bool {
        let is_state = |state: u32| (state as usize) < self.states.len();
        is_state(self.initial)
            && self.states.iter().flat_map(|state| &state.edges).all(|edge| is_state(edge.target))
    }
}
