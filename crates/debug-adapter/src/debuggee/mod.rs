//! A walk as something that is debugged: where it is, what it does next, and where it stops.

mod breakpoints;
mod capabilities;
mod commands;
mod frames;
mod halt;
mod running;
mod setup;
mod stops;
mod variables;
mod watched;

pub use capabilities::{capabilities, is_known};
pub use setup::Setup;

use crate::launch::Launch;
use crate::opening::Begun;
use crate::protocol::{Failure, Request};
use crate::reading::Refusal;
use halt::{Exception, Halt};
use serde_json::{Value, json};
use setup::Filter;
use std::path::PathBuf;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{FileId, Span};
use volvelle_present::terminal::Style;
use volvelle_session::limits::counted;
use volvelle_stepping::dialogue::View;
use volvelle_stepping::{Journey, Party, Walk};
use watched::Watched;

/// The answer to a request, and what happens behind it.
#[derive(Debug, Default)]
pub struct Reply {
    /// The body of the answer.
    pub body: Value,
    /// The steps that were taken, for the console.
    pub steps: String,
    /// What went wrong.
    pub troubles: String,
    /// The body of the event that says where the walk has stopped.
    pub stopped: Option<Value>,
}

impl From<Value> for Reply {
    fn from(body: Value) -> Self {
        Reply { body, ..Reply::default() }
    }
}

/// A walk that is debugged.
pub struct Debuggee<'w> {
    journey: Journey<'w>,
    view: View,
    /// As it is launched.
    launch: Launch,
    /// When to stop.
    control: Control<'w>,
    /// The lines of texts on which steps are written.
    lines: Vec<(FileId, usize)>,
    /// The folder of the model.
    folder: PathBuf,
    breakpoints: Vec<Watched>,
    filters: Vec<Filter>,
    /// The number of the first line and column.
    first: (i64, i64),
    /// Whether those that take part wait at a statement.
    waits: bool,
    /// Why it stopped last, if that is an error or a decision.
    exception: Option<Exception>,
    /// The last step with its probability or rate.
    weighed: Option<(usize, Option<f64>)>,
    /// What is said when the walk begins.
    introduction: String,
    is_over: bool,
}

impl<'w> Debuggee<'w> {
    /// A walk in its beginning; the trail is known.
    ///
    /// # Errors
    /// The trail does not fit the model.
    pub fn new(walk: &'w mut dyn Walk, launch: &Launch, begun: Begun<'w>) -> Result<Self, Refusal> {
        let view = View::new(walk, Style::default());
        let beginning = walk.beginning();
        let mut introduction = view.title(walk, launch.seed()) + &view.head() + &view.step(0, &beginning);
        let places = walk.step_places();
        let lines = places.into_iter().map(|span| (span.file, walk.sources().line_column(span).line));
        let mut lines: Vec<(FileId, usize)> = lines.collect();
        lines.sort_unstable_by_key(|(file, line)| (file.0, *line));
        lines.dedup();
        let folder = PathBuf::from(walk.file()).parent().map(PathBuf::from).unwrap_or_default();
        let waits = walk.parties().iter().any(|party| party.waits);
        let trail =
            begun.trail.map(|trail| walk.read_trail(&trail.name, &trail.text).map(|read| (trail, read)));
        let trail = trail.transpose().map_err(|diagnostic| refused(walk, diagnostic))?;
        let sources = walk.sources().clone();
        let mut journey = Journey::new(walk, launch.seed(), launch.limit());
        if let Some((text, trail)) = trail {
            let followed = journey.follow(&trail, &text.name);
            followed.map_err(|diagnostic| Refusal::of(vec![diagnostic], &sources))?;
            introduction +=
                &told_of(&text.name, text.reason.as_deref(), trail.steps.len(), trail.cycle_start);
            journey
                .jump(0)
                .map_err(|_| Refusal::from(volvelle_stepping::mismatch("the trail cannot be left")))?;
        }
        Ok(Debuggee {
            journey,
            view,
            launch: launch.clone(),
            control: *begun.control,
            lines,
            folder,
            breakpoints: Vec::new(),
            filters: Vec::new(),
            first: (1, 1),
            waits,
            exception: None,
            weighed: None,
            introduction,
            is_over: false,
        })
    }

    /// What the console shows at first: the model, its initial state, and its trail.
    pub fn introduction(&self) -> String {
        self.introduction.clone()
    }

    /// Whether the user has ended it.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Stops in the initial state.
    pub fn entered(&mut self) -> Reply {
        self.stopped(0, Halt::Entry)
    }

    /// Stops where it is, since something failed.
    pub fn failed(&mut self, text: &str) -> Reply {
        Reply {
            troubles: text.to_owned(),
            ..self.stopped(self.journey.position(), Halt::Limit(Stop::Cancelled))
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// Why it has no answer.
    pub fn answer(&mut self, request: &Request, setup: &mut Setup) -> Result<Reply, Failure> {
        let (command, given) = (request.command.as_str(), &request.arguments);
        if let Some(set) = setup.set(command, given) {
            set?;
            self.prepare(setup);
            return Ok(self.verified(command, given, setup).into());
        }
        match command {
            "threads" => Ok(self.threads().into()),
            "stackTrace" => self.stack_trace(given).map(Reply::from),
            "scopes" => self.scopes(given).map(Reply::from),
            "variables" => self.variables(given).map(Reply::from),
            "breakpointLocations" => self.breakpoint_locations(given).map(Reply::from),
            "stepInTargets" => self.step_in_targets(given).map(Reply::from),
            "exceptionInfo" => self.exception_info().map(Reply::from),
            "next" => self.thread(given).and_then(|_| self.step()),
            "stepIn" => self.step_in(given),
            "stepBack" => self.thread(given).and_then(|_| self.step_back()),
            // What ran has stopped when this is read.
            "pause" => Ok(Reply::default()),
            "evaluate" => self.evaluate(given),
            "completions" => self.completions(given).map(Reply::from),
            _ => Err(Failure::new(format!("`{command}` cannot be answered now"))),
        }
    }

    /// Those that take part; one that stands for the model where the language has none.
    fn parties(&mut self) -> Vec<Party> {
        let parties = self.journey.walk().parties();
        if !parties.is_empty() {
            return parties;
        }
        let walk = self.journey.walk();
        let about = walk.about().into_iter().next().unwrap_or_default();
        let place = (!walk.sources().is_empty()).then(|| Span::new(FileId(0), 0, 0));
        let (through, waits) = (Vec::new(), false);
        vec![Party { number: 0, name: about, place, text: String::new(), through, waits }]
    }

    /// The thread in the arguments of a request.
    ///
    /// # Errors
    /// There is no such.
    pub fn thread(&mut self, given: &Value) -> Result<i64, Failure> {
        let thread = given.get("threadId").and_then(Value::as_i64);
        let thread = thread.ok_or_else(|| Failure::new("the arguments have no `threadId`"))?;
        let is_there = self.parties().iter().any(|party| thread_of(party) == thread);
        is_there.then_some(thread).ok_or_else(|| Failure::new(format!("there is no thread {thread}")))
    }

    fn threads(&mut self) -> Value {
        let threads = self.parties();
        let threads = threads.iter().map(|party| json!({ "id": thread_of(party), "name": party.name }));
        json!({ "threads": threads.collect::<Vec<_>>() })
    }
}

/// The number of the thread of a party.
fn thread_of(party: &Party) -> i64 {
    party.number as i64 + 1
}

fn refused(walk: &dyn Walk, diagnostic: volvelle_diagnostics::Diagnostic) -> Refusal {
    Refusal::of(vec![diagnostic], walk.sources())
}

/// What there is to say about a trail.
fn told_of(name: &str, reason: Option<&str>, steps: usize, cycle_start: Option<usize>) -> String {
    let mut text = format!("\n  {name}: {}", counted(steps as u64, "step"));
    if let Some(reason) = reason {
        text += &format!(", then {reason}");
    }
    if let Some(start) = cycle_start.filter(|&start| start < steps) {
        text += &format!("\n  it goes round: behind step {steps} all is as behind step {start}");
    }
    text + "\n"
}
