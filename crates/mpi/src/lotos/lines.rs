//! Cache lines: each is a process with the values of its variables and the states of its copies.

use super::context::Context;
use super::line::{LineProcess, Operations, SELF};
use crate::lower::{used_lines, variables_of};
use crate::system::{LineId, NodeKind, ProcessId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// What is asked for of a line: by process and variable, the names of operations.
pub(super) struct Lines {
    /// Lines that are used, with their processes.
    used: Vec<(LineId, Vec<usize>)>,
    operations: Operations,
}

/// Definitions of lines, and the calls that make them.
pub(super) struct Defined {
    pub definitions: String,
    pub calls: Vec<String>,
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
        let mut operations = Operations::default();
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
            let process = LineProcess::new(context, *line, users, &self.operations);
            let (parameters, arguments) = process.parameters();
            let body = process.body(gates, faults);
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
}

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
