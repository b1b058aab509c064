//! What a verdict rests on: a part of the system that is enough for it.
//!
//! The part has, for every pair of formula and state that the verdict needs, the transition that the winner chooses, or all that the
//! loser could choose. The formula has the same verdict on it as on the whole system (Mateescu, *Efficient diagnostic generation
//! for Boolean equation systems*, TACAS 2000, doi:10.1007/3-540-46419-0_18).

use rustc_hash::FxHashMap;
use volvelle_space::{Labels, Lts};

/// A transition: source, number of the label, target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// The state that it leaves.
    pub source: u32,
    /// The number of its label.
    pub label: u32,
    /// The state that it leads to.
    pub target: u32,
}

/// The shape of a part of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A path from the initial state, in order; perhaps of no transition.
    Trace,
    /// A path that ends in a circle; the transitions from place `circle` on go around.
    Lasso {
        /// The first transition of the circle.
        circle: usize,
    },
    /// Something else.
    Graph,
}

/// A part of a system on which the formula has the same verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The initial state.
    pub initial: u32,
    /// Its transitions, each once, in the order of a trace or lasso.
    pub transitions: Vec<Transition>,
    /// Its shape.
    pub shape: Shape,
}

impl Evidence {
    /// A part with its shape. Each transition is given once.
    pub(crate) fn new(initial: u32, transitions: Vec<Transition>) -> Self {
        match path(initial, &transitions) {
            Some((transitions, shape)) => Evidence { initial, transitions, shape },
            None => Evidence { initial, transitions, shape: Shape::Graph },
        }
    }

    /// The states, in the order in which they are met; the first is the initial one.
    pub fn states(&self) -> Vec<u32> {
        let ends = self.transitions.iter().flat_map(|t| [t.source, t.target]);
        let mut seen = rustc_hash::FxHashSet::default();
        std::iter::once(self.initial).chain(ends).filter(|&state| seen.insert(state)).collect()
    }

    /// The part as a system of its own, whose state `n` is number `n` of [`states`](Self::states).
    pub fn system(&self, labels: &Labels) -> Lts {
        let states = self.states();
        let number: FxHashMap<u32, u32> = states.iter().zip(0..).map(|(&state, n)| (state, n)).collect();
        let renumbered: Vec<(u32, u32, u32)> =
            self.transitions.iter().map(|t| (number[&t.source], t.label, number[&t.target])).collect();
        Lts::from_transitions(states.len() as u32, 0, labels.clone(), &renumbered)
    }
}

/// Transitions in the order of a path, if they are one from the initial state on, perhaps with a circle at its end.
fn path(initial: u32, transitions: &[Transition]) -> Option<(Vec<Transition>, Shape)> {
    let mut after: FxHashMap<u32, Transition> = FxHashMap::default();
    for &transition in transitions {
        if after.insert(transition.source, transition).is_some() {
            return None;
        }
    }
    let mut place: FxHashMap<u32, usize> = FxHashMap::default();
    let mut ordered = Vec::with_capacity(transitions.len());
    let mut state = initial;
    let mut shape = Shape::Trace;
    loop {
        if let Some(&circle) = place.get(&state) {
            shape = Shape::Lasso { circle };
            break;
        }
        let Some(&transition) = after.get(&state) else { break };
        place.insert(state, ordered.len());
        ordered.push(transition);
        state = transition.target;
    }
    (ordered.len() == transitions.len()).then_some((ordered, shape))
}
