//! Cache lines: each is a process with the values of its variables and the states of its copies.

use super::Context;
use super::values::Term;
use crate::lower::{used_lines, variables_of};
use crate::machine::Atomicity;
use crate::system::{LineId, NodeKind, ProcessId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;
use volvelle_coherence::{Source, State};

/// What is asked for of a line: by process and variable, the names of operations.
pub(super) struct Lines {
    /// Lines that are used, with their processes.
    used: Vec<(LineId, Vec<usize>)>,
    operations: FxHashMap<(usize, u32), BTreeSet<(usize, usize)>>,
}

/// Definitions of lines, and the calls that make them.
pub(super) struct Defined {
    pub definitions: String,
    pub calls: Vec<String>,
}

/// A copy of a line, and what is remembered of an access that was decided earlier.
struct Copy {
    process: usize,
    state: String,
    decided: (String, String),
}

impl Lines {
    pub fn new(context: &Context<'_>) -> Lines {
        let system = context.system;
        let all = used_lines(system);
        let users = |line: u32| {
            (0..system.processes.len()).filter(|&process| all.contains(&(LineId(line), process))).collect()
        };
        let used = (0..system.lines.len() as u32).map(|line| (LineId(line), users(line)));
        let used = used.filter(|(_, users): &(LineId, Vec<usize>)| !users.is_empty()).collect();
        let mut operations: FxHashMap<(usize, u32), BTreeSet<(usize, usize)>> = FxHashMap::default();
        for (number, process) in system.processes.iter().enumerate() {
            for node in &process.nodes {
                let NodeKind::Access(access) = &node.kind else { continue };
                let name = access.operation.name();
                let place = super::names::OPERATIONS
                    .iter()
                    .position(|&known| known == name)
                    .expect("a known operation");
                let on_cache = access.operation.on_cache() as usize;
                for variable in variables_of(&access.variable) {
                    operations.entry((number, variable.0)).or_default().insert((place, on_cache));
                }
            }
        }
        Lines { used, operations }
    }

    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// The processes; `faults` are the processes with the variables for which they ask whether an access is wrong.
    pub fn define(
        &self,
        context: &Context<'_>,
        gates: &str,
        faults: &FxHashSet<(ProcessId, u32)>,
    ) -> Defined {
        let mut known: Vec<(String, String)> = Vec::new();
        let mut defined = Defined { definitions: String::new(), calls: Vec::new() };
        for (line, users) in &self.used {
            let (parameters, arguments, body) = self.line(context, *line, users, gates, faults);
            let shape = format!("{parameters}\n{body}");
            let name = match known.iter().find(|(other, _)| *other == shape) {
                Some((_, name)) => name.clone(),
                None => {
                    let name = format!("LINE_{}", letters(known.len()));
                    known.push((shape, name.clone()));
                    let body = body.replace(SELF, &name);
                    let _ = writeln!(
                        defined.definitions,
                        "  process {name} [{gates}] ({parameters}) : noexit :=\n{body}  endproc\n"
                    );
                    name
                }
            };
            let comment = super::comment(&context.system.lines[line.index()].name);
            defined.calls.push(format!("{name} [{gates}] ({arguments}) (* {comment} *)"));
        }
        defined
    }

    /// Parameters, arguments and body of the process of a line.
    fn line(
        &self,
        context: &Context<'_>,
        line: LineId,
        users: &[usize],
        gates: &str,
        faults: &FxHashSet<(ProcessId, u32)>,
    ) -> (String, String, String) {
        let system = context.system;
        let v = &context.variables;
        let used =
            |number: usize| users.iter().any(|&user| self.operations.contains_key(&(user, number as u32)));
        let variables: Vec<usize> = (0..system.variables.len())
            .filter(|&number| system.variables[number].line == line && used(number))
            .collect();
        let is_raced = context.machine.atomicity == Atomicity::Raced;
        let copy = |(place, &process): (usize, &usize)| Copy {
            process,
            state: v.copies[place].clone(),
            decided: (v.decided_own[place].clone(), v.decided_strongest[place].clone()),
        };
        let copies: Vec<Copy> = users.iter().enumerate().map(copy).collect();
        let sort = context.values.sort;
        // Parameters: names and contents of variables, states, decisions.
        let names: Vec<&str> = (0..variables.len()).map(|k| v.names[k].as_str()).collect();
        let content = |place: usize| -> String {
            let of = &system.variables[variables[place]];
            if of.lo < of.hi { v.contents[place].clone() } else { context.values.offer(&Term::Number(of.lo)) }
        };
        let has_content =
            |place: usize| system.variables[variables[place]].lo < system.variables[variables[place]].hi;
        let with_content: Vec<usize> = (0..variables.len()).filter(|&place| has_content(place)).collect();
        let mut parameters = vec![format!("{} : VARIABLE", names.join(", "))];
        let mut arguments: Vec<String> =
            variables.iter().map(|&number| context.names.variable(number)).collect();
        if !with_content.is_empty() {
            let contents: Vec<String> = with_content.iter().map(|&place| content(place)).collect();
            parameters.push(format!("{} : {sort}", contents.join(", ")));
            for &place in &with_content {
                let of = &system.variables[variables[place]];
                context.values.note((i128::from(of.lo), i128::from(of.hi)));
                arguments.push(context.values.text(&Term::Number(of.initial)));
            }
        }
        let invalid = &context.names.states[0];
        let mut states: Vec<&str> = copies.iter().map(|copy| copy.state.as_str()).collect();
        if is_raced {
            states.extend(copies.iter().flat_map(|copy| [copy.decided.0.as_str(), copy.decided.1.as_str()]));
        }
        arguments.extend(vec![invalid.clone(); states.len()]);
        parameters.push(format!("{} : STATE", states.join(", ")));
        // The call after an access.
        let again = |stored: Option<(usize, &str)>,
                     new_states: &[String],
                     decided: Option<(usize, String, String)>| {
            let mut operands: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            for &place in &with_content {
                operands.push(match stored {
                    Some((changed, value)) if changed == place => value.to_owned(),
                    _ => content(place),
                });
            }
            operands.extend(new_states.iter().cloned());
            if is_raced {
                for (place, copy) in copies.iter().enumerate() {
                    let (own, strongest) = match &decided {
                        Some((changed, own, strongest)) if *changed == place => {
                            (own.clone(), strongest.clone())
                        }
                        _ => copy.decided.clone(),
                    };
                    operands.extend([own, strongest]);
                }
            }
            format!("{SELF} [{gates}] ({})", operands.join(", "))
        };
        let same: Vec<String> = copies.iter().map(|copy| copy.state.clone()).collect();
        let mut alternatives = Vec::new();
        for (place, copy) in copies.iter().enumerate() {
            let process = context.names.process(copy.process);
            for (at, &variable) in variables.iter().enumerate() {
                let Some(operations) = self.operations.get(&(copy.process, variable as u32)) else {
                    continue;
                };
                let others: Vec<&Copy> =
                    copies.iter().filter(|other| other.process != copy.process).collect();
                let strongest = strongest(context, &others);
                let provider = provider(context, copy.process, &others, &strongest);
                let (name, old) = (names[at], content(at));
                for &(operation, on_cache) in operations {
                    let on_cache = volvelle_coherence::Operation::ALL[on_cache];
                    let access = context.access(on_cache);
                    let shown = context.names.operation(super::names::OPERATIONS[operation]);
                    let new = &v.new;
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
                    let after = |own: &str, strongest: &str| -> Vec<String> {
                        let each = |other: &Copy| match other.process == copy.process {
                            true => format!("{} ({access}, {own}, {strongest})", f.own),
                            false => format!("{} ({access}, {own}, {strongest}, {})", f.other, other.state),
                        };
                        copies.iter().map(each).collect()
                    };
                    let action = format!("ACTION !{process} !{shown} !{name} {offers} !{transfer};");
                    let update = format!("UPDATE !{process} !{shown} !{name} {offers};");
                    match context.machine.atomicity {
                        Atomicity::Atomic => {
                            let next = again(stored, &after(&copy.state, &strongest), None);
                            alternatives.push(guard(format!("{action}\n      {next}")));
                        }
                        Atomicity::Split => {
                            alternatives.push(guard(format!("{action}\n      {}", again(None, &same, None))));
                            let next = again(stored, &after(&copy.state, &strongest), None);
                            alternatives.push(guard(format!("{update}\n      {next}")));
                        }
                        Atomicity::Raced => {
                            let decided = Some((place, copy.state.clone(), strongest.clone()));
                            alternatives
                                .push(guard(format!("{action}\n      {}", again(None, &same, decided))));
                            let (own, with) = &copy.decided;
                            let decided = Some((place, invalid.clone(), invalid.clone()));
                            let next = again(stored, &after(own, with), decided);
                            alternatives.push(format!("{update}\n      {next}"));
                        }
                    }
                }
                if faults.contains(&(ProcessId(copy.process as u32), variable as u32)) {
                    let accesses: BTreeSet<&str> = operations
                        .iter()
                        .map(|&(_, on_cache)| context.access(volvelle_coherence::Operation::ALL[on_cache]))
                        .collect();
                    let next = again(None, &same, None);
                    if !context.may_lack_rows {
                        alternatives.push(format!("FAULT !{process} !{name} !{old};\n      {next}"));
                        continue;
                    }
                    for access in accesses {
                        let f = &context.functions;
                        alternatives.push(format!(
                            "FAULT !{process} !{name} !{old} !{access} !{} ({access}, {}, {strongest});\n      {next}",
                            f.has_row, copy.state
                        ));
                    }
                }
            }
        }
        let body: String =
            alternatives.iter().enumerate().fold(String::new(), |mut text, (number, alternative)| {
                if number > 0 {
                    text.push_str("    []\n");
                }
                let _ = writeln!(text, "    {alternative}");
                text
            });
        (parameters.join(", "), arguments.join(", "), body)
    }
}

/// What stands for the name of the process in its own body.
const SELF: &str = "\u{1}";

/// A, B, ..., Z, AA, AB, ...
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b'A' + (number % 26) as u8));
        if number < 26 {
            return name;
        }
        number = number / 26 - 1;
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
