//! A bound of the cost: paths that need not end.
//!
//! Some runs go on for ever, or for longer than one can follow, while their cost grows. To know that they are not the best ones it is
//! enough to follow them as far as their cost stays within a bound. A step with which it would exceed the bound is *held back*: its
//! process does not move any more, as if the step were impossible, while all others go on as far as they can without it.
//! When nothing else is possible, the path has come to its end ([`End::Bounded`](crate::path::End)).
//!
//! What follows from its certificate is argued in [`crate::order`].

use crate::evaluate::Stop;
use crate::machine::Notes;
use crate::path::{Held, Path};
use crate::trace::Event;
use crate::value::Value;

impl Path<'_, '_> {
    /// Whether the cost exceeds the bound, in all iterations.
    pub(crate) fn exceeds_bound(&mut self) -> Result<bool, Stop> {
        let Some(bound) = self.bound else { return Ok(false) };
        let cost = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        Ok(self.machine.nest.is_less(&Value::constant(bound), &cost)?)
    }

    /// Takes a step back that was just taken, and holds it from now on. `owner` went on alone before it.
    pub(crate) fn hold(&mut self, held: Held, event: &Event, owner: Option<u32>) -> Result<(), Stop> {
        // A handshake would hold two processes, and so much is not needed.
        if held.step.partner.is_some() || !self.undo(event, owner) {
            return Err(Stop::Undecided);
        }
        // In an atomic sequence, other processes go on as if they could: certificates make no use of it that they cannot.
        if owner == Some(held.step.slot) {
            self.machine.owner = None;
        }
        self.held.push(held);
        Ok(())
    }

    /// The state before a step. `false` if there is no way back.
    fn undo(&mut self, event: &Event, owner: Option<u32>) -> bool {
        let memory = &mut self.machine.memory;
        for &(cell, before, _) in event.changes.iter().rev() {
            memory.cells[cell as usize] = before;
        }
        self.machine.owner = owner;
        event.created.is_empty()
    }

    /// The steps that are held back as they are in the last state: all that their processes can do there, and the cost exceeds
    /// the bound with them. As the goal of each, what it reads where the cost is told.
    pub(crate) fn beyond(&mut self) -> Result<Vec<Event>, Stop> {
        let mut events = Vec::with_capacity(self.held.len());
        for Held { step, moves, is_timeout } in self.held.clone() {
            let (mut notes, mut now) = (Notes::default(), Vec::new());
            match is_timeout {
                true => self.machine.moves_at_timeout(step.slot, &mut notes, &mut now)?,
                false => self.machine.moves(step.slot, &mut notes, &mut now)?,
            }
            if now != moves {
                return Err(Stop::Undecided);
            }
            let owner = self.machine.owner;
            let mut event = self.machine.perform(step, notes, None)?;
            let exceeds = self.exceeds_bound()?;
            let mut told = Notes::default();
            self.told(&mut told)?;
            event.is_timeout = is_timeout;
            event.goal = Some([Vec::new(), told.reads]);
            if !exceeds || !self.undo(&event, owner) {
                return Err(Stop::Undecided);
            }
            events.push(event);
        }
        Ok(events)
    }

    /// How many times more the iteration that was just taken can be taken within the bound.
    pub(crate) fn iterations_within_bound(&mut self) -> Result<i64, Stop> {
        let Some(bound) = self.bound else { return Ok(i64::MAX) };
        let cost = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        let (base, gain) = (cost.base, cost.slopes[0]);
        // The cost never decreases.
        Ok(match bound.checked_sub(base).ok_or(Stop::Undecided)? {
            ..0 => 0,
            _ if gain <= 0 => i64::MAX,
            room => room / gain + 1,
        })
    }
}
