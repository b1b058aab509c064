//! Follows paths from one branching state to the next.

use super::{KEPT, MOST_BETWEEN, Outcome, Paths, Stop, begin};
use crate::contested::{Blame, Contested};
use crate::machine::{Move, Notes};
use crate::memory::Memory;
use crate::order::{Known, Piece, Refused};
use crate::path::{Path, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::{Event, Item, Side};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use volvelle_model::FieldId;

/// The memory layout that states share as long as no instance is created between them.
struct Shape {
    fields: Vec<FieldId>,
    bases: Vec<Vec<u32>>,
    is_own: Vec<bool>,
}

/// A state in which paths branch.
struct Node {
    cells: Box<[i64]>,
    shape: Rc<Shape>,
    reached: Option<Reached>,
    known: Known,
    is_queued: bool,
    /// Whether its steps are being taken now.
    is_busy: bool,
    /// Identifies the state: equal keys continue alike.
    key: Rc<[i64]>,
}

/// The possible steps of a branching state.
struct Options {
    moves: Vec<(Move, Notes)>,
    /// Whether the moves are those of one process that decides by itself.
    is_decision: bool,
    /// Processes whose steps are contested; `resting` has the others.
    contested: Vec<Side>,
    resting: Vec<Side>,
}

/// The part of the branching paths that has been followed.
pub(super) struct Followed<'a, 'p> {
    paths: Paths<'a, 'p>,
    path: Path<'a, 'p>,
    pub(super) contested: Contested,
    /// The most recent states. A path that returns to a dropped state is followed again from there.
    nodes: VecDeque<Node>,
    /// Number of states dropped before the first in `nodes`.
    dropped: usize,
    /// Number of states added since the last `timeout`.
    since_barrier: usize,
    index: FxHashMap<Rc<[i64]>, usize>,
    queue: VecDeque<usize>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) executed: u64,
}

impl<'a, 'p> Followed<'a, 'p> {
    pub(super) fn new(paths: Paths<'a, 'p>, path: Path<'a, 'p>, contested: Contested, executed: u64) -> Self {
        Followed {
            paths,
            path,
            contested,
            nodes: VecDeque::new(),
            dropped: 0,
            since_barrier: 0,
            index: FxHashMap::default(),
            queue: VecDeque::new(),
            outcomes: Vec::new(),
            executed,
        }
    }

    pub(super) fn all(&mut self, choices: &[u32]) -> Result<(), Stop> {
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
            let node = self.node(number);
            (node.is_queued, node.is_busy) = (false, true);
            self.branch(number)?;
            self.node(number).is_busy = false;
        }
        Ok(())
    }

    fn compiled(&self) -> &'a Compiled<'p> {
        self.paths.compiled
    }

    fn node(&mut self, number: usize) -> &mut Node {
        &mut self.nodes[number - self.dropped]
    }

    /// Marks what a refusal blames as contested.
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

    /// Takes uncontested steps until none is left or a process has to decide.
    fn go_on(&mut self, events: &mut Vec<Event>) -> Result<(), Stop> {
        let mut current = 0;
        let (mut moves, mut rested) = (Vec::new(), 0);
        while rested < self.path.machine.processes() {
            let slot = current % self.path.machine.processes();
            moves.clear();
            let mut notes = Notes::default();
            if !self.path.machine.has_ended(slot) && !self.is_contested(slot)? {
                self.path.machine.moves(slot, &mut notes, &mut moves)?;
                // A handshake with a process whose steps are contested must be contested, too; `is_contested`
                // sees to it.
                for partner in moves.iter().filter_map(|step| step.partner) {
                    self.is_contested(partner.0)?;
                }
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

    /// A receiver must not also have a separate step: that would be a choice between the two.
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

    /// The possible steps in the present state.
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
                for partner in moves.iter().filter_map(|step| step.partner) {
                    self.is_contested(partner.0)?;
                }
                // The decision of one process is the same under every schedule, so it is followed at once and
                // alone.
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

    /// The steps that a `timeout` makes possible.
    fn timeouts(&mut self) -> Result<Vec<(Move, Notes)>, Stop> {
        let mut steps = Vec::new();
        for slot in 0..self.path.machine.processes() {
            let (mut notes, mut moves) = (Notes::default(), Vec::new());
            self.path.machine.moves_at_timeout(slot, &mut notes, &mut moves)?;
            steps.extend(moves.into_iter().map(|step| (step, notes.clone())));
        }
        Ok(steps)
    }

    /// Continues from a state with each of its possible steps.
    fn branch(&mut self, number: usize) -> Result<(), Stop> {
        if (self.paths.is_cancelled)() {
            return Err(Stop::Refused(Refusal::Limit));
        }
        self.restore(number);
        let options = self.options()?;
        let mut known = self.node(number).known.clone();
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
            if self.node(number).reached.is_none() && self.paths.compiled.has_timeout {
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
            let shape = Rc::clone(&self.node(number).shape);
            self.add(&known, &locations, &events, kind, Some(shape))?;
        }
        Ok(())
    }

    /// Records how a path ends.
    fn ends(&mut self, number: usize) -> Result<(), Stop> {
        let outcome = Outcome {
            reached: self.node(number).reached.clone(),
            observed: self.path.observed(),
            locations: self.path.machine.locations(),
        };
        let is_alike = |other: &Outcome| {
            other.reached == outcome.reached
                && (outcome.reached.is_some() || other.observed == outcome.observed)
        };
        if self.outcomes.iter().any(is_alike) {
            return Ok(());
        }
        // Equal observations with different costs, or with the goal reached on one path only: there is no
        // single answer, whatever the other paths do.
        if self.outcomes.iter().any(|other| other.told() == outcome.told()) {
            return Err(Stop::Refused(Refusal::Pointless));
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    fn restore(&mut self, number: usize) {
        let Node { cells, shape, reached, .. } = &self.nodes[number - self.dropped];
        let cells = cells.iter().map(|&value| Value::constant(value)).collect();
        let Shape { fields, bases, is_own } = &**shape;
        self.path.machine.memory =
            Memory { cells, fields: fields.clone(), bases: bases.clone(), is_own: is_own.clone() };
        self.path.machine.owner = None;
        self.path.reached.clone_from(reached);
    }

    /// Adds the present state, which `events` reached from the state described by `start`.
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
            let node = self.node(number);
            if node.known.rejoin(&known) && !node.is_queued {
                node.is_queued = true;
                self.queue.push_back(number);
            }
            return Ok(());
        }
        self.since_barrier = if kind.1 { 0 } else { self.since_barrier + 1 };
        if self.compiled().has_timeout && self.since_barrier > MOST_BETWEEN {
            return Err(Stop::Refused(Refusal::Limit));
        }
        let shape = shape.filter(|shape| shape.bases == memory.bases).unwrap_or_else(|| {
            let Memory { fields, bases, is_own, .. } = memory.clone();
            Rc::new(Shape { fields, bases, is_own })
        });
        let cells = memory.cells.iter().map(|value| value.base).collect();
        let reached = self.path.reached.clone();
        let (key, number): (Rc<[i64]>, usize) = (key.into(), self.dropped + self.nodes.len());
        self.index.insert(Rc::clone(&key), number);
        self.queue.push_back(number);
        self.nodes.push_back(Node { cells, shape, reached, known, is_queued: true, is_busy: false, key });
        while self.nodes.len() > KEPT
            && let Some(first) = self.nodes.pop_front_if(|node| !node.is_queued && !node.is_busy)
        {
            self.index.remove(&first.key);
            self.dropped += 1;
        }
        if self.nodes.len() > 2 * KEPT {
            return Err(Stop::Refused(Refusal::Limit));
        }
        Ok(())
    }
}
