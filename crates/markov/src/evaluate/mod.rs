//! Evaluation of properties over explicit state spaces.
//!
//! Formulas are evaluated in the order of the arena, operands first, as vectors over all states; path
//! formulas are taken apart by the operator above them. Formulas whose value in a state depends on that state only
//! keep track of the states in which they are needed (the initial states, or those of the filter), so that precision is
//! spent there.

mod conditional;
#[cfg(test)]
mod conditional_tests;
mod evaluator;
mod filter;
#[cfg(test)]
mod gate_tests;
mod goal;
#[cfg(test)]
mod input_tests;
mod many;
mod multi_objective;
mod operators;
mod reachability_objective;
mod values;

pub(crate) use goal::{Goal, Task, has_goal, task};
pub use many::{Checked, check_many, families};
pub(crate) use reachability_objective::objective;
pub use values::StateValues;

use std::rc::Rc;

use volvelle_control::Control;
use volvelle_entity::EntityVec;
use volvelle_logic::{
    Answer, Comparison, FilterOp, Formula, FormulaId, Formulas, Guarantee, NumberId, Optimum, Property,
    Quantile, Ratio, StopReason, Value, gate,
};
use volvelle_objectives::operators::{Measure, has_one_value, is_pointwise, lists};
use volvelle_objectives::{branching, path, reward_bounded};
use volvelle_solver::interval::{self, decide};
use volvelle_solver::rounding::U;
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::{CheckError, Context, Numbers, Options};
use volvelle_space::{BitSet, Space, is_undefined};

/// Evaluates a property at the initial states, or as its filter says. `numbers[i]` are the values of
/// `NumberId(i)` in all states.
pub fn check(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Answer, CheckError> {
    let checked = many::check_many(space, &[property], numbers, options, None, control).pop();
    checked.map_or(Err(CheckError::EmptyFilter), |checked| checked.outcome)
}

/// The value of a property's formula in every state, without the filter at its root. Bounds are as precise as
/// one evaluation gives.
pub fn check_states(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    options: &Options,
    sweeps: Option<&Sweeps>,
    control: &Control,
) -> Result<StateValues, CheckError> {
    Context::require_engine(space)?;
    let context = Context::new(space, *options, control).with_sweeps(sweeps);
    let mut evaluator = Evaluator::new(&context, property, numbers);
    let root = match property.formulas.get(property.root) {
        Formula::Filter { formula, .. } => *formula,
        _ => property.root,
    };
    evaluator.evaluate(&[root])?;
    evaluator.take(root)
}

/// Bounds of a constant of a property, which is rational or else about a double.
fn enclosed(formulas: &Formulas, exact: Option<Ratio>, double: f64) -> [f64; 2] {
    match exact {
        _ if !double.is_finite() => [double; 2],
        Some(number) => number.enclosure(),
        None => {
            let error = (double.abs() * 16.0 * U).max(formulas.inexact());
            [(double - error).next_down(), (double + error).next_up()]
        }
    }
}

impl<'a> Evaluator<'a> {
    fn new(context: &'a Context<'a>, property: &'a Property, numbers: &'a [Vec<f64>]) -> Self {
        let count = property.formulas.len();
        Evaluator {
            context,
            formulas: &property.formulas,
            root: property.root,
            numbers,
            is_path: path::path_formulas(&property.formulas),
            values: EntityVec::filled(None, count),
            focus: None,
            focused: EntityVec::filled(false, count),
            methods: Vec::new(),
            stop: StopReason::Computed,
        }
    }

    fn answer(mut self) -> Result<(Answer, IsPrecise), CheckError> {
        if let Formula::Multi(objectives) = self.formulas.get(self.root) {
            return self.objectives(objectives);
        }
        let n = self.context.states();
        let mut initial = BitSet::new(n);
        for s in &self.context.space.initial {
            initial.insert(s.index());
        }
        let (op, formula, states) = match *self.formulas.get(self.root) {
            Formula::Filter { op, formula, states } => {
                let set = match states {
                    Some(states) => {
                        self.evaluate(&[states])?;
                        self.take(states)?.set()?.clone()
                    }
                    None => BitSet::full(n),
                };
                (Some(op), formula, set)
            }
            _ => (None, self.root, initial.clone()),
        };
        if states.count() == 0 {
            return Err(CheckError::EmptyFilter);
        }
        let lists = op.is_some_and(lists);
        let mut asked = states.clone();
        if lists {
            asked.unite(&initial);
        }
        self.set_focus(formula, asked);
        let measured = match (Measure::of(self.formulas.get(formula)), states.count()) {
            (Some(measure), 1) if measure.bound().is_some() => Some(measure),
            _ => None,
        };
        if let (Some(measure), None | Some(FilterOp::State | FilterOp::First)) = (measured, op) {
            return self.compared(formula, measure, &states);
        }
        self.evaluate(&[formula])?;
        let values = self.take(formula)?;
        let has_one_value = has_one_value(self.formulas, formula);
        let (mut answer, accepted) =
            self.filtered(op.unwrap_or(default_filter(&values, has_one_value, &states)), &values, &states)?;
        if let (true, Some(op)) = (lists, op) {
            let values = filter::nested(op, &values, &states)?;
            let (initially, _) =
                self.filtered(default_filter(&values, false, &initial), &values, &initial)?;
            answer.initially = Some(Box::new(initially));
        }
        Ok((answer, Box::new(move |options| accepted.is_none_or(|[lo, hi]| options.accepts(lo, hi)))))
    }

    /// The answer of a filter at the root, and the bounds that have to be narrow.
    fn filtered(
        &self,
        op: FilterOp,
        values: &StateValues,
        states: &BitSet,
    ) -> Result<(Answer, Option<interval::Interval>), CheckError> {
        let (value, bounds) = filter::apply(op, values, states)?;
        let guarantee = match bounds {
            _ if !self.stop.is_sound() => self.approximate(),
            // The result of an operation on known numbers that has none, such as 0/0: no measure gives such a number.
            Some([lo, hi]) if lo.is_nan() && hi.is_nan() => gate::exact(),
            Some(bounds) => gate::enclosed(bounds)?,
            None => filter::listed(&value, values)?,
        };
        let accepted = filter::worst(op, values, states, bounds);
        let answer = Answer {
            value,
            guarantee,
            compared: None,
            exact: Vec::new(),
            method: self.method(),
            stop: self.stop,
            initially: None,
        };
        Ok((answer, accepted))
    }

    /// `P>=p […]` and the like in one state: the verdict and the number behind it.
    fn compared(
        mut self,
        id: FormulaId,
        measure: Measure,
        states: &BitSet,
    ) -> Result<(Answer, IsPrecise), CheckError> {
        self.evaluate(&measure.operands(self.formulas, &self.is_path))?;
        let Some(bound) = measure.bound() else {
            return Err(CheckError::TypeMismatch { what: "a bound is expected".to_string() });
        };
        let state = states.iter().next().unwrap_or(0);
        if let Some(set) = self.qualitative(id, measure, Some(states))? {
            let verdict = set.contains(state);
            let certain =
                verdict == (bound.comparison == Comparison::Ge || bound.comparison == Comparison::Le);
            let answer = Answer {
                value: Value::Bool(verdict),
                guarantee: gate::exact(),
                compared: certain.then_some(bound.threshold),
                exact: Vec::new(),
                method: "graph analysis".to_string(),
                stop: StopReason::Computed,
                initially: None,
            };
            return Ok((answer, Box::new(|_| true)));
        }
        let numbers = self.measure(measure, self.root_focus())?;
        let [lo, hi] = numbers.bounds[state];
        let threshold = self.number(id, bound.threshold);
        let verdict = decide(bound.comparison, [lo, hi], threshold).ok_or(CheckError::CannotDecide {
            state: state as u32,
            lo,
            hi,
            threshold: bound.threshold,
        })?;
        let answer = Answer {
            value: Value::Bool(verdict),
            guarantee: match self.stop.is_sound() {
                false => self.approximate(),
                true => gate::enclosed([lo, hi])?,
            },
            compared: Some(filter::middle([lo, hi])),
            exact: Vec::new(),
            method: self.method(),
            stop: self.stop,
            initially: None,
        };
        Ok((answer, Box::new(|_| true)))
    }

    fn approximate(&self) -> Guarantee {
        Guarantee::Approximate { epsilon: self.context.options.epsilon }
    }

    fn root_focus(&self) -> Option<BitSet> {
        self.focus.clone()
    }

    fn method(&self) -> String {
        if self.methods.is_empty() { "graph analysis".to_string() } else { self.methods.join("; ") }
    }

    /// Marks the formulas that are evaluated state by state from `formula` down, and nowhere else.
    fn set_focus(&mut self, formula: FormulaId, states: BitSet) {
        self.focused[formula] = true;
        let mut elsewhere = EntityVec::filled(false, self.formulas.len());
        for id in self.formulas.ids().rev() {
            let node = self.formulas.get(id);
            let here = self.focused[id] && !elsewhere[id];
            self.focused[id] = here;
            let pointwise = is_pointwise(node) && !self.is_path[id];
            for operand in node.operands() {
                if here && pointwise {
                    self.focused[operand] = true;
                } else if id.0 <= formula.0 {
                    elsewhere[operand] = true;
                }
            }
        }
        self.focus = Some(states);
    }

    /// The states in which the value of a formula is needed; `None`: all.
    fn needed(&self, id: FormulaId) -> Option<&BitSet> {
        if self.focused[id] { self.focus.as_ref() } else { None }
    }

    /// Evaluates all that the given state formulas need, operands first.
    fn evaluate(&mut self, roots: &[FormulaId]) -> Result<(), CheckError> {
        let count = self.formulas.len();
        let mut wanted = EntityVec::filled(false, count);
        // The last formula that reads the value of each; 0, which has no operands, for none.
        let mut last_use = EntityVec::filled(0u32, count);
        for &root in roots {
            wanted[root] = true;
            last_use[root] = u32::MAX;
        }
        for id in self.formulas.ids().rev() {
            if !wanted[id] || self.values[id].is_some() {
                continue;
            }
            // The operands of a path formula are read by the operator above it.
            let user = if self.is_path[id] { last_use[id] } else { id.0 };
            for operand in self.formulas.get(id).operands() {
                wanted[operand] = true;
                last_use[operand] = last_use[operand].max(user);
            }
        }
        for id in self.formulas.ids() {
            if !wanted[id] || self.is_path[id] || self.values[id].is_some() {
                continue;
            }
            let value = self.formula(id)?;
            self.values[id] = Some(Rc::new(value));
            for (operand, &user) in last_use.iter() {
                if user == id.0 {
                    self.values[operand] = None;
                }
            }
        }
        Ok(())
    }

    fn value(&self, id: FormulaId) -> Result<&StateValues, CheckError> {
        self.values[id].as_deref().ok_or_else(|| CheckError::TypeMismatch {
            what: "expected a state formula, found a path formula".to_string(),
        })
    }

    fn take(&mut self, id: FormulaId) -> Result<StateValues, CheckError> {
        self.value(id)?;
        Ok(self.values[id].take().map(Rc::unwrap_or_clone).unwrap_or_else(|| BitSet::new(0).into()))
    }

    fn set(&self, id: FormulaId) -> Result<&BitSet, CheckError> {
        self.value(id)?.set()
    }

    fn bounds(&self, id: FormulaId) -> Result<&[[f64; 2]], CheckError> {
        Ok(&self.value(id)?.numbers()?.bounds)
    }

    /// Notes how numbers were computed.
    fn note(&mut self, numbers: &Numbers) {
        if !numbers.method.is_empty() && !self.methods.contains(&numbers.method) {
            self.methods.push(numbers.method.clone());
        }
        self.stop = self.stop.max(numbers.stop);
    }

    /// The states where a comparison of bounds holds; an error where one that is needed is undecided.
    fn compare(
        &self,
        id: FormulaId,
        comparison: Comparison,
        left: impl Fn(usize) -> [f64; 2],
        right: impl Fn(usize) -> [f64; 2],
    ) -> Result<BitSet, CheckError> {
        let n = self.context.states();
        let mut set = BitSet::new(n);
        let needed = self.needed(id);
        for s in 0..n {
            match decide(comparison, left(s), right(s)) {
                Some(true) => {
                    set.insert(s);
                }
                Some(false) => {}
                None if needed.is_none_or(|n| n.contains(s)) => {
                    let [lo, hi] = left(s);
                    let threshold = filter::middle(right(s));
                    return Err(CheckError::CannotDecide { state: s as u32, lo, hi, threshold });
                }
                None => {}
            }
        }
        Ok(set)
    }

    fn formula(&mut self, id: FormulaId) -> Result<StateValues, CheckError> {
        let n = self.context.states();
        let space = self.context.space;
        let node = self.formulas.get(id);
        if let Some(measure) = Measure::of(node) {
            return self.measured(id, measure);
        }
        Ok(match *node {
            Formula::Bool(true) => StateValues::Bool(BitSet::full(n)),
            Formula::Bool(false) => StateValues::Bool(BitSet::new(n)),
            Formula::Number(value) => StateValues::constant(n, self.number(id, value)),
            Formula::Label(label) => match space.labels.get(label.index()) {
                Some((_, set)) => StateValues::Bool(set.clone()),
                None => {
                    let what = format!("label number {}", label.0);
                    return Err(CheckError::MissingObservation { what });
                }
            },
            Formula::Observation(number) => StateValues::Number(self.observation(id, number)?),
            Formula::Init => {
                let mut set = BitSet::new(n);
                for s in &space.initial {
                    set.insert(s.index());
                }
                StateValues::Bool(set)
            }
            Formula::Deadlock => StateValues::Bool(space.deadlocks.clone()),
            Formula::Not(a) => StateValues::Bool(self.set(a)?.complement()),
            Formula::And(a, b) => {
                let mut set = self.set(a)?.clone();
                set.intersect(self.set(b)?);
                StateValues::Bool(set)
            }
            Formula::Or(a, b) => {
                let mut set = self.set(a)?.clone();
                set.unite(self.set(b)?);
                StateValues::Bool(set)
            }
            Formula::Compare(comparison, a, b) => {
                let (x, y) = (self.bounds(a)?, self.bounds(b)?);
                StateValues::Bool(self.compare(id, comparison, |s| x[s], |s| y[s])?)
            }
            Formula::Equal(a, b) => self.equal(id, a, b)?,
            Formula::IfThenElse(condition, a, b) => self.if_then_else([condition, a, b])?,
            Formula::Filter { op, formula, states } => {
                let all = BitSet::full(n);
                let set = match states {
                    Some(states) => self.set(states)?,
                    None => &all,
                };
                filter::nested(op, self.value(formula)?, set)?
            }
            Formula::Quantile(ref quantile) => StateValues::Number(self.quantile(id, quantile)?),
            Formula::ForAll(path) | Formula::Exists(path) => StateValues::Bool(branching(
                self.context,
                self.formulas,
                &self.is_path,
                path,
                matches!(self.formulas.get(id), Formula::ForAll(_)),
                self.needed(id),
                |id| self.set(id).cloned(),
            )?),
            Formula::Multi(_) => {
                let what = "multi(...) cannot be part of another property".to_string();
                return Err(CheckError::TypeMismatch { what });
            }
            _ => self.arithmetic(id)?,
        })
    }

    /// A numeric observation, which must be defined where it is needed.
    fn observation(&self, id: FormulaId, number: NumberId) -> Result<Numbers, CheckError> {
        let n = self.context.states();
        let Some(values) = self.numbers.get(number.index()).filter(|values| values.len() == n) else {
            let what = format!("numeric observation number {}", number.0);
            return Err(CheckError::MissingObservation { what });
        };
        let needed = self.needed(id);
        let undefined = |s: &usize| is_undefined(values[*s]);
        let asked = |s: &usize| needed.is_none_or(|needed| needed.contains(*s));
        if let Some(state) = (0..n).filter(undefined).find(asked) {
            return Err(CheckError::UndefinedNumber { number: number.0, state: state as u32 });
        }
        // The error is that of all numbers of the property; variables have none.
        let [relative, absolute] = match self.formulas.is_variable(number) {
            true => [0.0; 2],
            false => self.context.options.number_error,
        };
        let mut numbers = Numbers::exact(values.iter().copied(), "");
        if relative > 0.0 || absolute > 0.0 {
            for [lo, hi] in numbers.bounds.iter_mut().filter(|b| b[0].is_finite()) {
                let error = (lo.abs() * relative + absolute).next_up();
                if error > 0.0 {
                    (*lo, *hi) = ((*lo - error).next_down(), (*hi + error).next_up());
                }
            }
        }
        for s in (0..n).filter(undefined) {
            numbers.bounds[s] = [f64::NEG_INFINITY, f64::INFINITY];
        }
        Ok(numbers)
    }

    fn if_then_else(&self, [condition, a, b]: [FormulaId; 3]) -> Result<StateValues, CheckError> {
        let n = self.context.states();
        let condition = self.set(condition)?;
        Ok(match (self.value(a)?, self.value(b)?) {
            (StateValues::Bool(x), StateValues::Bool(y)) => {
                let mut set = condition.clone();
                set.intersect(x);
                let mut other = condition.complement();
                other.intersect(y);
                set.unite(&other);
                StateValues::Bool(set)
            }
            (x, y) => {
                let (x, y) = (&x.numbers()?.bounds, &y.numbers()?.bounds);
                let bounds = (0..n).map(|s| if condition.contains(s) { x[s] } else { y[s] }).collect();
                StateValues::Number(Numbers { bounds, method: String::new(), stop: StopReason::Computed })
            }
        })
    }

    /// Bounds of the constant of a formula, where a double stands in it.
    fn number(&self, id: FormulaId, double: f64) -> [f64; 2] {
        enclosed(self.formulas, self.formulas.exact(id, double), double)
    }

    fn equal(&self, id: FormulaId, a: FormulaId, b: FormulaId) -> Result<StateValues, CheckError> {
        if let (StateValues::Bool(x), StateValues::Bool(y)) = (self.value(a)?, self.value(b)?) {
            let words = x.words().iter().zip(y.words()).map(|(x, y)| !(x ^ y)).collect();
            return Ok(StateValues::Bool(BitSet::from_words(words, x.len())));
        }
        let (x, y) = (self.bounds(a)?, self.bounds(b)?);
        let mut set = self.compare(id, Comparison::Le, |s| x[s], |s| y[s])?;
        set.intersect(&self.compare(id, Comparison::Ge, |s| x[s], |s| y[s])?);
        Ok(StateValues::Bool(set))
    }

    fn arithmetic(&self, id: FormulaId) -> Result<StateValues, CheckError> {
        let n = self.context.states();
        let node = self.formulas.get(id);
        let operands = node.operands();
        let (Some(&a), second) = (operands.first(), operands.get(1)) else {
            return Err(CheckError::TypeMismatch {
                what: "expected a state formula, found a path formula".to_string(),
            });
        };
        let x = self.bounds(a)?;
        let y = self.bounds(*second.unwrap_or(&a))?;
        let name = volvelle_objectives::operators::name(node);
        let bounds = (0..n)
            .map(|s| {
                operators::arithmetic(node, x[s], y[s])
                    .or_else(|| {
                        // Undefined somewhere within the bounds, in a state that is not requested.
                        let asked = self.needed(id).is_none_or(|needed| needed.contains(s));
                        (!asked).then_some([f64::NEG_INFINITY, f64::INFINITY])
                    })
                    .ok_or_else(|| CheckError::Undefined { what: name.to_string() })
            })
            .collect::<Result<_, _>>()?;
        Ok(StateValues::Number(Numbers { bounds, method: String::new(), stop: StopReason::Computed }))
    }

    /// The amount with which a probability meets its threshold.
    fn quantile(&mut self, id: FormulaId, quantile: &Quantile) -> Result<Numbers, CheckError> {
        let any = match quantile.bound.comparison {
            Comparison::Ge | Comparison::Gt => Optimum::Min,
            Comparison::Le | Comparison::Lt => Optimum::Max,
        };
        let optimum = self.context.optimum(quantile.optimum.or(Some(any)))?;
        let sets = (self.set(quantile.left)?, self.set(quantile.right)?);
        let numbers = reward_bounded::quantile(self.context, sets, quantile, optimum, self.needed(id))?;
        self.note(&numbers);
        Ok(numbers)
    }

    /// `P`, `R`, `S`, `T`: a number, or its comparison with a bound.
    fn measured(&mut self, id: FormulaId, measure: Measure) -> Result<StateValues, CheckError> {
        let needed = self.needed(id).cloned();
        let Some(bound) = measure.bound() else {
            return Ok(StateValues::Number(self.measure(measure, needed)?));
        };
        if let Some(set) = self.qualitative(id, measure, needed.as_ref())? {
            return Ok(StateValues::Bool(set));
        }
        let numbers = self.measure(measure, needed)?;
        let threshold = self.number(id, bound.threshold);
        let set = self.compare(id, bound.comparison, |s| numbers.bounds[s], |_| threshold)?;
        Ok(StateValues::Bool(set))
    }
}

fn default_filter(values: &StateValues, has_one_value: bool, states: &BitSet) -> FilterOp {
    volvelle_objectives::operators::default_filter(
        matches!(values, StateValues::Bool(_)),
        has_one_value,
        states.count(),
    )
}

#[cfg(test)]
mod tests;

use evaluator::{Evaluator, IsPrecise, difference};
