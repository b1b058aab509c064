//! Guards and effects of alternatives, as code over intervals.
//!
//! In: a program of processes. Out: for each alternative, its guard, the values that it sends, and its
//! effect. Variables are either entries of an *environment* (the fields of the own instance, and the sums
//! that the process has added to global fields) or *cells* (elements of global fields). Anything without a
//! simple form is forgotten: reads give any value, and writes leave any value.

use crate::interval_operations::{self as value, ANY};
use crate::resources::elements_told_apart;
use volvelle_kernel::{BinaryOp, Block, CheckedOp, EntityVec, ExprId, Node, Stmt, Type, UnaryOp};
use volvelle_model::interval::Interval;
use volvelle_model::places::each_write;
use volvelle_model::steps::Part;
use volvelle_model::{AccessMode, Condition, FieldId, LocationId, Place, PoolId, Program, SharedResource};

/// Limit of operations in an expression; larger ones may have any value.
const MOST_OPS: usize = 1 << 10;

/// An operation on a stack of intervals.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Known(Interval),
    /// An entry of the environment.
    Own(u32),
    /// Pops an index.
    OwnElement(u32),
    Cell(u32),
    /// Pops an index.
    CellOf {
        first: u32,
        count: u32,
    },
    /// Pops an index, if there is one, and then a slot.
    Slot {
        pool: PoolId,
        field: FieldId,
        is_indexed: bool,
    },
    Temporary(u32),
    Offered(u32),
    Mover,
    Unary(UnaryOp, Type),
    Binary(BinaryOp, Type),
    Checked(CheckedOp, Type),
    Convert(Type, Type),
    Range(Type, i64, i64),
    Select,
    And,
    Or,
}

/// An expression.
pub type Code = Box<[Op]>;

/// A statement.
#[derive(Clone, Debug)]
pub enum Step {
    Temporary(u32, Code),
    /// An entry of the environment. `keeps`: it may also keep its value.
    Own {
        entry: u32,
        value: Code,
        keeps: bool,
    },
    Cell {
        cell: u32,
        value: Code,
    },
    CellOf {
        first: u32,
        count: u32,
        index: Code,
        value: Code,
    },
    /// Adds an amount to a cell. `entry` of the environment has the sum of all that was added.
    Add {
        cell: u32,
        entry: u32,
        amount: Code,
        is_negative: bool,
    },
    /// A slot changes.
    Slot {
        pool: PoolId,
        slot: Code,
    },
    If {
        cond: Code,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
}

/// An alternative.
#[derive(Clone, Debug)]
pub struct Move {
    pub guard: Code,
    pub part: Part,
    /// The channel of a handshake.
    pub at: Option<SharedResource>,
    pub given: Vec<Code>,
    pub effect: Vec<Step>,
    pub target: LocationId,
    /// Whether the process has exclusive control afterwards.
    pub goes_on: bool,
    pub creates: bool,
    /// The number of its block, if it requires that no alternative of an earlier block is possible.
    pub after: Option<u32>,
    pub block: u32,
}

/// A type of processes.
#[derive(Clone, Debug)]
pub struct TypeCode {
    /// Fields of its instances, in the order of the environment.
    pub fields: Vec<FieldId>,
    /// Cells to which it may add; their sums follow in the environment.
    pub adds: Vec<u32>,
    pub guard: Option<Code>,
}

/// A global field, or an element.
#[derive(Clone, Copy, Debug)]
pub struct CellInfo {
    pub field: FieldId,
    /// `None` means all elements together.
    pub element: Option<u32>,
    pub domain: Interval,
}

/// A program.
#[derive(Debug)]
pub struct NetworkCode {
    pub cells: Vec<CellInfo>,
    pub types: Vec<TypeCode>,
    pub type_of: EntityVec<LocationId, u32>,
    pub moves: Vec<Move>,
    /// First move of each location, and one more.
    pub first_moves: Vec<usize>,
    pub domains: EntityVec<FieldId, Interval>,
    pub temporaries: usize,
    pub offered: usize,
}

impl NetworkCode {
    /// The code of a program.
    pub fn new(program: &Program) -> Self {
        let network = &program.network;
        let domains: EntityVec<FieldId, Interval> = program
            .fields
            .iter()
            .map(|f| match f.domain {
                // Growing fields have their present windows.
                volvelle_model::Domain::Growing { .. } => ANY,
                domain => {
                    let (lo, hi) = domain.bounds();
                    Interval { lo, hi }
                }
            })
            .collect();
        let mut cells = Vec::new();
        let mut cells_of = EntityVec::default();
        for (f, field) in program.fields.iter().enumerate() {
            let field_id = FieldId(f as u32);
            let count = elements_told_apart(field);
            cells_of.push((cells.len() as u32, count));
            for element in 0..count {
                let element = (count == field.length).then_some(element);
                cells.push(CellInfo { field: field_id, element, domain: domains[field_id] });
            }
        }
        let mut entries = EntityVec::filled(u32::MAX, program.fields.len());
        let mut types = Vec::new();
        for ty in &network.types {
            let of_type = |f: &usize| program.fields[*f].component == Some(ty.component);
            let fields: Vec<FieldId> =
                (0..program.fields.len()).filter(of_type).map(|f| FieldId(f as u32)).collect();
            for (entry, &field) in fields.iter().enumerate() {
                entries[field] = entry as u32;
            }
            types.push(TypeCode { fields, adds: Vec::new(), guard: None });
        }
        let type_of: EntityVec<LocationId, u32> = (0..network.locations.len())
            .map(|l| network.type_of(LocationId(l as u32)).map_or(u32::MAX, |ty| ty as u32))
            .collect();
        let (mut moves, mut first_moves) = (Vec::new(), Vec::new());
        for (l, location) in network.locations.iter().enumerate() {
            first_moves.push(moves.len());
            let ty = type_of[LocationId(l as u32)] as usize;
            let mut none = TypeCode { fields: Vec::new(), adds: Vec::new(), guard: None };
            let ty = types.get_mut(ty).unwrap_or(&mut none);
            let mut builder = Builder { program, cells_of: &cells_of, entries: &entries, ty };
            for (b, block) in location.blocks.iter().enumerate() {
                for alternative in &block.alternatives {
                    let offer = alternative.offer.as_ref();
                    let mut meets = alternative.accesses.iter().filter(|a| a.mode == AccessMode::Meet);
                    let at = meets.next().map(|access| access.resource).filter(|_| meets.next().is_none());
                    let given =
                        offer.map_or(Vec::new(), |offer| offer.given().map(|e| builder.code(e)).collect());
                    moves.push(Move {
                        guard: builder.code(alternative.guard),
                        part: alternative.part(),
                        at,
                        given,
                        effect: builder.steps(alternative.effect()),
                        target: alternative.target(),
                        goes_on: alternative.then_exclusive() && !alternative.gives(),
                        creates: !alternative.creates.is_empty(),
                        after: (block.condition == Condition::NothingBefore).then_some(b as u32),
                        block: b as u32,
                    });
                }
            }
        }
        first_moves.push(moves.len());
        for (at, ty) in network.types.iter().enumerate() {
            let mut builder = Builder { program, cells_of: &cells_of, entries: &entries, ty: &mut types[at] };
            let guard = ty.guard.map(|guard| builder.code(guard));
            types[at].guard = guard;
        }
        NetworkCode {
            cells,
            types,
            type_of,
            moves,
            first_moves,
            domains,
            temporaries: network.temporaries.len(),
            offered: network.offered as usize,
        }
    }
}

enum Task {
    Expr(ExprId),
    Op(Op),
}

struct Builder<'p> {
    program: &'p Program,
    cells_of: &'p EntityVec<FieldId, (u32, u32)>,
    /// Entries of fields of processes.
    entries: &'p EntityVec<FieldId, u32>,
    ty: &'p mut TypeCode,
}

impl Builder<'_> {
    /// The code of an expression, operands first.
    fn code(&mut self, root: ExprId) -> Code {
        let mut tasks = vec![Task::Expr(root)];
        let mut ops = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Op(op) => ops.push(op),
                Task::Expr(id) => {
                    let op = self.parts(id, &mut tasks);
                    // Operands were pushed after the operation that needs them.
                    let at = tasks.len() - op.1;
                    tasks.insert(at, Task::Op(op.0));
                    tasks[at + 1..].reverse();
                }
            }
            if ops.len() + tasks.len() > MOST_OPS {
                let any = if self.program.exprs.ty(root) == Type::Bool { value::ANY_TRUTH } else { ANY };
                return Box::from([Op::Known(any)]);
            }
        }
        ops.into()
    }

    /// Pushes the operands of a node. Returns the operation on them, and their number.
    fn parts(&self, id: ExprId, tasks: &mut Vec<Task>) -> (Op, usize) {
        let exprs = &self.program.exprs;
        let any = Op::Known(if exprs.ty(id) == Type::Bool { value::ANY_TRUTH } else { ANY });
        let mut operands = |ids: &[ExprId]| {
            tasks.extend(ids.iter().map(|&id| Task::Expr(id)));
            ids.len()
        };
        match exprs.node(id) {
            Node::Const(c) => (Op::Known(value::single(c.bits as i64)), 0),
            Node::Local(local, _) => self.read(self.program.place(local), None, any, tasks),
            Node::Load { buffer, index, .. } => {
                self.read(self.program.place(buffer), Some(index), any, tasks)
            }
            Node::Unary { op, arg } => (Op::Unary(op, exprs.ty(arg)), operands(&[arg])),
            Node::Binary { op, lhs, rhs } => (Op::Binary(op, exprs.ty(lhs)), operands(&[lhs, rhs])),
            Node::Checked { op, lhs, rhs, .. } => (Op::Checked(op, exprs.ty(lhs)), operands(&[lhs, rhs])),
            Node::Convert { to, arg } => (Op::Convert(exprs.ty(arg), to), operands(&[arg])),
            Node::CheckedConvert { to, arg, .. } => (Op::Convert(exprs.ty(arg), to), operands(&[arg])),
            Node::Range { arg, lo, hi, .. } => (Op::Range(exprs.ty(arg), lo, hi), operands(&[arg])),
            Node::Select { cond, yes, no } => (Op::Select, operands(&[cond, yes, no])),
            Node::And { lhs, rhs } => (Op::And, operands(&[lhs, rhs])),
            Node::Or { lhs, rhs } => (Op::Or, operands(&[lhs, rhs])),
            Node::Len(_) | Node::Reinterpret { .. } | Node::Math { .. } | Node::MulAdd { .. } => (any, 0),
        }
    }

    fn read(&self, place: Place, index: Option<ExprId>, any: Op, tasks: &mut Vec<Task>) -> (Op, usize) {
        let push = |tasks: &mut Vec<Task>, id| tasks.push(Task::Expr(id));
        match place {
            Place::Field(field) => {
                let (first, count) = self.cells_of[field];
                let entry = self.entries[field];
                match (count, index) {
                    (0, _) if !self.is_own(field) => (any, 0),
                    (0, None) => (Op::Own(entry), 0),
                    (0, Some(index)) => {
                        push(tasks, index);
                        (Op::OwnElement(entry), 1)
                    }
                    (_, None) => (Op::Cell(first), 0),
                    (_, Some(index)) => {
                        push(tasks, index);
                        (Op::CellOf { first, count }, 1)
                    }
                }
            }
            Place::Slot { pool, slot, field } => {
                push(tasks, slot);
                if let Some(index) = index {
                    push(tasks, index);
                }
                (Op::Slot { pool, field, is_indexed: index.is_some() }, 1 + usize::from(index.is_some()))
            }
            Place::Temporary(t) => (Op::Temporary(t.0), 0),
            Place::Offered(k) => (Op::Offered(k), 0),
            Place::Mover => (Op::Mover, 0),
            // The held processes can move throughout, so there is no timeout.
            Place::Timeout => (Op::Known(value::single(0)), 0),
            Place::NoProgress
            | Place::Noted
            | Place::Table(_)
            | Place::Room { .. }
            | Place::Size(_)
            | Place::Parameter(_) => (any, 0),
        }
    }

    fn is_own(&self, field: FieldId) -> bool {
        self.ty.fields.get(self.entries[field] as usize) == Some(&field)
    }

    /// Recursion is as deep as blocks nest, which front ends limit.
    fn steps(&mut self, block: &Block) -> Vec<Step> {
        let mut steps = Vec::new();
        for statement in block {
            match statement {
                Stmt::Set { local, value } => {
                    let place = self.program.place(*local);
                    self.store(place, None, Some(*value), &mut steps);
                }
                Stmt::Store { buffer, index, value } => {
                    let place = self.program.place(*buffer);
                    self.store(place, Some(*index), Some(*value), &mut steps);
                }
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.code(*cond);
                    let (then, otherwise) = (self.steps(then), self.steps(otherwise));
                    if !then.is_empty() || !otherwise.is_empty() {
                        steps.push(Step::If { cond, then, otherwise });
                    }
                }
                Stmt::Fail { .. } => {}
                // A written place may keep its value, or have any value afterwards.
                other => {
                    let mut places = Vec::new();
                    if let Stmt::For { local, .. } | Stmt::Machine { local, .. } = other {
                        places.push(self.program.place(*local));
                    }
                    each_write(&vec![other.clone()], &mut |place, _| places.push(self.program.place(place)));
                    for place in places {
                        self.store(place, None, None, &mut steps);
                    }
                }
            }
        }
        steps
    }

    /// Stores a value; `None` means any.
    fn store(&mut self, place: Place, index: Option<ExprId>, value: Option<ExprId>, steps: &mut Vec<Step>) {
        let forgotten = || Box::from([Op::Known(ANY)]);
        match place {
            Place::Temporary(t) => {
                let value = value.map_or_else(forgotten, |value| self.code(value));
                steps.push(Step::Temporary(t.0, value));
            }
            Place::Slot { pool, slot, .. } => {
                let slot = if value.is_some() { self.code(slot) } else { forgotten() };
                steps.push(Step::Slot { pool, slot });
            }
            Place::Field(field) => {
                let (first, count) = self.cells_of[field];
                let length = self.program.fields[field.index()].length;
                if count == 0 {
                    if self.is_own(field) {
                        let value = value.map_or_else(forgotten, |value| self.code(value));
                        steps.push(Step::Own { entry: self.entries[field], value, keeps: length > 1 });
                    }
                } else if let (None, Some(value), 1) = (index, value, count) {
                    match self.amount(field, value) {
                        Some((amount, is_negative)) => {
                            let known = self.ty.adds.iter().position(|&cell| cell == first);
                            let add = known.unwrap_or_else(|| {
                                self.ty.adds.push(first);
                                self.ty.adds.len() - 1
                            });
                            let entry = (self.ty.fields.len() + add) as u32;
                            let amount = self.code(amount);
                            steps.push(Step::Add { cell: first, entry, amount, is_negative });
                        }
                        None => steps.push(Step::Cell { cell: first, value: self.code(value) }),
                    }
                } else {
                    let index = index.map_or_else(forgotten, |index| self.code(index));
                    let value = value.map_or_else(forgotten, |value| self.code(value));
                    steps.push(Step::CellOf { first, count, index, value });
                }
            }
            _ => {}
        }
    }

    /// If a new value is the old value of a global scalar plus or minus an amount: the amount, and the sign.
    fn amount(&self, field: FieldId, value: ExprId) -> Option<(ExprId, bool)> {
        let exprs = &self.program.exprs;
        let is_old = |id| match exprs.node(id) {
            Node::Local(local, Type::I64) => self.program.place(local) == Place::Field(field),
            _ => false,
        };
        let (op, lhs, rhs) = match exprs.node(value) {
            Node::Binary { op, lhs, rhs } => (op, lhs, rhs),
            Node::Checked { op: CheckedOp::Add, lhs, rhs, .. } => (BinaryOp::Add, lhs, rhs),
            Node::Checked { op: CheckedOp::Sub, lhs, rhs, .. } => (BinaryOp::Sub, lhs, rhs),
            _ => return None,
        };
        match op {
            BinaryOp::Add if is_old(lhs) => Some((rhs, false)),
            BinaryOp::Add if is_old(rhs) => Some((lhs, false)),
            BinaryOp::Sub if is_old(lhs) => Some((rhs, true)),
            _ => None,
        }
    }
}
