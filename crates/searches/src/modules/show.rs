//! Trails of modules as readable runs: the commands of each step, and the changes that they made.

use volvelle_diagnostics::Sources;
use volvelle_explore::Modules;
use volvelle_kernel::{Const, ExprId, interp};
use volvelle_model::{Alternative, Domain, Outcome, Participant, Program};
use volvelle_search::Trail;
use volvelle_search::liveness::STUTTER;
use volvelle_session::language::Document;
use volvelle_session::trace::{Actor, Change, Counterexample, TraceStep, VariableValue, Written};

/// Longest text of a command that is shown.
const LONGEST: usize = 100;

/// A program with what shows its steps.
pub struct Shown<'a> {
    pub program: &'a Program,
    pub document: &'a dyn Document,
    pub sources: &'a Sources,
    pub system: &'a Modules<'a>,
}

impl Shown<'_> {
    /// A trail, perhaps with the step with which its cycle begins.
    pub fn counterexample(&self, trail: &Trail, reason: &str, cycle: Option<usize>) -> Counterexample {
        let steps = trail.states.windows(2).zip(&trail.steps).map(|(pair, &step)| match step {
            STUTTER => TraceStep::stutter(),
            _ => self.step(step, &pair[0], &pair[1]),
        });
        Counterexample {
            reason: reason.to_owned(),
            steps: steps.collect(),
            cycle_start: cycle,
            ..Default::default()
        }
    }

    fn step(&self, step: u32, before: &[u64], after: &[u64]) -> TraceStep {
        let (before, after) = (self.system.layout().unpack(before), self.system.layout().unpack(after));
        let command = self.system.command(step);
        let group = &self.program.groups[command.group.index()];
        let mut actors = group.participants.iter().map(|participant| {
            let alternative = match command.alternative {
                Some(number) => &participant.alternatives[number],
                None => self.taken(participant, &before, &after),
            };
            self.actor(participant, alternative)
        });
        let first = actors.next();
        let mut others: Vec<Actor> = actors.collect();
        let actor = first.map(|first| match others.len() {
            0 | 1 => first,
            _ => joined(first, std::mem::take(&mut others)),
        });
        let changes = self.program.fields.iter().zip(before.iter().zip(&after));
        let changes =
            changes.filter(|(_, (before, after))| before != after).map(|(field, (&before, &after))| {
                let value = |value: i64| match field.domain {
                    Domain::Bool => VariableValue::Bool(value != 0),
                    _ => VariableValue::Int(value),
                };
                Change { name: field.name.clone(), before: value(before), after: value(after) }
            });
        TraceStep {
            actor,
            partner: others.pop(),
            message: None,
            changes: changes.collect(),
            printed: String::new(),
            atomic: false,
        }
    }

    fn actor(&self, participant: &Participant, alternative: &Alternative) -> Actor {
        // Systems of modules have no other participants.
        let process = participant.as_component().map_or(0, |component| component.index());
        let at = match self.document.place(alternative.origin) {
            Some(span) => {
                let text = self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
                let line = self.sources.line_column(span).line;
                let is_long = text.chars().count() > LONGEST;
                let cut = || text.chars().take(LONGEST - 3).chain("...".chars()).collect();
                Written {
                    line,
                    text: if is_long { cut() } else { text },
                    through: Vec::new(),
                    places: vec![span],
                }
            }
            None => Written { line: 0, text: String::new(), through: Vec::new(), places: Vec::new() },
        };
        let name = self.program.participant_name(participant).to_owned();
        Actor { process, name, at }
    }

    /// The command of a participant that leads from one state to another: the first one if several do.
    fn taken<'p>(&self, participant: &'p Participant, before: &[i64], after: &[i64]) -> &'p Alternative {
        let fields = self.program.fields.iter().zip(before);
        let locals: Vec<Const> = fields
            .map(|(field, &value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
        let value = |expr: ExprId| interp::eval(&self.program.exprs, expr, &locals).ok();
        let fits = |outcome: &Outcome| {
            outcome.assignments().iter().all(|assignment| {
                let assigned = value(assignment.value);
                let assigned = assigned.and_then(|v| v.as_i64().or(v.as_bool().map(i64::from)));
                assigned == Some(after[assignment.field.index()])
            })
        };
        let leads_there = |alternative: &&Alternative| {
            value(alternative.guard).and_then(|v| v.as_bool()) == Some(true)
                && alternative.outcomes.iter().any(fits)
        };
        participant.alternatives.iter().find(leads_there).unwrap_or(&participant.alternatives[0])
    }
}

/// Several modules that move together, as one.
fn joined(mut first: Actor, others: Vec<Actor>) -> Actor {
    for other in others {
        first.name.push_str(" & ");
        first.name.push_str(&other.name);
        first.at.text.push_str("  ");
        first.at.text.push_str(&other.at.text);
    }
    first
}
