//! Slow and obvious exploration of a `Program` with the reference interpreter.

use super::behaviour::{Behaviour, Choice, State};
use std::collections::BTreeMap;
use volvelle_kernel::interp::{EvalError, eval};
use volvelle_kernel::{Const, ExprId, Site};
use volvelle_model::{Alternative, Domain, Group, Initial, Program, Weight};

/// A site that failed, and the state in which it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub site: Site,
    pub state: State,
}

/// Why exploration ended early.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    Failed(Failure),
    /// More states than requested.
    Limit,
}

/// Evaluates expressions in a state.
pub struct View<'a> {
    program: &'a Program,
    state: &'a State,
    locals: Vec<Const>,
}

impl<'a> View<'a> {
    pub fn new(program: &'a Program, state: &'a State) -> Self {
        let locals = program
            .fields
            .iter()
            .zip(state)
            .map(|(field, &value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
        View { program, state, locals }
    }

    pub fn eval(&self, expr: ExprId) -> Result<Const, Stop> {
        eval(&self.program.exprs, expr, &self.locals).map_err(|error| match error {
            EvalError::Failed(site) => self.failed(site),
            other => panic!("{other}"),
        })
    }

    pub fn bool(&self, expr: ExprId) -> Result<bool, Stop> {
        Ok(self.eval(expr)?.as_bool().expect("a bool"))
    }

    pub fn f64(&self, expr: ExprId) -> Result<f64, Stop> {
        Ok(self.eval(expr)?.as_f64().expect("a double"))
    }

    fn failed(&self, site: Site) -> Stop {
        Stop::Failed(Failure { site, state: self.state.clone() })
    }

    fn weight(&self, weight: &Weight) -> Result<f64, Stop> {
        match weight {
            Weight::Constant { value, .. } => Ok(*value),
            Weight::Expr { expr, site } => {
                let value = self.f64(*expr)?;
                if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(self.failed(*site)) }
            }
        }
    }

    /// Weight and assigned values of every outcome of an alternative.
    fn outcomes(&self, alternative: &Alternative) -> Result<Vec<(f64, State)>, Stop> {
        let mut outcomes = Vec::new();
        for outcome in &alternative.outcomes {
            let weight = self.weight(&outcome.weight)?;
            if weight == 0.0 {
                continue;
            }
            let mut target = self.state.clone();
            for assignment in outcome.assignments() {
                let value = self.eval(assignment.value)?;
                let value = value.as_i64().unwrap_or_else(|| i64::from(value.as_bool() == Some(true)));
                let (lo, hi) = match self.program.fields[assignment.field.index()].domain {
                    Domain::Growing { .. } => (i32::MIN.into(), i32::MAX.into()),
                    domain => domain.bounds(),
                };
                if !(lo..=hi).contains(&value) {
                    return Err(self.failed(assignment.site));
                }
                target[assignment.field.index()] = value;
            }
            outcomes.push((weight, target));
        }
        if let Some(sum) = alternative.sum {
            let value = self.f64(sum.expr)?;
            if !sum.is_free && (value.is_nan() || (value - 1.0).abs() > 1e-5) {
                return Err(self.failed(sum.site));
            }
        }
        Ok(outcomes)
    }

    fn group(&self, group: &Group, choices: &mut Vec<Choice>) -> Result<(), Stop> {
        // Guards first: what is blocked is not evaluated further.
        let mut enabled = Vec::new();
        for participant in &group.participants {
            let mut alternatives = Vec::new();
            for alternative in &participant.alternatives {
                if self.bool(alternative.guard)? {
                    alternatives.push(alternative);
                }
            }
            enabled.push(alternatives);
        }
        if enabled.iter().any(Vec::is_empty) {
            return Ok(());
        }
        // All combinations of enabled alternatives, each with the outcomes of its parts.
        let mut combinations = vec![Vec::new()];
        for alternatives in enabled {
            let parts: Vec<_> = alternatives.iter().map(|alternative| self.outcomes(alternative)).collect();
            combinations = combinations
                .iter()
                .flat_map(|combination| {
                    parts
                        .iter()
                        .map(move |part| [combination.as_slice(), std::slice::from_ref(part)].concat())
                })
                .collect();
        }
        let action = &self.program.actions[group.action.index()].name;
        for combination in combinations {
            // What has the weight zero does not happen, and cannot fail.
            if combination.iter().any(|part| part.as_ref().is_ok_and(Vec::is_empty)) {
                continue;
            }
            let mut outcomes = vec![(1.0, self.state.clone())];
            for part in combination {
                let part = part?;
                outcomes = outcomes
                    .iter()
                    .flat_map(|(w, s)| part.iter().map(move |(v, t)| (w * v, self.merge(s, t))))
                    .collect();
            }
            let mut successors = BTreeMap::new();
            for (weight, target) in outcomes {
                *successors.entry(target).or_insert(0.0) += weight;
            }
            choices.push((action.clone(), successors));
        }
        Ok(())
    }

    /// Both effects together: what `b` changes is changed.
    fn merge(&self, a: &State, b: &State) -> State {
        (0..a.len()).map(|i| if b[i] != self.state[i] { b[i] } else { a[i] }).collect()
    }
}

/// Initial states in order.
pub fn initial(program: &Program) -> Vec<State> {
    match &program.initial {
        Initial::States(states) => states.clone(),
        Initial::Predicate(condition) => {
            let mut all: Vec<State> = vec![Vec::new()];
            for field in &program.fields {
                let (lo, hi) = field.domain.bounds();
                all = all
                    .iter()
                    .flat_map(|state| (lo..=hi).map(move |value| [state.as_slice(), &[value]].concat()))
                    .collect();
            }
            all.retain(|state| View::new(program, state).bool(*condition).expect("no failure"));
            all
        }
    }
}

/// All reachable states with their choices.
pub fn explore(program: &Program, limit: usize) -> Result<Behaviour, Stop> {
    let mut behaviour = Behaviour::new();
    let mut queue = initial(program);
    while let Some(state) = queue.pop() {
        if behaviour.contains_key(&state) {
            continue;
        }
        if behaviour.len() == limit {
            return Err(Stop::Limit);
        }
        let view = View::new(program, &state);
        let mut choices = Vec::new();
        for group in &program.groups {
            view.group(group, &mut choices)?;
        }
        queue.extend(choices.iter().flat_map(|(_, successors)| successors.keys().cloned()));
        behaviour.insert(state, choices);
    }
    Ok(behaviour)
}
