//! Prints expressions, with an explicit stack: chains may be long.

use crate::ast::{ChannelQuery, ExprId, ExprKind, Exprs};
use crate::parse::operators::{UNARY, binary_text, binding, unary_text};
use std::borrow::Cow;

/// Binds tighter than all operators.
const ATOM: u8 = UNARY + 1;

enum Piece {
    Text(Cow<'static, str>),
    /// In parentheses, unless it binds at least as tightly as the level.
    Expr(ExprId, u8),
}

/// An expression as text.
pub fn expr(exprs: &Exprs, id: ExprId) -> String {
    let mut out = String::new();
    let mut waiting = vec![Piece::Expr(id, 0)];
    while let Some(piece) = waiting.pop() {
        match piece {
            Piece::Text(text) => out.push_str(&text),
            Piece::Expr(id, least) => {
                let kind = &exprs.get(id).kind;
                let level = level(kind);
                let mut pieces = Vec::new();
                if level < least {
                    pieces.push(text("("));
                }
                push(kind, &mut pieces);
                if level < least {
                    pieces.push(text(")"));
                }
                waiting.extend(pieces.into_iter().rev());
            }
        }
    }
    out
}

/// Expressions with commas between them.
pub(super) fn list(exprs: &Exprs, ids: &[ExprId]) -> String {
    let all: Vec<String> = ids.iter().map(|&id| expr(exprs, id)).collect();
    all.join(", ")
}

fn text(text: impl Into<Cow<'static, str>>) -> Piece {
    Piece::Text(text.into())
}

fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Unary { .. } => UNARY,
        ExprKind::Binary { op, .. } => binding(*op),
        // Not a constant of the language; it reads back as a negation.
        ExprKind::Number(value) if *value < 0 => UNARY,
        _ => ATOM,
    }
}

fn push_list(ids: &[ExprId], out: &mut Vec<Piece>) {
    for (i, &id) in ids.iter().enumerate() {
        if i > 0 {
            out.push(text(", "));
        }
        out.push(Piece::Expr(id, 0));
    }
}

fn push_call(name: &'static str, args: &[ExprId], out: &mut Vec<Piece>) {
    out.extend([text(name), text("(")]);
    push_list(args, out);
    out.push(text(")"));
}

fn push_process(process: &str, pid: Option<ExprId>, out: &mut Vec<Piece>) {
    out.push(text(process.to_owned()));
    if let Some(pid) = pid {
        out.extend([text("["), Piece::Expr(pid, 0), text("]")]);
    }
}

fn push(kind: &ExprKind, out: &mut Vec<Piece>) {
    match kind {
        ExprKind::Number(value) => out.push(text(value.to_string())),
        ExprKind::Name(name) => out.push(text(name.text.clone())),
        ExprKind::Index { base, index } => {
            out.extend([Piece::Expr(*base, ATOM), text("["), Piece::Expr(*index, 0), text("]")]);
        }
        ExprKind::Field { base, field } => {
            out.extend([Piece::Expr(*base, ATOM), text("."), text(field.text.clone())]);
        }
        ExprKind::Unary { op, arg } => {
            // The blank keeps `- - a` from being `--a`, and `! !a` from being `!!a`.
            out.extend([text(unary_text(*op)), text(" "), Piece::Expr(*arg, UNARY)]);
        }
        ExprKind::Binary { op, lhs, rhs } => {
            let own = binding(*op);
            out.extend([
                Piece::Expr(*lhs, own),
                text(format!(" {} ", binary_text(*op))),
                Piece::Expr(*rhs, own + 1),
            ]);
        }
        ExprKind::Conditional { cond, yes, no } => {
            out.extend([
                text("("),
                Piece::Expr(*cond, 0),
                text(" -> "),
                Piece::Expr(*yes, 0),
                text(" : "),
                Piece::Expr(*no, 0),
                text(")"),
            ]);
        }
        ExprKind::Run { name, args, priority } => {
            out.extend([text("run "), text(name.text.clone()), text("(")]);
            push_list(args, out);
            out.push(text(")"));
            if let Some(priority) = priority {
                out.extend([text(" priority "), Piece::Expr(*priority, ATOM)]);
            }
        }
        ExprKind::Query { query, channel } => {
            let name = match query {
                ChannelQuery::Len => "len",
                ChannelQuery::Empty => "empty",
                ChannelQuery::NonEmpty => "nempty",
                ChannelQuery::Full => "full",
                ChannelQuery::NonFull => "nfull",
            };
            push_call(name, &[*channel], out);
        }
        ExprKind::Poll { channel, random, args } => {
            let open = if *random { "??[" } else { "?[" };
            out.extend([Piece::Expr(*channel, ATOM), text(open)]);
            push_list(args, out);
            out.push(text("]"));
        }
        ExprKind::Eval(inner) => push_call("eval", &[*inner], out),
        ExprKind::Enabled(pid) => push_call("enabled", &[*pid], out),
        ExprKind::PcValue(pid) => push_call("pc_value", &[*pid], out),
        ExprKind::GetPriority(pid) => push_call("get_priority", &[*pid], out),
        ExprKind::SetPriority(pid, priority) => push_call("set_priority", &[*pid, *priority], out),
        ExprKind::Timeout => out.push(text("timeout")),
        ExprKind::Else => out.push(text("else")),
        ExprKind::RemoteLabel { process, pid, label } => {
            push_process(&process.text, *pid, out);
            out.extend([text("@"), text(label.text.clone())]);
        }
        ExprKind::RemoteVariable { process, pid, variable } => {
            push_process(&process.text, *pid, out);
            out.extend([text(":"), Piece::Expr(*variable, ATOM)]);
        }
        ExprKind::Text(inside) => out.push(text(format!("\"{inside}\""))),
        ExprKind::Error => out.push(text("⟨error⟩")),
    }
}
