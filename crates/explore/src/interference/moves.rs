//! The accesses and partners of single moves.

use super::code::Move;
use super::footprint::Footprint;
use super::{CHANNELS, Interference, SLOTS, View, bit_of_meeting};
use crate::interval_operations::{ANY, known};
use crate::resources::{MODES, mode_number};
use volvelle_model::steps::Part;
use volvelle_model::{AccessMode, LocationId, SharedResource, Which};

impl Interference<'_> {
    /// Records that a process may synchronise with another one. Returns whether one may come, with its values
    /// in `offered`.
    pub(super) fn meets(&mut self, view: View<'_>, one: &Move) -> bool {
        let (first, count) = self.resources.slots_of(CHANNELS);
        let resource = one.at.unwrap_or(SharedResource::Slot(CHANNELS, Which::Any));
        let number = self.number(view.slot, resource);
        let range = self.resources.of(resource, number).unwrap_or(first..first + count);
        let is_held = range.clone().any(|n| self.held_meets[n / 64] >> (n % 64) & 1 != 0);
        let (anywhere, all) = (count, count + 1);
        let here = if range.len() == 1 { range.start - first } else { anywhere };
        // Processes at one channel meet those at the same one, or at any; others may meet all.
        let others = if here == anywhere { [all, all] } else { [here, anywhere] };
        let (bit, run, me) = (bit_of_meeting(here), self.run, 1u64 << view.slot);
        self.reads |= others.iter().fold(0, |bits, &n| bits | bit_of_meeting(n));
        if one.part == Part::Gives {
            let mut given = std::mem::take(&mut self.message);
            given.clear();
            for value in &one.given {
                given.push(self.value(view, value));
            }
            let mut is_new = false;
            for at in [here, all] {
                is_new |= self.meetings[at].of(run).gives(me, &given);
            }
            self.message = given;
            if is_new {
                self.change(bit | bit_of_meeting(all));
            }
            return is_held || others.iter().any(|&n| self.meetings[n].of(run).takers & !me != 0);
        }
        let mut is_new = false;
        for at in [here, all] {
            let meeting = self.meetings[at].of(run);
            is_new |= meeting.takers & me == 0;
            meeting.takers |= me;
        }
        if is_new {
            self.change(bit | bit_of_meeting(all));
        }
        let mut comes = false;
        for n in others {
            let meeting = self.meetings[n].of(run);
            if meeting.givers & !me == 0 {
                continue;
            }
            for (offered, &value) in self.offered.iter_mut().zip(&meeting.message) {
                *offered = if comes { offered.hull(value) } else { value };
            }
            comes = true;
        }
        if is_held {
            self.offered.fill(ANY);
        }
        // The received values may not satisfy the guard.
        (is_held || comes) && self.value(view, &one.guard).hi != 0
    }

    /// A move uses some resources.
    pub(super) fn uses(&mut self, slot: usize, footprint: &Footprint) {
        self.is_in_the_way |=
            footprint.known.iter().zip(&self.forbidden).any(|(&known, &forbidden)| known & forbidden != 0);
        for access in &footprint.open {
            let number = self.number(slot, access.resource);
            let Some(mut range) = self.resources.of(access.resource, number) else { continue };
            let mode = mode_number(access.mode) * self.words;
            let is_forbidden =
                |resource: usize| self.forbidden[mode + resource / 64] >> (resource % 64) & 1 != 0;
            self.is_in_the_way |= range.any(is_forbidden);
        }
    }

    /// The number of the element or slot that an access means in the present environment, if known.
    fn number(&self, slot: usize, resource: SharedResource) -> Option<i64> {
        let (SharedResource::Field(_, which) | SharedResource::Slot(_, which)) = resource else {
            return None;
        };
        match which {
            Which::Constant(n) => Some(n),
            Which::Mover => Some(slot as i64),
            Which::Any => None,
            Which::Own(field, less) => {
                let fields = &self.ahead.code.types[self.processes[slot].ty].fields;
                let entry = fields.iter().position(|&f| f == field)?;
                known(self.environment[entry])?.checked_sub(less)
            }
        }
    }

    /// A process may do everything that its text allows from a location on, and so may the processes that it
    /// starts.
    pub(super) fn anything(&mut self, view: View<'_>, location: LocationId) {
        let ahead = self.ahead;
        self.uses(view.slot, &ahead.later[location]);
        let footprint = &ahead.later[location];
        let is_written = |mode: AccessMode| {
            matches!(mode, AccessMode::Write | AccessMode::Add | AccessMode::Put | AccessMode::Take)
        };
        let mut used = std::mem::take(&mut self.used);
        used.clear();
        used.resize(64 * self.words, [false; 2]);
        for (at, &known) in footprint.known.iter().enumerate() {
            let mode = MODES[at / self.words];
            for bit in (0..64).filter(|bit| known >> bit & 1 != 0) {
                let used = &mut used[at % self.words * 64 + bit];
                used[0] |= is_written(mode);
                used[1] |= mode == AccessMode::Meet;
            }
        }
        for access in &footprint.open {
            let number = self.number(view.slot, access.resource);
            for resource in self.resources.of(access.resource, number).into_iter().flatten() {
                used[resource][0] |= is_written(access.mode);
                used[resource][1] |= access.mode == AccessMode::Meet;
            }
        }
        for cell in 0..self.cells.len() {
            let info = self.ahead.code.cells[cell];
            let is_count = self.program.network.pools.iter().any(|pool| pool.count == info.field);
            if is_count || used[self.resources.of_element(info.field, info.element)][0] {
                self.assign(view.state, cell, ANY);
            }
        }
        // New slots, and the contents of written ones.
        self.changed.fill(u64::MAX);
        self.change(SLOTS);
        let (first, count) = self.resources.slots_of(CHANNELS);
        // They stand for several processes, which may meet each other, and the one that starts them.
        let meets = (0..count).filter(|n| used[first + n][1]).chain([count + 1]);
        for n in meets {
            let meeting = self.meetings[n].of(self.run);
            if meeting.givers != u64::MAX || meeting.takers != u64::MAX {
                (meeting.givers, meeting.takers) = (u64::MAX, u64::MAX);
                meeting.message.clear();
                meeting.message.resize(self.ahead.code.offered, ANY);
                self.change(bit_of_meeting(n));
            }
        }
        self.used = used;
    }
}
