//! Control locations: blocks that jump to one another.
//!
//! Each block of a machine is a Cranelift block, and each `Goto` a conditional jump there: only the start takes a switch.
//! (The switch leads into the middle of the cycles, so they are no loops to Cranelift, which moves nothing out of them.)

use super::state::Machine;
use super::statement::Work;
use super::{Lowering, TooLarge};
use cranelift_codegen::ir::{Block as ClifBlock, InstBuilder};
use cranelift_frontend::Switch;
use volvelle_kernel::{Block, ExprId, Local};

impl<'k> Lowering<'k> {
    /// Enters a machine; its blocks go onto `work`.
    pub(super) fn machine(
        &mut self,
        local: Local,
        [from, to, start]: [ExprId; 3],
        bodies: &'k [Block],
        work: &mut Vec<Work<'k>>,
    ) -> Result<(), TooLarge> {
        let ty = self.kernel.locals[local.index()].ty;
        let (first, to) = (self.value(from)?, self.value(to)?);
        let known = self.kernel.exprs.as_const(start);
        let start = self.value(start)?;
        let (enter, end) = (self.b.create_block(), self.b.create_block());
        let blocks: Vec<ClifBlock> = bodies.iter().map(|_| self.b.create_block()).collect();
        self.write_local(local, first);
        let some = self.less(ty, first, to);
        self.b.ins().brif(some, enter, &[], end, &[]);
        self.start(enter);
        if let Some(known) = known {
            let first = usize::try_from(known.bits).ok().and_then(|number| blocks.get(number));
            self.b.ins().jump(first.copied().unwrap_or(end), &[]);
        } else {
            let mut switch = Switch::new();
            for (number, block) in blocks.iter().enumerate() {
                switch.set_entry(number as u128, *block);
            }
            switch.emit(&mut self.b, start, end);
        }

        work.extend([Work::Start(end), Work::CloseMachine]);
        for (block, body) in blocks.iter().zip(bodies).rev() {
            work.extend([Work::Jump(end), Work::Run(body), Work::StartOpen(*block)]);
        }
        self.loop_ends.push(end);
        self.machines.push(Machine { local, to, blocks, end });
        Ok(())
    }

    /// Ends the current block: counts, and goes on in a block of the innermost machine unless that is over.
    pub(super) fn goto(&mut self, block: u32) {
        let machine = self.machines.last().expect("the verifier lets only machines jump");
        let (local, to, end) = (machine.local, machine.to, machine.end);
        let target = machine.blocks[block as usize];
        let ty = self.kernel.locals[local.index()].ty;
        let counter = self.read_local(local);
        let next = self.b.ins().iadd_imm_u(counter, 1);
        self.write_local(local, next);
        let more = self.less(ty, next, to);
        self.b.ins().brif(more, target, &[], end, &[]);
    }

    pub(super) fn close_machine(&mut self) {
        let machine = self.machines.pop().expect("machines nest");
        for block in machine.blocks {
            self.b.seal_block(block);
        }
        self.loop_ends.pop();
    }
}
