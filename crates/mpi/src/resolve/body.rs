//! The body of a process while it becomes a graph: what names mean, locals, registers, and limits.

use super::globals::{Array, Globals, Symbol, Values};
use super::graph::{Graph, Step};
use super::report::Report;
use super::{MOST_DEPTH, MOST_NODES, MOST_WORK};
use crate::system::{Expr, LocalId, NodeId, NodeKind, System};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// What a name means inside of a procedure.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Constant(i64),
    Local(LocalId),
    Shared(Reach),
}

/// A part of an array: some of its indices are known, perhaps the field, perhaps its indices.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    pub array: usize,
    pub indices: Vec<Expr>,
    pub field: Option<usize>,
    pub inner: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// What a local belongs to; places are those of names in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Declared(u32),
    Private(usize, usize),
    /// An index of a parameter that stands for a shared variable.
    Index(u32, usize),
    Register(usize),
}

/// What values a register has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    Values(Values),
    /// Those of an expression.
    Of(u32),
}

/// A local while the graph is built.
#[derive(Clone, Debug)]
pub(super) struct LocalInfo {
    pub name: String,
    pub values: Option<Values>,
    pub initial: Option<i64>,
    pub span: Span,
}

/// A procedure that is being inlined, or the process itself.
pub(super) struct Frame<'t> {
    /// `send.`; empty for the process.
    pub prefix: String,
    /// The procedure and its constants, for messages, with the call.
    pub called: Option<(String, Span)>,
    pub names: Vec<(&'t str, Binding)>,
    /// Locals that are cleared at the end.
    pub cleared: Vec<LocalId>,
    pub end: NodeId,
    /// Where the value goes.
    pub result: Option<LocalId>,
    /// Where `break` and `continue` go.
    pub loops: Vec<(NodeId, NodeId)>,
}

pub(super) struct Body<'a, 't> {
    pub globals: &'a Globals<'t>,
    pub system: &'a mut System,
    pub report: &'a mut Report,
    pub graph: Graph,
    pub locals: Vec<LocalInfo>,
    keys: FxHashMap<Key, LocalId>,
    /// Indices of shared parameters.
    fixed: FxHashSet<LocalId>,
    pub frames: Vec<Frame<'t>>,
    registers: Vec<(Register, LocalId, bool)>,
    /// Registers with values that are still needed.
    pub held: Vec<LocalId>,
    depth: u32,
    work: u32,
    /// A limit has been reached: nothing more is built.
    pub exhausted: bool,
}

impl<'a, 't> Body<'a, 't> {
    pub fn new(
        globals: &'a Globals<'t>,
        system: &'a mut System,
        report: &'a mut Report,
        span: Span,
        work: u32,
    ) -> Self {
        Body {
            globals,
            system,
            report,
            graph: Graph::new(span),
            locals: Vec::new(),
            keys: FxHashMap::default(),
            fixed: FxHashSet::default(),
            frames: Vec::new(),
            registers: Vec::new(),
            held: Vec::new(),
            depth: 0,
            work,
            exhausted: false,
        }
    }

    pub fn work_done(&self) -> u32 {
        self.work
    }

    pub fn frame(&mut self) -> &mut Frame<'t> {
        self.frames.last_mut().expect("that of the process is always there")
    }

    /// What a name means here, if it is none of the program.
    pub fn binding(&self, name: &str) -> Option<&Binding> {
        let names = &self.frames.last()?.names;
        names.iter().rev().find(|(known, _)| *known == name).map(|(_, binding)| binding)
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.globals.names.get(name).map(|(symbol, _)| *symbol)
    }

    pub fn array(&self, reach: &Reach) -> &'a Array {
        &self.globals.shared[reach.array]
    }

    /// The local of a key, which is made if it is not there yet.
    pub fn local(&mut self, key: Key, make: impl FnOnce() -> LocalInfo) -> LocalId {
        if let Some(&local) = self.keys.get(&key) {
            return local;
        }
        let mut info = make();
        // Two of the same name in a procedure are in different blocks.
        let taken = |name: &str| self.locals.iter().any(|local| local.name == name);
        if taken(&info.name) {
            let number = (2..).find(|n| !taken(&format!("{}#{n}", info.name))).unwrap_or(0);
            info.name = format!("{}#{number}", info.name);
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(info);
        if let Key::Index(..) = key {
            self.fixed.insert(local);
        }
        self.keys.insert(key, local);
        local
    }

    /// Whether a local is an index of a shared parameter.
    pub fn is_index(&self, local: LocalId) -> bool {
        self.fixed.contains(&local)
    }

    /// A register that nobody uses; it is held until it is released.
    pub fn register(&mut self, values: Register, span: Span) -> LocalId {
        let free = self.registers.iter_mut().find(|(kind, _, busy)| !*busy && *kind == values);
        let local = match free {
            Some((_, local, busy)) => {
                *busy = true;
                *local
            }
            None => {
                let number = self.registers.len();
                let values_of = match values {
                    Register::Values(values) => Some(values),
                    Register::Of(_) => None,
                };
                let name = format!("${}", number + 1);
                let info = LocalInfo { name, values: values_of, initial: None, span };
                let local = self.local(Key::Register(number), || info);
                self.registers.push((values, local, true));
                local
            }
        };
        self.held.push(local);
        local
    }

    /// Clears the registers that are held beyond some, but for the last `kept` ones.
    pub fn release(&mut self, level: usize, kept: usize, span: Span) {
        let end = self.held.len().saturating_sub(kept).max(level);
        let released: Vec<LocalId> = self.held.drain(level.min(end)..end).collect();
        for local in released {
            self.clear(local, span);
            self.free(local);
        }
    }

    /// The same behind both ways of a branch.
    pub fn release_at_branch(
        &mut self,
        level: usize,
        (yes, no): (super::graph::Ends, super::graph::Ends),
        span: Span,
    ) -> (super::graph::Ends, super::graph::Ends) {
        let released: Vec<LocalId> = self.held.drain(level..).collect();
        let both = [yes, no].map(|ends| {
            self.graph.join(ends);
            for &local in &released {
                self.clear(local, span);
            }
            self.graph.take()
        });
        for local in released {
            self.free(local);
        }
        both.into()
    }

    fn free(&mut self, local: LocalId) {
        if let Some(register) = self.registers.iter_mut().find(|register| register.1 == local) {
            register.2 = false;
        }
    }

    pub fn clear(&mut self, local: LocalId, span: Span) {
        if self.graph.reachable() {
            self.graph.step(|next| Step::Clear(local, next), span);
        }
    }

    pub fn assign(&mut self, local: LocalId, value: Expr, span: Span) {
        if value == Expr::Local(local) || !self.graph.reachable() {
            return;
        }
        if let (Expr::Constant(constant), Some(values)) = (&value, self.locals[local.index()].values) {
            let name = self.locals[local.index()].name.clone();
            self.check_value(*constant, values, &name, span);
        }
        self.graph.kind(|next| NodeKind::Assign(local, value, next), span);
    }

    /// Reports a constant that a variable cannot have.
    pub fn check_value(&mut self, value: i64, values: Values, name: &str, span: Span) {
        if values.contains(value) {
            return;
        }
        let Values { lo, hi, .. } = values;
        let mut diagnostic = Diagnostic::error(
            codes::PRIMITIVE_VALUE,
            format!("`{name}` cannot be {value}: its range is {lo} .. {hi}"),
        );
        if values == Values::DATA {
            diagnostic = Diagnostic::error(codes::PRIMITIVE_VALUE, format!("`{name}` cannot be {value}: it is data without values"))
                .help("declare the values that matter, such as `: 0..1`, or write `read` and `write` without a value");
        }
        let diagnostic = self.called_from(diagnostic.at(span, format!("this is {value}")));
        self.report.push(diagnostic);
    }

    /// Says from where the procedure at hand was called, and with which constants.
    pub fn called_from(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        for frame in self.frames.iter().rev().take(3) {
            if let Some((call, span)) = &frame.called {
                diagnostic = diagnostic.also(*span, format!("in the call {call}"));
            }
        }
        diagnostic
    }

    /// Builds something that is nested in what is being built, unless there is too much of it.
    pub fn nested<T>(&mut self, span: Span, otherwise: T, build: impl FnOnce(&mut Self) -> T) -> T {
        if self.exhausted {
            return otherwise;
        }
        self.work += 1;
        let too_large = self.work > MOST_WORK || self.graph.nodes.len() > MOST_NODES;
        if too_large || self.depth >= MOST_DEPTH {
            self.exhausted = true;
            let message = match too_large {
                true => "the program is too large when procedures and `for` are written out",
                false => "procedures call each other too deeply",
            };
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_SIZE, message)
                .at(span, "no further than this")
                .note(format!("a process has at most {MOST_NODES} steps, and calls nest with their statements at most {MOST_DEPTH} levels deep"))
                .help("make ranges of `for` smaller, or use `while` with a local");
            let diagnostic = self.called_from(diagnostic);
            self.report.push(diagnostic);
            return otherwise;
        }
        self.depth += 1;
        let result = build(self);
        self.depth -= 1;
        result
    }
}
