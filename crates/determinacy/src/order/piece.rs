//! One piece of a path: knowledge at its beginning in, knowledge at its end out ([`crate::branches`]).

use super::{AtEnd, Known, Order};
use crate::clock::{self, Clock, Point};
use crate::contested::{Blame, Contested};
use crate::memory::Memory;
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::{Event, Side};
use crate::windows::Part;
use volvelle_model::FieldId;

/// A refusal, with the resources that it blames.
#[derive(Debug)]
pub struct Refused {
    pub refusal: Refusal,
    pub blames: Vec<Blame>,
}

/// The common part of all pieces of a path.
pub struct Piece<'a, 'p> {
    pub compiled: &'a Compiled<'p>,
    pub goal_fields: &'a [FieldId],
    pub contested: &'a Contested,
    /// The memory at the end of the piece.
    pub last: &'a Memory,
}

impl<'a, 'p> Piece<'a, 'p> {
    fn order(&self, events: &'a [Event], start: Known) -> Order<'a, 'p> {
        let parts = events.iter().map(Part::Event).collect();
        let mut order = Order::new(self.compiled, self.last, self.goal_fields, parts, start);
        order.contested = Some(self.contested);
        order
    }

    /// Examines some events. The first one may be contested (`is_branch`), or happen where nothing else can
    /// (`is_barrier`). `locations` are those of the processes before it.
    pub fn follow(
        &self,
        start: &Known,
        locations: &[u32],
        events: &'a [Event],
        (is_branch, is_barrier): (bool, bool),
    ) -> Result<Known, Refused> {
        let mut start = start.clone();
        start.place(locations, self.compiled);
        start.grow(self.last.bases[0].len());
        let mut order = self.order(events, start);
        (order.is_branch, order.is_barrier) = (is_branch, is_barrier);
        let result = order.rounds(&AtEnd::default());
        let mut blames = order.blames.take();
        match result {
            Ok(()) => {
                let mut known = order.known;
                known.close(&order.parts);
                known.normalise();
                Ok(known)
            }
            Err(refusal) => {
                blames.dedup();
                Err(Refused { refusal, blames })
            }
        }
    }

    /// Checks a state in which only contested steps are possible. Whether a contested process can take one
    /// must not depend on the schedule so far. All other processes must wait there under every schedule.
    pub fn at_rest(&self, known: &Known, contested: &[Side], resting: &[Side]) -> Result<(), Refused> {
        let mut order = self.order(&[], known.clone());
        let mut result = contested.iter().try_for_each(|side| order.may_choose(side));
        if result.is_ok() {
            result = order.rest(resting);
        }
        result.map_err(|refusal| Refused { refusal, blames: order.blames.take() })
    }
}

impl Known {
    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.clocks.len()
    }

    /// Records the locations of the processes.
    fn place(&mut self, locations: &[u32], compiled: &Compiled<'_>) {
        self.at = locations.iter().map(|&at| Some(at)).collect();
        self.ended = locations.iter().map(|&at| compiled.locations[at as usize].is_last).collect();
    }

    /// Makes room for more processes.
    fn grow(&mut self, processes: usize) {
        let grow = |clock: &mut Clock| {
            if clock.len() < processes {
                let mut longer = clock.to_vec();
                longer.resize(processes, 0);
                *clock = longer.into();
            }
        };
        self.clocks.resize(processes, clock::nothing(processes));
        self.clocks.iter_mut().for_each(grow);
        grow(&mut self.chain);
        self.queues.values_mut().for_each(|queue| queue.each_clock(grow));
        for history in self.cells.values_mut() {
            grow(&mut history.floor);
            history.writes.iter_mut().for_each(|write| grow(&mut write.clock));
        }
        self.ended.resize(processes, false);
        self.at.resize(processes, None);
        self.last_handshakes = vec![None; processes];
    }

    /// A contested step comes after the previous contested step.
    pub(super) fn choose(&mut self, points: &[Point], clocks: &mut [Clock]) {
        let mut all = self.chain.clone();
        clocks.iter().for_each(|clock| {
            clock::join(&mut all, clock);
        });
        points.iter().for_each(|&point| clock::add(&mut all, point));
        clocks.fill(all.clone());
        self.chain = all;
    }

    /// Whether an earlier piece has a handshake at a channel that a process does not know of.
    pub(super) fn has_met(&self, channel: i64, process: u32, arrival: &Clock) -> bool {
        self.past
            .get(&channel)
            .into_iter()
            .flatten()
            .flatten()
            .any(|&point| point.process != process && !clock::contains(arrival, point))
    }

    /// Ends the piece: its handshakes become those of an earlier one.
    fn close(&mut self, parts: &[Part<'_>]) {
        for meeting in std::mem::take(&mut self.meetings).into_iter().flat_map(|meetings| meetings.list) {
            if let Part::Event(Event { channel: Some(channel), .. }) = parts[meeting.part] {
                self.past.entry(*channel).or_default().push(meeting.sides);
            }
        }
    }
}

impl Order<'_, '_> {
    /// The possible steps of a contested process must not depend on the schedule.
    fn may_choose(&mut self, side: &Side) -> Result<(), Refusal> {
        let location = &self.compiled.locations[side.location as usize];
        self.origin = self.origin_of(side);
        let mut clock = self.known.clocks[side.slot as usize].clone();
        self.wait(side, &mut clock, location.has_offers)?;
        if location.offer_reads.is_empty() {
            return Ok(());
        }
        // The machine evaluates guards of receives only where there is a message, so `side.guards` may lack
        // their reads.
        let clock = &self.known.clocks[side.slot as usize];
        let unknown = self.known.cells.iter().find(|&(&cell, history)| {
            location.offer_reads.contains(&self.last.fields[cell as usize])
                && !self.is_contested(cell)
                && !(clock::includes(clock, &history.floor)
                    && history.writes.iter().all(|write| clock::contains(clock, write.point)))
        });
        match unknown {
            Some((&cell, _)) => Err(self.race(cell)),
            None => Ok(()),
        }
    }
}
