//! One path of a program. Repeated steps are passed in one go ([`crate::loops`]). With a bound on the cost,
//! steps that would exceed it are held back ([`crate::bound`]).

use crate::affine::Stop;
use crate::code::Code;
use crate::machine::{Machine, Move, Notes};
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::sequence::writes_in_sequence;
use crate::trace::{Event, Item};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use volvelle_kernel::ExprId;
use volvelle_model::FieldId;

/// What is asked about a program.
#[derive(Clone, Debug)]
pub struct Question {
    /// `bool`: whether a run has reached its goal.
    pub goal: ExprId,
    /// `i64`: the cost of reaching it.
    pub cost: ExprId,
    /// `i64`: further observations where the goal is reached.
    pub observed: Vec<ExprId>,
    /// Runs that cost more than this are of no interest.
    pub within: Option<i64>,
}

/// The code of a question.
pub struct Asked {
    pub(crate) goal: Code,
    pub(crate) cost: Code,
    observed: Vec<Code>,
    /// The expressions of the question.
    pub(crate) roots: Vec<ExprId>,
    /// All fields that it reads.
    fields: Vec<FieldId>,
}

impl Asked {
    /// Compiles a question.
    ///
    /// # Errors
    /// The question contains something that is not analysed.
    pub fn new(compiled: &Compiled<'_>, question: &Question) -> Result<Self, Refusal> {
        let parts = [question.goal, question.cost].into_iter().chain(question.observed.iter().copied());
        Ok(Asked {
            roots: parts.clone().collect(),
            fields: parts.flat_map(|part| compiled.program.reads(part)).collect(),
            goal: compiled.observation(question.goal)?,
            cost: compiled.observation(question.cost)?,
            observed: question
                .observed
                .iter()
                .map(|&expr| compiled.observation(expr))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Observations where the goal is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The cost.
    pub cost: i64,
    /// The further observations of the question.
    pub observed: Vec<i64>,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The goal holds in the initial state; nothing else was examined.
    AtOnce,
    /// No step is possible.
    Stuck,
    /// Only steps that would exceed the bound are possible.
    Bounded,
    /// The last loop repeats forever.
    Endless,
    /// It was longer than the limit.
    Limit,
    /// A step failed.
    Failed(volvelle_kernel::Site),
    /// Something in it is not analysed.
    Unknown,
}

/// A step with which the cost would exceed the bound.
#[derive(Clone, Debug)]
pub struct Held {
    /// The step.
    pub step: Move,
    /// All moves that its process had there.
    pub moves: Vec<Move>,
    /// Whether the step was a `timeout`.
    pub is_timeout: bool,
}

/// A path.
pub struct Path<'c, 'p> {
    /// The machine, in the last state.
    pub machine: Machine<'c, 'p>,
    /// The events and loops so far.
    pub items: Vec<Item>,
    /// Observations at the goal, once it was reached.
    pub reached: Option<Reached>,
    /// How it ends.
    pub end: End,
    /// For each decision: the number of options, and the one that was chosen.
    pub decisions: Vec<(u32, u32)>,
    /// Events that were executed one by one.
    pub executed: u64,
    /// The cost that no step may exceed.
    pub bound: Option<i64>,
    /// Steps that would exceed it.
    pub held: Vec<Held>,
    pub(crate) asked: &'c Asked,
    pub(crate) symbols: Vec<u64>,
    prefix: Vec<u64>,
    pub(crate) sums: Vec<u64>,
    powers: Vec<u64>,
    /// Changes of cells, in order; `starts` has the position where those of each item begin.
    pub(crate) gains: Vec<(u32, i64)>,
    pub(crate) starts: Vec<usize>,
    pub(crate) recent: FxHashMap<u64, Vec<usize>>,
    pub(crate) attempts: FxHashMap<u64, (u32, u32)>,
    /// Items before this one are not part of a loop.
    pub(crate) regular_from: usize,
    /// By cell: the time of its last change. By process in `waiting`: when it last had no move, and the cells
    /// that its guards read.
    pub(crate) changed: Vec<u64>,
    waiting: Vec<Option<(u64, Vec<u32>)>>,
    pub(crate) now: u64,
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
impl<'c, 'p> Path<'c, 'p> {
    /// A path at the initial state. With a bound, steps that would exceed it are held back.
    pub fn new(compiled: &'c Compiled<'p>, asked: &'c Asked, bound: Option<i64>) -> Result<Self, Stop> {
        Ok(Path {
            machine: Machine::new(compiled)?,
            items: Vec::new(),
            reached: None,
            end: End::Stuck,
            decisions: Vec::new(),
            executed: 0,
            bound,
            held: Vec::new(),
            asked,
            symbols: Vec::new(),
            prefix: vec![0],
            sums: vec![0],
            powers: vec![1],
            gains: Vec::new(),
            starts: vec![0],
            recent: FxHashMap::default(),
            attempts: FxHashMap::default(),
            regular_from: 0,
            changed: Vec::new(),
            waiting: Vec::new(),
            now: 0,
        })
    }

    /// The further observations of the question, in the last state.
    pub fn observed(&mut self) -> Option<Vec<i64>> {
        let observed = &self.asked.observed;
        observed
            .iter()
            .map(|code| self.machine.observe(code, &mut Notes::default()).ok()?.as_constant())
            .collect()
    }

    /// Runs to the end. Decisions take the options in `choices`, and the first option after that.
    pub fn run(&mut self, choices: &[u32], most: u64, is_cancelled: &dyn Fn() -> bool) {
        self.end = match self.run_on(choices, most, is_cancelled) {
            Ok(end) => end,
            Err(Stop::Failed(site)) => End::Failed(site),
            Err(_) => End::Unknown,
        };
    }

    fn run_on(&mut self, choices: &[u32], most: u64, is_cancelled: &dyn Fn() -> bool) -> Result<End, Stop> {
        let mut current = 0;
        let (mut moves, mut notes) = (Vec::new(), Notes::default());
        if is_true(self.machine.observe(&self.asked.goal, &mut Notes::default())?)? {
            self.reached = Some(self.told(&mut Notes::default())?);
            return Ok(End::AtOnce);
        }
        loop {
            if self.executed >= most || self.executed.is_multiple_of(4096) && is_cancelled() {
                return Ok(End::Limit);
            }
            let mut is_timeout = false;
            let released = match self.next(current, &mut moves, &mut notes)? {
                Some(released) => released,
                None if !self.held.is_empty() => return Ok(End::Bounded),
                None => {
                    is_timeout = true;
                    if !self.next_at_timeout(&mut moves, &mut notes)? {
                        return Ok(End::Stuck);
                    }
                    self.machine.owner.filter(|&owner| owner != moves[0].slot)
                }
            };
            let mut chosen = 0;
            let is_decision = moves.len() > 1;
            if is_decision {
                // Held steps are missing among the options, so decisions would not come in the same order as
                // without a bound.
                if !self.held.is_empty() {
                    return Err(Stop::Undecided);
                }
                chosen = choices.get(self.decisions.len()).copied().unwrap_or(0);
                self.decisions.push((moves.len() as u32, chosen));
            }
            let step = moves[(chosen as usize).min(moves.len() - 1)];
            let owner = self.machine.owner;
            let mut event = self.perform(step, std::mem::take(&mut notes), None)?;
            if self.exceeds_bound()? {
                self.hold(Held { step, moves: moves.clone(), is_timeout }, &event, owner)?;
                continue;
            }
            event.is_timeout = is_timeout;
            event.decision = is_decision.then_some(chosen);
            event.released = released;
            current = step.slot;
            self.executed += 1;
            self.look_for_goal(&mut event)?;
            self.push(event);
            if self.has_repeated()? {
                return Ok(End::Endless);
            }
        }
    }

    /// Takes a step. Fails if the cost decreases before the goal, or at all under a bound.
    pub(crate) fn perform(
        &mut self,
        step: Move,
        notes: Notes,
        follow: Option<&[u32]>,
    ) -> Result<Event, Stop> {
        if self.reached.is_some() && self.bound.is_none() {
            return self.machine.perform(step, notes, follow);
        }
        let before = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        let event = self.machine.perform(step, notes, follow)?;
        let after = self.machine.observe(&self.asked.cost, &mut Notes::default())?;
        if self.machine.nest.is_less(&after, &before)? {
            return Err(Stop::Undecided);
        }
        Ok(event)
    }

    /// The next process with a move; its moves go to `moves`. The inner option is the owner of an atomic
    /// sequence that had to wait.
    #[allow(clippy::option_option)] // is there a move; did an owner have to wait
    pub(crate) fn next(
        &mut self,
        current: u32,
        moves: &mut Vec<Move>,
        notes: &mut Notes,
    ) -> Result<Option<Option<u32>>, Stop> {
        let owner = self.machine.owner;
        let processes = self.machine.processes();
        self.waiting.resize(processes as usize, None);
        let order = owner.into_iter().chain(current..processes).chain(0..current.min(processes));
        for slot in order {
            moves.clear();
            notes.reads.clear();
            if self.is_still_waiting(slot) || self.held.iter().any(|held| held.step.slot == slot) {
                continue;
            }
            self.machine.moves(slot, notes, moves)?;
            if !moves.is_empty() {
                return Ok(Some(owner.filter(|&owner| owner != slot)));
            }
            let location = &self.machine.compiled.locations[self.machine.at(slot) as usize];
            if !location.has_offers {
                let cells = notes.reads.iter().map(|&(cell, _)| cell).collect();
                self.waiting[slot as usize] = Some((self.now, cells));
            }
        }
        Ok(None)
    }

    /// The only process with a move at a `timeout`. Returns whether there is one.
    pub(crate) fn next_at_timeout(&mut self, moves: &mut Vec<Move>, notes: &mut Notes) -> Result<bool, Stop> {
        moves.clear();
        *notes = Notes::default();
        if !self.machine.compiled.has_timeout {
            return Ok(false);
        }
        let mut others = Vec::new();
        for slot in 0..self.machine.processes() {
            let mut read = Notes::default();
            self.machine.moves_at_timeout(slot, &mut read, &mut others)?;
            if !others.is_empty() {
                // Several processes could go first; the schedule decides.
                if !moves.is_empty() {
                    return Err(Stop::Undecided);
                }
                std::mem::swap(moves, &mut others);
                *notes = read;
            }
        }
        Ok(!moves.is_empty())
    }

    fn is_still_waiting(&self, slot: u32) -> bool {
        self.waiting[slot as usize].as_ref().is_some_and(|(since, cells)| {
            cells.iter().all(|&cell| self.changed.get(cell as usize).is_none_or(|at| at <= since))
        })
    }

    pub(crate) fn look_for_goal(&mut self, event: &mut Event) -> Result<(), Stop> {
        if self.reached.is_some() || event.writes.is_empty() {
            return Ok(());
        }
        let (mut goal, mut cost) = (Notes::default(), Notes::default());
        if !is_true(self.machine.observe(&self.asked.goal, &mut goal)?)? {
            return Ok(());
        }
        // Searches see only the states in which the owner waits or the sequence ends, so the goal must not
        // change within it.
        if let Some(owner) = self.machine.owner {
            let location = self.machine.at(owner);
            if writes_in_sequence(self.machine.compiled.program, location, &self.asked.fields) {
                return Err(Stop::Undecided);
            }
        }
        self.reached = Some(self.told(&mut cost)?);
        event.goal = Some([goal.reads, cost.reads]);
        Ok(())
    }

    /// The observations where the goal is reached.
    pub(crate) fn told(&mut self, notes: &mut Notes) -> Result<Reached, Stop> {
        let cost = self.machine.observe(&self.asked.cost, notes)?.base;
        let mut observed = Vec::with_capacity(self.asked.observed.len());
        for code in &self.asked.observed {
            observed.push(self.machine.observe(code, notes)?.base);
        }
        Ok(Reached { cost, observed })
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.now += 1;
        self.changed.resize(self.machine.memory.cells.len(), 0);
        for &(cell, before, after) in &event.changes {
            self.changed[cell as usize] = self.now;
            if before != after {
                self.gains.push((cell, after.base - before.base));
            }
        }
        // A process at a new location has other guards.
        for side in &event.sides {
            self.waiting[side.slot as usize] = None;
        }
        let symbol = symbol(&event);
        let is_single = event.decision.is_some() || event.goal.is_some() || !event.created.is_empty();
        self.add(Item::Event(Box::new(event)), symbol);
        if is_single {
            self.regular_from = self.items.len();
        }
    }

    pub(crate) fn add(&mut self, item: Item, symbol: u64) {
        self.items.push(item);
        self.symbols.push(symbol);
        let last = self.prefix[self.prefix.len() - 1];
        self.prefix.push(last.wrapping_mul(BASE).wrapping_add(symbol));
        self.sums.push(self.sums[self.sums.len() - 1].wrapping_add(symbol));
        let power = self.powers[self.powers.len() - 1];
        self.powers.push(power.wrapping_mul(BASE));
        self.starts.push(self.gains.len());
    }

    /// The hash of a range of items, from prefix hashes.
    pub(crate) fn hash(&self, from: usize, to: usize) -> u64 {
        self.prefix[to].wrapping_sub(self.prefix[from].wrapping_mul(self.powers[to - from]))
    }
}

pub(crate) fn is_true(value: Value) -> Result<bool, Stop> {
    Ok(value.as_constant().ok_or(Stop::Undecided)? != 0)
}

fn symbol(event: &Event) -> u64 {
    let mut hasher = FxHasher::default();
    for side in &event.sides {
        (side.slot, side.location, side.alternative).hash(&mut hasher);
    }
    (&event.steps, event.channel, event.released).hash(&mut hasher);
    mixed(hasher.finish())
}

pub(crate) fn loop_symbol(body: u64, count: i64) -> u64 {
    let mut hasher = FxHasher::default();
    (body, count, "loop").hash(&mut hasher);
    mixed(hasher.finish())
}

/// Spreads the bits of a hash, so that sums of hashes differ.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 32)
}
