//! Equations to rules.

use super::flatten::Renamings;
use super::typing::{Scope, Typing};
use super::{Data, ExpressionId, ExpressionKind, Meaning, Pattern, Rule};
use crate::syntax::{Equation, Tree};
use volvelle_diagnostics::{Diagnostic, codes};

/// Adds the rules of equations to the operations that they define.
pub(super) fn add(
    tree: &Tree,
    equations: &[(Equation, Renamings)],
    data: &mut Data,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (equation, renamings) in equations {
        let _ = add_one(tree, equation, renamings, data, diagnostics);
    }
}

fn add_one(
    tree: &Tree,
    equation: &Equation,
    renamings: &Renamings,
    data: &mut Data,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let first = data.variables.len();
    let mut scope = Scope::new();
    // Inner variables come first in the list, and have to be found first.
    for variable in equation.variables.iter().rev() {
        let Some(sort) = super::names::renamed_sort(data, renamings, &variable.sort) else {
            diagnostics.push(super::names::unknown_sort(data, &variable.sort));
            return None;
        };
        let id = data.add_variable(&variable.name.text, sort);
        scope.push((variable.name.text.clone(), id));
    }
    let expected = match &equation.sort {
        Some(name) => match super::names::renamed_sort(data, renamings, name) {
            Some(sort) => Some(sort),
            None => {
                diagnostics.push(super::names::unknown_sort(data, name));
                return None;
            }
        },
        None => None,
    };
    let mut typing = Typing { tree, data, scope: &scope, renamings, diagnostics };
    let conditions: Vec<Option<ExpressionId>> =
        equation.premises.iter().map(|&premise| typing.condition(premise)).collect();
    let (left, right, _) = typing.sides(equation.left, equation.right, expected)?;
    let conditions: Vec<ExpressionId> = conditions.into_iter().collect::<Option<_>>()?;
    let count = data.variables.len() - first;
    let ExpressionKind::Apply(head, operands) = data.expressions[left].kind.clone() else {
        let message = "the left side of an equation is an operation with operands";
        let span = tree.values[equation.left].span;
        diagnostics.push(Diagnostic::error(codes::LOTOS_EQUATION, message).at(span, ""));
        return None;
    };
    let patterns: Vec<Pattern> = operands.iter().map(|&operand| pattern(data, operand)).collect();
    let bound = data.free_variables(left);
    for &expression in conditions.iter().chain([&right]) {
        if let Some(&unbound) = data.free_variables(expression).iter().find(|v| !bound.contains(v)) {
            let name = &data.variables[unbound].name;
            let message = format!("`{name}` does not occur on the left side of the equation");
            let span = data.expressions[expression].span;
            diagnostics.push(Diagnostic::error(codes::LOTOS_EQUATION, message).at(span, "").help(
                "equations are rules from left to right: the right side uses variables of the left one",
            ));
            return None;
        }
    }
    let rule = Rule { first, count, patterns, conditions, right, span: equation.span };
    match &mut data.operations[head].meaning {
        Meaning::Defined(rules) => rules.push(rule),
        _ => {
            let name = &data.operations[head].name;
            let message = format!("`{name}` is part of the language, and needs no equation");
            let help = format!("leave the equation out, or declare an operation `{name}` of its own");
            diagnostics
                .push(Diagnostic::error(codes::LOTOS_EQUATION, message).at(equation.span, "").help(help));
        }
    }
    Some(())
}

/// Recursion is as deep as values nest.
fn pattern(data: &Data, expression: ExpressionId) -> Pattern {
    match &data.expressions[expression].kind {
        ExpressionKind::Variable(variable) => Pattern::Variable(*variable),
        ExpressionKind::Number(number) => Pattern::Number(*number),
        ExpressionKind::Apply(op, operands) => {
            let op = data.views.get(op).unwrap_or(op);
            Pattern::Apply(*op, operands.iter().map(|&operand| pattern(data, operand)).collect())
        }
    }
}

/// Reports patterns with operations that are no constructors.
pub(super) fn check(data: &Data, diagnostics: &mut Vec<Diagnostic>) {
    for operation in &data.operations {
        let Meaning::Defined(rules) = &operation.meaning else { continue };
        for rule in rules {
            let mut todo: Vec<&Pattern> = rule.patterns.iter().collect();
            while let Some(next) = todo.pop() {
                let Pattern::Apply(op, operands) = next else { continue };
                todo.extend(operands);
                let inner = &data.operations[*op];
                if !is_constructor(data, *op) {
                    let message =
                        format!("`{}` is no constructor, and cannot stand on a left side", inner.name);
                    let mut diagnostic = Diagnostic::error(codes::LOTOS_EQUATION, message).at(rule.span, "");
                    if let Meaning::Defined(rules) = &inner.meaning
                        && let Some(other) = rules.first()
                    {
                        diagnostic = diagnostic.also(other.span, "an equation that defines it");
                    }
                    diagnostics.push(diagnostic.help(
                        "constructors must be free, and rules match what they make: use them on the left, or turn this \
                         equation into a condition",
                    ));
                }
            }
        }
    }
}

/// Whether an operation makes values that patterns match: a constructor, or the successor of natural numbers.
pub(super) fn is_constructor(data: &Data, op: super::OperationId) -> bool {
    let operation = &data.operations[op];
    matches!(operation.meaning, Meaning::Constructor)
        || (matches!(operation.meaning, Meaning::Builtin(super::Builtin::Successor))
            && operation.result == super::NAT)
}
