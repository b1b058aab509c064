//! `switch`: a chain of conditionals.

use super::lowerer::Scope;
use super::{End, Lowerer, Value};
use crate::expression::{Expr, Op};
use crate::kernel::{Node, Test};
use tree_sitter::Node as Syntax;

/// Consecutive labels with the statements after them.
struct Case<'n> {
    /// Values of the labels; `None` stands for `default`.
    values: Vec<Option<Syntax<'n>>>,
    statements: Vec<Syntax<'n>>,
    /// Whether it ends with a `break`.
    breaks: bool,
}

impl<'t> Lowerer<'t> {
    /// A `switch`. Cases end with `break`, or continue with the next one.
    pub(super) fn switch(&mut self, node: Syntax<'_>) -> End {
        let value = node.child_by_field_name("condition").map_or(Value::Data, |of| self.expression(of));
        self.flush();
        let Some(body) = node.child_by_field_name("body") else { return End::Falls };
        let cases = cases(body);
        let outer = self.env.len();
        self.scopes.push(Scope { is_loop: false, outside: self.path.len(), exits: Vec::new() });
        let end = self.chain(node, &value, &cases, 0);
        self.scopes.pop();
        self.env.truncate(outer);
        end
    }

    /// The cases from `at` on. `default` comes last, wherever it stands.
    fn chain(&mut self, node: Syntax<'_>, value: &Value, cases: &[Case<'_>], at: usize) -> End {
        let labelled = |case: &&Case<'_>| !case.values.contains(&None);
        let Some(case) = cases.iter().filter(labelled).nth(at) else {
            let default = cases.iter().position(|case| case.values.contains(&None));
            return default.map_or(End::Falls, |default| self.from(cases, default));
        };
        let number = cases.iter().position(|other| std::ptr::eq(other, case)).unwrap_or(at);
        let mut test = Some(Expr::Int(0));
        for label in case.values.iter().flatten() {
            let label = self.expression(*label);
            test = match (test, value, label) {
                (Some(test), Value::Int(value), Value::Int(label)) => {
                    Some(Expr::binary(Op::Or, test, Expr::binary(Op::Eq, value.clone(), label)))
                }
                _ => None,
            };
        }
        let before = self.env.clone();
        self.path.push(test.clone());
        let (then, then_end) = self.collect(|lowerer| lowerer.from(cases, number));
        self.path.pop();
        let after_then = std::mem::replace(&mut self.env, before);
        self.path.push(test.clone().map(Expr::negate));
        let (other, other_end) = self.collect(|lowerer| lowerer.chain(node, value, cases, at + 1));
        self.path.pop();
        if (then_end == End::Leaves) != (other_end == End::Leaves) {
            let message = "some cases of this switch leave the code around it, and others do not";
            self.refuse(node, message, "write `if`, or give its time: `// volvelle: cost = 20`");
        }
        self.join(after_then, test.as_ref());
        if !then.is_empty() || !other.is_empty() {
            let test = test.map_or(Test::Data, Test::Known);
            self.out.push(Node::If { test, span: self.span(node), then, other });
        }
        then_end
    }

    /// The statements from a case on, up to a `break`.
    fn from(&mut self, cases: &[Case<'_>], first: usize) -> End {
        for case in &cases[first..] {
            let end = self.statements(&case.statements);
            if end == End::Leaves || case.breaks {
                return end;
            }
        }
        End::Falls
    }
}

/// The cases of a body, in their order.
fn cases(body: Syntax<'_>) -> Vec<Case<'_>> {
    let mut found: Vec<Case<'_>> = Vec::new();
    let mut cursor = body.walk();
    let items: Vec<Syntax<'_>> =
        body.named_children(&mut cursor).filter(|item| item.kind() == "case_statement").collect();
    for item in items {
        let label = item.child_by_field_name("value");
        let mut walk = item.walk();
        let mut statements: Vec<Syntax<'_>> = item
            .named_children(&mut walk)
            .filter(|part| Some(*part) != label && part.kind() != "comment")
            .collect();
        // `case 1: { ...; break; }` is usual as well.
        if let [block] = statements.as_slice()
            && block.kind() == "compound_statement"
        {
            let mut inside = block.walk();
            statements = block.named_children(&mut inside).filter(|part| part.kind() != "comment").collect();
        }
        let breaks = statements.last().is_some_and(|last| last.kind() == "break_statement");
        if breaks {
            statements.pop();
        }
        match found.last_mut().filter(|last| last.statements.is_empty() && !last.breaks) {
            Some(last) => {
                last.values.push(label);
                (last.statements, last.breaks) = (statements, breaks);
            }
            None => found.push(Case { values: vec![label], statements, breaks }),
        }
    }
    found
}
