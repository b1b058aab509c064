//! Walks through labelled transition systems.
//!
//! A system is generated breadth first as far as the walk needs it: where the walk comes to a state that is not expanded, the first part
//! becomes larger, and the same transitions are taken in it.

use crate::build::{self, Origin};
use crate::movers::{movers, standing};
use crate::part::FirstStates;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, Span, codes, has_errors};
use volvelle_model::{Origin as TextOrigin, Program};
use volvelle_session::language::Formalism;
use volvelle_session::report::Report;
use volvelle_session::trace::{Change, VariableValue};
use volvelle_session::{Session, Settings};
use volvelle_space::Edge;
use volvelle_stepping::{
    Effect, Enabled, End, Field, Misread, Owner, Part, Party, StepText, Taken, Variable, Walk, Weights,
    mismatch,
};

/// States of the first part, and how much larger each further one is.
const FIRST_STATES: usize = 1 << 14;
const GROWTH: usize = 8;

/// Why a walk ends.
const NO_TRANSITION: &str = "no transition leaves the state";

/// A walk through the system of a model.
pub struct SystemWalk<'a> {
    session: &'a mut Session,
    origin: Origin,
    settings: Settings,
    control: &'a Control<'a>,
    /// As much of the system as is known, and how many states that were to be.
    found: FirstStates,
    enough: usize,
    /// The transitions that were taken, each by its place among those of its state.
    edges: Vec<usize>,
    /// The states on the way, the initial one first.
    states: Vec<u32>,
    /// States that conditions name.
    conditions: Vec<u32>,
}

impl<'a> SystemWalk<'a> {
    /// A walk that begins. What there is to say about the model comes with it; without a walk this says why.
    pub fn new(
        session: &'a mut Session,
        settings: Settings,
        control: &'a Control<'a>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let mut origin = match build::origin(session, &settings, control) {
            Ok(origin) => origin,
            Err(report) => return (None, report.diagnostics),
        };
        let (report, found) = build::first_states(session, &mut origin, FIRST_STATES, &settings, control);
        let found = found.filter(|_| !has_errors(&report.diagnostics));
        let walk = found.map(|found| {
            let states = vec![found.lts.initial];
            let (edges, conditions, enough) = (Vec::new(), Vec::new(), FIRST_STATES);
            SystemWalk { session, origin, settings, control, found, enough, edges, states, conditions }
        });
        (walk, report.diagnostics)
    }

    /// The transitions that were taken: source, label, target.
    pub fn transitions(&self) -> Vec<(u32, String, u32)> {
        let between = self.states.windows(2).zip(&self.edges);
        let transition = |(pair, &edge): (&[u32], &usize)| {
            let label = self.found.lts.outgoing(pair[0])[edge].label;
            (pair[0], self.label(label).to_owned(), pair[1])
        };
        between.map(transition).collect()
    }

    /// The initial state.
    pub fn state_at_first(&self) -> u32 {
        self.found.lts.initial
    }

    fn state_now(&self) -> u32 {
        self.states.last().copied().unwrap_or(self.found.lts.initial)
    }

    fn label(&self, number: u32) -> &str {
        self.found.lts.labels.text(number)
    }

    /// The transitions of the state, which is expanded first if it is not.
    fn outgoing(&mut self) -> Result<&[Edge], Diagnostic> {
        while self.found.unexpanded.as_ref().is_some_and(|set| set.contains(self.state_now() as usize)) {
            self.grow()?;
        }
        Ok(self.found.lts.outgoing(self.state_now()))
    }

    /// Generates more of the system, and takes the same transitions in it.
    fn grow(&mut self) -> Result<(), Diagnostic> {
        self.enough = self.enough.saturating_mul(GROWTH);
        let (report, found) =
            build::first_states(self.session, &mut self.origin, self.enough, &self.settings, self.control);
        let Some(found) = found else { return Err(reason(report)) };
        let labels: Vec<String> = self.transitions().into_iter().map(|(_, label, _)| label).collect();
        let lts = &found.lts;
        let mut states = vec![lts.initial];
        for (&edge, label) in self.edges.iter().zip(&labels) {
            let from = states[states.len() - 1];
            match lts.outgoing(from).get(edge) {
                Some(next) if lts.labels.text(next.label) == label => states.push(next.target),
                _ => return Err(mismatch("the larger part of the system has other transitions")),
            }
        }
        (self.found, self.states) = (found, states);
        Ok(())
    }

    /// What a state is, by name.
    fn described(&self, state: u32) -> Vec<Variable> {
        let number = Variable { name: "state".to_owned(), value: VariableValue::Int(state.into()) };
        std::iter::once(number).chain(self.contents(state)).collect()
    }

    /// The parts of a state that the model knows.
    fn contents(&self, state: u32) -> Vec<Variable> {
        let model = &self.session.model;
        let values = self.found.values.as_ref().zip(model.program());
        let values = values.and_then(|(values, program)| values.get(state, program.fields.len()));
        let (Some(values), Some(document)) = (values, model.document.as_deref()) else { return Vec::new() };
        let text = document.state_text(&values);
        let between = if model.formalism() == Some(Formalism::Behaviours) { "; " } else { " " };
        let part = |part: &str| {
            // `USER 2 at line 10, ME=1`, `FREE: stop`, or `x=1`
            let place = part.find(" at ").or_else(|| part.find(": ")).or_else(|| part.find('='));
            let (name, value) = part.split_at(place.unwrap_or(part.len()));
            let value = value.trim_start_matches([':', '=', ' ']);
            Variable { name: name.to_owned(), value: VariableValue::Text(value.to_owned()) }
        };
        text.split(between).filter(|part| !part.is_empty()).map(part).collect()
    }

    /// The differences between two states.
    fn changes(&self, before: u32, after: u32) -> Vec<Change> {
        let (old, new) = (self.described(before), self.described(after));
        let after_of = |variable: &Variable, place: usize| {
            let same = new.get(place).filter(|other| other.name == variable.name);
            same.or_else(|| new.iter().find(|other| other.name == variable.name)).cloned()
        };
        let pairs = old.into_iter().enumerate().filter_map(|(i, old)| Some((after_of(&old, i)?, old)));
        pairs
            .filter(|(new, old)| new.value != old.value)
            .map(|(new, old)| Change { name: old.name, before: old.value, after: new.value })
            .collect()
    }

    /// What a transition of a state is, and who moves in it, where the system is that of a program.
    fn what(&self, from: u32, edge: Edge) -> StepText {
        let label = self.label(edge.label);
        let mut what = StepText { action: label.to_owned(), ..StepText::default() };
        let Some((program, before)) = self.values(from) else { return what };
        let Some((_, after)) = self.values(edge.target) else { return what };
        let moved = movers(program, label, &before, &after);
        // Who does nothing that is written only waits.
        for (component, place) in
            moved.into_iter().filter_map(|(own, origin)| Some((own, self.place(origin)?)))
        {
            if !what.actor.is_empty() {
                what.actor += ", ";
            }
            what.actor += &program.components[component.index()].name;
            what.lines.push(self.session.model.sources.line_column(place).line);
            what.places.push(place);
        }
        what
    }

    /// The program of the system, and the values of its fields in a state.
    fn values(&self, state: u32) -> Option<(&Program, Vec<i64>)> {
        let program = self.session.model.program()?;
        let values = self.found.values.as_ref()?.get(state, program.fields.len())?;
        Some((program, values))
    }

    fn place(&self, origin: TextOrigin) -> Option<Span> {
        self.session.model.document.as_deref()?.place(origin)
    }
}

impl Walk for SystemWalk<'_> {
    fn sources(&self) -> &Sources {
        &self.session.model.sources
    }

    fn file(&self) -> &str {
        &self.session.model.file
    }

    fn about(&self) -> Vec<String> {
        vec!["LTS".to_owned()]
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part { field: Field::Label, title: "label", width: 24 }]
    }

    fn beginning(&self) -> Taken {
        let state = self.described(self.found.lts.initial).into_iter();
        let changes = state
            .map(|Variable { name, value }| Change { name, before: value.clone(), after: value })
            .collect();
        Taken { changes, ..Taken::default() }
    }

    fn enabled(&mut self) -> Result<Vec<Enabled>, Diagnostic> {
        let edges = self.outgoing()?.to_vec();
        let state = self.state_now();
        let step = |edge: Edge| Enabled {
            what: self.what(state, edge),
            weight: None,
            effect: Effect::Changes(self.changes(state, edge.target)),
            messages: Vec::new(),
            is_scheduled: false,
        };
        Ok(edges.into_iter().map(step).collect())
    }

    fn weights(&mut self) -> Result<Weights, Diagnostic> {
        Ok(Weights::Equal(self.outgoing()?.len()))
    }

    fn take(&mut self, step: usize) -> Result<Taken, Diagnostic> {
        let edge = self.outgoing()?.get(step).copied();
        let edge = edge.ok_or_else(|| mismatch(format!("there is no step {}", step + 1)))?;
        let (from, to) = (self.state_now(), edge.target);
        let (what, changes) = (self.what(from, edge), self.changes(from, to));
        self.edges.push(step);
        self.states.push(to);
        Ok(Taken { what, changes, ..Taken::default() })
    }

    fn back_to(&mut self, steps: usize) -> Result<(), Diagnostic> {
        self.edges.truncate(steps);
        self.states.truncate(steps + 1);
        Ok(())
    }

    fn state(&mut self) -> Vec<Variable> {
        self.described(self.state_now())
    }

    fn end(&mut self) -> Option<End> {
        match self.outgoing() {
            Ok([]) => Some(End { message: NO_TRANSITION.to_owned(), faults: Vec::new(), is_deadlock: true }),
            Ok(_) => None,
            Err(diagnostic) => Some(End {
                message: diagnostic.message.clone(),
                faults: vec![diagnostic],
                is_deadlock: false,
            }),
        }
    }

    fn parties(&mut self) -> Vec<Party> {
        let state = self.state_now();
        let named = self.contents(state);
        let Some((program, values)) = self.values(state) else { return Vec::new() };
        let standing = standing(program, &values);
        let sources = &self.session.model.sources;
        let party = |(number, component): (usize, &volvelle_model::Component)| {
            let at = standing.iter().filter(|(known, _)| known.index() == number);
            let places = at.clone().filter_map(|&(_, origin)| self.place(origin));
            let place = places.min_by_key(|place| (place.file.0, place.start));
            // Those that have not begun, or have ended, are not there.
            let is_there = at.count() > 0 || named.iter().any(|part| part.name == component.name);
            let text = place.map_or_else(String::new, |place| on_one_line(sources.text(place)));
            let (name, through, waits) = (component.name.clone(), Vec::new(), false);
            is_there.then_some(Party { number, name, place, text, through, waits })
        };
        program.components.iter().enumerate().filter_map(party).collect()
    }

    fn step_places(&self) -> Vec<Span> {
        let Some((program, _)) = self.values(self.found.lts.initial) else { return Vec::new() };
        let participants = program.groups.iter().flat_map(|group| &group.participants);
        let origins = participants.flat_map(|own| &own.alternatives).map(|alternative| alternative.origin);
        origins.filter_map(|origin| self.place(origin)).collect()
    }

    fn owner(&self, variable: &str) -> Owner {
        let program = self.session.model.program().filter(|_| self.found.values.is_some());
        let is_component = |program: &Program| program.components.iter().any(|own| own.name == variable);
        match program.is_some_and(is_component) {
            // Where a process is, with the values that it has there.
            true => Owner::Party { party: variable.to_owned(), name: "here".to_owned() },
            false => Owner::All,
        }
    }

    fn condition(&mut self, text: &str) -> Result<usize, Misread> {
        let number = text.strip_prefix("state").and_then(|rest| rest.trim_start().strip_prefix('='));
        let Some(state) = number.and_then(|number| number.trim().parse().ok()) else {
            let message = format!(
                "`{text}` is no condition: the states of a labelled transition system have numbers only"
            );
            let diagnostic = Diagnostic::error(codes::BAD_USAGE, message);
            return Err(diagnostic.help("write u [LABEL], or u state=N").into());
        };
        self.conditions.push(state);
        Ok(self.conditions.len() - 1)
    }

    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic> {
        Ok(self.conditions[condition] == self.state_now())
    }
}

/// The beginning of a text of several lines.
fn on_one_line(text: &str) -> String {
    /// Characters that are shown.
    const LONGEST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line,
    }
}

/// Why there is no more of a system.
fn reason(report: Report) -> Diagnostic {
    let mut errors =
        report.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.next().unwrap_or_else(|| mismatch("the system has no larger part"))
}
