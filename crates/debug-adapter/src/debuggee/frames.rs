//! Threads and frames: those that take part, and where each is.

use super::setup::arguments;
use super::{Debuggee, thread_of};
use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use volvelle_diagnostics::Span;
use volvelle_present::format::number;
use volvelle_session::limits::counted;
use volvelle_stepping::{Effect, Enabled, Party, StepText};

/// Frames that a thread may have: its place, and the inlines and macros around it.
const MOST_FRAMES: i64 = 100;

/// Changes that a label lists.
const CHANGES: usize = 6;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StackField {
    thread_id: i64,
    start_frame: Option<i64>,
    levels: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameField {
    frame_id: i64,
}

/// The number of a frame of a party; the first is its place.
fn frame_of(party: &Party, depth: usize) -> i64 {
    thread_of(party) * MOST_FRAMES + depth as i64
}

/// The names of those that a step moves.
pub fn movers(what: &StepText) -> Vec<String> {
    let names = what.actor.split([',', '>']).map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

impl Debuggee<'_> {
    /// The frames of a thread.
    pub fn stack_trace(&mut self, given: &Value) -> Result<Value, Failure> {
        let StackField { thread_id, start_frame, levels } = arguments("stackTrace", given)?;
        self.thread(given)?;
        let mut parties = self.parties();
        let position = parties.iter().position(|party| thread_of(party) == thread_id);
        let Some(mut party) = position.map(|position| parties.swap_remove(position)) else {
            return Err(Failure::new(format!("there is no thread {thread_id}")));
        };
        self.follow_known(&mut party);
        let what = if party.text.is_empty() { party.name.clone() } else { party.text.clone() };
        let name = format!("{what}  ({})", self.step_text()?);
        let mut frames = vec![self.frame(&party, 0, name, party.place)];
        for (depth, (name, place)) in (1..MOST_FRAMES as usize).zip(party.through.clone()) {
            frames.push(self.frame(&party, depth, name, Some(place)));
        }
        let total = frames.len();
        let start = usize::try_from(start_frame.unwrap_or(0)).unwrap_or(0).min(total);
        let count = levels.filter(|&levels| levels > 0).and_then(|levels| usize::try_from(levels).ok());
        let shown: Vec<Value> = frames.into_iter().skip(start).take(count.unwrap_or(total)).collect();
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    fn frame(&mut self, party: &Party, depth: usize, name: String, place: Option<Span>) -> Value {
        let mut frame = json!({ "id": frame_of(party, depth), "name": name });
        let (line, column) = place.map_or((0, 0), |place| self.line_column(place));
        frame["line"] = json!(line);
        frame["column"] = json!(column);
        if let Some(place) = place
            && let Some(path) = self.path_of(place.file)
        {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            frame["source"] = json!({ "name": name, "path": path.display().to_string() });
        } else {
            // What is in no file is not shown as a text.
            frame["presentationHint"] = json!("label");
        }
        frame
    }

    /// A place as the client counts: columns in units of UTF-16.
    pub fn line_column(&mut self, place: Span) -> (i64, i64) {
        let sources = self.journey.walk().sources();
        let line = sources.line_column(place).line;
        let text = &sources.file(place.file).text;
        let before = text.get(..place.start as usize).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[start..].encode_utf16().count() as i64 + self.first.1;
        (self.line_told(line), column)
    }

    /// Where the next step is known, those that move in it are at its places.
    fn follow_known(&mut self, party: &mut Party) {
        let Some(next) = self.journey.step(self.journey.position() + 1) else { return };
        let at = movers(&next.what).iter().position(|name| *name == party.name);
        let place = at.and_then(|at| next.what.places.get(at).copied()).filter(|_| !party.waits);
        if let Some(place) = place {
            party.place = Some(place);
            let text = self.journey.walk().sources().text(place);
            party.text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }

    /// Which step led here, and how probable it was: `step 3, probability 0.5`.
    fn step_text(&mut self) -> Result<String, Failure> {
        let position = self.journey.position();
        let weight = self.last_weight()?;
        let title = self.journey.walk().weight();
        let weight = weight.zip(title).map(|(weight, title)| format!(", {title} {}", short(weight)));
        let time = self.journey.step(position).and_then(|taken| taken.time);
        let time = time.map(|time| format!(", time {}", short(time)));
        Ok(format!("step {position}{}{}", weight.unwrap_or_default(), time.unwrap_or_default()))
    }

    /// The probability or rate of the last step.
    fn last_weight(&mut self) -> Result<Option<f64>, Failure> {
        let position = self.journey.position();
        if position == 0 || self.journey.walk().weight().is_none() {
            return Ok(None);
        }
        if let Some((of, weight)) = self.weighed.filter(|(of, _)| *of == position) {
            debug_assert_eq!(of, position);
            return Ok(weight);
        }
        let lost = |_| Failure::new("the walk cannot be repeated");
        let choice = self.journey.choice(position);
        self.journey.jump(position - 1).map_err(lost)?;
        let enabled = self.journey.walk().enabled().unwrap_or_default();
        self.journey.jump(position).map_err(lost)?;
        let weight = choice.and_then(|choice| enabled.get(choice)?.weight);
        self.weighed = Some((position, weight));
        Ok(weight)
    }

    /// Whose frame it is, by its number.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn party_of_frame(&mut self, frame: i64) -> Result<Party, Failure> {
        let missing = || Failure::new(format!("there is no frame {frame}"));
        let (thread, depth) = (frame.div_euclid(MOST_FRAMES), frame.rem_euclid(MOST_FRAMES));
        let party = self.parties().into_iter().find(|party| thread_of(party) == thread);
        party.filter(|party| depth <= party.through.len() as i64).ok_or_else(missing)
    }

    /// The steps that can be taken, to choose one.
    pub fn step_in_targets(&mut self, given: &Value) -> Result<Value, Failure> {
        let FrameField { frame_id } = arguments("stepInTargets", given)?;
        self.party_of_frame(frame_id)?;
        let enabled = self.enabled()?;
        let known = self.journey.choice(self.journey.position() + 1);
        let target = |(number, step): (usize, &Enabled)| {
            let note = if known == Some(number) { "  (the next of the known steps)" } else { "" };
            let mut target =
                json!({ "id": number + 1, "label": format!("{}: {}{note}", number + 1, label(step)) });
            if let Some(place) = step.what.places.first() {
                let (line, column) = self.line_column(*place);
                target["line"] = json!(line);
                target["column"] = json!(column);
            }
            target
        };
        Ok(json!({ "targets": enabled.iter().enumerate().map(target).collect::<Vec<_>>() }))
    }

    /// The steps that can be taken.
    pub fn enabled(&mut self) -> Result<Vec<Enabled>, Failure> {
        let enabled = self.journey.walk().enabled();
        enabled.map_err(|diagnostic| Failure::of(&[diagnostic], self.journey.walk().sources()))
    }
}

/// A step in a line: its weight, what it is, and what it does.
fn label(step: &Enabled) -> String {
    let what = &step.what;
    let weight = step.weight.map(short);
    let is_bracketed = !what.lines.is_empty();
    let action = match (what.action.as_str(), is_bracketed) {
        ("", true) if step.weight.is_some() => "[]".to_owned(),
        ("", _) => String::new(),
        (action, true) => format!("[{action}]"),
        (action, false) => action.to_owned(),
    };
    let lines: Vec<String> = what.lines.iter().map(ToString::to_string).collect();
    let line = if lines.is_empty() { String::new() } else { format!("line {}", lines.join(",")) };
    let text = if step.weight.is_some() { String::new() } else { what.text.clone() };
    let parts = [weight.unwrap_or_default(), action, what.actor.clone(), line, text];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let mut label = parts.join("  ");
    label += &match &step.effect {
        Effect::Changes(all) if all.is_empty() => String::new(),
        Effect::Changes(all) => {
            let changes = all.iter().take(CHANGES);
            let changes =
                changes.map(|change| format!("{}: {} -> {}", change.name, change.before, change.after));
            let changes = changes.collect::<Vec<_>>().join(", ");
            let hidden = all.len().saturating_sub(CHANGES) as u64;
            let more =
                if hidden > 0 { format!(", and {}", counted(hidden, "change")) } else { String::new() };
            format!("  {changes}{more}")
        }
        Effect::Elsewhere => String::new(),
        Effect::Random => "  (one of many outcomes)".to_owned(),
        Effect::Fails => "  (fails)".to_owned(),
    };
    label.trim().to_owned()
}

/// Six digits.
fn short(x: f64) -> String {
    number(x, x.abs() * 1e-6)
}
