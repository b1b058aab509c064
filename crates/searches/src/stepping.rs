//! Walks through the runs of processes: a [`Simulation`] whose steps are chosen.

use crate::runs::{is_named_for_spin, is_spin_trail, mismatch, simulate_observed, spin_trail};
use crate::{
    ClaimStanding, FollowedClaims, Runnable, SavedStep, SavedTrail, Simulation, fits_model, read_spin_trail,
};
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_session::Model;
use volvelle_session::language::StateCondition;
use volvelle_session::trace::{Change, Standing, TraceStep, VariableValue};
use volvelle_stepping::{
    Effect, Enabled, End, Field, Misread, Owner, Part, Party, StepText, Taken, Trail, Variable, Walk, Weights,
};

/// A walk through the runs of a model.
pub struct RunWalk<'a> {
    model: &'a Model,
    simulation: Simulation<'a>,
    /// The steps that led here.
    steps: Vec<TraceStep>,
    /// What is wrong with the last step, or with the state.
    faults: Vec<Diagnostic>,
    conditions: Vec<(String, Box<dyn StateCondition>)>,
    /// The values of the initial state.
    beginning: Taken,
    claims: FollowedClaims,
}

impl<'a> RunWalk<'a> {
    /// A walk through the runs of a model that follows claims.
    ///
    /// # Errors
    /// The states cannot be made.
    pub fn new(model: &'a Model, runnable: &'a Runnable, claims: FollowedClaims) -> Result<Self, Diagnostic> {
        let labels = claims.labels().to_vec();
        let simulation = simulate_observed(model, runnable, None, labels);
        let broken = || mismatch("the model has errors, so no run can begin");
        let simulation = simulation.ok_or_else(broken)??;
        Ok(RunWalk::of(model, simulation, claims))
    }

    fn of(model: &'a Model, simulation: Simulation<'a>, mut claims: FollowedClaims) -> Self {
        let decided = claims.read(&simulation);
        let faults = simulation.faults();
        let values = simulation.values().into_iter();
        let changes = values.map(|(name, value)| Change { name, before: value.clone(), after: value });
        let beginning = Taken { changes: changes.collect(), decided, ..Taken::default() };
        RunWalk { model, simulation, steps: Vec::new(), faults, conditions: Vec::new(), beginning, claims }
    }

    /// The steps that led here.
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Where every process is.
    pub fn standings(&self) -> Vec<Standing> {
        self.simulation.standings()
    }

    /// Whether the model reads characters.
    pub fn reads(&self) -> bool {
        self.simulation.reads()
    }

    /// What is known of the claims.
    pub fn claims(&self) -> Vec<ClaimStanding> {
        self.claims.standings(&self.simulation)
    }

    /// The choices of the state; none behind an error.
    fn choices(&self) -> usize {
        if self.faults.is_empty() { self.simulation.choices() } else { 0 }
    }
}

impl Walk for RunWalk<'_> {
    fn sources(&self) -> &Sources {
        &self.model.sources
    }

    fn file(&self) -> &str {
        &self.model.file
    }

    fn about(&self) -> Vec<String> {
        vec!["processes".to_owned()]
    }

    fn parts(&self) -> Vec<Part> {
        let part = |field, title, width| Part { field, title, width };
        vec![
            part(Field::Actor, "process", 16),
            part(Field::Line, "line", 4),
            part(Field::Text, "statement", 32),
        ]
    }

    fn beginning(&self) -> Taken {
        self.beginning.clone()
    }

    fn enabled(&mut self) -> Result<Vec<Enabled>, Diagnostic> {
        let steps = (0..self.choices()).filter_map(|choice| self.simulation.look(choice));
        Ok(steps
            .map(|step| Enabled {
                what: words(&step),
                weight: None,
                is_scheduled: false,
                messages: message(&step).into_iter().collect(),
                effect: Effect::Changes(step.changes),
            })
            .collect())
    }

    fn weights(&mut self) -> Result<Weights, Diagnostic> {
        Ok(Weights::Equal(self.choices()))
    }

    fn take(&mut self, step: usize) -> Result<Taken, Diagnostic> {
        let nothing = || mismatch(format!("there is no step {}", step + 1));
        if step >= self.choices() {
            return Err(nothing());
        }
        let crate::Taken { step, faults } = self.simulation.take(step).ok_or_else(nothing)??;
        self.faults = faults;
        let decided = self.claims.read(&self.simulation);
        let taken = Taken {
            decided,
            what: words(&step),
            changes: step.changes.clone(),
            printed: step.printed.clone(),
            messages: message(&step).into_iter().collect(),
            ..Taken::default()
        };
        self.steps.push(step);
        Ok(taken)
    }

    fn back_to(&mut self, steps: usize) -> Result<(), Diagnostic> {
        self.simulation.retake(steps)?;
        self.steps.truncate(steps);
        self.claims.back_to(steps);
        // A walk goes no further behind an error: before the last state there is none.
        self.faults = self.simulation.faults();
        Ok(())
    }

    fn state(&mut self) -> Vec<Variable> {
        let values = self.simulation.values().into_iter();
        let values = values.map(|(name, value)| Variable { name, value });
        let processes = self.simulation.standings().into_iter().map(|standing| Variable {
            name: format!("{}({})", standing.name, standing.process),
            value: VariableValue::Text(match standing.at {
                Some(at) => format!("before line {}: {}", at.line, at.text),
                None => "at its end".to_owned(),
            }),
        });
        let claims = self.claims().into_iter();
        let claims = claims
            .map(|claim| Variable { name: claim.title, value: VariableValue::Text(claim.text) })
            .collect::<Vec<_>>();
        values.chain(processes).chain(claims).collect()
    }

    fn end(&mut self) -> Option<End> {
        if let Some(fault) = self.faults.first() {
            let is_end = |fault: &Diagnostic| fault.code == codes::INVALID_END_STATE;
            let is_deadlock = self.faults.iter().all(is_end);
            return Some(End { message: fault.message.clone(), faults: self.faults.clone(), is_deadlock });
        }
        let is_over = self.simulation.choices() == 0;
        let message = "no process can move; all processes are in valid end states";
        is_over.then(|| End { message: message.to_owned(), faults: Vec::new(), is_deadlock: false })
    }

    fn condition(&mut self, text: &str) -> Result<usize, Misread> {
        if let Some(known) = self.conditions.iter().position(|(known, _)| known == text) {
            return Ok(known);
        }
        let condition = self.simulation.condition(text);
        let condition = condition.map_err(|(diagnostics, sources)| Misread { diagnostics, sources })?;
        self.conditions.push((text.to_owned(), condition));
        Ok(self.conditions.len() - 1)
    }

    fn value(&mut self, text: &str) -> Option<Result<VariableValue, Misread>> {
        let condition = match self.condition(text) {
            Ok(condition) => condition,
            Err(misread) => return Some(Err(misread)),
        };
        let value = self.simulation.value(&*self.conditions[condition].1);
        Some(value.ok_or_else(|| without_value(text).into()))
    }

    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic> {
        let (text, condition) = &self.conditions[condition];
        self.simulation.holds(&**condition).ok_or_else(|| without_value(text))
    }

    fn read_trail(&self, name: &str, text: &str) -> Result<Trail, Diagnostic> {
        let saved = match is_spin_trail(name, text) {
            true => read_spin_trail(self.model, name, text)?,
            false => SavedTrail::read(name, text)?,
        };
        fits_model(self.model, &saved)?;
        // Behind the last step nothing happens any more.
        let steps = saved.steps.iter().map_while(|step| {
            Some(volvelle_stepping::SavedStep {
                choice: step.choice?,
                action: String::new(),
                actor: step.process.clone(),
                line: Some(step.line),
                text: step.statement.clone(),
            })
        });
        let steps = steps.collect();
        Ok(Trail { cycle_start: saved.cycle_start, ..Trail::new(&saved.model, 0, steps) })
    }

    fn parties(&mut self) -> Vec<Party> {
        let party = |standing: Standing| {
            let (places, text, calls) = match standing.at {
                Some(at) => (at.places, at.text, at.through),
                None => (Vec::new(), "at its end".to_owned(), Vec::new()),
            };
            let calls = calls.into_iter().map(|(name, _)| name).zip(places.iter().skip(1).copied());
            Party {
                number: standing.process,
                name: format!("{}({})", standing.name, standing.process),
                place: places.first().copied(),
                text,
                through: calls.collect(),
                waits: true,
            }
        };
        self.simulation.standings().into_iter().map(party).collect()
    }

    fn step_places(&self) -> Vec<Span> {
        self.simulation.places()
    }

    fn owner(&self, variable: &str) -> Owner {
        // `P(1):x`; channels have no numbers as values.
        match variable.split_once("):") {
            Some((party, name)) => Owner::Party { party: format!("{party})"), name: name.to_owned() },
            None if self.claims().iter().any(|claim| claim.title == variable) => Owner::Property,
            None => Owner::All,
        }
    }

    fn trail_text(&self, file: &Path, trail: &Trail) -> Result<String, Diagnostic> {
        if is_named_for_spin(file) {
            let choices = trail.steps.iter().map(|step| Some(step.choice));
            return spin_trail(self.model, choices, None).map(|trail| trail.to_text()).ok_or_else(|| {
                let message = "a step of the walk is no statement that a trail of SPIN can name";
                Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
                    .help("save it as a trail of this program: save walk.json")
            });
        }
        let steps = trail.steps.iter().map(|step| SavedStep {
            choice: Some(step.choice),
            process: step.actor.clone(),
            line: step.line.unwrap_or(0),
            statement: step.text.clone(),
        });
        Ok(SavedTrail::of_run(self.model, steps.collect(), None).to_text())
    }
}

/// An expression that has no value in the state.
fn without_value(text: &str) -> Diagnostic {
    Diagnostic::error(codes::OUT_OF_RANGE, format!("`{text}` cannot be evaluated in this state"))
}

/// A step in words.
fn words(step: &TraceStep) -> StepText {
    let SavedStep { process, statement, .. } = SavedStep::of(step, None);
    let movers = step.actor.iter().chain(&step.partner);
    StepText {
        action: String::new(),
        actor: process,
        places: movers.clone().filter_map(|actor| actor.at.places.first().copied()).collect(),
        lines: movers.map(|actor| actor.at.line).collect(),
        text: statement,
    }
}

/// The message that a step moves, where its statement does not show it.
fn message(step: &TraceStep) -> Option<String> {
    let text = step.message.as_ref()?.to_string();
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let is_shown = step.actor.as_ref().is_some_and(|actor| plain(&actor.at.text) == plain(&text));
    (!is_shown).then_some(text)
}
