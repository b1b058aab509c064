//! Small state spaces as graphs that can be drawn: states with their values and labels, choices with their branches.

use crate::model::Model;
use volvelle_control::Control;
use volvelle_explicit::{Column, Variable};
use volvelle_explore::Explored;
use volvelle_lts::LabelledStates;
use volvelle_model::{Layout, Program};
use volvelle_space::{BitSet, Space};

/// A state space as a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateGraph {
    /// The states by their numbers.
    pub states: Vec<GraphState>,
    /// The choices, by the states that they leave.
    pub choices: Vec<GraphChoice>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphState {
    /// The values of the variables: `q=5`, `open=true`.
    pub values: Vec<String>,
    /// The labels that hold; `deadlock` in states without a transition of their own.
    pub labels: Vec<String>,
    /// Whether runs begin there.
    pub is_initial: bool,
}

/// Transitions that are taken together: the row of a chain, a choice of an MDP, a step of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphChoice {
    /// The state that it leaves.
    pub from: usize,
    /// What is done; empty where it has no name.
    pub action: String,
    /// Whether it is one of those that something else than chance selects.
    pub is_nondeterministic: bool,
    /// The states that it leads to, with probabilities or rates where there are some.
    pub branches: Vec<(usize, Option<f64>)>,
}

/// The graph of an explored model.
pub fn state_graph(model: &Model, explored: &Explored) -> Option<StateGraph> {
    let (document, program) = (model.document.as_ref()?, model.program()?);
    let text = |state| document.state_text(&explored.layout.unpack(explored.states.get(state)));
    Some(of_space(&explored.space, &labels(program, &explored.space), text))
}

/// The graph of a model that is given by its states; `None` if it is none, or of a kind without engine.
pub fn explicit_graph(model: &Model, control: &Control<'_>) -> Option<StateGraph> {
    let (document, program) = (model.document.as_ref()?, model.program()?);
    let given = document.given(control)?.ok()?;
    let layout = Layout::new(program);
    let text = |state| document.state_text(&layout.unpack(given.states.get(state)));
    let labels: Vec<(&str, &BitSet)> =
        given.space.labels.iter().map(|(name, states)| (name.as_str(), states)).collect();
    Some(of_space(&given.space, &labels, text))
}

/// The labels of a program that have names.
fn labels<'a>(program: &'a Program, space: &'a Space) -> Vec<(&'a str, &'a BitSet)> {
    let all = program.labels.iter().zip(&space.labels);
    all.filter_map(|(label, (_, states))| Some((label.name.as_deref()?, states))).collect()
}

fn of_space(space: &Space, labels: &[(&str, &BitSet)], text: impl Fn(usize) -> String) -> StateGraph {
    let mut graph = StateGraph::default();
    for state in 0..space.num_states() {
        let holds = |set: &BitSet| state < set.len() && set.contains(state);
        let mut of_state: Vec<String> =
            labels.iter().filter(|(_, set)| holds(set)).map(|(name, _)| (*name).to_owned()).collect();
        if holds(&space.deadlocks) && !of_state.iter().any(|label| label == "deadlock") {
            of_state.push("deadlock".to_owned());
        }
        graph.states.push(GraphState {
            values: text(state).split_whitespace().map(str::to_owned).collect(),
            labels: of_state,
            is_initial: space.initial.iter().any(|initial| initial.0 as usize == state),
        });
        for choice in space.choices_of(state) {
            let row = space.row(choice);
            let values = space.values.range(row.clone());
            let targets = space.columns[row].iter().map(|&to| to as usize);
            let name = space.choices.as_ref().map(|choices| &space.actions[choices.action[choice] as usize]);
            graph.choices.push(GraphChoice {
                from: state,
                action: name.cloned().unwrap_or_default(),
                is_nondeterministic: name.is_some(),
                branches: targets.zip(values.map(Some)).collect(),
            });
        }
    }
    graph
}

/// The graph of a labelled transition system.
pub fn graph_of_lts(lts: &LabelledStates) -> StateGraph {
    let count = lts.states as usize;
    let values = |state: usize| {
        let value = |variable: &Variable| match &variable.values {
            Column::Int(values) => Some(format!("{}={}", variable.name, values.get(state))),
            _ => None,
        };
        lts.variables.iter().filter_map(value).collect()
    };
    let is_stuck = |state: usize| lts.stuck.iter().any(|&stuck| stuck as usize == state);
    let states = (0..count).map(|state| GraphState {
        values: values(state),
        labels: is_stuck(state).then(|| "deadlock".to_owned()).into_iter().collect(),
        is_initial: state == 0,
    });
    let choices = lts.edges.iter().map(|&[from, label, to]| GraphChoice {
        from: from as usize,
        action: lts.labels.get(label as usize).cloned().unwrap_or_default(),
        is_nondeterministic: true,
        branches: vec![(to as usize, None)],
    });
    StateGraph { states: states.collect(), choices: choices.collect() }
}
