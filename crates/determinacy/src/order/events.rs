//! One event: what must have happened before it, and whether each access is in that past or commutes.

use super::Known;
use super::Order;
use super::queues::Use;
use crate::clock::{self, Clock, Point};
use crate::contested::Blame;
use crate::history::{Entry, History};
use crate::refusal::Refusal;
use crate::trace::{Event, Side};
use crate::waiting::{Open, Waiting};

impl Order<'_, '_> {
    pub(super) fn event(&mut self, part: usize, event: &Event) -> Result<(), Refusal> {
        self.origin = self.origin_of(&event.sides[0]);
        let arrivals: Vec<Clock> =
            event.sides.iter().map(|side| self.known.clocks[side.slot as usize].clone()).collect();
        let points: Vec<Point> = event.sides.iter().map(|side| self.known.next(side.slot)).collect();
        let mut clocks = arrivals.clone();
        for (side, clock) in event.sides.iter().zip(&mut clocks) {
            self.wait(side, clock, event.channel.is_some())?;
        }
        let used = if event.channel.is_none() { self.use_of(&event.sides[0]) } else { None };
        if let Some(used) = used {
            self.enter(event, used, &mut clocks[0])?;
        }
        if event.is_timeout {
            self.timeout(&mut clocks[0]);
        }
        let is_branch = self.is_branch && part == 0;
        for (side, (&point, arrival)) in event.sides.iter().zip(points.iter().zip(&arrivals)) {
            if !is_branch {
                self.unused(side, point, arrival)?;
            }
        }
        if is_branch {
            self.known.choose(&points, &mut clocks);
        } else if let (Some(channel), &[giver, taker]) = (event.channel, points.as_slice()) {
            let arrivals = [arrivals[0].clone(), arrivals[1].clone()];
            self.meet(part, channel, [giver, taker], arrivals, &mut clocks)?;
        } else {
            clock::add(&mut clocks[0], points[0]);
            self.known.complete(&mut clocks[0], &self.windows);
        }
        let actor = event.sides.len() - 1;
        if let Some(used) = used {
            self.leave(used, &clocks[0]);
        }
        self.effect(event, used, points[actor], &clocks[actor])?;
        for ((side, &point), clock) in event.sides.iter().zip(&points).zip(&clocks) {
            for &(cell, _) in &side.guards {
                if self.is_shared(cell) && !self.is_queued(cell, used)? {
                    self.check_read(cell, clock)?;
                    self.history(cell).read(point);
                }
            }
            self.known.clocks[side.slot as usize] = clock.clone();
            self.known.ended[side.slot as usize] = event.ended.contains(&side.slot);
        }
        if let (Some(_), &[giver, taker]) = (event.channel, points.as_slice())
            && !is_branch
            && let Some(class) = self.classes.of_part[part]
        {
            let window = self.known.meetings[class as usize].window;
            self.known.met(class, window, [giver.process, taker.process]);
        }
        for &(process, location) in &event.targets {
            self.known.at[process as usize] = Some(location);
        }
        for &created in &event.created {
            self.known.clocks[created as usize] = clocks[actor].clone();
        }
        if self.is_barrier && part == 0 {
            self.known.clocks.iter_mut().for_each(|clock| clock::add(clock, points[actor]));
        }
        Ok(())
    }

    fn history(&mut self, cell: u32) -> &mut History {
        let processes = self.known.clocks.len();
        self.known.cells.entry(cell).or_insert_with(|| History::new(processes))
    }

    /// Adds the past that the guards of a process imply: the writes without which it would still wait.
    pub(super) fn wait(&mut self, side: &Side, clock: &mut Clock, is_meeting: bool) -> Result<(), Refusal> {
        let used = self.use_of(side);
        self.waits_at_queue(side, used)?;
        let mut open: Vec<Open<'_>> = Vec::new();
        for &(cell, value) in side.guards.iter().filter(|(cell, _)| self.is_shared(*cell)) {
            if self.is_contested(cell) || self.is_queued(cell, used)? {
                continue;
            }
            let Some(history) = self.known.cells.get(&cell) else { continue };
            if !clock::includes(clock, &history.floor) {
                return Err(self.race(cell));
            }
            let unknown = |write: &&Entry| !clock::contains(clock, write.point);
            let Some(first) = history.writes.iter().position(|write| unknown(&write)) else { continue };
            let writes: Vec<&Entry> = history.writes.iter().filter(unknown).collect();
            // `until_all` replaces a suffix of the writes. A known write among them is allowed only if all
            // are additions.
            if writes.len() < history.writes.len() - first
                && !history.writes[first..].iter().all(|w| w.is_addition)
            {
                return Err(self.race(cell));
            }
            // Without one of these writes, the offer might have been at another channel.
            if self.compiled.locations[side.location as usize]
                .at_reads
                .contains(&self.last.fields[cell as usize])
            {
                return Err(self.race(cell));
            }
            open.push(Open { cell, value, writes });
        }
        if open.is_empty() {
            return Ok(());
        }
        let (compiled, last) = (self.compiled, self.last);
        let waiting =
            Waiting { compiled, last, slot: side.slot, location: side.location, reads: &side.guards };
        if is_meeting || !waiting.until_all(&open, &mut self.nest) {
            open.iter().for_each(|open| self.blame(Blame::Cell(open.cell)));
            return Err(Refusal::Waiting { origin: self.origin_of(side) });
        }
        let mut past = clock.clone();
        for write in open.iter().flat_map(|open| &open.writes) {
            clock::join(&mut past, &write.clock);
        }
        *clock = past;
        Ok(())
    }

    /// Records the accesses of an event. All conflicting accesses must be in its past, or commute with it.
    fn effect(
        &mut self,
        event: &Event,
        used: Option<Use>,
        point: Point,
        clock: &Clock,
    ) -> Result<(), Refusal> {
        for &cell in &event.reads {
            if self.is_queued(cell, used)? {
                continue;
            }
            self.check_read(cell, clock)?;
            self.history(cell).read(point);
        }
        for write in &event.writes {
            if self.is_queued(write.cell, used)? {
                // A cell of a queue has no order, so the goal could hold for a moment under another schedule.
                if self.goal_fields.contains(&self.last.fields[write.cell as usize]) {
                    return Err(self.race(write.cell));
                }
                continue;
            }
            let history = self.history(write.cell);
            let knows = |other: &Point| clock::contains(clock, *other);
            let is_free = history.reads.iter().all(knows)
                && clock::includes(clock, &history.floor)
                && history.writes.iter().all(|w| w.is_addition && write.is_addition || knows(&w.point));
            if !is_free {
                return Err(self.race(write.cell));
            }
            let entry = Entry {
                point,
                clock: clock.clone(),
                is_addition: write.is_addition,
                before: write.before,
                after: write.after,
            };
            let processes = self.known.clocks.len();
            let field = self.last.fields[write.cell as usize];
            let (locations, forgets) = (&self.compiled.locations, self.forgets);
            let Known { cells, clocks, ended, at, .. } = &mut self.known;
            let waits =
                |process: usize| at[process].is_some_and(|at| locations[at as usize].reads.contains(&field));
            let may_use = |process: usize| {
                !ended[process]
                    && (!forgets || waits(process))
                    && at[process].is_none_or(|at| locations[at as usize].uses[field.index()])
            };
            let history = cells.entry(write.cell).or_insert_with(|| History::new(processes));
            history.write(entry, clocks, waits, may_use);
            if self.goal_fields.contains(&self.last.fields[write.cell as usize]) {
                let is_ordered = self.known.goal.iter().all(|&last| clock::contains(clock, last));
                if !is_ordered {
                    self.known.goal_is_unordered = true;
                    self.blame(Blame::Cell(write.cell));
                }
                self.known.goal = vec![point];
            }
        }
        if let Some([goal, cost]) = &event.goal {
            if self.known.goal_is_unordered {
                return Err(Refusal::Waiting { origin: self.origin });
            }
            self.known.reached = self.known.reached.or(Some(point));
            for &(cell, _) in goal.iter().chain(cost) {
                if self.is_shared(cell) && !self.is_queued(cell, None)? {
                    self.check_read(cell, clock)?;
                    self.history(cell).read(point);
                }
            }
        }
        Ok(())
    }

    /// A read needs all writes of its cell in its past.
    fn check_read(&mut self, cell: u32, clock: &Clock) -> Result<(), Refusal> {
        let Some(history) = self.known.cells.get(&cell) else { return Ok(()) };
        let is_past = clock::includes(clock, &history.floor)
            && history.writes.iter().all(|write| clock::contains(clock, write.point));
        if is_past { Ok(()) } else { Err(self.race(cell)) }
    }
}
