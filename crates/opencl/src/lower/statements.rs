//! Statements other than loops.

use super::functions::space_of;
use super::{End, Lowerer, Space, Value};
use crate::expression::{Expr, Names, Printer, add, mul};
use crate::kernel::{Node, Test};
use tree_sitter::Node as Syntax;

/// Limit of nested statements, and of chains of early returns.
const DEPTH_LIMIT: usize = 100;

impl<'t> Lowerer<'t> {
    /// A compound statement or a single one, which is a separate scope.
    pub(super) fn block(&mut self, node: Syntax<'_>) -> End {
        let outer = self.env.len();
        let end = if node.kind() == "compound_statement" {
            let mut cursor = node.walk();
            let list: Vec<Syntax<'_>> = node.named_children(&mut cursor).collect();
            self.statements(&list)
        } else {
            self.statements(&[node])
        };
        self.env.truncate(outer);
        end
    }

    pub(super) fn statements(&mut self, list: &[Syntax<'_>]) -> End {
        self.depth += 1;
        let mut end = End::Falls;
        for (at, &statement) in list.iter().enumerate() {
            if self.depth > DEPTH_LIMIT {
                self.refuse(statement, "the code nests too deep", "move a part into a function with `cost`");
                break;
            }
            if statement.kind() == "if_statement" && !self.is_priced(statement) {
                // The statements after an early return belong to the other branch.
                let (ended, took_rest) = self.conditional(statement, &list[at + 1..]);
                end = ended;
                if took_rest || end == End::Leaves {
                    break;
                }
                continue;
            }
            if is_loop(statement) && !self.is_priced(statement) {
                // The following statements are executed unless the loop returned from the function.
                if let Some(returned) = self.any_loop(statement) {
                    let stays = returned.negate();
                    self.path.push(Some(stays.clone()));
                    let (then, ended) = self.collect(|lowerer| lowerer.statements(&list[at + 1..]));
                    self.path.pop();
                    if !then.is_empty() {
                        let (test, span) = (Test::Known(stays), self.span(statement));
                        self.out.push(Node::If { test, span, then, other: Vec::new() });
                    }
                    end = ended;
                    break;
                }
                self.flush();
                continue;
            }
            end = self.statement(statement);
            self.flush();
            if end == End::Leaves {
                break;
            }
        }
        self.depth -= 1;
        end
    }

    /// Whether an annotation gives the cost of a statement.
    fn is_priced(&mut self, node: Syntax<'_>) -> bool {
        self.annotation(node, "cost").is_some()
    }

    fn statement(&mut self, node: Syntax<'_>) -> End {
        if self.is_priced(node) {
            if let Some(cost) = self.annotated_expression(node, "cost") {
                self.charge.annotated.push(cost);
            }
            // Nothing is known of what it does.
            let changed = super::scan::assigned(&[node], &self.cleaned.code);
            for name in changed.keys() {
                self.assign(name, Value::Data);
            }
            self.declare_unknown(node);
            return End::Falls;
        }
        match node.kind() {
            "expression_statement" => {
                if let Some(expression) = node.named_child(0) {
                    self.expression(expression);
                }
            }
            "declaration" => self.declaration(node),
            "compound_statement" => return self.block(node),
            "if_statement" => return self.conditional(node, &[]).0,
            "for_statement" | "while_statement" | "do_statement" => {
                self.any_loop(node);
            }
            "return_statement" => {
                if let Some(expression) = node.named_child(0) {
                    self.expression(expression);
                }
                self.note_exit(true);
                return End::Leaves;
            }
            "continue_statement" => return End::Leaves,
            "break_statement" => {
                let help = "give the number of iterations before the loop: `// volvelle: trips = size / TS`";
                let is_known = self.note_exit(false);
                if !is_known && !self.in_annotated_loop() {
                    self.refuse(node, "`break` makes the number of iterations depend on data", help);
                }
                return End::Leaves;
            }
            "switch_statement" => return self.switch(node),
            "goto_statement" | "labeled_statement" => {
                let what = node.kind().trim_end_matches("_statement");
                let message = format!("a {what} cannot be abstracted");
                let help = "write `if` and loops, or give its time: `// volvelle: cost = 20`";
                self.refuse(node, message, help);
            }
            "type_definition" | "struct_specifier" | "union_specifier" | "enum_specifier" | "comment" => {}
            _ => {
                let message = "this statement cannot be abstracted";
                self.refuse(node, message, "give its time before it: `// volvelle: cost = 20`");
            }
        }
        End::Falls
    }

    /// Variables that a statement with a given cost declares.
    fn declare_unknown(&mut self, node: Syntax<'_>) {
        if node.kind() == "declaration" {
            let before = self.charge.clone();
            self.declaration(node);
            self.charge = before;
        }
    }

    pub(super) fn declaration(&mut self, node: Syntax<'_>) {
        let marks = self.cleaned.code_before(node.start_byte())..node.end_byte();
        let space = self.cleaned.marks_in(marks).find_map(space_of);
        let bytes = self.type_bytes(node.child_by_field_name("type"));
        let is_real = self.is_real(node.child_by_field_name("type"));
        let mut cursor = node.walk();
        let declarators: Vec<Syntax<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let (declarator, initial) = match declarator.kind() {
                "init_declarator" => {
                    let inner = declarator.child_by_field_name("declarator");
                    (inner.unwrap_or(declarator), declarator.child_by_field_name("value"))
                }
                _ => (declarator, None),
            };
            let value = initial.filter(|v| v.kind() != "initializer_list").map(|v| self.expression(v));
            if let Some(name) = self.declare(declarator, space, bytes, value) {
                match is_real {
                    true => self.reals.insert(name),
                    false => self.reals.remove(&name),
                };
            }
        }
    }

    /// Declares a variable; returns its name.
    fn declare(
        &mut self,
        node: Syntax<'_>,
        space: Option<Space>,
        bytes: u32,
        initial: Option<Value>,
    ) -> Option<String> {
        let mut declarator = node;
        let mut dimensions = Vec::new();
        let mut is_pointer = false;
        while declarator.kind() != "identifier" {
            match declarator.kind() {
                "array_declarator" => {
                    let size = declarator.child_by_field_name("size");
                    dimensions.push(size.map_or(Value::Data, |size| self.expression(size)));
                }
                "pointer_declarator" => is_pointer = true,
                _ => {}
            }
            declarator = declarator.child_by_field_name("declarator")?;
        }
        let name = self.code(declarator).to_owned();
        if dimensions.is_empty() {
            let value = match initial {
                Some(value @ Value::Pointer { .. }) if is_pointer => value,
                Some(value @ Value::Int(_)) if !is_pointer => value,
                _ if is_pointer => {
                    let space = space.unwrap_or(Space::Private);
                    Value::Pointer { space, bytes, offset: None, inner: Vec::new() }
                }
                _ => Value::Data,
            };
            if space == Some(Space::Local) && !is_pointer {
                self.local_bytes = add(self.local_bytes.clone(), Expr::Int(i64::from(bytes)));
            }
            self.env.push((name.clone(), value));
            return Some(name);
        }
        // `a[2][3]` is declared inside out: the outermost declarator is the last dimension.
        dimensions.reverse();
        let mut lengths = Vec::new();
        for dimension in dimensions {
            match dimension {
                Value::Int(length) => lengths.push(length),
                _ => {
                    let help = "use parameters and constants; macros of the build are parameters";
                    self.refuse(node, "the length of this array is not known", help);
                    lengths.push(Expr::Int(1));
                }
            }
        }
        let space = space.unwrap_or(Space::Private);
        if space == Space::Local {
            let total = lengths.iter().cloned().fold(Expr::Int(i64::from(bytes)), mul);
            if total.dependence() != crate::expression::Dependence::default() {
                self.refuse(node, "the length of local memory depends on the work-item", "use parameters");
            } else {
                self.local_bytes = add(self.local_bytes.clone(), total);
            }
        }
        let inner = lengths.split_off(1);
        self.env.push((name.clone(), Value::Pointer { space, bytes, offset: Some(Expr::Int(0)), inner }));
        Some(name)
    }

    /// An `if`, with the statements that follow it. Returns how it ends, and whether those statements were
    /// taken into a branch.
    fn conditional(&mut self, node: Syntax<'_>, rest: &[Syntax<'_>]) -> (End, bool) {
        let taken = self.annotation(node, "taken");
        let Some(condition) = node.child_by_field_name("condition") else { return (End::Falls, false) };
        let value = self.expression(condition);
        self.flush();
        let taken = taken.map(|range| (self.text[range.clone()].trim().to_owned(), range));
        let test = match (value, taken.as_ref().map(|(word, _)| word.as_str())) {
            (_, Some("always")) => Test::Known(Expr::Int(1)),
            (_, Some("never")) => Test::Known(Expr::Int(0)),
            (_, Some("both")) => Test::Both,
            (value, Some(_)) => {
                let range = taken.map_or(0..0, |(_, range)| range);
                let span = self.span_of(range);
                let message = "`taken` is `always`, `never` or `both`";
                let diagnostic = volvelle_diagnostics::Diagnostic::error(
                    volvelle_diagnostics::codes::KERNEL_ANNOTATION,
                    message,
                );
                self.found.push(diagnostic.at(span, ""));
                drop(value);
                Test::Data
            }
            (Value::Int(test), None) => Test::Known(test),
            (_, None) => Test::Data,
        };
        let before = self.env.clone();
        let consequence = node.child_by_field_name("consequence");
        let alternative = node.child_by_field_name("alternative");
        let holds = if let Test::Known(test) = &test { Some(test.clone()) } else { None };
        let fails = holds.clone().map(Expr::negate);
        self.path.push(holds.clone());
        let (mut then, then_end) = self.branch(consequence);
        self.path.pop();
        let mut after_then = std::mem::replace(&mut self.env, before);
        self.path.push(fails.clone());
        let (mut other, other_end) = self.branch(alternative.and_then(|e| e.named_child(0)));
        self.path.pop();
        let mut took_rest = false;
        let end = match (then_end, other_end) {
            (End::Leaves, End::Leaves) => End::Leaves,
            (End::Falls, End::Falls) => End::Falls,
            (End::Leaves, End::Falls) => {
                self.path.push(fails);
                let (nodes, end) = self.collect(|lowerer| lowerer.statements(rest));
                self.path.pop();
                other.extend(nodes);
                took_rest = true;
                // The branch that left has no effect on the variables here.
                after_then = self.env.clone();
                end
            }
            (End::Falls, End::Leaves) => {
                self.env.clone_from(&after_then);
                self.path.push(holds);
                let (nodes, end) = self.collect(|lowerer| lowerer.statements(rest));
                self.path.pop();
                then.extend(nodes);
                took_rest = true;
                after_then.clone_from(&self.env);
                end
            }
        };
        let known = if let Test::Known(test) = &test { Some(test.clone()) } else { None };
        self.join(after_then, known.as_ref());
        if !then.is_empty() || !other.is_empty() {
            self.out.push(Node::If { test, span: self.span(condition), then, other });
        }
        (end, took_rest)
    }

    pub(super) fn branch(&mut self, node: Option<Syntax<'_>>) -> (Vec<Node>, End) {
        match node {
            Some(node) => self.collect(|lowerer| lowerer.block(node)),
            None => (Vec::new(), End::Falls),
        }
    }

    /// Joins the variables after the first branch with those after the second, which are the current ones.
    pub(super) fn join(&mut self, mut then: Vec<(String, Value)>, test: Option<&Expr>) {
        for ((_, a), (_, b)) in then.iter_mut().zip(self.env.iter_mut()) {
            if a == b {
                continue;
            }
            *b = match (a, &*b, test) {
                (Value::Int(a), Value::Int(b), Some(test)) => {
                    let both = Expr::choose(test.clone(), a.clone(), b.clone());
                    if both.is_too_deep() { Value::Data } else { Value::Int(both) }
                }
                (Value::Pointer { space, bytes, inner, .. }, Value::Pointer { .. }, _) => {
                    Value::Pointer { space: *space, bytes: *bytes, offset: None, inner: inner.clone() }
                }
                _ => Value::Data,
            };
        }
    }

    /// The text of an expression, for messages.
    pub(super) fn show(&self, expr: &Expr) -> String {
        let names: &Names = &self.names;
        Printer { expr, names }.to_string()
    }
}

fn is_loop(node: Syntax<'_>) -> bool {
    matches!(node.kind(), "for_statement" | "while_statement" | "do_statement")
}
