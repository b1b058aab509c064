//! Interference: what some processes may do before others move.
//!
//! In: a state, and a set of processes that are *held*: they do not move. Out: for each other process, an over-approximation of the
//! shared resources that its steps use, and how, in all runs from the state in which the held processes do nothing. A process
//! none of whose possible steps gets in the way of what the held ones can do now needs not be looked at before they move: the
//! steps of the held processes are a persistent set (P. Godefroid, *Partial-Order Methods for the Verification of Concurrent
//! Systems*, LNCS 1032, 1996; module `reduction`).
//!
//! Where sets of accesses of all that a process may *ever* do are too coarse, this looks at what it can do *from here*: the runs of the
//! others are interpreted over intervals (P. Cousot, R. Cousot, *Abstract interpretation*, POPL 1977), process by process (A. Miné,
//! *Static analysis of run-time errors in embedded critical parallel C programs*, ESOP 2011). Each process has, for each
//! location that it may come to, a few environments of one interval for each of its fields. A global variable has one interval for the values that are
//! assigned to it in any order, and one for the sum of what is added to it: how much a process may add is known for each location,
//! so that a barrier that counts its processes is known not to open before the last one has come. Handshakes need a partner that
//! may come there. Everything that grows too often is given up for the whole domain, and what has no simple form (processes that are
//! started, loops in a step) may do all that its text allows.

mod code;
mod value;

use crate::reduction::{Independence, MODES};
use code::{Code, Move, NetworkCode, Op, Step};
use value::{ANY, ANY_TRUTH, known, single};
use volvelle_kernel::EntityVec;
use volvelle_model::independence::{SingleUses, single_uses};
use volvelle_model::interval::Interval;
use volvelle_model::steps::Part;
use volvelle_model::{Access, AccessMode, LocationId, NetworkLayout, PoolId, Program, SharedResource, Which};

/// Changes of a cell, or of the environment at a location, after which what changes is given up.
const MOST_CHANGES: u8 = 6;

/// Environments at a location that are told apart: before and behind a wait that is passed once, say.
const MOST_ENVIRONMENTS: usize = 6;

/// Rounds over all processes, after which nothing is known.
const MOST_ROUNDS: usize = 40;

/// Sums that grow beyond any bound.
const UNBOUNDED: i64 = 1 << 40;

/// The part of the analysis that does not depend on the state.
#[derive(Debug)]
pub struct Ahead {
    code: NetworkCode,
    /// By move.
    moves: Vec<Footprint>,
    /// By location: on arrival inside an atomic sequence.
    arrivals: EntityVec<LocationId, Footprint>,
    /// By location: all that may ever follow.
    later: EntityVec<LocationId, Footprint>,
}

/// Accesses, those of known resources as bits.
#[derive(Debug, Default)]
struct Footprint {
    /// By mode, then 64 resources a word; empty if there are none.
    known: Vec<u64>,
    /// Those that depend on the instance.
    open: Vec<Access>,
}

/// The position of a mode among [`MODES`]; a test is a read.
pub fn mode_number(mode: AccessMode) -> usize {
    let mode = if mode == AccessMode::Test { AccessMode::Read } else { mode };
    MODES.iter().position(|&m| m == mode).expect("all modes are listed")
}

impl Ahead {
    /// For a program.
    pub fn new(program: &Program, independence: &Independence) -> Self {
        let SingleUses { alternatives, arrivals } = single_uses(&program.network);
        let footprint = |accesses: &Vec<Access>| Footprint::new(accesses, independence);
        Ahead {
            code: NetworkCode::new(program),
            moves: alternatives.iter().map(footprint).collect(),
            arrivals: arrivals.values().map(footprint).collect(),
            later: independence.later().map(footprint).collect(),
        }
    }
}

impl Footprint {
    fn new(accesses: &[Access], independence: &Independence) -> Self {
        let words = independence.resource_words();
        let mut footprint = Footprint::default();
        for access in accesses {
            let (SharedResource::Field(_, which) | SharedResource::Slot(_, which)) = access.resource else {
                footprint.know(access, independence, words, None);
                continue;
            };
            match which {
                Which::Own(..) | Which::Mover => footprint.open.push(*access),
                Which::Constant(n) => footprint.know(access, independence, words, Some(n)),
                Which::Any => footprint.know(access, independence, words, None),
            }
        }
        footprint
    }

    fn know(&mut self, access: &Access, independence: &Independence, words: usize, number: Option<i64>) {
        let Some(range) = independence.resources_of(access.resource, number) else { return };
        self.known.resize(MODES.len() * words, 0);
        let mode = mode_number(access.mode);
        for resource in range {
            self.known[mode * words + resource / 64] |= 1 << (resource % 64);
        }
    }
}

/// What is known of the processes that do not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// None gets in the way.
    Clear,
    /// This one may.
    InTheWay(usize),
    /// There is too much to look at.
    Unknown,
}

/// Bits of [`Interference::reads`].
const SLOTS: u64 = 1 << 63;

fn bit_of_cell(cell: usize) -> u64 {
    1 << (cell % 40)
}

fn bit_of_meeting(meeting: usize) -> u64 {
    1 << (40 + meeting % 23)
}

/// A global variable in the run at hand.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The run that it was used in last.
    run: u64,
    /// Its value in the state, and all that are assigned to it.
    values: Interval,
    /// Sums of what is added to it.
    added: Interval,
    changes: u8,
}

/// A location that a process may come to, with an environment.
#[derive(Clone, Copy, Debug)]
struct Stay {
    location: LocationId,
    changes: u8,
    /// What its moves read, as [`Interference::reads`].
    reads: u64,
    /// Whether its moves are to be looked at again.
    is_open: bool,
}

/// A process in the run at hand.
#[derive(Clone, Debug, Default)]
struct Process {
    stays: Vec<Stay>,
    /// One environment for each stay.
    environments: Vec<Interval>,
    /// Entries of an environment.
    entries: usize,
    /// Sums of what it adds, by entry behind its fields.
    added: Vec<Interval>,
    /// What has changed since it was looked at, as [`Interference::reads`].
    changed: u64,
    ty: usize,
}

/// A meeting point in the run at hand: processes, as bits, and what they give.
#[derive(Clone, Debug, Default)]
struct Meeting {
    givers: u64,
    takers: u64,
    message: Vec<Interval>,
}

/// The analysis of one worker, used from state to state.
pub struct Interference<'a> {
    program: &'a Program,
    layout: &'a NetworkLayout,
    independence: &'a Independence,
    ahead: &'a Ahead,
    words: usize,
    run: u64,
    cells: Vec<Cell>,
    processes: Vec<Process>,
    /// Cells, meeting points and slots that were read, as bits: several share one.
    reads: u64,
    /// By mode: resources that must not be used so.
    forbidden: Vec<u64>,
    /// Whether one of them is.
    is_in_the_way: bool,
    meetings: Vec<Meeting>,
    /// By resource: slots that change.
    changed: Vec<u64>,
    /// Resources where held processes meet others.
    held_meets: Vec<u64>,
    stack: Vec<Interval>,
    temporaries: Vec<Interval>,
    offered: Vec<Interval>,
    environment: Vec<Interval>,
    arrived: Vec<Interval>,
}

/// The state at hand, and the process that is looked at.
#[derive(Clone, Copy)]
struct View<'v> {
    state: &'v [u64],
    slot: usize,
}

/// The pool of channels.
const CHANNELS: PoolId = PoolId(1);

impl<'a> Interference<'a> {
    /// For one worker.
    pub fn new(
        program: &'a Program,
        layout: &'a NetworkLayout,
        independence: &'a Independence,
        ahead: &'a Ahead,
    ) -> Self {
        let words = independence.resource_words();
        let cell = Cell { run: 0, values: ANY, added: single(0), changes: 0 };
        let (_, channels) = independence.slots_of(CHANNELS);
        Interference {
            program,
            layout,
            independence,
            ahead,
            words,
            run: 0,
            cells: vec![cell; ahead.code.cells.len()],
            processes: Vec::new(),
            reads: 0,
            forbidden: Vec::new(),
            is_in_the_way: false,
            meetings: vec![Meeting::default(); channels],
            changed: vec![0; words],
            held_meets: vec![0; words],
            stack: Vec::new(),
            temporaries: vec![single(0); ahead.code.temporaries],
            offered: vec![ANY; ahead.code.offered],
            environment: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// Finds a process that may get in the way of what those in `held` do now, while these do not move. `locations` are those of all
    /// processes, `now` what the held ones use now, by mode; `forbidden` are the resources, by mode, whose use would not commute with that.
    pub fn look(
        &mut self,
        state: &[u64],
        locations: &[LocationId],
        held: u64,
        now: &[u64],
        forbidden: &[u64],
    ) -> Look {
        self.run += 1;
        self.changed.fill(0);
        for meeting in &mut self.meetings {
            (meeting.givers, meeting.takers) = (0, 0);
            meeting.message.clear();
        }
        let meets = mode_number(AccessMode::Meet) * self.words;
        self.held_meets.copy_from_slice(&now[meets..meets + self.words]);
        self.forbidden.clear();
        self.forbidden.extend_from_slice(forbidden);
        self.is_in_the_way = false;
        if self.processes.len() < locations.len() {
            self.processes.resize_with(locations.len(), Process::default);
        }
        let others = (0..locations.len()).filter(|slot| held >> slot & 1 == 0);
        for slot in others.clone() {
            self.begin(View { state, slot }, locations[slot]);
        }
        for _ in 0..MOST_ROUNDS {
            let mut is_done = true;
            for slot in others.clone() {
                is_done &= !self.process(View { state, slot });
                if self.is_in_the_way {
                    return Look::InTheWay(slot);
                }
            }
            if is_done {
                return Look::Clear;
            }
        }
        Look::Unknown
    }

    /// Something that stays may have read has changed.
    fn change(&mut self, what: u64) {
        self.processes.iter_mut().for_each(|process| process.changed |= what);
    }

    /// A process in the state.
    fn begin(&mut self, view: View<'_>, location: LocationId) {
        let code = &self.ahead.code;
        let process = &mut self.processes[view.slot];
        process.stays.clear();
        process.environments.clear();
        process.added.clear();
        process.changed = 0;
        let Some(ty) = code.types.get(code.type_of[location] as usize) else { return };
        process.ty = code.type_of[location] as usize;
        process.entries = ty.fields.len() + ty.adds.len();
        process.stays.push(Stay { location, changes: 0, reads: 0, is_open: true });
        for &field in &ty.fields {
            let element = |element| single(self.layout.get(view.state, field, view.slot, element));
            let length = self.program.fields[field.index()].length as usize;
            let all = (1..length).fold(element(0), |all, at| all.hull(element(at)));
            process.environments.push(all);
        }
        process.environments.resize(process.entries, single(0));
        process.added.resize(ty.adds.len(), single(0));
    }

    /// Looks at the moves of a process until nothing is new to it; returns whether something was.
    fn process(&mut self, view: View<'_>) -> bool {
        let process = &mut self.processes[view.slot];
        let changed = std::mem::take(&mut process.changed);
        for stay in &mut process.stays {
            stay.is_open |= stay.reads & changed != 0;
        }
        let mut is_new = false;
        while let Some(at) = self.processes[view.slot].stays.iter().position(|stay| stay.is_open) {
            let process = &mut self.processes[view.slot];
            process.stays[at].is_open = false;
            is_new = true;
            let from = at * process.entries;
            self.environment.clear();
            self.environment.extend_from_slice(&process.environments[from..from + process.entries]);
            let location = process.stays[at].location;
            self.reads = 0;
            self.moves(view, location);
            self.processes[view.slot].stays[at].reads |= self.reads;
            if self.is_in_the_way {
                break;
            }
        }
        is_new
    }

    /// Looks at the moves from a location, in the environment at hand.
    fn moves(&mut self, view: View<'_>, location: LocationId) {
        let ahead = self.ahead;
        let code = &ahead.code;
        let (first, end) = (code.first_moves[location.index()], code.first_moves[location.index() + 1]);
        let ty = self.processes[view.slot].ty;
        if let Some(guard) = &code.types[ty].guard
            && self.value(view, guard).hi == 0
        {
            return;
        }
        // The first block some alternative of which can surely happen.
        let mut certain = None;
        for number in first..end {
            let one = &code.moves[number];
            if one.after.is_some_and(|block| certain.is_some_and(|certain| certain < block)) {
                break;
            }
            self.temporaries.fill(single(0));
            self.offered.fill(ANY);
            let guard = self.value(view, &one.guard);
            if guard.hi == 0 {
                continue;
            }
            match one.part {
                Part::Alone => {
                    if guard.lo == 1 && certain.is_none() && code.types[ty].guard.is_none() {
                        certain = Some(one.block);
                    }
                }
                Part::Gives | Part::Takes => {
                    if !self.meets(view, one) {
                        continue;
                    }
                }
            }
            self.uses(view.slot, &ahead.moves[number]);
            if one.creates {
                self.anything(view, location);
                continue;
            }
            self.arrived.clear();
            self.arrived.extend_from_slice(&self.environment);
            self.steps(view, &one.effect);
            if one.target == LocationId::NOWHERE {
                continue;
            }
            if one.goes_on {
                self.uses(view.slot, &ahead.arrivals[one.target]);
            }
            self.arrive(view.slot, one.target);
        }
    }

    /// Notes that a process may meet another one; returns whether one may come, with what is then offered.
    fn meets(&mut self, view: View<'_>, one: &Move) -> bool {
        let (first, count) = self.independence.slots_of(CHANNELS);
        let resource = one.at.unwrap_or(SharedResource::Slot(CHANNELS, Which::Any));
        let number = self.number(view.slot, resource);
        let range = self.independence.resources_of(resource, number).unwrap_or(first..first + count);
        let range = range.start - first..range.end - first;
        let me = 1u64 << view.slot;
        let (mut comes, mut message): (bool, Option<Vec<Interval>>) = (false, None);
        for n in range {
            let is_held = self.held_meets[(first + n) / 64] >> ((first + n) % 64) & 1 != 0;
            let bit = bit_of_meeting(n);
            self.reads |= bit;
            match one.part {
                Part::Gives => {
                    for (i, given) in one.given.iter().enumerate() {
                        let value = self.value(view, given);
                        let meeting = &mut self.meetings[n];
                        match meeting.message.get_mut(i) {
                            None => {
                                meeting.message.resize(i, ANY);
                                meeting.message.push(value);
                                self.change(bit);
                            }
                            Some(known) => {
                                let hull = known.hull(value);
                                if hull != *known {
                                    // What changes on and on is given up.
                                    *known = if meeting.givers & me != 0 { ANY } else { hull };
                                    self.change(bit);
                                }
                            }
                        }
                    }
                    let meeting = &mut self.meetings[n];
                    comes |= is_held || meeting.takers & !me != 0;
                    if meeting.givers & me == 0 {
                        meeting.givers |= me;
                        self.change(bit);
                    }
                }
                _ => {
                    let meeting = &mut self.meetings[n];
                    let is_new = meeting.takers & me == 0;
                    meeting.takers |= me;
                    if is_new {
                        self.change(bit);
                    }
                    let meeting = &self.meetings[n];
                    if is_held {
                        (comes, message) = (true, Some(Vec::new()));
                    } else if meeting.givers & !me != 0 {
                        comes = true;
                        message = Some(match message {
                            None => meeting.message.clone(),
                            Some(known) => {
                                known.iter().zip(&meeting.message).map(|(a, b)| a.hull(*b)).collect()
                            }
                        });
                    }
                }
            }
        }
        if let Some(message) = message {
            for (offered, value) in self.offered.iter_mut().zip(&message) {
                *offered = *value;
            }
            // What is received may not be what the guard wants.
            return self.value(view, &one.guard).hi != 0;
        }
        comes
    }

    /// A move uses some resources.
    fn uses(&mut self, slot: usize, footprint: &Footprint) {
        self.is_in_the_way |=
            footprint.known.iter().zip(&self.forbidden).any(|(&known, &forbidden)| known & forbidden != 0);
        for access in &footprint.open {
            let number = self.number(slot, access.resource);
            let Some(mut range) = self.independence.resources_of(access.resource, number) else { continue };
            let mode = mode_number(access.mode) * self.words;
            let is_forbidden = |resource: usize| self.forbidden[mode + resource / 64] >> (resource % 64) & 1 != 0;
            self.is_in_the_way |= range.any(is_forbidden);
        }
    }

    /// The number of the element or slot that an access means in the environment at hand, if it is known.
    fn number(&self, slot: usize, resource: SharedResource) -> Option<i64> {
        let (SharedResource::Field(_, which) | SharedResource::Slot(_, which)) = resource else { return None };
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

    /// A process may do all that its text allows from a location on, and so may those that it starts.
    fn anything(&mut self, view: View<'_>, location: LocationId) {
        let ahead = self.ahead;
        self.uses(view.slot, &ahead.later[location]);
        let footprint = &ahead.later[location];
        let is_written = |mode: AccessMode| {
            matches!(mode, AccessMode::Write | AccessMode::Add | AccessMode::Put | AccessMode::Take)
        };
        let mut used = vec![[false; 2]; 64 * self.words];
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
            for resource in self.independence.resources_of(access.resource, number).into_iter().flatten() {
                used[resource][0] |= is_written(access.mode);
                used[resource][1] |= access.mode == AccessMode::Meet;
            }
        }
        for cell in 0..self.cells.len() {
            let info = self.ahead.code.cells[cell];
            let is_count = self.program.network.pools.iter().any(|pool| pool.count == info.field);
            if is_count || used[self.independence.resource_of_cell(info.field, info.element)][0] {
                self.assign(view.state, cell, ANY);
            }
        }
        // New slots, and the contents of those that are written.
        self.changed.fill(u64::MAX);
        self.change(SLOTS);
        let (first, count) = self.independence.slots_of(CHANNELS);
        for n in (0..count).filter(|n| used[first + n][1]) {
            let meeting = &mut self.meetings[n];
            // It stands for several processes: they may meet each other, and the one that starts them.
            if meeting.givers != u64::MAX || meeting.takers != u64::MAX {
                (meeting.givers, meeting.takers) = (u64::MAX, u64::MAX);
                meeting.message.clear();
                meeting.message.resize(self.ahead.code.offered, ANY);
                self.change(bit_of_meeting(n));
            }
        }
    }

    /// A process comes to a location, with the environment `arrived`.
    fn arrive(&mut self, slot: usize, location: LocationId) {
        let mut changed = 0;
        let process = &mut self.processes[slot];
        let fields = process.entries - process.added.len();
        for at in 0..process.added.len() {
            let (sum, cell) = (self.arrived[fields + at], self.ahead.code.types[process.ty].adds[at]);
            let hull = process.added[at].hull(sum);
            if hull != process.added[at] {
                // Was looked at by the step that added.
                let total = &mut self.cells[cell as usize].added;
                total.lo += hull.lo - process.added[at].lo;
                total.hi += hull.hi - process.added[at].hi;
                process.added[at] = hull;
                changed |= bit_of_cell(cell as usize);
            }
        }
        if changed != 0 {
            self.change(changed);
        }
        let process = &mut self.processes[slot];
        let entries = process.entries;
        let (mut last, mut count) = (0, 0);
        for (at, stay) in process.stays.iter().enumerate() {
            if stay.location == location {
                let known = &process.environments[at * entries..(at + 1) * entries];
                if known.iter().zip(&self.arrived).all(|(known, new)| new.within(known.lo, known.hi)) {
                    return;
                }
                (last, count) = (at, count + 1);
            }
        }
        if count < MOST_ENVIRONMENTS {
            process.stays.push(Stay { location, changes: 0, reads: 0, is_open: true });
            process.environments.extend_from_slice(&self.arrived);
            return;
        }
        let at = last;
        let stay = &mut process.stays[at];
        let known = &mut process.environments[at * entries..(at + 1) * entries];
        let mut has_changed = false;
        for (entry, (known, &new)) in known.iter_mut().zip(&self.arrived).enumerate() {
            let hull = known.hull(new);
            if hull == *known {
                continue;
            }
            has_changed = true;
            *known = match (stay.changes >= MOST_CHANGES, entry < fields) {
                (false, _) => hull,
                (true, true) => {
                    self.ahead.code.domains[self.ahead.code.types[process.ty].fields[entry]].hull(hull)
                }
                (true, false) => Interval {
                    lo: if hull.lo < known.lo { -UNBOUNDED } else { hull.lo },
                    hi: if hull.hi > known.hi { UNBOUNDED } else { hull.hi },
                },
            };
        }
        if has_changed {
            stay.changes = stay.changes.saturating_add(1);
            stay.is_open = true;
        }
    }

    /// The cell, as it is in the state unless something was found about it in this run.
    fn cell(&mut self, state: &[u64], cell: usize) -> &mut Cell {
        let (run, info) = (self.run, self.ahead.code.cells[cell]);
        let known = &mut self.cells[cell];
        if known.run != run {
            let length = self.program.fields[info.field.index()].length as usize;
            let (from, to) = info.element.map_or((0, length), |at| (at as usize, at as usize + 1));
            let element = |element| single(self.layout.get(state, info.field, 0, element));
            let values = (from + 1..to).fold(element(from), |all, at| all.hull(element(at)));
            *known = Cell { run, values, added: single(0), changes: 0 };
        }
        known
    }

    /// What a cell may hold.
    fn cell_value(&mut self, state: &[u64], cell: usize) -> Interval {
        self.reads |= bit_of_cell(cell);
        let domain = self.ahead.code.cells[cell].domain;
        let Cell { values, added, .. } = *self.cell(state, cell);
        let lo = values.lo.saturating_add(added.lo).max(domain.lo);
        let hi = values.hi.saturating_add(added.hi).min(domain.hi);
        // A value that does not fit is another one, or the step fails.
        Interval::new(lo, hi).unwrap_or(domain)
    }

    /// A cell may get a value.
    fn assign(&mut self, state: &[u64], cell: usize, value: Interval) {
        let domain = self.ahead.code.cells[cell].domain;
        let known = self.cell(state, cell);
        let fitting = Interval::new(value.lo.max(domain.lo), value.hi.min(domain.hi)).unwrap_or(domain);
        let hull = known.values.hull(fitting);
        if hull != known.values {
            known.changes = known.changes.saturating_add(1);
            known.values = if known.changes > MOST_CHANGES { domain.hull(hull) } else { hull };
            self.change(bit_of_cell(cell));
        }
    }

    /// Takes the steps of an effect, from `arrived`. Recursion is as deep as blocks nest, which front ends limit.
    fn steps(&mut self, view: View<'_>, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Temporary(t, value) => {
                    let value = self.value_in(view, value);
                    self.temporaries[*t as usize] = value;
                }
                Step::Own { entry, value, keeps } => {
                    let value = self.value_in(view, value);
                    let ty = &self.ahead.code.types[self.processes[view.slot].ty];
                    let domain = self.ahead.code.domains[ty.fields[*entry as usize]];
                    let fitting =
                        Interval::new(value.lo.max(domain.lo), value.hi.min(domain.hi)).unwrap_or(domain);
                    let known = &mut self.arrived[*entry as usize];
                    *known = if *keeps { known.hull(fitting) } else { fitting };
                }
                Step::Cell { cell, value } => {
                    let value = self.value_in(view, value);
                    self.assign(view.state, *cell as usize, value);
                }
                Step::CellOf { first, count, index, value } => {
                    let (index, value) = (self.value_in(view, index), self.value_in(view, value));
                    let last = i64::from(*count) - 1;
                    let all = self.ahead.code.cells[*first as usize].element.is_none();
                    let (lo, hi) = if all { (0, 0) } else { (index.lo.max(0), index.hi.min(last)) };
                    for at in lo..=hi {
                        self.assign(view.state, (i64::from(*first) + at) as usize, value);
                    }
                }
                Step::Add { cell, entry, amount, is_negative } => {
                    let amount = self.value_in(view, amount);
                    let amount = if *is_negative {
                        Interval { lo: amount.hi.saturating_neg(), hi: amount.lo.saturating_neg() }
                    } else {
                        amount
                    };
                    self.cell(view.state, *cell as usize);
                    let sum = &mut self.arrived[*entry as usize];
                    // Any part of what is added may come after an assignment: what adds nothing counts as well.
                    sum.lo = sum.lo.saturating_add(amount.lo.min(0)).max(-UNBOUNDED);
                    sum.hi = sum.hi.saturating_add(amount.hi.max(0)).min(UNBOUNDED);
                }
                Step::Slot { pool, slot } => {
                    let slot = self.value_in(view, slot);
                    let (first, count) = self.independence.slots_of(*pool);
                    let range = match known(slot).and_then(|n| usize::try_from(n).ok()) {
                        Some(n) => n.min(count - 1)..n.min(count - 1) + 1,
                        None => 0..count,
                    };
                    for resource in range.map(|n| first + n) {
                        let (word, bit) = (resource / 64, 1 << (resource % 64));
                        if self.changed[word] & bit == 0 {
                            self.changed[word] |= bit;
                            self.change(SLOTS);
                        }
                    }
                }
                Step::If { cond, then, otherwise } => {
                    let cond = self.value_in(view, cond);
                    match known(cond) {
                        Some(0) => self.steps(view, otherwise),
                        Some(_) => self.steps(view, then),
                        None => {
                            let before = self.arrived.clone();
                            let temporaries = self.temporaries.clone();
                            self.steps(view, then);
                            let one = std::mem::replace(&mut self.arrived, before);
                            let others = std::mem::replace(&mut self.temporaries, temporaries);
                            self.steps(view, otherwise);
                            self.arrived.iter_mut().zip(one).for_each(|(a, b)| *a = a.hull(b));
                            self.temporaries.iter_mut().zip(others).for_each(|(a, b)| *a = a.hull(b));
                        }
                    }
                }
            }
        }
    }

    /// The value of an expression in an effect.
    fn value_in(&mut self, view: View<'_>, code: &Code) -> Interval {
        std::mem::swap(&mut self.environment, &mut self.arrived);
        let value = self.value(view, code);
        std::mem::swap(&mut self.environment, &mut self.arrived);
        value
    }

    /// The value of an expression in the environment.
    fn value(&mut self, view: View<'_>, code: &Code) -> Interval {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        for &op in code {
            let mut pop = || stack.pop().unwrap_or(ANY);
            let value = match op {
                Op::Known(value) => value,
                Op::Own(entry) => self.environment[entry as usize],
                Op::OwnElement(entry) => {
                    pop();
                    self.environment[entry as usize]
                }
                Op::Cell(cell) => self.cell_value(view.state, cell as usize),
                Op::CellOf { first, count } => {
                    let index = pop();
                    let first = first as usize;
                    let info = self.ahead.code.cells[first];
                    match known(index).and_then(|at| u32::try_from(at).ok()) {
                        _ if info.element.is_none() => self.cell_value(view.state, first),
                        Some(at) if at < count => self.cell_value(view.state, first + at as usize),
                        _ => info.domain,
                    }
                }
                Op::Slot { pool, field, is_indexed } => {
                    let index = if is_indexed { pop() } else { single(0) };
                    let slot = pop();
                    self.slot_value(view, pool, field, slot, index)
                }
                Op::Temporary(t) => self.temporaries[t as usize],
                Op::Offered(k) => self.offered.get(k as usize).copied().unwrap_or(ANY),
                Op::Mover => single(view.slot as i64),
                Op::Unary(op, ty) => value::unary(op, ty, pop()),
                Op::Binary(op, ty) => {
                    let rhs = pop();
                    value::binary(op, ty, pop(), rhs)
                }
                Op::Checked(op, ty) => {
                    let rhs = pop();
                    value::checked(op, ty, pop(), rhs)
                }
                Op::Convert(from, to) => value::convert(from, to, pop()),
                Op::Range(ty, lo, hi) => value::range(ty, pop(), lo, hi),
                Op::Select => {
                    let (no, yes) = (pop(), pop());
                    match known(pop()) {
                        Some(0) => no,
                        Some(_) => yes,
                        None => yes.hull(no),
                    }
                }
                Op::And => {
                    let (b, a) = (pop(), pop());
                    Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) }
                }
                Op::Or => {
                    let (b, a) = (pop(), pop());
                    Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) }
                }
            };
            stack.push(value);
        }
        let value = stack.pop().unwrap_or(ANY_TRUTH);
        self.stack = stack;
        value
    }

    fn slot_value(
        &mut self,
        view: View<'_>,
        pool: PoolId,
        field: volvelle_model::FieldId,
        slot: Interval,
        index: Interval,
    ) -> Interval {
        self.reads |= SLOTS;
        let domain = self.ahead.code.domains[field];
        let (Some(slot), Some(index)) = (known(slot), known(index)) else { return domain };
        let (Ok(slot), Ok(index)) = (usize::try_from(slot), usize::try_from(index)) else { return domain };
        let (first, count) = self.independence.slots_of(pool);
        let resource = first + slot.min(count - 1);
        let is_changed = self.changed[resource / 64] >> (resource % 64) & 1 != 0;
        let length = self.program.fields[field.index()].length as usize;
        if is_changed || index >= length || !self.layout.has(field, slot) {
            return domain;
        }
        single(self.layout.get(view.state, field, slot, index))
    }
}
