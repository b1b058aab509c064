//! Procedures that call themselves, which cannot be written out.

use super::globals::{Globals, Symbol};
use super::report::Report;
use crate::syntax::{Expr, ExprKind, Procedure, Statement};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// The calls in a procedure: the procedure that is called, and where.
fn calls(globals: &Globals, procedure: &Procedure) -> Vec<(usize, Span)> {
    let mut calls = Vec::new();
    let mut statements: Vec<&Statement> = procedure.body.statements.iter().collect();
    let mut expressions: Vec<&Expr> = Vec::new();
    while let Some(statement) = statements.pop() {
        statement.kind.for_each_inner(|inner| statements.push(inner));
        expressions.extend(statement.kind.expressions());
    }
    while let Some(expr) = expressions.pop() {
        expressions.extend(expr.parts());
        if let ExprKind::Call(name, _) = &expr.kind
            && let Some((Symbol::Procedure(number), _)) = globals.names.get(name.text.as_str())
        {
            calls.push((*number, name.span));
        }
    }
    calls.sort_by_key(|(_, span)| span.start);
    calls
}

/// Reports each circle of calls that a search in depth finds.
pub(super) fn check(globals: &Globals, report: &mut Report) {
    let all: Vec<_> = globals.procedures.iter().map(|procedure| calls(globals, procedure)).collect();
    let mut done = vec![false; all.len()];
    for root in 0..all.len() {
        if done[root] {
            continue;
        }
        // The procedures on the way, and the next of their calls.
        let mut way = vec![(root, 0)];
        while let Some((procedure, at)) = way.last_mut() {
            let procedure = *procedure;
            let Some(&(called, span)) = all[procedure].get(*at) else {
                done[procedure] = true;
                way.pop();
                continue;
            };
            *at += 1;
            if let Some(start) = way.iter().position(|(on_way, _)| *on_way == called) {
                let names: Vec<&str> = way[start..]
                    .iter()
                    .map(|(on_way, _)| globals.procedures[*on_way].name.text.as_str())
                    .collect();
                report.push(circle(globals, called, &names, span));
            } else if !done[called] {
                way.push((called, 0));
            }
        }
    }
}

fn circle(globals: &Globals, called: usize, names: &[&str], span: Span) -> Diagnostic {
    let name = &globals.procedures[called].name;
    let message = match names {
        [_] => format!("`{}` calls itself", name.text),
        _ => format!("`{}` calls itself: {} -> {}", name.text, names.join(" -> "), name.text),
    };
    Diagnostic::error(codes::PRIMITIVE_SIZE, message)
        .at(span, "with this call")
        .also(name.span, "declared here")
        .help("write a loop: procedures are written out where they are called, hence none may call itself")
}
