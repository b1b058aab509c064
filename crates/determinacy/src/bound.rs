//! A bound on the cost, for paths that need not end.
//!
//! Some runs never end, or are too long to follow, while their cost grows. To show that such a run is not the
//! best, it suffices to follow it while its cost is within a bound. A step that would exceed the bound is
//! *held back*: its process does not move any more, as if the step were impossible; all other processes
//! continue as far as they can. When only held steps are left, the path ends
//! ([`End::Bounded`](crate::path::End)).
//!
//! [`crate::order`] argues what a certificate of such a path proves.

use crate::affine::Stop;
use crate::machine::Notes;
use crate::path::{Held, Path};
use crate::trace::Event;
use crate::value::Value;

impl Path<'_, '_> {
    /// Whether the cost exceeds the bound in all iterations.
    pub(crate) fn exceeds_bound(&mut self) -> Result<bool, Stop> {
        let Some(bound) = self.bound else { return Ok(false) };
        let cost = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        Ok(self.machine.nest.is_less(&Value::constant(bound), &cost)?)
    }

    /// Undoes the step just taken, and holds it back from now on. `owner` is the process that had exclusive
    /// control before.
    pub(crate) fn hold(&mut self, held: Held, event: &Event, owner: Option<u32>) -> Result<(), Stop> {
        // Holding a handshake would stop two processes; no model has needed that.
        if held.step.partner.is_some() || !self.undo(event, owner) {
            return Err(Stop::Undecided);
        }
        // Inside an atomic sequence, no other process could move in a real run. The path lets them move
        // anyway; this is safe, since certificates never rely on atomicity.
        if owner == Some(held.step.slot) {
            self.machine.owner = None;
        }
        self.held.push(held);
        Ok(())
    }

    /// Restores the state before a step. `false` if that is impossible because the step created a process.
    fn undo(&mut self, event: &Event, owner: Option<u32>) -> bool {
        let memory = &mut self.machine.memory;
        for &(cell, before, _) in event.changes.iter().rev() {
            memory.cells[cell as usize] = before;
        }
        self.machine.owner = owner;
        event.created.is_empty()
    }

    /// The held steps as events in the last state. Fails unless each process still has the same moves there,
    /// and each step still exceeds the bound. The `goal` of each event lists the cells that its cost reads.
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

    /// How many more times the iteration just taken fits within the bound.
    pub(crate) fn iterations_within_bound(&mut self) -> Result<i64, Stop> {
        let Some(bound) = self.bound else { return Ok(i64::MAX) };
        let cost = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        let (base, gain) = (cost.base, cost.slopes[0]);
        // This relies on the cost never decreasing.
        Ok(match bound.checked_sub(base).ok_or(Stop::Undecided)? {
            ..0 => 0,
            _ if gain <= 0 => i64::MAX,
            room => room / gain + 1,
        })
    }
}
