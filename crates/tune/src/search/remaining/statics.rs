//! Conditions that must hold before a goal is reached, found by static analysis.
//!
//! The goal becomes true only by a statement that writes one of its variables. To get there, a process may
//! have to pass a guard `x == c` whose variable other processes count up or down one by one; for example,
//! each worker counts itself when it ends. For each of these sets of statements, the analysis finds the
//! locations from which a process may reach one.

use crate::search::Question;
use crate::search::clock::Clock;
use std::collections::BTreeSet;
use volvelle_kernel::{BinaryOp, Block, ExprId, Node, Site, Stmt};
use volvelle_model::dead::Liveness;
use volvelle_model::places::each_write;
use volvelle_model::{Alternative, FieldId, LocationId, Place, Program};

/// The number of the set of statements that may make the goal true. The sets of counters follow.
pub const GOAL: usize = 0;

/// A variable that must reach a value.
#[derive(Clone, Debug)]
pub struct Counter {
    pub field: FieldId,
    pub value: i64,
    /// The change of the variable by each of the statements: 1 or -1.
    pub step: i64,
    /// The set of these statements.
    pub set: usize,
    /// Whether each process executes at most one of them, once.
    pub is_once: bool,
    /// By location: whether a process there must pass the guard before it makes the goal true.
    pub is_passed: Vec<bool>,
    /// Whether the goal itself contains this condition.
    pub is_goal: bool,
    /// By location: whether a process there may write the variable in another way.
    pub is_written: Vec<bool>,
}

/// The results of the analysis.
#[derive(Debug)]
pub struct Statics {
    pub clock: FieldId,
    pub site: Option<Site>,
    pub degrees: Vec<i8>,
    pub floors: Vec<Option<i64>>,
    live: Option<Liveness>,
    /// By location: the number of its first alternative.
    pub first_alternatives: Vec<usize>,
    /// The sets of statements, as numbers of alternatives.
    pub sets: Vec<BTreeSet<usize>>,
    /// By set and location: whether a process there may reach a statement of the set.
    reached: Vec<Vec<bool>>,
    pub counters: Vec<Counter>,
    /// By location: whether a process there may start others.
    pub creates: Vec<bool>,
    /// By location: the scalar fields of processes there.
    fields: Vec<Vec<FieldId>>,
}

impl Statics {
    /// Analyses a program whose clock is one variable. `None` if nothing is found.
    pub fn new(program: &Program, question: &Question, clock: &Clock) -> Option<Self> {
        let network = &program.network;
        let Node::Local(local, _) = program.exprs.node(question.cost) else { return None };
        let Place::Field(field) = program.place(local) else { return None };
        let (degrees, floors, live) = clock.parts();
        if degrees[field.index()] != 1 {
            return None;
        }
        let alternatives: Vec<&Alternative> = network.alternatives().collect();
        let mut first_alternatives = Vec::new();
        let mut from = Vec::new();
        for (number, location) in network.locations.iter().enumerate() {
            first_alternatives.push(from.len());
            from.extend(location.alternatives().map(|_| number));
        }
        let graph = Graph { program, alternatives, from };
        let of_goal = program.fields_read([question.goal]);
        // Whether steps write the field outside of their effects.
        let is_other = |&field: &FieldId| {
            program.fields[field.index()].component.is_some()
                || network.owner == Some(field)
                || network.last == Some(field)
        };
        if of_goal.iter().any(is_other) {
            return None;
        }
        let goal = graph.with(|alternative| of_goal.iter().any(|&field| writes(program, alternative, field)));
        let mut sets = vec![goal];
        let mut reached = vec![graph.behind(&sets[GOAL], |_| false)];
        let mut asked: BTreeSet<(FieldId, i64)> = graph
            .alternatives
            .iter()
            .flat_map(|alternative| equalities(program, alternative.guard))
            .collect();
        let goals = equalities(program, question.goal);
        asked.extend(goals.iter().copied());
        let mut counters = Vec::new();
        for (field, value) in asked {
            for step in [1, -1] {
                let counting = graph.with(|alternative| step_of(program, alternative, field) == Some(step));
                if counting.is_empty() {
                    continue;
                }
                let others = graph.with(|alternative| {
                    writes(program, alternative, field) && step_of(program, alternative, field) != Some(step)
                });
                let asks = |alternative: &Alternative| {
                    equalities(program, alternative.guard).contains(&(field, value))
                };
                let around = graph.behind(&sets[GOAL], asks);
                let is_passed = reached[GOAL].iter().zip(around).map(|(&with, without)| with && !without);
                let behind = graph.behind(&counting, |_| false);
                let is_once =
                    counting.iter().all(|&number| !behind[graph.alternatives[number].target().index()]);
                counters.push(Counter {
                    field,
                    value,
                    step,
                    set: sets.len(),
                    is_once,
                    is_passed: is_passed.collect(),
                    is_goal: goals.contains(&(field, value)),
                    is_written: graph.behind(&others, |_| false),
                });
                sets.push(counting);
                reached.push(behind);
            }
        }
        let creating = graph.with(|alternative| !alternative.creates.is_empty());
        let creates = graph.behind(&creating, |_| false);
        let own = |location: usize| {
            let ty = network.type_of(LocationId(location as u32));
            let component = ty.map(|ty| network.types[ty].component);
            let fields = (0..program.fields.len() as u32).map(FieldId);
            let is_own = |field: &FieldId| {
                let field = &program.fields[field.index()];
                component.is_some() && field.component == component && field.length == 1
            };
            fields.filter(is_own).collect()
        };
        let fields = (0..network.locations.len()).map(own).collect();
        Some(Statics {
            clock: field,
            site: clock.site,
            degrees: degrees.to_vec(),
            floors: floors.clone(),
            live: live.cloned(),
            first_alternatives,
            sets,
            reached,
            counters,
            creates,
            fields,
        })
    }

    /// Whether a process at a location may reach a statement of a set.
    pub fn reaches(&self, set: usize, location: LocationId) -> bool {
        self.reached[set][location.index()]
    }

    /// The scalar fields of a process at a location.
    pub fn fields_at(&self, location: LocationId) -> &[FieldId] {
        &self.fields[location.index()]
    }

    /// Whether a process at a location may read a field before it writes it.
    pub fn may_be_read(&self, field: FieldId, location: LocationId) -> bool {
        self.live.as_ref().is_none_or(|live| live.may_be_read(field, location))
    }
}

/// The control flow of all processes.
struct Graph<'p> {
    program: &'p Program,
    alternatives: Vec<&'p Alternative>,
    /// By alternative: its location.
    from: Vec<usize>,
}

impl Graph<'_> {
    /// The numbers of the alternatives with a property.
    fn with(&self, is_one: impl Fn(&Alternative) -> bool) -> BTreeSet<usize> {
        (0..self.alternatives.len()).filter(|&number| is_one(self.alternatives[number])).collect()
    }

    /// By location: whether an alternative of a set may be reached from there, without passing those for
    /// which `without` holds.
    fn behind(&self, set: &BTreeSet<usize>, without: impl Fn(&Alternative) -> bool) -> Vec<bool> {
        let mut found = vec![false; self.program.network.locations.len()];
        let kept: Vec<usize> =
            (0..self.alternatives.len()).filter(|&number| !without(self.alternatives[number])).collect();
        loop {
            let mut changed = false;
            for &number in kept.iter().rev() {
                let leads = set.contains(&number) || found[self.alternatives[number].target().index()];
                if leads && !std::mem::replace(&mut found[self.from[number]], true) {
                    changed = true;
                }
            }
            if !changed {
                return found;
            }
        }
    }
}

fn writes(program: &Program, alternative: &Alternative, field: FieldId) -> bool {
    let mut found = false;
    each_write(alternative.effect(), &mut |place, _| found |= program.place(place).field() == Some(field));
    found
}

/// The constant by which an alternative changes a global variable, if it does so exactly once.
fn step_of(program: &Program, alternative: &Alternative, field: FieldId) -> Option<i64> {
    let mut steps = Vec::new();
    let effect = alternative.effect();
    let flat: Block = effect
        .iter()
        .flat_map(|statement| match statement {
            // The case that the value does not fit.
            Stmt::If { then, otherwise, .. } if crate::search::clock::is_note(program, then) => {
                otherwise.clone()
            }
            other => vec![other.clone()],
        })
        .collect();
    for statement in &flat {
        let mut is_written = false;
        each_write(&vec![statement.clone()], &mut |place, _| {
            is_written |= program.place(place).field() == Some(field);
        });
        if is_written {
            let Stmt::Set { local, value } = statement else { return None };
            (program.place(*local) == Place::Field(field)).then_some(())?;
            steps.push(added(program, *value, field)?);
        }
    }
    match steps[..] {
        [step] => Some(step),
        _ => None,
    }
}

/// The constant that an expression adds to a variable.
fn added(program: &Program, value: ExprId, field: FieldId) -> Option<i64> {
    let exprs = &program.exprs;
    let value = crate::search::clock::wrapped(exprs, value).unwrap_or(value);
    let Node::Binary { op, lhs, rhs } = exprs.node(value) else { return None };
    let is_it = program.place_read(&exprs.node(lhs)) == Some(Place::Field(field));
    let by = exprs.as_const(rhs)?.as_i64()?;
    match op {
        BinaryOp::Add if is_it => Some(by),
        BinaryOp::Sub if is_it => Some(-by),
        _ => None,
    }
}

/// The conjuncts of a condition that equate a global variable with a constant.
fn equalities(program: &Program, root: ExprId) -> Vec<(FieldId, i64)> {
    let exprs = &program.exprs;
    let (mut found, mut stack) = (Vec::new(), vec![root]);
    while let Some(id) = stack.pop() {
        match exprs.node(id) {
            Node::And { lhs, rhs } => stack.extend([lhs, rhs]),
            Node::Binary { op: BinaryOp::Eq, lhs, rhs } => {
                let place = program.place_read(&exprs.node(lhs));
                if let (Some(Place::Field(field)), Some(value)) = (place, exprs.as_const(rhs))
                    && program.fields[field.index()].component.is_none()
                    && program.fields[field.index()].length == 1
                    && let Some(value) = value.as_i64()
                {
                    found.push((field, value));
                }
            }
            _ => {}
        }
    }
    found
}
