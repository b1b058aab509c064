//! A system as text: one line for each variable and step. For tests, and to see what a program has become.

use crate::system::{
    Access, Binary, ChannelReference, Event, Expr, Home, Index, Local, LocalId, NodeKind, Operation, Process,
    Reference, System, Unary,
};
use std::fmt::Write;

impl System {
    /// The whole system.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for variable in &self.variables {
            let line = &self.lines[variable.line.index()];
            let home = match &self.homes[line.home.index()] {
                Home::Process(process) => {
                    self.processes.get(process.index()).map_or("?", |process| &process.name).to_owned()
                }
                Home::Place(place) => format!("\"{place}\""),
            };
            let range = range(variable.lo, variable.hi, variable.initial);
            let wraps = if variable.wraps { " wraps" } else { "" };
            let class = &self.classes[variable.class.index()];
            let _ = writeln!(
                text,
                "shared {} : {range}{wraps} on {} home {home} class {class}",
                variable.name, line.name
            );
        }
        for channel in &self.channels {
            let (lo, hi) = (channel.lo, channel.hi);
            let _ = writeln!(text, "channel {} : {lo}..{hi} capacity {}", channel.name, channel.capacity);
        }
        for process in &self.processes {
            let _ = writeln!(text, "process {} from {}", process.name, process.start.0);
            for Local { name, lo, hi, initial } in &process.locals {
                let _ = writeln!(text, "  local {name} : {}", range(*lo, *hi, *initial));
            }
            for (number, node) in process.nodes.iter().enumerate() {
                let _ = writeln!(text, "  {number}: {}", self.step(process, &node.kind));
            }
        }
        text
    }

    /// A step of a process: what it does, and which follow.
    pub fn step(&self, process: &Process, kind: &NodeKind) -> String {
        let value = |expr: &Expr| expr_text(process, expr);
        match kind {
            NodeKind::Access(access) => {
                let Access { operation, variable, result, next } = access;
                let operands = match operation {
                    Operation::Load | Operation::TestAndSet => String::new(),
                    Operation::Store(a) | Operation::Swap(a) | Operation::FetchAdd(a) => {
                        format!(" {}", value(a))
                    }
                    Operation::CompareAndSwap(a, b) => format!(" {} {}", value(a), value(b)),
                };
                let result =
                    result.map_or(String::new(), |local| format!(" => {}", local_text(process, local)));
                let place = self.place(process, variable);
                format!("{} {place}{operands}{result} -> {}", operation.name(), next.0)
            }
            NodeKind::Work(work, next) => format!("work {} -> {}", self.works[work.index()].mean, next.0),
            NodeKind::Event(event, next) => {
                let event = match event {
                    Event::Mark(mark) => format!("mark {}", self.marks[mark.index()]),
                    Event::Enter(place) => format!("enter {}", self.place(process, place)),
                    Event::Leave(place) => format!("leave {}", self.place(process, place)),
                    Event::Sent(channel, content) => {
                        format!("sent {} {}", self.channel(process, channel), value(content))
                    }
                    Event::Received(channel, content) => {
                        format!("received {} {}", self.channel(process, channel), value(content))
                    }
                };
                format!("{event} -> {}", next.0)
            }
            NodeKind::Assign(local, expr, next) => {
                format!("{} := {} -> {}", local_text(process, *local), value(expr), next.0)
            }
            NodeKind::Branch(condition, yes, no) => {
                format!("if {} -> {} else {}", value(condition), yes.0, no.0)
            }
            NodeKind::Choice(ways) => {
                let ways: Vec<String> = ways.iter().map(|way| way.0.to_string()).collect();
                format!("any of {}", ways.join(", "))
            }
            NodeKind::Assert(condition, next) => format!("assert {} -> {}", value(condition), next.0),
            NodeKind::End => "end".to_owned(),
        }
    }

    /// A variable as a process names it: `next[send.p]`.
    pub fn place(&self, process: &Process, reference: &Reference) -> String {
        let name = |number: usize| self.variables.get(number).map(|variable| variable.name.as_str());
        indexed(process, name, reference.base.index(), &reference.indices)
    }

    /// A channel as a process names it.
    pub fn channel(&self, process: &Process, reference: &ChannelReference) -> String {
        let name = |number: usize| self.channels.get(number).map(|channel| channel.name.as_str());
        indexed(process, name, reference.base.index(), &reference.indices)
    }
}

fn range(lo: i64, hi: i64, initial: i64) -> String {
    format!("{lo}..{hi} = {initial}")
}

fn local_text(process: &Process, local: LocalId) -> &str {
    process.locals.get(local.index()).map_or("?", |local| local.name.as_str())
}

/// The name of the first element, with computed indices where those of its neighbours differ from its own.
fn indexed<'s>(
    process: &Process,
    name: impl Fn(usize) -> Option<&'s str>,
    base: usize,
    indices: &[Index],
) -> String {
    let first = name(base).unwrap_or("?");
    let mut parts: Vec<String> = first.split_inclusive(['[', ']']).map(str::to_owned).collect();
    let mut rest = String::new();
    for index in indices {
        let value = expr_text(process, &index.value);
        let neighbour = (index.hi > index.lo).then(|| name(base + index.stride as usize)).flatten();
        let place = neighbour.and_then(|neighbour| {
            first
                .split_inclusive(['[', ']'])
                .zip(neighbour.split_inclusive(['[', ']']))
                .position(|(a, b)| a != b)
        });
        match place {
            Some(place) => parts[place] = format!("{value}]"),
            // An array of one element: its only index is tested.
            None => {
                let _ = write!(rest, "{{{value} is {}}}", index.lo);
            }
        }
    }
    parts.concat() + &rest
}

/// An expression, with parentheses around each operation in another one.
pub fn expr_text(process: &Process, expr: &Expr) -> String {
    let inner = |expr: &Expr| match expr {
        Expr::Binary(..) => format!("({})", expr_text(process, expr)),
        _ => expr_text(process, expr),
    };
    match expr {
        Expr::Constant(value) => value.to_string(),
        Expr::Local(local) => local_text(process, *local).to_owned(),
        Expr::Unary(Unary::Negate, a) => format!("-{}", inner(a)),
        Expr::Unary(Unary::Not, a) => format!("!{}", inner(a)),
        Expr::Binary(operator, a, b) => format!("{} {} {}", inner(a), sign(*operator), inner(b)),
    }
}

/// How an operation is written.
fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
