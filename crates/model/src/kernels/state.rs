//! Reading and writing packed states inside kernels.

use crate::domain::Domain;
use crate::ids::FieldId;
use crate::layout::{Layout, Slot};
use crate::places::Place;
use crate::program::Program;
use crate::steps::Assignment;
use volvelle_kernel::{
    Access, BinaryOp, Buffer, Const, ExprId, Exprs, Kernel, Local, Node, Site, Stmt, Type, UnaryOp,
};

/// A kernel under construction that runs over a batch of packed states.
///
/// Buffer 0 holds the states, buffer 1 the range `[first, end)` of states to work on.
pub(super) struct StateKernel<'a> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub kernel: Kernel,
    /// The words of the current state.
    pub words: Vec<Local>,
    /// Number of the current state within the batch.
    pub index: Local,
    range: Buffer,
    states: Buffer,
    /// The locals of values that participants exchange.
    pub offered: Vec<Local>,
    /// The tables of functions.
    pub tables: Vec<Buffer>,
    /// The locals of parameters, with the buffer of their values.
    parameters: Vec<Local>,
    values: Option<Buffer>,
}

impl<'a> StateKernel<'a> {
    pub fn new(name: &str, program: &'a Program, layout: &'a Layout) -> Self {
        Self::with_parameters(name, program, layout, [])
    }

    /// For a program with parameters of these types.
    pub fn with_parameters(
        name: &str,
        program: &'a Program,
        layout: &'a Layout,
        parameters: impl IntoIterator<Item = Type>,
    ) -> Self {
        let mut kernel = Kernel::new(name);
        kernel.exprs = program.exprs.clone();
        kernel.sites = super::sites(program);
        let states = kernel.buffer("states", Type::U64, Access::Read);
        let range = kernel.buffer("range", Type::U64, Access::Read);
        // Locals 0..fields are the fields, as the program's expressions expect. Their names are made
        // unique by number: two components may own fields of the same name.
        for (i, field) in program.fields.iter().enumerate() {
            kernel.local(format!("f{i}_{}", identifier(&field.name)), field.domain.ty());
        }
        let parameters: Vec<Local> = parameters
            .into_iter()
            .enumerate()
            .map(|(j, ty)| kernel.local(format!("parameter{j}"), ty))
            .collect();
        let words = (0..layout.words()).map(|k| kernel.local(format!("word{k}"), Type::U64)).collect();
        let index = kernel.local("state", Type::U64);
        let offered = Vec::new();
        StateKernel {
            program,
            layout,
            kernel,
            words,
            index,
            range,
            states,
            offered,
            tables: Vec::new(),
            parameters,
            values: None,
        }
    }

    /// Declares the locals of values that participants exchange.
    pub fn declare_offered(&mut self, count: usize) {
        self.offered = (0..count).map(|k| self.kernel.local(format!("offered{k}"), Type::I64)).collect();
    }

    /// Declares the tables (`read i64`) of the program's functions.
    pub fn declare_tables(&mut self) {
        let functions = 0..self.program.functions.len();
        let table = |f| self.kernel.buffer(format!("function{f}"), Type::I64, Access::Read);
        self.tables = functions.map(table).collect();
    }

    /// Declares the buffer (`read f64`) of the parameters' values.
    pub fn declare_values(&mut self) {
        self.values = Some(self.kernel.buffer("parameters", Type::F64, Access::Read));
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        &mut self.kernel.exprs
    }

    pub fn set(&self, local: Local, value: ExprId) -> Stmt {
        Stmt::Set { local, value }
    }

    pub fn word(&mut self, k: usize) -> ExprId {
        let local = self.words[k];
        self.kernel.get(local)
    }

    /// Wraps `body` into the loop over the states of the batch, with every field decoded.
    pub fn finish(mut self, body: Vec<Stmt>) -> Kernel {
        let mut inner = Vec::with_capacity(body.len() + self.words.len() + self.program.fields.len());
        let words = self.words.len() as u64;
        for k in 0..self.words.len() {
            let index = self.kernel.get(self.index);
            let e = &mut self.kernel.exprs;
            let width = e.u64(words);
            let offset = e.u64(k as u64);
            let scaled = if words == 1 { index } else { e.binary(BinaryOp::Mul, index, width) };
            let at = if k == 0 { scaled } else { e.binary(BinaryOp::Add, scaled, offset) };
            let value = e.load(self.states, Type::U64, at);
            inner.push(Stmt::Set { local: self.words[k], value });
        }
        for i in 0..self.program.fields.len() {
            let value = self.decode(FieldId(i as u32));
            inner.push(Stmt::Set { local: Local(i as u32), value });
        }
        inner.extend(body);
        let e = &mut self.kernel.exprs;
        let (zero, one) = (e.u64(0), e.u64(1));
        let from = e.load(self.range, Type::U64, zero);
        let to = e.load(self.range, Type::U64, one);
        let mut body = Vec::with_capacity(1 + self.parameters.len());
        if let Some(values) = self.values {
            for (j, &local) in self.parameters.iter().enumerate() {
                let ty = self.kernel.locals[local.index()].ty;
                let e = &mut self.kernel.exprs;
                let at = e.u64(j as u64);
                let value = e.load(values, Type::F64, at);
                let value = e.convert(ty, value);
                body.push(Stmt::Set { local, value });
            }
        }
        body.push(Stmt::For { local: self.index, from, to, body: inner });
        self.kernel.body = body;
        if !self.parameters.is_empty() || !self.offered.is_empty() || !self.tables.is_empty() {
            let (program, parameters, offered) = (self.program, &self.parameters, &self.offered);
            let tables = &self.tables;
            self.kernel.map_nodes(|exprs, node| match (node, program.place_read(&node)) {
                (Node::Local(_, ty), Some(Place::Parameter(number))) => {
                    exprs.local(parameters[number as usize], ty)
                }
                // A value that no step of any group exchanges has no local.
                (Node::Local(_, ty), Some(Place::Offered(number))) => match offered.get(number as usize) {
                    Some(&local) => exprs.local(local, ty),
                    None => exprs.add(node),
                },
                (Node::Load { ty, index, .. }, Some(Place::Table(function))) => {
                    exprs.load(tables[function.index()], ty, index)
                }
                _ => exprs.add(node),
            });
        }
        self.kernel
    }

    fn decode(&mut self, field: FieldId) -> ExprId {
        let slot = self.layout.slot(field);
        let domain = self.program.fields[field.index()].domain;
        if slot.bits == 0 {
            return self.kernel.exprs.i64(slot.lo);
        }
        let word = self.word(slot.word as usize);
        let e = &mut self.kernel.exprs;
        let mut raw = word;
        if slot.shift > 0 {
            let shift = e.u64(slot.shift as u64);
            raw = e.binary(BinaryOp::Shr, raw, shift);
        }
        if slot.shift + slot.bits < 64 {
            let mask = e.u64(slot.mask() >> slot.shift);
            raw = e.binary(BinaryOp::BitAnd, raw, mask);
        }
        if domain == Domain::Bool {
            return e.convert(Type::Bool, raw);
        }
        let value = e.convert(Type::I64, raw);
        if slot.lo == 0 {
            return value;
        }
        let lo = e.i64(slot.lo);
        e.binary(BinaryOp::Add, value, lo)
    }

    /// The bits of `value` in place; the value must lie in the domain.
    fn encode(&mut self, slot: Slot, value: ExprId) -> ExprId {
        let e = &mut self.kernel.exprs;
        let mut raw = value;
        if e.ty(value) == Type::I64 && slot.lo != 0 {
            let lo = e.i64(slot.lo);
            raw = e.binary(BinaryOp::Sub, raw, lo);
        }
        raw = e.convert(Type::U64, raw);
        if slot.shift > 0 {
            let shift = e.u64(slot.shift as u64);
            raw = e.binary(BinaryOp::Shl, raw, shift);
        }
        raw
    }

    /// The value of an assignment, with a range check if it needs one.
    fn checked_value(&mut self, assignment: &Assignment, in_range: bool) -> ExprId {
        let domain = self.program.fields[assignment.field.index()].domain;
        let (lo, hi) = domain.bounds();
        if domain == Domain::Bool || in_range {
            return assignment.value;
        }
        self.kernel.exprs.add(Node::Range { arg: assignment.value, lo, hi, site: assignment.site })
    }

    /// The bits of word `k` in `mask` after parallel assignments: assigned fields have their new value,
    /// others keep theirs. `None` if the mask has no bit in the word.
    pub fn written_word(&mut self, k: usize, assignments: &[Write], mask: u64) -> Option<ExprId> {
        if mask == 0 {
            return None;
        }
        let mut kept = mask;
        let mut result: Option<ExprId> = None;
        for write in assignments {
            let slot = self.layout.slot(write.assignment.field);
            if slot.word as usize != k || slot.bits == 0 {
                continue;
            }
            kept &= !slot.mask();
            let value = self.checked_value(&write.assignment, write.in_range);
            let bits = self.encode(slot, value);
            result = Some(self.or(result, bits));
        }
        if kept != 0 {
            let word = self.word(k);
            let e = &mut self.kernel.exprs;
            let kept = e.u64(kept);
            let old = e.binary(BinaryOp::BitAnd, word, kept);
            result = Some(self.or(result, old));
        }
        result
    }

    /// The whole word `k` after parallel assignments. `x' = x ± c` within range becomes an addition on the
    /// word itself.
    pub fn next_word(&mut self, k: usize, assignments: &[Write]) -> ExprId {
        let mut delta = 0u64;
        let mut rest = Vec::new();
        for write in assignments {
            let slot = self.layout.slot(write.assignment.field);
            if slot.word as usize != k {
                continue;
            }
            match self.increment(write) {
                Some(c) if write.in_range => delta = delta.wrapping_add((c as u64) << slot.shift),
                _ => rest.push(*write),
            }
        }
        let mask = self.mask_of(k, &rest);
        let kept = !mask;
        let mut word = self.word(k);
        if mask != 0 {
            let e = self.exprs();
            let kept = e.u64(kept);
            word = e.binary(BinaryOp::BitAnd, word, kept);
            if let Some(written) = self.written_word(k, &rest, mask) {
                word = self.or(Some(word), written);
            }
        }
        if delta != 0 {
            let e = self.exprs();
            let delta = e.u64(delta);
            word = e.binary(BinaryOp::Add, word, delta);
        }
        word
    }

    /// Range checks of fields without bits, which packing does not check.
    pub fn zero_width_checks(&mut self, assignments: &[Write], scratch: Local) -> Vec<Stmt> {
        let mut checks = Vec::new();
        for write in assignments {
            if self.layout.slot(write.assignment.field).bits == 0 && !write.in_range {
                let value = self.checked_value(&write.assignment, false);
                checks.push(Stmt::Set { local: scratch, value });
            }
        }
        checks
    }

    fn increment(&self, write: &Write) -> Option<i64> {
        let e = &self.kernel.exprs;
        let own = |id: ExprId| matches!(e.node(id), Node::Local(l, _) if l.0 == write.assignment.field.0);
        let constant = |id: ExprId| e.as_const(id).and_then(Const::as_i64);
        match e.node(write.assignment.value) {
            Node::Binary { op: BinaryOp::Add, lhs, rhs } if own(lhs) => constant(rhs),
            Node::Binary { op: BinaryOp::Add, lhs, rhs } if own(rhs) => constant(lhs),
            Node::Binary { op: BinaryOp::Sub, lhs, rhs } if own(lhs) => constant(rhs).map(i64::wrapping_neg),
            Node::Local(..) if own(write.assignment.value) => Some(0),
            _ => None,
        }
    }

    /// Bits of word `k` that the fields of some assignments take.
    pub fn mask_of(&self, k: usize, assignments: &[Write]) -> u64 {
        let slots = assignments.iter().map(|w| self.layout.slot(w.assignment.field));
        slots.filter(|s| s.word as usize == k).fold(0, |mask, s| mask | s.mask())
    }

    pub fn or(&mut self, lhs: Option<ExprId>, rhs: ExprId) -> ExprId {
        match lhs {
            Some(lhs) => self.kernel.exprs.binary(BinaryOp::BitOr, lhs, rhs),
            None => rhs,
        }
    }

    /// Fails at `site` unless the number in `local` is finite.
    pub fn require_finite(&mut self, local: Local, site: Site) -> Stmt {
        let value = self.kernel.get(local);
        let e = &mut self.kernel.exprs;
        let infinity = e.f64(f64::INFINITY);
        let magnitude = e.unary(UnaryOp::Abs, value);
        let finite = e.binary(BinaryOp::Lt, magnitude, infinity);
        let cond = e.not(finite);
        Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] }
    }
}

/// An assignment, with what is known where it happens.
#[derive(Clone, Copy)]
pub(super) struct Write {
    pub assignment: Assignment,
    /// Whether the value cannot leave the domain of the field.
    pub in_range: bool,
}

/// Letters, digits and underscores only.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
