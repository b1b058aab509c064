//! The process of one cache line: its parameters, and the actions of its copies.

use super::context::Context;
use super::values::Term;
use crate::machine::Atomicity;
use crate::system::{LineId, ProcessId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use volvelle_coherence::{Operation, Source, State};

/// By process and variable: operations, by name and by what caches do, as places in their tables.
pub(super) type Operations = FxHashMap<(usize, u32), BTreeSet<(usize, usize)>>;

/// What stands for the name of the process in its own body.
pub(super) const SELF: &str = "\u{1}";

/// A copy of a line, and what is remembered of an access that was decided earlier.
struct Copy {
    process: usize,
    state: String,
    decided: (String, String),
}

/// A copy with what it sees of the others.
struct Seen<'a> {
    place: usize,
    copy: &'a Copy,
    /// The name of its process.
    process: String,
    strongest: String,
    provider: String,
}

/// What a line says of its variables and copies.
pub(super) struct LineProcess<'a, 'c> {
    context: &'a Context<'c>,
    operations: &'a Operations,
    /// Numbers of the variables that are used.
    variables: Vec<usize>,
    /// By variable: its content, as a parameter or a number.
    contents: Vec<String>,
    /// Places of variables that may have several values.
    with_content: Vec<usize>,
    copies: Vec<Copy>,
    is_raced: bool,
}

/// Copies and contents after an action, where they are others than before.
#[derive(Default)]
struct Change<'a> {
    /// The place of a variable, and its content.
    stored: Option<(usize, &'a str)>,
    /// States of all copies.
    states: Option<Vec<String>>,
    /// The place of a copy, and what is remembered for it: its state and the strongest one.
    decided: Option<(usize, &'a str, &'a str)>,
}

impl<'a, 'c> LineProcess<'a, 'c> {
    pub fn new(context: &'a Context<'c>, line: LineId, users: &[usize], operations: &'a Operations) -> Self {
        let system = context.system;
        let v = &context.variables;
        let used = |number: usize| users.iter().any(|&user| operations.contains_key(&(user, number as u32)));
        let variables: Vec<usize> = (0..system.variables.len())
            .filter(|&number| system.variables[number].line == line && used(number))
            .collect();
        let varies = |number: usize| system.variables[number].lo < system.variables[number].hi;
        let content = |(place, &number): (usize, &usize)| match varies(number) {
            true => v.contents[place].clone(),
            false => context.values.offer(&Term::Number(system.variables[number].lo)),
        };
        let contents = variables.iter().enumerate().map(content).collect();
        let with_content = (0..variables.len()).filter(|&place| varies(variables[place])).collect();
        let copy = |(place, &process): (usize, &usize)| Copy {
            process,
            state: v.copies[place].clone(),
            decided: (v.decided_own[place].clone(), v.decided_strongest[place].clone()),
        };
        let copies = users.iter().enumerate().map(copy).collect();
        let is_raced = context.machine.atomicity == Atomicity::Raced;
        LineProcess { context, operations, variables, contents, with_content, copies, is_raced }
    }

    fn name(&self, place: usize) -> &str {
        &self.context.variables.names[place]
    }

    /// Parameters and arguments: names and contents of variables, states, decisions.
    pub fn parameters(&self) -> (String, String) {
        let context = self.context;
        let names: Vec<&str> = (0..self.variables.len()).map(|place| self.name(place)).collect();
        let mut parameters = vec![format!("{} : VARIABLE", names.join(", "))];
        let mut arguments: Vec<String> =
            self.variables.iter().map(|&number| context.names.variable(number)).collect();
        if !self.with_content.is_empty() {
            let contents: Vec<&str> = self.with_content.iter().map(|&place| &*self.contents[place]).collect();
            parameters.push(format!("{} : {}", contents.join(", "), context.values.sort));
            for &place in &self.with_content {
                let of = &context.system.variables[self.variables[place]];
                context.values.note((i128::from(of.lo), i128::from(of.hi)));
                arguments.push(context.values.text(&Term::Number(of.initial)));
            }
        }
        let mut states: Vec<&str> = self.copies.iter().map(|copy| copy.state.as_str()).collect();
        if self.is_raced {
            let decided = self.copies.iter().map(|copy| &copy.decided);
            states.extend(decided.flat_map(|(own, strongest)| [own.as_str(), strongest.as_str()]));
        }
        arguments.extend(vec![context.names.states[0].clone(); states.len()]);
        parameters.push(format!("{} : STATE", states.join(", ")));
        (parameters.join(", "), arguments.join(", "))
    }

    /// The body: all actions of all copies. `faults` are the processes with the variables for which they ask whether an access
    /// is wrong.
    pub fn body(&self, gates: &str, faults: &FxHashSet<(ProcessId, u32)>) -> String {
        let mut alternatives = Vec::new();
        for (place, copy) in self.copies.iter().enumerate() {
            let others: Vec<&Copy> =
                self.copies.iter().filter(|other| other.process != copy.process).collect();
            let process = self.context.names.process(copy.process);
            for (at, &variable) in self.variables.iter().enumerate() {
                let Some(operations) = self.operations.get(&(copy.process, variable as u32)) else {
                    continue;
                };
                let strongest = strongest(self.context, &others);
                let provider = provider(self.context, copy.process, &others, &strongest);
                let seen = Seen { place, copy, process: process.clone(), strongest, provider };
                for &operation in operations {
                    self.access(&seen, at, operation, gates, &mut alternatives);
                }
                if faults.contains(&(ProcessId(copy.process as u32), variable as u32)) {
                    self.faults(&seen, at, operations, gates, &mut alternatives);
                }
            }
        }
        alternatives
            .iter()
            .map(|alternative| format!("    {alternative}\n"))
            .collect::<Vec<_>>()
            .join("    []\n")
    }

    /// An access of a copy to a variable.
    fn access(
        &self,
        seen: &Seen<'_>,
        at: usize,
        (operation, on_cache): (usize, usize),
        gates: &str,
        alternatives: &mut Vec<String>,
    ) {
        let context = self.context;
        let Seen { place, copy, process, strongest, provider } = seen;
        let (name, old, new) = (self.name(at), &self.contents[at], &context.variables.new);
        let access = context.access(Operation::ALL[on_cache]);
        let shown = context.names.operation(super::names::OPERATIONS[operation]);
        let sort = context.values.sort;
        let (offers, stored) = match operation {
            0 => (format!("!{old}"), None),
            1 => (format!("?{new} : {sort}"), Some(new.as_str())),
            2 => (format!("!{old}"), Some("1")),
            _ => (format!("!{old} ?{new} : {sort}"), Some(new.as_str())),
        };
        let stored = stored.map(|value| (at, value));
        let f = &context.functions;
        let transfer = format!(
            "{} ({access}, {}, {strongest}, {} ({process}, {} ({name})), {provider})",
            f.transfer, copy.state, f.distance, f.home
        );
        let has_row = format!("{} ({access}, {}, {strongest})", f.has_row, copy.state);
        let guard = |text: String| match context.may_lack_rows {
            true => format!("[{has_row}] -> {text}"),
            false => text,
        };
        let after = |own: &str, strongest: &str| -> Option<Vec<String>> {
            let each = |other: &Copy| match other.process == copy.process {
                true => format!("{} ({access}, {own}, {strongest})", f.own),
                false => format!("{} ({access}, {own}, {strongest}, {})", f.other, other.state),
            };
            Some(self.copies.iter().map(each).collect())
        };
        let action = |change| {
            let next = self.again(gates, change);
            guard(format!("ACTION !{process} !{shown} !{name} {offers} !{transfer};\n      {next}"))
        };
        let update = |change| {
            let next = self.again(gates, change);
            format!("UPDATE !{process} !{shown} !{name} {offers};\n      {next}")
        };
        let at_once = || Change { stored, states: after(&copy.state, strongest), decided: None };
        match context.machine.atomicity {
            Atomicity::Atomic => alternatives.push(action(at_once())),
            Atomicity::Split => {
                alternatives.extend([action(Change::default()), guard(update(at_once()))]);
            }
            Atomicity::Raced => {
                let decided = Some((*place, copy.state.as_str(), strongest.as_str()));
                alternatives.push(action(Change { decided, ..Change::default() }));
                let (own, with) = &copy.decided;
                let invalid = context.names.states[0].as_str();
                let decided = Some((*place, invalid, invalid));
                alternatives.push(update(Change { stored, states: after(own, with), decided }));
            }
        }
    }

    /// The questions whether an access of a copy to a variable is wrong.
    fn faults(
        &self,
        seen: &Seen<'_>,
        at: usize,
        operations: &BTreeSet<(usize, usize)>,
        gates: &str,
        alternatives: &mut Vec<String>,
    ) {
        let context = self.context;
        let Seen { copy, process, strongest, .. } = seen;
        let (name, old) = (self.name(at), &self.contents[at]);
        let next = self.again(gates, Change::default());
        if !context.may_lack_rows {
            alternatives.push(format!("FAULT !{process} !{name} !{old};\n      {next}"));
            return;
        }
        let accesses: BTreeSet<&str> =
            operations.iter().map(|&(_, on_cache)| context.access(Operation::ALL[on_cache])).collect();
        for access in accesses {
            let has_row = &context.functions.has_row;
            alternatives.push(format!(
                "FAULT !{process} !{name} !{old} !{access} !{has_row} ({access}, {}, {strongest});\n      {next}",
                copy.state
            ));
        }
    }

    /// The call after an action.
    fn again(&self, gates: &str, change: Change<'_>) -> String {
        let mut operands: Vec<&str> = (0..self.variables.len()).map(|place| self.name(place)).collect();
        operands.extend(self.with_content.iter().map(|&place| match change.stored {
            Some((changed, value)) if changed == place => value,
            _ => self.contents[place].as_str(),
        }));
        match &change.states {
            Some(states) => operands.extend(states.iter().map(String::as_str)),
            None => operands.extend(self.copies.iter().map(|copy| copy.state.as_str())),
        }
        if self.is_raced {
            for (place, copy) in self.copies.iter().enumerate() {
                operands.extend(match change.decided {
                    Some((changed, own, strongest)) if changed == place => [own, strongest],
                    _ => [copy.decided.0.as_str(), copy.decided.1.as_str()],
                });
            }
        }
        format!("{SELF} [{gates}] ({})", operands.join(", "))
    }
}

/// The strongest state among other copies.
fn strongest(context: &Context<'_>, others: &[&Copy]) -> String {
    let Some((first, rest)) = others.split_first() else { return context.names.states[0].clone() };
    match rest {
        [] => first.state.clone(),
        _ => {
            context.uses_strongest.set(true);
            format!("{} ({}, {})", context.functions.strongest, first.state, strongest(context, rest))
        }
    }
}

/// The distance to the first of the other processes whose state is the strongest one.
fn provider(context: &Context<'_>, process: usize, others: &[&Copy], strongest: &str) -> String {
    let protocol = &context.machine.protocol;
    let provides = |strongest: State| {
        let each = |own: usize| {
            let rules =
                volvelle_coherence::Operation::ALL.map(|o| protocol.rule(o, State(own as u8), strongest));
            rules
                .into_iter()
                .flatten()
                .any(|rule| protocol.transfer(rule.transfer).source == Source::Provider)
        };
        (0..protocol.states.len()).any(each)
    };
    if !(0..protocol.states.len()).any(|state| provides(State(state as u8))) {
        return "0".to_owned();
    }
    // Processes that never have the line provide nothing, unless a row lets those provide it that do not hold it.
    let with_all = provides(State::INVALID);
    let state =
        |other: usize| others.iter().find(|copy| copy.process == other).map(|copy| copy.state.clone());
    let count = context.system.processes.len();
    let candidates = (0..count).filter(|&other| other != process).filter_map(|other| {
        let state = state(other).or_else(|| with_all.then(|| context.names.states[0].clone()))?;
        Some((other, state))
    });
    let candidates: Vec<(usize, String)> = candidates.collect();
    let f = &context.functions;
    let distance = |other: usize| {
        format!("{} ({}, {})", f.distance, context.names.process(process), context.names.process(other))
    };
    let Some(((last, _), before)) = candidates.split_last() else { return "0".to_owned() };
    if !before.is_empty() {
        context.uses_nearest.set(true);
    }
    before.iter().rev().fold(distance(*last), |rest, (other, state)| {
        format!("{} ({state} == {strongest}, {}, {rest})", f.choose, distance(*other))
    })
}
