//! Any kernel as one for lanes: buffers that grow become buffers that are written, with a number of elements each.
//!
//! The reference interpreter runs the adapted kernel as well, so its meaning is tested with it.

use volvelle_kernel::harness::Contents;
use volvelle_kernel::{
    Access, BinaryOp, Block, Buffer, Const, ExprId, FailKind, Kernel, Local, Node, Site, Stmt, Type,
    map_operands,
};

/// An adapted kernel.
pub struct Adapted {
    pub kernel: Kernel,
    grows: Vec<Option<Growing>>,
    /// New numbers of expressions.
    renumbered: Vec<ExprId>,
    scratch: Local,
    full: Site,
}

/// The replacement of a buffer that grows.
#[derive(Clone, Copy)]
struct Growing {
    /// How many elements there are.
    len: Local,
    /// An element on its way.
    value: Local,
    /// Where the number is stored, at every change.
    count: Buffer,
}

pub fn adapt(old: &Kernel) -> Adapted {
    let mut k = Kernel::new(old.name.clone());
    k.param("device_lane", Type::U64);
    for (i, local) in old.locals.iter().enumerate() {
        if i < old.params {
            k.param(local.name.clone(), local.ty);
        } else {
            k.local(local.name.clone(), local.ty);
        }
    }
    k.sites = old.sites.clone();
    k.buffers = old.buffers.clone();
    let full = k.site(FailKind::Assertion, 0);
    let scratch = k.local("scratch_index", Type::U64);
    let mut grows = Vec::new();
    for (i, buffer) in old.buffers.iter().enumerate() {
        if buffer.access != Access::Append {
            grows.push(None);
            continue;
        }
        k.buffers[i].access = Access::Write;
        grows.push(Some(Growing {
            len: k.local(format!("elements_{i}"), Type::U64),
            value: k.local(format!("element_{i}"), buffer.ty),
            count: k.buffer(format!("count_{i}"), Type::U64, Access::Write),
        }));
    }
    let mut adapted = Adapted { kernel: k, grows, renumbered: Vec::new(), scratch, full };
    for id in old.exprs.ids() {
        let new = adapted.node(old.exprs.node(id));
        adapted.renumbered.push(new);
    }
    adapted.kernel.body = adapted.block(&old.body);
    adapted
}

impl Adapted {
    /// The parameters and contents of the adapted kernel.
    pub fn inputs(&self, params: &[Const], contents: &[Contents]) -> (Vec<Const>, Vec<Contents>) {
        let mut all = vec![Const::u64(0)];
        all.extend(params);
        let zeros = |ty, count| Contents::Elements(vec![Const { ty, bits: 0 }; count]);
        let mut buffers: Vec<Contents> = contents
            .iter()
            .zip(&self.kernel.buffers)
            .map(|(contents, decl)| match contents {
                Contents::Elements(_) => contents.clone(),
                Contents::Room(room) => zeros(decl.ty, *room),
            })
            .collect();
        buffers.resize(self.kernel.buffers.len(), zeros(Type::U64, 1));
        (all, buffers)
    }

    fn node(&mut self, node: Node) -> ExprId {
        let renumbered = &self.renumbered;
        let node = map_operands(node, |id| renumbered[id.index()]);
        let e = &mut self.kernel.exprs;
        match node {
            Node::Local(local, ty) => e.add(Node::Local(Local(local.0 + 1), ty)),
            Node::Len(buffer) => self.len(buffer),
            Node::Load { buffer, ty, index } if self.grows[buffer.index()].is_some() => {
                let len = self.len(buffer);
                let e = &mut self.kernel.exprs;
                let cond = e.add(Node::Binary { op: BinaryOp::Lt, lhs: index, rhs: len });
                let no = e.u64(u64::MAX);
                let index = e.add(Node::Select { cond, yes: index, no });
                e.add(Node::Load { buffer, ty, index })
            }
            node => e.add(node),
        }
    }

    fn len(&mut self, buffer: Buffer) -> ExprId {
        match self.grows[buffer.index()] {
            Some(growing) => self.kernel.exprs.local(growing.len, Type::U64),
            None => self.kernel.exprs.add(Node::Len(buffer)),
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.kernel.exprs.binary(op, lhs, rhs)
    }

    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Block {
        let new = |this: &Self, id: ExprId| this.renumbered[id.index()];
        let local = |local: Local| Local(local.0 + 1);
        match *statement {
            Stmt::Set { local: of, value } => vec![Stmt::Set { local: local(of), value: new(self, value) }],
            Stmt::Store { buffer, index, value } => {
                let (mut index, value) = (new(self, index), new(self, value));
                if self.grows[buffer.index()].is_some() {
                    let len = self.len(buffer);
                    let cond = self.binary(BinaryOp::Lt, index, len);
                    let no = self.kernel.exprs.u64(u64::MAX);
                    index = self.kernel.exprs.add(Node::Select { cond, yes: index, no });
                }
                vec![Stmt::Store { buffer, index, value }]
            }
            Stmt::Take { local: of, buffer, index } => {
                let index = new(self, index);
                vec![Stmt::Take { local: local(of), buffer, index }]
            }
            Stmt::Emit { buffer, value } => {
                let value = new(self, value);
                let growing = self.grows[buffer.index()].expect("a buffer that grows");
                let mut block = vec![Stmt::Set { local: growing.value, value }];
                block.extend(self.append(buffer, growing));
                block
            }
            Stmt::Copy { buffer, from, start, count } => self.copy(buffer, from, new(self, start), count),
            Stmt::Truncate { buffer, len } => {
                let growing = self.grows[buffer.index()].expect("a buffer that grows");
                let wanted = new(self, len);
                let mut block = vec![Stmt::Set { local: self.scratch, value: wanted }];
                let (wanted, len) = (self.kernel.get(self.scratch), self.len(buffer));
                let cond = self.binary(BinaryOp::Lt, wanted, len);
                let mut then = vec![Stmt::Set { local: growing.len, value: wanted }];
                then.push(self.store_count(growing));
                block.push(Stmt::If { cond, then, otherwise: vec![] });
                block
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                let cond = new(self, cond);
                vec![Stmt::If { cond, then: self.block(then), otherwise: self.block(otherwise) }]
            }
            Stmt::Switch { on, ref cases, ref default } => {
                let cases = cases.iter().map(|(key, block)| (*key, self.block(block))).collect();
                vec![Stmt::Switch { on: new(self, on), cases, default: self.block(default) }]
            }
            Stmt::For { local: of, from, to, ref body } => {
                let body = self.block(body);
                vec![Stmt::For { local: local(of), from: new(self, from), to: new(self, to), body }]
            }
            Stmt::Machine { local: of, from, to, start, ref blocks } => {
                let blocks = blocks.iter().map(|block| self.block(block)).collect();
                let [from, to, start] = [from, to, start].map(|id| new(self, id));
                vec![Stmt::Machine { local: local(of), from, to, start, blocks }]
            }
            Stmt::Goto { block } => vec![Stmt::Goto { block }],
            Stmt::Break => vec![Stmt::Break],
            Stmt::Fail { site } => vec![Stmt::Fail { site }],
            Stmt::Return => vec![Stmt::Return],
        }
    }

    /// Appends the element on its way.
    fn append(&mut self, buffer: Buffer, growing: Growing) -> Block {
        let len = self.len(buffer);
        let room = self.kernel.exprs.add(Node::Len(buffer));
        let cond = self.binary(BinaryOp::Ge, len, room);
        let one = self.kernel.exprs.u64(1);
        let more = self.binary(BinaryOp::Add, len, one);
        let value = self.kernel.get(growing.value);
        vec![
            Stmt::If { cond, then: vec![Stmt::Fail { site: self.full }], otherwise: vec![] },
            Stmt::Store { buffer, index: len, value },
            Stmt::Set { local: growing.len, value: more },
            self.store_count(growing),
        ]
    }

    fn store_count(&mut self, growing: Growing) -> Stmt {
        let (index, value) = (self.kernel.exprs.u64(0), self.kernel.get(growing.len));
        Stmt::Store { buffer: growing.count, index, value }
    }

    fn copy(&mut self, buffer: Buffer, from: Buffer, start: ExprId, count: u32) -> Block {
        let growing = self.grows[buffer.index()].expect("a buffer that grows");
        let mut block = vec![Stmt::Set { local: self.scratch, value: start }];
        let (start, many) = (self.kernel.get(self.scratch), self.kernel.exprs.u64(count.into()));
        let len = self.len(from);
        let (too_few, last) = (self.binary(BinaryOp::Lt, len, many), self.binary(BinaryOp::Sub, len, many));
        let beyond = self.binary(BinaryOp::Gt, start, last);
        let cond = self.kernel.exprs.or(too_few, beyond);
        let ty = self.kernel.buffers[from.index()].ty;
        let nowhere = self.kernel.exprs.u64(u64::MAX);
        let missing = self.kernel.exprs.load(from, ty, nowhere);
        let then = vec![Stmt::Set { local: growing.value, value: missing }];
        block.push(Stmt::If { cond, then, otherwise: vec![] });
        let (len, room) = (self.len(buffer), self.kernel.exprs.add(Node::Len(buffer)));
        let left = self.binary(BinaryOp::Sub, room, len);
        let cond = self.binary(BinaryOp::Lt, left, many);
        block.push(Stmt::If { cond, then: vec![Stmt::Fail { site: self.full }], otherwise: vec![] });
        for i in 0..count {
            let offset = self.kernel.exprs.u64(i.into());
            let index = self.binary(BinaryOp::Add, start, offset);
            let value = self.kernel.exprs.load(from, ty, index);
            block.push(Stmt::Set { local: growing.value, value });
            block.extend(self.append(buffer, growing));
        }
        block
    }
}
