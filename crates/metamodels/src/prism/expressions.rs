//! Expressions as nodes.

use super::classes::Kind;
use crate::builder::{Builder, flag};
use volvelle_diagnostics::Span;
use volvelle_prism::ast::{BinaryOp, ExprId, ExprKind, Exprs};
use volvelle_trees::{NodeId, Placed};

/// The nodes of the expressions that declarations hold. Those of declarations that could not be read have none.
///
/// Operands have smaller numbers than what they stand in: two passes, and no depth of a text uses the stack.
pub(super) fn nodes(
    builder: &mut Builder<'_>,
    exprs: &Exprs,
    roots: &[ExprId],
    text: &str,
) -> Vec<Option<NodeId>> {
    let mut is_held = vec![false; exprs.len()];
    for root in roots {
        is_held[root.index()] = true;
    }
    for id in exprs.ids().rev() {
        if is_held[id.index()] {
            exprs.get(id).kind.for_each_child(|inner| is_held[inner.index()] = true);
        }
    }
    let mut nodes = vec![None; exprs.len()];
    for id in exprs.ids() {
        if is_held[id.index()] {
            nodes[id.index()] = Some(node(builder, exprs, id, &nodes, text));
        }
    }
    nodes
}

fn node(
    builder: &mut Builder<'_>,
    exprs: &Exprs,
    id: ExprId,
    nodes: &[Option<NodeId>],
    text: &str,
) -> NodeId {
    let span = exprs.span(id);
    let of = |builder: &Builder<'_>, id: ExprId| {
        nodes[id.index()].map_or_else(Placed::default, |node| builder.child(node))
    };
    let kind = &exprs.get(id).kind;
    let (class, fields): (Kind, Vec<(&str, Placed)>) = match kind {
        ExprKind::Int(_) | ExprKind::Real(_) => {
            let written = &text[span.start as usize..span.end as usize];
            let class =
                if matches!(kind, ExprKind::Int(_)) { Kind::IntegerLiteral } else { Kind::RealLiteral };
            (class, vec![("value", builder.text(written, span))])
        }
        ExprKind::Bool(value) => (Kind::BooleanLiteral, vec![("value", flag(*value, span))]),
        ExprKind::Ident(name) => (Kind::NameUse, vec![("name", builder.text(name, span))]),
        ExprKind::Label(name) => (Kind::LabelUse, vec![("name", builder.text(name, span))]),
        ExprKind::Paren(inner) => (Kind::Paren, vec![("operand", of(builder, *inner))]),
        ExprKind::Neg(inner) => (Kind::Negation, vec![("operand", of(builder, *inner))]),
        ExprKind::Not(inner) => (Kind::Not, vec![("operand", of(builder, *inner))]),
        ExprKind::Binary { op, lhs, rhs } => {
            let place = operator(text, exprs.span(*lhs), *op);
            let operator = builder.text(op.symbol(), place);
            let fields =
                vec![("left", of(builder, *lhs)), ("operator", operator), ("right", of(builder, *rhs))];
            (class_of(*op), fields)
        }
        ExprKind::Ite { cond, yes, no } => {
            let fields = vec![
                ("condition", of(builder, *cond)),
                ("then", of(builder, *yes)),
                ("otherwise", of(builder, *no)),
            ];
            (Kind::Conditional, fields)
        }
        ExprKind::Call { function, args } => {
            let name = function.name();
            let function = builder.text(name, word(text, span, name));
            let all: Vec<NodeId> = args.iter().filter_map(|arg| nodes[arg.index()]).collect();
            (Kind::Call, vec![("function", function), ("arguments", builder.children(all))])
        }
        other => {
            let mut all = Vec::new();
            other.for_each_child(|inner| all.extend(nodes[inner.index()]));
            (Kind::PropertyOperator, vec![("operands", builder.children(all))])
        }
    };
    builder.node(class.id(), span, &fields)
}

fn class_of(op: BinaryOp) -> Kind {
    use BinaryOp as B;
    match op {
        B::Implies | B::Iff | B::Or | B::And => Kind::Logical,
        B::Eq | B::Ne => Kind::Equality,
        B::Lt | B::Le | B::Gt | B::Ge => Kind::Relation,
        B::Add | B::Sub => Kind::Additive,
        B::Mul => Kind::Product,
        B::Div => Kind::Quotient,
        B::Pow => Kind::Power,
    }
}

/// Where an operator stands: behind its left operand and the comments there. What is written may be a form that was forgiven.
fn operator(text: &str, left: Span, op: BinaryOp) -> Span {
    let mut at = left.end as usize;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        match text[at..].strip_prefix("//") {
            Some(comment) => at += 2 + comment.find('\n').unwrap_or(comment.len()),
            None => break,
        }
    }
    let length = if text[at..].starts_with(op.symbol()) { op.symbol().len() } else { 0 };
    Span { start: at as u32, end: (at + length) as u32, ..left }
}

/// Where a function is named: at the start of a call, or behind `func(`.
fn word(text: &str, span: Span, name: &str) -> Span {
    let inside = &text[span.start as usize..span.end as usize];
    match inside.find(name) {
        Some(at) => {
            let start = span.start + at as u32;
            Span { start, end: start + name.len() as u32, ..span }
        }
        None => Span { end: span.start, ..span },
    }
}
