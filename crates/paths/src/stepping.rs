//! Walks through stochastic models: a [`Path`] whose steps are chosen.
//!
//! Times and outcomes that are not listed are drawn from the stream of the path, so a state that is returned to and left by the same
//! choices is left at the same times.

use crate::trace::{Choice, Place, condition_of, expression_of};
use crate::{Path, PathEnd, PathOption, PathPlan, PathStep, VariableChange, document};
use std::collections::BTreeSet;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{Const, ExprId, Site};
use volvelle_model::{Domain, Program};
use volvelle_session::Model;
use volvelle_session::outline::{Component, Variable as Declared};
use volvelle_session::trace::{Change, VariableValue};
use volvelle_stepping::{
    Effect, Enabled, End, Field, Misread, Owner, Part, Party, StepText, Taken, Variable, Walk, Weights,
    mismatch,
};

/// Steps between two places that are remembered: from there on, steps are taken again.
const STRIDE: usize = 32;

/// Widest column of actions.
const ACTION: usize = 20;

/// A walk through a stochastic model.
pub struct PathWalk<'p, 'm> {
    model: &'m mut Model,
    plan: &'p PathPlan,
    /// Where it is; `None` only while a step is taken.
    here: Option<Place<'p>>,
    /// The places behind every [`STRIDE`] steps.
    places: Vec<Place<'p>>,
    /// The steps that led here.
    choices: Vec<Choice>,
    /// The states on the way, the initial one first.
    states: Vec<PathStep>,
    /// The conditions that were read, each with its text and a program that has it.
    conditions: Vec<(String, Program, ExprId)>,
    /// The same for expressions.
    expressions: Vec<(String, Program, ExprId)>,
    /// Whether chance takes the steps of the path that was planned.
    is_sampled: bool,
    modules: Vec<Module>,
}

/// A module of the model.
struct Module {
    name: String,
    variables: Vec<String>,
    /// Where it may move.
    places: Vec<Span>,
}

impl<'p, 'm> PathWalk<'p, 'm> {
    /// A walk that begins. `None` without a model.
    pub fn new(model: &'m mut Model, plan: &'p PathPlan) -> Option<Self> {
        let path = crate::start_path(model, plan)?;
        let states = vec![path.first().clone()];
        let place = path.into_place();
        let (here, places) = (Some(place.clone()), vec![place]);
        let modules = if plan.is_explicit() { Vec::new() } else { modules(model) };
        let (choices, conditions, expressions) = (Vec::new(), Vec::new(), Vec::new());
        let is_sampled = false;
        Some(PathWalk {
            model,
            plan,
            here,
            places,
            choices,
            states,
            conditions,
            expressions,
            is_sampled,
            modules,
        })
    }

    /// A walk along a sampled path: random steps are those that the path of the plan has.
    pub fn sampled(model: &'m mut Model, plan: &'p PathPlan) -> Option<Self> {
        Some(PathWalk { is_sampled: true, ..PathWalk::new(model, plan)? })
    }

    /// The states on the way, the initial one first.
    pub fn states(&self) -> &[PathStep] {
        &self.states
    }

    /// Why it goes no further.
    pub fn path_end(&self) -> Option<&PathEnd> {
        self.here.as_ref().and_then(Place::end)
    }

    /// The properties that are not decided, by their titles.
    pub fn undecided(&self) -> Vec<&'p str> {
        let is_decided =
            |property: usize| self.states.iter().any(|s| s.decided.iter().any(|d| d.property == property));
        let followed = self.plan.followed().iter().enumerate();
        followed
            .filter(|(property, _)| !is_decided(*property))
            .map(|(_, followed)| followed.title())
            .collect()
    }

    /// Does something with the path.
    fn with<T>(&mut self, act: impl FnOnce(&mut Path<'p, '_>) -> T) -> Result<T, Diagnostic> {
        let place = self.here.take();
        let path = place.and_then(|place| Path::at(place, self.plan, self.model));
        let Some(mut path) = path else { return Err(mismatch("the model was lost")) };
        let found = act(&mut path);
        self.here = Some(path.into_place());
        Ok(found)
    }

    /// Takes a step, and remembers it.
    fn step(&mut self, choice: Choice) -> Result<(), Diagnostic> {
        let is_sampled = self.is_sampled;
        let step = self.with(|path| {
            let step = if is_sampled { path.retake_as_drawn(&choice) } else { path.retake(&choice) };
            step.ok_or_else(|| path.take_back_failure())
        })?;
        let step = step.map_err(|failure| failure.unwrap_or_else(|| mismatch("no step is enabled")))?;
        self.choices.push(choice);
        self.states.push(step);
        if self.choices.len().is_multiple_of(STRIDE) {
            self.places.extend(self.here.clone());
        }
        Ok(())
    }

    /// The state as the model has it.
    fn values(&self) -> &[i64] {
        self.here.as_ref().map_or(&[], Place::state)
    }

    fn taken(&self, step: &PathStep) -> Taken {
        let what = step.moved.as_ref().map(words).unwrap_or_default();
        Taken {
            what,
            time: step.time,
            changes: step.changes.iter().map(change).collect(),
            decided: step.decided.iter().map(|decided| document::decided(self.plan, decided)).collect(),
            ..Taken::default()
        }
    }
}

impl Walk for PathWalk<'_, '_> {
    fn sources(&self) -> &Sources {
        &self.model.sources
    }

    fn file(&self) -> &str {
        &self.model.file
    }

    fn about(&self) -> Vec<String> {
        let choices = self.plan.choices().map(str::to_owned);
        let left_out = self.plan.leaves_times_out().then(|| "times are not sampled".to_owned());
        std::iter::once(self.plan.kind().to_uppercase()).chain(choices).chain(left_out).collect()
    }

    fn parts(&self) -> Vec<Part> {
        let part = |field, title, width| Part { field, title, width };
        let width = self.plan.widest_title().clamp(6, ACTION);
        let time = self.plan.is_timed().then(|| part(Field::Time, "time", 10));
        let action = self.plan.has_actions().then(|| part(Field::Action, "action", width));
        let text = [part(Field::Actor, "module", 12), part(Field::Line, "line", 4)];
        let text = text.into_iter().filter(|_| !self.plan.is_explicit());
        let scheduler = self.plan.is_scheduled().then(|| part(Field::Scheduler, "scheduler", 9));
        time.into_iter().chain(action).chain(text).chain(scheduler).collect()
    }

    fn weight(&self) -> Option<&'static str> {
        Some(if self.plan.kind() == "ctmc" { "rate" } else { "probability" })
    }

    fn beginning(&self) -> Taken {
        self.taken(&self.states[0])
    }

    fn enabled(&mut self) -> Result<Vec<Enabled>, Diagnostic> {
        let options = self.with(|path| path.options())??;
        Ok(options.iter().map(enabled).collect())
    }

    fn weights(&mut self) -> Result<Weights, Diagnostic> {
        Ok(Weights::Of(self.with(|path| path.weights())??))
    }

    fn take(&mut self, step: usize) -> Result<Taken, Diagnostic> {
        let choices = self.with(|path| path.choices())??;
        let chosen = choices.into_iter().nth(step).map(|(choice, _)| choice);
        self.step(chosen.ok_or_else(|| mismatch(format!("there is no step {}", step + 1)))?)?;
        Ok(self.states.last().map(|state| self.taken(state)).unwrap_or_default())
    }

    fn back_to(&mut self, steps: usize) -> Result<(), Diagnostic> {
        let place = steps / STRIDE;
        self.places.truncate(place + 1);
        self.here = self.places.last().cloned();
        let again = self.choices.split_off(place * STRIDE);
        self.states.truncate(place * STRIDE + 1);
        again.into_iter().take(steps - place * STRIDE).try_for_each(|choice| self.step(choice))
    }

    fn state(&mut self) -> Vec<Variable> {
        let Some(state) = self.states.last() else { return Vec::new() };
        let variables = self.plan.variables().zip(&state.state);
        let variables =
            variables.map(|(name, value)| Variable { name: name.to_owned(), value: value.clone() });
        let text =
            |name: String, value: f64| Variable { name, value: VariableValue::Text(document::short(value)) };
        let time = state.time.map(|time| text("time".to_owned(), time));
        let rewards = self.plan.rewards().zip(&state.rewards).enumerate().filter_map(|(i, (name, total))| {
            let name = name.map_or_else(|| format!("reward {}", i + 1), |name| format!("reward \"{name}\""));
            Some(text(name, total.total?))
        });
        variables.chain(time).chain(rewards).collect()
    }

    fn end(&mut self) -> Option<End> {
        let end = self.path_end()?;
        let faults = match end {
            PathEnd::Failed(diagnostic) => vec![diagnostic.clone()],
            _ => Vec::new(),
        };
        Some(End { message: end.message(), faults, is_deadlock: *end == PathEnd::Deadlock })
    }

    fn parties(&mut self) -> Vec<Party> {
        let options = self.with(|path| path.options()).ok().and_then(Result::ok).unwrap_or_default();
        let commands: Vec<&crate::Command> =
            options.iter().flat_map(|option| &option.moved.commands).collect();
        let party = |(number, module): (usize, &Module)| {
            let next = commands.iter().find(|command| command.module == module.name);
            Party {
                number,
                name: module.name.clone(),
                place: next.map_or(module.places.first().copied(), |command| command.place),
                text: next.map_or_else(String::new, |command| command.update.clone()),
                through: Vec::new(),
                waits: false,
            }
        };
        self.modules.iter().enumerate().map(party).collect()
    }

    fn step_places(&self) -> Vec<Span> {
        self.modules.iter().flat_map(|module| module.places.iter().copied()).collect()
    }

    fn owner(&self, variable: &str) -> Owner {
        let owner = self.modules.iter().find(|module| module.variables.iter().any(|name| name == variable));
        owner.map_or(Owner::All, |module| Owner::Party {
            party: module.name.clone(),
            name: variable.to_owned(),
        })
    }

    fn drawn(&mut self) -> Result<Option<usize>, Diagnostic> {
        if !self.is_sampled {
            return Ok(None);
        }
        self.with(|path| {
            let Some(drawn) = path.drawn()? else { return Ok(None) };
            Ok(path.choices()?.iter().position(|(choice, _)| drawn.is_of(choice)))
        })?
    }

    fn condition(&mut self, text: &str) -> Result<usize, Misread> {
        if let Some(known) = self.conditions.iter().position(|(known, ..)| known == text) {
            return Ok(known);
        }
        let (program, condition) = condition_of(self.model, "the condition", text)
            .map_err(|diagnostics| Misread { diagnostics, sources: self.model.sources.clone() })?;
        self.conditions.push((text.to_owned(), program, condition));
        Ok(self.conditions.len() - 1)
    }

    fn value(&mut self, text: &str) -> Option<Result<VariableValue, Misread>> {
        if self.expressions.iter().all(|(known, ..)| known != text) {
            match expression_of(self.model, "the expression", text) {
                Ok((program, expr)) => self.expressions.push((text.to_owned(), program, expr)),
                Err(diagnostics) => {
                    return Some(Err(Misread { diagnostics, sources: self.model.sources.clone() }));
                }
            }
        }
        let (_, program, expr) = self.expressions.iter().find(|(known, ..)| known == text)?;
        let value = self.evaluated(program, *expr).map_err(Misread::from);
        Some(value.map(|value| match (value.as_bool(), value.as_i64(), value.as_f64()) {
            (Some(truth), ..) => VariableValue::Bool(truth),
            (_, Some(number), _) => VariableValue::Int(number),
            (.., number) => VariableValue::Text(number.map_or_else(String::new, document::short)),
        }))
    }

    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic> {
        let (_, program, condition) = &self.conditions[condition];
        Ok(self.evaluated(program, *condition)?.as_bool() == Some(true))
    }
}

impl PathWalk<'_, '_> {
    /// The value of an expression in the state.
    fn evaluated(&self, program: &Program, expr: ExprId) -> Result<Const, Diagnostic> {
        let locals: Vec<Const> = program
            .fields
            .iter()
            .zip(self.values())
            .map(|(field, &value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
        match Evaluator::new().eval(&program.exprs, expr, &locals) {
            Ok(value) => Ok(value),
            Err(EvalError::Failed(site)) => Err(self.explain(site)),
            Err(_) => Err(Diagnostic::error(codes::NOT_SIMULATED, "the expression cannot be evaluated")),
        }
    }

    /// Why a condition has no value in the state.
    fn explain(&self, site: Site) -> Diagnostic {
        let document = self.model.document.as_deref();
        let explained =
            document.map(|document| document.explain_failure(&self.model.sources, site, self.values()));
        explained.unwrap_or_else(|| mismatch("the condition cannot be evaluated"))
    }
}

/// The modules of a model in their order.
fn modules(model: &Model) -> Vec<Module> {
    let document = model.document.as_deref();
    let (Some(document), Some(program)) = (document, model.program()) else { return Vec::new() };
    let Some(outline) = document.outline(&model.sources) else { return Vec::new() };
    let participants: Vec<_> = program.groups.iter().flat_map(|group| &group.participants).collect();
    let module = |component: &Component| {
        let own = participants.iter().filter(|p| program.participant_name(p) == component.name);
        let outcomes = own.flat_map(|p| &p.alternatives).flat_map(|alternative| &alternative.outcomes);
        let places: BTreeSet<_> = outcomes
            .filter_map(|outcome| document.place(outcome.origin))
            .map(|span| (span.file.0, span.start, span.end))
            .collect();
        let is_own = |variable: &&Declared| variable.component.as_deref() == Some(&component.name);
        Module {
            name: component.name.clone(),
            variables: outline.variables.iter().filter(is_own).map(|own| own.name.clone()).collect(),
            places: places
                .into_iter()
                .map(|(file, start, end)| Span::new(FileId(file), start as usize, end as usize))
                .collect(),
        }
    };
    outline.components.iter().map(module).collect()
}

/// A step in words.
fn words(moved: &crate::PathMoved) -> StepText {
    let all = |part: fn(&crate::Command) -> &str, between: &str| {
        moved.commands.iter().map(part).collect::<Vec<_>>().join(between)
    };
    StepText {
        action: moved.action.clone(),
        actor: all(|command| &command.module, ", "),
        lines: moved.commands.iter().map(|command| command.line).collect(),
        places: moved.commands.iter().filter_map(|command| command.place).collect(),
        text: all(|command| &command.update, "; "),
    }
}

fn change(change: &VariableChange) -> Change {
    let before = change.before.as_ref().unwrap_or(&change.after);
    Change { name: change.name.clone(), before: before.clone(), after: change.after.clone() }
}

fn enabled(option: &PathOption) -> Enabled {
    let effect = match &option.changes {
        Some(changes) => Effect::Changes(changes.iter().map(change).collect()),
        None if option.is_drawn() => Effect::Random,
        None => Effect::Fails,
    };
    Enabled {
        what: words(&option.moved),
        weight: Some(option.weight),
        effect,
        messages: Vec::new(),
        is_scheduled: option.is_scheduled,
    }
}
