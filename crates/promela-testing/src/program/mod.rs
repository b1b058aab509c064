//! Random programs with a meaning: names are declared, types fit, and state spaces are mostly small.
//!
//! For comparisons of whole tool chains: every program is one that SPIN takes, too. Values stay small (most assignments
//! take a remainder), processes start others only while there are few, and indices lie within their arrays; what is
//! undefined in SPIN (divisions by zero, references to processes that are not there) does not occur. Deadlocks and
//! violated assertions do.

mod claims;
mod communication;
mod control;
mod deterministic;
mod structures;
mod values;

use super::Choices;
use std::fmt::Write;

/// Types of variables and of parts of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned,
    Mtype,
}

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Bit => "bit",
            Type::Bool => "bool",
            Type::Byte => "byte",
            Type::Short => "short",
            Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Mtype => "mtype",
        }
    }

    fn is_small(self) -> bool {
        matches!(self, Type::Bit | Type::Bool | Type::Unsigned)
    }
}

/// A variable that code may name.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    /// Elements, where it is an array.
    length: Option<usize>,
}

/// A channel that code may name.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    /// 0 is a rendezvous; `None` if any channel may be meant.
    capacity: Option<usize>,
    fields: Vec<Type>,
    /// Elements, where it is an array.
    length: Option<usize>,
    /// The part of a message with which a structure begins, if it has one.
    structure_at: Option<usize>,
}

/// A process type before its body is known.
#[derive(Clone, Debug)]
struct Process {
    name: String,
    /// Instances at the beginning.
    active: usize,
    parameters: Vec<Type>,
    takes_channel: bool,
}

/// The constructs around a statement.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Statements may still nest so deep.
    depth: usize,
    indent: usize,
    /// `break` has a meaning.
    in_loop: bool,
    /// Inside of `atomic`, or perhaps so.
    in_atomic: bool,
    /// Nothing may block, and nothing jumps.
    in_d_step: bool,
    /// At the beginning of an alternative beside an `else`, or of an escape: no other `else` may come first. SPIN refuses
    /// two, and in an escape it takes one for always possible.
    no_else: bool,
    /// At the beginning of `unless` inside of `atomic`: SPIN's verifier is lost before a jump there.
    no_jump: bool,
    /// At the beginning of an escape with alternatives: where an offer is not taken, SPIN forgets that another alternative
    /// interrupted before.
    no_send: bool,
    /// A block whose text is there several times: no labels.
    in_inline: bool,
}

impl Around {
    fn inner(self) -> Self {
        Around { depth: self.depth.saturating_sub(1), indent: self.indent + 1, ..self }
    }

    /// Behind the first statement.
    fn later(self) -> Self {
        Around { no_else: false, no_jump: false, no_send: false, ..self }
    }
}

/// A program in the making.
struct Writer<'w, 'c> {
    choices: &'w mut Choices<'c>,
    out: String,
    /// Variables and channels in scope, the innermost last.
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    /// Structures in scope, all of one type.
    pairs: Vec<String>,
    /// The type of the last member of that type, where it is declared.
    pair_tail: Option<Type>,
    processes: Vec<Process>,
    /// Numbers and types of processes that are there as long as their number is below `_nr_pr`.
    known: Vec<(usize, usize)>,
    /// A channel of channels like the first global one.
    carrier: bool,
    has_mtype: bool,
    /// Processes may start others anywhere.
    dynamic: bool,
    inlines: usize,
    /// There is an inline for the inside of a `d_step`.
    has_fixed_inline: bool,
    fresh: usize,
    /// Labels of the process being written; remote references name the first.
    labels: Vec<String>,
    /// How many of them are placed on the uppermost level.
    own_labels: usize,
    process: usize,
    /// No references to other processes: inside of a `d_step`.
    no_remote: bool,
    /// No `full` and the like: SPIN wants them outside of arithmetic, where it also takes polls for more than 0 and 1.
    no_questions: bool,
    /// Statements that may still be written in this process.
    fuel: usize,
    features: Features,
}

/// Features that programs may have in addition to the usual ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Priorities; no rendezvous then, as SPIN refuses both together. Only processes that are there get other ones:
    /// SPIN's verifier goes wrong where it takes back a `set_priority` of one that is not.
    pub priorities: bool,
    /// A `trace` assertion; no rendezvous then, which SPIN's verifier blocks where one is traced.
    pub traces: bool,
    /// A claim named `claim`. Assertions do not occur then, nor what SPIN's verifier computes differently beside a claim: the
    /// number of processes.
    pub claims: bool,
}

/// The text of a program.
pub fn random_program(choices: &mut Choices<'_>) -> String {
    random_program_with(choices, Features::default())
}

/// The text of a program with further features.
pub fn random_program_with(choices: &mut Choices<'_>, features: Features) -> String {
    let mut writer = Writer {
        choices,
        out: String::new(),
        variables: Vec::new(),
        channels: Vec::new(),
        pairs: Vec::new(),
        pair_tail: None,
        processes: Vec::new(),
        known: Vec::new(),
        carrier: false,
        has_mtype: false,
        dynamic: false,
        inlines: 0,
        has_fixed_inline: false,
        fresh: 0,
        labels: Vec::new(),
        own_labels: 0,
        process: 0,
        no_remote: false,
        no_questions: false,
        fuel: 0,
        features,
    };
    writer.program();
    writer.out
}

impl Writer<'_, '_> {
    fn below(&mut self, count: usize) -> usize {
        self.choices.below(count)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.choices.one_in(n)
    }

    /// A line at a depth of indentation.
    fn line(&mut self, around: Around, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * around.indent);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn program(&mut self) {
        let top = Around::default();
        self.has_mtype = self.one_in(3);
        if self.has_mtype {
            self.line(top, "mtype = { red, green, blue };");
        }
        self.line(top, "#define STEP(v) v = (v + 1) % 3");
        for _ in 0..1 + self.below(3) {
            self.declare_variable(top, "g");
        }
        if self.one_in(4) {
            self.structure();
        }
        for _ in 0..self.below(3) {
            self.declare_channel(top, "q");
        }
        if self.channels.first().is_some_and(|c| c.length.is_none()) && self.one_in(4) {
            self.carrier = true;
            let capacity = self.below(3);
            let capacity = self.capacity(capacity);
            self.line(top, &format!("chan carrier = [{capacity}] of {{ chan }};"));
        }
        if self.features.traces {
            self.trace();
        }
        if self.one_in(4) {
            self.inline();
        }
        self.plan();
        let globals = (self.variables.len(), self.channels.len(), self.pairs.len());
        for number in 0..self.processes.len() {
            self.process = number;
            self.proctype();
            self.variables.truncate(globals.0);
            self.channels.truncate(globals.1);
            self.pairs.truncate(globals.2);
        }
        if self.features.claims {
            self.claim();
        }
    }

    /// Which processes there are.
    fn plan(&mut self) {
        let count = 1 + self.below(3);
        let mut next = 0;
        for i in 0..count {
            let active = if i == 0 || !self.one_in(3) { 1 + usize::from(self.one_in(4)) } else { 0 };
            let has_parameters = self.one_in(3);
            let parameters = if has_parameters { vec![Type::Byte; 1 + self.below(2)] } else { Vec::new() };
            let takes_channel =
                active == 0 && self.channels.first().is_some_and(|c| c.length.is_none()) && self.one_in(2);
            self.known.extend((0..active).map(|k| (next + k, i)));
            next += active;
            self.processes.push(Process { name: format!("P{i}"), active, parameters, takes_channel });
        }
        let is_idle = |p: &Process| p.active == 0;
        self.dynamic = self.processes.iter().any(is_idle) || self.one_in(6) && !self.features.claims;
        if self.dynamic {
            self.known.truncate(1);
        }
        if self.one_in(5) || self.processes.iter().any(is_idle) {
            self.processes.push(Process {
                name: "init".into(),
                active: 1,
                parameters: Vec::new(),
                takes_channel: false,
            });
        }
    }

    /// A variable, with an initial value or without.
    fn declare_variable(&mut self, around: Around, prefix: &str) {
        let types = [
            Type::Byte,
            Type::Bit,
            Type::Bool,
            Type::Short,
            Type::Int,
            Type::Unsigned,
            Type::Mtype,
            Type::Byte,
        ];
        let mut ty = self.choices.pick(&types);
        if ty == Type::Mtype && !self.has_mtype {
            ty = Type::Byte;
        }
        let name = self.name(prefix);
        let length = (ty != Type::Unsigned && self.one_in(5)).then(|| 2 + self.choices.below(2));
        let mut text = format!("{} {name}", ty.text());
        if ty == Type::Unsigned {
            text.push_str(" : 2");
        }
        if let Some(length) = length {
            let _ = write!(text, "[{length}]");
        }
        if self.one_in(3) {
            let value = match ty {
                Type::Mtype => "green".into(),
                // Behind the first statement this is an assignment.
                Type::Byte | Type::Short | Type::Int if "bd".contains(prefix) && length.is_none() => {
                    self.small(1)
                }
                Type::Short | Type::Int if self.one_in(3) => "-1".into(),
                Type::Bit | Type::Bool if length.is_some() => "1".into(),
                _ => (self.below(3) + usize::from(ty == Type::Byte)).to_string(),
            };
            let _ = write!(text, " = {value}");
        }
        self.line(around, &format!("{text};"));
        self.variables.push(Variable { name, ty, length });
    }

    fn declare_channel(&mut self, around: Around, prefix: &str) {
        let name = self.name(prefix);
        let capacity = self.below(4).saturating_sub(self.below(2));
        let capacity = self.capacity(capacity);
        let length = (prefix == "q" && self.one_in(5)).then_some(2);
        let mut fields = Vec::new();
        for _ in 0..1 + self.below(3) / 2 + usize::from(self.one_in(6)) {
            let ty = self.choices.pick(&[Type::Byte, Type::Bit, Type::Byte, Type::Short, Type::Mtype]);
            fields.push(if ty == Type::Mtype && !self.has_mtype { Type::Byte } else { ty });
        }
        let types: Vec<&str> = fields.iter().map(|f| f.text()).collect();
        let array = length.map_or(String::new(), |l| format!("[{l}]"));
        let mut types = types.join(", ");
        let structure_at = self.structure_in_messages(prefix, &mut fields, &mut types);
        self.line(around, &format!("chan {name}{array} = [{capacity}] of {{ {types} }};"));
        self.channels.push(Channel { name, capacity: Some(capacity), fields, length, structure_at });
    }

    fn capacity(&self, wanted: usize) -> usize {
        if self.features.priorities || self.features.traces { wanted.max(1) } else { wanted }
    }

    fn inline(&mut self) {
        let top = Around::default();
        self.fixed_inline();
        self.inlines = 1 + self.below(2);
        for i in 0..self.inlines {
            self.line(top, &format!("inline act{i}(left, right) {{"));
            let mark = self.variables.len();
            for name in ["left", "right"] {
                self.variables.push(Variable { name: name.into(), ty: Type::Byte, length: None });
            }
            self.fuel = 3;
            // Calls may be where no `else` may come first.
            let body = Around { depth: 1, indent: 1, in_inline: true, in_atomic: true, no_else: true, ..top };
            // Calls of inlines inside of inlines: only of those before.
            let all = std::mem::replace(&mut self.inlines, i);
            self.sequence(body);
            self.inlines = all;
            self.variables.truncate(mark);
            self.line(top, "}");
        }
    }

    fn proctype(&mut self) {
        let top = Around::default();
        let process = self.processes[self.process].clone();
        let head = self.head(&process);
        self.line(top, &format!("{head} {{"));
        let body = Around { depth: 3, indent: 1, ..top };
        for _ in 0..self.below(3) {
            self.declare_variable(body, "l");
        }
        if self.one_in(6) {
            self.declare_channel(body, "c");
        }
        if self.pair_tail.is_some() && self.one_in(3) {
            self.declare_structure(body);
        }
        if self.carrier {
            self.line(body, "chan cx;");
        }
        self.own_labels = 1 + self.below(2);
        self.labels = self.own_labels();
        self.fuel = 4 + self.below(6);
        if process.name == "init" {
            self.starts(body);
        }
        self.body(body);
        self.line(top, "}");
    }

    fn own_labels(&self) -> Vec<String> {
        (0..self.own_labels).map(|i| format!("L{}_{i}", self.process)).collect()
    }

    fn head(&mut self, process: &Process) -> String {
        if process.name == "init" {
            return format!("init{}", self.priority());
        }
        let mut parameters = Vec::new();
        for (i, ty) in process.parameters.iter().enumerate() {
            parameters.push(format!("{} p{i}", ty.text()));
            self.variables.push(Variable { name: format!("p{i}"), ty: *ty, length: None });
        }
        if process.takes_channel {
            parameters.push("chan cp".into());
            let fields = self.channels[0].fields.clone();
            let (capacity, length, structure_at) = (None, None, None);
            self.channels.push(Channel { name: "cp".into(), capacity, fields, length, structure_at });
        }
        let active = match process.active {
            0 => String::new(),
            1 => "active ".into(),
            n => format!("active [{n}] "),
        };
        let mut head = format!("{active}proctype {}({})", process.name, parameters.join("; "));
        if process.active > 0 {
            head.push_str(&self.priority());
        }
        if self.one_in(8) {
            let global = self.variables[0].name.clone();
            let index = if self.variables[0].length.is_some() { "[0]" } else { "" };
            let op = self.choices.pick(&["!=", "<", ">=", "=="]);
            let global = format!("{global}{index}");
            let condition = match self.below(4) {
                0 => format!("{global} {op} _pid"),
                1 => format!("({global} + _pid) % 2 == 0 || {global} {op} 1"),
                _ => format!("{global} {op} 1"),
            };
            let _ = write!(head, " provided ({condition})");
        }
        head
    }

    /// `init` starts every process that is not active.
    fn starts(&mut self, around: Around) {
        let exclusive = self.one_in(2);
        if exclusive {
            self.line(around, "atomic {");
        }
        let inner = if exclusive { around.inner() } else { around };
        for i in 0..self.processes.len() - 1 {
            if self.processes[i].active == 0 || self.one_in(4) {
                let run = self.run(i);
                self.line(inner, &format!("{run};"));
            }
        }
        self.line(inner, "skip;");
        if exclusive {
            self.line(around, "};");
        }
    }

    fn run(&mut self, number: usize) -> String {
        let process = self.processes[number].clone();
        let mut args: Vec<String> = process.parameters.iter().map(|_| self.small(1)).collect();
        if process.takes_channel {
            args.push(self.channels[0].name.clone());
        }
        format!("run {}({}){}", process.name, args.join(", "), self.priority())
    }

    /// The priority that a process begins with, or nothing.
    fn priority(&mut self) -> String {
        if self.features.priorities && self.one_in(2) {
            format!(" priority {}", 1 + self.below(3))
        } else {
            String::new()
        }
    }
}
