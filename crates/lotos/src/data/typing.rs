//! Values with their sorts. Operations are overloaded: from the operands up, the sorts that a value can have; then, from the sort
//! that is expected down, the operations. Recursion is as deep as values nest, which the parser limits.

use super::flatten::{Renamings, operation_name, sort_name};
use super::{BOOL, Data, ExpressionId, ExpressionKind, INT, NAT, OperationId, SortId, VariableId};
use crate::syntax::{Condition, Name, Tree, ValueId, ValueKind};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// The way out where a number leaves its range.
pub(crate) const RANGE_HELP: &str =
    "keep the number inside by a guard, or give natural numbers a larger range: --const NAT=1000";

/// A way to read a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Variable(VariableId),
    Number(i64),
    Operation(OperationId),
    /// `e of S`
    Of,
}

/// Variables in scope, innermost last.
pub(crate) type Scope = Vec<(String, VariableId)>;

/// What typing needs.
pub(crate) struct Typing<'a> {
    pub tree: &'a Tree,
    pub data: &'a mut Data,
    pub scope: &'a Scope,
    pub renamings: &'a Renamings,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

/// The message where a name without operands is unknown.
pub(crate) fn unknown(name: &str) -> String {
    format!("there is no variable or operation `{name}`")
}

type Readings = FxHashMap<ValueId, Vec<(Reading, SortId)>>;

impl Typing<'_> {
    /// A value of a sort, or of the only sort that it can have. `None`: an error was pushed.
    pub fn value(&mut self, value: ValueId, expected: Option<SortId>) -> Option<ExpressionId> {
        let mut readings = Readings::default();
        self.read(value, &mut readings)?;
        let sort = self.choose(value, expected, &readings)?;
        self.pick(value, sort, &readings)
    }

    /// A condition as a truth value.
    pub fn condition(&mut self, condition: Condition) -> Option<ExpressionId> {
        let Some(right) = condition.right else { return self.value(condition.left, Some(BOOL)) };
        let (left, right, sort) = self.sides(condition.left, right, None)?;
        let span = self.tree.values[condition.left].span.to(self.tree.values[condition.right?].span);
        let equal = self.data.find("==", &[sort, sort], BOOL)?;
        Some(self.data.add_expression(ExpressionKind::Apply(equal, vec![left, right]), BOOL, span))
    }

    /// Both sides of an equation, and their sort.
    pub fn sides(
        &mut self,
        left: ValueId,
        right: ValueId,
        expected: Option<SortId>,
    ) -> Option<(ExpressionId, ExpressionId, SortId)> {
        let mut readings = Readings::default();
        let readable = self.read(left, &mut readings);
        readable.and(self.read(right, &mut readings))?;
        let common: Vec<(Reading, SortId)> =
            readings[&left].iter().filter(|a| readings[&right].iter().any(|b| a.1 == b.1)).copied().collect();
        if common.is_empty() {
            let message = "the sides of the equation have different sorts";
            let (a, b) = (self.sorts_text(&readings[&left]), self.sorts_text(&readings[&right]));
            self.diagnostics.push(
                Diagnostic::error(codes::LOTOS_SORT, message)
                    .at(self.tree.values[left].span, a)
                    .also(self.tree.values[right].span, b),
            );
            return None;
        }
        readings.insert(left, common);
        let sort = self.choose(left, expected, &readings)?;
        let left = self.pick(left, sort, &readings)?;
        Some((left, self.pick(right, sort, &readings)?, sort))
    }

    fn read(&mut self, value: ValueId, readings: &mut Readings) -> Option<()> {
        let tree = self.tree;
        let found = match &tree.values[value].kind {
            ValueKind::Of(operand, sort) => {
                self.read(*operand, readings)?;
                let Some(wanted) = self.data.sort(&sort_name(self.renamings, &sort.text)) else {
                    self.diagnostics.push(super::names::unknown_sort(self.data, sort));
                    return None;
                };
                self.choose(*operand, Some(wanted), readings)?;
                vec![(Reading::Of, wanted)]
            }
            ValueKind::Apply(name, operands) => {
                for &operand in operands {
                    self.read(operand, readings)?;
                }
                self.applications(name, operands, readings)?
            }
        };
        readings.insert(value, found);
        Some(())
    }

    fn applications(
        &mut self,
        name: &Name,
        operands: &[ValueId],
        readings: &Readings,
    ) -> Option<Vec<(Reading, SortId)>> {
        let text = operation_name(self.renamings, &name.text);
        if operands.is_empty()
            && let Some((_, variable)) = self.scope.iter().rev().find(|(known, _)| *known == text)
        {
            return Some(vec![(Reading::Variable(*variable), self.data.variables[*variable].sort)]);
        }
        let mut found = Vec::new();
        for &op in self.data.named(&text) {
            let operation = &self.data.operations[op];
            let fits = operation.arguments.len() == operands.len()
                && operands
                    .iter()
                    .zip(&operation.arguments)
                    .all(|(operand, &sort)| readings[operand].iter().any(|&(_, known)| known == sort));
            if fits {
                found.push((Reading::Operation(op), operation.result));
            }
        }
        if let [first, _] = operands
            && found.len() > 1
        {
            // Of `_f_` and `f`, the one that is written like this.
            let is_infix = self.tree.values[*first].span.start < name.span.start;
            let operations = &self.data.operations;
            let is_meant = |reading: &(Reading, SortId)| match reading.0 {
                Reading::Operation(op) => operations[op].infix == is_infix,
                _ => true,
            };
            let same = |a: &(Reading, SortId), b: &(Reading, SortId)| match (a.0, b.0) {
                (Reading::Operation(a), Reading::Operation(b)) => {
                    (&operations[a].arguments, operations[a].result)
                        == (&operations[b].arguments, operations[b].result)
                }
                _ => false,
            };
            let all = found.clone();
            found.retain(|one| is_meant(one) || !all.iter().any(|other| is_meant(other) && same(one, other)));
        }
        // Where nothing asks for numbers, `0` is what the types of the specification declare.
        let may_be_number = self.data.has_numbers || found.is_empty();
        if operands.is_empty()
            && may_be_number
            && let Ok(number) = text.parse::<i64>()
        {
            found.push((Reading::Number(number), NAT));
            found.push((Reading::Number(number), INT));
        }
        if found.is_empty() {
            self.no_reading(name, &text, operands, readings);
            return None;
        }
        Some(found)
    }

    fn no_reading(&mut self, name: &Name, text: &str, operands: &[ValueId], readings: &Readings) {
        let known: Vec<&super::Operation> =
            self.data.named(text).iter().map(|&op| &self.data.operations[op]).collect();
        if known.is_empty() {
            let variables = self.scope.iter().map(|(name, _)| name.as_str());
            let operations = self.data.operations.iter().map(|op| op.name.as_str());
            let message =
                if operands.is_empty() { unknown(text) } else { format!("there is no operation `{text}`") };
            let unknown = Diagnostic::error(codes::LOTOS_NAME, message);
            let unknown = unknown.at_misspelt(name.span, text, variables.chain(operations));
            self.diagnostics.push(unknown);
            return;
        }
        let message = format!("`{text}` does not apply to these operands");
        let mut diagnostic = Diagnostic::error(codes::LOTOS_SORT, message).at(name.span, "");
        for &operand in operands {
            diagnostic =
                diagnostic.also(self.tree.values[operand].span, self.sorts_text(&readings[&operand]));
        }
        for operation in known.iter().take(4) {
            let arguments: Vec<&str> =
                operation.arguments.iter().map(|&sort| self.data.sorts[sort].name.as_str()).collect();
            let result = &self.data.sorts[operation.result].name;
            diagnostic = diagnostic.note(format!("{text} : {} -> {result}", arguments.join(", ")));
        }
        if operands.len() == 2 {
            diagnostic = diagnostic.help(
                "infix operations have no precedence and are read from the left: `a + b == c and d` is \
                 `((a + b) == c) and d`; write parentheses",
            );
        }
        self.diagnostics.push(diagnostic);
    }

    fn sorts_text(&self, readings: &[(Reading, SortId)]) -> String {
        let mut names: Vec<&str> =
            readings.iter().map(|&(_, sort)| self.data.sorts[sort].name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        format!("of sort {}", names.join(" or "))
    }

    fn choose(&mut self, value: ValueId, expected: Option<SortId>, readings: &Readings) -> Option<SortId> {
        let mut sorts: Vec<SortId> = readings[&value].iter().map(|&(_, sort)| sort).collect();
        sorts.sort_unstable();
        sorts.dedup();
        let span = self.tree.values[value].span;
        match (expected, &sorts[..]) {
            (Some(wanted), sorts) if sorts.contains(&wanted) => Some(wanted),
            (Some(wanted), _) => {
                let message = format!("a value of sort `{}` is needed here", self.data.sorts[wanted].name);
                let found = self.sorts_text(&readings[&value]);
                let mut diagnostic = Diagnostic::error(codes::LOTOS_SORT, message).at(span, found);
                if wanted == BOOL {
                    diagnostic = diagnostic.help("compare it: `x == y`, or as an equation: `[x = y]`");
                }
                self.diagnostics.push(diagnostic);
                None
            }
            (None, &[only]) => Some(only),
            // Without another sort, numbers are natural numbers.
            (None, &[NAT, INT]) => Some(NAT),
            (None, _) => {
                self.ambiguous(span, self.sorts_text(&readings[&value]));
                None
            }
        }
    }

    fn ambiguous(&mut self, span: Span, found: String) {
        let diagnostic = Diagnostic::error(codes::LOTOS_SORT, "the value can be read in several ways");
        self.diagnostics.push(diagnostic.at(span, found).help("say its sort: `(e of SORT)`"));
    }

    fn pick(&mut self, value: ValueId, sort: SortId, readings: &Readings) -> Option<ExpressionId> {
        let span = self.tree.values[value].span;
        let found: Vec<Reading> = readings[&value]
            .iter()
            .filter(|&&(_, known)| known == sort)
            .map(|&(reading, _)| reading)
            .collect();
        let declared: Vec<Reading> = found
            .iter()
            .filter(|reading| match reading {
                Reading::Operation(op) => self.data.operations[*op].span.is_some(),
                _ => true,
            })
            .copied()
            .collect();
        let reading = match (&declared[..], &found[..]) {
            (&[only], _) | (&[], &[only, ..]) => only,
            // A name with digits that is declared is no number.
            (all, _) if all.len() == 2 && all.iter().any(|r| matches!(r, Reading::Number(_))) => all[0],
            _ => {
                self.ambiguous(span, self.sorts_text(&readings[&value]));
                return None;
            }
        };
        let kind = match reading {
            Reading::Variable(variable) => ExpressionKind::Variable(variable),
            Reading::Number(number) => {
                if let Some((lo, hi)) = self.data.bounds(sort).filter(|&(lo, hi)| number < lo || number > hi)
                {
                    let name = &self.data.sorts[sort].name;
                    let message = format!("{number} is outside of `{name}`, whose values are {lo}..{hi}");
                    let diagnostic = Diagnostic::error(codes::LOTOS_SORT, message).at(span, "");
                    self.diagnostics.push(diagnostic.help(RANGE_HELP));
                    return None;
                }
                ExpressionKind::Number(number)
            }
            Reading::Of => {
                let ValueKind::Of(operand, _) = self.tree.values[value].kind else { return None };
                return self.pick(operand, sort, readings);
            }
            Reading::Operation(op) => {
                let ValueKind::Apply(name, operands) = &self.tree.values[value].kind else { return None };
                self.data.uses.push((name.span, op));
                let sorts = self.data.operations[op].arguments.clone();
                let operands: Option<Vec<ExpressionId>> = operands
                    .iter()
                    .zip(sorts)
                    .map(|(&operand, sort)| self.pick(operand, sort, readings))
                    .collect();
                ExpressionKind::Apply(op, operands?)
            }
        };
        Some(self.data.add_expression(kind, sort, span))
    }
}
