//! The verifier: what every pass and back end may rely on.
//!
//! A kernel is valid where all of this holds:
//!
//! 1. Its name and the names of its locals and buffers are identifiers (an ASCII letter or `_`, then
//!    letters, digits and `_`). No two locals share a name, no two buffers do. (A local and a buffer may.)
//! 2. There are at least as many locals as parameters.
//! 3. Every expression, local, buffer and site that a statement names exists; so does every local,
//!    buffer and site that an expression names which a statement needs. (Nodes that nothing needs are
//!    not looked at; the types of operands are right by construction, see [`crate::Exprs::add`].)
//! 4. Constants are in canonical form. A node that reads a local has the type of the local, a load the
//!    element type of the buffer. A range is not empty. A function of one argument repeats it.
//! 5. `Set` gives a value of the local's type; the bounds of `For` have the type of its local, an
//!    integer; conditions are `bool`; `Switch` is on an integer, its keys are distinct and of its type.
//! 6. A `Store` goes to a buffer that is not `Read`; `Emit` and `Truncate` to one that is `Append`.
//!    Indices and lengths are `u64`; stored and emitted values have the element type.
//! 7. `Break` stands inside a `For` or `Machine`; `Goto` inside a `Machine` that has the block it goes to, and inside
//!    no `For` there. Nothing in the body of a `For` or in the blocks of a `Machine` sets its local (neither `Set` nor
//!    another of these two). A machine starts with a `u32`; its bounds are as those of `For`.
//! 8. Blocks nest at most [`MAX_BLOCK_NESTING`] deep, expressions at most [`MAX_NESTING`]
//!    ([`crate::Exprs::nesting`]), so that passes may recurse over them.
//!
//! Statements behind a `Goto`, `Break`, `Fail` or `Return` are allowed, and never run.

use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::{Exprs, Node};
use crate::kernel::{Access, Block, Kernel, MAX_COPY, Stmt};
use crate::types::{Const, Type, canonical_int};
use rustc_hash::FxHashSet;

/// Deepest nesting of an expression, as [`crate::Exprs::nesting`] counts it.
pub const MAX_NESTING: u32 = 1000;

/// Deepest nesting of blocks; the body of a kernel is at depth 0.
pub const MAX_BLOCK_NESTING: usize = 500;

/// Where a kernel is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its head.
    Kernel,
    /// The declaration of a buffer.
    Buffer(Buffer),
    /// The declaration of a local.
    Local(Local),
    /// A statement: its number in the order of the text form, from 1.
    Stmt(usize),
    /// A node of the arena.
    Expr(ExprId),
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Where.
    pub place: Place,
    /// The error at this place.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Place::Kernel => write!(f, "kernel: ")?,
            Place::Buffer(b) => write!(f, "buffer {}: ", b.0)?,
            Place::Local(l) => write!(f, "local {}: ", l.0)?,
            Place::Stmt(n) => write!(f, "statement {n}: ")?,
            Place::Expr(e) => write!(f, "expression {}: ", e.0)?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks a kernel; gives all violations, in the order of the text form.
pub fn verify(kernel: &Kernel) -> Result<(), Vec<VerifyError>> {
    let mut v = Verifier { kernel, errors: Vec::new(), statements: 0, around: Vec::new(), roots: Vec::new() };
    v.declarations();
    v.block(&kernel.body, 0);
    v.expressions();
    if v.errors.is_empty() { Ok(()) } else { Err(v.errors) }
}

/// Whether a name can stand in the text form.
pub fn is_identifier(name: &str) -> bool {
    let head = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(head) && name.chars().all(|c| head(c) || c.is_ascii_digit())
}

/// A statement that repeats.
struct Around {
    counter: Local,
    /// Blocks of a machine; a loop has none.
    blocks: Option<usize>,
}

struct Verifier<'k> {
    kernel: &'k Kernel,
    errors: Vec<VerifyError>,
    /// Statements seen so far.
    statements: usize,
    /// The loops and machines around the current statement, innermost last.
    around: Vec<Around>,
    /// Expressions that statements need.
    roots: Vec<ExprId>,
}

impl Verifier<'_> {
    fn error(&mut self, place: Place, message: impl Into<String>) {
        self.errors.push(VerifyError { place, message: message.into() });
    }

    /// Reports at the current statement.
    fn wrong(&mut self, message: impl Into<String>) {
        self.error(Place::Stmt(self.statements), message);
    }

    fn declarations(&mut self) {
        let kernel = self.kernel;
        if !is_identifier(&kernel.name) {
            self.error(Place::Kernel, format!("the name {:?} is not an identifier", kernel.name));
        }
        if kernel.params > kernel.locals.len() {
            self.error(Place::Kernel, "there are fewer locals than parameters");
        }
        let mut names = FxHashSet::default();
        for (i, decl) in kernel.buffers.iter().enumerate() {
            self.name(&decl.name, Place::Buffer(Buffer(i as u32)), &mut names);
        }
        names.clear();
        for (i, decl) in kernel.locals.iter().enumerate() {
            self.name(&decl.name, Place::Local(Local(i as u32)), &mut names);
        }
    }

    fn name<'n>(&mut self, name: &'n str, place: Place, names: &mut FxHashSet<&'n str>) {
        if !is_identifier(name) {
            self.error(place, format!("the name {name:?} is not an identifier"));
        } else if !names.insert(name) {
            self.error(place, format!("the name `{name}` is taken"));
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for statement in block {
            self.statements += 1;
            let has_blocks = matches!(
                statement,
                Stmt::If { .. } | Stmt::Switch { .. } | Stmt::For { .. } | Stmt::Machine { .. }
            );
            if has_blocks && depth == MAX_BLOCK_NESTING {
                self.wrong(format!("blocks nest more than {MAX_BLOCK_NESTING} deep"));
            } else {
                self.statement(statement, depth);
            }
        }
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) {
        match *statement {
            Stmt::Set { local, value } => {
                let value = self.operand(value);
                let Some(ty) = self.set_local(local) else { return };
                self.expect(value, ty, "the value");
            }
            Stmt::Store { buffer, index, value } => {
                let (index, value) = (self.operand(index), self.operand(value));
                self.expect(index, Type::U64, "the index");
                let Some((ty, access)) = self.buffer(buffer) else {
                    return;
                };
                if access == Access::Read {
                    self.wrong("stores to a buffer that is only read");
                }
                self.expect(value, ty, "the value");
            }
            Stmt::Take { local, buffer, index } => {
                let index = self.operand(index);
                self.expect(index, Type::U64, "the index");
                let Some(ty) = self.set_local(local) else { return };
                self.expect(Some(ty), Type::U32, "what is taken");
                let Some((ty, access)) = self.buffer(buffer) else { return };
                if access == Access::Read {
                    self.wrong("takes from a buffer that is only read");
                }
                self.expect(Some(ty), Type::U32, "the element");
            }
            Stmt::Emit { buffer, value } => {
                let value = self.operand(value);
                let Some((ty, access)) = self.buffer(buffer) else {
                    return;
                };
                if access != Access::Append {
                    self.wrong("emits to a buffer that does not grow");
                }
                self.expect(value, ty, "the value");
            }
            Stmt::Copy { buffer, from, start, count } => self.copy(buffer, from, start, count),
            Stmt::Truncate { buffer, len } => {
                let len = self.operand(len);
                self.expect(len, Type::U64, "the length");
                if self.buffer(buffer).is_some_and(|(_, access)| access != Access::Append) {
                    self.wrong("truncates a buffer that does not grow");
                }
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                let cond = self.operand(cond);
                self.expect(cond, Type::Bool, "the condition");
                self.block(then, depth + 1);
                self.block(otherwise, depth + 1);
            }
            Stmt::Switch { on, ref cases, ref default } => {
                let on = self.operand(on);
                self.keys(on, cases);
                for (_, block) in cases {
                    self.block(block, depth + 1);
                }
                self.block(default, depth + 1);
            }
            Stmt::For { local, from, to, ref body } => {
                let (from, to) = (self.operand(from), self.operand(to));
                self.counter(local, from, to);
                self.around.push(Around { counter: local, blocks: None });
                self.block(body, depth + 1);
                self.around.pop();
            }
            Stmt::Machine { local, from, to, start, ref blocks } => {
                let (from, to, start) = (self.operand(from), self.operand(to), self.operand(start));
                self.counter(local, from, to);
                self.expect(start, Type::U32, "the start");
                self.around.push(Around { counter: local, blocks: Some(blocks.len()) });
                blocks.iter().for_each(|block| self.block(block, depth + 1));
                self.around.pop();
            }
            Stmt::Goto { block } => self.goto(block),
            Stmt::Break => {
                if self.around.is_empty() {
                    self.wrong("`break` outside of a loop");
                }
            }
            Stmt::Fail { site } => {
                if site.index() >= self.kernel.sites.len() {
                    self.wrong(no_site(site));
                }
            }
            Stmt::Return => {}
        }
    }

    fn copy(&mut self, buffer: Buffer, from: Buffer, start: ExprId, count: u32) {
        let start = self.operand(start);
        self.expect(start, Type::U64, "the start");
        let (Some((ty, access)), Some((from_ty, _))) = (self.buffer(buffer), self.buffer(from)) else {
            return;
        };
        if access != Access::Append {
            self.wrong("copies to a buffer that does not grow");
        }
        if buffer == from {
            self.wrong("copies a buffer to itself");
        }
        if ty != from_ty {
            self.wrong(format!("copies elements of type {from_ty} to a buffer of {ty}"));
        }
        if count == 0 || count > MAX_COPY {
            self.wrong(format!("copies {count} elements: 1 to {MAX_COPY} are possible"));
        }
    }

    fn goto(&mut self, block: u32) {
        match self.around.last().map(|around| around.blocks) {
            None => self.wrong("`goto` outside of a machine"),
            Some(None) => self.wrong("`goto` inside of a loop"),
            Some(Some(blocks)) if block as usize >= blocks => {
                self.wrong(format!("the machine has no block {block}"));
            }
            Some(Some(_)) => {}
        }
    }

    /// The counter of a loop or machine, and its bounds.
    fn counter(&mut self, local: Local, from: Option<Type>, to: Option<Type>) {
        if let Some(ty) = self.set_local(local) {
            if !ty.is_int() {
                self.wrong(format!("counts with a local of type {ty}"));
            }
            self.expect(from, ty, "the first bound");
            self.expect(to, ty, "the second bound");
        }
    }

    fn keys(&mut self, on: Option<Type>, cases: &[(i64, Block)]) {
        let Some(ty) = on else { return };
        if !ty.is_int() {
            self.wrong(format!("switches on a value of type {ty}"));
            return;
        }
        let mut keys = FxHashSet::default();
        for &(key, _) in cases {
            if canonical_int(ty, key as u64) != key as u64 {
                self.wrong(format!("the key {key} is not of type {ty}"));
            } else if !keys.insert(key) {
                let shown = if ty == Type::U64 { (key as u64).to_string() } else { key.to_string() };
                self.wrong(format!("the key {shown} occurs twice"));
            }
        }
    }

    /// The type of an operand of a statement, if it exists.
    fn operand(&mut self, id: ExprId) -> Option<Type> {
        if id.index() >= self.kernel.exprs.len() {
            self.wrong(format!("expression {} does not exist", id.0));
            return None;
        }
        self.roots.push(id);
        Some(self.kernel.exprs.ty(id))
    }

    fn expect(&mut self, found: Option<Type>, expected: Type, what: &str) {
        if let Some(found) = found
            && found != expected
        {
            self.wrong(format!("{what} has type {found} instead of {expected}"));
        }
    }

    fn set_local(&mut self, local: Local) -> Option<Type> {
        let kernel = self.kernel;
        let Some(decl) = kernel.locals.get(local.index()) else {
            self.wrong(no_local(local));
            return None;
        };
        if self.around.iter().any(|around| around.counter == local) {
            self.wrong(format!("sets `{}`, the counter of a loop around it", decl.name));
        }
        Some(decl.ty)
    }

    fn buffer(&mut self, buffer: Buffer) -> Option<(Type, Access)> {
        let decl = self.kernel.buffers.get(buffer.index());
        if decl.is_none() {
            self.wrong(no_buffer(buffer));
        }
        decl.map(|d| (d.ty, d.access))
    }

    fn expressions(&mut self) {
        let exprs = &self.kernel.exprs;
        let needed = exprs.reachable(self.roots.iter().copied());
        for id in exprs.ids().filter(|id| needed[id.index()]) {
            if let Err(message) = self.node(exprs, id) {
                self.error(Place::Expr(id), message);
            }
        }
        let deepest = self.roots.iter().copied().max_by_key(|&id| exprs.nesting(id));
        if let Some(id) = deepest.filter(|&id| exprs.nesting(id) > MAX_NESTING) {
            let depth = exprs.nesting(id);
            self.error(Place::Expr(id), format!("nests {depth} deep, at most {MAX_NESTING} are allowed"));
        }
    }

    fn node(&self, exprs: &Exprs, id: ExprId) -> Result<(), String> {
        let kernel = self.kernel;
        match exprs.node(id) {
            Node::Const(c) if !is_canonical(c) => Err(format!("the bits {:#x} are no {}", c.bits, c.ty)),
            Node::Local(local, ty) => match kernel.locals.get(local.index()) {
                None => Err(no_local(local)),
                Some(d) if d.ty != ty => Err(format!("reads `{}` as {ty} instead of {}", d.name, d.ty)),
                Some(_) => Ok(()),
            },
            Node::Load { buffer, ty, .. } => match kernel.buffers.get(buffer.index()) {
                None => Err(no_buffer(buffer)),
                Some(d) if d.ty != ty => Err(format!("loads {ty} from `{}`, which holds {}", d.name, d.ty)),
                Some(_) => Ok(()),
            },
            Node::Len(buffer) if buffer.index() >= kernel.buffers.len() => Err(no_buffer(buffer)),
            Node::Checked { site, .. } | Node::CheckedConvert { site, .. } | Node::Range { site, .. }
                if site.index() >= kernel.sites.len() =>
            {
                Err(no_site(site))
            }
            Node::Range { arg, lo, hi, .. } => {
                let unsigned = exprs.ty(arg) == Type::U64;
                let empty = if unsigned { lo as u64 > hi as u64 } else { lo > hi };
                if empty { Err("the range is empty".into()) } else { Ok(()) }
            }
            Node::Math { f, args } if f.arity() == 1 && args[0] != args[1] => {
                Err("a function of one argument has two".into())
            }
            _ => Ok(()),
        }
    }
}

/// See [`Const`].
fn is_canonical(c: Const) -> bool {
    match c.ty {
        Type::F64 => true,
        Type::F32 => c.bits <= u32::MAX as u64,
        _ => canonical_int(c.ty, c.bits) == c.bits,
    }
}

fn no_local(local: Local) -> String {
    format!("local {} does not exist", local.0)
}

fn no_buffer(buffer: Buffer) -> String {
    format!("buffer {} does not exist", buffer.0)
}

fn no_site(site: Site) -> String {
    format!("site @{} does not exist", site.0)
}
