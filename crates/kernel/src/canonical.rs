//! One numbering for kernels that differ only in how their arena came about.

use crate::entities::ExprId;
use crate::expr::{Exprs, Node};
use crate::kernel::{Block, Kernel, Stmt};

impl Kernel {
    /// The same kernel with an arena that holds only what the statements need, numbered by first use:
    /// statements in the order of the text form, operands before the node, from left to right. Two
    /// kernels that differ only in the numbering of nodes, or in nodes that nothing needs, have equal
    /// canonical forms.
    ///
    /// # Panics
    /// Where a statement names an expression that does not exist.
    pub fn canonical(&self) -> Kernel {
        let mut exprs = Exprs::new();
        let mut renumbered = vec![ExprId(0); self.exprs.len()];
        for id in self.use_order() {
            let node = map_operands(self.exprs.node(id), |operand| renumbered[operand.index()]);
            renumbered[id.index()] = exprs.add(node);
        }
        let body = map_block(&self.body, &|id| renumbered[id.index()]);
        Kernel {
            name: self.name.clone(),
            buffers: self.buffers.clone(),
            locals: self.locals.clone(),
            params: self.params,
            sites: self.sites.clone(),
            exprs,
            body,
        }
    }

    /// The same statements over an arena in which `f` has replaced every node. It is given the new arena, and the
    /// nodes one after the other, with their operands already new.
    pub fn map_nodes(&mut self, mut f: impl FnMut(&mut Exprs, Node) -> ExprId) {
        let old = std::mem::take(&mut self.exprs);
        let mut renumbered: Vec<ExprId> = Vec::with_capacity(old.len());
        for id in old.ids() {
            let node = map_operands(old.node(id), |operand| renumbered[operand.index()]);
            renumbered.push(f(&mut self.exprs, node));
        }
        self.body = map_block(&self.body, &|id| renumbered[id.index()]);
    }

    /// Nodes that statements need, each once, in the order of [`Kernel::canonical`]. Ids that do not exist
    /// are left out.
    pub(crate) fn use_order(&self) -> Vec<ExprId> {
        let mut roots = Vec::new();
        each_root(&self.body, &mut |id| roots.push(id));
        roots.retain(|id| id.index() < self.exprs.len());
        let mut order = Vec::new();
        let mut entered = vec![false; self.exprs.len()];
        // A node with `true` has its operands in `order`.
        let mut stack: Vec<(ExprId, bool)> = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((id, complete)) = stack.pop() {
                if complete {
                    order.push(id);
                } else if !entered[id.index()] {
                    entered[id.index()] = true;
                    stack.push((id, true));
                    let first = stack.len();
                    Exprs::each_operand(&self.exprs.node(id), |operand| stack.push((operand, false)));
                    stack[first..].reverse();
                }
            }
        }
        order
    }
}

/// Calls `f` for the expressions of all statements, in the order of the text form.
pub(crate) fn each_root(block: &Block, f: &mut impl FnMut(ExprId)) {
    for statement in block {
        match statement {
            Stmt::Set { value, .. } | Stmt::Emit { value, .. } => f(*value),
            Stmt::Store { index, value, .. } => {
                f(*index);
                f(*value);
            }
            Stmt::Take { index, .. } => f(*index),
            Stmt::Truncate { len, .. } => f(*len),
            Stmt::Copy { start, .. } => f(*start),
            Stmt::If { cond, then, otherwise } => {
                f(*cond);
                each_root(then, f);
                each_root(otherwise, f);
            }
            Stmt::Switch { on, cases, default } => {
                f(*on);
                for (_, block) in cases {
                    each_root(block, f);
                }
                each_root(default, f);
            }
            Stmt::For { from, to, body, .. } => {
                f(*from);
                f(*to);
                each_root(body, f);
            }
            Stmt::Machine { from, to, start, blocks, .. } => {
                [from, to, start].into_iter().for_each(|id| f(*id));
                blocks.iter().for_each(|block| each_root(block, f));
            }
            Stmt::Goto { .. } | Stmt::Break | Stmt::Fail { .. } | Stmt::Return => {}
        }
    }
}

/// Statements with other expressions.
pub fn map_block(block: &Block, f: &impl Fn(ExprId) -> ExprId) -> Block {
    let map = |statement: &Stmt| match *statement {
        Stmt::Set { local, value } => Stmt::Set { local, value: f(value) },
        Stmt::Store { buffer, index, value } => Stmt::Store { buffer, index: f(index), value: f(value) },
        Stmt::Take { local, buffer, index } => Stmt::Take { local, buffer, index: f(index) },
        Stmt::Emit { buffer, value } => Stmt::Emit { buffer, value: f(value) },
        Stmt::Copy { buffer, from, start, count } => Stmt::Copy { buffer, from, start: f(start), count },
        Stmt::Truncate { buffer, len } => Stmt::Truncate { buffer, len: f(len) },
        Stmt::If { cond, ref then, ref otherwise } => {
            Stmt::If { cond: f(cond), then: map_block(then, f), otherwise: map_block(otherwise, f) }
        }
        Stmt::Switch { on, ref cases, ref default } => Stmt::Switch {
            on: f(on),
            cases: cases.iter().map(|(key, block)| (*key, map_block(block, f))).collect(),
            default: map_block(default, f),
        },
        Stmt::For { local, from, to, ref body } => {
            Stmt::For { local, from: f(from), to: f(to), body: map_block(body, f) }
        }
        Stmt::Machine { local, from, to, start, ref blocks } => Stmt::Machine {
            local,
            from: f(from),
            to: f(to),
            start: f(start),
            blocks: blocks.iter().map(|block| map_block(block, f)).collect(),
        },
        Stmt::Goto { block } => Stmt::Goto { block },
        Stmt::Break => Stmt::Break,
        Stmt::Fail { site } => Stmt::Fail { site },
        Stmt::Return => Stmt::Return,
    };
    block.iter().map(map).collect()
}

/// A node with other operands.
pub fn map_operands(node: Node, f: impl Fn(ExprId) -> ExprId) -> Node {
    match node {
        Node::Const(_) | Node::Local(..) | Node::Len(_) => node,
        Node::Load { buffer, ty, index } => Node::Load { buffer, ty, index: f(index) },
        Node::Unary { op, arg } => Node::Unary { op, arg: f(arg) },
        Node::Binary { op, lhs, rhs } => Node::Binary { op, lhs: f(lhs), rhs: f(rhs) },
        Node::Checked { op, lhs, rhs, site } => Node::Checked { op, lhs: f(lhs), rhs: f(rhs), site },
        Node::Convert { to, arg } => Node::Convert { to, arg: f(arg) },
        Node::Reinterpret { to, arg } => Node::Reinterpret { to, arg: f(arg) },
        Node::CheckedConvert { to, arg, site } => Node::CheckedConvert { to, arg: f(arg), site },
        Node::Range { arg, lo, hi, site } => Node::Range { arg: f(arg), lo, hi, site },
        Node::Select { cond, yes, no } => Node::Select { cond: f(cond), yes: f(yes), no: f(no) },
        Node::And { lhs, rhs } => Node::And { lhs: f(lhs), rhs: f(rhs) },
        Node::Or { lhs, rhs } => Node::Or { lhs: f(lhs), rhs: f(rhs) },
        Node::Math { f: function, args } => Node::Math { f: function, args: args.map(f) },
        Node::MulAdd { args } => Node::MulAdd { args: args.map(f) },
    }
}
