//! What is wanted of a path, and the program that is prepared for it.

use crate::diagnostics;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};
use volvelle_kernel::ExprId;
use volvelle_logic::Formula;
use volvelle_model::{Domain, Kind, Program};
use volvelle_session::choices::Choices;
use volvelle_session::pending::Pending;
use volvelle_session::trace::VariableValue;
use volvelle_session::{Model, Session, mentions};
use volvelle_simulate::measure::{self, Measure};
use volvelle_simulate::path::{Generator, Plan};

/// Which path is wanted, and how far.
#[derive(Clone, Debug, Default)]
pub struct Tracing {
    /// Seed of all paths.
    pub seed: u64,
    /// Number of the path.
    pub path: u64,
    /// Generator of random numbers.
    pub generator: Generator,
    /// Where it ends; the text of `--until`. Without it a path ends where all properties are decided, if there are
    /// any, and where nothing leaves the state.
    pub until: Option<String>,
    /// Whether something else chooses the steps, rather than chance.
    pub is_chosen: bool,
}

/// Where a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Where all properties are decided.
    Decided,
    /// Where nothing leaves the state.
    Deadlock,
    /// Where a condition holds.
    Condition(ExprId),
}

/// A property that is followed along a path.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Name, where it has one.
    pub name: Option<String>,
    /// As written.
    pub text: String,
    /// Index of its measure.
    pub(super) measure: usize,
}

impl Followed {
    /// Its name, or else its text.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.text)
    }
}

/// A program prepared for paths.
pub struct PathPlan {
    pub(crate) plan: Plan,
    /// Of the model: its choices may be made by something.
    kind: Kind,
    choices: String,
    pub(super) followed: Vec<Followed>,
    pub(super) until: Until,
    pub(super) tracing: Tracing,
}

impl PathPlan {
    /// Seed, number and generator of the path.
    pub fn tracing(&self) -> &Tracing {
        &self.tracing
    }

    /// The kind of the model: `dtmc`, `ctmc` or `mdp`.
    pub fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Dtmc => "dtmc",
            Kind::Ctmc => "ctmc",
            _ => "mdp",
        }
    }

    /// A readable description of how the choices of an mdp are resolved.
    pub fn choices(&self) -> Option<&str> {
        (!self.choices.is_empty()).then_some(self.choices.as_str())
    }

    /// Whether times are drawn.
    pub fn is_timed(&self) -> bool {
        self.plan.clock
    }

    /// Whether the model has times that are not drawn, because no property needs them.
    pub fn leaves_times_out(&self) -> bool {
        self.plan.program.kind() == Kind::Ctmc && !self.plan.clock
    }

    /// Whether a scheduler makes choices among others that are known.
    pub fn is_scheduled(&self) -> bool {
        self.plan.scheduler.is_some()
    }

    /// The properties, in the order asked for.
    pub fn followed(&self) -> &[Followed] {
        &self.followed
    }

    /// Names of the variables.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.plan.program.fields.iter().map(|field| field.name.as_str())
    }

    /// Names of the reward structures.
    pub fn rewards(&self) -> impl Iterator<Item = Option<&str>> {
        self.plan.program.rewards.iter().map(|structure| structure.name.as_deref())
    }

    /// Whether the model is given by its states, and has no text behind its steps.
    pub fn is_explicit(&self) -> bool {
        self.plan.rows.is_some()
    }

    /// Whether steps have actions with names.
    pub fn has_actions(&self) -> bool {
        match &self.plan.rows {
            Some(rows) => rows.table.space().actions.iter().any(|name| !name.is_empty()),
            None => true,
        }
    }

    /// Characters of the widest title that a step may have.
    pub fn widest_title(&self) -> usize {
        let program = &self.plan.program;
        let line = "[] , line 100".len();
        if let Some(rows) = &self.plan.rows {
            let names = rows.table.space().actions.iter();
            return names.map(|name| name.chars().count() + 2).max().unwrap_or(0);
        }
        let titles = self.plan.combinations.iter().map(|combination| {
            let participants = &program.groups[combination.group.index()].participants;
            match (program.actions[combination.action.index()].name.chars().count(), participants.as_slice())
            {
                (0, [only]) => program.participant_name(only).chars().count() + line,
                (action, _) => action + 2,
            }
        });
        titles.max().unwrap_or(0)
    }

    /// The value of a variable.
    pub(super) fn value(&self, field: usize, value: i64) -> VariableValue {
        match self.plan.program.fields[field].domain {
            Domain::Bool => VariableValue::Bool(value != 0),
            _ => VariableValue::Int(value),
        }
    }
}

/// Reads the properties (arguments of `--prop`, or all of the files) and what else is asked. Without a plan, one
/// of the diagnostics is an error.
pub fn plan_path(
    session: &mut Session,
    wanted: &[String],
    tracing: Tracing,
) -> (Option<PathPlan>, Vec<Diagnostic>) {
    session.model.refuse_sweeps();
    let lowered = session.model.lower();
    let mut diagnostics = std::mem::take(&mut session.model.diagnostics);
    let follows = !wanted.is_empty() || session.model.num_properties() > 0;
    if !lowered {
        if mentions(&diagnostics, codes::OPEN_CONSTANT) {
            if follows {
                session.model.select(wanted, &mut Vec::new());
            }
            diagnostics.extend(session.model.unmentioned_constants());
        }
        return (None, diagnostics);
    }
    if tracing.is_chosen && session.model.program().is_some_and(|program| program.kind() == Kind::Mdp) {
        // Whoever walks makes the choices of an mdp; those that are left to chance are made by a scheduler, or alike.
        if matches!(session.run.choices, Choices::Unresolved) {
            session.run.choices = Choices::Uniform;
        }
    }
    let pending = if follows { session.model.select(wanted, &mut diagnostics) } else { Vec::new() };
    let condition = match tracing.until.as_deref().map(str::trim) {
        None | Some("deadlock") => None,
        Some(text) => Some((session.model.sources.add("--until", text), text.len())),
    };
    let condition = condition.map(|(file, length)| read_condition(&mut session.model, file, length));
    if pending.iter().all(|p| p.property.is_ok()) {
        diagnostics.extend(session.model.unmentioned_constants());
    }
    diagnostics.extend(pending.iter().filter_map(|p| p.property.as_ref().err()).flatten().cloned());
    let condition = condition.transpose().map_err(|complaints| diagnostics.extend(complaints)).ok().flatten();
    let none_is_left = follows && pending.iter().all(|p| p.property.is_err());
    let bad_condition =
        condition.is_none() && !matches!(tracing.until.as_deref().map(str::trim), None | Some("deadlock"));
    if none_is_left || bad_condition || (pending.is_empty() && has_errors(&diagnostics)) {
        return (None, diagnostics);
    }
    let plan = path_plan(session, &pending, condition, tracing, &mut diagnostics);
    (plan, diagnostics)
}

/// Reads a condition on a single state. New conditions are added to the program.
pub(crate) fn condition_of(
    model: &mut Model,
    name: &str,
    text: &str,
) -> Result<(Program, ExprId), Vec<Diagnostic>> {
    let file = model.sources.add(name, text);
    let Condition { property, place } = read_condition(model, file, text.len())?;
    let mut program = model.program().cloned().ok_or_else(Vec::new)?;
    let condition = measure::condition(&mut program, &property).ok_or_else(|| {
        let message = "this is no condition on a single state";
        let diagnostic = Diagnostic::error(codes::NOT_SIMULATED, message).at(place, "");
        vec![diagnostic.help("for example: x=3 & y>2")]
    })?;
    Ok((program, condition))
}

/// Reads an expression on a single state: a number, or else a condition.
pub(crate) fn expression_of(
    model: &mut Model,
    name: &str,
    text: &str,
) -> Result<(Program, ExprId), Vec<Diagnostic>> {
    let file = model.sources.add(name, text);
    let property = read_condition(model, file, text.len())?.property;
    let number = match property.formulas.get(property.root) {
        Formula::Observation(number) => Some(number.0 as usize),
        _ => None,
    };
    let program = model.program().cloned().ok_or_else(Vec::new)?;
    match number.and_then(|number| program.numbers.get(number)).map(|number| number.expr) {
        Some(expr) => Ok((program, expr)),
        None => condition_of(model, name, text),
    }
}

/// Reads a condition as a property.
fn read_condition(model: &mut Model, file: FileId, length: usize) -> Result<Condition, Vec<Diagnostic>> {
    let Some(document) = &mut model.document else { return Err(Vec::new()) };
    let property = document.text(&model.sources, file)?;
    Ok(Condition { property, place: Span::new(file, 0, length) })
}

/// The plan of a path along which properties are followed; those that cannot be are complained about.
fn path_plan(
    session: &Session,
    pending: &[Pending],
    condition: Option<Condition>,
    tracing: Tracing,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<PathPlan> {
    let model = crate::model::path_model(session, &Control::unlimited());
    let mut model = model.map_err(|complaint| diagnostics.push(complaint)).ok().flatten()?;
    let program = &mut model.program;
    let (mut measures, mut automata, mut followed) = (Vec::<Measure>::new(), Vec::new(), Vec::new());
    for p in pending {
        let Ok(property) = &p.property else { continue };
        match measure::measure(program, &mut automata, property) {
            Ok(asked) => {
                let known = measures.iter().position(|m| *m == asked.measure);
                let measure = known.unwrap_or(measures.len());
                if known.is_none() {
                    measures.push(asked.measure);
                }
                followed.push(Followed { name: p.name.clone(), text: p.text.clone(), measure });
            }
            Err(why) => {
                diagnostics.push(diagnostics::of_unsupported(&why, program).at(p.place, ""));
            }
        }
    }
    if followed.is_empty() && !pending.is_empty() {
        return None;
    }
    let until = match condition {
        Some(Condition { property, place }) => match measure::condition(program, &property) {
            Some(condition) => Until::Condition(condition),
            None => {
                let message = "--until needs a condition on a single state";
                let complaint = Diagnostic::error(codes::NOT_SIMULATED, message).at(place, "");
                diagnostics.push(
                    complaint.help("write a condition or a keyword: --until 'x=3 & y>2', --until deadlock"),
                );
                return None;
            }
        },
        None if tracing.until.is_some() || followed.is_empty() => Until::Deadlock,
        None => Until::Decided,
    };
    match crate::model::prepared(session, &model, measures, automata, tracing.generator) {
        Ok(mut plan) => {
            if followed.is_empty() {
                plan.clock = plan.program.kind() == Kind::Ctmc;
            }
            let (kind, choices) = (model.program.kind(), session.run.choices.to_string());
            Some(PathPlan { plan, kind, choices, followed, until, tracing })
        }
        Err(complaint) => {
            diagnostics.push(complaint);
            None
        }
    }
}

/// The condition of `--until`.
struct Condition {
    property: volvelle_logic::Property,
    place: Span,
}
