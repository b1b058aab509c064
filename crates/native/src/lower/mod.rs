//! From a kernel to one Cranelift function.
//!
//! Takes a verified kernel; gives a function with the signature that [`crate::abi`] fixes. Structured
//! statements become blocks (`statement`), expressions become values (`expression`) or, as conditions,
//! branches; `arithmetic` and `convert` hold the meaning of single operations, `buffer` the bounds-checked
//! accesses, `cost` decides which lazy operands are cheaper to compute than to jump around, `place` which
//! locals become Cranelift variables (that its frontend turns into SSA form) and which live in the frame.
//!
//! Every way out of the kernel is a cold block of its own at the end, so the hot path falls through.
//! Nothing here recurses: statements and expressions are walked with explicit stacks.

mod arithmetic;
mod buffer;
mod convert;
mod cost;
mod expression;
mod machine;
mod memo;
mod place;
mod state;
mod statement;
mod uses;

use crate::abi;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlagsData, Signature, UserFuncName, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use memo::Memo;
use state::{BufferRef, Machine, Place, Slot, Task};
use std::collections::BTreeMap;
use volvelle_kernel::magnitude::magnitudes;
use volvelle_kernel::{Const, Exit, Kernel, Type};

pub(crate) use uses::Uses;

/// The generated function would have more instructions than Cranelift can handle (registers are numbered
/// with 21 bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Instructions at which lowering gives up. Expressions that share operands may become exponentially larger as
/// code where the sharing crosses lazy operands, so the size of a kernel is a poor estimate.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Lowers a kernel that the verifier accepts. `uses` are its own; scalars with more uses than
/// `max_register_uses` live in the frame.
pub(crate) fn lower(
    kernel: &Kernel,
    uses: &Uses,
    max_register_uses: u32,
    isa: &dyn TargetIsa,
) -> Result<Function, TooLarge> {
    let mut signature = Signature::new(isa.default_call_conv());
    let pointer = isa.pointer_type();
    signature.params.extend([AbiParam::new(pointer), AbiParam::new(pointer)]);
    signature.returns.push(AbiParam::new(types::I64));
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut lowering = Lowering::new(kernel, FunctionBuilder::new(&mut function, &mut context), pointer);
    lowering.max_register_uses = max_register_uses;
    lowering.enter(uses);
    lowering.body()?;
    lowering.exits();
    lowering.b.finalize(isa.frontend_config());
    Ok(function)
}

/// The Cranelift type of a value in a register. A Boolean is an `i8` that is 0 or 1.
pub(crate) fn clif_type(ty: Type) -> types::Type {
    match ty {
        Type::Bool | Type::I8 | Type::U8 => types::I8,
        Type::I16 | Type::U16 => types::I16,
        Type::I32 | Type::U32 => types::I32,
        Type::I64 | Type::U64 => types::I64,
        Type::F32 => types::F32,
        Type::F64 => types::F64,
    }
}

/// The function under construction.
struct Lowering<'a> {
    kernel: &'a Kernel,
    b: FunctionBuilder<'a>,
    pointer: types::Type,
    max_register_uses: u32,
    locals: Vec<Place>,
    buffers: Vec<BufferRef>,
    /// The caller's descriptions of the buffers, and flags to access them.
    descriptions: Value,
    description_flags: MemFlagsData,
    /// Estimated instructions per expression; see [`cost`].
    costs: Vec<u8>,
    /// Bounds of floats; see [`volvelle_kernel::magnitude`].
    magnitudes: Vec<f64>,
    memo: Memo,
    /// Work and operand stacks of [`expression`], empty between expressions.
    tasks: Vec<Task>,
    values: Vec<Value>,
    /// Where `break` goes, innermost loop or machine last.
    loop_ends: Vec<Block>,
    /// The machines around, innermost last.
    machines: Vec<Machine>,
    /// A cold block per packed exit, in order.
    exit_blocks: BTreeMap<u64, Block>,
}

impl<'a> Lowering<'a> {
    fn new(kernel: &'a Kernel, b: FunctionBuilder<'a>, pointer: types::Type) -> Self {
        Lowering {
            kernel,
            b,
            pointer,
            max_register_uses: 0,
            locals: Vec::with_capacity(kernel.locals.len()),
            buffers: Vec::with_capacity(kernel.buffers.len()),
            // Both are set at entry.
            descriptions: Value::from_u32(0),
            description_flags: MemFlagsData::trusted(),
            costs: cost::costs(&kernel.exprs),
            magnitudes: magnitudes(&kernel.exprs),
            memo: Memo::new(kernel.exprs.len()),
            tasks: Vec::new(),
            values: Vec::new(),
            loop_ends: Vec::new(),
            machines: Vec::new(),
            exit_blocks: BTreeMap::new(),
        }
    }

    /// The entry block: parameters and buffers come in, other locals are zero.
    fn enter(&mut self, uses: &Uses) {
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let (params, descriptions) = (self.b.block_params(entry)[0], self.b.block_params(entry)[1]);
        self.descriptions = descriptions;
        self.description_flags = self.region("descriptions");
        for (i, decl) in self.kernel.locals.iter().enumerate() {
            let place = self.place(clif_type(decl.ty), uses.locals[i]);
            self.locals.push(place);
            let value = if i < self.kernel.params {
                self.parameter(params, i, decl.ty)
            } else {
                self.constant(Const { ty: decl.ty, bits: 0 })
            };
            self.write(place, value);
        }
        self.enter_buffers(uses);
    }

    fn parameter(&mut self, params: Value, index: usize, ty: Type) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        let word = self.b.ins().load(types::I64, flags, params, index as i32 * 8);
        match ty {
            Type::F64 => self.b.ins().bitcast(types::F64, MemFlagsData::new(), word),
            Type::F32 => {
                let half = self.b.ins().ireduce(types::I32, word);
                self.b.ins().bitcast(types::F32, MemFlagsData::new(), half)
            }
            Type::I64 | Type::U64 => word,
            _ => self.b.ins().ireduce(clif_type(ty), word),
        }
    }

    /// A constant.
    fn constant(&mut self, c: Const) -> Value {
        match c.ty {
            Type::F64 => self.b.ins().f64const(f64::from_bits(c.bits)),
            Type::F32 => self.b.ins().f32const(f32::from_bits(c.bits as u32)),
            ty => self.int(ty, c.bits),
        }
    }

    /// An integer or Boolean constant from the low bits of `bits`.
    fn int(&mut self, ty: Type, bits: u64) -> Value {
        let ty = clif_type(ty);
        let mask = u64::MAX >> (64 - ty.bits());
        self.b.ins().iconst(ty, (bits & mask) as i64)
    }

    /// Ends the current block with a jump out of the kernel.
    fn leave(&mut self, exit: Exit) {
        let block = self.exit_block(exit);
        self.b.ins().jump(block, &[]);
    }

    /// Leaves the kernel where `condition` holds.
    fn leave_if(&mut self, condition: Value, exit: Exit) {
        let (out, on) = (self.exit_block(exit), self.b.create_block());
        self.b.ins().brif(condition, out, &[], on, &[]);
        self.start(on);
    }

    /// Leaves the kernel unless `condition` holds.
    fn leave_unless(&mut self, condition: Value, exit: Exit) {
        let (out, on) = (self.exit_block(exit), self.b.create_block());
        self.b.ins().brif(condition, on, &[], out, &[]);
        self.start(on);
    }

    /// Whether there is room for more instructions.
    fn check_size(&self) -> Result<(), TooLarge> {
        if self.b.func.dfg.num_insts() < MAX_INSTRUCTIONS { Ok(()) } else { Err(TooLarge) }
    }

    /// Continues in a block whose predecessors are all known.
    fn start(&mut self, block: Block) {
        self.b.seal_block(block);
        self.b.switch_to_block(block);
    }

    fn exit_block(&mut self, exit: Exit) -> Block {
        let b = &mut self.b;
        *self.exit_blocks.entry(abi::pack(exit)).or_insert_with(|| {
            let block = b.create_block();
            if exit != Exit::Done {
                b.set_cold_block(block);
            }
            block
        })
    }

    /// Fills the blocks that leave the kernel: each leaves its packed exit in the frame and goes to one last
    /// block that writes the lengths back. (As an argument of that block, the exits of a large kernel would
    /// have the register allocator merge thousands of live ranges.)
    fn exits(&mut self) {
        let last = self.b.create_block();
        let exit: Slot = self.slot(types::I64);
        for (packed, block) in std::mem::take(&mut self.exit_blocks) {
            self.start(block);
            let packed = self.b.ins().iconst(types::I64, packed as i64);
            self.write_slot(exit, packed);
            self.b.ins().jump(last, &[]);
        }
        self.start(last);
        self.write_lengths_back();
        let packed = self.read_slot(exit);
        self.b.ins().return_(&[packed]);
    }

    /// `x < y` of integers of type `ty`.
    fn less(&mut self, ty: Type, x: Value, y: Value) -> Value {
        let condition = if ty.is_signed() { IntCC::SignedLessThan } else { IntCC::UnsignedLessThan };
        self.b.ins().icmp(condition, x, y)
    }
}
