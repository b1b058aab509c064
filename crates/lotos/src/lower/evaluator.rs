//! Values as numbers, and operations on them: what lowering evaluates, and what exploration asks for later.

use crate::data::rewrite::{self, EvaluationError, Limits, Stacks};
use crate::data::terms::{Term, TermId, Terms};
use crate::data::{Data, OperationId, SortId};
use std::sync::Arc;
use volvelle_model::{FunctionId, NoValue, SortId as ModelSort};

/// No number yet.
const UNKNOWN: i64 = i64::MIN;

/// The operations of a specification as functions of a program. Values of finite sorts are numbered by their sort, others as
/// they come up.
#[derive(Clone, Debug)]
pub struct Evaluator {
    data: Arc<Data>,
    terms: Terms,
    stacks: Stacks,
    /// The number of each term as a value of its sort, where it was asked for ([`UNKNOWN`] elsewhere). Numbers are their own numbers.
    codes: Vec<i64>,
    /// By sort, the terms of values: of recursive sorts, in the order in which they came up; of others, where they were asked for.
    values: Vec<Vec<Option<TermId>>>,
    /// The operation behind each function of the program.
    pub(crate) functions: Vec<OperationId>,
    /// The sort behind each sort of the program.
    pub(crate) sorts: Vec<Option<SortId>>,
}

impl Evaluator {
    pub(crate) fn new(data: Arc<Data>) -> Self {
        let values = vec![Vec::new(); data.sorts.len()];
        let (terms, stacks, codes) = (Terms::default(), Stacks::default(), Vec::new());
        Evaluator { data, terms, stacks, codes, values, functions: Vec::new(), sorts: Vec::new() }
    }

    /// The number of a value.
    pub(crate) fn code(&mut self, sort: SortId, term: TermId) -> i64 {
        if let Term::Number(number) = self.terms.get(term) {
            return number;
        }
        let at = term.0 as usize;
        if self.codes.len() <= at {
            self.codes.resize(self.terms.len(), UNKNOWN);
        }
        if self.codes[at] == UNKNOWN {
            self.codes[at] = match self.terms.code(&self.data, sort, term) {
                Some(code) => code,
                None => {
                    self.values[sort].push(Some(term));
                    self.values[sort].len() as i64 - 1
                }
            };
        }
        self.codes[at]
    }

    /// The value of a number.
    pub(crate) fn term(&mut self, sort: SortId, code: i64) -> Option<TermId> {
        let place = usize::try_from(code).ok();
        if let Some(&Some(known)) = place.and_then(|place| self.values[sort].get(place)) {
            return Some(known);
        }
        let term = self.terms.decode(&self.data, sort, code)?;
        if let Some(place) = place.filter(|_| !self.data.is_number(sort)) {
            let values = &mut self.values[sort];
            values.resize(values.len().max(place + 1), None);
            values[place] = Some(term);
        }
        Some(term)
    }

    /// Applies an operation to numbers.
    ///
    /// # Errors
    /// It has no value there: the reason.
    pub(crate) fn apply_operation(
        &mut self,
        operation: OperationId,
        operands: &[i64],
    ) -> Result<i64, String> {
        let data = self.data.clone();
        let mut values = Vec::with_capacity(operands.len());
        for (&code, &sort) in operands.iter().zip(&data.operations[operation].arguments) {
            let unknown = || format!("{code} is no value of the sort `{}`", data.sorts[sort].name);
            values.push(self.term(sort, code).ok_or_else(unknown)?);
        }
        match rewrite::apply(&data, &mut self.terms, &mut self.stacks, operation, &values, Limits::default())
        {
            Ok(term) => Ok(self.code(data.operations[operation].result, term)),
            Err(error) => Err(self.explain(&error)),
        }
    }

    fn explain(&self, error: &EvaluationError) -> String {
        let application = |operation: OperationId, operands: &[TermId]| {
            let operation = &self.data.operations[operation];
            let texts: Vec<String> = operands.iter().map(|&term| self.terms.text(&self.data, term)).collect();
            match &texts[..] {
                [] => operation.name.clone(),
                [a, b] if operation.infix => format!("{a} {} {b}", operation.name),
                _ => format!("{} ({})", operation.name, texts.join(", ")),
            }
        };
        match error {
            EvaluationError::NoRule(op, operands) => {
                format!("no equation applies to `{}`", application(*op, operands))
            }
            EvaluationError::OutOfRange(op, operands) => {
                let sort = &self.data.sorts[self.data.operations[*op].result].name;
                format!("`{}` is no value of the sort `{sort}`", application(*op, operands))
            }
            EvaluationError::Endless(op) => {
                format!("rewriting `{}` does not end within 10 million steps", self.data.operations[*op].name)
            }
        }
    }

    /// A value for people and labels.
    pub(crate) fn value_text(&self, sort: SortId, code: i64) -> String {
        let known = usize::try_from(code).ok().and_then(|place| self.values[sort].get(place));
        if let Some(&Some(term)) = known {
            return self.terms.text(&self.data, term);
        }
        let mut terms = Terms::default();
        match terms.decode(&self.data, sort, code) {
            Some(term) => terms.text(&self.data, term),
            None => code.to_string(),
        }
    }
}

impl volvelle_model::Terms for Evaluator {
    fn apply(&mut self, function: FunctionId, arguments: &[i64]) -> Result<i64, NoValue> {
        self.apply_operation(self.functions[function.index()], arguments).map_err(NoValue)
    }

    fn text(&self, sort: ModelSort, value: i64) -> String {
        match self.sorts.get(sort.index()) {
            Some(Some(sort)) => self.value_text(*sort, value),
            _ => value.to_string(),
        }
    }
}
