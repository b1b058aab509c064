//! Runs a program step by step, and records what each step reads and writes.

use crate::affine::Stop;
use crate::evaluate::{Frame, Store};
use crate::memory::{Home, Memory};
use crate::program::{AlternativeCode, Compiled};
use crate::trace::{Event, Side, UnusedOffer, Write};
use crate::value::{Nest, Value};
use volvelle_model::{Condition, FieldId, LocationId, Part, PoolId};

const PROCESSES: PoolId = PoolId(0);

/// A possible step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The process that moves, or sends.
    pub slot: u32,
    /// The number of its alternative.
    pub alternative: u32,
    /// The process that receives, with the number of its alternative.
    pub partner: Option<(u32, u32)>,
}

/// The accesses of a step, or of evaluating guards.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Cells that were read, with their values.
    pub reads: Vec<(u32, Value)>,
    /// Cells that were written.
    pub writes: Vec<Write>,
}

/// A run of a program.
pub struct Machine<'c, 'p> {
    pub compiled: &'c Compiled<'p>,
    pub memory: Memory,
    /// The process with exclusive control (inside an atomic sequence).
    pub owner: Option<u32>,
    /// The loops around the present step.
    pub nest: Nest,
    /// Whether a send is tried with every receiver; otherwise only with the first one that accepts.
    pub has_every_partner: bool,
    frame: Frame,
    location: u32,
}

/// The memory of a run while code runs; it records the accesses.
struct Tracked<'a, 'p> {
    compiled: &'a Compiled<'p>,
    memory: &'a mut Memory,
    notes: &'a mut Notes,
    /// Fields to which the code adds these amounts: their reads are part of the addition, and not recorded.
    adds: &'a [(FieldId, i64)],
}

impl Store for Tracked<'_, '_> {
    fn read(&mut self, cell: u32) -> Result<Value, Stop> {
        let value = self.memory.cells[cell as usize];
        let field = self.memory.fields[cell as usize];
        let is_noted =
            !self.compiled.is_exempt[field.index()] && !self.adds.iter().any(|&(added, _)| added == field);
        if is_noted && !self.notes.reads.iter().any(|&(read, _)| read == cell) {
            self.notes.reads.push((cell, value));
        }
        Ok(value)
    }

    fn write(&mut self, cell: u32, value: Value) {
        let before = std::mem::replace(&mut self.memory.cells[cell as usize], value);
        // Not an addition if the sum wrapped around.
        let field = self.memory.fields[cell as usize];
        let gain = value.minus(before).ok().and_then(|gain| gain.as_constant());
        let is_addition = self.adds.iter().any(|&(added, amount)| added == field && gain == Some(amount));
        if !is_addition && self.adds.iter().any(|&(added, _)| added == field) {
            self.notes.reads.push((cell, before));
        }
        self.notes.writes.push(Write { cell, is_addition, before, after: value });
    }

    fn base(&mut self, pool: PoolId, slot: i64) -> Option<u32> {
        self.memory.base(&self.compiled.layout, pool, slot)
    }
}

impl<'c, 'p> Machine<'c, 'p> {
    /// In the initial state.
    pub fn new(compiled: &'c Compiled<'p>) -> Result<Self, Stop> {
        let Home::Record(_, location) = compiled.layout.home(compiled.location) else {
            unreachable!("the location is a field of processes")
        };
        let frame = Frame { temporaries: vec![Value::constant(0); compiled.temporaries], ..Frame::default() };
        let memory = Memory::new(&compiled.layout);
        let nest = Nest::none();
        let has_every_partner = false;
        let mut machine = Machine { compiled, memory, owner: None, nest, has_every_partner, frame, location };
        machine.run(&compiled.initialisation, &[], &mut Notes::default())?;
        Ok(machine)
    }

    /// Number of processes, including those that have ended.
    pub fn processes(&self) -> u32 {
        self.memory.bases[PROCESSES.index()].len() as u32
    }

    /// The first cell of a process.
    pub fn own(&self, slot: u32) -> u32 {
        self.memory.bases[PROCESSES.index()][slot as usize]
    }

    /// The location of a process.
    pub fn at(&self, slot: u32) -> u32 {
        self.memory.cells[(self.own(slot) + self.location) as usize].base as u32
    }

    /// The locations of all processes.
    pub fn locations(&self) -> Vec<u32> {
        (0..self.processes()).map(|slot| self.at(slot)).collect()
    }

    /// Whether a process has ended.
    pub fn has_ended(&self, slot: u32) -> bool {
        self.compiled.locations[self.at(slot) as usize].is_last
    }

    fn run(
        &mut self,
        code: &[crate::code::Op],
        adds: &[(FieldId, i64)],
        notes: &mut Notes,
    ) -> Result<Value, Stop> {
        let mut store = Tracked { compiled: self.compiled, memory: &mut self.memory, notes, adds };
        self.frame.run(code, &mut store, &mut self.nest)
    }

    /// The value of an observation, and the cells that it reads.
    pub fn observe(&mut self, code: &[crate::code::Op], notes: &mut Notes) -> Result<Value, Stop> {
        self.run(code, &[], notes)
    }

    fn enter(&mut self, slot: u32) {
        self.frame.mover = i64::from(slot);
        self.frame.own = self.own(slot);
    }

    fn holds(&mut self, slot: u32, alternative: &AlternativeCode, notes: &mut Notes) -> Result<bool, Stop> {
        if alternative.is_always {
            return Ok(true);
        }
        self.enter(slot);
        Ok(self.run(&alternative.guard, &[], notes)?.as_constant().ok_or(Stop::Undecided)? != 0)
    }

    /// The channel at which an alternative makes its offer.
    fn channel(&mut self, slot: u32, alternative: &AlternativeCode, notes: &mut Notes) -> Result<i64, Stop> {
        self.enter(slot);
        let Some(at) = &alternative.at else { return Ok(0) };
        self.run(at, &[], notes)?.as_constant().ok_or(Stop::Undecided)
    }

    fn offer(
        &mut self,
        slot: u32,
        alternative: &AlternativeCode,
        notes: &mut Notes,
    ) -> Result<Vec<Value>, Stop> {
        self.enter(slot);
        alternative.gives.iter().map(|code| self.run(code, &[], notes)).collect()
    }

    /// The steps that a process can begin. Records in `notes` what its guards read.
    pub fn moves(&mut self, slot: u32, notes: &mut Notes, moves: &mut Vec<Move>) -> Result<(), Stop> {
        let compiled = self.compiled;
        let location = &compiled.locations[self.at(slot) as usize];
        if location.is_last {
            return Ok(());
        }
        let first = moves.len();
        let mut escapes = first;
        for block in &location.blocks {
            let is_asked = match block.condition {
                Condition::NothingBefore => moves.len() == first,
                Condition::NoEscape => escapes == first,
            };
            if is_asked {
                for alternative in &block.alternatives {
                    if alternative.part == Part::Takes || !self.holds(slot, alternative, notes)? {
                        continue;
                    }
                    let number = alternative.number;
                    if alternative.part == Part::Alone {
                        moves.push(Move { slot, alternative: number, partner: None });
                    } else {
                        self.meetings(slot, alternative, notes, moves)?;
                    }
                }
            }
            if block.is_escape {
                escapes = moves.len();
            }
        }
        Ok(())
    }

    /// The steps that a process can begin at a `timeout`.
    pub fn moves_at_timeout(
        &mut self,
        slot: u32,
        notes: &mut Notes,
        moves: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        if !self.compiled.locations[self.at(slot) as usize].has_timeout {
            return Ok(());
        }
        self.frame.is_timeout = true;
        let result = self.moves(slot, notes, moves);
        self.frame.is_timeout = false;
        result
    }

    /// The handshakes of a send with its receivers: the first that accepts, or all
    /// ([`Machine::has_every_partner`]).
    fn meetings(
        &mut self,
        slot: u32,
        alternative: &AlternativeCode,
        notes: &mut Notes,
        moves: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        let channel = self.channel(slot, alternative, notes)?;
        self.frame.offered = self.offer(slot, alternative, notes)?;
        let before = moves.len();
        for partner in (0..self.processes()).filter(|&partner| partner != slot) {
            for taken in self.takes(partner, channel, alternative.items, &mut Notes::default())? {
                let (number, partner) = (alternative.number, Some((partner, taken)));
                moves.push(Move { slot, alternative: number, partner });
            }
            if moves.len() > before && !self.has_every_partner {
                break;
            }
        }
        Ok(())
    }

    /// The alternatives with which a process accepts an offer at a channel.
    fn takes(
        &mut self,
        partner: u32,
        channel: i64,
        items: usize,
        notes: &mut Notes,
    ) -> Result<Vec<u32>, Stop> {
        let compiled = self.compiled;
        let location = &compiled.locations[self.at(partner) as usize];
        let mut numbers = Vec::new();
        if location.has_takes {
            for taken in location.blocks.iter().flat_map(|block| &block.alternatives) {
                if taken.part == Part::Takes
                    && taken.items == items
                    && self.channel(partner, taken, notes)? == channel
                    && self.holds(partner, taken, notes)?
                {
                    numbers.push(taken.number);
                }
            }
        }
        Ok(numbers)
    }

    /// The offers of a process at its location, except the alternative that it takes and others at the same
    /// channel.
    fn unused(
        &mut self,
        slot: u32,
        used: Option<(u32, i64)>,
        notes: &mut Notes,
    ) -> Result<Vec<UnusedOffer>, Stop> {
        let compiled = self.compiled;
        let location = &compiled.locations[self.at(slot) as usize];
        let mut unused = Vec::new();
        if location.has_offers {
            for offer in location.blocks.iter().flat_map(|block| &block.alternatives) {
                if offer.part != Part::Alone && used.is_none_or(|(number, _)| number != offer.number) {
                    let gives = offer.part == Part::Gives;
                    let channel = self.channel(slot, offer, notes)?;
                    let offer = UnusedOffer { channel, gives };
                    let is_used = used.is_some_and(|(_, at)| at == channel) && !gives;
                    if !is_used && !unused.contains(&offer) {
                        unused.push(offer);
                    }
                }
            }
        }
        Ok(unused)
    }

    /// All offers of a waiting process.
    pub fn offers(&mut self, slot: u32, notes: &mut Notes) -> Result<Vec<UnusedOffer>, Stop> {
        self.unused(slot, None, notes)
    }

    /// Takes a step, together with the following steps of its atomic sequence that cannot wait. `notes` has
    /// the guards' reads ([`Machine::moves`]). If `follow` is given, it lists the alternatives of all these
    /// steps.
    pub fn perform(&mut self, step: Move, notes: Notes, follow: Option<&[u32]>) -> Result<Event, Stop> {
        let compiled = self.compiled;
        let giver = self.at(step.slot);
        let Some(alternative) = compiled.alternative(giver, step.alternative) else {
            return Err(Stop::Undecided);
        };
        let mut event = Event { steps: vec![step.alternative], ..Event::default() };
        let mut effects = Notes::default();
        let mut guards = notes;
        let (actor, last) = match step.partner {
            None => {
                let unused = self.unused(step.slot, None, &mut guards)?;
                event.sides.push(Side::new(step.slot, giver, step.alternative, guards.reads, unused));
                (step.slot, alternative)
            }
            Some((partner, taken)) => {
                let taker = self.at(partner);
                let Some(taken) = compiled.alternative(taker, taken) else { return Err(Stop::Undecided) };
                let channel = self.channel(step.slot, alternative, &mut guards)?;
                event.channel = Some(channel);
                event.message = self.offer(step.slot, alternative, &mut guards)?;
                self.frame.offered.clone_from(&event.message);
                let mut taking = Notes::default();
                self.takes(partner, channel, alternative.items, &mut taking)?;
                // If the receiver also has a separate step, this is a choice between the two.
                let mut moves = Vec::new();
                self.moves(partner, &mut taking, &mut moves)?;
                if moves.iter().any(|other| other.partner.is_none()) && !self.has_every_partner {
                    return Err(Stop::Undecided);
                }
                self.frame.offered.clone_from(&event.message);
                let used = Some((step.alternative, channel));
                let unused = self.unused(step.slot, used, &mut guards)?;
                event.sides.push(Side::new(step.slot, giver, step.alternative, guards.reads, unused));
                let unused = self.unused(partner, Some((taken.number, channel)), &mut taking)?;
                event.sides.push(Side::new(partner, taker, taken.number, taking.reads, unused));
                self.go_to(step.slot, alternative.target, &mut effects);
                (partner, taken)
            }
        };
        let processes = self.processes();
        self.frame.offered.clone_from(&event.message);
        self.effect(actor, last, &mut effects)?;
        self.follow(actor, last.is_exclusive, follow, &mut event, &mut effects)?;
        event.created = (processes..self.processes()).collect();
        let slots = event.sides.iter().map(|side| side.slot).chain(event.created.iter().copied());
        event.targets = slots.map(|slot| (slot, self.at(slot))).collect();
        let ended = event.sides.iter().map(|side| side.slot).filter(|&slot| self.has_ended(slot));
        event.ended = ended.collect();
        let memory = &self.memory;
        let is_shared = |cell: u32| {
            !memory.is_own[cell as usize] && !compiled.is_exempt[memory.fields[cell as usize].index()]
        };
        event.reads = effects.reads.iter().map(|&(cell, _)| cell).filter(|&cell| is_shared(cell)).collect();
        event.reads.sort_unstable();
        event.reads.dedup();
        event.changes = effects.writes.iter().map(|w| (w.cell, w.before, w.after)).collect();
        event.writes = effects.writes;
        event.writes.retain(|write| is_shared(write.cell));
        Ok(event)
    }

    fn go_to(&mut self, slot: u32, target: LocationId, notes: &mut Notes) {
        let cell = self.own(slot) + self.location;
        let after = Value::constant(i64::from(target.0));
        let before = std::mem::replace(&mut self.memory.cells[cell as usize], after);
        notes.writes.push(Write { cell, is_addition: false, before, after });
    }

    fn effect(
        &mut self,
        actor: u32,
        alternative: &'c AlternativeCode,
        notes: &mut Notes,
    ) -> Result<(), Stop> {
        self.enter(actor);
        self.run(&alternative.effect, &alternative.adds, notes)?;
        self.go_to(actor, alternative.target, notes);
        self.owner = alternative.is_exclusive.then_some(actor);
        Ok(())
    }

    /// Takes the next steps of an atomic sequence while they cannot wait and leave no choice: no other
    /// process can come between them.
    fn follow(
        &mut self,
        actor: u32,
        mut is_exclusive: bool,
        follow: Option<&[u32]>,
        event: &mut Event,
        effects: &mut Notes,
    ) -> Result<(), Stop> {
        let mut moves = Vec::new();
        while is_exclusive && follow.is_none_or(|numbers| event.steps.len() < numbers.len()) {
            let compiled = self.compiled;
            let at = self.at(actor);
            let location = &compiled.locations[at as usize];
            if !location.is_total
                || location.has_offers
                || location.is_last
                || event.steps.len() > MOST_MERGED
            {
                break;
            }
            moves.clear();
            self.moves(actor, effects, &mut moves)?;
            let [Move { alternative, partner: None, .. }] = moves[..] else { break };
            if follow.is_some_and(|numbers| numbers[event.steps.len()] != alternative) {
                return Err(Stop::Undecided);
            }
            let Some(next) = compiled.alternative(at, alternative) else { break };
            self.effect(actor, next, effects)?;
            event.steps.push(alternative);
            is_exclusive = next.is_exclusive;
        }
        Ok(())
    }
}

/// Limit of steps of an atomic sequence that are taken together.
const MOST_MERGED: usize = 1000;
