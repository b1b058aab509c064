//! Slow and obvious: evaluates the program's expressions one by one, multiplies every combination out
//! literally, and keeps states as vectors of integers in standard collections.

use std::collections::{BTreeMap, HashMap, VecDeque};
use volvelle_kernel::interp::{EvalError, eval};
use volvelle_kernel::{Const, ExprId, Exprs, Kernel, Local, Node, Site, Stmt};
use volvelle_model::{
    ActionId, Alternative, Choice as Deciding, Domain, Group, Initial, Item, LabelValue, Outcome,
    Participant, Place, Program, SortId, Weight,
};

pub type State = Vec<i64>;

/// One choice.
#[derive(Clone, Debug)]
pub struct Choice {
    pub group: usize,
    /// What participants agreed on.
    pub values: Vec<LabelValue>,
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

/// An alternative of every participant, and the values on which they agree.
type Fitting<'p> = (Vec<&'p Alternative>, Vec<LabelValue>);

/// The expressions of a program, with the values that participants exchange as locals behind the fields.
struct Flat {
    exprs: Exprs,
    /// What stands for an expression of the program.
    of: Vec<ExprId>,
}

impl Flat {
    fn new(program: &Program) -> Self {
        let mut kernel = Kernel::new("flat");
        kernel.exprs = program.exprs.clone();
        kernel.body = program.exprs.ids().map(|value| Stmt::Set { local: Local(0), value }).collect();
        let fields = program.fields.len() as u32;
        kernel.map_nodes(|exprs, node| match (node, program.place_read(&node)) {
            (Node::Local(_, ty), Some(Place::Offered(k))) => exprs.local(Local(fields + k), ty),
            _ => exprs.add(node),
        });
        let value = |statement: &Stmt| match *statement {
            Stmt::Set { value, .. } => value,
            _ => panic!("every statement sets a local"),
        };
        Flat { of: kernel.body.iter().map(value).collect(), exprs: kernel.exprs }
    }
}

struct Eval<'a> {
    program: &'a Program,
    flat: &'a Flat,
    state: &'a State,
    locals: Vec<Const>,
}

impl Eval<'_> {
    fn value(&self, e: ExprId) -> Result<Const, Trouble> {
        eval(&self.flat.exprs, self.flat.of[e.index()], &self.locals).map_err(|error| match error {
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

    /// All ways to pick an alternative of every participant, enabled or not, with values on which they agree: those that all
    /// are ready for, tried one by one.
    fn agreements<'p>(&self, participants: &[&'p Participant]) -> Result<Vec<Fitting<'p>>, Trouble> {
        let mut tuples: Vec<Vec<&Alternative>> = vec![vec![]];
        for participant in participants {
            let with = |t: &Vec<&'p Alternative>| {
                let t = t.clone();
                participant.alternatives.iter().map(move |a| t.iter().copied().chain([a]).collect())
            };
            tuples = tuples.iter().flat_map(with).collect();
        }
        let mut found = Vec::new();
        for tuple in tuples {
            let sorts = self.program.item_sorts(tuple[0]);
            if tuple.iter().any(|a| self.program.item_sorts(a) != sorts) {
                continue;
            }
            let mut values: Vec<Vec<i64>> = vec![vec![]];
            for k in 0..sorts.len() {
                let mut agreed = Vec::new();
                for value in -12..=12 {
                    let mut fits = true;
                    for alternative in &tuple {
                        fits &= match alternative.items()[k] {
                            Item::Give(e) => self.integer(e)? == value,
                            Item::Take(sort) => (sort.bounds().0..=sort.bounds().1).contains(&value),
                        };
                    }
                    agreed.extend(fits.then_some(value));
                }
                let with = |v: &Vec<i64>| {
                    let v = v.clone();
                    agreed.iter().map(move |&value| v.iter().copied().chain([value]).collect())
                };
                values = values.iter().flat_map(with).collect();
            }
            for values in values {
                let label = |(&sort, &value): (&SortId, &i64)| match sort {
                    SortId::BOOLEAN => LabelValue::Bool(value == 1),
                    SortId::INTEGER => LabelValue::Int(value),
                    sort => LabelValue::Of(sort, value),
                };
                found.push((tuple.clone(), sorts.iter().zip(&values).map(label).collect()));
            }
        }
        Ok(found)
    }

    fn integer(&self, e: ExprId) -> Result<i64, Trouble> {
        let value = self.value(e)?;
        Ok(value.as_bool().map_or_else(|| value.as_i64().unwrap(), i64::from))
    }

    /// The steps of a group.
    fn steps(&self, number: usize, group: &Group) -> Result<Vec<Choice>, Trouble> {
        // Participants without anything to choose come first in the order of multiplication.
        let (fixed, varying): (Vec<_>, Vec<_>) = group
            .participants
            .iter()
            .partition(|p| p.alternatives.len() == 1 && p.alternatives[0].outcomes.len() == 1);
        let ordered: Vec<&Participant> = fixed.into_iter().chain(varying).collect();
        if group.participants.iter().all(|p| p.alternatives.iter().all(|a| a.offer.is_none())) {
            return self.tuples(&ordered)?.iter().map(|tuple| self.choice(number, group, tuple)).collect();
        }
        let mut steps = Vec::new();
        for (tuple, values) in self.agreements(&ordered)? {
            let number_of = |value: &LabelValue| match *value {
                LabelValue::Int(value) | LabelValue::Of(_, value) => value,
                LabelValue::Bool(value) => i64::from(value),
            };
            let exchanged = values.iter().map(|value| Const::i64(number_of(value)));
            let locals = self.locals.iter().copied().chain(exchanged).collect();
            let with = Eval { program: self.program, flat: self.flat, state: self.state, locals };
            let mut enabled = true;
            for alternative in &tuple {
                enabled = enabled && with.truth(alternative.guard)?;
            }
            if enabled {
                steps.push(Choice { values, ..with.choice(number, group, &tuple)? });
            }
        }
        Ok(steps)
    }

    fn choice(&self, number: usize, group: &Group, tuple: &[&Alternative]) -> Result<Choice, Trouble> {
        for alternative in tuple {
            if let Some(sum) = alternative.sum {
                let value = self.real(sum.expr)?;
                if value.is_nan() || (value - 1.0).abs() > 1e-5 {
                    return Err(self.fail(sum.site));
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
                let value = self.integer(a.value)?;
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
        Ok(Choice { group: number, values: Vec::new(), successors, rewards })
    }
}

/// Explores at most `most` states.
pub fn explore(program: &Program, most: usize) -> Result<Reference, Trouble> {
    let flat = Flat::new(program);
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
                let e = Eval { program, flat: &flat, state: &state, locals: locals(program, &state) };
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
        let e = Eval { program, flat: &flat, state: &state, locals: locals(program, &state) };
        let mut of_state = Vec::new();
        let stops = match program.stop {
            Some(label) => e.truth(program.labels[label].expr)?,
            None => false,
        };
        // What is more urgent comes first, if it makes a difference to anything.
        let urgency = |group: usize| program.groups[group].class.urgency;
        let mut groups: Vec<usize> = (0..program.groups.len()).filter(|_| !stops).collect();
        let waits = |g: &Group| {
            g.class.yields_above.is_some_and(|most| program.groups.iter().any(|h| h.class.urgency > most))
        };
        if program.groups.iter().any(waits) {
            groups.sort_by_key(|&group| std::cmp::Reverse(urgency(group)));
        }
        let mut most_urgent = None;
        for number in groups {
            let group = &program.groups[number];
            if let (Some(most), Some(found)) = (group.class.yields_above, most_urgent)
                && found > most
            {
                continue;
            }
            let steps = e.steps(number, group)?;
            if steps.iter().any(|step| !step.successors.is_empty()) {
                most_urgent = most_urgent.max(Some(urgency(number)));
            }
            of_state.extend(steps);
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

/// A row as `Space` has it.
pub struct Row {
    /// How the steps are chosen that it stands for.
    pub how: Deciding,
    /// What the row is labelled with.
    pub label: String,
    /// Target and probability or rate.
    pub targets: BTreeMap<usize, f64>,
    /// One for each reward structure.
    pub rewards: Vec<f64>,
}

impl Reference {
    /// Rows as `Space` has them: merged, with self-loops on deadlocks.
    pub fn rows(&self, program: &Program, state: usize) -> Vec<Row> {
        let is_chain = !program.kind().is_nondeterministic();
        let mut parts: Vec<(Deciding, Vec<&Choice>)> = Vec::new();
        for choice in self.choices[state].iter().filter(|c| !c.successors.is_empty()) {
            let how = program.groups[choice.group].choice.unwrap_or(program.choice);
            let one_row = matches!(how, Deciding::Race | Deciding::Uniform);
            match parts.iter().position(|part| part.0 == how).filter(|_| one_row) {
                Some(at) => parts[at].1.push(choice),
                None => parts.push((how, vec![choice])),
            }
        }
        assert!(!is_chain || parts.len() <= 1, "a chain has one row for each state");
        if parts.is_empty() {
            let how = if program.kind().has_rates() { Deciding::Race } else { Deciding::Probabilistic };
            let rewards = vec![0.0; program.rewards.len()];
            return vec![Row { how, label: String::new(), targets: BTreeMap::from([(state, 1.0)]), rewards }];
        }
        let row = |(how, choices): (Deciding, Vec<&Choice>)| {
            let mut targets = BTreeMap::new();
            let share = if how == Deciding::Uniform { 1.0 / choices.len() as f64 } else { 1.0 };
            let mut rewards = vec![0.0; program.rewards.len()];
            let mut label = String::new();
            let action = program.groups[choices[0].group].action;
            if !matches!(how, Deciding::Race | Deciding::Uniform) && action != ActionId::SILENT {
                label.push_str(&program.actions[action.index()].name);
                choices[0]
                    .values
                    .iter()
                    .for_each(|value| label.push_str(&format!(" !{}", value.text(&program.sorts, None))));
            }
            for choice in choices {
                for (target, w) in &choice.successors {
                    *targets.entry(self.numbers[target]).or_insert(0.0) += w * share;
                }
                let rate: f64 = choice.successors.iter().map(|s| s.1).sum();
                let factor = if how == Deciding::Race { rate } else { share };
                rewards.iter_mut().zip(&choice.rewards).for_each(|(sum, r)| *sum += r * factor);
            }
            Row { how, label, targets, rewards }
        };
        parts.into_iter().map(row).collect()
    }
}
