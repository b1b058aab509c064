//! Statements: blocks, choices, loops and exits.

use super::{Lowering, TooLarge};
use cranelift_codegen::ir::{Block as ClifBlock, InstBuilder};
use cranelift_frontend::Switch;
use volvelle_kernel::{Exit, ExprId, Kernel, Local, Stmt};

/// A step of the walk over the body.
pub(super) enum Work<'k> {
    /// Lowers statements, into the current block.
    Run(&'k [Stmt]),
    /// Goes to a block.
    Jump(ClifBlock),
    /// Continues in a block whose predecessors are done.
    Start(ClifBlock),
    /// Continues in a block of a machine, whose predecessors are not all known.
    StartOpen(ClifBlock),
    /// Ends the innermost machine: there are no more jumps to its blocks.
    CloseMachine,
    /// Ends the body of a loop: counts, and goes back to `head`.
    Repeat { local: Local, head: ClifBlock },
}

impl<'k> Lowering<'k> {
    /// The whole body.
    pub(super) fn body(&mut self) -> Result<(), TooLarge> {
        let kernel: &'k Kernel = self.kernel;
        let mut work = vec![Work::Run(&kernel.body)];
        // Whether control can reach the current block, which is then still open.
        let mut reached = true;
        while let Some(step) = work.pop() {
            match step {
                Work::Run(statements) => {
                    if let (true, Some((first, rest))) = (reached, statements.split_first()) {
                        work.push(Work::Run(rest));
                        reached = self.statement(first, &mut work)?;
                    }
                }
                Work::Jump(block) => {
                    if reached {
                        self.b.ins().jump(block, &[]);
                    }
                }
                Work::Start(block) => {
                    self.start(block);
                    reached = !self.b.is_unreachable();
                }
                Work::StartOpen(block) => {
                    self.b.switch_to_block(block);
                    reached = true;
                }
                Work::CloseMachine => self.close_machine(),
                Work::Repeat { local, head } => {
                    if reached {
                        let counter = self.read_local(local);
                        let next = self.b.ins().iadd_imm_u(counter, 1);
                        self.write_local(local, next);
                        self.b.ins().jump(head, &[]);
                    }
                    self.b.seal_block(head);
                    self.loop_ends.pop();
                }
            }
        }
        if reached {
            self.leave(Exit::Done);
        }
        Ok(())
    }

    /// Lowers one statement; what it contains goes onto `work`. Returns whether control goes on in the
    /// current block, be it after the statement or (with work pushed) in its parts.
    fn statement(&mut self, statement: &'k Stmt, work: &mut Vec<Work<'k>>) -> Result<bool, TooLarge> {
        self.check_size()?;
        self.memo.clear();
        match statement {
            Stmt::Set { local, value } => {
                let value = self.value(*value)?;
                self.write_local(*local, value);
            }
            Stmt::Store { buffer, index, value } => {
                let index = self.value(*index)?;
                let value = self.value(*value)?;
                self.store(*buffer, index, value);
            }
            Stmt::Take { local, buffer, index } => {
                let index = self.value(*index)?;
                let taken = self.take(*buffer, index);
                self.write_local(*local, taken);
            }
            Stmt::Emit { buffer, value } => {
                let value = self.value(*value)?;
                self.emit(*buffer, value);
            }
            Stmt::Copy { buffer, from, start, count } => {
                let start = self.value(*start)?;
                self.copy(*buffer, *from, start, *count);
            }
            Stmt::Truncate { buffer, len } => {
                let len = self.value(*len)?;
                self.truncate(*buffer, len);
            }
            Stmt::If { cond, then, otherwise } => {
                let (yes, no, after) = self.if_blocks(otherwise.is_empty());
                self.branch(*cond, yes, no)?;
                work.push(Work::Start(after));
                if no != after {
                    work.extend([Work::Jump(after), Work::Run(otherwise), Work::Start(no)]);
                }
                work.extend([Work::Jump(after), Work::Run(then), Work::Start(yes)]);
            }
            Stmt::Switch { on, cases, default } => self.switch(*on, cases, default, work)?,
            Stmt::For { local, from, to, body } => self.for_loop(*local, *from, *to, body, work)?,
            Stmt::Machine { local, from, to, start, blocks } => {
                self.machine(*local, [*from, *to, *start], blocks, work)?;
            }
            Stmt::Goto { block } => {
                self.goto(*block);
                return Ok(false);
            }
            Stmt::Break => {
                let end = *self.loop_ends.last().expect("the verifier lets only loops and machines break");
                self.b.ins().jump(end, &[]);
                return Ok(false);
            }
            Stmt::Fail { site } => {
                self.leave(Exit::Failed(*site));
                return Ok(false);
            }
            Stmt::Return => {
                self.leave(Exit::Done);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn if_blocks(&mut self, one_sided: bool) -> (ClifBlock, ClifBlock, ClifBlock) {
        let (yes, after) = (self.b.create_block(), self.b.create_block());
        (yes, if one_sided { after } else { self.b.create_block() }, after)
    }

    fn switch(
        &mut self,
        on: ExprId,
        cases: &'k [(i64, Vec<Stmt>)],
        default: &'k [Stmt],
        work: &mut Vec<Work<'k>>,
    ) -> Result<(), TooLarge> {
        // Keys as Cranelift's `Switch` wants them: the low bits, zero-extended.
        let mask = u64::MAX >> (64 - self.kernel.exprs.ty(on).bits());
        let on = self.value(on)?;
        let (otherwise, after) = (self.b.create_block(), self.b.create_block());
        let mut switch = Switch::new();
        work.push(Work::Start(after));
        for (key, body) in cases {
            let block = self.b.create_block();
            switch.set_entry((*key as u64 & mask) as u128, block);
            work.extend([Work::Jump(after), Work::Run(body), Work::Start(block)]);
        }
        work.extend([Work::Jump(after), Work::Run(default), Work::Start(otherwise)]);
        switch.emit(&mut self.b, on, otherwise);
        Ok(())
    }

    fn for_loop(
        &mut self,
        local: Local,
        from: ExprId,
        to: ExprId,
        body: &'k [Stmt],
        work: &mut Vec<Work<'k>>,
    ) -> Result<(), TooLarge> {
        let ty = self.kernel.locals[local.index()].ty;
        let first = self.value(from)?;
        let to = self.value(to)?;
        let (head, inside, end) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.write_local(local, first);
        self.b.ins().jump(head, &[]);
        // `head` is sealed once the jump back to it exists.
        self.b.switch_to_block(head);
        let counter = self.read_local(local);
        let more = self.less(ty, counter, to);
        self.b.ins().brif(more, inside, &[], end, &[]);
        self.loop_ends.push(end);
        work.extend([Work::Start(end), Work::Repeat { local, head }, Work::Run(body), Work::Start(inside)]);
        Ok(())
    }
}
