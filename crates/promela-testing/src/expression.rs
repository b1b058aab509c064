//! Random expressions and formulas.

use super::model::Writer;
use volvelle_promela::ast::{BinaryOp, ChannelQuery, ExprId, ExprKind, Place, UnaryOp};

const VARIABLES: [&str; 5] = ["a", "b", "c1", "_pid", "in"];
const CHANNELS: [&str; 3] = ["q", "r", "STDIN"];
const QUERIES: [ChannelQuery; 5] = [
    ChannelQuery::Len,
    ChannelQuery::Empty,
    ChannelQuery::NonEmpty,
    ChannelQuery::Full,
    ChannelQuery::NonFull,
];
const BINARY: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::And,
    BinaryOp::Or,
];
const TEMPORAL: [BinaryOp; 7] = [
    BinaryOp::Implies,
    BinaryOp::Equivalent,
    BinaryOp::Until,
    BinaryOp::WeakUntil,
    BinaryOp::Release,
    BinaryOp::And,
    BinaryOp::Or,
];

impl Writer<'_, '_> {
    pub(super) fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.model.exprs.add(kind, Place(0))
    }

    pub(super) fn number(&mut self) -> ExprId {
        let value = self.choices.pick(&[0, 1, 2, 7, 255, 1 << 31]);
        self.expr(ExprKind::Number(value))
    }

    /// A name with indices and fields.
    pub(super) fn variable(&mut self, depth: usize) -> ExprId {
        let names = if self.choices.one_in(4) { &CHANNELS[..] } else { &VARIABLES[..] };
        let name = self.choices.pick(names);
        let name = self.name(name);
        let mut expr = self.expr(ExprKind::Name(name));
        loop {
            if depth > 0 && self.choices.one_in(4) {
                let index = self.expression(depth - 1);
                expr = self.expr(ExprKind::Index { base: expr, index });
            }
            if !self.choices.one_in(6) {
                return expr;
            }
            let field = self.name("f");
            expr = self.expr(ExprKind::Field { base: expr, field });
        }
    }

    pub(super) fn list(&mut self, depth: usize, most: usize) -> Vec<ExprId> {
        let count = self.choices.below(most + 1);
        (0..count).map(|_| self.expression(depth)).collect()
    }

    /// Arguments of a receive.
    pub(super) fn received(&mut self, depth: usize) -> Vec<ExprId> {
        let count = 1 + self.choices.below(3);
        (0..count)
            .map(|_| match self.choices.below(4) {
                0 => self.variable(depth),
                1 => self.number(),
                2 => {
                    let arg = self.number();
                    self.expr(ExprKind::Unary { op: UnaryOp::Neg, arg })
                }
                _ => {
                    let inner = self.expression(depth);
                    self.expr(ExprKind::Eval(inner))
                }
            })
            .collect()
    }

    /// An expression of states.
    pub(super) fn expression(&mut self, depth: usize) -> ExprId {
        self.state_expression(depth, true)
    }

    fn state_expression(&mut self, depth: usize, conditionals: bool) -> ExprId {
        if depth == 0 {
            return if self.choices.one_in(2) { self.number() } else { self.variable(0) };
        }
        let depth = depth - 1;
        let kind = match self.choices.below(18) {
            0..=5 => ExprKind::Binary {
                op: self.choices.pick(&BINARY),
                lhs: self.state_expression(depth, conditionals),
                rhs: self.state_expression(depth, conditionals),
            },
            6..=7 => ExprKind::Unary {
                op: self.choices.pick(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement]),
                arg: self.state_expression(depth, conditionals),
            },
            8 if conditionals => ExprKind::Conditional {
                cond: self.expression(depth),
                yes: self.expression(depth),
                no: self.expression(depth),
            },
            9 => ExprKind::Query { query: self.choices.pick(&QUERIES), channel: self.variable(depth) },
            10 if conditionals => ExprKind::Poll {
                channel: self.variable(depth),
                random: self.choices.one_in(2),
                args: self.received(depth),
            },
            11 if conditionals => ExprKind::Run {
                name: self.name("p0"),
                args: self.list(depth, 2),
                priority: if self.choices.one_in(3) { Some(self.number()) } else { None },
            },
            12 => {
                let pid = self.state_expression(depth, false);
                match self.choices.below(3) {
                    0 => ExprKind::Enabled(pid),
                    1 => ExprKind::PcValue(pid),
                    _ => ExprKind::GetPriority(pid),
                }
            }
            13 => ExprKind::Timeout,
            14 => ExprKind::RemoteLabel {
                process: self.name("p9"),
                pid: if self.choices.one_in(2) { Some(self.state_expression(depth, false)) } else { None },
                label: self.name("l0"),
            },
            15 => ExprKind::RemoteVariable {
                process: self.name("p0"),
                pid: if self.choices.one_in(2) { Some(self.state_expression(depth, false)) } else { None },
                variable: self.variable(0),
            },
            _ => return self.state_expression(0, conditionals),
        };
        self.expr(kind)
    }

    /// A formula of linear temporal logic.
    pub(super) fn formula(&mut self, depth: usize) -> ExprId {
        if depth == 0 || self.choices.one_in(5) {
            return self.state_expression(depth.min(2), false);
        }
        let depth = depth - 1;
        let kind = if self.choices.one_in(2) {
            let ops = [UnaryOp::Always, UnaryOp::Eventually, UnaryOp::Next, UnaryOp::Not];
            ExprKind::Unary { op: self.choices.pick(&ops), arg: self.formula(depth) }
        } else {
            ExprKind::Binary {
                op: self.choices.pick(&TEMPORAL),
                lhs: self.formula(depth),
                rhs: self.formula(depth),
            }
        };
        self.expr(kind)
    }
}
