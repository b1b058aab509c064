//! All schedules of a program, where the schedule makes a difference for a while.
//!
//! Several units take work from one channel: which one takes what is up to the schedule, and no single path stands for all schedules. But
//! one path stands for all that make the same choices at the points that matter. What processes compete for is found by trying
//! ([`crate::contested`]); here, a path for each order of the contested steps is followed, and paths that come to the same state are
//! followed together from there on.
//!
//! *Claim.* Let a path be made like this: all steps that are not contested are taken until none is possible; then a contested step is
//! chosen among all that are possible, and so on; a `timeout` where nothing at all is possible. If each of these paths has a
//! certificate (below), then in every schedule the processes pass the locations that they pass on one of them, in the same order and with the same values.
//!
//! *Argument.* A process at a location with a contested step takes no other steps: all its steps there are contested, and so are all
//! handshakes at channels where it has offers. Let a schedule take the contested steps `y1, y2, …` in this order, and take the path
//! that chooses `y1, …, yi`. Between `yi` and `yi+1` the schedule takes steps that are not contested, by the certificate steps
//! of this path, and by the same argument as in [`crate::order`] none that is not on it. (The certificate may make use of `yj` being
//! before `yj+1`: other orders have paths of their own.) The processes of `yi+1` have come where they wait for a contested step; on the path they are there, too, since only
//! `y1, …, yi` lead on from such locations. Whether and how they can take it depends on cells of their own, on cells that only
//! contested steps write, and on others of which all writes are in their past, or for all of which their guards wait (this is looked at in each state where a
//! contested step is chosen). So `yi+1` is possible on the path, and one of the choices. At a `timeout` all steps before it have been taken, as
//! nothing else is possible there but on the path: nothing of what comes later can be before any of them, and what was known need not be kept.
//!
//! Paths that come to the same state (but for variables on which nothing depends: [`crate::needed`]) go on alike. What is known on
//! them may differ, so that is joined: what is known on both, and all accesses that happened on one of them. With less knowledge there are fewer certificates, and
//! a certificate with what both know is one for each. States are looked at again when less is known than before.
//!
//! Atomic sequences restrict schedules, and are not made use of here either; so there may be paths that are no runs. Therefore all paths must
//! agree, and a run must be known that comes to the same end.

use crate::contested::{Blame, Contested};
use crate::evaluate::Stop as Halt;
use crate::machine::{Move, Notes};
use crate::memory::Memory;
use crate::order::{Known, Piece, Refused};
use crate::path::{Asked, Path, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::{Event, Item, Side};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use volvelle_model::FieldId;

/// How often something is added to what is contested.
const MOST_ATTEMPTS: usize = 16;
/// Steps before paths branch, at most.
const MOST_FIRST: u64 = 20_000;
/// States where paths branch, at most.
const MOST_NODES: usize = 20_000;

/// How the paths from some point on end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What holds where the goal is reached.
    pub reached: Option<Reached>,
    /// What is told besides at the end.
    pub observed: Option<Vec<i64>>,
    /// The locations of the processes at the end.
    pub locations: Vec<u32>,
}

/// The paths from some choices on.
#[derive(Debug)]
pub struct Branches {
    /// Their ends, those alike once.
    pub outcomes: Vec<Outcome>,
    /// Steps that were taken.
    pub executed: u64,
}

/// What is followed.
#[derive(Clone, Copy)]
pub struct Paths<'a, 'p> {
    pub compiled: &'a Compiled<'p>,
    pub asked: &'a Asked,
    pub goal_fields: &'a [FieldId],
    /// By field: whether something depends on it.
    pub needed: &'a [bool],
    /// Steps, at most.
    pub most: u64,
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why paths are not followed further.
enum Stop {
    Refused(Refusal),
    /// Something more is contested: from the beginning.
    Contested,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Refused(match halt {
            Halt::Failed(site) => Refusal::Failure(site),
            _ => Refusal::Irregular,
        })
    }
}

/// What states have in common to which no instance was added.
struct Shape {
    fields: Vec<FieldId>,
    bases: Vec<Vec<u32>>,
    is_own: Vec<bool>,
}

/// A state where paths branch.
struct Node {
    cells: Box<[i64]>,
    shape: Rc<Shape>,
    reached: Option<Reached>,
    known: Known,
    is_queued: bool,
}

/// What can happen in a state where paths branch.
struct Options {
    moves: Vec<(Move, Notes)>,
    /// Those of a process that decides by itself.
    is_decision: bool,
    /// Processes whose steps are contested, and others that rest.
    contested: Vec<Side>,
    resting: Vec<Side>,
}

impl<'a, 'p> Paths<'a, 'p> {
    /// The beginnings of all paths: the choices of single processes before the first handshake.
    pub fn beginnings(&self, most: u64) -> Result<Vec<Vec<u32>>, Refusal> {
        let mut found = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            let mut path = self.path()?;
            let begin = begin(&mut path, &choices, &Contested::default());
            begin.map_err(|stop| stop.refusal())?;
            let chosen: Vec<u32> = path.decisions.iter().map(|&(_, chosen)| chosen).collect();
            for (n, &(options, _)) in path.decisions.iter().enumerate().skip(choices.len()) {
                open.extend((1..options).map(|option| chosen[..n].iter().copied().chain([option]).collect()));
            }
            found.push(chosen);
            if (found.len() + open.len()) as u64 > most || (self.is_cancelled)() {
                return Err(Refusal::Limit);
            }
        }
        Ok(found)
    }

    /// How a run ends that begins with some choices. Elsewhere it takes the first step that is possible.
    pub fn run(&self, choices: &[u32]) -> Option<(Path<'a, 'p>, u64)> {
        let mut path = self.path().ok()?;
        begin(&mut path, choices, &Contested::default()).ok()?;
        path.machine.has_every_partner = true;
        let mut current = 0;
        let (mut moves, mut notes) = (Vec::new(), Notes::default());
        let mut executed = path.executed;
        while path.reached.is_none() {
            if path.next(current, &mut moves, &mut notes).ok()?.is_none()
                && !path.next_at_timeout(&mut moves, &mut notes).ok()?
            {
                break;
            }
            if executed >= self.most {
                return None;
            }
            let mut event = path.perform(moves[0], std::mem::take(&mut notes), None).ok()?;
            path.look_for_goal(&mut event).ok()?;
            path.push(event);
            executed += 1;
            current = moves[0].slot;
        }
        Some((path, executed))
    }

    fn path(&self) -> Result<Path<'a, 'p>, Refusal> {
        Path::new(self.compiled, self.asked, None).map_err(|_| Refusal::Irregular)
    }

    /// All paths that begin with some choices.
    pub fn follow(&self, choices: &[u32]) -> Result<Branches, Refusal> {
        let mut contested = Contested::default();
        let mut executed = 0;
        for _ in 0..MOST_ATTEMPTS {
            let mut followed = Followed {
                paths: *self,
                path: self.path()?,
                contested,
                nodes: Vec::new(),
                index: FxHashMap::default(),
                queue: VecDeque::new(),
                outcomes: Vec::new(),
                executed,
            };
            match followed.all(choices) {
                Ok(()) => {
                    let Followed { outcomes, executed, .. } = followed;
                    return Ok(Branches { outcomes, executed });
                }
                Err(Stop::Refused(refusal)) => return Err(refusal),
                Err(Stop::Contested) => (contested, executed) = (followed.contested, followed.executed),
            }
        }
        Err(Refusal::Limit)
    }
}

impl Stop {
    fn refusal(self) -> Refusal {
        match self {
            Stop::Refused(refusal) => refusal,
            Stop::Contested => Refusal::Limit,
        }
    }
}

/// Takes steps of single processes as long as there are, and none is contested. Further decisions than those that were made take the first option.
fn begin(path: &mut Path<'_, '_>, choices: &[u32], contested: &Contested) -> Result<(), Stop> {
    let mut current = 0;
    let (mut moves, mut notes) = (Vec::new(), Notes::default());
    while path.next(current, &mut moves, &mut notes)?.is_some() {
        let slot = moves[0].slot;
        let is_alone = moves.iter().all(|step| step.partner.is_none());
        if !is_alone || contested.concerns(&mut path.machine, slot)?.0 {
            break;
        }
        if path.executed >= MOST_FIRST {
            return Err(Stop::Refused(Refusal::Limit));
        }
        let mut chosen = 0;
        if moves.len() > 1 {
            chosen = choices.get(path.decisions.len()).copied().unwrap_or(0);
            path.decisions.push((moves.len() as u32, chosen));
        }
        let step = moves[(chosen as usize).min(moves.len() - 1)];
        let mut event = path.perform(step, std::mem::take(&mut notes), None)?;
        path.executed += 1;
        path.look_for_goal(&mut event)?;
        path.push(event);
        current = slot;
    }
    Ok(())
}

/// Paths as far as they were followed.
struct Followed<'a, 'p> {
    paths: Paths<'a, 'p>,
    path: Path<'a, 'p>,
    contested: Contested,
    nodes: Vec<Node>,
    index: FxHashMap<Box<[i64]>, usize>,
    queue: VecDeque<usize>,
    outcomes: Vec<Outcome>,
    executed: u64,
}

impl<'a, 'p> Followed<'a, 'p> {
    fn all(&mut self, choices: &[u32]) -> Result<(), Stop> {
        let locations = self.path.machine.locations();
        let known = Known::new(locations.len());
        begin(&mut self.path, choices, &self.contested)?;
        let items = std::mem::take(&mut self.path.items);
        let mut events = Vec::with_capacity(items.len());
        for item in items {
            if let Item::Event(event) = item {
                events.push(*event);
            }
        }
        self.executed += events.len() as u64;
        self.go_on(&mut events)?;
        self.add(&known, &locations, &events, (false, false), None)?;
        while let Some(number) = self.queue.pop_front() {
            self.nodes[number].is_queued = false;
            self.branch(number)?;
        }
        Ok(())
    }

    /// What a refusal is about becomes contested.
    fn refused(&mut self, refused: Refused) -> Stop {
        let mut is_new = false;
        for blame in refused.blames {
            is_new |= self.contested.add(blame, self.paths.compiled, &self.path.machine.memory);
        }
        if is_new { Stop::Contested } else { Stop::Refused(refused.refusal) }
    }

    /// Whether the steps of a process are contested.
    fn is_contested(&mut self, slot: u32) -> Result<bool, Stop> {
        let (is_contested, channels) = self.contested.concerns(&mut self.path.machine, slot)?;
        if is_contested && let Some(channel) = self.contested.lacks(&channels) {
            self.contested.add(Blame::Channel(channel), self.paths.compiled, &self.path.machine.memory);
            return Err(Stop::Contested);
        }
        Ok(is_contested)
    }

    fn take(&mut self, step: Move, notes: Notes, is_timeout: bool) -> Result<Event, Stop> {
        if self.executed >= self.paths.most {
            return Err(Stop::Refused(Refusal::Limit));
        }
        self.executed += 1;
        let mut event = self.path.perform(step, notes, None)?;
        event.is_timeout = is_timeout;
        self.path.look_for_goal(&mut event)?;
        Ok(event)
    }

    /// Takes steps that are not contested until there are none, or a process has to decide.
    fn go_on(&mut self, events: &mut Vec<Event>) -> Result<(), Stop> {
        let mut current = 0;
        let (mut moves, mut rested) = (Vec::new(), 0);
        while rested < self.path.machine.processes() {
            let slot = current % self.path.machine.processes();
            moves.clear();
            let mut notes = Notes::default();
            if !self.path.machine.has_ended(slot) && !self.is_contested(slot)? {
                self.path.machine.moves(slot, &mut notes, &mut moves)?;
            }
            match moves[..] {
                [] => (current, rested) = (slot + 1, rested + 1),
                [step] => {
                    self.has_no_choice(step)?;
                    events.push(self.take(step, notes, false)?);
                    rested = 0;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// A process that takes something must not have a step of its own as well: that would be a choice between the two.
    fn has_no_choice(&mut self, step: Move) -> Result<(), Stop> {
        let Some((partner, _)) = step.partner else { return Ok(()) };
        let mut moves = Vec::new();
        self.path.machine.moves(partner, &mut Notes::default(), &mut moves)?;
        if moves.iter().all(|step| step.partner.is_some()) {
            return Ok(());
        }
        for offer in self.path.machine.offers(step.slot, &mut Notes::default())? {
            self.contested.add(Blame::Channel(offer.channel), self.paths.compiled, &self.path.machine.memory);
        }
        Err(Stop::Contested)
    }

    /// What can happen in the present state.
    fn options(&mut self) -> Result<Options, Stop> {
        let mut options =
            Options { moves: Vec::new(), is_decision: false, contested: Vec::new(), resting: Vec::new() };
        let mut moves = Vec::new();
        for slot in 0..self.path.machine.processes() {
            if self.path.machine.has_ended(slot) {
                continue;
            }
            let is_contested = self.is_contested(slot)?;
            let machine = &mut self.path.machine;
            let mut notes = Notes::default();
            moves.clear();
            machine.has_every_partner = is_contested;
            let result = machine.moves(slot, &mut notes, &mut moves);
            machine.has_every_partner = false;
            result?;
            if !is_contested && !moves.is_empty() {
                // A process that decides by itself does so under every schedule.
                options.moves = moves.iter().map(|&step| (step, notes.clone())).collect();
                options.is_decision = true;
                return Ok(options);
            }
            options.moves.extend(moves.iter().map(|&step| (step, notes.clone())));
            let unused = machine.offers(slot, &mut notes)?;
            let side = Side::new(slot, machine.at(slot), 0, notes.reads, unused);
            if is_contested { options.contested.push(side) } else { options.resting.push(side) }
        }
        Ok(options)
    }

    /// The steps that are possible where nothing else is.
    fn timeouts(&mut self) -> Result<Vec<(Move, Notes)>, Stop> {
        let mut steps = Vec::new();
        for slot in 0..self.path.machine.processes() {
            let (mut notes, mut moves) = (Notes::default(), Vec::new());
            self.path.machine.moves_at_timeout(slot, &mut notes, &mut moves)?;
            steps.extend(moves.into_iter().map(|step| (step, notes.clone())));
        }
        Ok(steps)
    }

    /// Goes on from a state with each step that is possible there.
    fn branch(&mut self, number: usize) -> Result<(), Stop> {
        if (self.paths.is_cancelled)() {
            return Err(Stop::Refused(Refusal::Limit));
        }
        self.restore(number);
        let options = self.options()?;
        let mut known = self.nodes[number].known.clone();
        let is_barrier = options.moves.is_empty();
        if !options.is_decision {
            let resting = if is_barrier { options.resting.as_slice() } else { &[] };
            let Paths { compiled, goal_fields, .. } = self.paths;
            let memory = &self.path.machine.memory;
            let piece = Piece { compiled, goal_fields, contested: &self.contested, last: memory };
            if let Err(refused) = piece.at_rest(&known, &options.contested, resting) {
                return Err(self.refused(refused));
            }
        }
        let mut steps = options.moves;
        if is_barrier {
            if self.nodes[number].reached.is_none() && self.paths.compiled.has_timeout {
                steps = self.timeouts()?;
            }
            if steps.is_empty() {
                return self.ends(number);
            }
            known = Known::new(known.processes());
        }
        let locations = self.path.machine.locations();
        for (n, (step, notes)) in steps.into_iter().enumerate() {
            if n > 0 {
                self.restore(number);
            }
            let machine = &mut self.path.machine;
            machine.has_every_partner = !options.is_decision;
            let event = self.take(step, notes, is_barrier);
            self.path.machine.has_every_partner = false;
            let mut events = vec![event?];
            self.go_on(&mut events)?;
            let kind = (!options.is_decision, is_barrier);
            let shape = Rc::clone(&self.nodes[number].shape);
            self.add(&known, &locations, &events, kind, Some(shape))?;
        }
        Ok(())
    }

    /// Notes how a path ends.
    fn ends(&mut self, number: usize) -> Result<(), Stop> {
        let outcome = Outcome {
            reached: self.nodes[number].reached.clone(),
            observed: self.path.observed(),
            locations: self.path.machine.locations(),
        };
        let is_alike = |other: &Outcome| {
            other.reached == outcome.reached
                && (outcome.reached.is_some() || other.observed == outcome.observed)
        };
        if !self.outcomes.iter().any(is_alike) {
            self.outcomes.push(outcome);
        }
        Ok(())
    }

    fn restore(&mut self, number: usize) {
        let Node { cells, shape, reached, .. } = &self.nodes[number];
        let cells = cells.iter().map(|&value| Value::constant(value)).collect();
        let Shape { fields, bases, is_own } = &**shape;
        self.path.machine.memory =
            Memory { cells, fields: fields.clone(), bases: bases.clone(), is_own: is_own.clone() };
        self.path.machine.owner = None;
        self.path.reached.clone_from(reached);
    }

    /// Adds the present state, to which some events have led.
    fn add(
        &mut self,
        start: &Known,
        locations: &[u32],
        events: &[Event],
        kind: (bool, bool),
        shape: Option<Rc<Shape>>,
    ) -> Result<(), Stop> {
        let Paths { compiled, goal_fields, needed, .. } = self.paths;
        let memory = &self.path.machine.memory;
        let piece = Piece { compiled, goal_fields, contested: &self.contested, last: memory };
        let known = match piece.follow(start, locations, events, kind) {
            Ok(known) => known,
            Err(refused) => return Err(self.refused(refused)),
        };
        let mut key: Vec<i64> = memory.bases.iter().map(|bases| bases.len() as i64).collect();
        let pairs = memory.cells.iter().zip(&memory.fields);
        key.extend(pairs.filter(|(_, field)| needed[field.index()]).map(|(value, _)| value.base));
        match &self.path.reached {
            Some(Reached { cost, observed }) => key.extend([1, *cost].iter().chain(observed)),
            None => key.push(0),
        }
        known.open_writes(&mut key);
        if let Some(&number) = self.index.get(key.as_slice()) {
            let node = &mut self.nodes[number];
            if node.known.rejoin(&known) && !node.is_queued {
                node.is_queued = true;
                self.queue.push_back(number);
            }
            return Ok(());
        }
        if self.nodes.len() >= MOST_NODES {
            return Err(Stop::Refused(Refusal::Limit));
        }
        let shape = shape.filter(|shape| shape.bases == memory.bases).unwrap_or_else(|| {
            let Memory { fields, bases, is_own, .. } = memory.clone();
            Rc::new(Shape { fields, bases, is_own })
        });
        let cells = memory.cells.iter().map(|value| value.base).collect();
        let reached = self.path.reached.clone();
        self.index.insert(key.into(), self.nodes.len());
        self.queue.push_back(self.nodes.len());
        self.nodes.push(Node { cells, shape, reached, known, is_queued: true });
        Ok(())
    }
}
