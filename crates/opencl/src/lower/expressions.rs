//! Expressions: values that are known, and the cost of those that are not.

use super::access::Direction;
use super::{Lowerer, Value};
use crate::expression::{Expr, Op};
use crate::kernel::Recurrence;
use tree_sitter::Node as Syntax;

impl<'t> Lowerer<'t> {
    /// The value of an expression; its cost is charged to the statement.
    pub(super) fn expression(&mut self, node: Syntax<'_>) -> Value {
        let value = self.any_expression(node);
        match value {
            Value::Int(expr) if expr.is_too_deep() => Value::Data,
            other => other,
        }
    }

    fn any_expression(&mut self, node: Syntax<'_>) -> Value {
        match node.kind() {
            "number_literal" => {
                crate::expression::number(self.code(node)).map_or(Value::Data, |n| Value::Int(Expr::Int(n)))
            }
            "char_literal" => match self.code(node).as_bytes() {
                [b'\'', byte, b'\''] => Value::Int(Expr::Int(i64::from(*byte))),
                _ => Value::Data,
            },
            "true" => Value::Int(Expr::Int(1)),
            "false" | "null" => Value::Int(Expr::Int(0)),
            "string_literal" | "concatenated_string" | "initializer_list" | "comment" => Value::Data,
            "identifier" => self.identifier(node),
            "parenthesized_expression" => {
                node.named_child(0).map_or(Value::Data, |inner| self.expression(inner))
            }
            "comma_expression" => {
                let left = node.child_by_field_name("left").map(|left| self.expression(left));
                drop(left);
                node.child_by_field_name("right").map_or(Value::Data, |right| self.expression(right))
            }
            "assignment_expression" => self.assignment(node),
            "update_expression" => self.update(node),
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "subscript_expression" | "field_expression" => self.load(node),
            "pointer_expression" => self.dereference(node),
            "conditional_expression" => self.choice(node),
            "cast_expression" => self.cast(node),
            "sizeof_expression" => {
                let bytes = self.type_bytes(node.child_by_field_name("type"));
                Value::Int(Expr::Int(i64::from(bytes)))
            }
            "compound_literal_expression" => Value::Data,
            "call_expression" => self.call(node),
            _ => {
                self.refuse(
                    node,
                    "this expression cannot be abstracted",
                    "give the time of the statement before it: `// volvelle: cost = 4`",
                );
                Value::Data
            }
        }
    }

    fn identifier(&mut self, node: Syntax<'_>) -> Value {
        let name = self.code(node);
        if let Some(value) = self.lookup(name) {
            return value.clone();
        }
        if let Some(value) = self.constants.get(name) {
            return Value::Int(Expr::Int(*value));
        }
        if let Some(id) = self.names.find(name).filter(|id| self.known.contains(id)) {
            self.used.insert(id);
            return Value::Int(Expr::Name(id));
        }
        if let Some(known) = self.cleaned.macros.get(name) {
            let body = known.body.clone();
            return self.macro_value(node, &body);
        }
        let is_constant_of_opencl = name.starts_with("CLK_")
            || name.starts_with("M_")
            || name.ends_with("_MAX")
            || name.ends_with("_MIN")
            || name.ends_with("_EPSILON")
            || matches!(name, "INFINITY" | "NAN" | "MAXFLOAT" | "HUGE_VALF" | "HUGE_VAL" | "NULL");
        if !is_constant_of_opencl {
            let help =
                format!("if it is a macro of the build, name it: `--parameters {name}`, or `-D {name}=64`");
            self.refuse(node, format!("`{name}` is neither declared nor a parameter"), help);
        }
        Value::Data
    }

    /// The value of a macro without arguments.
    fn macro_value(&mut self, node: Syntax<'_>, body: &str) -> Value {
        let Ok(expr) = crate::expression::parse_c(body, &mut self.names) else { return Value::Data };
        let expr = self.resolve(&expr, 0);
        match self.unknown_name(&expr) {
            None => Value::Int(expr),
            Some(id) => {
                let name = self.names.text(id).to_owned();
                // A variable that is data, or a constant of OpenCL.
                if self.lookup(&name).is_none() && !name.ends_with("_MAX") && !name.ends_with("_MIN") {
                    let help = format!("if it is a macro of the build, name it: `--parameters {name}`");
                    self.refuse(node, format!("`{name}` is neither declared nor a parameter"), help);
                }
                Value::Data
            }
        }
    }

    fn assignment(&mut self, node: Syntax<'_>) -> Value {
        let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
        let (Some(left), Some(right)) = (left, right) else { return Value::Data };
        let operator = node.child_by_field_name("operator").map_or("=", |operator| self.code(operator));
        let before = (self.charge.loads.len(), self.charge.local, self.charge.operations);
        let value = self.expression(right);
        self.note_recurrence(left, right, operator);
        if left.kind() == "identifier" {
            let name = self.code(left).to_owned();
            let value = match binary_op(operator.trim_end_matches('=')) {
                Some(op) => {
                    let old = self.lookup(&name).cloned().unwrap_or(Value::Data);
                    self.combine(op, old, value)
                }
                None => value,
            };
            if self.lookup(&name).is_none() {
                self.refuse(left, format!("`{name}` is not declared"), "declare it");
            }
            self.assign(&name, value.clone());
            return value;
        }
        if let Some(variable) = self.component(left) {
            let name = self.code(variable).to_owned();
            self.charge.operations += u32::from(operator != "=");
            self.assign(&name, Value::Data);
            return Value::Data;
        }
        let loads_only = self.charge.local == before.1 && self.charge.operations == before.2;
        let place = self.place(left);
        let is_plain = operator == "=";
        self.access(left, &place, if is_plain { Direction::Store } else { Direction::Both });
        if !is_plain {
            self.charge.operations += 1;
        }
        let is_local = matches!(place, Value::Pointer { space: super::Space::Local, .. });
        // Local memory is filled from global memory: the slower of both accesses determines the time.
        if is_plain && is_local && loads_only && before == (0, 0, 0) && self.charge.loads.len() == 1 {
            self.charge.is_copy = true;
        }
        value
    }

    /// Records an assignment that computes a variable on data, or an element of a private array, from itself.
    fn note_recurrence(&mut self, left: Syntax<'_>, right: Syntax<'_>, operator: &str) {
        let in_array = left.kind() == "subscript_expression";
        let mut base = left;
        while let Some(inner) = base.child_by_field_name("argument") {
            base = inner;
        }
        let name = self.code(base);
        let is_own = match self.lookup(name) {
            Some(Value::Data) => !in_array,
            Some(Value::Pointer { space, .. }) => in_array && *space == super::Space::Private,
            _ => false,
        };
        let text = self.code(right);
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if is_own && (operator != "=" || words.any(|word| word == name)) {
            let is_real = self.reals.contains(name);
            self.charge.recurrence = Some(Recurrence { is_real, in_array });
        }
    }

    fn update(&mut self, node: Syntax<'_>) -> Value {
        let Some(target) = node.child_by_field_name("argument") else { return Value::Data };
        let op = if self.code(node).contains("++") { Op::Add } else { Op::Sub };
        if let Some(variable) = self.component(target) {
            let name = self.code(variable).to_owned();
            self.charge.operations += 1;
            self.assign(&name, Value::Data);
            return Value::Data;
        }
        if target.kind() != "identifier" {
            let place = self.place(target);
            self.access(target, &place, Direction::Both);
            self.charge.operations += 1;
            return Value::Data;
        }
        let name = self.code(target).to_owned();
        let old = self.lookup(&name).cloned().unwrap_or(Value::Data);
        let new = self.combine(op, old.clone(), Value::Int(Expr::Int(1)));
        self.assign(&name, new.clone());
        let is_prefix = self.code(node).starts_with(['+', '-']);
        if is_prefix { new } else { old }
    }

    fn binary(&mut self, node: Syntax<'_>) -> Value {
        let left = node.child_by_field_name("left").map_or(Value::Data, |left| self.expression(left));
        let right = node.child_by_field_name("right").map_or(Value::Data, |right| self.expression(right));
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.code(operator));
        match binary_op(operator) {
            Some(op) => self.combine(op, left, right),
            None => Value::Data,
        }
    }

    /// `a op b`; an operation on data is charged.
    fn combine(&mut self, op: Op, a: Value, b: Value) -> Value {
        match (op, a, b) {
            (op, Value::Int(a), Value::Int(b)) => Value::Int(Expr::binary(op, a, b)),
            (Op::Add, pointer @ Value::Pointer { .. }, by)
            | (Op::Add, by, pointer @ Value::Pointer { .. }) => self.advance(pointer, by, false),
            (Op::Sub, pointer @ Value::Pointer { .. }, Value::Int(by)) => {
                let by = Expr::binary(Op::Sub, Expr::Int(0), by);
                self.advance(pointer, Value::Int(by), false)
            }
            // The known side alone decides the result.
            (Op::And, Value::Int(Expr::Int(0)), _) | (Op::And, _, Value::Int(Expr::Int(0))) => {
                Value::Int(Expr::Int(0))
            }
            _ => {
                self.charge.operations += 1;
                Value::Data
            }
        }
    }

    fn unary(&mut self, node: Syntax<'_>) -> Value {
        let inner = node.child_by_field_name("argument").map_or(Value::Data, |inner| self.expression(inner));
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.code(operator));
        match (operator, inner) {
            ("-", Value::Int(inner)) => Value::Int(Expr::binary(Op::Sub, Expr::Int(0), inner)),
            ("!", Value::Int(inner)) => Value::Int(inner.negate()),
            ("+", inner) => inner,
            ("~", Value::Int(inner)) => Value::Int(Expr::binary(Op::BitXor, inner, Expr::Int(-1))),
            _ => {
                self.charge.operations += 1;
                Value::Data
            }
        }
    }

    /// A value in memory, or a component of a vector.
    fn load(&mut self, node: Syntax<'_>) -> Value {
        if node.kind() == "field_expression" {
            if let Some(inner) = node.child_by_field_name("argument") {
                self.expression(inner);
            }
            return Value::Data;
        }
        let place = self.place(node);
        if matches!(&place, Value::Pointer { inner, .. } if !inner.is_empty()) {
            return place;
        }
        self.access(node, &place, Direction::Load);
        Value::Data
    }

    fn dereference(&mut self, node: Syntax<'_>) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.code(operator));
        let Some(inner) = node.child_by_field_name("argument") else { return Value::Data };
        if operator == "&" {
            return match inner.kind() {
                "identifier" => match self.expression(inner) {
                    pointer @ Value::Pointer { .. } => pointer,
                    _ => Value::Pointer {
                        space: super::Space::Private,
                        bytes: 4,
                        offset: Some(Expr::Int(0)),
                        inner: Vec::new(),
                    },
                },
                _ => self.place(inner),
            };
        }
        let place = self.expression(inner);
        self.access(node, &place, Direction::Load);
        Value::Data
    }

    fn choice(&mut self, node: Syntax<'_>) -> Value {
        let part = |field| node.child_by_field_name(field);
        let test = part("condition").map_or(Value::Data, |test| self.expression(test));
        let yes = part("consequence").map_or(Value::Data, |yes| self.expression(yes));
        let no = part("alternative").map_or(Value::Data, |no| self.expression(no));
        match (test, yes, no) {
            (Value::Int(test), Value::Int(yes), Value::Int(no)) => Value::Int(Expr::choose(test, yes, no)),
            (_, pointer @ Value::Pointer { .. }, _) => match pointer {
                Value::Pointer { space, bytes, inner, .. } => {
                    Value::Pointer { space, bytes, offset: None, inner }
                }
                other => other,
            },
            _ => {
                self.charge.operations += 1;
                Value::Data
            }
        }
    }

    fn cast(&mut self, node: Syntax<'_>) -> Value {
        let value = node.child_by_field_name("value").map_or(Value::Data, |value| self.expression(value));
        let name = node.child_by_field_name("type").map_or("", |name| self.code(name));
        let is_real = ["float", "double", "half"].iter().any(|real| name.trim().starts_with(real));
        match value {
            // A pointer to other elements.
            Value::Pointer { space, offset, inner, bytes } if name.contains('*') => {
                let base = name.split('*').next().unwrap_or("").trim();
                let to = match crate::launch::Element::named(base) {
                    Some(element) => element.bytes(),
                    None => bytes,
                };
                let offset = offset.filter(|_| to == bytes);
                Value::Pointer { space, bytes: to, offset, inner }
            }
            Value::Int(expr) if !is_real => Value::Int(expr),
            Value::Int(_) => Value::Data,
            other => other,
        }
    }
}

/// The operator with this spelling.
pub(super) fn binary_op(text: &str) -> Option<Op> {
    Some(match text {
        "+" => Op::Add,
        "-" => Op::Sub,
        "*" => Op::Mul,
        "/" => Op::Div,
        "%" => Op::Rem,
        "<<" => Op::Shl,
        ">>" => Op::Shr,
        "&" => Op::BitAnd,
        "|" => Op::BitOr,
        "^" => Op::BitXor,
        "&&" => Op::And,
        "||" => Op::Or,
        "<" => Op::Lt,
        "<=" => Op::Le,
        ">" => Op::Gt,
        ">=" => Op::Ge,
        "==" => Op::Eq,
        "!=" => Op::Ne,
        _ => return None,
    })
}
