//! Records with named fields over a buffer.

use super::{Index, Number, Vector, Writer};
use volvelle_kernel::{Buffer, Node, Stmt, Type};

/// A buffer of records.
#[derive(Clone, Copy)]
pub(crate) struct Record<'w> {
    writer: &'w Writer,
    buffer: Buffer,
    ty: Type,
    /// Names of the fields, and the number of values of each.
    fields: &'static [(&'static str, u64)],
}

/// One record.
#[derive(Clone, Copy)]
pub(crate) struct Row<'w> {
    record: Record<'w>,
    /// The index of its first value.
    start: Index<'w>,
}

impl<'w> Record<'w> {
    pub(super) fn new(
        writer: &'w Writer,
        buffer: Buffer,
        ty: Type,
        fields: &'static [(&'static str, u64)],
    ) -> Self {
        Record { writer, buffer, ty, fields }
    }

    /// The record of a number.
    pub(crate) fn at(self, index: Index<'w>) -> Row<'w> {
        let width: u64 = self.fields.iter().map(|(_, width)| width).sum();
        Row { record: self, start: index * width }
    }
}

impl<'w> Row<'w> {
    /// The index of the first value of a field.
    fn place(&self, name: &str, width: u64) -> Index<'w> {
        let mut start = 0;
        for &(field, found) in self.record.fields {
            if field == name {
                assert_eq!(found, width, "numbers of field `{name}`");
                return if start == 0 { self.start } else { self.start + start };
            }
            start += found;
        }
        panic!("there is no field `{name}`");
    }

    fn load(&self, place: Index<'w>) -> volvelle_kernel::ExprId {
        let Record { writer, buffer, ty, .. } = self.record;
        writer.add(Node::Load { buffer, ty, index: place.id })
    }

    fn component(&self, place: Index<'w>, axis: u64) -> Index<'w> {
        if axis == 0 { place } else { place + axis }
    }

    /// A field of one number.
    pub(crate) fn number(&self, name: &str) -> Number<'w> {
        let id = self.load(self.place(name, 1));
        Number::new(self.record.writer, id)
    }

    /// The index of a field, of whatever width.
    pub(crate) fn index(&self, name: &str) -> Index<'w> {
        let id = self.load(self.place(name, 1));
        let id = self.record.writer.inner.borrow_mut().kernel.exprs.convert(Type::U64, id);
        Index::new(self.record.writer, id)
    }

    /// A field of several numbers.
    pub(crate) fn numbers<const COUNT: usize>(&self, name: &str) -> [Number<'w>; COUNT] {
        let first = self.place(name, COUNT as u64);
        std::array::from_fn(|i| Number::new(self.record.writer, self.load(self.component(first, i as u64))))
    }

    /// A field of three numbers.
    pub(crate) fn vector(&self, name: &str) -> Vector<'w> {
        let first = self.place_of_vector(name);
        let [x, y, z] = [0, 1, 2].map(|axis| Number::new(self.record.writer, self.load(first[axis])));
        Vector([x, y, z])
    }

    fn place_of_vector(&self, name: &str) -> [Index<'w>; 3] {
        let mut start = 0;
        for &(field, width) in self.record.fields {
            if field == name {
                assert_eq!(width, 3, "numbers of field `{name}`");
                return [0, 1, 2].map(|axis| self.component(self.start, start + axis));
            }
            start += width;
        }
        panic!("there is no field `{name}`");
    }

    /// Stores a field of one number.
    pub(crate) fn set(&self, name: &str, value: Number<'w>) {
        let index = self.place(name, 1).id;
        self.record.writer.push(Stmt::Store { buffer: self.record.buffer, index, value: value.id });
    }

    /// Stores a field of three numbers.
    pub(crate) fn set_vector(&self, name: &str, value: Vector<'w>) {
        for (place, component) in self.place_of_vector(name).into_iter().zip(value.0) {
            let buffer = self.record.buffer;
            self.record.writer.push(Stmt::Store { buffer, index: place.id, value: component.id });
        }
    }
}
