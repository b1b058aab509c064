//! The certificate: whether every schedule takes the steps of a path, in an order that makes no difference.
//!
//! For each event of the path, the set of events is found that must have happened before it under *every* schedule, as long as all
//! schedules so far have taken the same steps. That is its process's past, and the past of those writes for whose values it waits:
//! all guards of the process must be false as long as one of them is missing ([`crate::waiting`]). Any other access to a cell that it
//! uses must be in this set, or commute (additions); else two schedules may differ, and there is no certificate. Partners
//! of handshakes may be exchanged where that makes no difference ([`crate::windows`]).
//!
//! Then by induction over the steps of any schedule, every process passes the locations that it passes on the path, in the same order, and
//! every effect reads the same values: a step that is possible has all of its necessary past behind it, and what it reads was
//! written by that past alone. (Compare the determinacy of Karp and Miller, *Properties of a model for parallel computations*, 1966,
//! doi:10.1137/0114108, and persistent sets of one element in Godefroid, *Partial-order methods for the verification of concurrent
//! systems*, 1996, doi:10.1007/3-540-60761-7.) Atomic sequences restrict schedules further, and are not made use of beyond steps that
//! cannot wait. A certificate says what every run has in common that reaches the goal.
//!
//! The goal must not hold between the steps of any other schedule before it does on the path, or where it never does there. So
//! the writes on which it depends must be in an order that all schedules have: its values are then those of the path, one after the other.
//!
//! A path that is cut off at a bound of the cost ([`crate::bound`]) ends where no step is possible but those that are held back. It is a
//! whole path of the program in which these steps are impossible, and by the above, every process of that program goes no further
//! than on the path, whatever the schedule. A run of the real program that goes further takes one of the held steps first.
//! With it, the cost exceeds the bound, whatever the schedule: all earlier writes of variables on which the cost depends must be in its past,
//! as where the goal is reached. Before it, the goal holds nowhere, if it does not on the path; and costs never decrease.
//! So no run that makes the choices of the path reaches the goal within the bound. If the path comes to the goal, that must be in the
//! past of the held steps: then runs that go further have reached it already, at the same cost.
//!
//! A loop is looked at for iteration 0, then for an iteration that stands for all others: comparisons are decided for all of them at
//! once, and what is known at its end must be what was known at the end of the one before, with the numbers of events moved on.

mod partners;
mod piece;
mod queues;
mod regular;
mod rejoined;
mod timeouts;

pub use piece::{Piece, Refused};

use crate::clock::{self, Clock, Point};
use crate::contested::{Blame, Contested};
use crate::evaluate::Stop;
use crate::history::{Entry, History};
use crate::machine::Notes;
use crate::memory::Memory;
use crate::path::Path;
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::{Event, Item, Side};
use crate::value::{DEPTH, Nest, Value};
use crate::waiting::{Open, Waiting};
use crate::windows::{Classes, Ghost, Joined, Meetings, Pairs, Part, Window};
use queues::Use;
use regular::is_regular;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use volvelle_model::{FieldId, Origin};

/// Iterations of a loop that are looked at, at most.
const MOST_PASSES: i64 = 5;
/// How often windows are widened.
const MOST_ROUNDS: usize = 64;

/// What is known at a point of the path.
#[derive(Clone, Debug)]
pub struct Known {
    /// By process: what must have happened where its last event has.
    clocks: Vec<Clock>,
    /// Processes that have ended.
    ended: Vec<bool>,
    /// Where each process is, once it has moved or was created.
    at: Vec<Option<u32>>,
    cells: FxHashMap<u32, History>,
    /// By class of handshakes.
    meetings: Vec<Meetings>,
    /// By channel: offers that were not used.
    ghosts: FxHashMap<i64, Vec<Ghost>>,
    /// By channel: handshakes of earlier pieces of the path.
    past: FxHashMap<i64, Vec<[Point; 2]>>,
    /// What must have happened where the last contested step has.
    chain: Clock,
    /// Channels with buffers.
    queues: FxHashMap<queues::Slot, queues::Queue>,
    /// The last write of a cell on which the goal depends: one of these.
    goal: Vec<Point>,
    /// Those writes are not in an order that all schedules have.
    goal_is_unordered: bool,
    /// Where the goal was reached.
    reached: Option<Point>,
    /// By process: its last handshake.
    last_handshakes: Vec<Option<timeouts::Last>>,
    /// A server may have to wait within a window.
    may_block: bool,
}

/// Looks at a path.
pub struct Order<'a, 'p> {
    compiled: &'a Compiled<'p>,
    last: &'a Memory,
    goal_fields: &'a [FieldId],
    parts: Vec<Part<'a>>,
    /// What is known where they begin.
    start: Known,
    /// Steps among which branches choose, and whether the first part is one.
    contested: Option<&'a Contested>,
    is_branch: bool,
    /// Nothing else can happen before the first part, and everything that comes later knows of it.
    is_barrier: bool,
    joined: Joined,
    classes: Classes,
    windows: FxHashMap<usize, Window>,
    /// Handshakes to be joined: behind one part up to another.
    wanted: Vec<(usize, usize)>,
    known: Known,
    /// Writes are forgotten of which only processes do not know that wait for something else: those must know of them when they go on.
    forgets: bool,
    nest: Nest,
    origin: Origin,
    /// What a refusal is about.
    blames: RefCell<Vec<Blame>>,
}

/// Looks whether all schedules take the steps of a path. It comes to its last state again and again by its last item if it is endless.
/// `pairs` are handshakes that other paths had to join; those of this one are added.
///
/// # Errors
/// That is not certain, and why.
pub fn certify(
    path: &mut Path<'_, '_>,
    goal_fields: &[FieldId],
    is_endless: bool,
    pairs: &mut Pairs,
) -> Result<(), Refusal> {
    let at_end = at_end(path, is_endless).map_err(|_| Refusal::Irregular)?;
    let machine = &path.machine;
    let mut parts = Vec::new();
    flatten(&path.items, &mut parts);
    let start = Known::new(machine.processes() as usize);
    let mut order = Order::new(machine.compiled, &machine.memory, goal_fields, parts, start);
    order.joined.pairs.clone_from(pairs);
    let mut result = order.rounds(&at_end);
    if result.is_err() && !pairs.is_empty() {
        // What others had to join need not be right here.
        order.joined = Joined::new(order.parts.len(), Pairs::default());
        result = order.rounds(&at_end);
    }
    if result == Err(Refusal::Irregular) {
        // What processes do not know that wait for something else may be what keeps on growing.
        order.forgets = true;
        result = order.rounds(&at_end);
    }
    if result.is_ok() {
        pairs.extend(&order.joined.pairs);
    }
    result
}

/// What can happen at the end of a path.
#[derive(Default)]
struct AtEnd {
    /// Processes that wait.
    resting: Vec<Side>,
    /// Steps that are held back.
    beyond: Vec<Event>,
}

fn at_end(path: &mut Path<'_, '_>, is_endless: bool) -> Result<AtEnd, Stop> {
    let beyond = path.beyond()?;
    let machine = &mut path.machine;
    // Processes that move in a loop without end do not rest, nor those whose steps are held back.
    let mut movers = beyond.iter().map(|event| event.sides[0].slot).collect();
    if let Some(Item::Loop(last)) = path.items.last().filter(|_| is_endless) {
        collect_movers(&last.body, &mut movers);
    }
    let mut resting = Vec::new();
    for slot in (0..machine.processes()).filter(|slot| !movers.contains(slot)) {
        if machine.has_ended(slot) {
            continue;
        }
        let (mut notes, mut moves) = (Notes::default(), Vec::new());
        machine.moves(slot, &mut notes, &mut moves)?;
        // A loop without end may keep others from moving on the path, but not in every schedule.
        if !moves.is_empty() {
            return Err(Stop::Undecided);
        }
        let unused = machine.offers(slot, &mut notes)?;
        resting.push(Side::new(slot, machine.at(slot), 0, notes.reads, unused));
    }
    Ok(AtEnd { resting, beyond })
}

/// The processes that move. Recursion is as deep as loops nest.
fn collect_movers(items: &[Item], movers: &mut Vec<u32>) {
    for item in items {
        match item {
            Item::Event(event) => movers.extend(event.sides.iter().map(|side| side.slot)),
            Item::Loop(inner) => collect_movers(&inner.body, movers),
        }
    }
}

/// Recursion is as deep as loops nest, at most [`DEPTH`].
fn flatten<'a>(items: &'a [Item], parts: &mut Vec<Part<'a>>) {
    for item in items {
        match item {
            Item::Event(event) => parts.push(Part::Event(event)),
            Item::Loop(inner) => {
                let begin = parts.len();
                parts.push(Part::End);
                flatten(&inner.body, parts);
                parts[begin] = Part::Begin { count: inner.count, end: parts.len() };
                parts.push(Part::End);
            }
        }
    }
}

impl Known {
    /// Nothing.
    pub fn new(processes: usize) -> Self {
        Known {
            clocks: vec![clock::nothing(processes); processes],
            ended: vec![false; processes],
            at: vec![None; processes],
            cells: FxHashMap::default(),
            meetings: Vec::new(),
            ghosts: FxHashMap::default(),
            past: FxHashMap::default(),
            chain: clock::nothing(processes),
            queues: FxHashMap::default(),
            goal: Vec::new(),
            goal_is_unordered: false,
            reached: None,
            last_handshakes: vec![None; processes],
            may_block: false,
        }
    }

    /// The next event of a process.
    fn next(&self, process: u32) -> Point {
        let number = self.clocks[process as usize][process as usize] + 1;
        Point { process, number }
    }

    /// Changes all values.
    fn each_value(&mut self, f: impl Fn(Value) -> Option<Value>) -> Option<()> {
        for history in self.cells.values_mut() {
            for write in &mut history.writes {
                write.before = f(write.before)?;
                write.after = f(write.after)?;
            }
        }
        Some(())
    }
}

impl<'a, 'p> Order<'a, 'p> {
    /// Of some parts of a path; `last` is the memory behind them.
    fn new(
        compiled: &'a Compiled<'p>,
        last: &'a Memory,
        goal_fields: &'a [FieldId],
        parts: Vec<Part<'a>>,
        start: Known,
    ) -> Self {
        let classes = Classes::new(&parts);
        Order {
            compiled,
            last,
            goal_fields,
            joined: Joined::new(parts.len(), Pairs::default()),
            parts,
            known: start.clone(),
            start,
            contested: None,
            is_branch: false,
            is_barrier: false,
            windows: FxHashMap::default(),
            wanted: Vec::new(),
            classes,
            forgets: false,
            nest: Nest::none(),
            origin: Origin(0),
            blames: RefCell::default(),
        }
    }
}

impl Order<'_, '_> {
    /// Looks at the path again as long as there are handshakes to be joined.
    fn rounds(&mut self, at_end: &AtEnd) -> Result<(), Refusal> {
        self.joined.join_alike(&self.parts, &self.classes);
        for _ in 0..MOST_ROUNDS {
            self.blames.borrow_mut().clear();
            self.windows =
                self.joined.windows(&self.parts, &self.classes).map_err(|part| self.partner(part))?;
            self.known.clone_from(&self.start);
            self.known.meetings = vec![Meetings::default(); self.classes.count];
            self.nest = Nest::none();
            self.wanted.clear();
            let result = self.range(0, self.parts.len(), 0).and_then(|()| self.end(at_end));
            if self.wanted.is_empty() {
                return result;
            }
            for (from, to) in std::mem::take(&mut self.wanted) {
                let joined = self.joined.join(&self.parts, &self.classes, from, to);
                joined.ok_or_else(|| self.partner(to))?;
            }
            self.joined.join_alike(&self.parts, &self.classes);
        }
        Err(Refusal::Irregular)
    }

    fn blame(&self, blame: Blame) {
        self.blames.borrow_mut().push(blame);
    }

    /// Whether branches choose between the steps that use a cell.
    fn is_contested(&self, cell: u32) -> bool {
        self.contested.is_some_and(|contested| contested.has_cell(self.compiled, self.last, cell))
    }

    fn race(&self, cell: u32) -> Refusal {
        self.blame(Blame::Cell(cell));
        Refusal::Race { field: self.last.fields[cell as usize], origin: self.origin }
    }

    fn partner(&self, part: usize) -> Refusal {
        let origin = match self.parts[part] {
            Part::Event(event) => {
                event.channel.into_iter().for_each(|at| self.blame(Blame::Channel(at)));
                self.origin_of(&event.sides[0])
            }
            _ => self.origin,
        };
        Refusal::Partner { origin }
    }

    fn origin_of(&self, side: &Side) -> Origin {
        let location = &self.compiled.locations[side.location as usize];
        let mut alternatives = location.blocks.iter().flat_map(|block| &block.alternatives);
        let first = alternatives.clone().next();
        alternatives.find(|a| a.number == side.alternative).or(first).map_or(Origin(0), |a| a.origin)
    }

    fn is_shared(&self, cell: u32) -> bool {
        !self.last.is_own[cell as usize] && !self.compiled.is_exempt[self.last.fields[cell as usize].index()]
    }

    /// The parts from one to another. Recursion is as deep as loops nest.
    fn range(&mut self, from: usize, to: usize, depth: usize) -> Result<(), Refusal> {
        let mut at = from;
        while at < to {
            match self.parts[at] {
                Part::Event(event) => {
                    self.event(at, event)?;
                    at += 1;
                }
                Part::Begin { count, end } => {
                    if depth >= DEPTH {
                        return Err(Refusal::Irregular);
                    }
                    self.iterations(at + 1, end, depth, count)?;
                    at = end + 1;
                }
                Part::End => at += 1,
            }
        }
        Ok(())
    }

    /// All iterations of a loop.
    fn iterations(&mut self, from: usize, to: usize, depth: usize, count: i64) -> Result<(), Refusal> {
        let start = self.known.clocks.clone();
        let mut before: Option<Known> = None;
        let mut passes = 0;
        while passes < count {
            if passes == MOST_PASSES {
                return Err(Refusal::Irregular);
            }
            let (low, high) = if passes == 0 { (0, 0) } else { (passes, count - 1) };
            self.nest.set(depth, low, high);
            self.range(from, to, depth + 1)?;
            passes += 1;
            // Values become functions of the number of the next iteration.
            self.known.each_value(|value| value.after(depth, -1).ok()).ok_or(Refusal::Irregular)?;
            if before.is_some_and(|before| is_regular(&start, &before, &self.known)) {
                break;
            }
            before = Some(self.known.clone());
        }
        self.nest.set(depth, 0, 0);
        let ended = |value: Value| {
            let value = value.after(depth, count).ok()?;
            Some(value.with_slope(depth, 0))
        };
        self.known.each_value(ended).ok_or(Refusal::Irregular)
    }

    fn event(&mut self, part: usize, event: &Event) -> Result<(), Refusal> {
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

    /// Adds to a set what must have happened before the guards of a process have the values that they have.
    fn wait(&mut self, side: &Side, clock: &mut Clock, is_meeting: bool) -> Result<(), Refusal> {
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
            // Those in between are known only if all of them are additions.
            if writes.len() < history.writes.len() - first
                && !history.writes[first..].iter().all(|w| w.is_addition)
            {
                return Err(self.race(cell));
            }
            // Before one of them, an offer may have been at another channel.
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

    /// What an event reads and writes: all other accesses must be in its past, or commute.
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
                // The goal must not hold for a moment under another schedule.
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

    /// All writes of a cell must be in the past of what reads it.
    fn check_read(&mut self, cell: u32, clock: &Clock) -> Result<(), Refusal> {
        let Some(history) = self.known.cells.get(&cell) else { return Ok(()) };
        let is_past = clock::includes(clock, &history.floor)
            && history.writes.iter().all(|write| clock::contains(clock, write.point));
        if is_past { Ok(()) } else { Err(self.race(cell)) }
    }

    fn end(&mut self, at_end: &AtEnd) -> Result<(), Refusal> {
        self.rest(&at_end.resting)?;
        self.is_never_stuck()?;
        if self.known.reached.is_none() && self.known.goal_is_unordered {
            return Err(Refusal::Waiting { origin: self.origin });
        }
        // Each of them may be the first.
        for event in &at_end.beyond {
            let known = self.known.clone();
            self.event(0, event)?;
            let clock = &self.known.clocks[event.sides[0].slot as usize];
            let is_behind = known.reached.is_none_or(|goal| clock::contains(clock, goal));
            self.known = known;
            if !is_behind {
                return Err(Refusal::Waiting { origin: self.origin });
            }
        }
        Ok(())
    }

    /// Processes that wait at the end must wait under every schedule.
    fn rest(&mut self, resting: &[Side]) -> Result<(), Refusal> {
        for side in resting {
            let mut clock = self.known.clocks[side.slot as usize].clone();
            self.wait(side, &mut clock, false)?;
            let point = self.known.next(side.slot);
            let arrival = self.known.clocks[side.slot as usize].clone();
            self.unused(side, point, &arrival)?;
        }
        Ok(())
    }
}
