//! Where walks stop, and what the client is told of it.

use super::frames::movers;
use super::halt::{Exception, Halt};
use super::setup::Filter;
use super::watched::Met;
use super::{Debuggee, Reply, thread_of};
use crate::protocol::{Failure, rendered};
use serde_json::{Value, json};
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;
use volvelle_session::limits::counted;
use volvelle_stepping::{End, Stopped, Weights};

impl Debuggee<'_> {
    /// Why to stop behind the last step, if there is a reason.
    pub fn halt(&mut self, was_known: bool, names: &[String]) -> Result<Option<Halt>, Diagnostic> {
        let Met { lines, goals } = self.met(names)?;
        let end = self.journey.walk().end();
        if let Some(exception) = self.exception_of(end.as_ref()) {
            return Ok(Some(Halt::Exception(exception)));
        }
        let halt = if !lines.is_empty() {
            Halt::Lines(lines)
        } else if !goals.is_empty() {
            Halt::Goals(goals)
        } else if let Some(end) = end {
            Halt::Over(end.message)
        } else if was_known && self.journey.position() == self.journey.known() {
            Halt::KnownEnd
        } else if self.is_stuck()? {
            Halt::Stuck
        } else {
            return Ok(None);
        };
        Ok(Some(halt))
    }

    /// Whether the last step changed nothing, and is the only one.
    fn is_stuck(&mut self) -> Result<bool, Diagnostic> {
        if self.waits || self.journey.walk().weight().is_none() {
            return Ok(false);
        }
        let taken = self.journey.step(self.journey.position());
        let changes_nothing = taken.is_some_and(|taken| taken.changes.is_empty());
        Ok(changes_nothing && matches!(self.journey.walk().weights()?, Weights::Of(all) if all.len() == 1))
    }

    /// What went wrong with the last step, or is decided by it, as far as the client wants to know.
    fn exception_of(&mut self, end: Option<&End>) -> Option<Exception> {
        if let Some(end) = end {
            let filter = match (end.is_deadlock, end.faults.is_empty()) {
                (true, _) => Some(Filter::Deadlock),
                (false, false) => Some(Filter::Fault),
                (false, true) => None,
            };
            if let Some(filter) = filter.filter(|filter| self.filters.contains(filter)) {
                let details = rendered(&end.faults, self.journey.walk().sources());
                return Some(Exception { filter, what: end.message.clone(), details });
            }
        }
        let taken = self.journey.step(self.journey.position())?;
        if taken.decided.is_empty() || !self.filters.contains(&Filter::Claim) {
            return None;
        }
        let what = taken.decided.join("; ");
        Some(Exception { filter: Filter::Claim, details: taken.decided.join("\n"), what })
    }

    /// Why a step was not taken, as a reason to stop.
    pub fn halt_of(&mut self, stopped: Stopped) -> Halt {
        match stopped {
            Stopped::AtEnd => {
                let end = self.journey.walk().end();
                Halt::Over(end.map_or_else(|| "no step is enabled".to_owned(), |end| end.message))
            }
            Stopped::AtLimit => Halt::AtLimit,
            Stopped::Failed(diagnostic) => Halt::Failed(Box::new(diagnostic)),
            Stopped::Interrupted | Stopped::Unreached => Halt::Limit(Stop::Cancelled),
        }
    }

    /// Stops behind a single step, or several: what went wrong is told, but breakpoints are not.
    pub fn behind_step(&mut self, before: usize) -> Reply {
        let end = self.journey.walk().end();
        let exception = self.exception_of(end.as_ref());
        self.stopped(before, exception.map_or(Halt::Stepped, Halt::Exception))
    }

    /// Why a step is not taken.
    pub fn no_step(&mut self, stopped: Stopped) -> Failure {
        match self.halt_of(stopped) {
            Halt::Failed(diagnostic) => Failure::of(&[*diagnostic], self.journey.walk().sources()),
            Halt::AtLimit => {
                let limit = counted(self.journey.limit() as u64, "step");
                Failure::new(format!(
                    "the walk has {limit}, and may have no more: `steps` of the launch sets how many"
                ))
            }
            Halt::Over(why) => Failure::new(format!("no step leads on: {why}")),
            _ => Failure::new("the walk was interrupted"),
        }
    }

    /// Says where the walk has stopped, and why. `before` is where it was.
    pub fn stopped(&mut self, before: usize, halt: Halt) -> Reply {
        let position = self.journey.position();
        let mut reply = Reply { steps: self.told_steps(before), ..Reply::default() };
        self.exception = None;
        let mut hit = Vec::new();
        let (reason, description) = match halt {
            Halt::Entry => ("entry", "the initial state".to_owned()),
            Halt::Stepped => ("step", format!("step {position}")),
            Halt::Lines(ids) => {
                hit = ids;
                ("breakpoint", "a breakpoint".to_owned())
            }
            Halt::Goals(goals) => {
                hit = goals.iter().map(|(id, _)| *id).collect();
                let texts: Vec<String> = goals.into_iter().map(|(_, text)| text).collect();
                ("function breakpoint", texts.join("; "))
            }
            Halt::Exception(exception) => {
                let what = exception.what.clone();
                // What is decided is said below the step.
                if exception.filter != Filter::Claim {
                    reply.troubles.clone_from(&exception.details);
                }
                self.exception = Some(exception);
                ("exception", what)
            }
            Halt::Over(why) => ("pause", format!("the walk ends here: {why}")),
            Halt::KnownEnd => ("pause", "the end of the steps that are known".to_owned()),
            Halt::Stuck => ("pause", "all steps lead back to this state".to_owned()),
            Halt::AtLimit => {
                ("pause", format!("the walk has {} and may have no more", counted(position as u64, "step")))
            }
            Halt::Limit(Stop::Cancelled) => ("pause", "the walk was interrupted".to_owned()),
            Halt::Limit(stop) => ("pause", format!("the {stop} is reached")),
            Halt::Failed(diagnostic) => {
                let details = self.told(&diagnostic);
                reply.troubles.clone_from(&details);
                let what = format!("the next step fails: {}", diagnostic.message);
                self.exception = Some(Exception { filter: Filter::Fault, what: what.clone(), details });
                ("exception", what)
            }
        };
        let mut stopped = json!({
            "reason": reason,
            "description": description,
            "threadId": self.focus(),
            "allThreadsStopped": true,
        });
        if reason == "exception" {
            stopped["text"] = stopped["description"].clone();
        }
        if !hit.is_empty() {
            stopped["hitBreakpointIds"] = json!(hit);
        }
        reply.stopped = Some(stopped);
        reply
    }

    /// The steps behind a position as `volvelle step` shows them.
    fn told_steps(&self, before: usize) -> String {
        let position = self.journey.position();
        match position < before {
            true => format!("  back to step {position}\n"),
            false if position == before => String::new(),
            false => self.view.steps(before + 1..=position, |number| self.journey.step(number)),
        }
    }

    /// The thread that is looked at: the one that moves next, where that is known, or else the one that moved last.
    fn focus(&mut self) -> i64 {
        let position = self.journey.position();
        let next = self.journey.step(position + 1).map(|taken| movers(&taken.what));
        let last = self.journey.step(position).map(|taken| movers(&taken.what));
        let names: Vec<String> = next.into_iter().chain(last).flatten().collect();
        let parties = self.parties();
        let named = names.iter().find_map(|name| parties.iter().find(|party| party.name == *name));
        named.or(parties.first()).map_or(1, thread_of)
    }

    /// Why the walk stopped.
    pub fn exception_info(&mut self) -> Result<Value, Failure> {
        let exception = self.exception.as_ref();
        let exception = exception.ok_or_else(|| Failure::new("the walk did not stop for an exception"))?;
        Ok(json!({
            "exceptionId": exception.filter.name(),
            "description": exception.what,
            "breakMode": "always",
            "details": { "message": exception.details },
        }))
    }
}
