//! Steps and runs.

use super::frames::movers;
use super::halt::Halt;
use super::setup::arguments;
use super::{Debuggee, Reply, thread_of};
use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::Value;
use volvelle_stepping::Stopped;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepInField {
    target_id: Option<i64>,
}

impl Debuggee<'_> {
    /// Takes the next step: the one that is known, or a random one.
    fn advance(&mut self) -> Result<(), Stopped> {
        let position = self.journey.position();
        match position < self.journey.known() {
            true => self.journey.jump(position + 1),
            false => self.journey.take_random(),
        }
    }

    /// Goes on until there is a reason to stop.
    pub fn run_forward(&mut self) -> Reply {
        let before = self.journey.position();
        let halt = self.run(|_| false);
        self.stopped(before, halt)
    }

    /// The same, or until a process or module has moved.
    pub fn run_until_moved(&mut self, thread: i64) -> Reply {
        let before = self.journey.position();
        let party = self.parties().into_iter().find(|party| thread_of(party) == thread);
        let name = party.map(|party| party.name).unwrap_or_default();
        let halt = self.run(|debuggee| {
            let taken = debuggee.journey.step(debuggee.journey.position());
            taken.is_some_and(|taken| movers(&taken.what).contains(&name) || taken.what.actor.is_empty())
        });
        self.stopped(before, halt)
    }

    fn run(&mut self, mut is_enough: impl FnMut(&mut Self) -> bool) -> Halt {
        if let Err(diagnostic) = self.look_at_conditions() {
            return Halt::Failed(Box::new(diagnostic));
        }
        loop {
            if let Err(stop) = self.control.check() {
                return Halt::Limit(stop);
            }
            let is_known = self.journey.position() < self.journey.known();
            let names = self.names();
            if let Err(stopped) = self.advance() {
                return self.halt_of(stopped);
            }
            match self.halt(is_known, &names) {
                Ok(None) if is_enough(self) => return Halt::Stepped,
                Ok(None) => {}
                Ok(Some(halt)) => return halt,
                Err(diagnostic) => return Halt::Failed(Box::new(diagnostic)),
            }
        }
    }

    /// Goes back to the last state at which a run forward would stop, or else to the initial state.
    pub fn run_backward(&mut self) -> Reply {
        let before = self.journey.position();
        if before == 0 {
            return self.stopped(0, Halt::Entry);
        }
        let halt = match self.last_halt(before) {
            Ok(Some((position, halt))) => self.journey.jump(position).map(|()| halt),
            Ok(None) => self.journey.jump(0).map(|()| Halt::Entry),
            Err(halt) => self.journey.jump(before).map(|()| halt),
        };
        let halt = halt.unwrap_or_else(|stopped| self.halt_of(stopped));
        self.stopped(before, halt)
    }

    /// The last position before one at which a run forward would stop, found by going there from the beginning.
    fn last_halt(&mut self, end: usize) -> Result<Option<(usize, Halt)>, Halt> {
        let failed = |diagnostic| Halt::Failed(Box::new(diagnostic));
        self.journey.jump(0).map_err(|stopped| self.halt_of(stopped))?;
        self.look_at_conditions().map_err(failed)?;
        let mut last = None;
        for position in 1..end {
            if let Err(stop) = self.control.check() {
                return Err(Halt::Limit(stop));
            }
            let names = self.names();
            self.journey.jump(position).map_err(|stopped| self.halt_of(stopped))?;
            if let Some(halt @ (Halt::Lines(_) | Halt::Goals(_) | Halt::Exception(_))) =
                self.halt(false, &names).map_err(failed)?
            {
                last = Some((position, halt));
            }
        }
        Ok(last)
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<Reply, Failure> {
        let before = self.journey.position();
        self.advance().map_err(|stopped| self.no_step(stopped))?;
        Ok(self.behind_step(before))
    }

    /// Takes the step that was chosen, or the next one of the thread.
    pub fn step_in(&mut self, given: &Value) -> Result<Reply, Failure> {
        let StepInField { target_id } = arguments("stepIn", given)?;
        let thread = self.thread(given)?;
        let choice = match target_id {
            Some(target) => usize::try_from(target.saturating_sub(1)).ok(),
            None if !self.waits || self.journey.position() < self.journey.known() => return self.step(),
            None => self.choice_of(thread)?,
        };
        let count = self.enabled()?.len();
        let choice = choice.filter(|&choice| choice < count).ok_or_else(|| {
            let possible = if count == 0 { "none".to_owned() } else { format!("1 to {count}") };
            Failure::new(format!("there is no step {}: {possible}", target_id.unwrap_or_default()))
        })?;
        self.choose(choice)
    }

    /// Takes a step by its number from 0.
    pub fn choose(&mut self, choice: usize) -> Result<Reply, Failure> {
        let before = self.journey.position();
        self.journey.take(choice).map_err(|stopped| self.no_step(stopped))?;
        self.weighed = None;
        Ok(self.behind_step(before))
    }

    /// The first step that moves a process.
    fn choice_of(&mut self, thread: i64) -> Result<Option<usize>, Failure> {
        let party = self.parties().into_iter().find(|party| thread_of(party) == thread);
        let name = party.map(|party| party.name).unwrap_or_default();
        let enabled = self.enabled()?;
        let choice = enabled.iter().position(|step| movers(&step.what).contains(&name));
        choice
            .map(Some)
            .ok_or_else(|| Failure::new(format!("{name} cannot move here: `next` takes a step of another")))
    }

    /// Goes back one step.
    pub fn step_back(&mut self) -> Result<Reply, Failure> {
        let before = self.journey.position();
        let Some(position) = before.checked_sub(1) else {
            return Err(Failure::new("this is the beginning: there is no step to take back"));
        };
        self.go_to(position)
    }

    /// Goes to the state behind so many steps.
    pub fn go_to(&mut self, position: usize) -> Result<Reply, Failure> {
        let before = self.journey.position();
        self.journey.jump(position).map_err(|stopped| self.no_step(stopped))?;
        Ok(self.stopped(before, if position == 0 { Halt::Entry } else { Halt::Stepped }))
    }
}
