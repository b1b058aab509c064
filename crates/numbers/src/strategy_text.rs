//! Schedulers as texts: tables, CSV and JSON in the formats of `docs/witnesses.md`, graphs for Graphviz, and the Markov chains
//! that they make as explicit models.
//!
//! A scheduler without memory and chance is written in version 1 of the formats, any other in version 2, which has columns for
//! memory, probability and the memory after the step.

use crate::commands::Commands;
use std::fmt::Write;
use std::sync::Arc;
use volvelle_explicit::{Column, Integers, Model, Variable};
use volvelle_explore::Explored;
use volvelle_logic::{Counted, Optimum, Property};
use volvelle_markov::{Found, Induced, Line, Memory, Move, Remaining, Strategy};
use volvelle_media::dot::escaped;
use volvelle_model::{Domain, Program};
use volvelle_session::csv;
use volvelle_session::evidence::{
    CommandReport, DecisionReport, Evidences, MemoryReport, SchedulerFormat, SchedulerReport, command_places,
    command_text,
};
use volvelle_session::saved_strategy::{PLAIN, WITH_MEMORY, variables};
use volvelle_space::{BitSet, Space};

/// Decisions that a report has in words; the file has all.
const MOST_DECISIONS: usize = 10_000;

/// The report on a scheduler, with its file and its chain as far as they are wanted.
pub fn report(
    explored: &Explored,
    property: &Property,
    found: &Found,
    chain: Option<&Induced>,
    wanted: Evidences,
    commands: &mut Commands<'_>,
    text: impl Fn(u32) -> String,
) -> SchedulerReport {
    let program = commands.program;
    let writer = Writer { explored, program, property, found, text: &text };
    let graph = |chain: Option<&Induced>| chain.map_or(String::new(), |chain| writer.dot(chain));
    let lines = || writer.deciding();
    SchedulerReport {
        text: match wanted.scheduler {
            None => String::new(),
            Some(SchedulerFormat::Table) => writer.table(commands),
            Some(SchedulerFormat::Csv) => writer.csv(commands),
            Some(SchedulerFormat::Json) => writer.json(commands),
            Some(SchedulerFormat::Dot) => graph(chain),
        },
        optimum: writer.optimum(),
        bounds: writer.bounds(),
        states: explored.space.num_states() as u64,
        memory: writer.memory(),
        deciding: lines().count() as u64,
        decisions: lines().take(MOST_DECISIONS).map(|line| writer.decision(&line, commands)).collect(),
        induced: chain.filter(|_| wanted.induced).map(|chain| Arc::new(model(explored, program, chain))),
        induced_graph: if wanted.induced_graph { graph(chain) } else { String::new() },
    }
}

/// The name of a choice's action, if it has one.
pub fn action(explored: &Explored, choice: u32) -> Option<&str> {
    let levels = explored.space.choices.as_ref()?;
    let name = &explored.space.actions[levels.action[choice as usize] as usize];
    (!name.is_empty()).then_some(name.as_str())
}

/// The name of a kind of memory in files, and in words.
fn named(memory: Memory) -> (&'static str, &'static str) {
    match memory {
        Memory::None => ("none", "no memory"),
        Memory::StepsLeft => ("steps-left", "the steps that are left"),
        Memory::Amounts => ("amounts", "what is left of the bounds"),
        Memory::Automata => ("automata", "what of the formulas is satisfied so far"),
        Memory::Mix => ("mix", "the scheduler drawn at the beginning, and what is satisfied so far"),
    }
}

/// A memory with which bounds do not matter any more.
const WHATEVER: &str = "whatever is left";

struct Writer<'a> {
    explored: &'a Explored,
    program: &'a Program,
    property: &'a Property,
    found: &'a Found,
    text: &'a dyn Fn(u32) -> String,
}

impl Writer<'_> {
    fn strategy(&self) -> &Strategy {
        &self.found.strategy
    }

    /// Whether the first version of the formats holds it.
    fn is_plain(&self) -> bool {
        self.strategy().choices().is_some()
    }

    /// The lines of states with several choices; when no step is left nothing matters.
    fn deciding(&self) -> impl Iterator<Item = Line> {
        let space = &self.explored.space;
        let lines = self.strategy().lines();
        let lines = lines.filter(|line| space.choices_of(line.state as usize).len() > 1);
        let counts = self.strategy().memory == Memory::StepsLeft;
        lines.filter_map(move |line| {
            let [from, to] = line.memory;
            let memory = [if counts { from.max(1) } else { from }, to];
            (memory[0] <= to).then_some(Line { memory, ..line })
        })
    }

    /// The memory of a decision in words; `None` where it does not matter.
    fn remembered(&self, [from, to]: [u32; 2]) -> Option<String> {
        let strategy = self.strategy();
        match strategy.memory {
            Memory::None => None,
            Memory::StepsLeft if from <= 1 && to == strategy.initial => None,
            Memory::StepsLeft if to == 1 => Some("1 step left".to_owned()),
            Memory::StepsLeft => Some(format!("{} steps left", range([from, to]))),
            Memory::Amounts => Some(self.left(from).unwrap_or_else(|| WHATEVER.to_owned())),
            Memory::Automata | Memory::Mix => Some(format!("memory {from}")),
        }
    }

    /// The name of what a bound counts.
    fn counted(&self, counted: Counted) -> &str {
        match counted {
            Counted::Steps => "steps",
            Counted::Reward(id) => {
                let of_program = self.program.rewards.get(id.index()).and_then(|r| r.name.as_deref());
                let of_space = self.explored.space.rewards.get(id.index()).map(|r| r.name.as_str());
                of_program.or(of_space).filter(|name| !name.is_empty()).unwrap_or("reward")
            }
        }
    }

    /// How much a memory says is left of the bounds: `energy 18 left, steps 3 to go`; `None` where they do not matter any more.
    fn left(&self, memory: u32) -> Option<String> {
        let left = self.strategy().amounts.as_ref()?.of_memory(memory)?;
        let text = |(of, left): (Remaining, f64)| {
            format!("{} {left} {}", self.counted(of.counted), if of.upper { "left" } else { "to go" })
        };
        Some(left.map(text).collect::<Vec<_>>().join(", "))
    }

    fn memory(&self) -> Option<MemoryReport> {
        let strategy = self.strategy();
        let (kind, what) = named(strategy.memory);
        let (count, initial) = (strategy.memories(), strategy.initial);
        (!self.is_plain()).then_some(MemoryReport { kind, what, count, initial })
    }

    fn decision(&self, line: &Line, commands: &mut Commands<'_>) -> DecisionReport {
        let Move { choice, probability, .. } = line.then;
        let all = self.explored.space.choices_of(line.state as usize);
        DecisionReport {
            number: line.state,
            state: (self.text)(line.state),
            memory: self.remembered(line.memory),
            probability: (probability != 1.0).then_some(probability),
            choice: choice - all.start as u32,
            of: all.len() as u32,
            action: action(self.explored, choice).map(str::to_owned),
            commands: commands.of(line.state, choice),
        }
    }

    fn value(&self, field: usize, value: i64) -> String {
        match self.program.fields[field].domain {
            Domain::Bool => (value != 0).to_string(),
            _ => value.to_string(),
        }
    }

    fn values(&self, state: u32) -> Vec<String> {
        let values = self.explored.layout.unpack(self.explored.states.get(state as usize));
        variables(self.program).map(|field| self.value(field, values[field])).collect()
    }

    /// `max` or `min`: of the property itself; for several objectives `multi`.
    fn optimum(&self) -> &'static str {
        match self.found.optimum {
            Some(Optimum::Max) => "max",
            Some(Optimum::Min) => "min",
            None => "multi",
        }
    }

    /// Bounds of the property's value under the scheduler, where it has one.
    fn bounds(&self) -> Option<[f64; 2]> {
        match self.found.values.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn version(&self) -> u64 {
        if self.is_plain() { PLAIN } else { WITH_MEMORY }
    }

    /// Its columns: the state, the variables, and what is done.
    fn heads(&self) -> Vec<String> {
        let names = variables(self.program).map(|field| self.program.fields[field].name.as_str());
        let decision: &[&str] = match self.is_plain() {
            true => &["choice", "action", "place", "command"],
            false => &["memory", "choice", "probability", "next", "action", "place", "command"],
        };
        std::iter::once("state").chain(names).chain(decision.iter().copied()).map(str::to_owned).collect()
    }

    /// The cells of a line, in the same order. What is not known is `-`.
    fn cells(&self, line: &Line, commands: &mut Commands<'_>) -> Vec<String> {
        let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text.replace('\t', " ") };
        let Move { choice, probability, next } = line.then;
        let first = self.explored.space.choices_of(line.state as usize).start as u32;
        let mut cells = vec![line.state.to_string()];
        cells.extend(self.values(line.state));
        if !self.is_plain() {
            cells.push(range(line.memory));
        }
        cells.push((choice - first).to_string());
        if !self.is_plain() {
            cells.push(format!("{probability:?}"));
            let counts = self.strategy().memory == Memory::StepsLeft;
            cells.push(if counts { "-".to_owned() } else { next.to_string() });
        }
        cells.push(action(self.explored, choice).unwrap_or("-").to_owned());
        let commands = commands.of(line.state, choice);
        cells.push(or_dash(command_places(&commands)));
        cells.push(or_dash(command_text(&commands)));
        cells
    }

    fn table(&self, commands: &mut Commands<'_>) -> String {
        let text = self.property.text.trim();
        let mut out = format!("# volvelle scheduler {}\n# property: {text}\n", self.version());
        let _ = writeln!(out, "# optimum: {}", self.optimum());
        for [lo, hi] in &self.found.values {
            let _ = writeln!(out, "# value: {lo:?} .. {hi:?}");
        }
        if let Some(memory) = self.memory() {
            let _ = writeln!(out, "# memory: {} ({}), {} at first", memory.kind, memory.what, memory.initial);
        }
        for memory in 0..self.strategy().amounts.as_ref().map_or(0, |amounts| amounts.left.len() as u32) {
            let left = self.left(memory);
            let left = left.as_deref().unwrap_or(WHATEVER);
            let _ = writeln!(out, "# memory {memory}: {left}");
        }
        let _ = writeln!(out, "{}", self.heads().join("\t"));
        for line in self.strategy().lines() {
            let _ = writeln!(out, "{}", self.cells(&line, commands).join("\t"));
        }
        out
    }

    fn csv(&self, commands: &mut Commands<'_>) -> String {
        let mut out = String::new();
        csv::line(&mut out, &self.heads());
        self.strategy().lines().for_each(|line| csv::line(&mut out, &self.cells(&line, commands)));
        out
    }

    fn json(&self, commands: &mut Commands<'_>) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { format!("\"{x}\"") };
        let property = text(self.property.text.trim());
        let mut out = format!("{{\n  \"scheduler\": {},\n  \"property\": {property},\n", self.version());
        let _ = writeln!(out, "  \"optimum\": \"{}\",", self.optimum());
        match self.found.values.as_slice() {
            [] => {}
            [[lo, hi]] => {
                let _ = writeln!(out, "  \"lo\": {}, \"hi\": {},", number(*lo), number(*hi));
            }
            several => {
                let all = several.iter().map(|[lo, hi]| format!("[{}, {}]", number(*lo), number(*hi)));
                let _ = writeln!(out, "  \"values\": [{}],", all.collect::<Vec<_>>().join(", "));
            }
        }
        if let Some(MemoryReport { kind, count, initial, .. }) = self.memory() {
            let _ = writeln!(
                out,
                "  \"memory\": {{ \"kind\": \"{kind}\", \"count\": {count}, \"initial\": {initial}{} }},",
                self.amounts()
            );
        }
        let names: Vec<String> =
            variables(self.program).map(|f| text(&self.program.fields[f].name)).collect();
        let _ = writeln!(out, "  \"variables\": [{}],\n  \"choices\": [", names.join(", "));
        let mut first = true;
        for line in self.strategy().lines() {
            let Move { choice, probability, next } = line.then;
            let counted = choice - self.explored.space.choices_of(line.state as usize).start as u32;
            let values = self.values(line.state).join(", ");
            let _ = write!(out, "{}    {{ ", if first { "" } else { ",\n" });
            let _ = write!(out, "\"number\": {}, \"values\": [{values}]", line.state);
            if !self.is_plain() {
                let [from, to] = line.memory;
                let _ = match from == to {
                    true => write!(out, ", \"memory\": {from}"),
                    false => write!(out, ", \"memory\": [{from}, {to}]"),
                };
            }
            let _ = write!(out, ", \"choice\": {counted}");
            if probability != 1.0 {
                let _ = write!(out, ", \"probability\": {probability:?}");
            }
            if !self.is_plain() && self.strategy().memory != Memory::StepsLeft {
                let _ = write!(out, ", \"next\": {next}");
            }
            if let Some(action) = action(self.explored, choice) {
                let _ = write!(out, ", \"action\": {}", text(action));
            }
            let commands = commands.of(line.state, choice);
            if !commands.is_empty() {
                let commands = commands.iter().map(|command| {
                    let CommandReport { module, file, line, text: command } = command;
                    format!(
                        "{{ \"module\": {}, \"file\": {}, \"line\": {line}, \"command\": {} }}",
                        text(module),
                        text(file),
                        text(command)
                    )
                });
                let _ = write!(out, ", \"commands\": [{}]", commands.collect::<Vec<_>>().join(", "));
            }
            out.push_str(" }");
            first = false;
        }
        out.push_str("\n  ]\n}\n");
        out
    }

    /// What is left with each memory, in JSON.
    fn amounts(&self) -> String {
        let Some(amounts) = &self.strategy().amounts else { return String::new() };
        let bounds = amounts.of.iter().map(|of| {
            let end = if of.upper { "upper" } else { "lower" };
            let counted = serde_json::Value::from(self.counted(of.counted));
            format!("{{ \"counted\": {counted}, \"end\": \"{end}\" }}")
        });
        let left = (0..amounts.left.len() as u32).map(|memory| match amounts.of_memory(memory) {
            Some(left) => {
                let left: Vec<String> = left.map(|(_, left)| left.to_string()).collect();
                format!("[{}]", left.join(", "))
            }
            None => "null".to_owned(),
        });
        let [bounds, left] = [bounds.collect::<Vec<_>>(), left.collect()].map(|list| list.join(", "));
        format!(", \"bounds\": [{bounds}], \"left\": [{left}]")
    }

    /// The chain as a graph: a state is a box with its values and the memory, an edge has the action and the probability. Where
    /// chance draws one of several moves, each is a dot between.
    fn dot(&self, chain: &Induced) -> String {
        let mut out = String::from("digraph scheduler {\n  node [shape=box];\n");
        let number: std::collections::HashMap<(u32, u32), usize> =
            (chain.state_of.iter().copied().zip(chain.memory_of.iter().copied()))
                .enumerate()
                .map(|(i, pair)| (pair, i))
                .collect();
        let mut moves: Vec<Move> = Vec::new();
        let space = &self.explored.space;
        for (i, (&state, &memory)) in chain.state_of.iter().zip(&chain.memory_of).enumerate() {
            let mut label = escaped(&(self.text)(state));
            match self.left(memory) {
                Some(left) => label.push_str(&format!("\\n{}", escaped(&left))),
                None if self.strategy().memory == Memory::None => {}
                None => label.push_str(&format!("\\nmemory {memory}")),
            }
            let initial = chain.space.initial.iter().any(|s| s.index() == i);
            let border = if initial { ", peripheries=2" } else { "" };
            let _ = writeln!(out, "  {i} [label=\"{label}\"{border}];");
            self.strategy().moves(state as usize, memory, &mut moves);
            if let [only] = moves.as_slice() {
                let name = action(self.explored, only.choice).map_or(String::new(), escaped);
                for (to, probability) in chain.space.transitions(i) {
                    let label = format!("{name} {probability}");
                    let _ = writeln!(out, "  {i} -> {to} [label=\"{}\"];", label.trim());
                }
                continue;
            }
            for (k, then) in moves.iter().enumerate() {
                let name = action(self.explored, then.choice).map_or(String::new(), escaped);
                let drawn = format!("{name} {}", then.probability);
                let _ = writeln!(out, "  m{i}_{k} [shape=point, width=0.1, height=0.1, label=\"\"];");
                let _ = writeln!(out, "  {i} -> m{i}_{k} [arrowhead=none, label=\"{}\"];", drawn.trim());
                for (target, probability) in space.transitions(then.choice as usize) {
                    let Some(to) = number.get(&(target as u32, then.next)) else { continue };
                    let _ = writeln!(out, "  m{i}_{k} -> {to} [label=\"{probability}\"];");
                }
            }
        }
        out.push_str("}\n");
        out
    }
}

/// `3`, or `0..4`
fn range([from, to]: [u32; 2]) -> String {
    if from == to { from.to_string() } else { format!("{from}..{to}") }
}

/// The chain of a scheduler as an explicit model: with the variables, the labels and the rewards of the model, and the memory as
/// one more variable, if there is any.
fn model(explored: &Explored, program: &Program, chain: &Induced) -> Model {
    let value = |state: usize, field: usize| {
        let number = chain.state_of[state] as usize;
        explored.layout.get(explored.states.get(number), volvelle_model::FieldId(field as u32))
    };
    let n = chain.state_of.len();
    let mut columns: Vec<Variable> = (variables(program))
        .map(|field| {
            let domain = program.fields[field].domain;
            let values = match domain {
                Domain::Bool => Column::Bool(BitSet::of(n, (0..n).filter(|&s| value(s, field) != 0))),
                _ => Column::Int((0..n).map(|s| value(s, field)).collect::<Integers>()),
            };
            let bounds = matches!(domain, Domain::Int { .. }).then_some(domain.bounds());
            Variable { name: program.fields[field].name.clone(), values, present: None, bounds }
        })
        .collect();
    let last = chain.memory_of.iter().copied().max().unwrap_or(0);
    if last > 0 {
        let mut name = "memory".to_owned();
        while columns.iter().any(|column| column.name == name) {
            name.push('_');
        }
        let values = Column::Int(chain.memory_of.iter().map(|&m| i64::from(m)).collect::<Integers>());
        columns.push(Variable { name, values, present: None, bounds: Some((0, i64::from(last))) });
    }
    // Of what was observed, only what the program calls a label.
    let observed = program.labels.iter().zip(&chain.space.labels);
    let labels = observed.filter_map(|(label, (_, set))| {
        let name = label.name.as_deref().filter(|name| !matches!(*name, "init" | "deadlock"))?;
        (set.len() == n).then(|| (name.to_owned(), set.clone()))
    });
    let mut space = Space { labels: labels.collect(), ..chain.space.clone() };
    for (rewards, of_program) in space.rewards.iter_mut().zip(&program.rewards) {
        rewards.name = of_program.name.clone().unwrap_or_default();
    }
    Model::from_space(&space, None, columns)
}
