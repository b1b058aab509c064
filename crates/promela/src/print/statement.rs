//! Prints statements. Recursion is as deep as the tree, which the parser limits.

use super::declaration::declaration;
use super::expr::{expr, list};
use crate::ast::{Exprs, Sequence, Statement, StatementKind};

/// `{ statements }`, on lines of their own.
pub(super) fn body(exprs: &Exprs, sequence: &Sequence) -> String {
    let mut printer = Printer { exprs, out: String::new(), indent: 0 };
    printer.block(sequence);
    printer.out
}

struct Printer<'a> {
    exprs: &'a Exprs,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn block(&mut self, sequence: &Sequence) {
        self.out.push('{');
        self.indent += 1;
        self.line();
        self.sequence(sequence);
        self.indent -= 1;
        self.line();
        self.out.push('}');
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for (i, statement) in sequence.statements.iter().enumerate() {
            if i > 0 {
                self.out.push(';');
                self.line();
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        for label in &statement.labels {
            self.out.push_str(&label.text);
            self.out.push_str(": ");
        }
        let exprs = self.exprs;
        let one = |id| expr(exprs, id);
        let text = match &statement.kind {
            StatementKind::Declaration(found) => declaration(exprs, found),
            StatementKind::Exclusive { receive, channels } => {
                format!("{} {}", if *receive { "xr" } else { "xs" }, list(exprs, channels))
            }
            StatementKind::Expression(id) => one(*id),
            StatementKind::Assign { target, value } => format!("{} = {}", one(*target), one(*value)),
            StatementKind::Increment(target) => format!("{}++", one(*target)),
            StatementKind::Decrement(target) => format!("{}--", one(*target)),
            StatementKind::Send { channel, sorted, args } => {
                format!("{} {} {}", one(*channel), if *sorted { "!!" } else { "!" }, list(exprs, args))
            }
            StatementKind::Receive { channel, random, keep, args } => {
                let sign = if *random { "??" } else { "?" };
                let args = list(exprs, args);
                let args = if *keep { format!("<{args}>") } else { args };
                format!("{} {sign} {args}", one(*channel))
            }
            StatementKind::If(options) => return self.options("if", options, "fi"),
            StatementKind::Do(options) => return self.options("do", options, "od"),
            StatementKind::For { variable, from, to, body } => {
                let head = format!("for ({} : {} .. {}) ", one(*variable), one(*from), one(*to));
                self.out.push_str(&head);
                return self.block(body);
            }
            StatementKind::ForIn { variable, collection, body } => {
                self.out.push_str(&format!("for ({} in {}) ", one(*variable), one(*collection)));
                return self.block(body);
            }
            StatementKind::Select { variable, from, to } => {
                format!("select ({} : {} .. {})", one(*variable), one(*from), one(*to))
            }
            StatementKind::Atomic(body) => {
                self.out.push_str("atomic ");
                return self.block(body);
            }
            StatementKind::DStep(body) => {
                self.out.push_str("d_step ");
                return self.block(body);
            }
            StatementKind::Block(body) => return self.block(body),
            StatementKind::Unless { main, escape } => {
                self.block(main);
                self.out.push_str(" unless ");
                return self.block(escape);
            }
            StatementKind::Break => "break".into(),
            StatementKind::Goto(label) => format!("goto {}", label.text),
            StatementKind::Printf { format, args } if args.is_empty() => format!("printf(\"{format}\")"),
            StatementKind::Printf { format, args } => {
                format!("printf(\"{format}\", {})", list(exprs, args))
            }
            StatementKind::Printm(arg) => format!("printm({})", one(*arg)),
            StatementKind::Assert(condition) => format!("assert({})", one(*condition)),
            StatementKind::Error => "⟨error⟩".into(),
        };
        self.out.push_str(&text);
    }

    fn options(&mut self, word: &str, options: &[Sequence], end: &str) {
        self.out.push_str(word);
        for option in options {
            self.line();
            self.out.push_str(":: ");
            self.indent += 1;
            self.sequence(option);
            self.indent -= 1;
        }
        self.line();
        self.out.push_str(end);
    }
}
