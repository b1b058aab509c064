//! Statements as nodes. Their depth is limited by the parser.

use super::classes::Kind;
use super::units::{Fields, Units};
use crate::builder::flag;
use volvelle_diagnostics::Span;
use volvelle_promela::ast::{Sequence, Statement, StatementKind};
use volvelle_trees::{NodeId, Placed};

impl Units<'_> {
    pub(super) fn sequence(&mut self, sequence: &Sequence) -> Placed {
        let all: Vec<NodeId> = sequence.statements.iter().map(|one| self.statement(one)).collect();
        self.builder.children(all)
    }

    fn statement(&mut self, one: &Statement) -> NodeId {
        use StatementKind as S;
        let span = self.span(one.place);
        let labels: Vec<NodeId> = one.labels.iter().map(|label| self.named(Kind::Label, label)).collect();
        let mut fields: Fields = vec![("labels", self.builder.children(labels))];
        let kind = match &one.kind {
            S::Declaration(declaration) => return self.declaration(declaration, fields),
            S::Exclusive { receive, channels } => {
                fields.push(("isReceive", flag(*receive, span)));
                fields.push(("channels", self.exprs(channels)));
                Kind::Exclusive
            }
            S::Expression(expression) => {
                fields.push(self.expr("expression", *expression));
                Kind::ExpressionStatement
            }
            S::Assign { target, value } => {
                fields.push(self.expr("target", *target));
                fields.push(self.expr("value", *value));
                Kind::Assignment
            }
            S::Increment(target) => {
                fields.push(self.expr("target", *target));
                Kind::Increment
            }
            S::Decrement(target) => {
                fields.push(self.expr("target", *target));
                Kind::Decrement
            }
            S::Send { channel, sorted, args } => {
                fields.push(self.expr("channel", *channel));
                fields.push(("isSorted", flag(*sorted, span)));
                fields.push(("arguments", self.exprs(args)));
                Kind::Send
            }
            S::Receive { channel, random, keep, args } => {
                fields.push(self.expr("channel", *channel));
                fields.push(("isRandom", flag(*random, span)));
                fields.push(("isKept", flag(*keep, span)));
                fields.push(("arguments", self.exprs(args)));
                Kind::Receive
            }
            S::If(all) => {
                fields.push(("alternatives", self.alternatives(all, span)));
                Kind::If
            }
            S::Do(all) => {
                fields.push(("alternatives", self.alternatives(all, span)));
                Kind::Do
            }
            S::For { variable, from, to, body } => {
                fields.push(self.expr("variable", *variable));
                fields.push(self.expr("start", *from));
                fields.push(self.expr("end", *to));
                fields.push(("body", self.sequence(body)));
                Kind::For
            }
            S::ForIn { variable, collection, body } => {
                fields.push(self.expr("variable", *variable));
                fields.push(self.expr("collection", *collection));
                fields.push(("body", self.sequence(body)));
                Kind::ForIn
            }
            S::Select { variable, from, to } => {
                fields.push(self.expr("variable", *variable));
                fields.push(self.expr("start", *from));
                fields.push(self.expr("end", *to));
                Kind::Select
            }
            S::Atomic(body) => self.body(Kind::Atomic, body, &mut fields),
            S::DStep(body) => self.body(Kind::DStep, body, &mut fields),
            S::Block(body) => self.body(Kind::Block, body, &mut fields),
            S::Unless { main, escape } => {
                fields.push(("body", self.sequence(main)));
                fields.push(("escape", self.sequence(escape)));
                Kind::Unless
            }
            S::Break => Kind::Break,
            S::Goto(label) => {
                fields.push(("label", self.text_of(label)));
                Kind::Goto
            }
            S::Printf { format, args } => {
                fields.push(("format", self.builder.text(format, span)));
                fields.push(("arguments", self.exprs(args)));
                Kind::Print
            }
            S::Printm(value) => {
                fields.push(self.expr("value", *value));
                Kind::PrintMessageType
            }
            S::Assert(condition) => {
                fields.push(self.expr("condition", *condition));
                Kind::Assert
            }
            S::Error => Kind::MissingStatement,
        };
        self.builder.around(kind.id(), span, &fields)
    }

    fn body(&mut self, kind: Kind, body: &Sequence, fields: &mut Fields) -> Kind {
        fields.push(("body", self.sequence(body)));
        kind
    }

    /// An alternative has the place of its statements; without any, that behind the one before it.
    fn alternatives(&mut self, all: &[Sequence], span: Span) -> Placed {
        let mut nodes = Vec::new();
        let mut at = span.start;
        for one in all {
            let body = self.sequence(one);
            let place = match one.statements.is_empty() {
                true => Span { start: at, end: at, ..span },
                false => Span { start: body.start, end: body.end, ..span },
            };
            at = place.end;
            nodes.push(self.builder.around(Kind::Alternative.id(), place, &[("body", body)]));
        }
        self.builder.children(nodes)
    }
}
