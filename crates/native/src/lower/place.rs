//! Where scalars live: in registers, as Cranelift's variables, or in the stack frame.
//!
//! A scalar that hundreds of places use is live throughout the kernel. A register allocator then splits its
//! live range again and again, which takes longer than everything else together (and grows faster than the
//! kernel does), only to leave it in the frame. So such scalars are given a stack slot from the start, and
//! the live ranges that remain are as short as a statement. `examples/compile_latency.rs` measures it.

use super::Lowering;
use super::state::{Fixed, Place, Slot};
use cranelift_codegen::ir::{
    AliasRegionData, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types,
};
use volvelle_kernel::Local;

impl Lowering<'_> {
    /// Creates a place for a scalar with `uses` uses.
    pub(super) fn place(&mut self, ty: types::Type, uses: u32) -> Place {
        if uses > self.max_register_uses {
            Place::Frame(self.slot(ty))
        } else {
            Place::Register(self.b.declare_var(ty))
        }
    }

    /// Keeps a value with `uses` uses; part of the entry block.
    pub(super) fn keep(&mut self, value: Value, uses: u32) -> Fixed {
        if uses <= self.max_register_uses {
            return Fixed::Register(value);
        }
        let slot = self.slot(self.b.func.dfg.value_type(value));
        self.write_slot(slot, value);
        Fixed::Frame(slot)
    }

    /// A new scalar in the frame.
    pub(super) fn slot(&mut self, ty: types::Type) -> Slot {
        let (bytes, align) = (ty.bytes(), ty.bytes().trailing_zeros() as u8);
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, align);
        let slot = self.b.create_sized_stack_slot(data);
        let flags = self.region("scalar");
        Slot { slot, ty, flags }
    }

    /// Flags for accesses to memory that is accessed with these flags alone.
    pub(super) fn region(&mut self, description: &'static str) -> MemFlagsData {
        let regions = &mut self.b.func.dfg.alias_regions;
        let user_id = regions.len() as u32;
        let region = regions.insert(AliasRegionData { user_id, description: description.into() });
        MemFlagsData::trusted().with_alias_region(Some(region))
    }

    pub(super) fn read(&mut self, place: Place) -> Value {
        match place {
            Place::Register(variable) => self.b.use_var(variable),
            Place::Frame(slot) => self.read_slot(slot),
        }
    }

    pub(super) fn write(&mut self, place: Place, value: Value) {
        match place {
            Place::Register(variable) => self.b.def_var(variable, value),
            Place::Frame(slot) => self.write_slot(slot, value),
        }
    }

    pub(super) fn read_fixed(&mut self, fixed: Fixed) -> Value {
        match fixed {
            Fixed::Register(value) => value,
            Fixed::Frame(slot) => self.read_slot(slot),
        }
    }

    pub(super) fn read_slot(&mut self, slot: Slot) -> Value {
        let address = self.b.ins().stack_addr(self.pointer, slot.slot, 0);
        self.b.ins().load(slot.ty, slot.flags, address, 0)
    }

    pub(super) fn write_slot(&mut self, slot: Slot, value: Value) {
        let address = self.b.ins().stack_addr(self.pointer, slot.slot, 0);
        self.b.ins().store(slot.flags, value, address, 0);
    }

    pub(super) fn read_local(&mut self, local: Local) -> Value {
        self.read(self.locals[local.index()])
    }

    pub(super) fn write_local(&mut self, local: Local, value: Value) {
        self.write(self.locals[local.index()], value);
    }
}
