//! Breakpoints: whether they have an effect, and whether a step meets them.

use super::setup::{FunctionBreakpoint, LineBreakpoint, Setup, arguments, path_of};
use super::watched::{Met, Watched, What};
use super::{Debuggee, frames::movers};
use crate::protocol::{Failure, rendered};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use volvelle_console::door;
use volvelle_diagnostics::{Diagnostic, FileId, Span};
use volvelle_stepping::{Goal, Party};

#[derive(Deserialize)]
struct LocationsField {
    line: i64,
    #[serde(rename = "endLine")]
    end_line: Option<i64>,
}

impl Debuggee<'_> {
    /// Takes over what the client has set.
    pub fn prepare(&mut self, setup: &Setup) {
        self.filters.clone_from(&setup.filters);
        self.first = setup.first;
        let mut watched = Vec::new();
        for (path, breakpoints) in &setup.lines {
            let file = self.file_of(path);
            watched.extend(breakpoints.iter().map(|breakpoint| self.on_line(breakpoint, file)));
        }
        watched.extend(setup.functions.iter().map(|breakpoint| self.on_goal(breakpoint)));
        self.breakpoints = watched;
    }

    fn on_line(&mut self, asked: &LineBreakpoint, file: Option<FileId>) -> Watched {
        let lines = self.lines.iter().filter(|(of, _)| Some(*of) == file).map(|(_, line)| *line);
        let what = lines.filter(|&line| line >= asked.line).min().zip(file);
        let refusal = match (what, file) {
            (Some(_), _) => None,
            (None, None) => Some("the model has no text in this file".to_owned()),
            (None, Some(_)) if self.lines.is_empty() => {
                Some("steps of this model have no lines: set a function breakpoint on a condition".to_owned())
            }
            (None, Some(_)) => Some("no step is written here or below".to_owned()),
        };
        let what = what.map_or(What::Nothing, |(line, file)| What::Line(file, line));
        self.watched(asked.id, what, asked.condition.as_deref(), refusal)
    }

    fn on_goal(&mut self, asked: &FunctionBreakpoint) -> Watched {
        let (what, refusal) = match self.goal(&asked.name) {
            Ok(goal) => (What::Goal(goal, asked.name.clone()), None),
            Err(failure) => (What::Nothing, Some(failure.text)),
        };
        self.watched(asked.id, what, asked.condition.as_deref(), refusal)
    }

    fn watched(&mut self, id: i64, what: What, condition: Option<&str>, refusal: Option<String>) -> Watched {
        match condition.map(|text| self.goal(text)).transpose() {
            Ok(condition) => Watched { id, what, condition, held: false, refusal },
            Err(failure) => {
                let (what, refusal) = (What::Nothing, refusal.or(Some(failure.text)));
                Watched { id, what, condition: None, held: false, refusal }
            }
        }
    }

    /// Reads a condition, or the name of a step.
    pub fn goal(&mut self, text: &str) -> Result<Goal, Failure> {
        Goal::read(text, self.journey.walk())
            .map_err(|misread| Failure::of(&misread.diagnostics, &misread.sources))
    }

    /// The answer to a request that sets something.
    pub fn verified(&self, command: &str, given: &Value, setup: &Setup) -> Value {
        let ids: Vec<i64> = match command {
            "setBreakpoints" => {
                let lines = path_of(command, given).ok().and_then(|path| setup.lines.get(&path));
                lines.into_iter().flatten().map(|breakpoint| breakpoint.id).collect()
            }
            "setFunctionBreakpoints" => setup.functions.iter().map(|breakpoint| breakpoint.id).collect(),
            _ => return Value::Null,
        };
        let watched = ids.iter().filter_map(|id| self.breakpoints.iter().find(|watched| watched.id == *id));
        let breakpoint = |watched: &Watched| {
            let mut told = json!({ "id": watched.id, "verified": watched.refusal.is_none() });
            if let Some(refusal) = &watched.refusal {
                told["message"] = json!(refusal);
            }
            if let What::Line(_, line) = watched.what {
                told["line"] = json!(self.line_told(line));
            }
            told
        };
        json!({ "breakpoints": watched.map(breakpoint).collect::<Vec<_>>() })
    }

    /// The lines on which a breakpoint has an effect.
    pub fn breakpoint_locations(&mut self, given: &Value) -> Result<Value, Failure> {
        let command = "breakpointLocations";
        let path = path_of(command, given)?;
        let LocationsField { line, end_line } = arguments(command, given)?;
        let file = self.file_of(&path);
        let is_asked = |told: &i64| (line..=end_line.unwrap_or(line)).contains(told);
        let lines = self.lines.iter().filter(|(of, _)| Some(*of) == file);
        let lines = lines.map(|(_, line)| self.line_told(*line)).filter(is_asked);
        Ok(json!({ "breakpoints": lines.map(|line| json!({ "line": line })).collect::<Vec<_>>() }))
    }

    /// A line as the client counts it.
    pub fn line_told(&self, line: usize) -> i64 {
        line as i64 - 1 + self.first.0
    }

    /// The text in a file.
    fn file_of(&mut self, path: &str) -> Option<FileId> {
        let folder = self.folder.clone();
        let sources = self.journey.walk().sources();
        let mut files = (0..).map(FileId).map_while(|file| Some((file, sources.get(file)?)));
        let is_it = |name: &str| {
            candidates(&folder, name).iter().any(|candidate| door::is_same(candidate, Path::new(path)))
        };
        files.find(|(_, source)| is_it(&source.name)).map(|(file, _)| file)
    }

    /// Where a text is; `None` if it is in no file.
    pub fn path_of(&mut self, file: FileId) -> Option<PathBuf> {
        let folder = self.folder.clone();
        let name = self.journey.walk().sources().get(file)?.name.clone();
        let mut found = candidates(&folder, &name).into_iter().filter(|path| door::is_same(path, path));
        found.next().map(|path| std::path::absolute(&path).unwrap_or(path))
    }

    /// Notes which conditions hold now: a walk stops where they begin to.
    pub fn look_at_conditions(&mut self) -> Result<(), Diagnostic> {
        for number in 0..self.breakpoints.len() {
            let condition = match &self.breakpoints[number].what {
                What::Goal(Goal::Condition(condition), _) => *condition,
                _ => continue,
            };
            self.breakpoints[number].held = self.journey.walk().holds(condition)?;
        }
        Ok(())
    }

    /// The breakpoints that the last step meets. `before` are those that took part before it.
    pub fn met(&mut self, before: &[String]) -> Result<Met, Diagnostic> {
        let mut met = Met::default();
        let lines = match self.breakpoints.iter().any(|watched| matches!(watched.what, What::Line(..))) {
            true => self.lines_of_step(before),
            false => Vec::new(),
        };
        for number in 0..self.breakpoints.len() {
            let is_met = match &self.breakpoints[number].what {
                What::Nothing => false,
                What::Line(file, line) => lines.contains(&(*file, *line)),
                What::Goal(goal, _) => {
                    let goal = goal.clone();
                    let is_reached = self.is_reached(&goal)?;
                    let held = std::mem::replace(&mut self.breakpoints[number].held, is_reached);
                    is_reached && (!held || matches!(goal, Goal::Step(_)))
                }
            };
            if !is_met {
                continue;
            }
            if let Some(condition) = self.breakpoints[number].condition.clone()
                && !self.is_reached(&condition)?
            {
                continue;
            }
            let Watched { id, what, .. } = &self.breakpoints[number];
            match what {
                What::Goal(_, text) => met.goals.push((*id, text.clone())),
                _ => met.lines.push(*id),
            }
        }
        Ok(met)
    }

    fn is_reached(&mut self, goal: &Goal) -> Result<bool, Diagnostic> {
        let Some(taken) = self.journey.step(self.journey.position()).cloned() else { return Ok(false) };
        goal.is_reached(&taken, self.journey.walk())
    }

    /// The lines that the last step has to do with: those at which a process has come, or else those that were executed.
    fn lines_of_step(&mut self, before: &[String]) -> Vec<(FileId, usize)> {
        let Some(taken) = self.journey.step(self.journey.position()) else { return Vec::new() };
        let (moved, executed) = (movers(&taken.what), taken.what.places.clone());
        let places: Vec<Span> = match self.waits {
            false => executed,
            true => {
                let parties = self.journey.walk().parties();
                let has_come = |party: &&Party| moved.contains(&party.name) || !before.contains(&party.name);
                let places = |party: &Party| {
                    let through = party.through.iter().map(|(_, place)| *place);
                    party.place.into_iter().chain(through).collect::<Vec<_>>()
                };
                parties.iter().filter(has_come).flat_map(places).collect()
            }
        };
        let sources = self.journey.walk().sources();
        places.into_iter().map(|place| (place.file, sources.line_column(place).line)).collect()
    }

    /// The names of those that take part, where they are of interest.
    pub fn names(&mut self) -> Vec<String> {
        let is_asked = self.breakpoints.iter().any(|watched| matches!(watched.what, What::Line(..)));
        match self.waits && is_asked {
            true => self.journey.walk().parties().into_iter().map(|party| party.name).collect(),
            false => Vec::new(),
        }
    }

    /// A failure as the client is told of it.
    pub fn told(&mut self, diagnostic: &Diagnostic) -> String {
        rendered(std::slice::from_ref(diagnostic), self.journey.walk().sources())
    }
}

/// Where a text with a name may be.
fn candidates(folder: &Path, name: &str) -> [PathBuf; 2] {
    [PathBuf::from(name), folder.join(name)]
}
