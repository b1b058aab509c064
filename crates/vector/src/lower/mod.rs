//! From a kernel to a [`Program`].
//!
//! Statements become masked instructions (if-conversion, as in Allen, Kennedy, Porterfield and Warren 1983,
//! doi:10.1145/567067.567085). The two sides of an `If` run one after the other, each under its own mask;
//! jumps only skip code that no lane needs. A loop runs until no lane is left in it. Instructions are
//! numbered by value as they are made, so an operation with unchanged operands is not made again. A value
//! made in code that a jump may skip is not available after the target of the jump.

mod arithmetic;
mod convert;
mod expression;
mod simplify;
mod statement;

use crate::program::{Class, Counter, Inst, Label, Logic, Program, Reg};
use crate::summary::Summaries;
use rustc_hash::FxHashMap;
use volvelle_kernel::{Access, CompileError, ExprId, Exprs, Kernel, Local, Node, Type};
use volvelle_store::BitSet;

/// Limit of instructions and steps of evaluation for a kernel: lowering operands that several lazy operations
/// share can multiply them.
const MAX_WORK: usize = 1 << 20;

/// Instructions of a program.
const MAX_CODE: usize = 1 << 17;

/// Limit of loops and calls, times registers: some passes look at all registers for each loop and call.
const MAX_PRODUCT: usize = 1 << 27;

/// Decisions that differ between back ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices {
    /// A block of at least this many operations is skipped by a jump if no lane needs it.
    pub(crate) skip_cost: u32,
}

/// The program of a verified kernel.
pub(crate) fn lower(kernel: &Kernel, choices: Choices) -> Result<Program, CompileError> {
    if kernel.params == 0 || kernel.locals[0].ty != Type::U64 {
        return Err(CompileError("the first parameter is not the number of the lane, a u64".into()));
    }
    if kernel.buffers.iter().any(|b| b.access == Access::Append) {
        return Err(CompileError("vector code has no buffers that grow".into()));
    }
    let summaries = Summaries::of(kernel)?;
    let live = summaries.entering(&kernel.body, &summaries.no_locals(), &summaries.no_locals());
    let outside = summaries.no_locals();
    let alive_needed = summaries.get(&kernel.body).returns;
    let mut lowering = Lowering {
        kernel,
        choices,
        lazy: lazy(&kernel.exprs),
        summaries: Some(summaries),
        program: Program::default(),
        versions: Vec::new(),
        defs: Vec::new(),
        given: FxHashMap::default(),
        given_log: Vec::new(),
        numbers: FxHashMap::default(),
        log: Vec::new(),
        invariants: FxHashMap::default(),
        parents: FxHashMap::default(),
        locals: Vec::new(),
        memo: vec![Memo::default(); kernel.exprs.len()],
        masked_memo: FxHashMap::default(),
        statement: 0,
        buffer_versions: vec![0; kernel.buffers.len()],
        mask: None,
        outside,
        alive: None,
        work: 0,
    };
    lowering.prologue(&live, alive_needed);
    lowering.body()?;
    let program = lowering.program;
    let costly = |inst: &&Inst| {
        matches!(inst, Inst::Head { .. } | Inst::PerLane { .. } | Inst::Load { .. } | Inst::Store { .. })
    };
    if program.code.iter().filter(costly).count() * program.classes.len() > MAX_PRODUCT {
        return Err(Lowering::too_large());
    }
    Ok(program)
}

/// Which expressions may fail, access memory, or call: they must be evaluated only in lanes that need them.
fn lazy(exprs: &Exprs) -> Vec<bool> {
    let mut lazy = Vec::with_capacity(exprs.len());
    for id in exprs.ids() {
        let node = exprs.node(id);
        let mut is_lazy = matches!(
            node,
            Node::Load { .. }
                | Node::Checked { .. }
                | Node::CheckedConvert { .. }
                | Node::Range { .. }
                | Node::Math { .. }
        );
        Exprs::each_operand(&node, |operand: ExprId| is_lazy |= lazy[operand.index()]);
        lazy.push(is_lazy);
    }
    lazy
}

/// Versions of the registers that an instruction reads. Each write of a variable increases its version.
type Versions = [u32; 4];

/// An instruction without its result, and the versions of what it reads.
type Key = (Inst, Versions);

/// The register of an expression, if it was evaluated in statement number `statement`.
#[derive(Clone, Copy, Debug)]
struct Memo {
    statement: u32,
    reg: Reg,
}

impl Default for Memo {
    fn default() -> Self {
        Memo { statement: 0, reg: NOWHERE }
    }
}

/// Placeholder for the result of an instruction.
const NOWHERE: Reg = Reg(u32::MAX);

struct Lowering<'k> {
    kernel: &'k Kernel,
    choices: Choices,
    /// Per expression, see [`lazy`].
    lazy: Vec<bool>,
    summaries: Option<Summaries<'k>>,
    program: Program,
    /// Per register.
    versions: Vec<u32>,
    /// The instruction that made a temporary.
    defs: Vec<Option<Key>>,
    /// For a variable, its version and the value that it last got, valid in the lanes of the mask.
    given: FxHashMap<Reg, (u32, Reg)>,
    /// Previous entries of `given`, to be restored at the end of a block.
    given_log: Vec<(Reg, Option<(u32, Reg)>)>,
    /// Value numbering: the registers of expressions that are available at the current statement.
    numbers: FxHashMap<Key, Reg>,
    /// Keys in the order in which they were entered, to forget them by scope.
    log: Vec<Key>,
    invariants: FxHashMap<(Class, Inst), Reg>,
    /// A mask that a mask is part of, with its version then.
    parents: FxHashMap<Reg, (Reg, u32)>,
    /// The register of each local.
    locals: Vec<Reg>,
    memo: Vec<Memo>,
    /// As `memo`, for lazy expressions, by the mask as well.
    masked_memo: FxHashMap<(ExprId, Option<Reg>), Reg>,
    /// Number of the current statement, from 1.
    statement: u32,
    /// Counted up at stores.
    buffer_versions: Vec<u32>,
    /// The lanes that run the current statement; `None` for all lanes.
    mask: Option<Reg>,
    /// Locals that are live for lanes outside the mask.
    outside: BitSet,
    /// The lanes that have not returned, if that matters.
    alive: Option<Reg>,
    work: usize,
}

impl<'k> Lowering<'k> {
    fn summaries(&self) -> &Summaries<'k> {
        self.summaries.as_ref().expect("put back after each use")
    }

    fn too_large() -> CompileError {
        CompileError("the kernel is too large for vector code".into())
    }

    fn count_work(&mut self) -> Result<(), CompileError> {
        self.work += 1;
        if self.work > MAX_WORK || self.program.code.len() > MAX_CODE {
            return Err(Self::too_large());
        }
        Ok(())
    }

    fn prologue(&mut self, live: &BitSet, alive_needed: bool) {
        for (i, decl) in self.kernel.locals.iter().enumerate() {
            let class = Class::of(decl.ty);
            let is_param = i < self.kernel.params;
            let fixed = is_param && !self.summaries().is_set(Local(i as u32));
            let initial = if is_param { self.param(i as u32, decl.ty) } else { self.constant(class, 0) };
            if fixed {
                self.locals.push(initial);
                continue;
            }
            let variable = self.fresh(class, true);
            self.locals.push(variable);
            if live.contains(i) {
                self.write(Inst::Assign { dst: variable, src: initial, mask: None });
            }
        }
        if alive_needed {
            let alive = self.fresh(Class::Mask, true);
            let all = self.constant(Class::Mask, 1);
            self.write(Inst::Assign { dst: alive, src: all, mask: None });
            self.alive = Some(alive);
        }
    }

    fn param(&mut self, index: u32, ty: Type) -> Reg {
        if index == 0 {
            return self.invariant(Class::Double, Inst::Lane { dst: NOWHERE });
        }
        if ty == Type::Bool {
            let word = self.invariant(Class::Word, Inst::Param { dst: NOWHERE, index });
            return self.is_nonzero(Type::U32, word);
        }
        self.invariant(Class::of(ty), Inst::Param { dst: NOWHERE, index })
    }

    // Registers.

    fn fresh(&mut self, class: Class, variable: bool) -> Reg {
        let reg = Reg(self.program.classes.len() as u32);
        self.program.classes.push(class);
        self.program.variable.push(variable);
        self.versions.push(0);
        self.defs.push(None);
        reg
    }

    fn is_variable(&self, reg: Reg) -> bool {
        self.program.variable[reg.index()]
    }

    fn class(&self, reg: Reg) -> Class {
        self.program.class(reg)
    }

    fn label(&mut self) -> Label {
        self.program.labels += 1;
        Label(self.program.labels - 1)
    }

    fn counter(&mut self) -> Counter {
        self.program.counters += 1;
        Counter(self.program.counters - 1)
    }

    // Instructions.

    fn push(&mut self, inst: Inst) {
        self.program.code.push(inst);
    }

    /// An instruction that writes a variable.
    fn write(&mut self, inst: Inst) {
        let dst = inst.dst().expect("it writes");
        self.versions[dst.index()] += 1;
        self.push(inst);
    }

    fn versions(&self, inst: &Inst) -> Versions {
        let mut versions = [0; 4];
        let mut i = 0;
        inst.each_use(|reg| {
            versions[i] = self.versions[reg.index()];
            i += 1;
        });
        if let Inst::Load { buffer, .. } = inst {
            versions[3] = self.buffer_versions[buffer.index()];
        }
        versions
    }

    fn invariant(&mut self, class: Class, inst: Inst) -> Reg {
        if let Some(&reg) = self.invariants.get(&(class, inst)) {
            return reg;
        }
        let dst = self.fresh(class, false);
        self.invariants.insert((class, inst), dst);
        let mut inst = inst;
        *inst.dst_mut().expect("it has a result") = dst;
        self.defs[dst.index()] = Some((inst, Versions::default()));
        self.program.invariants.push(inst);
        dst
    }

    fn constant(&mut self, class: Class, bits: u64) -> Reg {
        let bits = if class == Class::Word { u64::from(bits as u32) } else { bits };
        self.invariant(class, Inst::Constant { dst: NOWHERE, bits })
    }

    /// The bits of a register that is a constant.
    fn as_constant(&self, reg: Reg) -> Option<u64> {
        match self.defs[self.given_value(reg).index()] {
            Some((Inst::Constant { bits, .. }, _)) => Some(bits),
            _ => None,
        }
    }

    /// The value of a variable in the lanes of the mask, if known; otherwise the variable itself.
    fn given_value(&self, reg: Reg) -> Reg {
        match self.given.get(&reg) {
            Some(&(version, value)) if version == self.versions[reg.index()] => value,
            _ => reg,
        }
    }

    /// Records the value of a variable that was just written, for the lanes of the mask and the rest of the
    /// block.
    fn give(&mut self, variable: Reg, value: Reg) {
        let value = self.given_value(value);
        if self.is_variable(value) {
            return;
        }
        let before = self.given.insert(variable, (self.versions[variable.index()], value));
        self.given_log.push((variable, before));
    }

    /// The instruction that made a register, if its operands have not changed since.
    fn def(&self, reg: Reg) -> Option<Inst> {
        let (inst, versions) = self.defs[self.given_value(reg).index()]?;
        (self.versions(&inst) == versions).then_some(inst)
    }

    /// The result of an instruction (whose own result is [`NOWHERE`]); reuses an earlier one if known.
    fn value(&mut self, class: Class, inst: Inst) -> Reg {
        if let Some(reg) = self.simplify(&inst) {
            return reg;
        }
        let key = (inst, self.versions(&inst));
        if let Some(reg) = self.known(key) {
            return reg;
        }
        let dst = self.fresh(class, false);
        let mut inst = inst;
        *inst.dst_mut().expect("it has a result") = dst;
        self.push(inst);
        self.defs[dst.index()] = Some((inst, key.1));
        self.enter(key, dst);
        dst
    }

    fn enter(&mut self, key: Key, reg: Reg) {
        self.numbers.insert(key, reg);
        self.log.push(key);
    }

    /// Finds an earlier instruction under the same mask, or under one that includes it.
    fn known(&self, key: Key) -> Option<Reg> {
        if let Some(&reg) = self.numbers.get(&key) {
            return Some(reg);
        }
        let (mut inst, mut versions) = key;
        let place = match inst {
            Inst::Load { .. } => 1,
            Inst::PerLane { .. } => 2,
            _ => return None,
        };
        loop {
            let (Inst::Load { mask, .. } | Inst::PerLane { mask, .. }) = &mut inst else { return None };
            let parent = mask.as_ref().map(|mask| self.parents.get(mask))?;
            *mask = parent.map(|p| p.0);
            versions[place] = parent.map_or(0, |p| p.1);
            if let Some(&reg) = self.numbers.get(&(inst, versions)) {
                return Some(reg);
            }
        }
    }

    // Scopes: values from a part of the program that may be skipped are not available after it.

    fn open(&self) -> usize {
        self.log.len()
    }

    fn close(&mut self, scope: usize) {
        for key in self.log.drain(scope..) {
            self.numbers.remove(&key);
        }
    }

    // Masks.

    fn logic(&mut self, op: Logic, a: Reg, b: Reg) -> Reg {
        self.value(Class::Mask, Inst::Logic { op, dst: NOWHERE, a, b })
    }

    /// A register that keeps the present value of `reg`.
    fn copied(&mut self, reg: Reg) -> Reg {
        if !self.is_variable(reg) {
            return reg;
        }
        let class = self.class(reg);
        self.value(class, Inst::Assign { dst: NOWHERE, src: reg, mask: None })
    }

    /// The lanes of the mask (`None`: all) in which a condition holds.
    fn and_mask(&mut self, mask: Option<Reg>, cond: Reg) -> Reg {
        let Some(mask) = mask else { return self.copied(cond) };
        let both = self.logic(Logic::And, cond, mask);
        self.part_of(both, mask);
        both
    }

    /// The lanes of the mask (`None`: all) in which a condition does not hold.
    fn and_not_mask(&mut self, mask: Option<Reg>, cond: Reg) -> Reg {
        let Some(mask) = mask else {
            let rest = self.not(cond);
            return self.copied(rest);
        };
        let rest = self.logic(Logic::AndNot, cond, mask);
        self.part_of(rest, mask);
        rest
    }

    fn not(&mut self, cond: Reg) -> Reg {
        let all = self.constant(Class::Mask, 1);
        self.logic(Logic::Xor, cond, all)
    }

    fn part_of(&mut self, part: Reg, mask: Reg) {
        if part != mask && !self.is_variable(part) && self.as_constant(part).is_none() {
            self.parents.entry(part).or_insert((mask, self.versions[mask.index()]));
        }
    }
}
