//! Loads, stores, `emit` and `truncate`: every access is checked against the length.
//!
//! Pointers and capacities are loaded once, at entry; the lengths of append buffers are Cranelift variables,
//! written back on every way out.

use super::{Lowering, clif_type};
use crate::abi::RawBuffer;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AliasRegionData, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use volvelle_kernel::{Access, Buffer, Exit, Type};

/// Where generated code finds a buffer.
pub(super) struct BufferSlots {
    /// Pointer to its `RawBuffer`.
    raw: Value,
    data: Value,
    length: Length,
    /// For accesses to elements: no two buffers of a run overlap.
    flags: MemFlagsData,
}

enum Length {
    Fixed(Value),
    Growing { len: Variable, capacity: Value },
}

impl Lowering<'_> {
    /// Loads what a run says of its buffers; part of the entry block.
    pub(super) fn enter_buffers(&mut self, raw: Value) {
        let constant = MemFlagsData::trusted().with_readonly().with_can_move();
        for (i, decl) in self.kernel.buffers.iter().enumerate() {
            let base = (i * RawBuffer::STRIDE) as i32;
            let data = self
                .b
                .ins()
                .load(self.pointer, constant, raw, base + RawBuffer::DATA as i32);
            let length = if decl.access == Access::Append {
                let len = self.b.declare_var(types::I64);
                let zero = self.b.ins().iconst(types::I64, 0);
                self.b.def_var(len, zero);
                let offset = base + RawBuffer::CAPACITY as i32;
                Length::Growing {
                    len,
                    capacity: self.b.ins().load(types::I64, constant, raw, offset),
                }
            } else {
                Length::Fixed(
                    self.b
                        .ins()
                        .load(types::I64, constant, raw, base + RawBuffer::LEN as i32),
                )
            };
            let region = self.b.func.dfg.alias_regions.insert(AliasRegionData {
                user_id: i as u32 + 1,
                description: decl.name.clone().into(),
            });
            let flags = MemFlagsData::trusted().with_alias_region(Some(region));
            self.buffers.push(BufferSlots {
                raw,
                data,
                length,
                flags,
            });
        }
    }

    /// Stores the lengths of append buffers where the caller finds them; part of the last block.
    pub(super) fn write_lengths_back(&mut self) {
        for i in 0..self.buffers.len() {
            let BufferSlots {
                raw,
                length: Length::Growing { len, .. },
                ..
            } = self.buffers[i]
            else {
                continue;
            };
            let len = self.b.use_var(len);
            let offset = (i * RawBuffer::STRIDE + RawBuffer::LEN) as i32;
            self.b.ins().store(MemFlagsData::trusted(), len, raw, offset);
        }
    }

    /// Number of elements.
    pub(super) fn length(&mut self, buffer: Buffer) -> Value {
        match self.buffers[buffer.index()].length {
            Length::Fixed(len) => len,
            Length::Growing { len, .. } => self.b.use_var(len),
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
        // The caller owes us 0 or 1; should it lend another byte, every tier takes it for true.
        self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
    }

    /// `buffer[index] := value`.
    pub(super) fn store(&mut self, buffer: Buffer, index: Value, value: Value) {
        let address = self.checked_address(buffer, index);
        let flags = self.buffers[buffer.index()].flags;
        self.b.ins().store(flags, value, address, 0);
    }

    /// Appends an element.
    pub(super) fn emit(&mut self, buffer: Buffer, value: Value) {
        let Length::Growing {
            len: variable,
            capacity,
        } = self.buffers[buffer.index()].length
        else {
            unreachable!("the verifier lets only append buffers grow");
        };
        let len = self.b.use_var(variable);
        let room = self.b.ins().icmp(IntCC::UnsignedLessThan, len, capacity);
        self.leave_unless(room, Exit::Full(buffer));
        let address = self.address(buffer, len);
        let flags = self.buffers[buffer.index()].flags;
        self.b.ins().store(flags, value, address, 0);
        let longer = self.b.ins().iadd_imm_u(len, 1);
        self.b.def_var(variable, longer);
    }

    /// Shortens an append buffer to at most `to` elements.
    pub(super) fn truncate(&mut self, buffer: Buffer, to: Value) {
        let Length::Growing { len: variable, .. } = self.buffers[buffer.index()].length else {
            unreachable!("the verifier lets only append buffers shrink");
        };
        let len = self.b.use_var(variable);
        let shorter = self.b.ins().umin(len, to);
        self.b.def_var(variable, shorter);
    }

    fn checked_address(&mut self, buffer: Buffer, index: Value) -> Value {
        let len = self.length(buffer);
        let within = self.b.ins().icmp(IntCC::UnsignedLessThan, index, len);
        self.leave_unless(within, Exit::OutOfBounds(buffer));
        self.address(buffer, index)
    }

    /// Address of an element that is known to be within the buffer.
    fn address(&mut self, buffer: Buffer, index: Value) -> Value {
        let bytes = self.kernel.buffers[buffer.index()].ty.bytes();
        let data = self.buffers[buffer.index()].data;
        let offset = self.b.ins().ishl_imm_u(index, bytes.trailing_zeros() as i64);
        self.b.ins().iadd(data, offset)
    }
}
