//! Places: the things that expressions and effects of a program read and write.
//!
//! Expressions of a program are expressions of the kernel IR. A local or a buffer in them is the number of a place
//! ([`PlaceId`]), which [`Program::place`] looks up; kernels that are made from the program put accesses to the packed state
//! in its stead. [`Node::Local`] reads a place that is a scalar; [`Node::Load`] reads an element of one that is an array,
//! and [`Stmt::Set`] and [`Stmt::Store`] write them.
//!
//! A place may be chosen by an expression (the slot of [`Place::Slot`]), which the node that reads it does not show:
//! traversals of a program's expressions use [`Program::each_operand`] and [`Program::reachable`], and not those of
//! [`Exprs`].
//!
//! The place of a field has the number of the field. Programs without processes have no other places, so that a
//! kernel whose first locals are the fields takes their expressions as they are.

use crate::network::PoolId;
use crate::program::{ComponentId, FieldId, Program};
use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, Block, Buffer, ExprId, Exprs, Local, Node, Stmt, Type, entity};

entity!(
    /// The number of a place, which is what locals and buffers in expressions of a program are.
    PlaceId
);
entity!(
    /// A variable of a single step.
    TemporaryId
);

/// The number of the first place that is no field.
const FIRST_OTHER: u32 = 1 << 30;

impl PlaceId {
    /// The number as expressions have it that read a scalar.
    pub fn local(self) -> Local {
        Local(self.0)
    }

    /// The number as expressions have it that read an element.
    pub fn buffer(self) -> Buffer {
        Buffer(self.0)
    }
}

impl From<Local> for PlaceId {
    fn from(local: Local) -> Self {
        PlaceId(local.0)
    }
}

impl From<Buffer> for PlaceId {
    fn from(buffer: Buffer) -> Self {
        PlaceId(buffer.0)
    }
}

/// Something that a step reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A field: of the state, or of the instance that moves.
    Field(FieldId),
    /// A field of the instance in some slot.
    Slot {
        /// The pool.
        pool: PoolId,
        /// `i64`: which slot.
        slot: ExprId,
        /// A field of the pool's header or of one of its members.
        field: FieldId,
    },
    /// A variable of the step, with the value that the step gives it.
    Temporary(TemporaryId),
    /// A value (`i64`) that is offered to the instance that moves, counted from 0.
    Offered(u32),
    /// The slot of the instance that moves (`i64`).
    Mover,
    /// Whether nothing else can move (`bool`).
    Timeout,
    /// For labels: whether something can move while no process is at a progress location (`bool`).
    NoProgress,
    /// The value (`i64`) that a `Fail` at a site of subject [`SiteSubject::Note`](crate::SiteSubject) reports.
    Noted,
    /// The bits that a slot has room for (`u64`); 0 beyond the last.
    Room {
        /// The pool.
        pool: PoolId,
        /// `i64`: which slot.
        slot: ExprId,
    },
    /// The bits that an instance of a component takes (`u64`).
    Size(ComponentId),
    /// A number (`f64` or `i64`) that stays open until a kernel runs ([`crate::Parametric`]).
    Parameter(u32),
}

impl Place {
    /// The expression that chooses the slot.
    pub fn slot(self) -> Option<ExprId> {
        match self {
            Place::Slot { slot, .. } | Place::Room { slot, .. } => Some(slot),
            _ => None,
        }
    }

    /// The field, be it of the instance that moves or of another one.
    pub fn field(self) -> Option<FieldId> {
        match self {
            Place::Field(field) | Place::Slot { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// The places of a program that are no fields, each once.
#[derive(Clone, Debug, Default)]
pub struct Places {
    others: Vec<Place>,
    numbers: FxHashMap<Place, PlaceId>,
}

impl PartialEq for Places {
    fn eq(&self, other: &Self) -> bool {
        self.others == other.others
    }
}

impl Places {
    /// Whether an expression or effect was made that reads or writes a place.
    pub fn contains(&self, place: Place) -> bool {
        matches!(place, Place::Field(_)) || self.numbers.contains_key(&place)
    }

    /// The place of a number.
    pub fn get(&self, place: impl Into<PlaceId>) -> Place {
        let PlaceId(number) = place.into();
        match number.checked_sub(FIRST_OTHER) {
            None => Place::Field(FieldId(number)),
            Some(other) => self.others[other as usize],
        }
    }

    /// The number of a place, a new one where it has none.
    pub fn id(&mut self, place: Place) -> PlaceId {
        if let Place::Field(FieldId(number)) = place {
            return PlaceId(number);
        }
        *self.numbers.entry(place).or_insert_with(|| {
            self.others.push(place);
            PlaceId(FIRST_OTHER + self.others.len() as u32 - 1)
        })
    }
}

impl Program {
    /// The place that a local or a buffer in an expression or an effect stands for.
    pub fn place(&self, place: impl Into<PlaceId>) -> Place {
        self.places.get(place)
    }

    /// The read of a scalar.
    pub fn read(&mut self, place: Place) -> ExprId {
        let ty = self.type_of_place(place);
        let id = self.places.id(place);
        self.exprs.local(id.local(), ty)
    }

    /// The read of an element (`i64`) of an array.
    pub fn read_element(&mut self, place: Place, element: ExprId) -> ExprId {
        let ty = self.type_of_place(place);
        let id = self.places.id(place);
        let index = self.exprs.convert(Type::U64, element);
        self.exprs.load(id.buffer(), ty, index)
    }

    /// The write of a scalar.
    pub fn set(&mut self, place: Place, value: ExprId) -> Stmt {
        Stmt::Set { local: self.places.id(place).local(), value }
    }

    /// The write of an element (`i64`) of an array.
    pub fn set_element(&mut self, place: Place, element: ExprId, value: ExprId) -> Stmt {
        let buffer = self.places.id(place).buffer();
        let index = self.exprs.convert(Type::U64, element);
        Stmt::Store { buffer, index, value }
    }

    /// The place of a field: of the instance in a slot (`i64`), where one is given and the field is one of instances.
    pub fn field_in(&self, field: FieldId, slot: Option<ExprId>) -> Place {
        match (slot, self.pool_of(field)) {
            (Some(slot), Some(pool)) => Place::Slot { pool, slot, field },
            _ => Place::Field(field),
        }
    }

    /// The pool whose slots have a field.
    pub fn pool_of(&self, field: FieldId) -> Option<PoolId> {
        let component = self.fields[field.index()].component?;
        let holds = |pool: &crate::Pool| pool.header == component || pool.members.contains(&component);
        self.network.pools.iter().position(holds).map(|pool| PoolId(pool as u32))
    }

    /// A new variable of steps.
    pub fn temporary(&mut self, ty: Type) -> Local {
        self.network.temporaries.push(ty);
        let temporary = TemporaryId(self.network.temporaries.len() as u32 - 1);
        self.places.id(Place::Temporary(temporary)).local()
    }

    /// Whether a slot (`i64`) of a pool has no room for a component.
    pub fn lacks_room(&mut self, pool: PoolId, slot: ExprId, component: ComponentId) -> ExprId {
        let room = self.read(Place::Room { pool, slot });
        let needed = self.read(Place::Size(component));
        self.exprs.binary(BinaryOp::Lt, room, needed)
    }

    fn type_of_place(&self, place: Place) -> Type {
        match place {
            Place::Field(field) | Place::Slot { field, .. } => self.fields[field.index()].domain.ty(),
            Place::Temporary(temporary) => self.network.temporaries[temporary.index()],
            Place::Offered(_) | Place::Mover | Place::Noted => Type::I64,
            Place::Timeout | Place::NoProgress => Type::Bool,
            Place::Room { .. } | Place::Size(_) => Type::U64,
            Place::Parameter(_) => Type::F64,
        }
    }

    /// The place that a node reads.
    pub fn place_read(&self, node: &Node) -> Option<Place> {
        match *node {
            Node::Local(local, _) => Some(self.place(local)),
            Node::Load { buffer, .. } => Some(self.place(buffer)),
            _ => None,
        }
    }

    /// Calls `f` for every operand of a node, the slot of the place that it reads included.
    pub fn each_operand(&self, node: &Node, mut f: impl FnMut(ExprId)) {
        if let Some(slot) = self.place_read(node).and_then(Place::slot) {
            f(slot);
        }
        Exprs::each_operand(node, f);
    }

    /// Which expressions are needed by `roots`: a flag per expression.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
        let mut seen = vec![false; self.exprs.len()];
        for root in roots {
            seen[root.index()] = true;
        }
        // The slot of a place is older than the place, and so is what reads it: operands have smaller numbers.
        for id in self.exprs.ids().rev() {
            if seen[id.index()] {
                self.each_operand(&self.exprs.node(id), |operand| seen[operand.index()] = true);
            }
        }
        seen
    }

    /// The expressions that an effect evaluates, slots of the places that it writes included. Recursion is as deep as
    /// blocks nest, which front ends limit.
    pub fn expressions(&self, block: &Block, out: &mut Vec<ExprId>) {
        for statement in block {
            match statement {
                Stmt::Set { local, value } => {
                    out.extend(self.place(*local).slot());
                    out.push(*value);
                }
                Stmt::Store { buffer, index, value } => {
                    out.extend(self.place(*buffer).slot());
                    out.extend([*index, *value]);
                }
                Stmt::If { cond, then, otherwise } => {
                    out.push(*cond);
                    self.expressions(then, out);
                    self.expressions(otherwise, out);
                }
                Stmt::Switch { on, cases, default } => {
                    out.push(*on);
                    cases.iter().for_each(|(_, block)| self.expressions(block, out));
                    self.expressions(default, out);
                }
                Stmt::For { from, to, body, .. } => {
                    out.extend([*from, *to]);
                    self.expressions(body, out);
                }
                _ => {}
            }
        }
    }
}

/// Calls `f` for every place that an effect writes, with whether that is one element of an array. Recursion is as
/// deep as blocks nest, which front ends limit.
pub fn each_write(block: &Block, f: &mut impl FnMut(PlaceId, bool)) {
    for statement in block {
        match statement {
            Stmt::Set { local, .. } => f((*local).into(), false),
            Stmt::Store { buffer, .. } => f((*buffer).into(), true),
            Stmt::If { then, otherwise, .. } => {
                each_write(then, f);
                each_write(otherwise, f);
            }
            Stmt::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, block)| each_write(block, f));
                each_write(default, f);
            }
            Stmt::For { body, .. } => each_write(body, f),
            _ => {}
        }
    }
}
