//! Running a kernel: a walk over its statements.

use super::eval::{Environment, Evaluator};
use super::{buffers, scalar};
use crate::code::{BufferMut, Code, CompileError, Compiler, Exit};
use crate::expr::ExprId;
use crate::kernel::{Access, Block, Buffer, Kernel, Local, Site, Stmt};
use crate::types::{Const, Type};

/// The back end that is the definition: it keeps the kernel and walks over it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Compiler for Interpreter {
    fn compile(&self, kernel: &Kernel) -> Result<Box<dyn Code>, CompileError> {
        crate::verify::verify(kernel).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
            CompileError(lines.join("\n"))
        })?;
        Ok(Box::new(Interpreted { kernel: kernel.clone() }))
    }

    fn name(&self) -> &'static str {
        "interpreter"
    }
}

/// A verified kernel.
struct Interpreted {
    kernel: Kernel,
}

impl Code for Interpreted {
    fn run(&self, params: &[Const], lent: &mut [BufferMut<'_>]) -> Exit {
        let kernel = &self.kernel;
        let declared = &kernel.locals[..kernel.params];
        assert!(
            params.len() == declared.len() && params.iter().zip(declared).all(|(p, d)| p.ty == d.ty),
            "parameters do not match the declarations of kernel `{}`",
            kernel.name
        );
        assert!(
            lent.len() == kernel.buffers.len() && lent.iter().zip(&kernel.buffers).all(|(b, d)| b.fits(d)),
            "buffers do not match the declarations of kernel `{}`",
            kernel.name
        );
        for (buffer, decl) in lent.iter_mut().zip(&kernel.buffers) {
            if decl.access == Access::Append {
                buffers::truncate(buffer, 0);
            }
        }
        let mut locals = params.to_vec();
        locals.extend(kernel.locals[kernel.params..].iter().map(|d| Const { ty: d.ty, bits: 0 }));
        let mut run = Run { memory: Memory { kernel, locals, lent }, evaluator: Evaluator::new() };
        match run.block(&kernel.body) {
            Ok(()) => Exit::Done,
            Err(Leave::Kernel(exit)) => exit,
            Err(Leave::Loop | Leave::Block(_)) => {
                unreachable!("the verifier finds a break or goto that nothing is around")
            }
        }
    }
}

struct Run<'k, 'b, 'd> {
    memory: Memory<'k, 'b, 'd>,
    evaluator: Evaluator,
}

/// Why the statements that follow are not run.
enum Leave {
    /// A `break`.
    Loop,
    /// A `goto`, to this block.
    Block(u32),
    Kernel(Exit),
}

impl Run<'_, '_, '_> {
    /// Recursion is as deep as blocks nest, which the verifier limits.
    fn block(&mut self, block: &Block) -> Result<(), Leave> {
        for statement in block {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), Leave> {
        match *statement {
            Stmt::Set { local, value } => {
                self.memory.locals[local.index()] = self.eval(value)?;
            }
            Stmt::Store { buffer, index, value } => {
                let index = self.eval(index)?.bits;
                let value = self.eval(value)?;
                if !buffers::store(self.memory.lent_mut(buffer), index, value) {
                    return Err(Leave::Kernel(Exit::OutOfBounds(buffer)));
                }
            }
            Stmt::Take { local, buffer, index } => {
                let index = self.eval(index)?.bits;
                let taken = self.memory.load(buffer, index).map_err(Leave::Kernel)?;
                let next = Const::int(Type::U32, taken.bits as i64 + 1);
                buffers::store(self.memory.lent_mut(buffer), index, next);
                self.memory.locals[local.index()] = taken;
            }
            Stmt::Emit { buffer, value } => {
                let value = self.eval(value)?;
                if !buffers::emit(self.memory.lent_mut(buffer), value) {
                    return Err(Leave::Kernel(Exit::Full(buffer)));
                }
            }
            Stmt::Copy { buffer, from, start, count } => {
                let start = self.eval(start)?.bits;
                self.memory.copy(buffer, from, start, count).map_err(Leave::Kernel)?;
            }
            Stmt::Truncate { buffer, len } => {
                let len = self.eval(len)?.bits;
                buffers::truncate(self.memory.lent_mut(buffer), len);
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                let chosen = if self.eval(cond)?.bits != 0 { then } else { otherwise };
                self.block(chosen)?;
            }
            Stmt::Switch { on, ref cases, ref default } => {
                let key = self.eval(on)?.bits as i64;
                let chosen = cases.iter().find(|(k, _)| *k == key).map_or(default, |(_, block)| block);
                self.block(chosen)?;
            }
            Stmt::For { local, from, to, ref body } => {
                let from = self.eval(from)?;
                let to = self.eval(to)?;
                self.loop_over(local, from, to, body)?;
            }
            Stmt::Machine { local, from, to, start, ref blocks } => {
                let from = self.eval(from)?;
                let to = self.eval(to)?;
                let start = self.eval(start)?.bits as u32;
                self.machine(local, from, to, start, blocks)?;
            }
            Stmt::Goto { block } => return Err(Leave::Block(block)),
            Stmt::Break => return Err(Leave::Loop),
            Stmt::Fail { site } => return Err(Leave::Kernel(Exit::Failed(site))),
            Stmt::Return => return Err(Leave::Kernel(Exit::Done)),
        }
        Ok(())
    }

    fn loop_over(&mut self, local: Local, from: Const, to: Const, body: &Block) -> Result<(), Leave> {
        let mut current = from;
        self.memory.locals[local.index()] = current;
        while scalar::exact(current) < scalar::exact(to) {
            match self.block(body) {
                Ok(()) => {}
                Err(Leave::Loop) => break,
                Err(leave) => return Err(leave),
            }
            current = self.count(local, current);
        }
        Ok(())
    }

    fn machine(
        &mut self,
        local: Local,
        from: Const,
        to: Const,
        start: u32,
        blocks: &[Block],
    ) -> Result<(), Leave> {
        let (mut current, mut next) = (from, start);
        self.memory.locals[local.index()] = current;
        while scalar::exact(current) < scalar::exact(to) {
            let Some(block) = blocks.get(next as usize) else { break };
            match self.block(block) {
                Ok(()) | Err(Leave::Loop) => break,
                Err(Leave::Block(block)) => next = block,
                Err(leave) => return Err(leave),
            }
            current = self.count(local, current);
        }
        Ok(())
    }

    /// Adds one to the counter of a loop that goes on, which is below the second bound.
    fn count(&mut self, local: Local, current: Const) -> Const {
        let next = scalar::fitting(current.ty, scalar::exact(current) + 1).expect("it is at most `to`");
        self.memory.locals[local.index()] = next;
        next
    }

    fn eval(&mut self, root: ExprId) -> Result<Const, Leave> {
        self.evaluator.eval_in(&self.memory.kernel.exprs, root, &self.memory).map_err(Leave::Kernel)
    }
}

/// What expressions read.
struct Memory<'k, 'b, 'd> {
    kernel: &'k Kernel,
    locals: Vec<Const>,
    lent: &'b mut [BufferMut<'d>],
}

impl<'d> Memory<'_, '_, 'd> {
    /// Appends elements of another buffer: all or none.
    fn copy(&mut self, buffer: Buffer, from: Buffer, start: u64, count: u32) -> Result<(), Exit> {
        let end = start.checked_add(u64::from(count));
        let end = end.filter(|&end| end <= buffers::len(&self.lent[from.index()]));
        let end = end.ok_or(Exit::OutOfBounds(from))?;
        let before = buffers::len(&self.lent[buffer.index()]);
        for index in start..end {
            let value = self.load(from, index)?;
            if !buffers::emit(self.lent_mut(buffer), value) {
                buffers::truncate(self.lent_mut(buffer), before);
                return Err(Exit::Full(buffer));
            }
        }
        Ok(())
    }

    fn lent_mut(&mut self, buffer: Buffer) -> &mut BufferMut<'d> {
        &mut self.lent[buffer.index()]
    }
}

impl Environment for Memory<'_, '_, '_> {
    type Stop = Exit;

    fn local(&self, local: Local, _ty: Type) -> Result<Const, Exit> {
        Ok(self.locals[local.index()])
    }

    fn load(&self, buffer: Buffer, index: u64) -> Result<Const, Exit> {
        let decl = &self.kernel.buffers[buffer.index()];
        buffers::load(&self.lent[buffer.index()], decl, index).ok_or(Exit::OutOfBounds(buffer))
    }

    fn len(&self, buffer: Buffer) -> Result<u64, Exit> {
        Ok(buffers::len(&self.lent[buffer.index()]))
    }

    fn failed(site: Site) -> Exit {
        Exit::Failed(site)
    }
}
