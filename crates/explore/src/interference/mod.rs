//! Interference: what some processes may do before others move.
//!
//! In: a state, and a set of processes that are *held*: they do not move. Out: for each other process, an
//! over-approximation of its accesses to shared resources in all runs from the state while the held processes
//! wait. If none of these accesses interferes with what the held processes can do now, the other process need
//! not be considered before they move: the steps of the held processes form a persistent set (P. Godefroid,
//! *Partial-Order Methods for the Verification of Concurrent Systems*, LNCS 1032, 1996; module `reduction`).
//!
//! The set of all accesses that a process may *ever* make is often too coarse. So this module considers what
//! it can do *from here*: the runs of the others are interpreted over intervals (P. Cousot, R. Cousot,
//! *Abstract interpretation*, POPL 1977), process by process (A. Miné, *Static analysis of run-time errors in
//! embedded critical parallel C programs*, ESOP 2011). For each location that it may reach, a process has a
//! few environments, with one interval per field. A global variable has one interval for values assigned in
//! any order, and one for the sum of additions. The sum that a process may add is known per location; so a
//! barrier that counts its processes is known not to open before the last one has come. Handshakes need a
//! partner that may come there. Anything that grows too often is widened to the whole domain. A process with
//! steps that have no simple form (starting processes, loops in a step) may do everything that its text
//! allows.

mod code;
mod effects;
mod footprint;
mod meeting;
mod moves;

use crate::interval_operations::{ANY, single};
use crate::resources::{Resources, mode_number};
pub use footprint::Ahead;
use meeting::Meeting;
use volvelle_model::interval::Interval;
use volvelle_model::steps::Part;
use volvelle_model::{AccessMode, LocationId, NetworkLayout, PoolId, Program};

/// Changes of a cell, or of the environment at a location, after which the changing part is widened.
const MOST_CHANGES: u8 = 1;

/// Limit of environments per location; for example, before and after a wait that is passed once.
const MOST_ENVIRONMENTS: usize = 2;

/// Limit of stays that are examined, each whenever something is new to it; then nothing is known.
const MOST_STAYS: usize = 2000;

/// Sums that grow beyond any bound.
const UNBOUNDED: i64 = 1 << 40;

/// The result of examining the other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// None of them interferes.
    Clear,
    /// This one may.
    InTheWay(usize),
    /// There is too much to examine.
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

/// A global variable in the current run.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The run that it was used in last.
    run: u64,
    /// Its value in the state, and all that are assigned to it.
    values: Interval,
    /// The range of sums added to it.
    added: Interval,
    changes: u8,
}

/// A stay: a location that a process may reach, with an environment.
#[derive(Clone, Copy, Debug)]
struct Stay {
    location: LocationId,
    changes: u8,
    /// The cells that its moves read, as in [`Interference::reads`].
    reads: u64,
    /// Whether its moves must be examined again.
    is_open: bool,
}

/// A process in the current run.
#[derive(Clone, Debug, Default)]
struct Process {
    stays: Vec<Stay>,
    /// One environment for each stay.
    environments: Vec<Interval>,
    /// Entries of an environment.
    entries: usize,
    /// Sums of what it adds, by entry after its fields.
    added: Vec<Interval>,
    /// What has changed since it was examined, as in [`Interference::reads`].
    changed: u64,
    ty: usize,
}

/// The analysis of one worker, used from state to state.
pub struct Interference<'a> {
    program: &'a Program,
    layout: &'a NetworkLayout,
    resources: &'a Resources,
    ahead: &'a Ahead,
    words: usize,
    run: u64,
    cells: Vec<Cell>,
    processes: Vec<Process>,
    /// Cells, channels and slots that were read, as bits; several share one.
    reads: u64,
    /// By mode: resources that must not be used so.
    forbidden: Vec<u64>,
    /// Whether one of them is.
    is_in_the_way: bool,
    /// Number of stays that may still be examined.
    budget: usize,
    /// Number of stays examined, over all states.
    pub looked_at: u64,
    /// By slot of the pool of channels; then one for processes that may be anywhere, and one for all.
    meetings: Vec<Meeting>,
    message: Vec<Interval>,
    /// By resource: slots that change.
    changed: Vec<u64>,
    /// Resources where held processes synchronise with others.
    held_meets: Vec<u64>,
    stack: Vec<Interval>,
    temporaries: Vec<Interval>,
    offered: Vec<Interval>,
    environment: Vec<Interval>,
    arrived: Vec<Interval>,
    /// By resource, while collecting what a process may ever do: whether it is written, and whether processes
    /// synchronise there.
    used: Vec<[bool; 2]>,
}

/// The present state, and the process that is examined.
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
        resources: &'a Resources,
        ahead: &'a Ahead,
    ) -> Self {
        let words = resources.words();
        let cell = Cell { run: 0, values: ANY, added: single(0), changes: 0 };
        let (_, channels) = resources.slots_of(CHANNELS);
        Interference {
            program,
            layout,
            resources,
            ahead,
            words,
            run: 0,
            cells: vec![cell; ahead.code.cells.len()],
            processes: Vec::new(),
            reads: 0,
            forbidden: Vec::new(),
            is_in_the_way: false,
            budget: 0,
            looked_at: 0,
            meetings: vec![Meeting::default(); channels + 2],
            message: Vec::new(),
            changed: vec![0; words],
            held_meets: vec![0; words],
            stack: Vec::new(),
            temporaries: vec![single(0); ahead.code.temporaries],
            offered: vec![ANY; ahead.code.offered],
            environment: Vec::new(),
            arrived: Vec::new(),
            used: Vec::new(),
        }
    }

    /// Finds a process that may interfere with what those in `held` do now, while these wait. `locations` are
    /// those of all processes; `now` has what the held ones use now, by mode; `forbidden` has the resources,
    /// by mode, whose use would not commute with that.
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
        let meets = mode_number(AccessMode::Meet) * self.words;
        self.held_meets.copy_from_slice(&now[meets..meets + self.words]);
        self.forbidden.clear();
        self.forbidden.extend_from_slice(forbidden);
        self.is_in_the_way = false;
        self.budget = MOST_STAYS;
        if self.processes.len() < locations.len() {
            self.processes.resize_with(locations.len(), Process::default);
        }
        let others = (0..locations.len()).filter(|slot| held >> slot & 1 == 0);
        for slot in others.clone() {
            self.begin(View { state, slot }, locations[slot]);
        }
        loop {
            let mut is_done = true;
            for slot in others.clone() {
                is_done &= !self.process(View { state, slot });
                if self.is_in_the_way {
                    return Look::InTheWay(slot);
                }
            }
            if self.budget == 0 {
                return Look::Unknown;
            }
            if is_done {
                return Look::Clear;
            }
        }
    }

    /// Records a change of something that stays may have read.
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

    /// Examines the moves of a process until nothing is new to it. Returns whether something was.
    fn process(&mut self, view: View<'_>) -> bool {
        let process = &mut self.processes[view.slot];
        let changed = std::mem::take(&mut process.changed);
        for stay in &mut process.stays {
            stay.is_open |= stay.reads & changed != 0;
        }
        let mut is_new = false;
        while self.budget > 0
            && let Some(at) = self.processes[view.slot].stays.iter().position(|stay| stay.is_open)
        {
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
            self.budget -= 1;
            self.looked_at += 1;
            if self.is_in_the_way || self.budget == 0 {
                break;
            }
        }
        is_new
    }

    /// Examines the moves from a location, in the present environment.
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
        // The first block with an alternative that is certainly possible.
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
            if self.is_in_the_way {
                return;
            }
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

    /// A process reaches a location with the environment `arrived`.
    fn arrive(&mut self, slot: usize, location: LocationId) {
        let mut changed = 0;
        let process = &mut self.processes[slot];
        let fields = process.entries - process.added.len();
        for at in 0..process.added.len() {
            let (sum, cell) = (self.arrived[fields + at], self.ahead.code.types[process.ty].adds[at]);
            let hull = process.added[at].hull(sum);
            if hull != process.added[at] {
                // Was examined by the step that added.
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
}
