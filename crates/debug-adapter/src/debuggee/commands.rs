//! Expressions, and the commands of `volvelle step` in the console of the editor.

use super::setup::arguments;
use super::{Debuggee, Reply};
use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use volvelle_console::{door, files};
use volvelle_diagnostics::Sources;
use volvelle_session::limits::counted;
use volvelle_stepping::dialogue::{Command, words};
use volvelle_stepping::{Goal, Pace, Stopped};

/// Random steps that a goal is given.
const PATIENCE: usize = 10_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvaluateField {
    expression: String,
    context: Option<String>,
    frame_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompletionsField {
    text: String,
    column: i64,
    frame_id: Option<i64>,
}

impl Debuggee<'_> {
    /// The value of an expression; in the console also a command.
    pub fn evaluate(&mut self, given: &Value) -> Result<Reply, Failure> {
        let EvaluateField { expression, context, frame_id } = arguments("evaluate", given)?;
        let (text, frame) = (expression.trim(), frame_id.filter(|&frame| frame != 0));
        if context.as_deref() == Some("repl") {
            // `= x` is an expression, also where `x` is a command.
            match (text.strip_prefix('='), Command::read(text)) {
                (Some(rest), _) => return self.shown_value(rest, frame),
                (None, Ok(command)) => return self.carry_out(&command),
                (None, Err(why)) if is_attempt(text) => return Err(Failure::new(why)),
                _ => {}
            }
        }
        self.shown_value(text, frame)
    }

    /// The words that may be meant by the beginning of one: commands where a line begins, and variables.
    pub fn completions(&mut self, given: &Value) -> Result<Value, Failure> {
        let CompletionsField { text, column, frame_id } = arguments("completions", given)?;
        let units = usize::try_from(column.saturating_sub(self.first.1)).unwrap_or(0);
        let before = String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>());
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = before
            .rfind(|c| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let frame = frame_id.filter(|&frame| frame != 0);
        let commands = words().filter(|_| start == 0).map(|name| (name.to_owned(), "keyword"));
        let variables = self.names_at(frame)?.into_iter().map(|name| (name, "variable"));
        let meant = commands.chain(variables).filter(|(name, _)| name.starts_with(word));
        let at = before[..start].encode_utf16().count();
        let target = |(label, kind): (String, &str)| json!({ "label": label, "type": kind, "start": at, "length": word.encode_utf16().count() });
        Ok(json!({ "targets": meant.map(target).collect::<Vec<_>>() }))
    }

    fn shown_value(&mut self, text: &str, frame: Option<i64>) -> Result<Reply, Failure> {
        let (value, kind) = self.value_of(text, frame)?;
        let mut body = json!({ "result": value, "variablesReference": 0 });
        if let Some(kind) = kind {
            body["type"] = json!(kind);
        }
        Ok(body.into())
    }

    fn carry_out(&mut self, command: &Command) -> Result<Reply, Failure> {
        let before = self.journey.position();
        let (reply, note) = match command {
            Command::Take(number) => {
                let count = self.enabled()?.len();
                let choice = number.checked_sub(1).filter(|&choice| choice < count).ok_or_else(|| {
                    Failure::new(match count {
                        0 => "no step is enabled: b goes back".to_owned(),
                        _ => format!("there is no step {number}: 1 to {count}"),
                    })
                })?;
                (self.choose(choice)?, String::new())
            }
            Command::Random(steps) => (self.random(*steps, None)?, String::new()),
            Command::Until(text) => {
                let goal = self.goal(text)?;
                let reply = self.random(PATIENCE, Some(&goal))?;
                (reply, format!("reached in step {}", self.journey.position()))
            }
            Command::Back(steps) if before == 0 => {
                return Err(Failure::new(format!("this is the beginning: there is no way back {steps}")));
            }
            Command::Back(steps) => (self.go_to(before.saturating_sub(*steps))?, String::new()),
            Command::Jump(position) if *position > self.journey.known() => {
                let known = counted(self.journey.known() as u64, "step");
                return Err(Failure::new(format!("there are only {known} so far: r goes on")));
            }
            Command::Jump(position) => (self.go_to(*position)?, String::new()),
            Command::Load(path) => self.load(path)?,
            Command::Variables => {
                let state = self.journey.walk().state();
                return Ok(noted(&self.view.variables(&state)));
            }
            Command::List => {
                let beginning = self.journey.walk().beginning();
                let mut text = self.view.head() + &self.view.step(0, &beginning);
                if before > 0 {
                    text += &self.view.steps(1..=before, |number| self.journey.step(number));
                }
                return Ok(noted(&text));
            }
            Command::Save(path) => return self.save(path),
            Command::Help => return Ok(noted(&(self.view.help() + HELP))),
            Command::Quit => {
                self.is_over = true;
                return Ok(noted("the walk is over"));
            }
            // An empty line: what can be chosen.
            Command::Again => {
                let enabled = self.enabled()?;
                return Ok(noted(&self.view.enabled(&enabled)));
            }
        };
        Ok(Reply { body: noted(&note).body, ..reply })
    }

    /// Takes random steps.
    fn random(&mut self, steps: usize, goal: Option<&Goal>) -> Result<Reply, Failure> {
        let before = self.journey.position();
        let control = self.control;
        let went = self.journey.go(Pace { steps, goal, is_stopped: &mut || control.check().is_err() });
        self.weighed = None;
        match went {
            Ok(()) => Ok(self.behind_step(before)),
            Err(Stopped::Unreached) => {
                let troubles = format!("not reached in {}", counted(steps as u64, "step"));
                Ok(Reply { troubles, ..self.behind_step(before) })
            }
            Err(stopped) if self.journey.position() == before => Err(self.no_step(stopped)),
            Err(stopped) => {
                let troubles = self.no_step(stopped).text;
                Ok(Reply { troubles, ..self.behind_step(before) })
            }
        }
    }

    fn load(&mut self, path: &Path) -> Result<(Reply, String), Failure> {
        let of = |diagnostic| Failure::of(&[diagnostic], &Sources::new());
        let text = files::read(&self.launch.beside(path)).map_err(of)?;
        let trail = self.journey.walk().read_trail(&text.name, &text.text).map_err(of)?;
        self.journey.follow(&trail, &text.name).map_err(of)?;
        self.weighed = None;
        let note = format!("{}: {}", text.name, counted(trail.steps.len() as u64, "step"));
        Ok((self.behind_step(0), note))
    }

    /// Writes the steps so far.
    fn save(&mut self, path: &Path) -> Result<Reply, Failure> {
        let of = |diagnostic| Failure::of(&[diagnostic], &Sources::new());
        let trail = self.journey.trail();
        let path = self.launch.beside(path);
        if let Some(refusal) = door::refusal_to_keep(&path) {
            return Err(of(files::not_written(&path, &refusal.into())));
        }
        let text = self.journey.walk().trail_text(&path, &trail).map_err(of)?;
        let kept: std::io::Result<()> = door::keep(&path, |out| out.write_all(text.as_bytes()));
        kept.map_err(|error| of(files::not_written(&path, &error)))?;
        let steps = counted(trail.steps.len() as u64, "step");
        Ok(noted(&format!("written: {} ({steps})", path.display())))
    }
}

/// Said behind the commands.
const HELP: &str = "    = EXPRESSION          the value of a variable, or whether a condition holds
    (an empty line)       the steps that can be taken
";

/// Whether a text begins as a command, so that it is not looked at as an expression.
fn is_attempt(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let words = ["random", "back", "until", "jump", "save", "load", "u", "j"];
    words.contains(&first) || !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text as the result of an expression.
fn noted(text: &str) -> Reply {
    json!({ "result": text.trim_end(), "variablesReference": 0 }).into()
}
