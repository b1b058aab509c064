//! Writing kernels as formulas: records with named fields over buffers, numbers and vectors with operators.
//!
//! A [`Writer`] collects the statements of a kernel of the IR. [`Number`], [`Index`] and [`Vector`] are its
//! expressions: adding two of them builds an expression instead of computing a sum. A value that is used more
//! than once is stored in a local variable, by [`Writer::keep`] and similar functions.

mod number;
mod record;
mod roots;
mod vector;

pub(crate) use number::{Index, Number};
pub(crate) use record::{Record, Row};
pub(crate) use roots::{SMALLEST_SQUARE, inverse_cube, inverse_root, times_inverse_cube};
pub(crate) use vector::{Sum, Vector};

use std::cell::RefCell;
use volvelle_kernel::{
    Access, Block, Buffer, BufferDecl, ExprId, FailKind, Kernel, Local, LocalDecl, Node, Site, SiteDecl,
    Stmt, Type,
};

impl Writer {
    /// A kernel that runs in lanes. All parameters must be declared first.
    pub(crate) fn new(name: &str) -> Self {
        let kernel = Kernel { name: name.to_owned(), ..Kernel::default() };
        let writer = Writer { inner: RefCell::new(Inner { kernel, open: vec![Vec::new()] }) };
        writer.parameter("lane", Type::U64);
        writer
    }

    /// The number of the lane.
    pub(crate) fn lane(&self) -> Index<'_> {
        let id = self.inner.borrow_mut().kernel.exprs.local(Local(0), Type::U64);
        Index::new(self, id)
    }

    /// A parameter that is a number.
    pub(crate) fn number(&self, name: &str) -> Number<'_> {
        Number::new(self, self.parameter(name, Type::F64))
    }

    /// A parameter that counts.
    pub(crate) fn index(&self, name: &str) -> Index<'_> {
        Index::new(self, self.parameter(name, Type::U64))
    }

    fn parameter(&self, name: &str, ty: Type) -> ExprId {
        let mut inner = self.inner.borrow_mut();
        let kernel = &mut inner.kernel;
        assert_eq!(kernel.params, kernel.locals.len(), "parameters come first");
        kernel.params += 1;
        kernel.locals.push(LocalDecl { name: name.to_owned(), ty });
        kernel.exprs.local(Local(kernel.params as u32 - 1), ty)
    }

    /// A buffer of records. Each field has a name and a number of values.
    pub(crate) fn record(
        &self,
        name: &str,
        access: Access,
        fields: &'static [(&'static str, u64)],
    ) -> Record<'_> {
        self.buffer(name, access, Type::F64, fields)
    }

    /// A buffer of indices.
    pub(crate) fn indices(&self, name: &str, ty: Type, fields: &'static [(&'static str, u64)]) -> Record<'_> {
        self.buffer(name, Access::Read, ty, fields)
    }

    fn buffer(
        &self,
        name: &str,
        access: Access,
        ty: Type,
        fields: &'static [(&'static str, u64)],
    ) -> Record<'_> {
        let mut inner = self.inner.borrow_mut();
        inner.kernel.buffers.push(BufferDecl { name: name.to_owned(), ty, access });
        let buffer = Buffer(inner.kernel.buffers.len() as u32 - 1);
        drop(inner);
        Record::new(self, buffer, ty, fields)
    }

    /// A constant.
    pub(crate) fn constant(&self, value: f64) -> Number<'_> {
        Number::new(self, self.inner.borrow_mut().kernel.exprs.f64(value))
    }

    /// A constant index.
    pub(crate) fn count(&self, value: u64) -> Index<'_> {
        Index::new(self, self.inner.borrow_mut().kernel.exprs.u64(value))
    }

    /// Computes a number here, for several uses.
    pub(crate) fn keep<'w>(&'w self, value: Number<'w>) -> Number<'w> {
        let local = self.local(Type::F64);
        self.set(local, value.id);
        Number::new(self, self.read(local, Type::F64))
    }

    /// Computes an index here, for several uses.
    pub(crate) fn keep_index<'w>(&'w self, value: Index<'w>) -> Index<'w> {
        let local = self.local(Type::U64);
        self.set(local, value.id);
        Index::new(self, self.read(local, Type::U64))
    }

    /// Computes a vector here, for several uses.
    pub(crate) fn keep_vector<'w>(&'w self, value: Vector<'w>) -> Vector<'w> {
        Vector(value.0.map(|component| self.keep(component)))
    }

    /// A place for an index, which is 0 at first.
    pub(crate) fn place(&self) -> Place<'_> {
        Place { writer: self, local: self.local(Type::U64) }
    }

    /// A number that grows, from zero on.
    pub(crate) fn total(&self) -> Total<'_> {
        Total { writer: self, local: self.local(Type::F64) }
    }

    /// Runs statements for all indices below a count.
    pub(crate) fn each<'w>(&'w self, count: Index<'w>, body: impl FnOnce(Index<'w>)) {
        let local = self.local(Type::U64);
        let from = self.count(0).id;
        let index = Index::new(self, self.read(local, Type::U64));
        let body = self.block(|| body(index));
        self.push(Stmt::For { local, from, to: count.id, body });
    }

    /// Runs statements where a condition holds.
    pub(crate) fn when(&self, cond: Condition<'_>, then: impl FnOnce()) {
        let then = self.block(then);
        self.push(Stmt::If { cond: cond.id, then, otherwise: Vec::new() });
    }

    /// Runs some statements where a condition holds, and others where it does not.
    pub(crate) fn choose(&self, cond: Condition<'_>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        self.push(Stmt::If { cond: cond.id, then, otherwise });
    }

    /// Leaves the innermost loop.
    pub(crate) fn leave(&self) {
        self.push(Stmt::Break);
    }

    /// Ends the kernel with a failure.
    pub(crate) fn fail(&self) {
        let mut inner = self.inner.borrow_mut();
        if inner.kernel.sites.is_empty() {
            inner.kernel.sites.push(SiteDecl { kind: FailKind::Range, tag: 0 });
        }
        drop(inner);
        self.push(Stmt::Fail { site: Site(0) });
    }

    /// Takes the kernel out of the writer.
    pub(crate) fn take(&self) -> Kernel {
        let inner = &mut *self.inner.borrow_mut();
        inner.kernel.body = inner.open.pop().unwrap_or_default();
        std::mem::take(&mut inner.kernel)
    }

    fn block(&self, body: impl FnOnce()) -> Block {
        self.inner.borrow_mut().open.push(Vec::new());
        body();
        self.inner.borrow_mut().open.pop().unwrap_or_default()
    }

    fn push(&self, statement: Stmt) {
        if let Some(block) = self.inner.borrow_mut().open.last_mut() {
            block.push(statement);
        }
    }

    fn local(&self, ty: Type) -> Local {
        let mut inner = self.inner.borrow_mut();
        let number = inner.kernel.locals.len();
        inner.kernel.locals.push(LocalDecl { name: format!("t{number}"), ty });
        Local(number as u32)
    }

    fn set(&self, local: Local, value: ExprId) {
        self.push(Stmt::Set { local, value });
    }

    fn read(&self, local: Local, ty: Type) -> ExprId {
        self.inner.borrow_mut().kernel.exprs.local(local, ty)
    }

    fn add(&self, node: Node) -> ExprId {
        self.inner.borrow_mut().kernel.exprs.add(node)
    }
}

impl<'w> Place<'w> {
    /// Its current value.
    pub(crate) fn value(self) -> Index<'w> {
        Index::new(self.writer, self.writer.read(self.local, Type::U64))
    }

    /// Puts an index into it.
    pub(crate) fn set(self, index: Index<'w>) {
        self.writer.set(self.local, index.id);
    }
}

impl<'w> Total<'w> {
    /// The sum so far.
    pub(crate) fn value(self) -> Number<'w> {
        Number::new(self.writer, self.writer.read(self.local, Type::F64))
    }

    /// Resets it to zero, for kernels that sum up several times.
    pub(crate) fn clear(self) {
        self.writer.set(self.local, self.writer.constant(0.0).id);
    }

    /// Adds a number.
    pub(crate) fn add(self, number: Number<'w>) {
        let sum = self.value() + number;
        self.writer.set(self.local, sum.id);
    }
}

impl<'w> Condition<'w> {
    /// One of two numbers.
    pub(crate) fn select(self, yes: Number<'w>, no: Number<'w>) -> Number<'w> {
        let id = self.writer.inner.borrow_mut().kernel.exprs.select(self.id, yes.id, no.id);
        Number::new(self.writer, id)
    }
}

#[cfg(test)]
mod tests;
mod writer;

use writer::Inner;
pub(crate) use writer::{Condition, Place, Total, Writer};
