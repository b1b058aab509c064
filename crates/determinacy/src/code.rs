//! Guards, values and effects as code for a stack machine over [`Value`](crate::value::Value)s.
//!
//! A program is compiled once. A place becomes an access to cells: of a global field, of the process that
//! moves, or of a slot that is computed.

use crate::memory::{Home, MemoryLayout};
use crate::refusal::Refusal;
use volvelle_kernel::{BinaryOp, Block, CheckedOp, ExprId, MathFn, Node, Site, Stmt, Type, UnaryOp};
use volvelle_model::{Origin, Place, PoolId, Program, SiteSubject};

/// One operation. Operands are taken from the stack, the last one first.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Pushes a constant.
    Constant(i64),
    /// Pushes a temporary of the step.
    Temporary(u32),
    /// Pushes a value of the message that is exchanged.
    Offered(u32),
    /// Pushes the slot of the moving process.
    Mover,
    /// Pushes whether the step is a `timeout`.
    Timeout,
    /// Pushes a cell.
    Load(Cells),
    /// Pops a value and stores it.
    Store(Cells),
    /// Pops into a temporary of the step.
    SetTemporary(u32),
    Unary(UnaryOp, Type),
    Binary(BinaryOp, Type),
    Checked(CheckedOp, Type, Site),
    Convert(Type, Type),
    CheckedConvert(Type, Type, Site),
    Range(Type, i64, i64, Site),
    Math(MathFn),
    /// Pops three.
    MulAdd(Type),
    /// Pops a truth value and jumps if it is false.
    JumpIfFalse(u32),
    Jump(u32),
    /// A statement that fails.
    Fail(Site),
}

/// The cells of a field. The operand order is slot, then index.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// Where the field is.
    pub home: Whose,
    /// Cell of the state, or offset in the record.
    pub offset: u32,
    /// Number of elements.
    pub length: u32,
    /// Whether an index is on the stack.
    pub is_indexed: bool,
}

/// Where a field is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// In the global part of the state.
    Global,
    /// In the record of the moving process.
    Own,
    /// In the record of the instance whose slot was pushed (before an index).
    Slot(PoolId),
}

/// A piece of code.
pub type Code = Box<[Op]>;

/// Jump targets of the blocks around a statement.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The label after the loop.
    exit: Option<usize>,
    /// The blocks of the surrounding machine (numbered blocks that name their successors).
    machine: Option<&'a Jumps>,
}

/// The blocks of a machine.
struct Jumps {
    labels: Vec<usize>,
    end: usize,
    /// Temporaries: the number of jumps so far, and its limit.
    counter: u32,
    bound: u32,
    ty: Type,
}

enum Task {
    Expr(ExprId),
    Op(Op),
    JumpIfFalse(usize),
    Jump(usize),
    Label(usize),
}

/// Compiles expressions and effects.
pub struct CodeBuilder<'p> {
    program: &'p Program,
    layout: &'p MemoryLayout,
    /// Number of temporaries, including those that loops need.
    pub temporaries: u32,
    ops: Vec<Op>,
    labels: Vec<u32>,
    origin: Option<Origin>,
}

impl<'p> CodeBuilder<'p> {
    /// For a program.
    pub fn new(program: &'p Program, layout: &'p MemoryLayout) -> Self {
        let temporaries = program.network.temporaries.len() as u32;
        CodeBuilder { program, layout, temporaries, ops: Vec::new(), labels: Vec::new(), origin: None }
    }

    /// The code that pushes the value of an expression.
    pub fn expression(&mut self, expr: ExprId, origin: Option<Origin>) -> Result<Code, Refusal> {
        self.origin = origin;
        self.expr(expr)?;
        Ok(self.finish())
    }

    /// The code of an effect.
    pub fn effect(&mut self, block: &Block, origin: Option<Origin>) -> Result<Code, Refusal> {
        self.origin = origin;
        self.block(block, Around::default())?;
        Ok(self.finish())
    }

    fn finish(&mut self) -> Code {
        let labels = std::mem::take(&mut self.labels);
        let mut ops = std::mem::take(&mut self.ops);
        for op in &mut ops {
            if let Op::JumpIfFalse(label) | Op::Jump(label) = op {
                *label = labels[*label as usize];
            }
        }
        ops.into_boxed_slice()
    }

    fn unsupported<T>(&self, what: &'static str) -> Result<T, Refusal> {
        Err(Refusal::Unsupported { what, origin: self.origin })
    }

    fn label(&mut self) -> usize {
        self.labels.push(0);
        self.labels.len() - 1
    }

    fn here(&mut self, label: usize) {
        self.labels[label] = self.ops.len() as u32;
    }

    /// Code for an expression, operands first, without recursion.
    fn expr(&mut self, root: ExprId) -> Result<(), Refusal> {
        let mut tasks = vec![Task::Expr(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Op(op) => self.ops.push(op),
                Task::JumpIfFalse(label) => self.ops.push(Op::JumpIfFalse(label as u32)),
                Task::Jump(label) => self.ops.push(Op::Jump(label as u32)),
                Task::Label(label) => self.here(label),
                Task::Expr(id) => {
                    let mut parts = self.parts(id)?;
                    parts.reverse();
                    tasks.append(&mut parts);
                }
            }
        }
        Ok(())
    }

    fn parts(&mut self, id: ExprId) -> Result<Vec<Task>, Refusal> {
        let exprs = &self.program.exprs;
        let ty = |id: ExprId| exprs.ty(id);
        Ok(match exprs.node(id) {
            Node::Const(c) => vec![Task::Op(Op::Constant(c.bits as i64))],
            Node::Local(local, _) => self.place_read(self.program.place(local), None)?,
            Node::Load { buffer, index, .. } => self.place_read(self.program.place(buffer), Some(index))?,
            Node::Len(_) => return self.unsupported("the length of a buffer"),
            Node::Unary { op, arg } => vec![Task::Expr(arg), Task::Op(Op::Unary(op, ty(arg)))],
            Node::Binary { op, lhs, rhs } => {
                vec![Task::Expr(lhs), Task::Expr(rhs), Task::Op(Op::Binary(op, ty(lhs)))]
            }
            Node::Checked { op, lhs, rhs, site } => {
                vec![Task::Expr(lhs), Task::Expr(rhs), Task::Op(Op::Checked(op, ty(lhs), site))]
            }
            Node::Convert { to, arg } => vec![Task::Expr(arg), Task::Op(Op::Convert(ty(arg), to))],
            Node::Reinterpret { .. } => return self.unsupported("the bits of a number"),
            Node::CheckedConvert { to, arg, site } => {
                vec![Task::Expr(arg), Task::Op(Op::CheckedConvert(ty(arg), to, site))]
            }
            Node::Range { arg, lo, hi, site } => {
                vec![Task::Expr(arg), Task::Op(Op::Range(ty(arg), lo, hi, site))]
            }
            Node::Select { cond, yes, no } => {
                let (other, end) = (self.label(), self.label());
                vec![
                    Task::Expr(cond),
                    Task::JumpIfFalse(other),
                    Task::Expr(yes),
                    Task::Jump(end),
                    Task::Label(other),
                    Task::Expr(no),
                    Task::Label(end),
                ]
            }
            Node::And { lhs, rhs } => {
                let (no, end) = (self.label(), self.label());
                vec![
                    Task::Expr(lhs),
                    Task::JumpIfFalse(no),
                    Task::Expr(rhs),
                    Task::Jump(end),
                    Task::Label(no),
                    Task::Op(Op::Constant(0)),
                    Task::Label(end),
                ]
            }
            Node::Or { lhs, rhs } => {
                let (no, end) = (self.label(), self.label());
                vec![
                    Task::Expr(lhs),
                    Task::JumpIfFalse(no),
                    Task::Op(Op::Constant(1)),
                    Task::Jump(end),
                    Task::Label(no),
                    Task::Expr(rhs),
                    Task::Label(end),
                ]
            }
            Node::Math { f, args } => {
                vec![Task::Expr(args[0]), Task::Expr(args[1]), Task::Op(Op::Math(f))]
            }
            Node::MulAdd { args: [x, y, z] } => {
                vec![Task::Expr(x), Task::Expr(y), Task::Expr(z), Task::Op(Op::MulAdd(exprs.ty(x)))]
            }
        })
    }

    fn place_read(&self, place: Place, index: Option<ExprId>) -> Result<Vec<Task>, Refusal> {
        Ok(match place {
            Place::Field(_) | Place::Slot { .. } => {
                let (mut tasks, cells) = self.cells(place, index)?;
                tasks.push(Task::Op(Op::Load(cells)));
                tasks
            }
            Place::Temporary(t) => vec![Task::Op(Op::Temporary(t.0))],
            Place::Offered(k) => vec![Task::Op(Op::Offered(k))],
            Place::Mover => vec![Task::Op(Op::Mover)],
            // Here slots never run out: memory grows with each instance.
            Place::Room { .. } => vec![Task::Op(Op::Constant(i64::MAX))],
            Place::Size(_) => vec![Task::Op(Op::Constant(0))],
            Place::Timeout => vec![Task::Op(Op::Timeout)],
            Place::NoProgress | Place::Noted => return self.unsupported("a fact about the search"),
            Place::Table(_) => return self.unsupported("a function on terms"),
            Place::Parameter(_) => return self.unsupported("an open parameter"),
        })
    }

    /// The tasks that push slot and index, and the cells they select.
    fn cells(&self, place: Place, index: Option<ExprId>) -> Result<(Vec<Task>, Cells), Refusal> {
        let mut tasks = Vec::new();
        let Some(field) = place.field() else { return self.unsupported("this place") };
        let (home, offset) = match (self.layout.home(field), place) {
            (Home::Global(cell), _) => (Whose::Global, cell),
            (Home::Record(PoolId(0), offset), Place::Field(_)) => (Whose::Own, offset),
            (Home::Record(pool, offset), Place::Slot { slot, .. }) => {
                tasks.push(Task::Expr(slot));
                (Whose::Slot(pool), offset)
            }
            (Home::Record(..), _) => return self.unsupported("a field of an instance that is not named"),
        };
        tasks.extend(index.map(Task::Expr));
        let length = self.program.fields[field.index()].length;
        Ok((tasks, Cells { home, offset, length, is_indexed: index.is_some() }))
    }

    /// Code for statements. Recursion is as deep as blocks nest, which front ends limit.
    fn block(&mut self, block: &Block, around: Around<'_>) -> Result<(), Refusal> {
        for statement in block {
            match statement {
                Stmt::Set { local, value } => self.store(self.program.place(*local), None, *value)?,
                Stmt::Store { buffer, index, value } => {
                    self.store(self.program.place(*buffer), Some(*index), *value)?;
                }
                Stmt::If { cond, then, otherwise } => {
                    let (other, end) = (self.label(), self.label());
                    self.expr(*cond)?;
                    self.ops.push(Op::JumpIfFalse(other as u32));
                    self.block(then, around)?;
                    self.ops.push(Op::Jump(end as u32));
                    self.here(other);
                    self.block(otherwise, around)?;
                    self.here(end);
                }
                Stmt::Switch { on, cases, default } => {
                    let end = self.label();
                    for (key, body) in cases {
                        let next = self.label();
                        self.expr(*on)?;
                        let ty = self.program.exprs.ty(*on);
                        self.ops.extend([Op::Constant(*key), Op::Binary(BinaryOp::Eq, ty)]);
                        self.ops.push(Op::JumpIfFalse(next as u32));
                        self.block(body, around)?;
                        self.ops.push(Op::Jump(end as u32));
                        self.here(next);
                    }
                    self.block(default, around)?;
                    self.here(end);
                }
                Stmt::For { local, from, to, body } => self.counted(*local, *from, *to, body)?,
                Stmt::Break => match around.exit {
                    Some(exit) => self.ops.push(Op::Jump(exit as u32)),
                    None => return self.unsupported("a `break` out of an effect"),
                },
                Stmt::Fail { site } => match self.program.sites[site.index()].subject {
                    SiteSubject::Note | SiteSubject::Room(_) => {}
                    _ => self.ops.push(Op::Fail(*site)),
                },
                Stmt::Machine { local, from, to, start, blocks } => {
                    self.machine(*local, [*from, *to, *start], blocks)?;
                }
                Stmt::Goto { block } => {
                    let jumps = around.machine;
                    let target = jumps.and_then(|jumps| Some((jumps, *jumps.labels.get(*block as usize)?)));
                    let Some((jumps, target)) = target else { return self.unsupported("this jump") };
                    self.ops.extend([
                        Op::Temporary(jumps.counter),
                        Op::Constant(1),
                        Op::Binary(BinaryOp::Add, jumps.ty),
                        Op::SetTemporary(jumps.counter),
                    ]);
                    self.go_on(jumps);
                    self.ops.push(Op::Jump(target as u32));
                }
                Stmt::Take { .. }
                | Stmt::Emit { .. }
                | Stmt::Copy { .. }
                | Stmt::Truncate { .. }
                | Stmt::Return => return self.unsupported("a statement of kernels"),
            }
        }
        Ok(())
    }

    fn counted(
        &mut self,
        local: volvelle_kernel::Local,
        from: ExprId,
        to: ExprId,
        body: &Block,
    ) -> Result<(), Refusal> {
        let Place::Temporary(counter) = self.program.place(local) else {
            return self.unsupported("a loop over a field");
        };
        let bound = self.temporaries;
        self.temporaries += 1;
        let (again, end) = (self.label(), self.label());
        self.expr(from)?;
        self.ops.push(Op::SetTemporary(counter.0));
        self.expr(to)?;
        self.ops.push(Op::SetTemporary(bound));
        self.here(again);
        let ty = self.program.exprs.ty(from);
        self.ops.extend([Op::Temporary(counter.0), Op::Temporary(bound), Op::Binary(BinaryOp::Lt, ty)]);
        self.ops.push(Op::JumpIfFalse(end as u32));
        self.block(body, Around { exit: Some(end), machine: None })?;
        self.ops.extend([Op::Temporary(counter.0), Op::Constant(1), Op::Binary(BinaryOp::Add, ty)]);
        self.ops.push(Op::SetTemporary(counter.0));
        self.ops.push(Op::Jump(again as u32));
        self.here(end);
        Ok(())
    }

    /// Code for numbered blocks, each of which says which block is next.
    fn machine(
        &mut self,
        local: volvelle_kernel::Local,
        [from, to, start]: [ExprId; 3],
        blocks: &[Block],
    ) -> Result<(), Refusal> {
        let Place::Temporary(counter) = self.program.place(local) else {
            return self.unsupported("a loop over a field");
        };
        let [bound, first] = [self.temporaries, self.temporaries + 1];
        self.temporaries += 2;
        let labels = blocks.iter().map(|_| self.label()).collect();
        let ty = self.program.exprs.ty(from);
        let jumps = Jumps { labels, end: self.label(), counter: counter.0, bound, ty };
        for (expr, temporary) in [(from, counter.0), (to, bound), (start, first)] {
            self.expr(expr)?;
            self.ops.push(Op::SetTemporary(temporary));
        }
        self.go_on(&jumps);
        let ty = self.program.exprs.ty(start);
        for (number, &label) in jumps.labels.iter().enumerate() {
            let next = self.label();
            self.ops.extend([Op::Temporary(first), Op::Constant(number as i64)]);
            self.ops.extend([Op::Binary(BinaryOp::Eq, ty), Op::JumpIfFalse(next as u32)]);
            self.ops.push(Op::Jump(label as u32));
            self.here(next);
        }
        self.ops.push(Op::Jump(jumps.end as u32));
        for (block, &label) in blocks.iter().zip(&jumps.labels) {
            self.here(label);
            self.block(block, Around { exit: Some(jumps.end), machine: Some(&jumps) })?;
            self.ops.push(Op::Jump(jumps.end as u32));
        }
        self.here(jumps.end);
        Ok(())
    }

    /// Leaves a machine once it has made its number of jumps.
    fn go_on(&mut self, jumps: &Jumps) {
        let less = Op::Binary(BinaryOp::Lt, jumps.ty);
        self.ops.extend([Op::Temporary(jumps.counter), Op::Temporary(jumps.bound), less]);
        self.ops.push(Op::JumpIfFalse(jumps.end as u32));
    }

    fn store(&mut self, place: Place, index: Option<ExprId>, value: ExprId) -> Result<(), Refusal> {
        match place {
            Place::Temporary(t) => {
                self.expr(value)?;
                self.ops.push(Op::SetTemporary(t.0));
            }
            // Notes are for display and decide nothing.
            Place::Noted => {}
            _ => {
                let (tasks, cells) = self.cells(place, index)?;
                for task in tasks {
                    if let Task::Expr(id) = task {
                        self.expr(id)?;
                    }
                }
                self.expr(value)?;
                self.ops.push(Op::Store(cells));
            }
        }
        Ok(())
    }
}
