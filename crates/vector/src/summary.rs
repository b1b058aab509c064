//! Summaries of blocks for passes over the statements of a kernel: which locals a block reads and sets, and
//! whether lanes may leave in it.
//!
//! Liveness refers to *one lane*: a local is live for a lane at a place if the kernel, run for that lane
//! alone, may read the local from there on before setting it. A vector program may overwrite a local in lanes
//! for which it is not live, and need not mask such a write.

use rustc_hash::FxHashMap;
use volvelle_kernel::{Block, CompileError, ExprId, Exprs, Kernel, Local, Node, Stmt};
use volvelle_store::BitSet;

/// Limit of statements times locals (in words of bits) for a kernel.
const MAX_WORDS: usize = 1 << 22;

/// A block, summarised.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// Locals that may be read before they are set.
    pub(crate) reads: BitSet,
    /// Locals that are set on every path to the end of the block.
    pub(crate) kills: BitSet,
    /// Locals that may be set.
    pub(crate) sets: BitSet,
    /// Buffers that may be stored to.
    pub(crate) stores: BitSet,
    /// Whether a lane may leave the loop around the block.
    pub(crate) breaks: bool,
    /// Whether a lane may leave the kernel, done.
    pub(crate) returns: bool,
    /// Whether there is a loop in it.
    pub(crate) loops: bool,
    /// Operations, roughly; shared ones are counted once per statement.
    pub(crate) cost: u32,
}

/// Summaries of all blocks of a kernel.
pub(crate) struct Summaries<'k> {
    kernel: &'k Kernel,
    /// By the address of the block, which the borrow of the kernel fixes.
    blocks: FxHashMap<usize, Summary>,
    /// For each node, the last walk over expressions that visited it.
    met: Vec<u32>,
    walk: u32,
}

impl<'k> Summaries<'k> {
    pub(crate) fn of(kernel: &'k Kernel) -> Result<Self, CompileError> {
        let mut statements = 0usize;
        let mut blocks = vec![&kernel.body];
        while let Some(block) = blocks.pop() {
            statements += block.len() + 1;
            each_block(block, |b| blocks.push(b));
        }
        let words = kernel.locals.len().div_ceil(64) + kernel.buffers.len().div_ceil(64) + 1;
        if statements.saturating_mul(words) > MAX_WORDS {
            return Err(CompileError("the kernel is too large for vector code".into()));
        }
        let mut all =
            Summaries { kernel, blocks: FxHashMap::default(), met: vec![0; kernel.exprs.len()], walk: 0 };
        all.summarise(&kernel.body);
        Ok(all)
    }

    pub(crate) fn get(&self, block: &Block) -> &Summary {
        &self.blocks[&address(block)]
    }

    pub(crate) fn no_locals(&self) -> BitSet {
        BitSet::new(self.kernel.locals.len())
    }

    /// Recursion is as deep as blocks nest, which the verifier limits.
    fn summarise(&mut self, block: &'k Block) {
        each_block(block, |inner| self.summarise(inner));
        let locals = self.kernel.locals.len();
        let nothing = self.no_locals();
        let mut summary = Summary {
            reads: nothing.clone(),
            kills: nothing.clone(),
            sets: nothing.clone(),
            stores: BitSet::new(self.kernel.buffers.len()),
            breaks: false,
            returns: false,
            loops: false,
            cost: 0,
        };
        for statement in block {
            let inner_of = |f: &mut dyn FnMut(&Summary)| each_block_of(statement, |b| f(self.get(b)));
            inner_of(&mut |inner| {
                summary.sets.unite(&inner.sets);
                summary.stores.unite(&inner.stores);
                summary.breaks |= inner.breaks && !matches!(statement, Stmt::For { .. });
                summary.returns |= inner.returns;
                summary.loops |= inner.loops;
                summary.cost = summary.cost.saturating_add(inner.cost);
            });
            match statement {
                Stmt::Set { local, .. } => {
                    summary.sets.insert(local.index());
                    summary.kills.insert(local.index());
                }
                Stmt::Store { buffer, .. } => _ = summary.stores.insert(buffer.index()),
                Stmt::If { .. } | Stmt::Switch { .. } => {
                    let mut killed = BitSet::full(locals);
                    inner_of(&mut |inner| killed.intersect(&inner.kills));
                    summary.kills.unite(&killed);
                }
                Stmt::For { local, .. } => {
                    summary.sets.insert(local.index());
                    summary.kills.insert(local.index());
                    summary.loops = true;
                }
                Stmt::Break => {
                    summary.breaks = true;
                    summary.kills = BitSet::full(locals);
                }
                Stmt::Return => {
                    summary.returns = true;
                    summary.kills = BitSet::full(locals);
                }
                Stmt::Fail { .. } => summary.kills = BitSet::full(locals),
                Stmt::Emit { .. } | Stmt::Copy { .. } | Stmt::Truncate { .. } => {}
                // Refused later.
                Stmt::Take { .. } | Stmt::Machine { .. } | Stmt::Goto { .. } => {}
            }
        }
        let mut live = nothing.clone();
        for statement in block.iter().rev() {
            let cost = self.before(statement, &mut live, &nothing);
            summary.cost = summary.cost.saturating_add(cost);
        }
        summary.reads = live;
        self.blocks.insert(address(block), summary);
    }

    /// Turns the locals live after a statement into those live before it; `out` is live after the enclosing
    /// loop. Returns the number of operations in the statement's own expressions.
    pub(crate) fn before(&mut self, statement: &Stmt, live: &mut BitSet, out: &BitSet) -> u32 {
        match *statement {
            Stmt::Set { local, value } => {
                live.remove(local.index());
                1 + self.read(value, live)
            }
            Stmt::Store { index, value, .. } => 4 + self.read(index, live) + self.read(value, live),
            Stmt::If { cond, ref then, ref otherwise } => {
                let mut before = self.entering(then, live, out);
                before.unite(&self.entering(otherwise, live, out));
                *live = before;
                1 + self.read(cond, live)
            }
            Stmt::Switch { on, ref cases, ref default } => {
                let mut before = self.entering(default, live, out);
                for (_, block) in cases {
                    before.unite(&self.entering(block, live, out));
                }
                *live = before;
                cases.len() as u32 + self.read(on, live)
            }
            Stmt::For { local, from, to, ref body } => {
                let before = self.in_loop(body, live);
                *live = before;
                live.remove(local.index());
                3 + self.read(from, live) + self.read(to, live)
            }
            Stmt::Break => {
                live.clone_from(out);
                0
            }
            Stmt::Return | Stmt::Fail { .. } => {
                *live = self.no_locals();
                0
            }
            Stmt::Emit { value: e, .. } | Stmt::Copy { start: e, .. } | Stmt::Truncate { len: e, .. } => {
                self.read(e, live)
            }
            // Refused later.
            Stmt::Take { .. } | Stmt::Machine { .. } | Stmt::Goto { .. } => 0,
        }
    }

    /// The locals that are live before a block, if `after` is live after it and `out` at the exit of its loop.
    pub(crate) fn entering(&self, block: &Block, after: &BitSet, out: &BitSet) -> BitSet {
        let summary = self.get(block);
        let mut live = after.clone();
        live.subtract(&summary.kills);
        live.unite(&summary.reads);
        if summary.breaks {
            live.unite(out);
        }
        live
    }

    /// The locals that are live between the iterations of a loop, if `after` is live after it.
    pub(crate) fn in_loop(&self, body: &Block, after: &BitSet) -> BitSet {
        let mut live = after.clone();
        live.unite(&self.get(body).reads);
        live
    }

    /// Adds the locals that an expression reads; gives its number of operations.
    fn read(&mut self, root: ExprId, live: &mut BitSet) -> u32 {
        self.walk += 1;
        let mut cost = 0u32;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.met[id.index()], self.walk) == self.walk {
                continue;
            }
            let node = self.kernel.exprs.node(id);
            match node {
                Node::Local(local, _) => _ = live.insert(local.index()),
                Node::Const(_) | Node::Len(_) => {}
                Node::Load { .. } | Node::Math { .. } => cost = cost.saturating_add(8),
                _ => cost = cost.saturating_add(1),
            }
            Exprs::each_operand(&node, |operand| stack.push(operand));
        }
        cost
    }

    /// Whether a local is set anywhere in the kernel.
    pub(crate) fn is_set(&self, local: Local) -> bool {
        self.get(&self.kernel.body).sets.contains(local.index())
    }
}

fn address(block: &Block) -> usize {
    std::ptr::from_ref(block).addr()
}

/// The blocks of a statement.
fn each_block_of<'s>(statement: &'s Stmt, mut f: impl FnMut(&'s Block)) {
    match statement {
        Stmt::If { then, otherwise, .. } => {
            f(then);
            f(otherwise);
        }
        Stmt::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, block)| f(block));
            f(default);
        }
        Stmt::For { body, .. } => f(body),
        _ => {}
    }
}

/// The blocks directly inside a block.
fn each_block<'s>(block: &'s Block, mut f: impl FnMut(&'s Block)) {
    block.iter().for_each(|statement| each_block_of(statement, &mut f));
}
