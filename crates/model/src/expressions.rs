//! Expressions and effects of a program over its places: construction and traversal.

use crate::ids::{ComponentId, FieldId, PlaceId, PoolId, TemporaryId};
use crate::places::Place;
use crate::program::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use volvelle_kernel::{BinaryOp, Block, CheckedOp, ExprId, Exprs, Local, Node, Site, Stmt, Type};

/// The expression with unchecked divisions: division by zero gives infinities or NaN. `None` if it has no
/// checked division.
pub fn unchecked_divisions(exprs: &mut Exprs, root: ExprId) -> Option<ExprId> {
    let mut now: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in exprs.needed([root]) {
        let of = |operand: ExprId| now[&operand];
        let node = exprs.node(id);
        let changed = match node {
            Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } if exprs.ty(id).is_float() => {
                exprs.binary(BinaryOp::Div, of(lhs), of(rhs))
            }
            Node::Const(_) | Node::Local(..) | Node::Len(_) => id,
            Node::Load { buffer, ty, index } => exprs.load(buffer, ty, of(index)),
            Node::Unary { op, arg } => exprs.unary(op, of(arg)),
            Node::Binary { op, lhs, rhs } => exprs.binary(op, of(lhs), of(rhs)),
            Node::Checked { op, lhs, rhs, site } => exprs.checked(op, of(lhs), of(rhs), site),
            Node::Convert { to, arg } => exprs.convert(to, of(arg)),
            Node::Reinterpret { to, arg } => exprs.reinterpret(to, of(arg)),
            Node::CheckedConvert { to, arg, site } => {
                exprs.add(Node::CheckedConvert { to, arg: of(arg), site })
            }
            Node::Range { arg, lo, hi, site } => exprs.add(Node::Range { arg: of(arg), lo, hi, site }),
            Node::And { lhs, rhs } => exprs.and(of(lhs), of(rhs)),
            Node::Or { lhs, rhs } => exprs.or(of(lhs), of(rhs)),
            Node::Select { cond, yes, no } => exprs.select(of(cond), of(yes), of(no)),
            Node::Math { f, args } => exprs.add(Node::Math { f, args: args.map(of) }),
            Node::MulAdd { args: [x, y, z] } => exprs.mul_add(of(x), of(y), of(z)),
        };
        now.insert(id, changed);
    }
    Some(now[&root]).filter(|changed| *changed != root)
}

/// Whether evaluating an expression may fail.
pub fn may_fail(exprs: &Exprs, root: ExprId) -> bool {
    if exprs.is_infallible(root) {
        return false;
    }
    exprs.needed([root]).into_iter().any(|id| {
        matches!(exprs.node(id), Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. })
    })
}

impl Program {
    /// The sites at which evaluating an expression may fail, including those in the choice of slots.
    pub fn sites_of(&self, root: ExprId) -> Vec<Site> {
        let site = |id: ExprId| match self.exprs.node(id) {
            Node::Checked { site, .. } | Node::CheckedConvert { site, .. } | Node::Range { site, .. } => {
                Some(site)
            }
            _ => None,
        };
        self.needed([root]).into_iter().filter_map(site).collect()
    }

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

    /// The place of a field. If `slot` (`i64`) is given and the field belongs to instances, the instance in
    /// that slot.
    pub fn field_in(&self, field: FieldId, slot: Option<ExprId>) -> Place {
        match (slot, self.pool_of(field)) {
            (Some(slot), Some(pool)) => Place::Slot { pool, slot, field },
            _ => Place::Field(field),
        }
    }

    /// The pool whose slots contain a field.
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
            Place::Offered(_) | Place::Mover | Place::Noted | Place::Table(_) => Type::I64,
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

    /// Calls `f` for every operand of a node, including the slot of the place that it reads.
    pub fn each_operand(&self, node: &Node, mut f: impl FnMut(ExprId)) {
        if let Some(slot) = self.place_read(node).and_then(Place::slot) {
            f(slot);
        }
        Exprs::each_operand(node, f);
    }

    /// For each expression, whether `roots` need it.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
        let mut seen = vec![false; self.exprs.len()];
        for root in roots {
            seen[root.index()] = true;
        }
        // Operands have smaller numbers than the nodes that use them, and so does the slot of a place.
        for id in self.exprs.ids().rev() {
            if seen[id.index()] {
                self.each_operand(&self.exprs.node(id), |operand| seen[operand.index()] = true);
            }
        }
        seen
    }

    /// The expressions that `roots` need, operands first. The work is proportional to the length of this
    /// list, not to the number of all expressions, so this may be called for every expression of a program.
    pub fn needed(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        self.exprs.needed_by(roots, |node, f| self.each_operand(node, f))
    }

    /// The fields that expressions read, of any instance.
    pub fn fields_read(&self, roots: impl IntoIterator<Item = ExprId>) -> BTreeSet<FieldId> {
        let needed = self.needed(roots);
        needed.into_iter().filter_map(|id| self.place_read(&self.exprs.node(id))?.field()).collect()
    }

    /// Collects the expressions that an effect evaluates, including the slots of the places that it writes.
    /// Recursion is as deep as blocks nest, which front ends limit.
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
                Stmt::Machine { from, to, start, blocks, .. } => {
                    out.extend([*from, *to, *start]);
                    blocks.iter().for_each(|block| self.expressions(block, out));
                }
                _ => {}
            }
        }
    }
}
