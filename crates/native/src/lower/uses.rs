//! How often a kernel's text uses its locals, its buffers and its expressions.

use volvelle_kernel::{Block, ExprId, Exprs, Kernel, Local, Node, Stmt};

/// Counts of places in the generated code, saturating. An expression counts once for every path from a
/// statement to it: shared operands are counted as if they were written out, which errs on the high side.
pub(crate) struct Uses {
    /// Reads and writes per local.
    pub(super) locals: Vec<u32>,
    /// Loads, stores, appends, truncations and reads of the length per buffer.
    pub(super) buffers: Vec<u32>,
    /// Operations of all kinds: the size of the generated code, roughly.
    pub(crate) operations: u64,
}

impl Uses {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let mut uses = Uses {
            locals: vec![0; kernel.locals.len()],
            buffers: vec![0; kernel.buffers.len()],
            operations: 0,
        };
        let mut nodes = vec![0u32; kernel.exprs.len()];
        uses.count_statements(&kernel.body, &mut nodes);
        // Operands have smaller ids than the nodes that use them.
        for id in kernel.exprs.ids().rev() {
            let count = nodes[id.index()];
            if count == 0 {
                // The verifier does not look at it either.
                continue;
            }
            let node = kernel.exprs.node(id);
            uses.operations += count as u64;
            match node {
                Node::Local(local, _) => add(&mut uses.locals[local.index()], count),
                Node::Load { buffer, .. } | Node::Len(buffer) => {
                    add(&mut uses.buffers[buffer.index()], count);
                }
                _ => {}
            }
            Exprs::each_operand(&node, |operand| add(&mut nodes[operand.index()], count));
        }
        uses
    }

    fn count_statements(&mut self, body: &Block, nodes: &mut [u32]) {
        // With the counter of the machine that a `Goto` there belongs to.
        let mut blocks: Vec<(&Block, Option<Local>)> = vec![(body, None)];
        while let Some((block, machine)) = blocks.pop() {
            self.operations += block.len() as u64;
            for statement in block {
                let mut evaluate = |id: ExprId| add(&mut nodes[id.index()], 1);
                match statement {
                    Stmt::Set { local, value } => {
                        evaluate(*value);
                        add(&mut self.locals[local.index()], 1);
                    }
                    Stmt::Store { buffer, index, value } => {
                        evaluate(*index);
                        evaluate(*value);
                        add(&mut self.buffers[buffer.index()], 1);
                    }
                    Stmt::Take { local, buffer, index } => {
                        evaluate(*index);
                        add(&mut self.locals[local.index()], 1);
                        add(&mut self.buffers[buffer.index()], 1);
                    }
                    Stmt::Emit { buffer, value } | Stmt::Truncate { buffer, len: value } => {
                        evaluate(*value);
                        add(&mut self.buffers[buffer.index()], 1);
                    }
                    Stmt::Copy { buffer, from, start, .. } => {
                        evaluate(*start);
                        add(&mut self.buffers[buffer.index()], 1);
                        add(&mut self.buffers[from.index()], 1);
                    }
                    Stmt::If { cond, then, otherwise } => {
                        evaluate(*cond);
                        blocks.extend([(then, machine), (otherwise, machine)]);
                    }
                    Stmt::Switch { on, cases, default } => {
                        evaluate(*on);
                        blocks.extend(cases.iter().map(|(_, block)| (block, machine)));
                        blocks.push((default, machine));
                    }
                    Stmt::For { local, from, to, body } => {
                        evaluate(*from);
                        evaluate(*to);
                        // Set, compared, counted.
                        add(&mut self.locals[local.index()], 3);
                        blocks.push((body, None));
                    }
                    Stmt::Machine { local, from, to, start, blocks: inside } => {
                        [from, to, start].into_iter().for_each(|id| evaluate(*id));
                        // Set, compared.
                        add(&mut self.locals[local.index()], 2);
                        self.operations += inside.len() as u64;
                        blocks.extend(inside.iter().map(|block| (block, Some(*local))));
                    }
                    Stmt::Goto { .. } => {
                        // Read, set and compared.
                        if let Some(local) = machine {
                            add(&mut self.locals[local.index()], 2);
                        }
                    }
                    Stmt::Break | Stmt::Fail { .. } | Stmt::Return => {}
                }
            }
        }
    }
}

fn add(count: &mut u32, more: u32) {
    *count = count.saturating_add(more);
}
