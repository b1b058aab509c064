//! Expressions as nodes. Their depth is limited by the parser.

use super::classes::Kind;
use super::units::{Fields, Units};
use crate::builder::flag;
use volvelle_diagnostics::Span;
use volvelle_promela::ast::{BinaryOp, ChannelQuery, ExprId, ExprKind, UnaryOp};
use volvelle_trees::NodeId;

impl Units<'_> {
    pub(super) fn expression(&mut self, id: ExprId) -> NodeId {
        let expr = self.model.exprs.get(id);
        let span = self.span(expr.place);
        let (kind, fields): (Kind, Fields) = match &expr.kind {
            ExprKind::Number(_) => (Kind::NumberLiteral, Vec::new()),
            ExprKind::Timeout => (Kind::Timeout, Vec::new()),
            ExprKind::Else => (Kind::Else, Vec::new()),
            ExprKind::Error => (Kind::MissingExpression, Vec::new()),
            ExprKind::Text(text) => (Kind::TextLiteral, vec![("value", self.builder.text(text, span))]),
            ExprKind::Name(name) => (Kind::NameUse, vec![self.name(name)]),
            ExprKind::Index { base, index } => {
                (Kind::IndexAccess, vec![self.expr("target", *base), self.expr("index", *index)])
            }
            ExprKind::Field { base, field } => {
                (Kind::FieldAccess, vec![self.expr("target", *base), self.name(field)])
            }
            ExprKind::Unary { op, arg } => {
                let operator = ("operator", self.builder.text(unary(*op), Span { end: span.start, ..span }));
                (Kind::Unary, vec![operator, self.expr("operand", *arg)])
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let left = self.expr("left", *lhs);
                let right = self.expr("right", *rhs);
                let place = self.between(left.1.end, right.1.start, span);
                let operator = ("operator", self.builder.text(binary(*op), place));
                (Kind::Binary, vec![left, operator, right])
            }
            ExprKind::Conditional { cond, yes, no } => {
                let fields =
                    vec![self.expr("condition", *cond), self.expr("then", *yes), self.expr("otherwise", *no)];
                (Kind::Conditional, fields)
            }
            ExprKind::Run { name, args, priority } => {
                let mut fields = vec![self.name(name), ("arguments", self.exprs(args))];
                fields.extend(priority.map(|priority| self.expr("priority", priority)));
                (Kind::Run, fields)
            }
            ExprKind::Query { query, channel } => {
                let query =
                    ("query", self.builder.text(channel_query(*query), Span { end: span.start, ..span }));
                (Kind::ChannelQuery, vec![query, self.expr("channel", *channel)])
            }
            ExprKind::Poll { channel, random, args } => {
                let fields = vec![
                    self.expr("channel", *channel),
                    ("isRandom", flag(*random, span)),
                    ("arguments", self.exprs(args)),
                ];
                (Kind::Poll, fields)
            }
            ExprKind::Eval(arg) => (Kind::Eval, vec![self.expr("operand", *arg)]),
            ExprKind::Enabled(arg) => self.query("enabled", &[*arg], span),
            ExprKind::PcValue(arg) => self.query("pc_value", &[*arg], span),
            ExprKind::GetPriority(arg) => self.query("get_priority", &[*arg], span),
            ExprKind::SetPriority(process, priority) => {
                self.query("set_priority", &[*process, *priority], span)
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                let mut fields = vec![("process", self.text_of(process)), ("label", self.text_of(label))];
                fields.extend(pid.map(|pid| self.expr("pid", pid)));
                (Kind::RemoteLabel, fields)
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                let mut fields = vec![("process", self.text_of(process))];
                fields.extend(pid.map(|pid| self.expr("pid", pid)));
                fields.push(self.expr("variable", *variable));
                (Kind::RemoteVariable, fields)
            }
        };
        self.builder.around(kind.id(), span, &fields)
    }

    fn query(&mut self, word: &str, operands: &[ExprId], span: Span) -> (Kind, Fields) {
        let query = ("query", self.builder.text(word, Span { end: span.start, ..span }));
        (Kind::ProcessQuery, vec![query, ("operands", self.exprs(operands))])
    }

    /// The text between two operands without blanks; the whole where they came through one call.
    fn between(&self, from: u32, to: u32, whole: Span) -> Span {
        let Some(gap) = self.text.get(from as usize..to as usize) else { return whole };
        let start = from + (gap.len() - gap.trim_start().len()) as u32;
        Span { start, end: start + gap.trim().len() as u32, ..whole }
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    use BinaryOp as B;
    match op {
        B::Add => "+",
        B::Sub => "-",
        B::Mul => "*",
        B::Div => "/",
        B::Rem => "%",
        B::BitAnd => "&",
        B::BitOr => "|",
        B::BitXor => "^",
        B::Shl => "<<",
        B::Shr => ">>",
        B::Lt => "<",
        B::Le => "<=",
        B::Gt => ">",
        B::Ge => ">=",
        B::Eq => "==",
        B::Ne => "!=",
        B::And => "&&",
        B::Or => "||",
        B::Implies => "->",
        B::Equivalent => "<->",
        B::Until => "U",
        B::WeakUntil => "W",
        B::Release => "V",
    }
}

fn channel_query(query: ChannelQuery) -> &'static str {
    match query {
        ChannelQuery::Len => "len",
        ChannelQuery::Empty => "empty",
        ChannelQuery::NonEmpty => "nempty",
        ChannelQuery::Full => "full",
        ChannelQuery::NonFull => "nfull",
    }
}
