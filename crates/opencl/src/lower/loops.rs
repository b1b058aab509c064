//! Loops: closed forms of the variables that they step, and numbers of iterations.

use super::lowerer::Scope;
use super::scan::{self, Change};
use super::{Lowerer, Value};
use crate::expression::{Expr, Op, add, mul};
use crate::kernel::{Loop, Node};
use tree_sitter::Node as Syntax;

/// How a variable changes in each iteration.
struct Step {
    op: Op,
    by: Expr,
}

impl<'t> Lowerer<'t> {
    /// Whether an annotation gives the number of iterations of an enclosing loop.
    pub(super) fn in_annotated_loop(&self) -> bool {
        self.env.iter().any(|(name, _)| name == ANNOTATED)
    }

    /// A `for`, `while` or `do` loop. Returns the condition under which the function returns from it, if any.
    pub(super) fn any_loop(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let outer = self.env.len();
        if let Some(initial) = node.child_by_field_name("initializer") {
            match initial.kind() {
                "declaration" => self.declaration_of_loop(initial),
                _ => {
                    self.expression(initial);
                }
            }
        }
        self.flush();
        let annotated = self.annotated_expression(node, "trips");
        let (condition, update) = (node.child_by_field_name("condition"), node.child_by_field_name("update"));
        let body = node.child_by_field_name("body")?;
        let parts: Vec<Syntax<'_>> = [Some(body), update, condition].into_iter().flatten().collect();
        let changes = scan::assigned(&parts, &self.cleaned.code);
        let Some(next) = self.counters.checked_add(1).filter(|next| *next < 4096) else {
            self.refuse(node, "the kernel has too many loops", "leave some out");
            return None;
        };
        let counter = std::mem::replace(&mut self.counters, next);
        let steps = self.close(&changes, counter);
        let is_annotated = annotated.is_some();
        if is_annotated {
            self.env.push((ANNOTATED.to_owned(), Value::Data));
        }

        // The test belongs to the iteration that it admits, except for `do`, whose test stands at the end.
        let is_do = node.kind() == "do_statement";
        let mut test = None;
        self.scopes.push(Scope { is_loop: true, outside: self.path.len(), exits: Vec::new() });
        let (nodes, ()) = self.collect(|lowerer| {
            if !is_do {
                test = condition.map(|condition| lowerer.condition_of_loop(condition));
                lowerer.flush();
            }
            lowerer.block(body);
            if let Some(update) = update {
                lowerer.expression(update);
                lowerer.flush();
            }
            if is_do {
                test = condition.map(|condition| lowerer.condition_of_loop(condition));
            }
        });
        let span = self.span_of_code(&(node.start_byte()..body.start_byte().max(node.start_byte() + 1)));
        let exits = self.scopes.pop().map_or(Vec::new(), |scope| scope.exits);
        let exits = if is_annotated { Vec::new() } else { exits };
        let is_endless = condition.is_none() || matches!(test, Some(Value::Int(Expr::Int(1..))));
        let known = match is_endless && exits.iter().any(|exit| exit.when.is_some()) && !is_annotated {
            true => Some((Expr::Int(1), None)),
            false => self.test(node, condition, annotated, test, counter, is_do),
        };
        let left_early = exits.iter().any(|exit| exit.when.is_some());
        let mut returned = None;
        let known = known.and_then(|(test, trips)| {
            let (bounded, leaves) = self.with_exits(node, (test, trips), &exits, counter)?;
            returned = leaves;
            Some(bounded)
        });
        if let Some((_, trips)) = &known {
            // If the loop is left early, variables have the values of that iteration.
            self.leave(&steps, trips.as_ref().filter(|_| !left_early), counter);
        }
        self.env.truncate(outer);
        if let Some((test, trips)) = known.filter(|_| !nodes.is_empty()) {
            self.out.push(Node::Loop(Loop { counter, test, trips, span, body: nodes }));
        }
        // It leaves the loops around as well.
        if let Some(returned) = &returned {
            self.path.push(Some(returned.clone()));
            self.note_exit(true);
            self.path.pop();
        }
        returned
    }

    fn declaration_of_loop(&mut self, node: Syntax<'_>) {
        let mut cursor = node.walk();
        let declarators: Vec<Syntax<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let value = declarator.child_by_field_name("value").map(|value| self.expression(value));
            let name = declarator.child_by_field_name("declarator").unwrap_or(declarator);
            let name = self.code(name).to_owned();
            self.env.push((name, value.unwrap_or(Value::Data)));
        }
    }

    fn condition_of_loop(&mut self, node: Syntax<'_>) -> Value {
        let before = self.charge.clone();
        let value = self.expression(node);
        // Counting a loop is not charged; testing data is.
        if matches!(value, Value::Int(_)) {
            self.charge = before;
        }
        value
    }

    /// Gives every variable that the loop changes its closed form over the counter, or makes it data.
    fn close(
        &mut self,
        changes: &std::collections::HashMap<String, Change<'_>>,
        counter: u16,
    ) -> Vec<(String, Option<Expr>)> {
        let mut closed = Vec::new();
        let mut names: Vec<&String> = changes.keys().collect();
        names.sort();
        for name in names {
            let Some(before) = self.lookup(name).cloned() else { continue };
            let Value::Int(initial) = before else {
                let value = match before {
                    Value::Pointer { space, bytes, inner, .. } => {
                        Value::Pointer { space, bytes, offset: None, inner }
                    }
                    _ => Value::Data,
                };
                closed.push((name.clone(), None, value));
                continue;
            };
            let step = changes[name].only.and_then(|node| self.step(node, name, changes));
            let form = step.and_then(|step| closed_form(initial, &step, &Expr::Counter(counter)));
            let form = form.filter(|form| !form.is_too_deep());
            let value = form.clone().map_or(Value::Data, Value::Int);
            closed.push((name.clone(), form, value));
        }
        let mut result = Vec::new();
        for (name, form, value) in closed {
            self.assign(&name, value);
            result.push((name, form));
        }
        result
    }

    /// `x += c`, `x++`, `x = x + c`, and the same with other operators, where `c` does not change in the loop.
    fn step(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        changes: &std::collections::HashMap<String, Change<'_>>,
    ) -> Option<Step> {
        if node.kind() == "update_expression" {
            let text = self.code(node);
            let op = if text.contains("++") { Op::Add } else { Op::Sub };
            return Some(Step { op, by: Expr::Int(1) });
        }
        if node.kind() != "assignment_expression" {
            return None;
        }
        let right = node.child_by_field_name("right")?;
        let operator = self.code(node.child_by_field_name("operator")?);
        let (op, by) = match operator {
            "=" => {
                if right.kind() != "binary_expression" {
                    return None;
                }
                let left = right.child_by_field_name("left")?;
                if self.code(left) != name {
                    return None;
                }
                (self.code(right.child_by_field_name("operator")?), right.child_by_field_name("right")?)
            }
            _ => (operator.trim_end_matches('='), right),
        };
        let op = match op {
            "+" => Op::Add,
            "-" => Op::Sub,
            "*" => Op::Mul,
            "/" => Op::Div,
            "<<" => Op::Shl,
            ">>" => Op::Shr,
            _ => return None,
        };
        // Whatever `c` mentions must not change in the loop.
        let text = self.code(by);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if words.into_iter().any(|word| changes.contains_key(word)) {
            return None;
        }
        let before = self.charge.clone();
        let value = self.expression(by);
        self.charge = before;
        match value {
            Value::Int(by) if !by.dependence().counters => Some(Step { op, by }),
            _ => None,
        }
    }

    /// The condition under which a loop continues, and its number of iterations; `None` after a diagnostic.
    fn test(
        &mut self,
        node: Syntax<'_>,
        condition: Option<Syntax<'_>>,
        annotated: Option<Expr>,
        value: Option<Value>,
        counter: u16,
        is_do: bool,
    ) -> Option<(Expr, Option<Expr>)> {
        let k = Expr::Counter(counter);
        if let Some(trips) = annotated {
            return Some((Expr::binary(Op::Lt, k, trips.clone()), Some(trips)));
        }
        let help = "give the number of iterations before the loop: `// volvelle: trips = size / TS`";
        let place = condition.unwrap_or(node);
        let Some(Value::Int(test)) = value else {
            let Some(condition) = condition else {
                self.refuse(place, "this loop has no condition", help);
                return None;
            };
            match self.number_without_value(condition) {
                Some(name) => {
                    let message = format!("the number of iterations depends on the argument `{name}`");
                    let help = format!(
                        "say what the kernel is called with: `// volvelle: argument {name} = int size`"
                    );
                    self.refuse(place, message, help);
                }
                None => self.refuse(place, "the number of iterations depends on data", help),
            }
            return None;
        };
        let test = ordered(&test, counter);
        if test.is_too_deep() || !stays_false(&test, counter) {
            let shown = self.show(&test);
            self.refuse(place, format!("the number of iterations cannot be derived from `{shown}`"), help);
            return None;
        }
        if is_do {
            // The test at the end of iteration k - 1 decides about iteration k.
            let previous = Expr::binary(Op::Sub, k.clone(), Expr::Int(1));
            let shifted = test.replace(&mut |leaf| (*leaf == k).then(|| previous.clone()));
            let trips = trips(&shifted, counter);
            let trips = trips.map(|trips| Expr::binary(Op::Max, Expr::Int(1), trips));
            let first = Expr::binary(Op::Eq, k, Expr::Int(0));
            return Some((Expr::binary(Op::Or, first, shifted), trips));
        }
        let trips = trips(&test, counter);
        Some((test, trips))
    }

    /// Values of the changed variables after the loop.
    fn leave(&mut self, steps: &[(String, Option<Expr>)], trips: Option<&Expr>, counter: u16) {
        for (name, form) in steps {
            if !matches!(self.lookup(name), Some(Value::Int(_) | Value::Data)) {
                continue;
            }
            let value = match (form, trips) {
                (Some(form), Some(trips)) => {
                    let end = Expr::Counter(counter);
                    let last = form.replace(&mut |leaf| (*leaf == end).then(|| trips.clone()));
                    if last.is_too_deep() { Value::Data } else { Value::Int(last) }
                }
                _ => Value::Data,
            };
            self.assign(name, value);
        }
    }
}

/// The name under which the environment records a loop with an annotation. It is no identifier of C.
const ANNOTATED: &str = "<annotated loop>";

/// The value of a variable after `k` steps.
fn closed_form(initial: Expr, step: &Step, k: &Expr) -> Option<Expr> {
    let by = step.by.clone();
    let power = |by: &Expr| match by {
        Expr::Int(value) if *value > 1 && value.count_ones() == 1 => Some(i64::from(value.trailing_zeros())),
        _ => None,
    };
    Some(match step.op {
        Op::Add => add(initial, mul(k.clone(), by)),
        Op::Sub => Expr::binary(Op::Sub, initial, mul(k.clone(), by)),
        Op::Shl => Expr::binary(Op::Shl, initial, mul(k.clone(), by)),
        Op::Shr => Expr::binary(Op::Shr, initial, mul(k.clone(), by)),
        Op::Mul => Expr::binary(Op::Shl, initial, mul(k.clone(), Expr::Int(power(&by)?))),
        Op::Div => Expr::binary(Op::Shr, initial, mul(k.clone(), Expr::Int(power(&by)?))),
        _ => return None,
    })
}

/// Rewrites `x != y` as `<` or `>`, by the direction of the constant step.
fn ordered(test: &Expr, counter: u16) -> Expr {
    match test {
        Expr::Binary(Op::And, both, _) => {
            Expr::binary(Op::And, ordered(&both.0, counter), ordered(&both.1, counter))
        }
        Expr::Binary(Op::Ne, both, _) => {
            let op = match (trend(&both.0, counter), trend(&both.1, counter)) {
                (Trend::Up, Trend::Constant) | (Trend::Constant, Trend::Down) => Op::Lt,
                (Trend::Down, Trend::Constant) | (Trend::Constant, Trend::Up) => Op::Gt,
                _ => Op::Ne,
            };
            Expr::binary(op, both.0.clone(), both.1.clone())
        }
        // `while (n)` with a falling n.
        other if !other.is_truth() && trend(other, counter) == Trend::Down => {
            Expr::binary(Op::Gt, other.clone(), Expr::Int(0))
        }
        other => other.clone(),
    }
}

/// How a value changes as a counter goes up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trend {
    Constant,
    Up,
    Down,
    Unknown,
}

pub(super) fn trend(expr: &Expr, counter: u16) -> Trend {
    use Trend::{Constant, Down, Unknown, Up};
    if !expr.uses_counter(counter) {
        return Constant;
    }
    let reverse = |t| match t {
        Up => Down,
        Down => Up,
        other => other,
    };
    let both = |a, b| match (a, b) {
        (Constant, other) | (other, Constant) => other,
        (Up, Up) => Up,
        (Down, Down) => Down,
        _ => Unknown,
    };
    match expr {
        Expr::Counter(_) => Up,
        Expr::Binary(op, pair, _) => {
            let (a, b) = (trend(&pair.0, counter), trend(&pair.1, counter));
            match op {
                Op::Add | Op::Min | Op::Max => both(a, b),
                Op::Sub => both(a, reverse(b)),
                Op::Mul if is_not_negative(&pair.0) && is_not_negative(&pair.1) => both(a, b),
                Op::Shl if is_not_negative(&pair.0) => both(a, b),
                Op::Shr | Op::Div if is_not_negative(&pair.0) => both(a, reverse(b)),
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}

/// Whether a value cannot be negative, as sizes, parameters and ids are not.
fn is_not_negative(expr: &Expr) -> bool {
    least(expr).is_some_and(|least| least >= 0)
}

/// A number that a value is not below, if one is known.
fn least(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Name(_) | Expr::Local(_) | Expr::Group(_) | Expr::Counter(_) | Expr::Not(..) => Some(0),
        Expr::Binary(op, pair, _) => {
            let (a, b) = (least(&pair.0), least(&pair.1));
            let none_is_negative = a >= Some(0) && b >= Some(0);
            match op {
                Op::Add => a?.checked_add(b?),
                Op::Sub => match pair.1 {
                    Expr::Int(less) => a?.checked_sub(less),
                    _ => None,
                },
                Op::Mul if none_is_negative => a?.checked_mul(b?),
                Op::Shl if none_is_negative => a,
                Op::Div | Op::Rem | Op::Shr | Op::BitAnd | Op::BitOr if none_is_negative => Some(0),
                Op::Min => Some(a?.min(b?)),
                Op::Max => a.max(b),
                _ if op.is_condition() => Some(0),
                _ => None,
            }
        }
        Expr::Choose(all, _) => Some(least(&all.1)?.min(least(&all.2)?)),
    }
}

/// Whether a condition, once false, stays false as the counter goes up.
pub(super) fn stays_false(test: &Expr, counter: u16) -> bool {
    if !test.uses_counter(counter) {
        return matches!(test, Expr::Int(0));
    }
    match test {
        Expr::Binary(Op::And, both, _) => {
            let one = |side: &Expr| !side.uses_counter(counter) || stays_false(side, counter);
            one(&both.0) && one(&both.1)
        }
        Expr::Binary(op, both, _) => {
            let (a, b) = (trend(&both.0, counter), trend(&both.1, counter));
            match op {
                Op::Lt | Op::Le => {
                    matches!(a, Trend::Up | Trend::Constant) && matches!(b, Trend::Down | Trend::Constant)
                }
                Op::Gt | Op::Ge => {
                    matches!(a, Trend::Down | Trend::Constant) && matches!(b, Trend::Up | Trend::Constant)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// How often a comparison of values that are linear in the counter holds.
pub(super) fn trips(test: &Expr, counter: u16) -> Option<Expr> {
    let Expr::Binary(op, both, _) = test else { return matches!(test, Expr::Int(0)).then_some(Expr::Int(0)) };
    let (low, high) = match op {
        Op::Lt | Op::Le => (&both.0, &both.1),
        Op::Gt | Op::Ge => (&both.1, &both.0),
        _ => return None,
    };
    let step = match (slope(low, counter)?, slope(high, counter)?) {
        (step, Expr::Int(0)) => step,
        (Expr::Int(0), Expr::Binary(Op::Sub, pair, _)) if pair.0 == Expr::Int(0) => pair.1.clone(),
        (Expr::Int(0), Expr::Int(step)) => Expr::Int(step.checked_neg()?),
        _ => return None,
    };
    let zero =
        |expr: &Expr| expr.replace(&mut |leaf| (*leaf == Expr::Counter(counter)).then_some(Expr::Int(0)));
    let distance = Expr::binary(Op::Sub, zero(high), zero(low));
    let distance = if matches!(op, Op::Le | Op::Ge) { add(distance, Expr::Int(1)) } else { distance };
    let up = match &step {
        Expr::Int(1) => distance,
        Expr::Int(step) if *step < 1 => return None,
        step => {
            let rounded = add(distance, Expr::binary(Op::Sub, step.clone(), Expr::Int(1)));
            Expr::binary(Op::Div, rounded, step.clone())
        }
    };
    let is_plain = matches!(&up, Expr::Int(0..)) || is_not_negative(&up);
    let up = if is_plain { up } else { Expr::binary(Op::Max, up, Expr::Int(0)) };
    (!up.is_too_deep()).then_some(up)
}

/// How much a value grows when the counter goes up by one, if that is always the same.
pub(super) fn slope(expr: &Expr, counter: u16) -> Option<Expr> {
    if !expr.uses_counter(counter) {
        return Some(Expr::Int(0));
    }
    match expr {
        Expr::Counter(_) => Some(Expr::Int(1)),
        Expr::Binary(op, both, _) => {
            let (a, b) = (slope(&both.0, counter)?, slope(&both.1, counter)?);
            match op {
                Op::Add => Some(add(a, b)),
                Op::Sub => Some(Expr::binary(Op::Sub, a, b)),
                Op::Mul if b == Expr::Int(0) => Some(mul(a, both.1.clone())),
                Op::Mul if a == Expr::Int(0) => Some(mul(both.0.clone(), b)),
                _ => None,
            }
        }
        _ => None,
    }
}
