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
//! The cells of a queue with one sender and one receiver need no order (`queues`). What is done where the schedule makes a difference for a
//! while is in [`crate::branches`]: there, a path is looked at piece by piece (`piece`).
//!
//! A loop is looked at for iteration 0, then for an iteration that stands for all others: comparisons are decided for all of them at
//! once, and what is known at its end must be what was known at the end of the one before, with the numbers of events moved on.

mod events;
mod known;
mod partners;
mod piece;
mod queues;
mod regular;
mod rejoined;
mod timeouts;

pub use known::Known;
pub use piece::{Piece, Refused};

use crate::clock;
use crate::contested::{Blame, Contested};
use crate::evaluate::Stop;
use crate::machine::Notes;
use crate::memory::Memory;
use crate::path::Path;
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::{Event, Item, Side};
use crate::value::{DEPTH, Nest, Value};
use crate::windows::{Classes, Joined, Meetings, Pairs, Part, Window};
use regular::is_regular;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use volvelle_model::{FieldId, Origin};

/// Iterations of a loop that are looked at, at most.
const MOST_PASSES: i64 = 5;
/// How often windows are widened.
const MOST_ROUNDS: usize = 64;

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
