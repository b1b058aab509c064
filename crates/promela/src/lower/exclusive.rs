//! `xr` and `xs`: the promise that one process alone receives from a channel, or sends to it.
//!
//! SPIN trusts it when it reduces the orders of steps, and its verifier ends with an error where it sees the promise broken, or
//! made of a rendezvous. Here which steps commute is found out without it, and nothing depends on it: where the text shows
//! that SPIN would refuse, there is a warning. What reaches a channel by another name (a parameter, a message) is not followed.

use super::environment::Environment;
use super::facts::each_block;
use super::reports::Reports;
use super::symbols::{ProcessId, VarId};
use crate::ast::{ExprId, ExprKind, Place, Proctype, Sequence, StatementKind, Unit};
use volvelle_diagnostics::codes;

/// A promise about a channel.
struct Promise {
    process: ProcessId,
    channel: VarId,
    receives: bool,
    place: Place,
}

/// A statement that sends to a channel or receives from it.
struct Use {
    process: ProcessId,
    channel: VarId,
    receives: bool,
}

/// Warns of promises that SPIN's verifier refuses.
pub(super) fn check(env: &Environment<'_>, reports: &mut Reports<'_>) {
    let processes = env.model.units.iter().filter_map(|unit| match unit {
        Unit::Proctype(process) => Some(process),
        _ => None,
    });
    let mut found = Found { env, process: ProcessId(0), promises: Vec::new(), uses: Vec::new() };
    for (process, proctype) in env.processes.keys().zip(processes) {
        found.process = process;
        found.of_process(proctype);
    }
    for promise in &found.promises {
        let (keyword, does) = if promise.receives { ("xr", "receives from") } else { ("xs", "sends to") };
        let name = &env.variables[promise.channel].name;
        let is_rendezvous = |variable: VarId| {
            let channel = env.variables[variable].channel;
            channel.is_some_and(|channel| env.channel_types[channel].capacity == 0)
        };
        let mut warn = |message: String, note: &str| {
            reports.warning(codes::EXCLUSIVE_ACCESS, message, promise.place, note);
        };
        if is_rendezvous(promise.channel) {
            let message = format!("`{keyword} {name}` is about a rendezvous channel");
            warn(message, "SPIN's verifier refuses it: it is made for channels with a buffer");
            continue;
        }
        let is_same = |u: &&Use| u.channel == promise.channel && u.receives == promise.receives;
        let other = found.uses.iter().filter(is_same).find(|u| u.process != promise.process);
        let owner = &env.processes[promise.process];
        let note = "SPIN's verifier reports an error where it happens; nothing here depends on it";
        if let Some(other) = other {
            let other = &env.processes[other.process].name;
            warn(format!("`{keyword} {name}`, but `{other}` {does} `{name}`, too"), note);
        } else if owner.slots.len() > 1 && found.uses.iter().any(|u| is_same(&u)) {
            let count = owner.slots.len();
            warn(
                format!("`{keyword} {name}`, but each of {count} processes `{}` {does} `{name}`", owner.name),
                note,
            );
        }
    }
}

/// What the statements of processes say about channels.
struct Found<'l, 'a> {
    env: &'l Environment<'a>,
    process: ProcessId,
    promises: Vec<Promise>,
    uses: Vec<Use>,
}

impl Found<'_, '_> {
    fn of_process(&mut self, process: &Proctype) {
        self.sequence(&process.body);
    }

    /// The parser limits the depth of the recursion.
    fn sequence(&mut self, sequence: &Sequence) {
        for statement in &sequence.statements {
            match &statement.kind {
                StatementKind::Exclusive { receive, channels } => {
                    for &channel in channels {
                        let Some(channel) = self.variable(channel) else { continue };
                        let (process, receives, place) = (self.process, *receive, statement.place);
                        self.promises.push(Promise { process, channel, receives, place });
                    }
                }
                StatementKind::Send { channel, .. } => self.add(*channel, false),
                StatementKind::Receive { channel, .. } => self.add(*channel, true),
                _ => each_block(statement, &mut |block| self.sequence(block)),
            }
        }
    }

    fn add(&mut self, channel: ExprId, receives: bool) {
        if let Some(channel) = self.variable(channel) {
            self.uses.push(Use { process: self.process, channel, receives });
        }
    }

    /// The variable of a channel that is no array: one of the process, or else a global one.
    fn variable(&self, channel: ExprId) -> Option<VarId> {
        let ExprKind::Name(name) = &self.env.model.exprs.get(channel).kind else { return None };
        let own = self.env.variables_of(self.process).iter();
        let found = own.copied().find(|&id| self.env.variables[id].name == name.text);
        found.or_else(|| self.env.globals.get(&name.text).copied())
    }
}
