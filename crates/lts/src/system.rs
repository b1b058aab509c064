//! The labelled transition system, and the same as an explicit model.

use volvelle_explicit::{
    self as explicit, Actions, Entity, Label, Model, Numbers, Rows, Time, Valuations, Variable,
};
use volvelle_space::{BitSet, Labels, Lts};

/// A labelled transition system with the values of variables in its states. State 0 is the initial one; states are numbered in the order of a breadth-first walk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledStates {
    /// How many states there are.
    pub states: u32,
    /// How many of them are expanded: the others, which have greater numbers, have no transitions here.
    pub expanded: u32,
    /// Labels: process, number and statement; `tau` where a process gives control back.
    pub labels: Vec<String>,
    /// State, label, state, by the first.
    pub edges: Vec<[u32; 3]>,
    /// States in which no process can move, and not all may stay where they are; or in which evaluating fails.
    pub stuck: Vec<u32>,
    /// The global variables, with their value in each state.
    pub variables: Vec<Variable>,
}

impl LabelledStates {
    /// The transition system alone. The step of no statement is the internal action.
    pub fn into_lts(self) -> Lts {
        let mut labels = Labels::new();
        let number = |text: &String| if text == "tau" { Labels::INTERNAL } else { labels.number(text) };
        let numbers: Vec<u32> = self.labels.iter().map(number).collect();
        let transitions: Vec<(u32, u32, u32)> =
            self.edges.iter().map(|&[from, label, to]| (from, numbers[label as usize], to)).collect();
        Lts::from_transitions(self.states, 0, labels, &transitions)
    }

    /// The same as an explicit model: a choice for every transition, and `deadlock` for the states that are stuck. With
    /// `probabilities` it is an MDP, for formats that have no transition systems: each transition is certain once chosen, and
    /// states without transitions stay where they are.
    pub fn to_explicit(&self, probabilities: bool) -> Model {
        let count = self.states as usize;
        let (mut starts, mut targets, mut actions) = (vec![0], Vec::new(), Vec::new());
        let mut names = self.labels.clone();
        let mut edges = self.edges.iter().peekable();
        for state in 0..self.states {
            while let Some(&[_, label, to]) = edges.next_if(|edge| edge[0] == state) {
                targets.push(to);
                actions.push(label);
            }
            if probabilities && starts.last() == Some(&(targets.len() as u32)) {
                targets.push(state);
                actions.push(self.labels.len() as u32);
            }
            starts.push(targets.len() as u32);
        }
        names.extend(probabilities.then(String::new));
        let num_choices = targets.len();
        let (choices, branches) = (Rows::from_starts(starts), Rows::OneEach(num_choices as u32));
        let control = explicit::Control::Nondeterminism;
        let mut model = Model::new(Time::Discrete, control, choices, branches, targets);
        model.values = probabilities.then(|| Numbers::Double(vec![1.0; num_choices]));
        let set = |members: &[u32]| BitSet::of(count, members.iter().map(|&state| state as usize));
        model.initial = set(&[0]);
        model.choice_actions = Some(Actions { names, of: actions });
        model.labels = vec![Label { name: "deadlock".into(), description: None, states: set(&self.stuck) }];
        if !self.variables.is_empty() {
            let variables = self.variables.clone();
            model.valuations.push(Valuations { on: Entity::States, unique: false, variables });
        }
        model
    }
}
