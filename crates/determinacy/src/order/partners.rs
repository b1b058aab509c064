//! Handshakes: the possible partners under other schedules, and the knowledge of both sides afterwards
//! ([`crate::windows`]).

use super::{Known, Order};
use crate::clock::{self, Clock, Point};
use crate::contested::Blame;
use crate::refusal::Refusal;
use crate::trace::Side;
use crate::waiting::Waiting;
use crate::windows::{Ghost, Meeting, Part, Server, Window};
use rustc_hash::FxHashMap;

impl Known {
    /// Closes a set of events under this rule: if it contains `n` handshakes of a window's clients, it
    /// contains the first `n` handshakes of the server in that window, whoever came first.
    pub(super) fn complete(&self, clock: &mut Clock, windows: &FxHashMap<usize, Window>) {
        loop {
            let mut changed = false;
            for meetings in &self.meetings {
                let mut run = meetings.list.as_slice();
                while let Some(first) = run.first() {
                    let length = run.iter().take_while(|m| m.window == first.window).count();
                    if let Some(&window) = windows.get(&first.part) {
                        changed |= complete_window(&run[..length], window, clock);
                    }
                    run = &run[length..];
                }
            }
            if !changed {
                return;
            }
        }
    }
}

fn complete_window(run: &[Meeting], window: Window, clock: &mut Clock) -> bool {
    let (server, client) = match window.server {
        Server::Gives => (0, 1),
        Server::Takes => (1, 0),
    };
    let Some(last) = run.last() else { return false };
    if clock::contains(clock, last.sides[server]) {
        return false;
    }
    let met = run.iter().filter(|m| clock::contains(clock, m.sides[client])).count();
    met > 0 && clock::join(clock, &run[met - 1].server_clock)
}

impl Order<'_, '_> {
    /// Offers that a process leaves unused: no other process may be able to accept them.
    pub(super) fn unused(&mut self, side: &Side, point: Point, arrival: &Clock) -> Result<(), Refusal> {
        for unused in &side.unused {
            let other = usize::from(unused.gives);
            let classes = self.classes.at_channel.get(&unused.channel);
            let meets = classes.into_iter().flatten().any(|&class| {
                let meetings = &self.known.meetings[class as usize];
                meetings.list.iter().any(|meeting| {
                    let partner = meeting.sides[other];
                    partner.process != point.process && !clock::contains(arrival, partner)
                })
            });
            let has_met = self.known.has_met(unused.channel, point.process, arrival);
            let ghosts = self.known.ghosts.entry(unused.channel).or_default();
            let faces = ghosts.iter().any(|ghost| {
                ghost.gives != unused.gives
                    && ghost.point.process != point.process
                    && !clock::contains(arrival, ghost.point)
            });
            if meets || faces || has_met {
                self.blame(Blame::Channel(unused.channel));
                return Err(Refusal::Partner { origin: self.origin_of(side) });
            }
            // A process that does not know of the earlier offer does not know of this one either, so this one
            // suffices.
            ghosts.retain(|ghost| (ghost.gives, ghost.point.process) != (unused.gives, point.process));
            ghosts.push(Ghost { gives: unused.gives, point });
        }
        Ok(())
    }

    /// A handshake of two processes.
    pub(super) fn meet(
        &mut self,
        part: usize,
        at: i64,
        sides: [Point; 2],
        arrivals: [Clock; 2],
        clocks: &mut [Clock],
    ) -> Result<(), Refusal> {
        let window = self.windows.get(&part).copied();
        let origin = self.origin;
        let Some(class) = self.classes.of_part[part].map(|class| class as usize) else { return Ok(()) };
        // Unused offers of other processes.
        let is_faced = self.known.ghosts.get(&at).into_iter().flatten().any(|ghost| {
            let (own, arrival) = if ghost.gives { (1, &arrivals[1]) } else { (0, &arrivals[0]) };
            ghost.point.process != sides[own].process && !clock::contains(arrival, ghost.point)
        });
        let has_met = [0, 1].iter().any(|&side| self.known.has_met(at, sides[side].process, &arrivals[side]));
        if is_faced || has_met {
            self.blame(Blame::Channel(at));
            return Err(Refusal::Partner { origin });
        }
        let meetings = &mut self.known.meetings[class];
        if window.is_none_or(|window| window.first == part) {
            meetings.window = meetings.window.wrapping_add(1);
            // Keep only the previous window and the present one.
            if let Some(previous) = meetings.list.last().map(|meeting| meeting.window) {
                let before = meetings.list.len();
                meetings.list.retain(|meeting| meeting.window == previous);
                meetings.has_forgotten |= meetings.list.len() < before;
            }
        }
        let number = meetings.window;
        let (mut wanted, mut result) = (Vec::new(), Ok(()));
        for &other in &self.classes.at_channel[&at] {
            let other = other as usize;
            result = result.and(self.exchanged(part, other, other == class, &arrivals, &mut wanted));
        }
        self.wanted.append(&mut wanted);
        // While handshakes must still be joined, another round decides.
        if self.wanted.is_empty()
            && let Err(refusal) = result
        {
            self.blame(Blame::Channel(at));
            return Err(refusal);
        }
        let (server, client) = match window.map(|w| w.server) {
            Some(Server::Takes) => (1, 0),
            _ => (0, 1),
        };
        match window {
            None => {
                let mut both = clocks[0].clone();
                clock::join(&mut both, &clocks[1]);
                sides.iter().for_each(|&side| clock::add(&mut both, side));
                self.known.complete(&mut both, &self.windows);
                clocks.fill(both);
            }
            Some(window) => {
                if window.first != part {
                    self.known.comes(class as u32, number, sides[server].process, &arrivals[server]);
                }
                clock::add(&mut clocks[client], sides[client]);
                clock::add(&mut clocks[server], sides[server]);
                let past = self.past_of_server(window, number, class, client, &clocks[client]);
                clock::join(&mut clocks[server], &past);
            }
        }
        let server_clock = clocks[server].clone();
        let meeting = Meeting { part, window: number, sides, arrivals, server_clock };
        self.known.meetings[class].list.push(meeting);
        if window.is_some() {
            self.known.complete(&mut clocks[client], &self.windows);
            self.known.complete(&mut clocks[server], &self.windows);
        }
        Ok(())
    }

    /// Finds earlier handshakes of a class whose partners might have met those of this one.
    fn exchanged(
        &self,
        part: usize,
        class: usize,
        is_same: bool,
        arrivals: &[Clock; 2],
        wanted: &mut Vec<(usize, usize)>,
    ) -> Result<(), Refusal> {
        let meetings = &self.known.meetings[class];
        let mut is_sure = !meetings.has_forgotten;
        for meeting in meetings.list.iter().rev() {
            let [giver, taker] = meeting.sides;
            let knows = |arrival: &Clock, point: Point| clock::contains(arrival, point);
            if is_same && meeting.window == meetings.window {
                continue;
            }
            let may_give = !knows(&arrivals[0], taker) && self.accepts(meeting.part, part);
            let may_take = !knows(&arrivals[1], giver) && self.accepts(part, meeting.part);
            if may_give || may_take {
                wanted.push((meeting.part, part));
            }
            if arrivals.iter().all(|arrival| knows(arrival, giver) && knows(arrival, taker)) {
                is_sure = true;
                break;
            }
        }
        if is_sure { Ok(()) } else { Err(Refusal::Partner { origin: self.origin }) }
    }

    /// Whether the receiver of one handshake may accept the message of another.
    fn accepts(&self, taker: usize, giver: usize) -> bool {
        let (Part::Event(taker), Part::Event(giver)) = (self.parts[taker], self.parts[giver]) else {
            return true;
        };
        let side = &taker.sides[1];
        let (compiled, last) = (self.compiled, self.last);
        let waiting =
            Waiting { compiled, last, slot: side.slot, location: side.location, reads: &side.guards };
        waiting.may_take(&giver.message, &mut self.nest.clone())
    }

    /// The knowledge of a window's server at its next handshake, whichever clients it has met. If it has met
    /// `n` of them, it knows of each process at least the `n`-th smallest number of events that the clients
    /// know.
    fn past_of_server(&self, window: Window, number: u32, class: usize, client: usize, own: &Clock) -> Clock {
        let mut pasts: Vec<Clock> = vec![own.clone()];
        for meeting in self.known.meetings[class].list.iter().filter(|meeting| meeting.window == number) {
            let mut past = meeting.arrivals[client].clone();
            clock::add(&mut past, meeting.sides[client]);
            pasts.push(past);
        }
        // Clients that come later know at least what they know now.
        let to_come = (window.first..=window.last)
            .filter(|&part| self.classes.of_part[part] == Some(class as u32))
            .skip(window.before + 1);
        for part in to_come {
            if let Part::Event(event) = self.parts[part] {
                pasts.push(self.known.clocks[event.sides[client].slot as usize].clone());
            }
        }
        let mut numbers = Vec::with_capacity(pasts.len());
        (0..own.len())
            .map(|process| {
                numbers.clear();
                numbers.extend(pasts.iter().map(|past| past[process]));
                numbers.sort_unstable();
                numbers[window.before]
            })
            .collect::<Vec<u32>>()
            .into()
    }
}
