//! Queues: channels with a buffer, one sender and one receiver.
//!
//! The k-th message received is the k-th sent, whatever the schedule. With room for `n` messages, the k-th
//! send comes after the (k-n)-th receive. So a send has that receive in its past, and a receive has its send.
//! The cells of the queue need no order of their own: a process only sees its message, or that it has to
//! wait.
//!
//! This requires that no other process uses the queue, and that its two processes use it in no other way: at
//! a location where they send to it or receive from it, they do nothing else. Any other access is a race.

use super::known::{Queue, Slot};
use super::{Known, Order};
use crate::clock::{self, Clock};
use crate::contested::slot_of;
use crate::memory::Home;
use crate::refusal::Refusal;
use crate::trace::{Event, Side};
use volvelle_model::{PoolId, Which};

/// A send or a receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub slot: Slot,
    pub puts: bool,
}

impl Order<'_, '_> {
    /// The queue that a process uses at its location, if all it does there is to send or receive.
    pub(super) fn use_of(&self, side: &Side) -> Option<Use> {
        let used = self.compiled.locations[side.location as usize].queue?;
        let number = match used.which {
            Which::Constant(number) => number,
            Which::Own(field, less) => {
                let Home::Record(PoolId(0), offset) = self.compiled.layout.home(field) else { return None };
                let cell = self.last.bases[0][side.slot as usize] + offset;
                self.last.cells[cell as usize].as_constant()? - less
            }
            _ => return None,
        };
        let slot = (used.pool, number);
        let is_contested = self.contested.is_some_and(|contested| contested.has_slot(slot));
        (!is_contested).then_some(Use { slot, puts: used.puts })
    }

    /// Whether a cell belongs to the queue that is used here. A cell of another tracked queue is a race.
    pub(super) fn is_queued(&self, cell: u32, here: Option<Use>) -> Result<bool, Refusal> {
        let Some(slot) = slot_of(self.compiled, self.last, cell) else { return Ok(false) };
        if here.is_some_and(|used| used.slot == slot) {
            return Ok(true);
        }
        if self.known.queues.contains_key(&slot) {
            return Err(self.race(cell));
        }
        Ok(false)
    }

    /// Before a send or a receive: adds the past of the place or message that it takes.
    pub(super) fn enter(&mut self, event: &Event, used: Use, clock: &mut Clock) -> Result<(), Refusal> {
        let queues = &self.compiled.program.network.queues;
        let is_own = |cell: u32| slot_of(self.compiled, self.last, cell) == Some(used.slot);
        let capacity = |cell: u32| {
            let field = self.last.fields[cell as usize];
            queues.iter().find(|queue| queue.length == field).map(|queue| queue.capacity)
        };
        let mut lengths = event.changes.iter().filter_map(|&(cell, before, after)| {
            let gain = after.minus(before).ok()?.as_constant()?;
            is_own(cell).then_some(())?;
            Some((cell, before.as_constant()?, gain, capacity(cell)?))
        });
        let Some((cell, length, gain, capacity)) = lengths.next() else {
            return Err(self.any_race(event, used));
        };
        let follows = event.steps.iter().skip(1);
        let is_other = lengths.next().is_some()
            || gain != if used.puts { 1 } else { -1 }
            || follows.clone().any(|&step| self.compiled.uses_slots[step as usize]);
        let cells = event.sides[0].guards.iter().map(|&(cell, _)| cell);
        let cells = cells.chain(event.reads.iter().copied()).chain(event.writes.iter().map(|w| w.cell));
        let is_plain = |cell: u32| is_own(cell) && self.known.cells.contains_key(&cell);
        if is_other || cells.clone().any(is_plain) {
            return Err(self.race(cell));
        }
        let process = event.sides[0].slot;
        let nothing = clock::nothing(clock.len());
        let queue = self.known.queues.entry(used.slot).or_insert_with(|| Queue {
            messages: vec![nothing.clone(); length as usize].into(),
            room: vec![nothing; (capacity - length) as usize].into(),
            ..Queue::default()
        });
        let (user, tokens) = match used.puts {
            true => (&mut queue.sender, &mut queue.room),
            false => (&mut queue.receiver, &mut queue.messages),
        };
        let token = match *user.get_or_insert(process) == process {
            true => tokens.pop_front(),
            false => None,
        };
        match token {
            Some(token) => {
                clock::join(clock, &token);
                Ok(())
            }
            None => Err(self.race(cell)),
        }
    }

    /// After a send or a receive: leaves a message or a free place.
    pub(super) fn leave(&mut self, used: Use, clock: &Clock) {
        if let Some(queue) = self.known.queues.get_mut(&used.slot) {
            let tokens = if used.puts { &mut queue.messages } else { &mut queue.room };
            tokens.push_back(clock.clone());
        }
    }

    /// A process that waits or has waited at a queue claims its side: no other process may use that side.
    pub(super) fn waits_at_queue(&mut self, side: &Side, used: Option<Use>) -> Result<(), Refusal> {
        let Some(used) = used else { return Ok(()) };
        let mut cells = side.guards.iter().map(|&(cell, _)| cell);
        let Some(cell) = cells.find(|&cell| slot_of(self.compiled, self.last, cell) == Some(used.slot))
        else {
            return Ok(());
        };
        if self.known.cells.contains_key(&cell) {
            return Err(self.race(cell));
        }
        let Some(queue) = self.known.queues.get_mut(&used.slot) else { return Ok(()) };
        let user = if used.puts { &mut queue.sender } else { &mut queue.receiver };
        match *user.get_or_insert(side.slot) == side.slot {
            true => Ok(()),
            false => Err(self.race(cell)),
        }
    }

    fn any_race(&self, event: &Event, used: Use) -> Refusal {
        let is_own = |cell: &u32| slot_of(self.compiled, self.last, *cell) == Some(used.slot);
        match event.sides[0].guards.iter().map(|(cell, _)| *cell).find(is_own) {
            Some(cell) => self.race(cell),
            None => Refusal::Waiting { origin: self.origin },
        }
    }
}

impl Queue {
    pub(super) fn each_clock(&mut self, f: impl FnMut(&mut Clock)) {
        self.messages.iter_mut().chain(&mut self.room).for_each(f);
    }
}

impl Known {
    /// Weakens the knowledge about queues to what also holds on another path. Returns whether that changed
    /// it.
    pub(super) fn rejoin_queues(&mut self, other: &Known) -> bool {
        let mut changed = false;
        let nobody = Queue::default();
        let slots: Vec<Slot> = self.queues.keys().chain(other.queues.keys()).copied().collect();
        for slot in slots {
            let theirs = other.queues.get(&slot).unwrap_or(&nobody);
            let is_new = !self.queues.contains_key(&slot);
            let own = self.queues.entry(slot).or_insert_with(|| theirs.clone());
            changed |= is_new;
            for (own, theirs) in [(&mut own.sender, theirs.sender), (&mut own.receiver, theirs.receiver)] {
                if let Some(theirs) = theirs
                    && *own.get_or_insert(theirs) != theirs
                    && *own != Some(u32::MAX)
                {
                    // `u32::MAX` stands for several users: from now on every use is a race.
                    *own = Some(u32::MAX);
                    changed = true;
                }
            }
            // If one path never used the queue, nothing is known of its contents.
            let is_unused = is_new || theirs == &nobody;
            let nothing = |clock: &Clock| clock::nothing(clock.len());
            let lists = [(&mut own.messages, &theirs.messages), (&mut own.room, &theirs.room)];
            for (own, theirs) in lists {
                for (n, clock) in own.iter_mut().enumerate() {
                    let theirs = if is_unused { Some(nothing(clock)) } else { theirs.get(n).cloned() };
                    changed |= clock::meet(clock, &theirs.unwrap_or_else(|| nothing(clock)));
                }
            }
        }
        changed
    }
}
