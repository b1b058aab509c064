//! Random expressions.

use super::Builder;
use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::Node;
use crate::operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
use crate::types::{Const, Type};

const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

impl Builder<'_, '_> {
    /// An expression of a type, of a depth that the source chooses.
    pub(super) fn expr(&mut self, ty: Type) -> ExprId {
        let depth = self.source.below(6);
        let id = self.tree(ty, depth);
        if self.source.chance(6) {
            return self.chain(id);
        }
        id
    }

    pub(super) fn constant(&mut self, c: Const) -> ExprId {
        self.add(Node::Const(c))
    }

    /// Adds a node as it is, without folding.
    pub(super) fn add(&mut self, node: Node) -> ExprId {
        let id = self.kernel.exprs.add(node);
        self.made.push(id);
        id
    }

    fn tree(&mut self, ty: Type, depth: u32) -> ExprId {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.source.below(16) {
            0 | 1 => self.leaf(ty),
            2 => self.again(ty),
            3 => self.load(ty, depth),
            4 => {
                let cond = self.tree(Type::Bool, depth - 1);
                let (yes, no) = (self.tree(ty, depth - 1), self.tree(ty, depth - 1));
                self.add(Node::Select { cond, yes, no })
            }
            5 if ty != Type::Bool && self.source.chance(64) => {
                let from = self.same_width(ty);
                let arg = self.tree(from, depth - 1);
                self.add(Node::Reinterpret { to: ty, arg })
            }
            5 | 6 => {
                let from = self.source.ty();
                let arg = self.tree(from, depth - 1);
                self.conversion(ty, from, arg)
            }
            7 | 8 => {
                let arg = self.tree(ty, depth - 1);
                self.on_one(ty, arg)
            }
            _ => self.on_two(ty, depth),
        }
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let locals: Vec<Local> = self.locals_of(ty);
        if ty == Type::U64 && !self.kernel.buffers.is_empty() && self.source.chance(32) {
            let buffer = self.source.below(self.kernel.buffers.len() as u32);
            return self.add(Node::Len(Buffer(buffer)));
        }
        if locals.is_empty() || self.source.chance(96) {
            let c = self.source.constant(ty);
            return self.constant(c);
        }
        let local = self.source.pick(&locals);
        self.add(Node::Local(local, ty))
    }

    pub(super) fn locals_of(&self, ty: Type) -> Vec<Local> {
        let locals = self.kernel.locals.iter().enumerate();
        locals.filter(|(_, d)| d.ty == ty).map(|(i, _)| Local(i as u32)).collect()
    }

    /// An expression made before, so that nodes are shared between statements.
    fn again(&mut self, ty: Type) -> ExprId {
        let start = self.source.word() as usize;
        let made = self.made.len().min(64);
        for i in 0..made {
            let id = self.made[self.made.len() - 1 - (start.wrapping_add(i)) % made];
            if self.kernel.exprs.ty(id) == ty && self.kernel.exprs.nesting(id) < 40 {
                return id;
            }
        }
        self.leaf(ty)
    }

    /// Mostly guarded by the length: `select(i < len(b), b[i], …)`.
    fn load(&mut self, ty: Type, depth: u32) -> ExprId {
        let decls = self.kernel.buffers.iter().enumerate();
        let buffers: Vec<Buffer> = decls.filter(|(_, d)| d.ty == ty).map(|(i, _)| Buffer(i as u32)).collect();
        if buffers.is_empty() {
            return self.leaf(ty);
        }
        let buffer = self.source.pick(&buffers);
        let index = if self.source.chance(128) {
            let small = self.source.below(4) as u64;
            self.constant(Const::u64(small))
        } else {
            self.tree(Type::U64, depth - 1)
        };
        let index = self.own(buffer, index);
        let load = self.add(Node::Load { buffer, ty, index });
        if self.source.chance(16) {
            return load;
        }
        let len = self.add(Node::Len(buffer));
        let cond = self.add(Node::Binary { op: BinaryOp::Lt, lhs: index, rhs: len });
        let no = self.leaf(ty);
        self.add(Node::Select { cond, yes: load, no })
    }

    /// Another number type of the same width.
    fn same_width(&mut self, ty: Type) -> Type {
        let fits = |other: &Type| *other != ty && *other != Type::Bool && other.bytes() == ty.bytes();
        let others: Vec<Type> = Type::ALL.into_iter().filter(fits).collect();
        self.source.pick(&others)
    }

    fn conversion(&mut self, to: Type, from: Type, arg: ExprId) -> ExprId {
        if to.is_int() && from != Type::Bool && self.source.chance(64) {
            let site = self.site();
            return self.add(Node::CheckedConvert { to, arg, site });
        }
        self.add(Node::Convert { to, arg })
    }

    fn on_one(&mut self, ty: Type, arg: ExprId) -> ExprId {
        use UnaryOp::*;
        let op = match ty {
            Type::Bool => Not,
            Type::F64 if self.source.chance(64) => {
                let f = self.source.pick(&[MathFn::Exp, MathFn::Log]);
                return self.add(Node::Math { f, args: [arg, arg] });
            }
            _ if ty.is_float() => self.source.pick(&[Neg, Abs, Sqrt, Floor, Ceil, Trunc]),
            _ if self.source.chance(48) => return self.range(ty, arg),
            _ if ty.is_signed() => self.source.pick(&[Not, Neg, Abs]),
            _ => self.source.pick(&[Not, Neg]),
        };
        self.add(Node::Unary { op, arg })
    }

    fn range(&mut self, ty: Type, arg: ExprId) -> ExprId {
        let a = self.source.constant(ty).bits as i64;
        // Mostly wide, so that runs go on.
        let b =
            if self.source.chance(192) { Const::int(ty, -1).bits as i64 } else { self.source.word() as i64 };
        let swap = if ty == Type::U64 { a as u64 > b as u64 } else { a > b };
        let (lo, hi) = if swap { (b, a) } else { (a, b) };
        let site = self.site();
        self.add(Node::Range { arg, lo, hi, site })
    }

    fn on_two(&mut self, ty: Type, depth: u32) -> ExprId {
        let operand_ty = if ty == Type::Bool { self.source.ty() } else { ty };
        let lhs = self.tree(operand_ty, depth - 1);
        let rhs = self.tree(operand_ty, depth - 1);
        self.combine(ty, operand_ty, lhs, rhs)
    }

    fn combine(&mut self, ty: Type, operand_ty: Type, lhs: ExprId, rhs: ExprId) -> ExprId {
        use BinaryOp::*;
        if ty == Type::Bool {
            if operand_ty != Type::Bool {
                let op = self.source.pick(&COMPARISONS);
                return self.add(Node::Binary { op, lhs, rhs });
            }
            return match self.source.below(8) {
                0..=1 => self.add(Node::And { lhs, rhs }),
                2..=3 => self.add(Node::Or { lhs, rhs }),
                _ => {
                    let op = self.source.pick(&[BitAnd, BitOr, BitXor, Eq, Ne]);
                    self.add(Node::Binary { op, lhs, rhs })
                }
            };
        }
        if ty.is_float() {
            if self.source.chance(40) {
                let site = self.site();
                return self.add(Node::Checked { op: CheckedOp::Div, lhs, rhs, site });
            }
            if ty == Type::F64 && self.source.chance(24) {
                return self.add(Node::Math { f: MathFn::Pow, args: [lhs, rhs] });
            }
            if self.source.chance(32) {
                let last = if self.source.chance(128) { lhs } else { self.leaf(ty) };
                return self.add(Node::MulAdd { args: [lhs, rhs, last] });
            }
            let op = self.source.pick(&[Add, Sub, Mul, Div, Min, Max]);
            return self.add(Node::Binary { op, lhs, rhs });
        }
        if self.source.chance(64) {
            let site = self.site();
            let op = self.source.pick(&CheckedOp::ALL);
            return self.add(Node::Checked { op, lhs, rhs, site });
        }
        let op = self.source.pick(&[Add, Sub, Mul, Min, Max, BitAnd, BitOr, BitXor, Shl, Shr]);
        self.add(Node::Binary { op, lhs, rhs })
    }

    /// A long chain to the left, as conjunctions of guards and sums of rates make them.
    fn chain(&mut self, first: ExprId) -> ExprId {
        let ty = self.kernel.exprs.ty(first);
        let mut id = first;
        for _ in 0..self.source.below(64) {
            let rhs = self.leaf(ty);
            id = self.combine(ty, ty, id, rhs);
        }
        id
    }

    pub(super) fn site(&mut self) -> Site {
        Site(self.source.below(self.kernel.sites.len() as u32))
    }
}
