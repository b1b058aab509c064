//! Partial-order reduction: which processes need to move in a state.
//!
//! In: a program of processes, and a state with its successors. Out: a set of processes whose steps suffice,
//! because nothing that the others can do before one of these moves conflicts with what these use now. It is
//! a persistent set (Overman's algorithm; Godefroid, *Partial-Order Methods for the Verification of
//! Concurrent Systems*, LNCS 1032, 1996), computed in every state from what each process uses at its location
//! and what it may use later ([`volvelle_model::independence`]). Channels and elements that instances got at
//! creation are distinguished. So a channel that only one sender and one receiver still use need not be
//! declared as such.
//!
//! What others can do before is over-approximated by all that they may ever do from their locations. If the
//! caller requests it, it is approximated by what they may do from the present state (module `interference`),
//! which takes longer and gives smaller sets.
//!
//! If propositions are observed, a set is used only if none of its steps changes one
//! (`volvelle_model::visible_transitions`).
//!
//! Deadlocks are preserved. The search ensures that no step is postponed forever, which also preserves errors
//! of steps: if a reduced set leads to nothing new, it expands in full.

mod ahead;
mod hint;

use crate::interference::{Ahead, Interference};
use crate::resources::{MODES, Resources, mode_number};
use hint::Hint;
use rustc_hash::FxHashMap;
use volvelle_kernel::EntityVec;
use volvelle_model::independence::{Commuting, Uses, commute, uses};
use volvelle_model::visible_transitions::{Changes, ObservedPropositions, VisibleTransitions, first_numbers};
use volvelle_model::{
    Access, AccessMode, FieldId, LocationId, NetworkLayout, PoolId, PriorityBlock, Program, SharedResource,
    Which,
};
use volvelle_store::BitSet;

/// Limit of processes; with more, nothing is reduced.
const MOST_PROCESSES: usize = 64;

/// The part of the reduction that does not depend on the state.
#[derive(Debug)]
pub struct Independence {
    uses: EntityVec<LocationId, Uses>,
    /// Fields of the own instance that uses at each location mention.
    fields: EntityVec<LocationId, Vec<FieldId>>,
    resources: Resources,
    /// Transitions that wait for a timeout.
    waiting: Vec<bool>,
    visible: VisibleTransitions,
    /// The first transition of each location.
    first_transitions: EntityVec<LocationId, usize>,
    /// By transition: its part in handshakes.
    offers: Vec<bool>,
    takes: Vec<bool>,
    /// For the analysis of what processes may do from a state on.
    ahead: Option<Box<Ahead>>,
    /// By mode: uses that change an observed proposition.
    observed: Vec<u64>,
}

/// The analysis of what processes may do before others move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookahead {
    /// By their locations.
    #[default]
    ByLocation,
    /// By the state.
    ByState,
}

/// The resources that some uses mean in a state, by mode.
#[derive(Clone, Debug, Default)]
struct Sets {
    by_mode: [BitSet; 6],
}

/// Whether what one process uses now conflicts with what another may use later.
#[derive(Clone, Debug)]
enum Conflict {
    Never,
    Always,
    /// If one of these slots is a queue that is full (`true`) or empty (`false`).
    If(Vec<(usize, bool)>),
}

impl Independence {
    /// The independence of a program whose states have this layout; `None` if nothing can be reduced.
    pub fn new(
        program: &Program,
        layout: &NetworkLayout,
        watched: &ObservedPropositions,
        lookahead: Lookahead,
    ) -> Option<Self> {
        let network = &program.network;
        // An expression that reads other processes, or the last moving process, depends on every step. With
        // priority classes, so does the set of processes that may move at all.
        if network.has_remote_reads || network.last.is_some() || network.priority.is_some() {
            return None;
        }
        // Ends of processes commute only if no other step of a process depends on whether it can end.
        let ends =
            |block: &PriorityBlock| block.alternatives.iter().any(|a| a.target() == LocationId::NOWHERE);
        if network.locations.iter().any(|l| l.blocks.len() > 1 && l.blocks.iter().any(ends)) {
            return None;
        }
        let resources = Resources::new(program, layout);
        let waits = |t: &volvelle_model::Alternative| {
            t.accesses.iter().any(|t| t.resource == SharedResource::Everything)
        };
        let waiting = network.alternatives().map(waits).collect();
        let visible = VisibleTransitions::new(program, watched)?;
        let uses = uses(network);
        let fields = uses.values().map(fields_of).collect();
        let mut made = Independence {
            uses,
            fields,
            resources,
            waiting,
            visible,
            first_transitions: first_numbers(network),
            offers: network.alternatives().map(|t| t.gives()).collect(),
            takes: network.alternatives().map(|t| t.takes()).collect(),
            ahead: None,
            observed: Vec::new(),
        };
        made.observed = made.observed_uses();
        if lookahead == Lookahead::ByState {
            made.ahead = Some(Box::new(Ahead::new(program, &made.uses, &made.resources)));
        }
        Some(made)
    }

    /// By mode: uses that change an observed proposition.
    fn observed_uses(&self) -> Vec<u64> {
        let words = self.resources.words();
        let mut observed = vec![0; MODES.len() * words];
        for &resource in &self.visible.resources {
            let number = match resource {
                SharedResource::Field(_, Which::Constant(n))
                | SharedResource::Slot(_, Which::Constant(n)) => Some(n),
                _ => None,
            };
            for resource in self.resources.of(resource, number).into_iter().flatten() {
                for mode in [AccessMode::Write, AccessMode::Add, AccessMode::Put, AccessMode::Take] {
                    observed[mode_number(mode) * words + resource / 64] |= 1 << (resource % 64);
                }
            }
        }
        observed
    }

    fn sets(&self, accesses: &[Access], slot: usize, own: &dyn Fn(FieldId) -> i64) -> Sets {
        let mut sets = Sets::default();
        for set in &mut sets.by_mode {
            *set = BitSet::new(self.resources.count());
        }
        for access in accesses {
            let number = match access.resource {
                SharedResource::Field(_, which) | SharedResource::Slot(_, which) => match which {
                    Which::Constant(n) => Some(n),
                    Which::Own(field, less) => Some(own(field) - less),
                    Which::Mover => Some(slot as i64),
                    Which::Any => None,
                },
                _ => None,
            };
            let Some(range) = self.resources.of(access.resource, number) else { continue };
            let mode = mode_number(access.mode);
            range.for_each(|resource| _ = sets.by_mode[mode].insert(resource));
        }
        sets
    }

    /// Whether a step is a timeout, which depends on every other step.
    pub fn is_timeout(&self, step: u32) -> bool {
        self.waiting.get((step & 0xffff) as usize).copied().unwrap_or(false)
    }

    /// For each transition of a location, whether it changes an observed proposition when taken by the
    /// process in `slot`.
    fn seen(&self, location: LocationId, slot: usize, own: &dyn Fn(FieldId) -> i64) -> Vec<bool> {
        let known = |which| match which {
            Which::Own(field, less) => Which::Constant(own(field) - less),
            Which::Mover => Which::Constant(slot as i64),
            which => which,
        };
        let is_seen = |access: &Access| {
            self.visible.sees(match access.resource {
                SharedResource::Field(field, which) => SharedResource::Field(field, known(which)),
                SharedResource::Slot(pool, which) => SharedResource::Slot(pool, known(which)),
                resource => resource,
            })
        };
        let first = self.first_transitions[location];
        let end = self.first_transitions.get(LocationId(location.0 + 1)).copied();
        self.visible.changes[first..end.unwrap_or(self.offers.len())]
            .iter()
            .map(|changes| match changes {
                Changes::Seen => true,
                Changes::If(accesses) => accesses.iter().any(is_seen),
            })
            .collect()
    }

    /// Slots of the pool that some resource numbers stand for.
    fn slots_among(&self, pool: PoolId, set: &BitSet) -> Vec<usize> {
        let (first, count) = self.resources.slots_of(pool);
        set.iter()
            .filter(|resource| (first..first + count).contains(resource))
            .map(|resource| resource - first)
            .collect()
    }

    fn conflict(&self, now: &Sets, later: &Sets) -> Conflict {
        let is_empty = |sets: &Sets| sets.by_mode.iter().all(|set| set.count() == 0);
        if is_empty(now) || is_empty(later) {
            return Conflict::Never;
        }
        let mut conditions = Vec::new();
        for (i, &mine) in MODES.iter().enumerate() {
            for (j, &theirs) in MODES.iter().enumerate() {
                if !now.by_mode[i].intersects(&later.by_mode[j]) {
                    continue;
                }
                let mut both = now.by_mode[i].clone();
                both.intersect(&later.by_mode[j]);
                let full = match commute(mine, theirs) {
                    Commuting::Always => continue,
                    Commuting::No => return Conflict::Always,
                    Commuting::UnlessFull => true,
                    Commuting::UnlessEmpty => false,
                };
                conditions.extend(self.slots_among(CHANNELS, &both).into_iter().map(|slot| (slot, full)));
            }
        }
        if conditions.is_empty() { Conflict::Never } else { Conflict::If(conditions) }
    }
}

fn fields_of(uses: &Uses) -> Vec<FieldId> {
    let own = |t: &Access| match t.resource {
        SharedResource::Field(_, Which::Own(field, _)) | SharedResource::Slot(_, Which::Own(field, _)) => {
            Some(field)
        }
        _ => None,
    };
    let mut fields: Vec<FieldId> = uses.now.iter().chain(&uses.later).filter_map(own).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The pool of channels: a network has processes first.
const CHANNELS: PoolId = PoolId(1);

/// The situation of a process: its slot, its location, and the values of its relevant fields.
type Situation = (u32, u32, Vec<i64>);

/// Processes (slots as bits) whose steps change an observed proposition.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// By a step of their own.
    moving: u64,
    /// Possibly, when they receive an offer.
    taking: u64,
    /// Not these: processes that offer something.
    offering: u64,
}

impl Seen {
    /// Whether a step of these processes may be seen.
    fn forbid(&self, chosen: u64) -> bool {
        chosen & self.moving != 0 || (chosen & self.offering != 0 && chosen & self.taking != 0)
    }
}

/// Reduces states for one worker. It caches what situations use, and which conflict.
pub struct Reducer<'a> {
    program: &'a Program,
    layout: &'a NetworkLayout,
    independence: &'a Independence,
    known: FxHashMap<Situation, u32>,
    /// For situations without relevant fields: by slot and location; [`NO_SITUATION`] if not known yet.
    plain: Vec<u32>,
    sets: Vec<(Sets, Sets)>,
    /// By situation: the transitions that change an observed proposition.
    seen: Vec<Vec<bool>>,
    conflicts: FxHashMap<(u32, u32), Conflict>,
    /// Conflicts of situations with small numbers, without conditions: by the situation of now and of later,
    /// as [`UNKNOWN`] etc.
    rows: Vec<Vec<u8>>,
    /// Situation of each process in the current state.
    here: Vec<u32>,
    /// And their locations.
    locations: Vec<LocationId>,
    key: Situation,
    interference: Option<Interference<'a>>,
    /// What the processes whose steps are to suffice use now, by mode; and the uses by others that do not
    /// commute with it.
    now: Vec<u64>,
    forbidden: Vec<u64>,
    /// Sets of processes already examined in the present state.
    tried: Vec<u64>,
    /// By locations of all processes: the results for states with these.
    hints: FxHashMap<Vec<LocationId>, Hint>,
}

impl<'a> Reducer<'a> {
    /// A machine for one worker.
    pub fn new(program: &'a Program, layout: &'a NetworkLayout, independence: &'a Independence) -> Self {
        Reducer {
            program,
            layout,
            independence,
            known: FxHashMap::default(),
            plain: Vec::new(),
            sets: Vec::new(),
            seen: Vec::new(),
            conflicts: FxHashMap::default(),
            rows: Vec::new(),
            here: Vec::new(),
            locations: Vec::new(),
            key: (0, 0, Vec::new()),
            interference: independence
                .ahead
                .as_ref()
                .map(|ahead| Interference::new(program, layout, &independence.resources, ahead)),
            now: Vec::new(),
            forbidden: Vec::new(),
            tried: Vec::new(),
            hints: FxHashMap::default(),
        }
    }

    /// How often a location of another process was examined.
    pub fn looked_at(&self) -> u64 {
        self.interference.as_ref().map_or(0, |interference| interference.looked_at)
    }

    /// The part of the reduction that does not depend on the state.
    pub fn independence(&self) -> &'a Independence {
        self.independence
    }

    /// A set of processes (slots as bits) whose steps suffice in a state and that leads to fewer successors
    /// than all processes. `steps` lead to the successors; `movers` are the processes with steps, and how
    /// many. `None` if all must move.
    pub fn sufficient(&mut self, state: &[u64], steps: &[u32], movers: &[(usize, usize)]) -> Option<u64> {
        let network = &self.program.network;
        let live = self.layout.get(state, network.pools[0].count, 0, 0) as usize;
        if movers.len() < 2 || live > MOST_PROCESSES {
            return None;
        }
        self.situations(state, live);
        let seen = self.seen_among(steps);
        if self.interference.is_some() {
            return self.sufficient_ahead(state, movers, live, seen);
        }
        let all: usize = movers.iter().map(|m| m.1).sum();
        let mut best: Option<(usize, u64)> = None;
        let mut against = [None; MOST_PROCESSES];
        for &(seed, _) in movers.iter().filter(|m| seen.moving >> m.0 & 1 == 0) {
            let mut chosen = 1u64 << seed;
            let mut looked_at = 0u64;
            while chosen != looked_at {
                let next = (chosen & !looked_at).trailing_zeros() as usize;
                looked_at |= 1 << next;
                let others = match against[next] {
                    Some(others) => others,
                    None => {
                        let others = self.in_the_way(state, next, live);
                        against[next] = Some(others);
                        others
                    }
                };
                chosen |= others;
            }
            if seen.forbid(chosen) {
                continue;
            }
            let size: usize = movers.iter().filter(|m| chosen >> m.0 & 1 != 0).map(|m| m.1).sum();
            if size < all && best.is_none_or(|(least, _)| size < least) {
                best = Some((size, chosen));
                if size == 1 {
                    break;
                }
            }
        }
        best.map(|(_, chosen)| chosen)
    }

    /// The processes that change an observed proposition in the present state.
    fn seen_among(&self, steps: &[u32]) -> Seen {
        let independence = self.independence;
        let mut seen = Seen::default();
        for &step in steps {
            let (slot, transition) = ((step >> 16 & 0x7fff) as usize, (step & 0xffff) as usize);
            // A step that is not a transition ends exclusive control; such steps are not reduced.
            let Some(&offers) = independence.offers.get(transition) else { continue };
            let first = independence.first_transitions[self.locations[slot]];
            let is_seen = self.seen[self.here[slot] as usize].get(transition - first);
            seen.moving |= u64::from(is_seen.copied().unwrap_or(true)) << slot;
            seen.offering |= u64::from(offers) << slot;
        }
        if seen.offering != 0 {
            for (slot, &situation) in self.here.iter().enumerate() {
                let first = independence.first_transitions[self.locations[slot]];
                let takes = &independence.takes[first..];
                let taking = self.seen[situation as usize].iter().zip(takes).any(|(&s, &t)| s && t);
                seen.taking |= u64::from(taking) << slot;
            }
        }
        seen
    }

    /// Finds the situation of each process.
    fn situations(&mut self, state: &[u64], live: usize) {
        let location = self.program.network.location.expect("a network has locations");
        self.here.clear();
        self.locations.clear();
        for slot in 0..live {
            let at = LocationId(self.layout.get(state, location, slot, 0) as u32);
            let fields = &self.independence.fields[at];
            if fields.is_empty() {
                let number = self.plain_situation(at, slot);
                self.here.push(number);
                self.locations.push(at);
                continue;
            }
            self.key.0 = slot as u32;
            self.key.1 = at.0;
            self.key.2.clear();
            for &field in fields {
                self.key.2.push(self.layout.get(state, field, slot, 0));
            }
            let number = match self.known.get(&self.key) {
                Some(&number) => number,
                None => {
                    let number = self.learn(at, slot);
                    self.known.insert(self.key.clone(), number);
                    number
                }
            };
            self.here.push(number);
            self.locations.push(at);
        }
    }

    /// The situation of a process without relevant fields: without hashing, since this is the usual case.
    fn plain_situation(&mut self, location: LocationId, slot: usize) -> u32 {
        let index = slot * self.independence.fields.len() + location.index();
        if let Some(&number) = self.plain.get(index)
            && number != NO_SITUATION
        {
            return number;
        }
        self.key.2.clear();
        let number = self.learn(location, slot);
        if self.plain.len() <= index {
            self.plain.resize(index + 1, NO_SITUATION);
        }
        self.plain[index] = number;
        number
    }

    /// Adds a situation, with the values of the key.
    fn learn(&mut self, location: LocationId, slot: usize) -> u32 {
        let fields = &self.independence.fields[location];
        let values = &self.key.2;
        let own = |field: FieldId| {
            let at = fields.iter().position(|&f| f == field).expect("all fields that matter are read");
            values[at]
        };
        let uses = &self.independence.uses[location];
        let now = self.independence.sets(&uses.now, slot, &own);
        let later = self.independence.sets(&uses.later, slot, &own);
        let number = self.sets.len() as u32;
        self.sets.push((now, later));
        self.seen.push(self.independence.seen(location, slot, &own));
        number
    }

    /// The processes that may interfere with what `process` does now.
    fn in_the_way(&mut self, state: &[u64], process: usize, live: usize) -> u64 {
        let mut others = 0;
        let now = self.here[process];
        for other in (0..live).filter(|&o| o != process) {
            let later = self.here[other];
            let row = self.rows.get(now as usize);
            let conflicts = match row.and_then(|row| row.get(later as usize)).copied().unwrap_or(UNKNOWN) {
                NEVER => false,
                ALWAYS => true,
                _ => self.conflicts_in(state, now, later),
            };
            if conflicts {
                others |= 1 << other;
            }
        }
        others
    }

    /// Whether two situations conflict in a state; cached.
    #[inline(never)]
    fn conflicts_in(&mut self, state: &[u64], now: u32, later: u32) -> bool {
        let sets = &self.sets;
        let conflict = self
            .conflicts
            .entry((now, later))
            .or_insert_with(|| self.independence.conflict(&sets[now as usize].0, &sets[later as usize].1));
        let known = match conflict {
            Conflict::Never => NEVER,
            Conflict::Always => ALWAYS,
            Conflict::If(conditions) => {
                return conditions
                    .iter()
                    .any(|&(slot, full)| is(self.program, self.layout, state, slot, full));
            }
        };
        let (now, later) = (now as usize, later as usize);
        if now.max(later) < MOST_IN_ROWS {
            if self.rows.len() <= now {
                self.rows.resize_with(now + 1, Vec::new);
            }
            if self.rows[now].len() <= later {
                self.rows[now].resize(later + 1, UNKNOWN);
            }
            self.rows[now][later] = known;
        }
        known == ALWAYS
    }
}

/// In [`Reducer::plain`]: not known yet.
const NO_SITUATION: u32 = u32::MAX;

/// Limit of situations whose conflicts are in [`Reducer::rows`].
const MOST_IN_ROWS: usize = 1024;

/// In [`Reducer::rows`]: nothing is known of two situations, or only conditions.
const UNKNOWN: u8 = 0;
/// [`Conflict::Never`].
const NEVER: u8 = 1;
/// [`Conflict::Always`].
const ALWAYS: u8 = 2;

/// Whether the queue in a slot is full, or empty.
fn is(program: &Program, layout: &NetworkLayout, state: &[u64], slot: usize, full: bool) -> bool {
    let network = &program.network;
    let pool = &network.pools[CHANNELS.index()];
    let in_use = layout.get(state, pool.count, 0, 0) as usize;
    if slot >= in_use.min(layout.shape().slots[CHANNELS].len()) {
        return false;
    }
    let kind = pool.kind.map_or(0, |kind| layout.get(state, kind, slot, 0) as usize);
    let component = pool.members[kind];
    let Some(queue) = network.queues.iter().find(|q| q.component == component) else {
        // A rendezvous channel stores nothing.
        return false;
    };
    let length = layout.get(state, queue.length, slot, 0);
    if full { length == queue.capacity } else { length == 0 }
}

/// The process of the first step to each successor of a state: slots, each with its number of successors.
pub fn movers(steps: &[u32], out: &mut Vec<(usize, usize)>) {
    out.clear();
    for &step in steps {
        let slot = (step >> 16 & 0x7fff) as usize;
        match out.iter_mut().find(|m| m.0 == slot) {
            Some(mover) => mover.1 += 1,
            None => out.push((slot, 1)),
        }
    }
}
