//! Loads, stores, `emit` and `truncate`: every access is checked against the length.
//!
//! The descriptions of the buffers are read once, at entry. An append buffer is kept as a cursor, the address of
//! its next element, so that `emit` is a comparison, a store and an addition; its length is computed from
//! the cursor where it is read, and written back on the way out.

use super::state::{BufferRef, Extent};
use super::uses::Uses;
use super::{Lowering, clif_type};
use crate::abi::RawBuffer;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AtomicRmwOp, InstBuilder, Value, types};
use volvelle_kernel::{Access, Buffer, Exit, Type};

impl Lowering<'_> {
    /// Reads the descriptions of all buffers; part of the entry block.
    pub(super) fn enter_buffers(&mut self, uses: &Uses) {
        for (i, decl) in self.kernel.buffers.iter().enumerate() {
            let mut uses = uses.buffers[i];
            let flags = self.region("elements");
            let shift = decl.ty.bytes().trailing_zeros() as i64;
            let data = self.described(i, RawBuffer::DATA);
            let extent = if decl.access == Access::Append {
                // Every way out reads the cursor.
                uses = uses.saturating_add(self.kernel.sites.len() as u32);
                let capacity = self.described(i, RawBuffer::CAPACITY);
                let bytes = self.b.ins().ishl_imm_u(capacity, shift);
                let limit = self.b.ins().iadd(data, bytes);
                let cursor = self.place(self.pointer, uses);
                self.write(cursor, data);
                Extent::Growing { cursor, limit: self.keep(limit, uses) }
            } else {
                let len = self.described(i, RawBuffer::LEN);
                Extent::Len(self.keep(len, uses))
            };
            let data = self.keep(data, uses);
            self.buffers.push(BufferRef { data, extent, flags, shift });
        }
    }

    /// A word of a buffer's description.
    fn described(&mut self, index: usize, field: usize) -> Value {
        let offset = (index * RawBuffer::STRIDE + field) as i32;
        self.b.ins().load(types::I64, self.description_flags, self.descriptions, offset)
    }

    /// Stores the lengths of append buffers where the caller finds them; part of the last block.
    pub(super) fn write_lengths_back(&mut self) {
        for (i, decl) in self.kernel.buffers.iter().enumerate() {
            if decl.access == Access::Append {
                let len = self.length(Buffer(i as u32));
                let offset = (i * RawBuffer::STRIDE + RawBuffer::LEN) as i32;
                self.b.ins().store(self.description_flags, len, self.descriptions, offset);
            }
        }
    }

    /// Number of elements.
    pub(super) fn length(&mut self, buffer: Buffer) -> Value {
        let lent = self.buffers[buffer.index()];
        match lent.extent {
            Extent::Len(len) => self.read_fixed(len),
            Extent::Growing { cursor, .. } => {
                let (cursor, data) = (self.read(cursor), self.read_fixed(lent.data));
                let bytes = self.b.ins().isub(cursor, data);
                self.b.ins().ushr_imm_u(bytes, lent.shift)
            }
        }
    }

    /// Element `index`.
    pub(super) fn load(&mut self, buffer: Buffer, ty: Type, index: Value) -> Value {
        let address = self.checked_address(buffer, index);
        let flags = self.buffers[buffer.index()].flags;
        let value = self.b.ins().load(clif_type(ty), flags, address, 0);
        if ty != Type::Bool {
            return value;
        }
        // The caller owes us 0 or 1; should it lend another byte, every back end takes it for true.
        self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
    }

    /// `buffer[index] := value`.
    pub(super) fn store(&mut self, buffer: Buffer, index: Value, value: Value) {
        let address = self.checked_address(buffer, index);
        let flags = self.buffers[buffer.index()].flags;
        self.b.ins().store(flags, value, address, 0);
    }

    /// `buffer[index]`, to which one is added in the same go.
    pub(super) fn take(&mut self, buffer: Buffer, index: Value) -> Value {
        let address = self.checked_address(buffer, index);
        let flags = self.buffers[buffer.index()].flags;
        let one = self.b.ins().iconst(types::I32, 1);
        self.b.ins().atomic_rmw(types::I32, flags, AtomicRmwOp::Add, address, one)
    }

    /// Appends an element.
    pub(super) fn emit(&mut self, buffer: Buffer, value: Value) {
        let BufferRef { extent: Extent::Growing { cursor, limit }, flags, shift, .. } =
            self.buffers[buffer.index()]
        else {
            unreachable!("the verifier lets only append buffers grow");
        };
        let (at, end) = (self.read(cursor), self.read_fixed(limit));
        let full = self.b.ins().icmp(IntCC::Equal, at, end);
        self.leave_if(full, Exit::Full(buffer));
        self.b.ins().store(flags, value, at, 0);
        let next = self.b.ins().iadd_imm_u(at, 1 << shift);
        self.write(cursor, next);
    }

    /// Appends elements of another buffer.
    pub(super) fn copy(&mut self, buffer: Buffer, from: Buffer, start: Value, count: u32) {
        let count = i64::from(count);
        let len = self.length(from);
        // Neither side can overflow: both are bounded by the number of elements.
        let enough = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, len, count);
        self.leave_unless(enough, Exit::OutOfBounds(from));
        let last = self.b.ins().iadd_imm_s(len, -count);
        let within = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, start, last);
        self.leave_unless(within, Exit::OutOfBounds(from));
        let source = self.address(from, start);
        let BufferRef { extent: Extent::Growing { cursor, limit }, flags, shift, .. } =
            self.buffers[buffer.index()]
        else {
            unreachable!("the verifier lets only append buffers grow");
        };
        let (at, end) = (self.read(cursor), self.read_fixed(limit));
        let room = self.b.ins().isub(end, at);
        let full = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, room, count << shift);
        self.leave_if(full, Exit::Full(buffer));
        let ty = self.kernel.buffers[from.index()].ty;
        let source_flags = self.buffers[from.index()].flags;
        for element in 0..count {
            let offset = (element << shift) as i32;
            let mut value = self.b.ins().load(clif_type(ty), source_flags, source, offset);
            if ty == Type::Bool {
                value = self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
            }
            self.b.ins().store(flags, value, at, offset);
        }
        let next = self.b.ins().iadd_imm_u(at, count << shift);
        self.write(cursor, next);
    }

    /// Shortens an append buffer to at most `to` elements.
    pub(super) fn truncate(&mut self, buffer: Buffer, to: Value) {
        let BufferRef { extent: Extent::Growing { cursor, .. }, .. } = self.buffers[buffer.index()] else {
            unreachable!("the verifier lets only append buffers shrink");
        };
        let len = self.length(buffer);
        let shorter = self.b.ins().umin(len, to);
        let end = self.address(buffer, shorter);
        self.write(cursor, end);
    }

    fn checked_address(&mut self, buffer: Buffer, index: Value) -> Value {
        let len = self.length(buffer);
        let within = self.b.ins().icmp(IntCC::UnsignedLessThan, index, len);
        self.leave_unless(within, Exit::OutOfBounds(buffer));
        self.address(buffer, index)
    }

    /// Address of an element that is known to be within the buffer, or of its end.
    fn address(&mut self, buffer: Buffer, index: Value) -> Value {
        let lent = self.buffers[buffer.index()];
        let data = self.read_fixed(lent.data);
        let offset = self.b.ins().ishl_imm_u(index, lent.shift);
        self.b.ins().iadd(data, offset)
    }
}
