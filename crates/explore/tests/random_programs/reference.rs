//! Slow and obvious: evaluates the program's expressions one by one, multiplies every combination out
//! literally, and keeps states as vectors of integers in standard collections.

use std::collections::{BTreeMap, HashMap, VecDeque};
use volvelle_kernel::interp::{EvalError, eval};
use volvelle_kernel::{Const, ExprId, Site};
use volvelle_model::{Alternative, Domain, Group, Initial, Kind, Outcome, Participant, Program, Weight};

pub type State = Vec<i64>;

/// One choice.
#[derive(Clone, Debug)]
pub struct Choice {
    pub successors: Vec<(State, f64)>,
    /// One for each reward structure.
    pub rewards: Vec<f64>,
}

#[derive(Debug)]
pub struct Reference {
    pub states: Vec<State>,
    pub initial: usize,
    pub choices: Vec<Vec<Choice>>,
    numbers: HashMap<State, usize>,
}

#[derive(Debug, PartialEq)]
pub enum Trouble {
    Failed { site: Site, state: State },
    NoInitialState,
    TooMany,
}

pub fn locals(program: &Program, state: &[i64]) -> Vec<Const> {
    let constant = |(f, &v): (&volvelle_model::Field, &i64)| match f.domain {
        Domain::Bool => Const::bool(v != 0),
        _ => Const::i64(v),
    };
    program.fields.iter().zip(state).map(constant).collect()
}

struct Eval<'a> {
    program: &'a Program,
    state: &'a State,
    locals: Vec<Const>,
}

impl Eval<'_> {
    fn value(&self, e: ExprId) -> Result<Const, Trouble> {
        eval(&self.program.exprs, e, &self.locals).map_err(|error| match error {
            EvalError::Failed(site) => self.fail(site),
            other => panic!("{other:?}"),
        })
    }

    fn fail(&self, site: Site) -> Trouble {
        Trouble::Failed { site, state: self.state.clone() }
    }

    fn truth(&self, e: ExprId) -> Result<bool, Trouble> {
        Ok(self.value(e)?.as_bool().unwrap())
    }

    fn real(&self, e: ExprId) -> Result<f64, Trouble> {
        Ok(self.value(e)?.as_f64().unwrap())
    }

    fn weight(&self, outcome: &Outcome) -> Result<f64, Trouble> {
        match outcome.weight {
            Weight::Constant { value, .. } => Ok(value),
            Weight::Expr { expr, site } => {
                let w = self.real(expr)?;
                if w >= 0.0 && w.is_finite() { Ok(w) } else { Err(self.fail(site)) }
            }
        }
    }

    /// All ways to pick one enabled alternative of every participant, first participant slowest.
    fn tuples<'p>(&self, participants: &[&'p Participant]) -> Result<Vec<Vec<&'p Alternative>>, Trouble> {
        let mut tuples = vec![vec![]];
        for participant in participants {
            let mut enabled = Vec::new();
            for alternative in &participant.alternatives {
                if self.truth(alternative.guard)? {
                    enabled.push(alternative);
                }
            }
            tuples = tuples
                .iter()
                .flat_map(|t: &Vec<&Alternative>| {
                    enabled.iter().map(move |&a| t.iter().copied().chain([a]).collect::<Vec<_>>())
                })
                .collect();
        }
        Ok(tuples)
    }

    fn choice(&self, group: &Group, tuple: &[&Alternative]) -> Result<Choice, Trouble> {
        for alternative in tuple {
            if let Some(site) = alternative.sum_site {
                let mut sum = 0.0;
                for outcome in &alternative.outcomes {
                    sum += self.weight(outcome)?;
                }
                if (sum - 1.0).abs() > 1e-5 {
                    return Err(self.fail(site));
                }
            }
        }
        // Weights first: an effect is evaluated only where the whole product is positive.
        let mut combinations: Vec<(Vec<&Outcome>, f64)> = vec![(vec![], 1.0)];
        for alternative in tuple {
            let mut more = Vec::new();
            for (outcomes, weight) in &combinations {
                for outcome in &alternative.outcomes {
                    let w = self.weight(outcome)?;
                    if w > 0.0 {
                        more.push((outcomes.iter().copied().chain([outcome]).collect(), weight * w));
                    }
                }
            }
            combinations = more;
        }
        let mut successors = Vec::new();
        for (outcomes, weight) in combinations {
            let mut next = self.state.clone();
            for a in outcomes.iter().flat_map(|o| o.assignments()) {
                let value = self.value(a.value)?;
                let value = value.as_bool().map_or_else(|| value.as_i64().unwrap(), i64::from);
                let domain = self.program.fields[a.field.index()].domain;
                let (lo, hi) = match domain {
                    Domain::Growing { .. } => (i32::MIN as i64, i32::MAX as i64),
                    domain => domain.bounds(),
                };
                if value < lo || value > hi {
                    return Err(self.fail(a.site));
                }
                next[a.field.index()] = value;
            }
            successors.push((next, weight));
        }
        let mut rewards = Vec::new();
        for structure in &self.program.rewards {
            let mut total = 0.0;
            for item in structure.transitions.iter().filter(|i| i.action == group.action) {
                if self.truth(item.guard)? {
                    total += self.real(item.value)?;
                }
            }
            rewards.push(total);
        }
        Ok(Choice { successors, rewards })
    }
}

/// Explores at most `most` states.
pub fn explore(program: &Program, most: usize) -> Result<Reference, Trouble> {
    let initial: Vec<State> = match &program.initial {
        Initial::States(states) => states.clone(),
        Initial::Predicate(predicate) => {
            let mut all: Vec<State> = vec![vec![]];
            for field in &program.fields {
                let (lo, hi) = field.domain.bounds();
                all = all
                    .iter()
                    .flat_map(|s| (lo..=hi).map(move |v| s.iter().copied().chain([v]).collect()))
                    .collect();
            }
            let mut kept = Vec::new();
            for state in all {
                let e = Eval { program, state: &state, locals: locals(program, &state) };
                if e.truth(*predicate)? {
                    kept.push(state);
                }
            }
            kept
        }
    };
    if initial.is_empty() {
        return Err(Trouble::NoInitialState);
    }
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut states = Vec::new();
    let mut queue = VecDeque::new();
    for state in initial {
        if !numbers.contains_key(&state) {
            numbers.insert(state.clone(), states.len());
            queue.push_back(state.clone());
            states.push(state);
        }
    }
    let count = states.len();
    if count > most {
        return Err(Trouble::TooMany);
    }
    let mut choices = Vec::new();
    while let Some(state) = queue.pop_front() {
        let e = Eval { program, state: &state, locals: locals(program, &state) };
        let mut of_state = Vec::new();
        let stops = match program.stop {
            Some(label) => e.truth(program.labels[label].expr)?,
            None => false,
        };
        let groups = if stops { &[] } else { &program.groups[..] };
        for group in groups {
            // Participants without anything to choose come first in the order of multiplication.
            let (fixed, varying): (Vec<_>, Vec<_>) = group
                .participants
                .iter()
                .partition(|p| p.alternatives.len() == 1 && p.alternatives[0].outcomes.len() == 1);
            let ordered: Vec<&Participant> = fixed.into_iter().chain(varying).collect();
            for tuple in e.tuples(&ordered)? {
                of_state.push(e.choice(group, &tuple)?);
            }
        }
        for (next, _) in of_state.iter().flat_map(|c| &c.successors) {
            if !numbers.contains_key(next) {
                if states.len() == most {
                    return Err(Trouble::TooMany);
                }
                numbers.insert(next.clone(), states.len());
                queue.push_back(next.clone());
                states.push(next.clone());
            }
        }
        choices.push(of_state);
    }
    Ok(Reference { states, initial: count, choices, numbers })
}

impl Reference {
    /// Rows as `Space` has them: column → value, merged, with self-loops on deadlocks.
    pub fn rows(&self, kind: Kind, state: usize) -> Vec<BTreeMap<usize, f64>> {
        let choices = &self.choices[state];
        let merged = |choices: &[Choice], divisor: f64| {
            let mut row = BTreeMap::new();
            for (target, w) in choices.iter().flat_map(|c| &c.successors) {
                *row.entry(self.numbers[target]).or_insert(0.0) += w / divisor;
            }
            row
        };
        let mut rows = match kind {
            kind if kind.is_nondeterministic() => {
                choices.iter().map(|c| merged(std::slice::from_ref(c), 1.0)).collect()
            }
            Kind::Dtmc => vec![merged(choices, choices.len() as f64)],
            _ => vec![merged(choices, 1.0)],
        };
        if rows.iter().all(BTreeMap::is_empty) {
            rows = vec![BTreeMap::from([(state, 1.0)])];
        }
        rows
    }
}
