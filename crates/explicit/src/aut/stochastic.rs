//! Chains, decision processes and Markov automata from labels such as `prob 0.1` and `a; rate 2`.
//!
//! All transitions of a state are of one sort: actions (nondeterministic choices), probabilities (one choice), or rates
//! (the state is Markovian). Only rates: CTMC; rates and others: Markov automaton; only probabilities: DTMC;
//! probabilities and actions: MDP.

use super::system::{Edges, by_source};
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Actions, Control, Measure, Model, Numbers, Rows, Time};
use crate::text::{Arithmetic, Gathered, Halt, Script, Sign, join, starts};
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_diagnostics::codes;
use volvelle_labels::{Meaning, meaning};
use volvelle_space::{BitSet, RatiosBuilder};

/// The sort of a transition or state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Action,
    Probability,
    Rate,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Action => "actions",
            Sort::Probability => "probabilities",
            Sort::Rate => "rates",
        }
    }
}

/// The meanings of the labels of a file, by label.
struct Labels {
    sorts: Vec<Sort>,
    /// Probability or rate of a label; 1 of an action.
    values: Numbers,
    /// Names of actions; the empty one stands for none.
    names: Vec<String>,
    /// Places in `names`.
    actions: Vec<u32>,
}

/// The model of a file with such labels.
pub(super) fn model(
    script: Script<'_>,
    edges: Edges,
    arithmetic: Arithmetic,
    allowance: &Allowance<'_>,
) -> Result<Model, Halt> {
    let labels = Labels::new(script, &edges, arithmetic, allowance)?;
    let (first, order) = by_source(&edges.sources, edges.states, allowance)?;
    let order = order.unwrap_or_else(|| (0..edges.sources.len() as u32).collect());
    let states = state_sorts(script, &edges, &labels, &first, &order)?;
    Ok(assemble(&edges, &labels, &first, &order, &states, allowance)?)
}

impl Labels {
    fn new(
        script: Script<'_>,
        edges: &Edges,
        arithmetic: Arithmetic,
        allowance: &Allowance<'_>,
    ) -> Result<Self, Halt> {
        let mut values = Gathered::new(arithmetic, "a probability or a rate", Sign::NotNegative);
        let names = &edges.names;
        let mut sorts = Vec::with_capacity(names.len());
        let mut distinct: Vec<String> = Vec::new();
        let mut places: HashMap<&str, u32> = HashMap::new();
        let mut actions = Vec::with_capacity(names.len());
        for name in names {
            let (sort, number, action) = match meaning(name) {
                Meaning::Action(action) => (Sort::Action, None, action),
                Meaning::Probability(number, action) => (Sort::Probability, Some(number), action),
                Meaning::Rate(number, action) => (Sort::Rate, Some(number), action),
            };
            match number {
                None => values.push_one(),
                Some(number) => {
                    let label = Script { file: script.file, bytes: number.as_bytes() };
                    let mut cursor = label.cursor(0..number.len());
                    let is_read = matches!(
                        cursor.peek(),
                        Some(b'0'..=b'9' | b'.' | b'+' | b'-' | b'n' | b'N' | b'i' | b'I')
                    );
                    if !is_read {
                        return Err(cursor.expected("a number").into());
                    }
                    values.read(&mut cursor).map_err(|halt| in_file(halt, script, name))?;
                    if !cursor.is_line_end() {
                        return Err(in_file(cursor.expected("the end of the label").into(), script, name));
                    }
                }
            }
            sorts.push(sort);
            let action = if action == edges.internal { "" } else { action };
            actions.push(*places.entry(action).or_insert_with(|| {
                distinct.push(action.to_owned());
                (distinct.len() - 1) as u32
            }));
        }
        // The numbers stand in names, which are not the text of the file.
        Ok(Labels { sorts, values: join(vec![values], allowance)?, names: distinct, actions })
    }
}

/// A finding about the text of a label, as one about the first place in the file that has the label.
fn in_file(halt: Halt, script: Script<'_>, label: &str) -> Halt {
    match halt {
        Halt::Refused(mut finding) => {
            let bytes = script.bytes;
            let found = bytes.windows(label.len().max(1)).position(|window| window == label.as_bytes());
            let at = found.unwrap_or(0);
            finding.place = Some(script.place(at..at + label.len()));
            Halt::Refused(finding)
        }
        other => other,
    }
}

/// The sort of every state; a state without transitions has actions, none.
fn state_sorts(
    script: Script<'_>,
    edges: &Edges,
    labels: &Labels,
    first: &[u32],
    order: &[u32],
) -> Result<Vec<Sort>, Finding> {
    let sort = |edge: &u32| labels.sorts[edges.labels[*edge as usize] as usize];
    (0..edges.states)
        .map(|state| {
            let own = &order[first[state] as usize..first[state + 1] as usize];
            let Some(of_state) = own.first().map(sort) else { return Ok(Sort::Action) };
            match own.iter().map(sort).find(|&other| other != of_state) {
                None => Ok(of_state),
                Some(other) => {
                    let message = format!("state {state} has both {} and {}", of_state.name(), other.name());
                    let place = crate::finding::Place::File(script.file.to_owned());
                    let finding = Finding::error(codes::EXPLICIT_UNSUPPORTED, message).at(place);
                    Err(finding
                        .note(
                            "the transitions of a state must be all actions, all probabilities, or all rates",
                        )
                        .help("hide the urgent actions, and reduce the file with maximal progress"))
                }
            }
        })
        .collect()
}

fn assemble(
    edges: &Edges,
    labels: &Labels,
    first: &[u32],
    order: &[u32],
    states: &[Sort],
    allowance: &Allowance<'_>,
) -> Result<Model, Finding> {
    let own = |state: usize| &order[first[state] as usize..first[state + 1] as usize];
    let has = |sort: Sort| (0..states.len()).any(|state| states[state] == sort && !own(state).is_empty());
    let (time, control) = match (has(Sort::Rate), has(Sort::Action)) {
        (true, false) if !has(Sort::Probability) => (Time::Stochastic, Control::Chance),
        (true, _) => (Time::UrgentStochastic, Control::Nondeterminism),
        (false, true) => (Time::Discrete, Control::Nondeterminism),
        (false, false) => (Time::Discrete, Control::Chance),
    };
    let normalises = time == Time::UrgentStochastic;
    let (mut choice_counts, mut branch_counts): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut targets: Vec<u32> = allowance.vec(order.len())?;
    let mut values = Column::new(&labels.values);
    let mut exit_rates = Column::new(&labels.values);
    let mut choice_actions: Vec<u32> = Vec::new();
    let mut branch_actions: Vec<u32> = Vec::new();
    let none = labels.names.iter().position(String::is_empty).unwrap_or(labels.names.len()) as u32;
    for (state, &sort) in states.iter().enumerate() {
        let own = own(state);
        let label = |edge: u32| edges.labels[edge as usize] as usize;
        let is_one_choice = sort != Sort::Action;
        choice_counts.push(if is_one_choice { 1 } else { own.len() as u32 });
        if is_one_choice {
            branch_counts.push(own.len() as u32);
            choice_actions.push(none);
        }
        let rate =
            exit_rates.push_sum(&labels.values, own.iter().filter(|_| sort == Sort::Rate).map(|&e| label(e)));
        for &edge in own {
            targets.push(edges.targets[edge as usize]);
            let divisor = (sort == Sort::Rate && normalises).then_some(rate.clone());
            values.push_quotient(&labels.values, label(edge), divisor);
            let action = labels.actions[label(edge)];
            if is_one_choice {
                branch_actions.push(action);
            } else {
                branch_counts.push(1);
                choice_actions.push(action);
                branch_actions.push(none);
            }
        }
    }
    let choices = Rows::from_starts(starts(vec![choice_counts], allowance)?);
    let branches = Rows::from_starts(starts(vec![branch_counts], allowance)?);
    let mut model = Model::new(time, control, choices, branches, targets);
    model.values = Some(values.finish());
    if time == Time::Stochastic {
        model.measure = Measure::Rates;
    } else if time == Time::UrgentStochastic {
        model.exit_rates = Some(exit_rates.finish());
        let markovian = BitSet::of(states.len(), (0..states.len()).filter(|&s| states[s] == Sort::Rate));
        model.markovian = Some(markovian);
    }
    model.initial.insert(edges.initial as usize);
    let mut names = labels.names.clone();
    if none as usize == names.len() {
        names.push(String::new());
    }
    let actions = |of: Vec<u32>| {
        let is_named = of.iter().any(|&name| name != none);
        is_named.then(|| Actions { names: names.clone(), of })
    };
    model.choice_actions = actions(choice_actions);
    model.branch_actions = actions(branch_actions);
    Ok(model)
}

/// Numbers that are computed from those of labels.
enum Column {
    Double(Vec<f64>),
    Exact(RatiosBuilder),
}

/// A sum of numbers of labels.
#[derive(Clone)]
enum Sum {
    Double(f64),
    Exact(RBig),
}

impl Column {
    fn new(like: &Numbers) -> Self {
        match like {
            Numbers::Exact(_) => Column::Exact(RatiosBuilder::default()),
            _ => Column::Double(Vec::new()),
        }
    }

    fn push_sum(&mut self, values: &Numbers, labels: impl Iterator<Item = usize>) -> Sum {
        match (self, values) {
            (Column::Double(column), Numbers::Double(values)) => {
                let sum = labels.fold(0.0, |sum, label| sum + values[label]);
                column.push(sum);
                Sum::Double(sum)
            }
            (Column::Exact(column), Numbers::Exact(values)) => {
                let sum = labels.fold(RBig::ZERO, |sum, label| sum + values.get(label));
                column.push(sum.clone());
                Sum::Exact(sum)
            }
            _ => unreachable!("a column has the type of the labels' numbers"),
        }
    }

    fn push_quotient(&mut self, values: &Numbers, label: usize, divisor: Option<Sum>) {
        match (self, values, divisor) {
            (Column::Double(column), Numbers::Double(values), Some(Sum::Double(divisor)))
                if divisor != 0.0 =>
            {
                column.push(values[label] / divisor);
            }
            (Column::Double(column), Numbers::Double(values), _) => column.push(values[label]),
            (Column::Exact(column), Numbers::Exact(values), Some(Sum::Exact(divisor)))
                if !divisor.is_zero() =>
            {
                column.push(values.get(label) / divisor);
            }
            (Column::Exact(column), Numbers::Exact(values), _) => column.push(values.get(label).clone()),
            _ => unreachable!("a column has the type of the labels' numbers"),
        }
    }

    fn finish(self) -> Numbers {
        match self {
            Column::Double(values) => Numbers::Double(values),
            Column::Exact(builder) => Numbers::Exact(builder.finish()),
        }
    }
}
