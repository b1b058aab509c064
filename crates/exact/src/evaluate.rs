//! Formulas over rationals: the counterpart of `evaluate` in `volvelle-markov`, without bounds and hence without refinement.

mod measure;
mod objectives;

use crate::arithmetic::{ArithmeticError, arithmetic, holds};
use crate::filter;
use crate::model::Model;
use crate::values::Values;
use std::rc::Rc;
use volvelle_entity::EntityVec;
use volvelle_logic::{
    Answer, Comparison, FilterOp, Formula, FormulaId, Formulas, Property, Ratio, StopReason, Value, gate,
};
use volvelle_objectives::operators::{self, Measure};
use volvelle_objectives::{branching, path};
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

/// Evaluates a property at the initial states, or as its filter says.
pub fn answer(model: &Model<'_>, property: &Property) -> Result<Answer, CheckError> {
    Evaluator::new(model, property).answer(property.root)
}

/// The value of a property's formula in every state, without the filter at its root.
pub fn states(model: &Model<'_>, property: &Property) -> Result<Values, CheckError> {
    let root = match property.formulas.get(property.root) {
        Formula::Filter { formula, .. } => *formula,
        _ => property.root,
    };
    let mut evaluator = Evaluator::new(model, property);
    evaluator.evaluate(root)?;
    Ok((**evaluator.value(root)?).clone())
}

fn default_filter(values: &Values, has_one_value: bool, states: &BitSet) -> FilterOp {
    operators::default_filter(matches!(values, Values::Bool(_)), has_one_value, states.count())
}

struct Evaluator<'a> {
    model: &'a Model<'a>,
    formulas: &'a Formulas,
    is_path: EntityVec<FormulaId, bool>,
    values: EntityVec<FormulaId, Option<Rc<Values>>>,
    methods: Vec<String>,
    /// The formulas that are evaluated state by state from the root down, and the states where they are requested.
    focus: Option<(EntityVec<FormulaId, bool>, BitSet)>,
}

impl<'a> Evaluator<'a> {
    fn new(model: &'a Model<'a>, property: &'a Property) -> Self {
        let formulas = &property.formulas;
        Evaluator {
            model,
            formulas,
            is_path: path::path_formulas(formulas),
            values: EntityVec::filled(None, formulas.len()),
            methods: Vec::new(),
            focus: None,
        }
    }

    fn answer(&mut self, root: FormulaId) -> Result<Answer, CheckError> {
        if let Formula::Multi(objectives) = self.formulas.get(root) {
            return self.objectives(root, objectives);
        }
        let (op, formula, states) = match *self.formulas.get(root) {
            Formula::Filter { op, formula, states } => {
                let set = match states {
                    Some(states) => {
                        self.evaluate(states)?;
                        self.set(states)?.clone()
                    }
                    None => BitSet::full(self.model.context.states()),
                };
                (Some(op), formula, set)
            }
            _ => (None, root, self.initial()),
        };
        if states.count() == 0 {
            return Err(CheckError::EmptyFilter);
        }
        if let (Some(measure), 1, None | Some(FilterOp::State | FilterOp::First)) =
            (Measure::of(self.formulas.get(formula)), states.count(), op)
            && measure.bound().is_some()
        {
            return self.compared(formula, measure, &states);
        }
        let lists = op.filter(|&op| operators::lists(op));
        let mut asked = states.clone();
        if lists.is_some() {
            asked.unite(&self.initial());
        }
        self.focus = Some((self.evaluated_pointwise(formula), asked));
        self.evaluate(formula)?;
        let values = self.value(formula)?.clone();
        let has_one_value = operators::has_one_value(self.formulas, formula);
        let op = op.unwrap_or(default_filter(&values, has_one_value, &states));
        let (value, exact) = filter::apply(op, &values, &states)?;
        let mut answer = self.exactly(value, None, exact);
        if let Some(op) = lists {
            let values = filter::nested(op, &values, &states)?;
            let initial = self.initial();
            let (value, exact) = filter::apply(default_filter(&values, false, &initial), &values, &initial)?;
            answer.initially = Some(Box::new(self.exactly(value, None, exact)));
        }
        Ok(answer)
    }

    /// `P>=p […]` and the like in one state: the verdict and the number behind it.
    fn compared(&mut self, id: FormulaId, measure: Measure, states: &BitSet) -> Result<Answer, CheckError> {
        for operand in measure.operands(self.formulas, &self.is_path) {
            self.evaluate(operand)?;
        }
        let state = states.iter().next().unwrap_or(0);
        let Some(bound) = measure.bound() else { return Err(CheckError::EmptyFilter) };
        if let Some(set) = self.qualitative(measure)? {
            let verdict = set.contains(state);
            let certain = verdict == matches!(bound.comparison, Comparison::Ge | Comparison::Le);
            let value = certain.then_some(bound.threshold);
            let exact = value.and_then(Ratio::of_double).into_iter().collect();
            return Ok(self.exactly(Value::Bool(verdict), value, exact));
        }
        let threshold = self.threshold(id, bound.threshold)?;
        let (values, method) = self.measure(measure, Some(states))?;
        self.note(method);
        let verdict = holds(bound.comparison, &values[state], &threshold);
        let number = values[state].clone();
        Ok(self.exactly(Value::Bool(verdict), Some(number.to_f64()), vec![number]))
    }

    /// The formulas whose values matter only in the states where that of `root` matters.
    fn evaluated_pointwise(&self, root: FormulaId) -> EntityVec<FormulaId, bool> {
        let count = self.formulas.len();
        let (mut here, mut elsewhere) = (EntityVec::filled(false, count), EntityVec::filled(false, count));
        here[root] = true;
        for id in self.formulas.ids().rev().filter(|id| *id <= root) {
            here[id] &= !elsewhere[id];
            let node = self.formulas.get(id);
            let passes_on = here[id] && operators::is_pointwise(node) && !self.is_path[id];
            for operand in node.operands() {
                let of = if passes_on { &mut here } else { &mut elsewhere };
                of[operand] = true;
            }
        }
        here
    }

    /// The states where a formula is requested; `None`: all.
    fn asked(&self, id: FormulaId) -> Option<&BitSet> {
        self.focus.as_ref().filter(|(here, _)| here[id]).map(|(_, states)| states)
    }

    fn exactly(&self, value: Value, compared: Option<f64>, exact: Vec<Ratio>) -> Answer {
        let methods = &self.methods;
        let method = if methods.is_empty() { "graph analysis".to_string() } else { methods.join("; ") };
        Answer {
            value,
            guarantee: gate::exact(),
            compared,
            exact,
            method,
            stop: StopReason::Computed,
            initially: None,
        }
    }

    fn initial(&self) -> BitSet {
        let mut set = BitSet::new(self.model.context.states());
        for s in &self.model.context.space.initial {
            set.insert(s.index());
        }
        set
    }

    /// The constant of a formula.
    fn threshold(&self, id: FormulaId, double: f64) -> Result<Ratio, CheckError> {
        self.formulas.exact(id, double).ok_or_else(|| CheckError::NotRational {
            what: format!("the constant {double} of the property has no rational value"),
        })
    }

    fn note(&mut self, method: String) {
        if !method.is_empty() && !self.methods.contains(&method) {
            self.methods.push(method);
        }
    }

    /// Evaluates all that a state formula needs, operands first.
    fn evaluate(&mut self, root: FormulaId) -> Result<(), CheckError> {
        let mut wanted = EntityVec::filled(false, self.formulas.len());
        wanted[root] = true;
        for id in self.formulas.ids().rev() {
            if wanted[id] && self.values[id].is_none() {
                for operand in self.formulas.get(id).operands() {
                    wanted[operand] = true;
                }
            }
        }
        for id in self.formulas.ids() {
            if wanted[id] && !self.is_path[id] && self.values[id].is_none() {
                let value = self.formula(id)?;
                self.values[id] = Some(Rc::new(value));
            }
        }
        Ok(())
    }

    fn value(&self, id: FormulaId) -> Result<&Rc<Values>, CheckError> {
        self.values[id].as_ref().ok_or_else(|| CheckError::TypeMismatch {
            what: "expected a state formula, found a path formula".to_string(),
        })
    }

    fn set(&self, id: FormulaId) -> Result<&BitSet, CheckError> {
        self.value(id)?.set()
    }

    fn numbers(&self, id: FormulaId) -> Result<&[Ratio], CheckError> {
        self.value(id)?.numbers()
    }

    /// The states where something holds.
    fn states(&self, holds: impl Fn(usize) -> bool) -> Values {
        let n = self.model.context.states();
        let set = BitSet::of(n, (0..n).filter(|&s| holds(s)));
        Values::Bool(set)
    }

    fn formula(&mut self, id: FormulaId) -> Result<Values, CheckError> {
        let n = self.model.context.states();
        let space = self.model.context.space;
        let node = self.formulas.get(id);
        if let Some(measure) = Measure::of(node) {
            return self.measured(id, measure);
        }
        Ok(match *node {
            Formula::Bool(truth) => Values::Bool(if truth { BitSet::full(n) } else { BitSet::new(n) }),
            Formula::Number(value) => Values::Number(vec![self.threshold(id, value)?; n]),
            Formula::Label(label) => match space.labels.get(label.index()) {
                Some((_, set)) => Values::Bool(set.clone()),
                None => return Err(missing(format!("label number {}", label.0))),
            },
            Formula::Observation(number) => match self.model.exact.numbers.get(number.index()) {
                Some(values) if values.len() == n => {
                    Values::Number(values.iter().cloned().map(Ratio::from).collect())
                }
                _ => return Err(missing(format!("numeric observation number {}", number.0))),
            },
            Formula::Init => Values::Bool(self.initial()),
            Formula::Deadlock => Values::Bool(space.deadlocks.clone()),
            Formula::Not(a) => Values::Bool(self.set(a)?.complement()),
            Formula::And(a, b) => {
                let mut set = self.set(a)?.clone();
                set.intersect(self.set(b)?);
                Values::Bool(set)
            }
            Formula::Or(a, b) => {
                let mut set = self.set(a)?.clone();
                set.unite(self.set(b)?);
                Values::Bool(set)
            }
            Formula::Compare(comparison, a, b) => {
                let (x, y) = (self.numbers(a)?, self.numbers(b)?);
                self.states(|s| holds(comparison, &x[s], &y[s]))
            }
            Formula::Equal(a, b) => match (&**self.value(a)?, &**self.value(b)?) {
                (Values::Bool(x), Values::Bool(y)) => self.states(|s| x.contains(s) == y.contains(s)),
                (x, y) => {
                    let (x, y) = (x.numbers()?, y.numbers()?);
                    self.states(|s| x[s] == y[s])
                }
            },
            Formula::IfThenElse(condition, a, b) => {
                let condition = self.set(condition)?;
                match (&**self.value(a)?, &**self.value(b)?) {
                    (Values::Bool(x), Values::Bool(y)) => {
                        self.states(|s| if condition.contains(s) { x.contains(s) } else { y.contains(s) })
                    }
                    (x, y) => {
                        let (x, y) = (x.numbers()?, y.numbers()?);
                        let pick = |s: usize| if condition.contains(s) { &x[s] } else { &y[s] };
                        Values::Number((0..n).map(|s| pick(s).clone()).collect())
                    }
                }
            }
            Formula::Filter { op, formula, states } => {
                let all = BitSet::full(n);
                let set = match states {
                    Some(states) => self.set(states)?,
                    None => &all,
                };
                filter::nested(op, self.value(formula)?, set)?
            }
            Formula::ForAll(path) | Formula::Exists(path) => Values::Bool(branching(
                self.model.context,
                self.formulas,
                &self.is_path,
                path,
                matches!(node, Formula::ForAll(_)),
                self.asked(id),
                |id| self.set(id).cloned(),
            )?),
            Formula::Multi(_) => {
                let what = "multi(...) cannot be part of another property".to_string();
                return Err(CheckError::TypeMismatch { what });
            }
            Formula::Quantile(ref quantile) => Values::Number(self.quantile(id, quantile)?),
            _ => self.arithmetic(id)?,
        })
    }

    fn arithmetic(&self, id: FormulaId) -> Result<Values, CheckError> {
        let node = self.formulas.get(id);
        let operands = node.operands();
        let (Some(&a), second) = (operands.first(), operands.get(1)) else {
            return Err(CheckError::TypeMismatch {
                what: "expected a state formula, found a path formula".to_string(),
            });
        };
        let (x, y) = (self.numbers(a)?, self.numbers(*second.unwrap_or(&a))?);
        let check_error = |error| match error {
            ArithmeticError::Undefined => CheckError::NotRational {
                what: format!("{} is infinite or not a number", operators::name(node)),
            },
            ArithmeticError::Irrational(what) => {
                CheckError::NotRational { what: format!("{what} has no rational value in general") }
            }
            ArithmeticError::TooLarge => CheckError::TooLargeExactly { what: "a power".to_string() },
        };
        let asked = self.asked(id);
        let results = x.iter().zip(y).enumerate().map(|(s, (x, y))| match arithmetic(node, x, y) {
            // Not requested.
            Err(_) if asked.is_some_and(|asked| !asked.contains(s)) => Ok(Ratio::ZERO),
            result => result.map_err(check_error),
        });
        Ok(Values::Number(results.collect::<Result<_, _>>()?))
    }

    /// `P`, `R`, `S`, `T`: a number, or its comparison with a bound.
    fn measured(&mut self, id: FormulaId, measure: Measure) -> Result<Values, CheckError> {
        let focus = self.asked(id);
        let Some(bound) = measure.bound() else {
            let (values, method) = self.measure(measure, focus)?;
            self.note(method);
            return Ok(Values::Number(values));
        };
        if let Some(set) = self.qualitative(measure)? {
            return Ok(Values::Bool(set));
        }
        let threshold = self.threshold(id, bound.threshold)?;
        let (values, method) = self.measure(measure, None)?;
        self.note(method);
        Ok(self.states(|s| holds(bound.comparison, &values[s], &threshold)))
    }

    fn path(&self, id: FormulaId) -> Result<(path::Path, bool), CheckError> {
        let kind = self.model.context.space.kind;
        path::path(kind, self.formulas, &self.is_path, id, |id| self.set(id).cloned())
    }

    /// The states that satisfy a bound, where the graph alone decides.
    fn qualitative(&self, measure: Measure) -> Result<Option<BitSet>, CheckError> {
        let (Measure::Prob { path, .. }, Some(bound)) = (measure, measure.bound()) else { return Ok(None) };
        let about_one = match (bound.comparison, bound.threshold) {
            (Comparison::Ge | Comparison::Lt, 1.0) => true,
            (Comparison::Gt | Comparison::Le, 0.0) => false,
            _ => return Ok(None),
        };
        let optimum = self.model.context.optimum(measure.optimum())?;
        let (path, negated) = self.path(path)?;
        let Some(certain) = path::certain_path(self.model.context, &path, negated, optimum, None)? else {
            return Ok(None);
        };
        Ok(Some(match (about_one, bound.comparison) {
            (true, Comparison::Ge) => certain.one,
            (true, _) => certain.one.complement(),
            (false, Comparison::Le) => certain.zero,
            (false, _) => certain.zero.complement(),
        }))
    }
}

fn missing(what: String) -> CheckError {
    CheckError::MissingObservation { what }
}
