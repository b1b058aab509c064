//! The certificate: every schedule takes the steps of the path, in an order that makes no difference.
//!
//! For each event of the path, this module computes its *past*: the events that must have happened before it
//! under *every* schedule, provided that schedules have taken the same steps so far. The past of an event
//! consists of the past of its process, and of the pasts of the writes for which the process waits. A process
//! waits for a write if all its guards are false as long as the write is missing ([`crate::waiting`]). Every
//! other access to a cell of the event must be in its past or commute with it (additions do). Otherwise two
//! schedules may differ, and there is no certificate. Example: if `P` runs `x = 1` and `Q` waits for `x == 1`
//! before it reads `y`, then `x = 1` is in the past of that read, and so is everything that `P` did before.
//! Partners of handshakes may be exchanged where that makes no difference ([`crate::windows`]).
//!
//! By induction over the steps of any schedule, every process passes the same locations as on the path, in
//! the same order, and every effect reads the same values: when a step is possible, its past has happened,
//! and what it reads was written by its past alone. (Compare the determinacy of Karp and Miller, *Properties
//! of a model for parallel computations*, 1966, doi:10.1137/0114108, and persistent sets of one element in
//! Godefroid, *Partial-order methods for the verification of concurrent systems*, 1996,
//! doi:10.1007/3-540-60761-7.) Atomic sequences restrict schedules further; this is used only for steps that
//! cannot wait. So a certificate states what all runs that reach the goal have in common.
//!
//! No other schedule may satisfy the goal earlier than the path does, or at all if the path never does.
//! Therefore the writes on which the goal depends must have one order in all schedules: then their values
//! pass through the same sequence as on the path.
//!
//! A path that is cut off at a bound of the cost ([`crate::bound`]) ends when only held steps are possible.
//! It is a complete path of the program in which the held steps are impossible; so by the argument above, no
//! process of that program gets further, whatever the schedule. A run of the real program that gets further
//! takes a held step first:
//!
//! - With this step, the cost exceeds the bound, whatever the schedule: all earlier writes of variables on
//!   which
//!   the cost depends must be in its past, as where the goal is reached.
//! - Before it, the goal holds nowhere, unless it does on the path.
//! - Costs never decrease.
//!
//! So no run with the choices of the path reaches the goal within the bound. If the path itself reaches the
//! goal, this must be in the past of the held steps: runs that get further have then already reached it, at
//! the same cost.
//!
//! The cells of a queue with one sender and one receiver need no order (`queues`). Programs in which the
//! schedule matters for a while are handled in [`crate::branches`], which certifies a path piece by piece
//! (`piece`).
//!
//! A loop is examined for iteration 0, and then for one iteration that stands for all others. Comparisons are
//! decided for all of these at once. The knowledge at the end of the iteration must equal that at the end of
//! the one before, with the numbers of events moved on.

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

use crate::affine::Stop;
use crate::clock;
use crate::contested::{Blame, Contested};
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

/// Limit of passes over the body of a loop.
const MOST_PASSES: i64 = 5;
/// Limit of rounds in which windows are widened.
const MOST_ROUNDS: usize = 64;

/// The examination of a path.
pub struct Order<'a, 'p> {
    compiled: &'a Compiled<'p>,
    last: &'a Memory,
    goal_fields: &'a [FieldId],
    parts: Vec<Part<'a>>,
    /// The knowledge where the parts begin.
    start: Known,
    /// Resources whose steps are ordered by branching. `is_branch`: the first part is such a step.
    contested: Option<&'a Contested>,
    is_branch: bool,
    /// Whether nothing else can happen before the first part, so that all later events have it in their past.
    is_barrier: bool,
    joined: Joined,
    classes: Classes,
    windows: FxHashMap<usize, Window>,
    /// Pairs of handshakes whose windows must be joined, as numbers of parts.
    wanted: Vec<(usize, usize)>,
    known: Known,
    /// Whether a write is moved to the floor of its [`History`](crate::history::History) as soon as all
    /// processes that wait for its cell know of it. A process that does not know of it then has a race when
    /// it uses the cell.
    forgets: bool,
    nest: Nest,
    origin: Origin,
    /// The resources that refusals blame.
    blames: RefCell<Vec<Blame>>,
}

/// Certifies that all schedules take the steps of a path. If `is_endless`, the last item repeats forever.
/// `pairs` are handshakes that other paths had to join; those of this path are added.
///
/// # Errors
/// Why there is no certificate.
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
        // The pairs of other paths may be wrong here.
        order.joined = Joined::new(order.parts.len(), Pairs::default());
        result = order.rounds(&at_end);
    }
    if result == Err(Refusal::Irregular) {
        // Knowledge that keeps growing may be writes that processes waiting for other cells never learn of.
        order.forgets = true;
        result = order.rounds(&at_end);
    }
    if result.is_ok() {
        pairs.extend(&order.joined.pairs);
    }
    result
}

/// The possible steps at the end of a path.
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
    // A process of an endless loop does not rest, nor does one whose step is held back.
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
        // The endless loop keeps this process from moving only on the path, not in every schedule.
        if !moves.is_empty() {
            return Err(Stop::Undecided);
        }
        let unused = machine.offers(slot, &mut notes)?;
        resting.push(Side::new(slot, machine.at(slot), 0, notes.reads, unused));
    }
    Ok(AtEnd { resting, beyond })
}

/// Collects the processes that move. Recursion is as deep as loops nest.
fn collect_movers(items: &[Item], movers: &mut Vec<u32>) {
    for item in items {
        match item {
            Item::Event(event) => movers.extend(event.sides.iter().map(|side| side.slot)),
            Item::Loop(inner) => collect_movers(&inner.body, movers),
        }
    }
}

/// Flattens items to parts. Recursion is as deep as loops nest, at most [`DEPTH`].
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
    /// Examines some parts of a path; `last` is the memory after them.
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
    /// Examines the path, again as long as handshakes must be joined.
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

    /// Whether steps that use a cell are ordered by branching.
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

    /// The parts in a range. Recursion is as deep as loops nest.
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
            // Rewrites values in terms of the next iteration's number.
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
        // Each of them may be the first that a run takes.
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

    /// A process that waits at the end must wait there under every schedule.
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
