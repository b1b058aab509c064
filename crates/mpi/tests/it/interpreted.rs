//! A second opinion on graphs: random programs of one process run as their text says, statement by statement, and as graphs; both make the
//! same accesses with the same values.

use crate::common::resolved;
use std::collections::HashMap;
use volvelle_diagnostics::FileId;
use volvelle_mpi::parse;
use volvelle_mpi::syntax::{
    Atomic, Block, Expr, ExprKind, Item, Place, Procedure, Statement, StatementKind, Tree,
};
use volvelle_mpi::system::{self, Access, Binary, NodeKind, Operation, System, Unary};
use volvelle_random::Random;

/// How many accesses and marks are compared.
const LONGEST: usize = 80;
/// Steps without any after which a run is given up.
const FUEL: usize = 20_000;

fn operate(operator: Binary, a: i64, b: i64) -> i64 {
    let truth = i64::from;
    match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        // Divisors of these programs are positive.
        Binary::Divide => a.div_euclid(b),
        Binary::Remainder => a.rem_euclid(b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
    }
}

/// What happens, in order; all variables count modulo 4.
#[derive(Default)]
struct Memory {
    values: HashMap<String, i64>,
    trace: Vec<String>,
}

/// The run is over.
struct Over;

impl Memory {
    fn note(&mut self, text: String) -> Result<(), Over> {
        self.trace.push(text);
        if self.trace.len() >= LONGEST { Err(Over) } else { Ok(()) }
    }

    /// An access with its operands; its result.
    fn access(&mut self, name: &str, operation: &str, operands: &[i64]) -> Result<i64, Over> {
        let value = self.values.entry(name.to_owned()).or_insert(0);
        let old = *value;
        let mut result = old;
        match (operation, operands) {
            ("ST" | "SWAP", &[new]) => *value = new,
            ("TAS", _) => *value = 1,
            ("FADD", &[more]) => *value = (old + more).rem_euclid(4),
            ("CAS", &[expected, new]) => {
                result = i64::from(old == expected);
                if old == expected {
                    *value = new;
                }
            }
            _ => {}
        }
        self.note(format!("{operation} {name} {operands:?}"))?;
        Ok(result)
    }
}

#[derive(Clone)]
enum Bound {
    Value(i64),
    /// A part of an array of shared variables.
    Shared(String),
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(i64),
}

/// The text as it is.
struct Walk<'t> {
    procedures: HashMap<&'t str, &'t Procedure>,
    memory: Memory,
    private: HashMap<String, i64>,
    names: Vec<(&'t str, Bound)>,
    fuel: usize,
}

impl<'t> Walk<'t> {
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().rposition(|(known, _)| *known == name)
    }

    /// The name of the variable or part that a place is, with its indices evaluated.
    fn name(&mut self, place: &'t Place) -> Result<String, Over> {
        let mut name = match self.find(&place.name.text).map(|at| self.names[at].1.clone()) {
            Some(Bound::Shared(name)) => name,
            _ => place.name.text.clone(),
        };
        for index in &place.indices {
            name += &format!("[{}]", self.value(index)?);
        }
        if let Some((field, indices)) = &place.field {
            name += &format!(".{}", field.text);
            for index in indices {
                name += &format!("[{}]", self.value(index)?);
            }
        }
        Ok(name)
    }

    fn is_private(name: &str) -> bool {
        name.starts_with('w')
    }

    fn value(&mut self, expr: &'t Expr) -> Result<i64, Over> {
        Ok(match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Place(place) => {
                if let Some(at) = self.find(&place.name.text)
                    && let Bound::Value(value) = self.names[at].1
                {
                    return Ok(value);
                }
                let name = self.name(place)?;
                if Self::is_private(&name) {
                    self.private[&name]
                } else {
                    self.memory.access(&name, "LD", &[])?
                }
            }
            ExprKind::Unary(Unary::Negate, a) => -self.value(a)?,
            ExprKind::Unary(Unary::Not, a) => i64::from(self.value(a)? == 0),
            ExprKind::Binary(Binary::And, a, b) => i64::from(self.value(a)? != 0 && self.value(b)? != 0),
            ExprKind::Binary(Binary::Or, a, b) => i64::from(self.value(a)? != 0 || self.value(b)? != 0),
            ExprKind::Binary(operator, a, b) => {
                let a = self.value(a)?;
                operate(*operator, a, self.value(b)?)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let way = if self.value(condition)? != 0 { yes } else { no };
                self.value(way)?
            }
            ExprKind::Call(name, arguments) => self.call(&name.text, arguments)?,
            ExprKind::Operation(operation, place, values) => {
                let name = self.name(place)?;
                let operands = values.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
                let operation = match operation {
                    Atomic::TestAndSet => "TAS",
                    Atomic::Swap => "SWAP",
                    Atomic::CompareAndSwap => "CAS",
                    Atomic::FetchAdd => "FADD",
                };
                self.memory.access(&name, operation, &operands)?
            }
        })
    }

    fn call(&mut self, name: &str, arguments: &'t [Expr]) -> Result<i64, Over> {
        let procedure = self.procedures[name];
        let mut names = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let bound = match &argument.kind {
                ExprKind::Place(place) if parameter.shared => Bound::Shared(self.name(place)?),
                _ => Bound::Value(self.value(argument)?),
            };
            names.push((parameter.name.text.as_str(), bound));
        }
        // A procedure sees nothing of its caller.
        let outer = std::mem::replace(&mut self.names, names);
        let flow = self.block(&procedure.body);
        self.names = outer;
        Ok(if let Flow::Return(value) = flow? { value } else { 0 })
    }

    fn block(&mut self, block: &'t Block) -> Result<Flow, Over> {
        let names = self.names.len();
        let mut flow = Ok(Flow::Next);
        for statement in &block.statements {
            flow = self.statement(statement);
            if !matches!(flow, Ok(Flow::Next)) {
                break;
            }
        }
        self.names.truncate(names);
        flow
    }

    /// Runs a body once; whether the loop goes on, or what it ends with.
    fn round(&mut self, flow: Flow) -> Option<Flow> {
        match flow {
            Flow::Next | Flow::Continue => None,
            Flow::Break => Some(Flow::Next),
            Flow::Return(value) => Some(Flow::Return(value)),
        }
    }

    fn statement(&mut self, statement: &'t Statement) -> Result<Flow, Over> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Over)?;
        match &statement.kind {
            StatementKind::Local(locals) => {
                for local in locals {
                    let value = local.initial.as_ref().map_or(Ok(0), |value| self.value(value))?;
                    self.names.push((&local.name.text, Bound::Value(value)));
                }
            }
            StatementKind::Assign(place, value) => {
                if let Some(at) = self.find(&place.name.text)
                    && matches!(self.names[at].1, Bound::Value(_))
                {
                    let value = self.value(value)?;
                    self.names[at].1 = Bound::Value(value);
                    return Ok(Flow::Next);
                }
                let name = self.name(place)?;
                let value = self.value(value)?;
                if Self::is_private(&name) {
                    self.private.insert(name, value);
                } else {
                    self.memory.access(&name, "ST", &[value])?;
                }
            }
            StatementKind::Read(place) => {
                let name = self.name(place)?;
                self.memory.access(&name, "LD", &[])?;
            }
            StatementKind::If(condition, yes, no) => {
                if self.value(condition)? != 0 {
                    return self.statement(yes);
                } else if let Some(no) = no {
                    return self.statement(no);
                }
            }
            StatementKind::While(condition, body) => {
                while self.value(condition)? != 0 {
                    let flow = self.statement(body)?;
                    if let Some(flow) = self.round(flow) {
                        return Ok(flow);
                    }
                }
            }
            StatementKind::Repeat(body, condition) => loop {
                self.fuel = self.fuel.checked_sub(1).ok_or(Over)?;
                let flow = self.block(body)?;
                if let Some(flow) = self.round(flow) {
                    return Ok(flow);
                }
                if self.value(condition)? != 0 {
                    break;
                }
            },
            StatementKind::For(name, range, body) => {
                for value in self.value(&range.lo)?..=self.value(&range.hi)? {
                    self.names.push((&name.text, Bound::Value(value)));
                    let flow = self.statement(body);
                    self.names.pop();
                    if let Some(flow) = self.round(flow?) {
                        return Ok(flow);
                    }
                }
            }
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                return Ok(Flow::Return(value.as_ref().map_or(Ok(0), |value| self.value(value))?));
            }
            StatementKind::Measure(name) => self.memory.note(format!("mark {}", name.text))?,
            StatementKind::Evaluate(expr) => {
                self.value(expr)?;
            }
            StatementKind::Block(block) => return self.block(block),
            _ => {}
        }
        Ok(Flow::Next)
    }
}

/// The run of the text, and the private variables at its end if it has one.
fn walked(tree: &Tree) -> (Vec<String>, Option<HashMap<String, i64>>) {
    let (mut procedures, mut process) = (HashMap::new(), None);
    for item in &tree.items {
        match item {
            Item::Procedure(procedure) => drop(procedures.insert(procedure.name.text.as_str(), procedure)),
            Item::Process(found) => process = Some(found),
            _ => {}
        }
    }
    let private = HashMap::from([("w[0]".to_owned(), 0), ("w[1]".to_owned(), 1)]);
    let mut walk = Walk { procedures, memory: Memory::default(), private, names: Vec::new(), fuel: FUEL };
    let ended = walk.block(&process.expect("a process").body).is_ok();
    (walk.memory.trace, ended.then_some(walk.private))
}

fn number(expr: &system::Expr, locals: &[i64]) -> i64 {
    match expr {
        system::Expr::Constant(value) => *value,
        system::Expr::Local(local) => locals[local.index()],
        system::Expr::Unary(Unary::Negate, a) => -number(a, locals),
        system::Expr::Unary(Unary::Not, a) => i64::from(number(a, locals) == 0),
        system::Expr::Binary(operator, a, b) => operate(*operator, number(a, locals), number(b, locals)),
    }
}

/// The run of the graph, and the private variables at its end if it has one.
fn run(system: &System) -> (Vec<String>, Option<HashMap<String, i64>>) {
    let process = &system.processes[0];
    let mut locals: Vec<i64> = process.locals.iter().map(|local| local.initial).collect();
    let mut memory = Memory::default();
    let mut at = process.start;
    for _ in 0..FUEL * 10 {
        at = match &process.nodes[at.index()].kind {
            NodeKind::Access(Access { operation, variable, result, next }) => {
                let offset = variable.indices.iter().map(|index| {
                    let value = number(&index.value, &locals);
                    assert!(index.lo <= value && value <= index.hi);
                    (value - index.lo) as usize * index.stride as usize
                });
                let name = &system.variables[variable.base.index() + offset.sum::<usize>()].name;
                let value = |expr| number(expr, &locals);
                let operands = match operation {
                    Operation::Load | Operation::TestAndSet => vec![],
                    Operation::Store(a) | Operation::Swap(a) | Operation::FetchAdd(a) => vec![value(a)],
                    Operation::CompareAndSwap(a, b) => vec![value(a), value(b)],
                };
                let Ok(found) = memory.access(name, operation.name(), &operands) else {
                    return (memory.trace, None);
                };
                if let Some(result) = result {
                    locals[result.index()] = found;
                }
                *next
            }
            NodeKind::Event(system::Event::Mark(mark), next) => {
                if memory.note(format!("mark {}", system.marks[mark.index()])).is_err() {
                    return (memory.trace, None);
                }
                *next
            }
            NodeKind::Assign(local, value, next) => {
                let value = number(value, &locals);
                let info = &process.locals[local.index()];
                assert!(info.lo <= value && value <= info.hi, "{} is {value}", info.name);
                locals[local.index()] = value;
                *next
            }
            NodeKind::Branch(condition, yes, no) => {
                if number(condition, &locals) != 0 {
                    *yes
                } else {
                    *no
                }
            }
            NodeKind::End => {
                let mut private = HashMap::from([("w[0]".to_owned(), 0), ("w[1]".to_owned(), 1)]);
                for (local, value) in process.locals.iter().zip(locals) {
                    if local.name.starts_with('w') {
                        private.insert(local.name.clone(), value);
                    } else if local.name.contains(['.', '$']) {
                        assert_eq!(value, local.initial, "{} is not cleared", local.name);
                    }
                }
                return (memory.trace, Some(private));
            }
            other => panic!("{other:?}"),
        };
    }
    (memory.trace, None)
}

/// Writes programs.
struct Writer {
    random: Random,
    /// Locals that are visible, by number.
    locals: Vec<usize>,
    count: usize,
    /// Procedures that may be called: those below a number.
    callable: usize,
    loops: usize,
    parameters: bool,
}

impl Writer {
    fn place(&mut self, depth: usize) -> String {
        match self.random.below(if self.parameters { 6 } else { 5 }) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => format!("s[{} % 2].f", self.expr(depth)),
            3 => format!("s[{} % 2].g[{} % 2]", self.expr(depth), self.expr(depth)),
            4 => format!("a[{} % 3]", self.expr(depth)),
            _ => "l".to_owned(),
        }
    }

    /// An expression in parentheses.
    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(6) {
                0 | 1 => self.random.below(4).to_string(),
                2 => format!("w[{}]", self.random.below(2)),
                3 if self.parameters => "v".to_owned(),
                _ if !self.locals.is_empty() => format!("k{}", self.random.pick(&self.locals.clone())),
                _ => "x".to_owned(),
            };
        }
        let d = depth - 1;
        match self.random.below(16) {
            0 => format!("(!{})", self.expr(d)),
            1 => format!("(-{} % 4)", self.expr(d)),
            2 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            3 => format!("tas({})", self.place(d)),
            4 => format!("swap({}, {} % 4)", self.place(d), self.expr(d)),
            5 => format!("cas({}, {}, {} % 4)", self.place(d), self.expr(d), self.expr(d)),
            6 => format!("fetch_add({}, {} % 4)", self.place(d), self.expr(d)),
            7 | 8 if self.callable > 0 => self.call(d),
            9 => format!("({} / (1 + {} % 3))", self.expr(d), self.expr(d)),
            10 | 11 => self.place(d),
            _ => {
                let operator = self
                    .random
                    .pick(&["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "&&", "||"]);
                format!("(({} {operator} {}) % 4)", self.expr(d), self.expr(d))
            }
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let number = self.random.below(self.callable);
        format!("f{number}({}, {} % 4)", self.place(depth), self.expr(depth))
    }

    fn block(&mut self, depth: usize) -> String {
        let locals = self.locals.len();
        let count = 1 + self.random.below(4);
        let text: String = (0..count).map(|_| self.statement(depth)).collect();
        self.locals.truncate(locals);
        format!("{{ {text}}} ")
    }

    fn in_loop(&mut self, depth: usize) -> String {
        self.loops += 1;
        let block = self.block(depth);
        self.loops -= 1;
        block
    }

    fn statement(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let value = self.random.below(4);
        match self.random.below(if depth == 0 { 9 } else { 14 }) {
            0 => {
                let initial = if self.random.one_in(2) {
                    format!(" = {} % 4", self.expr(value))
                } else {
                    String::new()
                };
                let number = self.count;
                self.count += 1;
                self.locals.push(number);
                format!("local k{number} : 0..3{initial}; ")
            }
            1 | 2 if !self.locals.is_empty() => {
                let local = self.random.pick(&self.locals.clone());
                format!("k{local} = {} % 4; ", self.expr(value))
            }
            3 => format!("w[{}] = {} % 4; ", self.random.below(2), self.expr(value)),
            4 => format!("{} = {} % 4; ", self.place(1), self.expr(value)),
            5 if self.loops > 0 => self.random.pick(&["break; ", "continue; "]).to_owned(),
            6 if self.parameters => format!("return {} % 4; ", self.expr(value)),
            7 if self.callable > 0 => format!("{}; ", self.call(1)),
            8 => "measure M; ".to_owned(),
            9 => format!("while ({}) {}", self.expr(2), self.in_loop(d)),
            10 => {
                let body = self.in_loop(d);
                format!("repeat {body} until ({}); ", self.expr(2))
            }
            11 => format!("for (r{depth}: {}..2) {}", self.random.below(3), self.in_loop(d)),
            12 | 13 => {
                let no =
                    if self.random.one_in(2) { format!("else {}", self.block(d)) } else { String::new() };
                format!("if ({}) {}{no}", self.expr(2), self.block(d))
            }
            _ => format!("read {}; ", self.place(1)),
        }
    }

    fn program(&mut self) -> String {
        let mut text = "shared x : mod 4 home 0; shared y : mod 4 home 0; shared a[i: 0..2] : mod 4 home 0;
            shared s[i: 0..1] home 0 { line { f : mod 4; g[k: 0..1] : mod 4; } }
            private w[k: 0..1] : 0..3 = k;\n"
            .to_owned();
        for number in 0..3 {
            self.callable = number;
            self.parameters = true;
            let body: String = (0..3).map(|_| self.statement(2)).collect();
            self.locals.clear();
            text += &format!("procedure f{number}(shared l, v) {{ {body}return v; }}\n");
        }
        self.callable = 3;
        self.parameters = false;
        let body: String = (0..4).map(|_| self.statement(3)).collect();
        self.locals.clear();
        text + &format!("process P {{ {body}}}\n")
    }
}

#[test]
fn graphs_do_what_the_text_says() {
    let random = Random(0xcafe);
    let mut writer =
        Writer { random, locals: Vec::new(), count: 0, callable: 0, loops: 0, parameters: false };
    let (mut compared, mut ended, mut accesses) = (0, 0, 0);
    for round in 0..500 {
        writer.count = 0;
        let text = writer.program();
        let (tree, diagnostics) = parse::program(FileId(0), &text);
        assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
        let (system, messages) = resolved(&text, &[]);
        let Some(system) = system else {
            // Loops in which no time passes are not these programs' matter.
            assert!(messages.contains("[V1704]"), "{text}\n{messages}");
            continue;
        };
        let (expected, private) = walked(&tree);
        let (found, own) = run(&system);
        assert_eq!(found, expected, "round {round}\n{text}\n{}", system.text());
        assert_eq!(own, private, "round {round}\n{text}\n{}", system.text());
        compared += 1;
        ended += u32::from(private.is_some());
        accesses += expected.len();
    }
    assert!(compared > 200 && ended > 100 && accesses > 4_000, "{compared} {ended} {accesses}");
}
