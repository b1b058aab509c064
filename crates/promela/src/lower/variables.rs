//! Variables: reading and writing scalars of the state.

use super::code::Code;
use super::types::Scalar;
use super::values::Value;
use crate::ast;
use volvelle_kernel::{BinaryOp as Op, ExprId, FailKind, Node, Stmt};
use volvelle_model::{AccessMode, FieldId, SharedResource, SiteSubject, Which};

/// A scalar of the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub field: FieldId,
    pub ty: Scalar,
    /// `i64`; `None` for a field of one element.
    pub element: Option<ExprId>,
    /// The slot (`i64`) of another instance.
    pub slot: Option<ExprId>,
    /// The element, as far as it is known before the model runs.
    pub which: Which,
}

impl Access {
    /// A field of the process itself.
    pub fn own(field: FieldId, ty: Scalar, element: Option<ExprId>) -> Self {
        Access { field, ty, element, slot: None, which: Which::Any }
    }

    /// A field of the process in a slot; without one, a global field.
    pub fn of(field: FieldId, ty: Scalar, element: Option<ExprId>, slot: Option<ExprId>) -> Self {
        Access { field, ty, element, slot, which: Which::Any }
    }
}

impl Code<'_, '_> {
    /// Notes the access to a variable, where other processes may access it, too.
    fn access_variable(&mut self, access: Access, manner: AccessMode) {
        if self.out.program.fields[access.field.index()].component.is_none() {
            self.access_to(SharedResource::Field(access.field, access.which), manner);
        }
    }

    /// An index, checked against the length of the array.
    pub(super) fn checked_index(&mut self, value: Value, length: u32, place: ast::Place) -> Value {
        let hi = i64::from(length) - 1;
        if value.lo >= 0 && value.hi <= hi {
            return value;
        }
        let site = self.site(FailKind::Range, SiteSubject::Expression, place);
        let id = self.out.program.exprs.add(Node::Range { arg: value.id, lo: 0, hi, site });
        Value { id, lo: 0, hi }
    }

    /// The value of a variable.
    pub(super) fn read(&mut self, access: Access) -> Value {
        if !self.env.constant_channels.contains_key(&access.field) {
            self.access_variable(access, AccessMode::Read);
        }
        self.value_of(access)
    }

    /// The value of a variable whose access has been noted.
    pub(super) fn value_of(&mut self, access: Access) -> Value {
        let (lo, hi) = access.ty.bounds();
        if let Some(&first) = self.env.constant_channels.get(&access.field) {
            let first = self.out.program.exprs.i64(first);
            let id = match access.element {
                Some(element) => self.out.program.exprs.binary(Op::Add, first, element),
                None => first,
            };
            return Value { id, lo, hi };
        }
        let place = self.out.field_in(access.field, access.slot);
        let id = match access.element {
            None => self.out.program.read(place),
            Some(element) => self.out.program.read_element(place, element),
        };
        Value { id, lo, hi }
    }

    /// The store of a value, truncated to the type.
    pub(super) fn write(&mut self, access: Access, value: Value) -> Stmt {
        self.access_variable(access, AccessMode::Write);
        self.store(access, value)
    }

    /// The store of the old value plus an amount.
    pub(super) fn add_to(&mut self, access: Access, amount: i64) -> Stmt {
        self.access_variable(access, AccessMode::Add);
        let old = self.value_of(access);
        let amount = self.number(amount);
        let id = self.out.program.exprs.binary(Op::Add, old.id, amount.id);
        let sum = Value { id, lo: old.lo + amount.lo, hi: old.hi + amount.hi };
        self.store(access, sum)
    }

    fn store(&mut self, access: Access, value: Value) -> Stmt {
        self.check_constant(access.ty, value, self.place);
        let is_hidden = self.env.hidden.contains(&access.field);
        let truncation = if is_hidden { None } else { self.truncation(value, access.ty) };
        let wrapped = self.wrapped(value, access.ty).id;
        let store = self.store_of(access, wrapped);
        match truncation {
            Some((cond, mut then)) => {
                then.push(store);
                let plain = self.store_of(access, value.id);
                Stmt::If { cond, then, otherwise: vec![plain] }
            }
            None => store,
        }
    }

    /// The store of a value that fits.
    fn store_of(&mut self, access: Access, value: ExprId) -> Stmt {
        let place = self.out.field_in(access.field, access.slot);
        match access.element {
            None => self.out.program.set(place, value),
            Some(element) => self.out.program.set_element(place, element, value),
        }
    }

    /// The value of a global field of one element.
    pub(super) fn global_value(&mut self, field: FieldId, ty: Scalar) -> Value {
        let (lo, hi) = ty.bounds();
        Value { id: self.out.program.field(field), lo, hi }
    }
}
