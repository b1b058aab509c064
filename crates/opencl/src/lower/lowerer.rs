//! The state of the symbolic execution of a kernel.

use crate::expression::{Expr, NameId, Names};
use crate::kernel::{Charge, Node};
use crate::launch::{self, Launch};
use crate::text::Cleaned;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node as Syntax;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A function with a body.
pub(super) struct Function<'t> {
    pub name: String,
    pub name_at: Range<usize>,
    pub start: usize,
    pub is_kernel: bool,
    pub parameters: Vec<Syntax<'t>>,
    pub body: Syntax<'t>,
}

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    /// Read-only memory, which devices cache and which costs as much as local memory.
    Constant,
    Local,
    Private,
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Known.
    Int(Expr),
    /// Known only when the kernel runs.
    Data,
    /// A place in memory.
    Pointer {
        space: Space,
        /// Bytes of an element.
        bytes: u32,
        /// Elements from the start of the array, if known.
        offset: Option<Expr>,
        /// Lengths of the inner dimensions that are not indexed yet.
        inner: Vec<Expr>,
    },
}

/// How a list of statements ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Execution continues after it.
    Falls,
    /// It returns, or starts the next iteration.
    Leaves,
}

pub(super) struct Lowerer<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub cleaned: &'t Cleaned,
    pub functions: &'t [Function<'t>],
    /// Types that the text names.
    pub typedefs: HashMap<String, String>,
    pub constants: &'t HashMap<String, i64>,
    pub names: Names,
    /// Names that have a value: parameters and `size`.
    pub known: HashSet<NameId>,
    pub launch: &'t Launch,
    /// Declarations outside functions: constants, arrays, enumerators.
    pub globals: Vec<(String, Value)>,
    /// Known names that the text uses.
    pub used: HashSet<NameId>,
    /// Variables, the innermost last.
    pub env: Vec<(String, Value)>,
    /// Variables that were declared with a type of real numbers.
    pub reals: HashSet<String>,
    /// The cost of the current statement.
    pub charge: Charge,
    /// The nodes made so far.
    pub out: Vec<Node>,
    pub counters: u16,
    pub local_bytes: Expr,
    /// Functions that are being inlined.
    pub calls: Vec<String>,
    /// Nesting depth of statements.
    pub depth: usize,
    /// Calls that were inlined.
    pub inlined: u32,
    /// The enclosing loops and switches in the current function, the innermost last.
    pub scopes: Vec<Scope>,
    /// Conditions under which the current statement is executed in that function; `None` for a condition on
    /// data.
    pub path: Vec<Option<Expr>>,
    /// Annotations that a statement has used.
    pub used_notes: HashSet<usize>,
    /// Arguments of the kernel that are numbers without a known value.
    pub open_numbers: Vec<String>,
    /// Values of such arguments, by place.
    pub numbers: &'t [(usize, i64)],
    pub found: &'t mut Vec<Diagnostic>,
}

/// A loop or a switch.
pub(super) struct Scope {
    /// Whether it is a loop.
    pub is_loop: bool,
    /// Number of conditions around it.
    pub outside: usize,
    /// How it is left before its end.
    pub exits: Vec<LoopExit>,
}

/// A `break` or a `return` in a loop.
pub(super) struct LoopExit {
    /// The condition, in an iteration, under which it is reached; `None` if that depends on data.
    pub when: Option<Expr>,
    /// Whether it ends the function.
    pub returns: bool,
}

impl<'t> Lowerer<'t> {
    pub(super) fn code(&self, node: Syntax<'_>) -> &'t str {
        self.cleaned.code.get(node.byte_range()).unwrap_or("")
    }

    pub(super) fn span(&self, node: Syntax<'_>) -> Span {
        self.span_of_code(&node.byte_range())
    }

    pub(super) fn span_of(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    /// The place of a piece of the code.
    pub(super) fn span_of_code(&self, range: &Range<usize>) -> Span {
        self.span_of(self.cleaned.origins.of_range(range))
    }

    /// Reports what cannot be abstracted.
    pub(super) fn refuse(&mut self, node: Syntax<'_>, message: impl Into<String>, help: impl Into<String>) {
        let span = self.span(node);
        self.found.push(Diagnostic::error(codes::KERNEL_ABSTRACTION, message).at(span, "").help(help));
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Value> {
        let all = self.env.iter().rev().chain(self.globals.iter().rev());
        all.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn assign(&mut self, name: &str, value: Value) {
        if let Some(at) = self.env.iter().rposition(|(known, _)| known == name) {
            self.env[at].1 = value;
        }
    }

    /// Ends a statement: its work becomes a node.
    pub(super) fn flush(&mut self) {
        let charge = std::mem::take(&mut self.charge);
        if !charge.is_empty() {
            self.out.push(Node::Work(charge));
        }
    }

    /// Runs `work` and returns the nodes that it makes.
    pub(super) fn collect<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> (Vec<Node>, R) {
        self.flush();
        let outer = std::mem::take(&mut self.out);
        let result = work(self);
        self.flush();
        (std::mem::replace(&mut self.out, outer), result)
    }

    /// The expression that an annotation of the statement gives for `key`.
    pub(super) fn annotation(&mut self, node: Syntax<'_>, key: &str) -> Option<Range<usize>> {
        let origins = &self.cleaned.origins;
        let start = origins.of(node.start_byte());
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        let before = origins.of(self.cleaned.code_before(node.start_byte()));
        for (number, note) in self.cleaned.notes.iter().enumerate() {
            let at = note.body.start;
            let belongs = match note.trailing {
                true => at > start && at < line_end,
                false => at >= before && at < start,
            };
            if !belongs {
                continue;
            }
            let items = launch::items(self.text, note.body.clone());
            let wanted = |item: &&launch::Item| item.words.len() == 1 && item.words[0] == key;
            if let Some(item) = items.iter().find(wanted) {
                self.used_notes.insert(number);
                return Some(item.body.clone());
            }
        }
        None
    }

    pub(super) fn annotated_expression(&mut self, node: Syntax<'_>, key: &str) -> Option<Expr> {
        let range = self.annotation(node, key)?;
        let place = launch::Place { file: self.file, text: self.text };
        let expr = launch::read_expression(&place, range.clone(), &mut self.names, self.found)?;
        let expr = self.resolve(&expr, 0);
        if let Some(id) = self.unknown_name(&expr) {
            let name = self.names.text(id).to_owned();
            let message = format!(
                "the annotation depends on `{name}`, which is neither a parameter nor a known number"
            );
            let span = self.span_of(range);
            let help = "use parameters, `size`, and variables whose values are known here";
            self.found.push(Diagnostic::error(codes::KERNEL_ANNOTATION, message).at(span, "").help(help));
            return None;
        }
        Some(expr)
    }

    /// A name in an expression whose value is unknown here, if any.
    pub(super) fn unknown_name(&self, expr: &Expr) -> Option<NameId> {
        let mut unknown = None;
        expr.leaves(&mut |leaf| {
            if let Expr::Name(id) = leaf
                && !self.known.contains(id)
            {
                unknown = Some(*id);
            }
        });
        unknown
    }

    /// Replaces names in an expression by their meaning here: variables, macros, constants.
    pub(super) fn resolve(&mut self, expr: &Expr, level: usize) -> Expr {
        let texts: Vec<String> = self.names.iter().map(str::to_owned).collect();
        let mut uses = Vec::new();
        let result = expr.replace(&mut |leaf| {
            let Expr::Name(id) = leaf else { return None };
            let name = &texts[id.0 as usize];
            match self.lookup(name) {
                Some(Value::Int(value)) => return Some(value.clone()),
                Some(_) => return None,
                None => {}
            }
            if let Some(value) = self.constants.get(name) {
                return Some(Expr::Int(*value));
            }
            if self.known.contains(id) {
                uses.push(*id);
                return None;
            }
            let known = self.cleaned.macros.get(name)?;
            if level > 8 || known.arguments.is_some() {
                return None;
            }
            let inner = crate::expression::parse_c(&known.body, &mut self.names).ok()?;
            Some(self.resolve(&inner, level + 1))
        });
        self.used.extend(uses);
        result
    }
}
