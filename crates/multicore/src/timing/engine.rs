//! Scheduling of tasks on cores.

use super::bus::Bus;
use super::flight::{Flying, Retired, Times};
use super::front::{Costs, Front, below};
use super::marks::Marks;
use super::shares::{Measured, Shares};
use super::slots::Slots;
use super::stack::Stack;
use super::window::Windows;
use crate::caches::{CacheCounts, Caches, ProtocolTable, SharedBlock, Touch};
use crate::limits::MOST_IN_FLIGHT;
use crate::machine::{Machine, MemoryOrder, Mode, Placement};
use crate::predictors::Training;
use crate::stage::{Op, Stage};
use crate::tasks::Task;
use volvelle_coherence::Operation;
use volvelle_diagnostics::Diagnostic;
use volvelle_instructions::{Class, Step};

/// For each register, the cycle in which its value is available, times 64, plus the core that made it. 0:
/// available from the beginning.
type Registers = [u64; 256];

/// The bits of a core in [`Registers`].
const CORE_BITS: u32 = 6;

/// Consecutive instructions, and the addresses of those that access memory.
#[derive(Clone, Copy)]
pub(super) struct Piece<'s> {
    pub ops: &'s [Op],
    pub steps: &'s [Step],
    pub addresses: &'s [u64],
}

/// A machine at work.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(super) machine: Machine,
    latencies: [u32; 13],
    pub(super) fronts: Vec<Front>,
    pub(super) slots: Vec<Slots>,
    pub(super) retired: Vec<Retired>,
    pub(super) dcache: Option<Caches>,
    pub(super) l2: Option<Caches>,
    pub(super) windows: Option<Windows>,
    pub(super) bus: Option<Bus>,
    pub(super) registers: Box<Registers>,
    pub(super) flying: Vec<Flying>,
    /// Lists of producers: distances.
    pub(super) producers: Vec<u32>,
    /// Places in flight of accesses that were assumed to hit and are not done yet.
    pub(super) waiting: Vec<u32>,
    /// Space to sort them in.
    order: Vec<u64>,
    /// The number of the first instruction in flight.
    pub(super) first: u64,
    /// The cycle from which the tasks behind a misprediction may start.
    pub(super) restart: u64,
    /// The number of the mispredicted instruction whose completion decides that.
    pub(super) unresolved: Option<u64>,
    /// When the present round begins, or the youngest tasks began.
    start: u64,
    /// Tasks of the present round, or of the present core.
    pub(super) held: u32,
    /// The core that takes tasks, if cores are independent.
    pub(super) filling: usize,
    /// The number of instructions in flight before the wrong path.
    pub(super) real: usize,
    /// Tasks of each core in the present round.
    shares: Vec<u32>,
    /// The core whose turn it is, if cores take turns.
    turn: usize,
    /// For each core, the number of the mispredicted instruction that it waits for; and, once that has left, the
    /// cycle until which it waits. Only if a misprediction delays its own core alone.
    blocked: Vec<Option<u64>>,
    free_from: Vec<u64>,
    /// Whether a misprediction ends the round.
    is_wrong: bool,
    /// Whether a misprediction held up the youngest tasks.
    is_after_squash: bool,
    pub rounds: u64,
    /// The cycle after the last retirement.
    pub cycles: u64,
    pub stack: Stack,
    /// Times of the first instructions, as many as asked for.
    pub timeline: Vec<Times>,
    timeline_most: usize,
    pub(super) costs: Costs,
    pub(super) marks: Marks,
    measured: Measured,
}

impl Engine {
    /// A machine that passes [`Machine::check`].
    pub fn new(machine: Machine, timeline_most: usize) -> Result<Self, Diagnostic> {
        machine.check()?;
        let table = ProtocolTable::new(&machine.protocol)?;
        let cores = machine.cores.len();
        let cache = |cores, shape| machine.has_caches.then(|| Caches::new(cores, shape, table.clone()));
        let front = Front::new(cache(1, &machine.l1i));
        let dcache = cache(cores, &machine.l1d);
        let l2 = machine.has_l2().then(|| Caches::new(1, &machine.l2.shape, table.clone()));
        let windows = (machine.reorder_buffer > 0).then(|| Windows::new(machine.reorder_buffer, cores));
        let bus = (machine.forward_bus > 0).then(|| Bus::new(machine.forward_bus));
        Ok(Engine {
            latencies: CLASSES.map(|class| machine.latencies.of(class)),
            fronts: vec![front; cores],
            slots: machine.cores.iter().map(|core| Slots::new(*core)).collect(),
            retired: vec![Retired::default(); cores],
            dcache,
            l2,
            windows,
            bus,
            registers: Box::new([0; 256]),
            flying: Vec::new(),
            producers: Vec::new(),
            waiting: Vec::new(),
            order: Vec::new(),
            first: 0,
            restart: 0,
            unresolved: None,
            start: 0,
            held: 0,
            filling: cores - 1,
            real: usize::MAX,
            shares: vec![0; cores],
            turn: 0,
            blocked: vec![None; cores],
            free_from: vec![0; cores],
            is_wrong: false,
            is_after_squash: false,
            rounds: 0,
            cycles: 0,
            stack: Stack::default(),
            timeline: Vec::new(),
            timeline_most,
            costs: Costs { miss: machine.miss, memory: machine.l2.memory },
            marks: Marks::default(),
            measured: Measured::new(cores, machine.mode == Mode::Rounds),
            machine,
        })
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Counts of the data caches.
    pub fn dcache(&self) -> CacheCounts {
        self.dcache.as_ref().map_or(CacheCounts::default(), |cache| *cache.counts())
    }

    /// Misses of the caches of instructions.
    pub fn icache_misses(&self) -> u64 {
        self.fronts.iter().filter_map(|front| front.icache.as_ref()).map(|cache| cache.counts().misses).sum()
    }

    /// Accesses to the second-level cache, and misses in it.
    pub fn l2(&self) -> (u64, u64) {
        self.l2.as_ref().map_or((0, 0), |cache| (cache.counts().accesses, cache.counts().misses))
    }

    /// What cores took at once.
    pub fn shares(&self) -> &Shares {
        &self.measured.shares
    }

    /// Blocks with coherence misses.
    pub fn shared_blocks(&self) -> Vec<SharedBlock> {
        self.dcache.as_ref().map_or(Vec::new(), Caches::shared_blocks)
    }

    /// Approximate number of bytes held.
    pub fn bytes(&self) -> u64 {
        let caches =
            self.fronts.iter().filter_map(|front| front.icache.as_ref()).chain(&self.dcache).chain(&self.l2);
        caches.map(Caches::bytes).sum::<u64>() + (self.flying.capacity() * size_of::<Flying>()) as u64
    }

    /// The core that takes the next task, which has `length` instructions. From then on the begin of the task
    /// is known.
    #[inline(always)]
    pub fn assign(&mut self, length: usize) -> usize {
        if self.machine.mode != Mode::Rounds {
            return self.place(length);
        }
        let cores = self.fronts.len();
        if self.held == 0 {
            self.rounds += 1;
            (0..cores).for_each(|core| self.begin(core));
            self.start_dealing();
        }
        match self.machine.placement {
            Placement::FirstFree => {
                let has_room = |core: &usize| self.shares[*core] < self.machine.tasks_per_core;
                let free = |core: &usize| (self.fronts[*core].cycle, self.fronts[*core].used);
                let core = (0..cores).filter(has_room).min_by_key(free).unwrap_or(0);
                self.shares[core] += 1;
                core
            }
            _ => self.deal(),
        }
    }

    /// A round begins: no core has a task.
    pub(super) fn start_dealing(&mut self) {
        self.shares.fill(0);
        self.turn = 0;
        self.is_wrong = false;
    }

    /// The core whose turn it is in a round: the next one that may take another task.
    #[inline]
    pub(super) fn deal(&mut self) -> usize {
        let cores = self.shares.len();
        if !self.machine.keeps_younger {
            return self.held as usize % cores;
        }
        let has_room = |core: &usize| self.shares[*core] < self.machine.tasks_per_core;
        let core = (self.turn..self.turn + cores).map(|core| core % cores).find(has_room).unwrap_or(0);
        self.turn = (core + 1) % cores;
        self.shares[core] += 1;
        core
    }

    /// Whether a task was the last one of its round.
    #[inline]
    pub(super) fn ends_round(&mut self, is_wrong: bool, core: usize) -> bool {
        if !self.machine.keeps_younger {
            return is_wrong
                || self.held as usize == self.shares.len() * self.machine.tasks_per_core as usize;
        }
        if is_wrong {
            self.shares[core] = self.machine.tasks_per_core;
        }
        self.shares.iter().all(|&share| share == self.machine.tasks_per_core)
    }

    /// Whether an instruction, given by its number in the stream, has completed (or retired) before the
    /// youngest tasks begin.
    pub fn is_past(&self, number: u64, training: Training) -> bool {
        let Some(place) = number.checked_sub(self.first) else { return true };
        let Some(flying) = self.flying.get(place as usize) else { return false };
        let cycle = if training == Training::Commit { flying.retire } else { flying.complete };
        cycle < self.start
    }

    /// Whether the next task is the first of a round, or of the tasks that a core takes together.
    pub fn begins(&self) -> bool {
        self.held == 0
    }

    /// Gives a task to a core; `is_wrong`: its successor is mispredicted.
    #[inline]
    pub fn take(&mut self, stage: &Stage, task: &Task, is_wrong: bool, core: usize) {
        self.held += 1;
        self.is_wrong = is_wrong || (self.machine.keeps_younger && self.is_wrong);
        self.measured.shares.mispredicted += u64::from(is_wrong && !self.machine.keeps_younger);
        let from = self.flying.len();
        self.fetch(stage, task, core);
        if self.machine.mode != Mode::Rounds {
            self.flying[from].begin = self.start;
            self.flying[from].is_after_squash = self.is_after_squash;
        }
        self.schedule(from, core);
        match self.machine.mode {
            Mode::Rounds => {
                if is_wrong && self.machine.has_wrong_paths {
                    self.take_wrong_path(stage, task);
                }
                if self.ends_round(is_wrong, core) {
                    self.close();
                }
            }
            Mode::Rolling | Mode::Optimistic => {
                if is_wrong && self.machine.keeps_younger {
                    self.blocked[core] = Some(self.first + self.flying.len() as u64 - 1);
                } else if is_wrong {
                    self.unresolved = Some(self.first + self.flying.len() as u64 - 1);
                }
                if is_wrong || self.held == self.machine.tasks_per_core {
                    self.held = 0;
                }
            }
        }
    }

    /// Schedules instructions that are fetched, of a core.
    #[inline]
    pub(super) fn schedule(&mut self, from: usize, core: usize) {
        match self.is_narrow() {
            true => self.schedule_as::<true>(from, core),
            false => self.schedule_as::<false>(from, core),
        }
    }

    /// Whether buffers or a bus have limits. The usual machine has none and skips the checks at each
    /// instruction.
    #[inline]
    fn is_narrow(&self) -> bool {
        self.windows.is_some() || self.bus.is_some()
    }

    #[inline(always)]
    fn schedule_as<const NARROW: bool>(&mut self, from: usize, core: usize) {
        for at in from..self.flying.len() {
            if NARROW {
                if let Some(bus) = &mut self.bus {
                    bus.add(self.first + at as u64, self.start);
                }
                if let Some(windows) = &mut self.windows {
                    windows.add(core as u8, self.first + at as u64);
                    windows.fetch(at, &mut self.flying, self.first, &self.machine.cores[core]);
                }
            }
            self.issue::<NARROW>(at, 0);
            self.record::<NARROW>(at);
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self) {
        self.is_wrong = false;
        self.retire_all();
        match self.machine.mode {
            Mode::Rounds => {
                // The cost of the last misprediction, after which nothing was executed.
                let pending = self.start.saturating_sub(self.cycles) * self.fronts.len() as u64;
                self.stack.squash -= pending;
            }
            Mode::Rolling | Mode::Optimistic => {
                for (core, (front, retired)) in self.fronts.iter().zip(&self.retired).enumerate() {
                    self.stack.imbalance += self.cycles - front.accounted;
                    self.measured.end(core, retired);
                }
            }
        }
        self.pass_marks();
    }

    /// All that is in flight retires.
    pub(super) fn retire_all(&mut self) {
        match self.machine.mode {
            Mode::Rounds => {
                // Without cycles nothing is in flight.
                if !self.flying.is_empty() {
                    self.close();
                }
            }
            Mode::Rolling | Mode::Optimistic => {
                self.settle(u64::MAX);
                if let Some(number) = self.unresolved.take() {
                    let resolved = self.resolved(&self.flying[(number - self.first) as usize]);
                    self.restart = self.restart.max(resolved);
                }
                self.cycles = self.flying.iter().map(|flying| flying.retire + 1).fold(self.cycles, u64::max);
                self.retire(self.flying.len());
                self.held = 0;
            }
        }
    }

    /// A core begins anew in the present cycle: all that it had has retired.
    #[inline]
    fn begin(&mut self, core: usize) {
        let front = &mut self.fronts[core];
        (front.cycle, front.used) = (self.start, 0);
        self.slots[core].start(self.start + 1);
        if let Some(windows) = &mut self.windows {
            windows.begin(core, self.start);
        }
        if let Some(bus) = &mut self.bus {
            bus.raise(self.start);
        }
    }

    /// Fetches a task.
    #[inline]
    fn fetch(&mut self, stage: &Stage, task: &Task, core: usize) {
        let piece = Piece {
            ops: &stage.ops,
            steps: &stage.steps[task.start as usize..task.end as usize],
            addresses: &stage.addresses[task.accesses as usize..],
        };
        self.fetch_piece(piece, core, u64::MAX, |access| stage.producers_of(task.accesses as usize + access));
    }

    /// Fetches instructions up to a cycle; returns their number.
    #[inline(always)]
    pub(super) fn fetch_piece<'s>(
        &mut self,
        piece: Piece<'s>,
        core: usize,
        until: u64,
        producers_of: impl Fn(usize) -> &'s [u32],
    ) -> usize {
        let width = self.machine.cores[core].width;
        let front = &mut self.fronts[core];
        let mut access = 0;
        for (at, step) in piece.steps.iter().enumerate() {
            let op = &piece.ops[step.instruction() as usize];
            if front.used == width {
                (front.cycle, front.used) = (front.cycle + 1, 0);
            }
            if front.cycle >= until {
                return at;
            }
            let stall = front.stall(op, self.costs, &mut self.l2);
            if stall > 0 {
                (front.cycle, front.used) = (front.cycle + u64::from(stall), 0);
            }
            front.used += 1;
            let mut flying = Flying {
                fetch: front.cycle,
                ready: 0,
                issue: 0,
                complete: 0,
                retire: 0,
                address: 0,
                overwritten: 0,
                before: Retired::default(),
                stall,
                latency: self.latencies[op.class as usize],
                extra: 0,
                producers: (0, 0),
                core: core as u8,
                destination: op.destination,
                sources: op.sources,
                size: op.size,
                is_memory: op.is_memory(),
                operation: op.operation.unwrap_or(Operation::Load),
                is_coherence: false,
                begin: 0,
                is_after_squash: false,
            };
            if op.is_memory() {
                flying.address = piece.addresses[access];
                let start = self.producers.len() as u32;
                let in_flight = self.flying.len() as u32;
                if self.machine.memory_order != MemoryOrder::Free {
                    let near = producers_of(access).iter().filter(|&&distance| distance <= in_flight);
                    self.producers.extend(near);
                }
                flying.producers = (start, self.producers.len() as u32);
                access += 1;
                // Squashed stores have no effect.
                let is_done = until == u64::MAX || flying.operation == Operation::Load;
                if let Some(dcache) = self.dcache.as_ref().filter(|_| is_done) {
                    if self.machine.mode == Mode::Rounds {
                        flying.extra = self.machine.foreseen(dcache, &flying, &self.waiting, &self.flying);
                    }
                    self.waiting.push(in_flight);
                }
            }
            self.flying.push(flying);
        }
        piece.steps.len()
    }

    /// Finds the cycle in which a fetched instruction issues. Older ones have theirs. The cycle is after
    /// `now`; everything up to `now` is final.
    #[inline(always)]
    fn issue<const NARROW: bool>(&mut self, at: usize, now: u64) {
        let forward = u64::from(self.machine.forward);
        let is_apart = self.machine.mode == Mode::Optimistic;
        let (older, rest) = self.flying.split_at_mut(at);
        let flying = &mut rest[0];
        let core = usize::from(flying.core);
        // Producers that are not in flight any more completed before and do not delay it.
        let mut ready = flying.ready.min(now);
        for source in flying.sources {
            let held = self.registers[usize::from(source)];
            let is_far = held & ((1 << CORE_BITS) - 1) != core as u64;
            let there = held >> CORE_BITS;
            let there = match is_far && held != 0 {
                true if is_apart => 0,
                true => match &mut self.bus {
                    Some(bus) if NARROW => there.max(bus.send(source, older, self.first, now)) + forward,
                    _ => there + forward,
                },
                false => there,
            };
            ready = there.max(ready);
        }
        for &distance in &self.producers[flying.producers.0 as usize..flying.producers.1 as usize] {
            let Some(place) = at.checked_sub(distance as usize) else { continue };
            let producer = &older[place];
            if self.machine.memory_order == MemoryOrder::AfterStores && !producer.operation.writes() {
                continue;
            }
            if !is_apart || producer.core == flying.core {
                ready = producer.complete.max(ready);
            }
        }
        flying.ready = ready;
        flying.issue = self.slots[core].take(ready.max(flying.fetch.max(now) + 1), flying.is_memory);
    }

    /// Finds when an issued instruction completes and retires, and records what younger ones need.
    #[inline(always)]
    fn record<const NARROW: bool>(&mut self, at: usize) {
        let flying = &mut self.flying[at];
        let core = usize::from(flying.core);
        flying.complete = flying.issue + u64::from(flying.latency) + u64::from(flying.extra);
        let register = &mut self.registers[usize::from(flying.destination)];
        flying.overwritten = *register;
        *register = flying.complete << CORE_BITS | core as u64;
        if NARROW && let Some(bus) = &mut self.bus {
            bus.write(self.first + at as u64, flying.destination);
        }
        let retired = &mut self.retired[core];
        flying.before = *retired;
        *retired = if flying.complete > retired.cycle {
            Retired { cycle: flying.complete, count: 1 }
        } else if retired.count < self.machine.cores[core].width {
            Retired { cycle: retired.cycle, count: retired.count + 1 }
        } else {
            Retired { cycle: retired.cycle + 1, count: 1 }
        };
        flying.retire = retired.cycle;
    }

    /// Schedules again what the delay of an access affects: younger instructions that issue after it. Younger
    /// ones that issued no later keep their cycles: they waited neither for the access nor for anything that
    /// waits for it.
    fn reschedule<const NARROW: bool>(&mut self, from: usize) {
        let now = self.flying[from].issue;
        if NARROW && let Some(bus) = &mut self.bus {
            bus.undo(from, &self.flying, now, self.first);
        }
        for (at, flying) in self.flying.iter().enumerate().skip(from).rev() {
            let core = usize::from(flying.core);
            self.registers[usize::from(flying.destination)] = flying.overwritten;
            self.retired[core] = flying.before;
            if NARROW && let Some(windows) = &mut self.windows {
                windows.undo(at, flying.core);
            }
            if flying.issue > now {
                self.slots[core].give(flying.issue, flying.is_memory);
            }
        }
        for at in from..self.flying.len() {
            if NARROW && let Some(windows) = &mut self.windows {
                let core = &self.machine.cores[usize::from(self.flying[at].core)];
                windows.fetch(at, &mut self.flying, self.first, core);
            }
            if self.flying[at].issue > now {
                self.issue::<NARROW>(at, now);
            }
            self.record::<NARROW>(at);
        }
    }

    /// Performs the accesses before a cycle, ordered by cycle, then core, then program order.
    pub(super) fn settle(&mut self, before: u64) {
        let Some(mut dcache) = self.dcache.take() else { return };
        let mut order = std::mem::take(&mut self.order);
        // Accesses by place, at first; then what was done is removed from the front.
        order.clear();
        order.extend(self.waiting.iter().map(|&at| u64::from(at)));
        let mut done = 0;
        let end = before.saturating_sub(self.start).min(1 << (64 - KEY_BITS - 1)) << KEY_BITS;
        'delays: loop {
            for key in &mut order[done..] {
                let at = *key & PLACE_MASK;
                let flying = &self.flying[at as usize];
                *key = (flying.issue - self.start) << KEY_BITS | u64::from(flying.core) << PLACE_BITS | at;
            }
            order[done..].sort_unstable();
            while done < order.len() && order[done] < end {
                let at = (order[done] & PLACE_MASK) as usize;
                done += 1;
                if at >= self.real && self.is_squashed(at) {
                    continue;
                }
                let flying = &mut self.flying[at];
                let effect = dcache.access(flying.core.into(), flying.operation, flying.address, flying.size);
                let mut extra = self.machine.cost(effect.touch);
                if effect.is_from_below {
                    extra += below(&mut self.l2, flying.address, flying.size, self.costs);
                }
                flying.is_coherence = effect.touch == Touch::Upgrade || effect.is_coherence;
                if flying.extra != extra {
                    flying.extra = extra;
                    match self.is_narrow() {
                        true => self.reschedule::<true>(at),
                        false => self.reschedule::<false>(at),
                    }
                    continue 'delays;
                }
            }
            break;
        }
        self.waiting.clear();
        self.waiting.extend(order[done..].iter().map(|key| (key & PLACE_MASK) as u32));
        self.order = order;
        self.dcache = Some(dcache);
    }

    /// Ends a round.
    pub(super) fn close(&mut self) {
        self.settle(u64::MAX);
        self.squash();
        let end = self.flying.iter().map(|flying| flying.retire).max().unwrap_or(self.start);
        let cores = self.fronts.len();
        let busy_cores = cores.min(self.held as usize);
        self.retire(self.flying.len());
        self.measured.round(self.fronts.iter().map(|front| front.accounted - self.start));
        for (core, front) in self.fronts.iter_mut().enumerate() {
            let idle = end + 1 - front.accounted;
            *(if core >= busy_cores && self.is_wrong {
                &mut self.stack.squash
            } else {
                &mut self.stack.imbalance
            }) += idle;
            front.accounted = end + 1;
        }
        self.cycles = end + 1;
        self.start = end + 1;
        if self.is_wrong {
            let cost = u64::from(self.machine.squash);
            self.start += cost;
            self.stack.squash += cost * cores as u64;
            self.fronts.iter_mut().for_each(|front| front.accounted = self.start);
        }
        self.held = 0;
    }

    /// Removes the oldest instructions from flight, which have retired.
    pub(super) fn retire(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let waiting = if self.machine.keeps_younger { self.blocked.len() } else { 0 };
        for core in 0..waiting {
            // The times of what leaves are final.
            if let Some(number) = self.blocked[core].filter(|&number| number < self.first + count as u64) {
                self.free_from[core] = self.resolved(&self.flying[(number - self.first) as usize]);
                self.blocked[core] = None;
            }
        }
        for (at, flying) in self.flying[..count].iter().enumerate() {
            let front = &mut self.fronts[usize::from(flying.core)];
            if flying.begin > front.accounted {
                let idle = flying.begin - front.accounted;
                *(if flying.is_after_squash { &mut self.stack.squash } else { &mut self.stack.imbalance }) +=
                    idle;
                front.accounted = flying.begin;
            }
            if flying.retire >= front.accounted {
                self.stack.retire(front.accounted, flying);
                front.accounted = flying.retire + 1;
            }
            if self.marks.is_used {
                self.marks.retire(self.first + at as u64, flying, &self.stack);
            }
            if self.timeline.len() < self.timeline_most {
                self.timeline.push(Times {
                    instruction: self.first + at as u64,
                    core: flying.core,
                    fetch: flying.fetch,
                    issue: flying.issue,
                    complete: flying.complete,
                    retire: flying.retire,
                });
            }
        }
        self.first += count as u64;
        if let Some(windows) = &mut self.windows {
            windows.remove(count);
        }
        if let Some(bus) = &mut self.bus {
            bus.remove(&self.flying[..count], self.first - count as u64);
        }
        if count == self.flying.len() {
            self.flying.clear();
            self.producers.clear();
            return;
        }
        self.flying.drain(..count);
        let start = self
            .flying
            .iter()
            .find(|flying| flying.is_memory)
            .map_or(self.producers.len() as u32, |flying| flying.producers.0);
        self.producers.drain(..start as usize);
        for flying in self.flying.iter_mut().filter(|flying| flying.is_memory) {
            flying.producers = (flying.producers.0 - start, flying.producers.1 - start);
        }
        self.waiting.iter_mut().for_each(|at| *at -= count as u32);
    }

    /// Chooses the core that takes a task of `length` instructions, if cores are independent, and sets the
    /// cycle in which it begins.
    fn place(&mut self, length: usize) -> usize {
        if self.held > 0 && self.room_at(length) <= self.start {
            return self.filling;
        }
        self.held = 0;
        loop {
            let free = |retired: &Retired| if retired.count == 0 { 0 } else { retired.cycle + 1 };
            let cores = self.fronts.len();
            let core = match self.machine.placement {
                Placement::RoundRobin => (self.filling + 1) % cores,
                _ => (0..cores)
                    .min_by_key(|&core| free(&self.retired[core]).max(self.free_from(core)))
                    .unwrap_or(0),
            };
            let mut start = free(&self.retired[core]);
            let mut is_squash = false;
            if self.free_from(core) > start {
                (start, is_squash) = (self.free_from(core), true);
            }
            let resolved = match self.unresolved {
                Some(number) => self.resolved(&self.flying[(number - self.first) as usize]),
                None => 0,
            };
            if resolved > start {
                (start, is_squash) = (resolved, true);
            }
            let room = self.room_at(length);
            if room > start {
                (start, is_squash) = (room, false);
            }
            start = start.max(self.restart);
            if self.dcache.is_some() && self.waiting.iter().any(|&at| self.flying[at as usize].issue < start)
            {
                self.settle(start);
                continue;
            }
            // All that is before the beginning is as it will be.
            self.unresolved = None;
            self.blocked[core] = None;
            self.free_from[core] = 0;
            self.restart = start;
            self.clean(start);
            self.start = start;
            self.filling = core;
            self.is_after_squash = is_squash;
            self.measured.take(core, start, &self.retired[core]);
            self.begin(core);
            return core;
        }
    }

    /// The cycle from which a core that mispredicted may take tasks again, if others do not wait for it.
    #[inline]
    fn free_from(&self, core: usize) -> u64 {
        match self.blocked[core] {
            Some(number) => self.resolved(&self.flying[(number - self.first) as usize]),
            None => self.free_from[core],
        }
    }

    /// The cycle from which on it counts that an instruction was mispredicted.
    fn resolved(&self, flying: &Flying) -> u64 {
        flying.complete + 1 + u64::from(self.machine.squash)
    }

    /// The cycle from which there is room for `length` more instructions.
    fn room_at(&self, length: usize) -> u64 {
        let too_many = (self.flying.len() + length).saturating_sub(MOST_IN_FLIGHT);
        self.flying[..too_many].iter().map(|flying| flying.retire + 1).max().unwrap_or(0)
    }

    /// Removes from time to time what has retired before a cycle.
    fn clean(&mut self, before: u64) {
        const MANY: usize = 512;
        if self.flying.len() < MANY {
            return;
        }
        let old = self.flying.iter().take_while(|flying| flying.retire < before).count();
        if old >= MANY / 2 || self.flying.len() + MANY > MOST_IN_FLIGHT {
            self.cycles =
                self.flying[..old].iter().map(|flying| flying.retire + 1).fold(self.cycles, u64::max);
            self.retire(old);
        }
    }
}

impl Machine {
    /// Cycles of an access in addition to those of a hit.
    #[inline]
    fn cost(&self, touch: Touch) -> u32 {
        match touch {
            Touch::Hit => 0,
            Touch::Upgrade => self.upgrade,
            Touch::Miss => self.miss,
        }
    }

    /// The probable cost of an access. The better the guess, the less is scheduled again. A block that the
    /// core already misses in the same round is assumed to have arrived.
    #[inline(always)]
    fn foreseen(&self, dcache: &Caches, access: &Flying, waiting: &[u32], flying: &[Flying]) -> u32 {
        let touch = dcache.foresee(access.core.into(), access.operation, access.address);
        if touch == Touch::Hit {
            return 0;
        }
        let block = dcache.block(access.address);
        let brings = |older: &Flying| {
            let is_enough = older.operation.writes() || (touch == Touch::Miss && !access.operation.writes());
            older.core == access.core && dcache.block(older.address) == block && is_enough
        };
        match waiting.iter().any(|&at| brings(&flying[at as usize])) {
            true => 0,
            false => self.cost(touch),
        }
    }
}

/// Keys of accesses: cycle, core, place in flight.
const PLACE_BITS: u32 = 14;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
const KEY_BITS: u32 = PLACE_BITS + CORE_BITS;

/// All classes, in the order of their numbers.
const CLASSES: [Class; 13] = {
    use Class::{
        Alu, Atomic, Branch, Call, Div, Fp, IndirectCall, IndirectJump, Jump, Load, Mul, Return, Store,
    };
    [Alu, Mul, Div, Fp, Load, Store, Atomic, Branch, Jump, IndirectJump, Call, IndirectCall, Return]
};

const _: () = assert!(2 * MOST_IN_FLIGHT <= 1 << PLACE_BITS && (Op::NO_REGISTER as usize) < 256);
