//! Rewriting of ground values: innermost, rules from the top, with an explicit stack.
//!
//! Operands are evaluated before an operation, but for the second ones of `and`, `or` and `implies`, which are evaluated only
//! where the first does not decide.

use super::Builtin;
use super::terms::{Term, TermId, Terms};
use super::{Data, ExpressionId, ExpressionKind, Meaning, OperationId, Pattern, SortKind, VariableId};

/// Limits of one evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps of the machine.
    pub steps: u64,
    /// Operations whose rules are under evaluation.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 10_000_000, depth: 1_000_000 }
    }
}

/// Why a value cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// No rule applies.
    NoRule(OperationId, Vec<TermId>),
    /// The result is outside of the range of its sort, or is not defined.
    OutOfRange(OperationId, Vec<TermId>),
    /// Rewriting does not end within the limits.
    Endless(OperationId),
}

/// Values of variables: those of a rule, or those of the expression from outside.
#[derive(Debug)]
struct Frame {
    operation: OperationId,
    /// The operands, on the stack of values.
    operands: usize,
    rule: usize,
    /// Number of the condition under evaluation; that of the right side is the number of conditions.
    condition: usize,
    /// Variables of the rule, on the stack of bindings.
    bindings: usize,
}

#[derive(Debug)]
enum Task {
    Evaluate(ExpressionId),
    /// Applies an operation to the values on top.
    Apply(OperationId),
    /// Decides from the first operand whether the second one is evaluated.
    Decide(Builtin, OperationId, ExpressionId),
    /// A condition or the right side of the innermost frame has been evaluated.
    Return,
}

/// Memory of evaluations, which is kept from one to the next.
#[derive(Debug, Default)]
pub struct Stacks {
    tasks: Vec<Task>,
    values: Vec<TermId>,
    frames: Vec<Frame>,
    bindings: Vec<Option<TermId>>,
    known: Vec<Known>,
}

/// A result of an operation with rules. Recursive operations on lists ask for the same results again and again, as terms share what they
/// have in common; so the last ones are kept, each at the place that its hash gives it.
#[derive(Clone, Copy, Debug)]
struct Known {
    key: Key,
    result: TermId,
}

/// An operation and its operands.
type Key = (u32, [u32; MOST_OPERANDS]);

/// Operands of operations whose results are kept.
const MOST_OPERANDS: usize = 4;

/// Results that are kept.
const PLACES: usize = 1 << 14;

impl Clone for Stacks {
    /// Between evaluations there is nothing in it.
    fn clone(&self) -> Self {
        Stacks::default()
    }
}

/// Evaluates an expression in an environment that gives values to its variables.
///
/// # Errors
/// It has no value, or the limits are reached.
pub fn evaluate(
    data: &Data,
    terms: &mut Terms,
    expression: ExpressionId,
    environment: &dyn Fn(VariableId) -> TermId,
    limits: Limits,
) -> Result<TermId, EvaluationError> {
    let mut stacks = Stacks::default();
    let machine = Machine::new(data, terms, &mut stacks, environment);
    machine.tasks.push(Task::Evaluate(expression));
    machine.run(limits)
}

/// Applies an operation to values.
///
/// # Errors
/// It has no value there, or the limits are reached.
pub fn apply(
    data: &Data,
    terms: &mut Terms,
    stacks: &mut Stacks,
    operation: OperationId,
    operands: &[TermId],
    limits: Limits,
) -> Result<TermId, EvaluationError> {
    let environment = |_| TermId(0);
    let machine = Machine::new(data, terms, stacks, &environment);
    machine.values.extend(operands);
    machine.tasks.push(Task::Apply(operation));
    machine.run(limits)
}

struct Machine<'a> {
    data: &'a Data,
    environment: &'a dyn Fn(VariableId) -> TermId,
    truth: [TermId; 2],
    terms: &'a mut Terms,
    tasks: &'a mut Vec<Task>,
    values: &'a mut Vec<TermId>,
    frames: &'a mut Vec<Frame>,
    bindings: &'a mut Vec<Option<TermId>>,
    known: &'a mut Vec<Known>,
}

impl<'a> Machine<'a> {
    fn new(
        data: &'a Data,
        terms: &'a mut Terms,
        stacks: &'a mut Stacks,
        environment: &'a dyn Fn(VariableId) -> TermId,
    ) -> Self {
        let Stacks { tasks, values, frames, bindings, known } = stacks;
        // What an evaluation that failed has left.
        tasks.clear();
        values.clear();
        frames.clear();
        bindings.clear();
        let truth = [terms.truth(data, false), terms.truth(data, true)];
        Machine { data, environment, truth, terms, tasks, values, frames, bindings, known }
    }

    fn run(mut self, limits: Limits) -> Result<TermId, EvaluationError> {
        let mut steps = 0;
        while let Some(task) = self.tasks.pop() {
            steps += 1;
            if steps > limits.steps || self.frames.len() > limits.depth {
                let operation = self.frames.first().map_or(0, |frame| frame.operation);
                return Err(EvaluationError::Endless(operation));
            }
            match task {
                Task::Evaluate(expression) => self.evaluate(expression),
                Task::Apply(operation) => self.apply(operation)?,
                Task::Decide(builtin, operation, second) => self.decide(builtin, operation, second),
                Task::Return => self.return_to()?,
            }
        }
        Ok(self.values.pop().expect("an expression has a value"))
    }

    fn truth(&self, holds: bool) -> TermId {
        self.truth[usize::from(holds)]
    }

    fn is_true(&self, value: TermId) -> bool {
        value == self.truth[1]
    }

    fn evaluate(&mut self, expression: ExpressionId) {
        let data = self.data;
        match &data.expressions[expression].kind {
            ExpressionKind::Number(number) => {
                let value = self.terms.add(Term::Number(*number));
                self.values.push(value);
            }
            ExpressionKind::Variable(variable) => {
                let value = match self.frames.last() {
                    Some(frame) => {
                        let Meaning::Defined(rules) = &data.operations[frame.operation].meaning else {
                            unreachable!("a frame belongs to an operation with rules")
                        };
                        let local = variable - rules[frame.rule].first;
                        self.bindings[frame.bindings + local].expect("the left side binds all variables")
                    }
                    None => (self.environment)(*variable),
                };
                self.values.push(value);
            }
            ExpressionKind::Apply(operation, operands) => {
                if let (Meaning::Builtin(builtin @ (Builtin::And | Builtin::Or | Builtin::Implies)), [a, b]) =
                    (&data.operations[*operation].meaning, &operands[..])
                {
                    self.tasks.push(Task::Decide(*builtin, *operation, *b));
                    self.tasks.push(Task::Evaluate(*a));
                    return;
                }
                self.tasks.push(Task::Apply(*operation));
                self.tasks.extend(operands.iter().rev().map(|&operand| Task::Evaluate(operand)));
            }
        }
    }

    fn decide(&mut self, builtin: Builtin, operation: OperationId, second: ExpressionId) {
        let first = *self.values.last().expect("the first operand was evaluated");
        let decided = match (builtin, self.is_true(first)) {
            (Builtin::And, false) => Some(false),
            (Builtin::Or, true) => Some(true),
            (Builtin::Implies, false) => Some(true),
            _ => None,
        };
        match decided {
            Some(value) => {
                let value = self.truth(value);
                self.values.pop();
                self.values.push(value);
            }
            None => {
                self.tasks.push(Task::Apply(operation));
                self.tasks.push(Task::Evaluate(second));
            }
        }
    }

    fn apply(&mut self, operation: OperationId) -> Result<(), EvaluationError> {
        let data = self.data;
        let arity = data.operations[operation].arguments.len();
        let operands = self.values.len() - arity;
        match &data.operations[operation].meaning {
            Meaning::Constructor => {
                let made = self.construct(operation, operands)?;
                self.values.truncate(operands);
                self.values.push(made);
                Ok(())
            }
            Meaning::Builtin(builtin) => {
                let value = self.builtin(*builtin, operation, operands)?;
                self.values.truncate(operands);
                self.values.push(value);
                Ok(())
            }
            Meaning::Defined(_) => {
                if let Some(result) = self.known(operation, operands) {
                    self.values.truncate(operands);
                    self.values.push(result);
                    return Ok(());
                }
                let bindings = self.bindings.len();
                self.frames.push(Frame { operation, operands, rule: 0, condition: 0, bindings });
                self.next_rule()
            }
        }
    }

    /// The operation with the operands on top, where its results are kept, and the place for it.
    fn key(&self, operation: OperationId, operands: usize) -> Option<(Key, usize)> {
        let mut all = [u32::MAX; MOST_OPERANDS];
        let values = &self.values[operands..];
        for (own, value) in all.get_mut(..values.len())?.iter_mut().zip(values) {
            *own = value.0;
        }
        let mut hash = operation as u64;
        for operand in all {
            hash = (hash.rotate_left(5) ^ u64::from(operand)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        Some(((operation as u32, all), (hash >> 32) as usize % PLACES))
    }

    fn known(&self, operation: OperationId, operands: usize) -> Option<TermId> {
        let (key, place) = self.key(operation, operands)?;
        self.known.get(place).filter(|known| known.key == key).map(|known| known.result)
    }

    fn keep(&mut self, operation: OperationId, operands: usize, result: TermId) {
        let Some((key, place)) = self.key(operation, operands) else { return };
        if self.known.is_empty() {
            let nothing = Known { key: (u32::MAX, [u32::MAX; MOST_OPERANDS]), result };
            self.known.resize(PLACES, nothing);
        }
        self.known[place] = Known { key, result };
    }

    fn construct(&mut self, operation: OperationId, operands: usize) -> Result<TermId, EvaluationError> {
        let sort = self.data.operations[operation].result;
        if let SortKind::Numeral { zero, hi, .. } = self.data.sorts[sort].kind {
            if operation == zero {
                return Ok(self.terms.add(Term::Number(0)));
            }
            let Term::Number(number) = self.terms.get(self.values[operands]) else {
                unreachable!("a numeral is a number")
            };
            if number >= hi {
                return Err(EvaluationError::OutOfRange(operation, self.values[operands..].to_vec()));
            }
            return Ok(self.terms.add(Term::Number(number + 1)));
        }
        Ok(self.terms.add(Term::Apply(operation, &self.values[operands..])))
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        operation: OperationId,
        operands: usize,
    ) -> Result<TermId, EvaluationError> {
        let values = &self.values[operands..];
        // Equal values have equal numbers, whatever their sort.
        match builtin {
            Builtin::Equal => {
                let same = values[0] == values[1];
                return Ok(self.truth(same));
            }
            Builtin::Different => {
                let differ = values[0] != values[1];
                return Ok(self.truth(differ));
            }
            Builtin::Before => {
                let before = self.terms.order(values[0], values[1]).is_lt();
                return Ok(self.truth(before));
            }
            _ => {}
        }
        let number = |value: TermId| match self.terms.get(value) {
            Term::Number(number) => number,
            Term::Apply(..) => i64::from(self.is_true(value)),
        };
        let (a, b) = (number(values[0]), values.get(1).map_or(0, |&value| number(value)));
        let sort = self.data.operations[operation].result;
        let (lo, hi) = self.data.bounds(sort).expect("numbers and truth values have bounds");
        match builtin.apply(a, b).filter(|&value| value >= lo && value <= hi) {
            Some(value) if sort == super::BOOL => Ok(self.truth(value != 0)),
            Some(value) => Ok(self.terms.add(Term::Number(value))),
            None => Err(EvaluationError::OutOfRange(operation, self.values[operands..].to_vec())),
        }
    }

    /// Looks for a rule whose left side matches, from the one of the innermost frame on.
    fn next_rule(&mut self) -> Result<(), EvaluationError> {
        let data = self.data;
        let frame = self.frames.last_mut().expect("there is a frame");
        let Meaning::Defined(rules) = &data.operations[frame.operation].meaning else {
            unreachable!("a frame belongs to an operation with rules")
        };
        while let Some(rule) = rules.get(frame.rule) {
            self.bindings.truncate(frame.bindings);
            self.bindings.resize(frame.bindings + rule.count, None);
            let bound = &mut self.bindings[frame.bindings..];
            let operands = &self.values[frame.operands..];
            let mut matches = rule.patterns.iter().zip(operands);
            if matches.all(|(pattern, &value)| matched(self.terms, pattern, value, rule.first, bound)) {
                frame.condition = 0;
                self.tasks.push(Task::Return);
                self.tasks.push(Task::Evaluate(*rule.conditions.first().unwrap_or(&rule.right)));
                return Ok(());
            }
            frame.rule += 1;
        }
        let operands = self.values[frame.operands..].to_vec();
        Err(EvaluationError::NoRule(frame.operation, operands))
    }

    fn return_to(&mut self) -> Result<(), EvaluationError> {
        let value = self.values.pop().expect("a value was evaluated");
        let frame = self.frames.last_mut().expect("there is a frame");
        let Meaning::Defined(rules) = &self.data.operations[frame.operation].meaning else {
            unreachable!("a frame belongs to an operation with rules")
        };
        let rule = &rules[frame.rule];
        if frame.condition == rule.conditions.len() {
            let (operation, operands) = (frame.operation, frame.operands);
            self.keep(operation, operands, value);
            let frame = self.frames.last().expect("there is a frame");
            self.values.truncate(frame.operands);
            self.values.push(value);
            self.bindings.truncate(frame.bindings);
            self.frames.pop();
            return Ok(());
        }
        frame.condition += 1;
        let next = *rule.conditions.get(frame.condition).unwrap_or(&rule.right);
        if self.is_true(value) {
            self.tasks.push(Task::Return);
            self.tasks.push(Task::Evaluate(next));
            return Ok(());
        }
        let frame = self.frames.last_mut().expect("there is a frame");
        frame.rule += 1;
        self.next_rule()
    }
}

/// Matches a value, binding variables. Recursion is as deep as patterns nest, which the parser limits.
fn matched(
    terms: &mut Terms,
    pattern: &Pattern,
    value: TermId,
    first: VariableId,
    bound: &mut [Option<TermId>],
) -> bool {
    match pattern {
        Pattern::Variable(variable) => {
            let place = &mut bound[variable - first];
            match *place {
                Some(known) => known == value,
                None => {
                    *place = Some(value);
                    true
                }
            }
        }
        Pattern::Number(number) => terms.get(value) == Term::Number(*number),
        Pattern::Apply(op, operands) => match terms.get(value) {
            Term::Apply(known, _) => {
                known == *op
                    && operands.iter().enumerate().all(|(k, pattern)| {
                        let inner = terms.operand(value, k);
                        matched(terms, pattern, inner, first, bound)
                    })
            }
            Term::Number(number) => match operands.first() {
                None => number == 0,
                Some(inner) if number > 0 => {
                    let less = terms.add(Term::Number(number - 1));
                    matched(terms, inner, less, first, bound)
                }
                Some(_) => false,
            },
        },
    }
}
