//! Running a kernel: a walk over its statements.

use super::buffers::{BufferAccess, Exclusive};
use super::eval::{Environment, Evaluator};
use super::shared::Shared;
use crate::code::{BufferMut, Code, CompileError, Compiler, Effort, Exit, RawParts};
use crate::entities::{Buffer, ExprId, Local, Site};
use crate::kernel::{Access, Block, Kernel, Stmt};
use crate::scalar;
use crate::types::{Const, Type};
use std::sync::{Mutex, PoisonError};

/// The back end that is the definition: it keeps the kernel and walks over it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Interpreter {
    /// The same as `compile`, for callers that end runs early.
    pub fn prepare(&self, kernel: &Kernel) -> Result<Interpreted, CompileError> {
        crate::verify::verify(kernel).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
            CompileError(lines.join("\n"))
        })?;
        Ok(Interpreted { kernel: kernel.clone(), idle: Mutex::default() })
    }
}

impl Compiler for Interpreter {
    fn compile_with(&self, kernel: &Kernel, _: Effort) -> Result<Box<dyn Code>, CompileError> {
        Ok(Box::new(self.prepare(kernel)?))
    }

    fn name(&self) -> &'static str {
        "interpreter"
    }
}

/// Gives the value with which a run goes on where a range check fails, from the site and the values of all locals.
pub type Recover<'a> = dyn Fn(Site, &[Const]) -> Option<Const> + 'a;

/// A verified kernel.
#[derive(Debug)]
pub struct Interpreted {
    kernel: Kernel,
    /// Evaluators of runs that have ended: their memory is as large as the kernel, and a run may be for one state.
    idle: Mutex<Vec<Evaluator>>,
}

impl Code for Interpreted {
    fn run(&self, params: &[Const], lent: &mut [BufferMut<'_>]) -> Exit {
        self.run_within(&mut { u64::MAX }, params, lent).expect("so many rounds take longer than any run")
    }

    unsafe fn run_shared(&self, params: &[Const], parts: &[RawParts]) -> Exit {
        let decls = &self.kernel.buffers;
        assert!(
            parts.len() == decls.len() && decls.iter().all(|decl| decl.access != Access::Append),
            "buffers do not match the declarations of kernel `{}`",
            self.kernel.name
        );
        // SAFETY: the contract is that of this function.
        let lent = unsafe { Shared::new(decls, parts) };
        self.walk(&mut { u64::MAX }, params, lent, None).0.expect("so many rounds take longer than any run")
    }
}

impl Interpreted {
    /// Runs it for at most so many rounds of its loops, all together, and leaves the number of those that were not made. `None` if it was
    /// not at its end then: buffers hold what was stored or emitted so far.
    ///
    /// # Panics
    /// As for [`Code::run`].
    pub fn run_within(&self, rounds: &mut u64, params: &[Const], lent: &mut [BufferMut<'_>]) -> Option<Exit> {
        self.run_and_keep(rounds, params, lent).0
    }

    /// Runs it, and gives the values of all locals at the end, by which the reason of a failure is found.
    ///
    /// # Panics
    /// As for [`Code::run`].
    pub fn run_to_locals(&self, params: &[Const], lent: &mut [BufferMut<'_>]) -> (Exit, Vec<Const>) {
        let (exit, locals) = self.run_and_keep(&mut { u64::MAX }, params, lent);
        (exit.expect("so many rounds take longer than any run"), locals)
    }

    /// Runs it; where a range check fails, `recover` gets the site and the values of all locals, and may give the value with which the
    /// run goes on.
    ///
    /// # Panics
    /// As for [`Code::run`].
    pub fn run_recovering(
        &self,
        params: &[Const],
        lent: &mut [BufferMut<'_>],
        recover: &Recover<'_>,
    ) -> Exit {
        let (exit, _) = self.run_with(&mut { u64::MAX }, params, lent, Some(recover));
        exit.expect("so many rounds take longer than any run")
    }

    fn run_and_keep(
        &self,
        rounds: &mut u64,
        params: &[Const],
        lent: &mut [BufferMut<'_>],
    ) -> (Option<Exit>, Vec<Const>) {
        self.run_with(rounds, params, lent, None)
    }

    fn run_with(
        &self,
        rounds: &mut u64,
        params: &[Const],
        lent: &mut [BufferMut<'_>],
        recover: Option<&Recover<'_>>,
    ) -> (Option<Exit>, Vec<Const>) {
        let kernel = &self.kernel;
        assert!(
            lent.len() == kernel.buffers.len() && lent.iter().zip(&kernel.buffers).all(|(b, d)| b.fits(d)),
            "buffers do not match the declarations of kernel `{}`",
            kernel.name
        );
        let mut lent = Exclusive(lent);
        for (i, decl) in kernel.buffers.iter().enumerate() {
            if decl.access == Access::Append {
                lent.truncate(Buffer(i as u32), 0);
            }
        }
        self.walk(rounds, params, lent, recover)
    }

    fn walk(
        &self,
        rounds: &mut u64,
        params: &[Const],
        lent: impl BufferAccess,
        recover: Option<&Recover<'_>>,
    ) -> (Option<Exit>, Vec<Const>) {
        let kernel = &self.kernel;
        let declared = &kernel.locals[..kernel.params];
        assert!(
            params.len() == declared.len() && params.iter().zip(declared).all(|(p, d)| p.ty == d.ty),
            "parameters do not match the declarations of kernel `{}`",
            kernel.name
        );
        let mut locals = params.to_vec();
        locals.extend(kernel.locals[kernel.params..].iter().map(|d| Const { ty: d.ty, bits: 0 }));
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let evaluator = idle().pop().unwrap_or_default();
        let mut run = Run { memory: Memory { kernel, locals, lent, recover }, evaluator, rounds: *rounds };
        let left = run.block(&kernel.body);
        *rounds = run.rounds;
        idle().push(run.evaluator);
        let exit = match left {
            Ok(()) => Some(Exit::Done),
            Err(Leave::Kernel(exit)) => Some(exit),
            Err(Leave::Unfinished) => None,
            Err(Leave::Loop | Leave::Block(_)) => {
                unreachable!("the verifier finds a break or goto that nothing is around")
            }
        };
        (exit, run.memory.locals)
    }
}

struct Run<'k, L> {
    memory: Memory<'k, L>,
    evaluator: Evaluator,
    /// Rounds of loops that may still be made.
    rounds: u64,
}

/// Why the statements that follow are not run.
enum Leave {
    /// A `break`.
    Loop,
    /// A `goto`, to this block.
    Block(u32),
    Kernel(Exit),
    /// The rounds are used up.
    Unfinished,
}

impl<L: BufferAccess> Run<'_, L> {
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
                if !self.memory.lent.store(buffer, index, value) {
                    return Err(Leave::Kernel(Exit::OutOfBounds(buffer)));
                }
            }
            Stmt::Take { local, buffer, index } => {
                let index = self.eval(index)?.bits;
                let taken = self.memory.lent.take(buffer, index);
                let taken = taken.ok_or(Leave::Kernel(Exit::OutOfBounds(buffer)))?;
                self.memory.locals[local.index()] = Const::int(Type::U32, taken.into());
            }
            Stmt::Emit { buffer, value } => {
                let value = self.eval(value)?;
                if !self.memory.lent.emit(buffer, value) {
                    return Err(Leave::Kernel(Exit::Full(buffer)));
                }
            }
            Stmt::Copy { buffer, from, start, count } => {
                let start = self.eval(start)?.bits;
                self.memory.copy(buffer, from, start, count).map_err(Leave::Kernel)?;
            }
            Stmt::Truncate { buffer, len } => {
                let len = self.eval(len)?.bits;
                self.memory.lent.truncate(buffer, len);
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                let chosen = if self.eval(cond)?.bits != 0 { then } else { otherwise };
                self.block(chosen)?;
            }
            Stmt::Switch { on, ref cases, ref default } => {
                let key = self.eval(on)?.bits as i64;
                // Long lists are sorted as a rule; keys are distinct, so that what is found is right in any order.
                let found = match cases.binary_search_by_key(&key, |&(k, _)| k) {
                    Ok(at) => Some(&cases[at]),
                    Err(_) => cases.iter().find(|(k, _)| *k == key),
                };
                self.block(found.map_or(default, |(_, block)| block))?;
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
            self.round()?;
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
            self.round()?;
            match self.block(block) {
                Ok(()) | Err(Leave::Loop) => break,
                Err(Leave::Block(block)) => next = block,
                Err(leave) => return Err(leave),
            }
            current = self.count(local, current);
        }
        Ok(())
    }

    /// Begins another round of a loop.
    fn round(&mut self) -> Result<(), Leave> {
        self.rounds = self.rounds.checked_sub(1).ok_or(Leave::Unfinished)?;
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

/// The environment of expressions.
struct Memory<'k, L> {
    kernel: &'k Kernel,
    locals: Vec<Const>,
    lent: L,
    recover: Option<&'k Recover<'k>>,
}

impl<L: BufferAccess> Memory<'_, L> {
    /// Appends elements of another buffer: all or none.
    fn copy(&mut self, buffer: Buffer, from: Buffer, start: u64, count: u32) -> Result<(), Exit> {
        let end = start.checked_add(u64::from(count));
        let end = end.filter(|&end| end <= self.lent.len(from));
        let end = end.ok_or(Exit::OutOfBounds(from))?;
        let before = self.lent.len(buffer);
        for index in start..end {
            let value = self.load(from, index)?;
            if !self.lent.emit(buffer, value) {
                self.lent.truncate(buffer, before);
                return Err(Exit::Full(buffer));
            }
        }
        Ok(())
    }
}

impl<L: BufferAccess> Environment for Memory<'_, L> {
    type Stop = Exit;

    fn local(&self, local: Local, _ty: Type) -> Result<Const, Exit> {
        Ok(self.locals[local.index()])
    }

    fn load(&self, buffer: Buffer, index: u64) -> Result<Const, Exit> {
        let decl = &self.kernel.buffers[buffer.index()];
        self.lent.load(buffer, decl, index).ok_or(Exit::OutOfBounds(buffer))
    }

    fn len(&self, buffer: Buffer) -> Result<u64, Exit> {
        Ok(self.lent.len(buffer))
    }

    fn failed(site: Site) -> Exit {
        Exit::Failed(site)
    }

    fn recovered(&self, site: Site) -> Option<Const> {
        self.recover.and_then(|recover| recover(site, &self.locals))
    }
}
