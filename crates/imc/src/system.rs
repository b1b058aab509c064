//! The system under maximal progress: the states in which time passes, and reachability.
//!
//! A state with an immediate transition is *vanishing*: it is left in no time, and its rates are ignored. All
//! others are *tangible*. The system is closed: visible actions are immediate like internal ones, since no
//! environment can refuse them.

use std::collections::VecDeque;
use volvelle_space::{BitSet, Edge, Lts};

use crate::kinds::{Kind, Kinds};
use crate::problem::Trace;

/// The end of a first passage.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// By label: whether a step with it ends the passage.
    pub labels: Vec<bool>,
    /// States whose entry ends the passage.
    pub states: BitSet,
}

/// A transition system with the meaning of its labels, and optionally the end of a passage.
pub(crate) struct System<'a> {
    pub lts: &'a Lts,
    pub kinds: &'a Kinds,
    goal: Option<&'a Goal>,
    vanishing: BitSet,
}

impl<'a> System<'a> {
    pub fn new(lts: &'a Lts, kinds: &'a Kinds, goal: Option<&'a Goal>) -> Self {
        let is_immediate: Vec<bool> = kinds.of.iter().map(|kind| !matches!(kind, Kind::Rate(_))).collect();
        let n = lts.num_states();
        let leaves_at_once =
            |s: &usize| lts.outgoing(*s as u32).iter().any(|e| is_immediate[e.label as usize]);
        let vanishing = BitSet::of(n + 1, (0..n).filter(leaves_at_once));
        System { lts, kinds, goal, vanishing }
    }

    /// The number of states of the system; the next number stands for the end of the passage.
    pub fn num_states(&self) -> usize {
        self.lts.num_states()
    }

    /// The number that stands for the end of the passage.
    pub fn end(&self) -> u32 {
        self.lts.num_states() as u32
    }

    /// Whether there is an end of the passage.
    pub fn has_goal(&self) -> bool {
        self.goal.is_some()
    }

    /// Whether a state is vanishing.
    pub fn is_vanishing(&self, state: u32) -> bool {
        self.vanishing.contains(state as usize)
    }

    /// The target of a transition; the end of the passage if the transition ends it.
    pub fn target(&self, edge: Edge) -> u32 {
        match self.goal {
            Some(goal) if goal.labels[edge.label as usize] || goal.states.contains(edge.target as usize) => {
                self.end()
            }
            _ => edge.target,
        }
    }

    /// The state in which runs start; the end of the passage if the initial state ends it.
    pub fn initial(&self) -> u32 {
        match self.goal {
            Some(goal) if goal.states.contains(self.lts.initial as usize) => self.end(),
            _ => self.lts.initial,
        }
    }

    /// The effective transitions of a state: the immediate ones of a vanishing state, the rates of a tangible
    /// one.
    pub fn steps(&self, state: u32) -> impl Iterator<Item = Edge> + '_ {
        let edges = if state == self.end() { &[] } else { self.lts.outgoing(state) };
        let vanishing = self.is_vanishing(state);
        edges
            .iter()
            .copied()
            .filter(move |e| !(vanishing && matches!(self.kinds.of[e.label as usize], Kind::Rate(_))))
    }

    /// The reachable states in breadth-first order, including the end of the passage.
    pub fn reachable(&self) -> (Vec<u32>, BitSet) {
        let mut seen = BitSet::new(self.num_states() + 1);
        let mut order = vec![self.initial()];
        seen.insert(self.initial() as usize);
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for edge in self.steps(state) {
                let target = self.target(edge);
                if seen.insert(target as usize) {
                    order.push(target);
                }
            }
        }
        (order, seen)
    }

    /// A shortest run from the initial state to a state.
    pub fn trace_to(&self, state: u32) -> Trace {
        self.shortest(self.initial(), state, false)
    }

    /// A shortest run from a state back to it through vanishing states.
    pub fn cycle_of(&self, state: u32) -> Trace {
        self.shortest(state, state, true)
    }

    /// A shortest run, of at least one step if `is_cycle`. Empty if there is none.
    fn shortest(&self, from: u32, to: u32, is_cycle: bool) -> Trace {
        if from == to && !is_cycle {
            return Trace::default();
        }
        let mut parent: Vec<(u32, u32)> = vec![(u32::MAX, 0); self.num_states() + 1];
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for edge in self.steps(state) {
                let target = self.target(edge);
                let is_new = parent[target as usize].0 == u32::MAX && target != from;
                if target == to {
                    let mut steps = vec![(edge.label, target)];
                    let mut at = state;
                    while at != from {
                        let (before, label) = parent[at as usize];
                        steps.push((label, at));
                        at = before;
                    }
                    steps.reverse();
                    return Trace { steps };
                }
                if is_new {
                    parent[target as usize] = (state, edge.label);
                    queue.push_back(target);
                }
            }
        }
        Trace::default()
    }
}
