//! Conditions on the states of runs that are given while a run goes on.

use super::evaluate::Evaluation;
use crate::language::StateCondition;
use crate::trace::VariableValue;
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_kernel::ExprId;
use volvelle_model::{NetworkLayout, Program};
use volvelle_promela::{Observed, ast, lower_printing, parse_expression};

/// A condition. Its program has the fields of the run, and the expression besides.
pub(super) struct Condition {
    program: Program,
    expr: ExprId,
    /// The same as a number.
    number: ExprId,
}

impl Condition {
    /// Reads an expression over the global variables of a model.
    pub fn read(model: &ast::Model, sources: &mut Sources, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let errors = |mut diagnostics: Vec<Diagnostic>| {
            diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
            diagnostics
        };
        let mut model = model.clone();
        let file = sources.add("the condition", text);
        let (expr, problems) = parse_expression(sources, file, &mut model);
        let problems = errors(problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        // What the model itself is warned of was said before.
        let observed = [true, false].map(|is_condition| Observed { expr, is_condition });
        let (lowered, problems) = lower_printing(&model, &observed);
        let lowered = lowered.ok_or_else(|| errors(problems))?;
        let [expr, number] = lowered.observed[..] else { return Err(Vec::new()) };
        Ok(Condition { program: lowered.program, expr, number })
    }

    /// Whether it is a truth value, of which the number is made.
    fn is_truth(&self) -> bool {
        let mut is_truth = false;
        let number = self.program.exprs.node(self.number);
        self.program.each_operand(&number, |operand| is_truth |= operand == self.expr);
        is_truth
    }
}

impl StateCondition for Condition {
    fn holds(&self, layout: &NetworkLayout, state: &[u64]) -> Option<bool> {
        Evaluation { program: &self.program, layout, state, slot: 0, offered: &[] }.holds(self.expr)
    }

    fn value(&self, layout: &NetworkLayout, state: &[u64]) -> Option<VariableValue> {
        let evaluation = Evaluation { program: &self.program, layout, state, slot: 0, offered: &[] };
        match self.is_truth() {
            true => evaluation.holds(self.expr).map(VariableValue::Bool),
            false => evaluation.number(self.number).map(VariableValue::Int),
        }
    }
}
