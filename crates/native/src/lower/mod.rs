//! From a kernel to one Cranelift function.
//!
//! Takes a verified kernel; gives a function with the signature that [`crate::abi`] fixes. Structured
//! statements become blocks (`statement`), expressions become values (`expression`) or, as conditions,
//! branches; `arithmetic` and `convert` hold the meaning of single operations, `buffer` the bounds-checked
//! accesses, `cost` decides which lazy operands are cheaper to compute than to jump around. Locals become
//! Cranelift variables, which its frontend turns into SSA form.
//!
//! Every way out of the kernel is a cold block of its own at the end, so the hot path falls through.
//! Nothing here recurses: statements and expressions are walked with explicit stacks.

mod arithmetic;
mod buffer;
mod convert;
mod cost;
mod expression;
mod statement;

use crate::abi;
use buffer::BufferSlots;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, Signature, UserFuncName, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use expression::{Memo, Task};
use std::collections::BTreeMap;
use volvelle_kernel::{Const, Exit, Kernel, Type};

/// Lowers a kernel.
pub(crate) fn lower(kernel: &Kernel, isa: &dyn TargetIsa) -> Function {
    let mut signature = Signature::new(isa.default_call_conv());
    let pointer = isa.pointer_type();
    signature
        .params
        .extend([AbiParam::new(pointer), AbiParam::new(pointer)]);
    signature.returns.push(AbiParam::new(types::I64));
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut lowering = Lowering::new(kernel, FunctionBuilder::new(&mut function, &mut context), pointer);
    lowering.enter();
    lowering.body();
    lowering.exits();
    lowering.b.finalize(isa.frontend_config());
    function
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
    locals: Vec<Variable>,
    buffers: Vec<BufferSlots>,
    /// Estimated instructions per expression; see [`cost`].
    costs: Vec<u8>,
    memo: Memo,
    /// Work and operand stacks of [`expression`], empty between expressions.
    tasks: Vec<Task>,
    values: Vec<Value>,
    /// Where `break` goes, innermost loop last.
    loop_ends: Vec<Block>,
    /// A cold block per packed exit, in order.
    exit_blocks: BTreeMap<u64, Block>,
}

impl<'a> Lowering<'a> {
    fn new(kernel: &'a Kernel, b: FunctionBuilder<'a>, pointer: types::Type) -> Self {
        Lowering {
            kernel,
            b,
            pointer,
            locals: Vec::with_capacity(kernel.locals.len()),
            buffers: Vec::with_capacity(kernel.buffers.len()),
            costs: cost::costs(&kernel.exprs),
            memo: Memo::new(kernel.exprs.len()),
            tasks: Vec::new(),
            values: Vec::new(),
            loop_ends: Vec::new(),
            exit_blocks: BTreeMap::new(),
        }
    }

    /// The entry block: parameters and buffers come in, other locals are zero.
    fn enter(&mut self) {
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let (params, buffers) = (self.b.block_params(entry)[0], self.b.block_params(entry)[1]);
        for (i, decl) in self.kernel.locals.iter().enumerate() {
            let variable = self.b.declare_var(clif_type(decl.ty));
            self.locals.push(variable);
            let value = if i < self.kernel.params {
                self.parameter(params, i, decl.ty)
            } else {
                self.constant(Const { ty: decl.ty, bits: 0 })
            };
            self.b.def_var(variable, value);
        }
        self.enter_buffers(buffers);
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

    /// Fills the blocks that leave the kernel: each gives its packed exit to one last block that writes the
    /// lengths back.
    fn exits(&mut self) {
        let last = self.b.create_block();
        let word = self.b.append_block_param(last, types::I64);
        for (packed, block) in std::mem::take(&mut self.exit_blocks) {
            self.start(block);
            let packed = self.b.ins().iconst(types::I64, packed as i64);
            self.b.ins().jump(last, &[BlockArg::Value(packed)]);
        }
        self.start(last);
        self.write_lengths_back();
        self.b.ins().return_(&[word]);
    }

    /// `x < y` of integers of type `ty`.
    fn less(&mut self, ty: Type, x: Value, y: Value) -> Value {
        let condition = if ty.is_signed() {
            IntCC::SignedLessThan
        } else {
            IntCC::UnsignedLessThan
        };
        self.b.ins().icmp(condition, x, y)
    }
}
