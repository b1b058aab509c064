//! Trails in the words of the text: who moved, which statement, what changed.

use super::ProcessSession;
use super::words::{Words, Written};
use volvelle_kernel::ExprId;
use volvelle_model::{Arrangement, FieldId, LocationId, PoolId, Role, Transition, kernels};
use volvelle_promela::{Lowered, Scalar};
use volvelle_search::liveness::STUTTER;
use volvelle_search::{TRANSIENT, Trail};

/// A process with a statement of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Number of the process.
    pub process: usize,
    /// The name of its type.
    pub name: String,
    /// The statement.
    pub at: Written,
}

/// What a step did to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// A message was put into it.
    Sent,
    /// A message was taken from it.
    Received,
    /// A message went from one process to another at once.
    Exchanged,
}

impl Moved {
    /// `send`, `receive`, `exchange`
    pub fn name(self) -> &'static str {
        match self {
            Moved::Sent => "send",
            Moved::Received => "receive",
            Moved::Exchanged => "exchange",
        }
    }
}

/// A message that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where it went.
    pub moved: Moved,
    /// The name of the channel.
    pub channel: String,
    /// Its parts.
    pub values: Vec<String>,
}

impl std::fmt::Display for Message {
    /// `q!data,5`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.moved == Moved::Received { '?' } else { '!' };
        write!(f, "{}{sign}{}", self.channel, self.values.join(","))
    }
}

/// Something that holds another value behind a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// A variable, or a channel.
    pub name: String,
    /// Value before.
    pub before: String,
    /// Value after.
    pub after: String,
}

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Who moved; `None` where nothing can move any more.
    pub actor: Option<Actor>,
    /// For a handshake: the process that received.
    pub partner: Option<Actor>,
    /// The message that it moved.
    pub message: Option<Message>,
    /// What changed: variables, then channels.
    pub changes: Vec<Change>,
    /// What the statement printed.
    pub printed: String,
    /// Whether the process goes on alone behind it.
    pub atomic: bool,
}

/// A run that shows why something is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What is wrong at the end of it.
    pub reason: String,
    /// Step by step.
    pub steps: Vec<TraceStep>,
    /// The step with which the cycle begins that is repeated for ever.
    pub cycle_start: Option<usize>,
    /// Whether the last state is what is wrong: no process can move, and not all may stay where they are.
    pub is_stuck: bool,
    /// Where each process is in the last state.
    pub end: Vec<Standing>,
    /// Which of the steps of its state each step is, for replays; `None` where nothing can move. Empty if the run could
    /// not be followed.
    pub choices: Vec<Option<usize>>,
}

/// Where a process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Number of the process.
    pub process: usize,
    /// The name of its type.
    pub name: String,
    /// The statement before which it stands; `None` at the end of its text.
    pub at: Option<Written>,
    /// Whether it may stay there.
    pub is_end: bool,
}

/// A trail in words, with what it takes to find it again in the model as it was written.
pub(super) struct Told {
    /// Step by step.
    pub steps: Vec<TraceStep>,
    /// The number of each (which transition, of which process), or [`STUTTER`].
    pub numbers: Vec<u32>,
    /// Where the processes are behind each.
    pub locations: Vec<Vec<LocationId>>,
    /// The step with which the cycle begins.
    pub cycle_start: Option<usize>,
    /// Where each process is at the end.
    pub end: Vec<Standing>,
}

/// Puts a trail of the search into words.
pub(super) fn tell(words: Words<'_>, trail: &Trail, cycle: Option<usize>) -> Told {
    let shower = Shower::new(words);
    let (mut steps, mut numbers, mut locations, mut cycle_start) = (vec![], vec![], vec![], None);
    for (i, &number) in trail.steps.iter().enumerate() {
        if cycle == Some(i) {
            cycle_start = Some(steps.len());
        }
        let after = &trail.states[i + 1];
        if let Some(step) = shower.step(number, &trail.states[i], after) {
            steps.push(step);
            numbers.push(if number == STUTTER { number } else { number & !TRANSIENT });
            locations.push(words.locations(after));
        }
    }
    if cycle == Some(trail.steps.len()) {
        cycle_start = Some(steps.len());
    }
    let end = trail.states.last().map_or(Vec::new(), |state| shower.standings(state));
    Told { steps, numbers, locations, cycle_start, end }
}

/// Shows a trail. The search may reset variables that nobody reads any more, so the run is taken once more in the
/// model as it was written; that shows it as it is, and that it is one.
pub(super) fn show(
    session: &ProcessSession,
    lowered: &Lowered,
    arrangement: &Arrangement,
    trail: &Trail,
    reason: String,
    cycle: Option<usize>,
) -> Counterexample {
    let told = tell(Words { session, lowered, arrangement }, trail, cycle);
    let (cycle_start, is_stuck) = (told.cycle_start, false);
    match super::replay::retell(session, &told) {
        Some(replayed) => {
            let super::replay::Replayed { steps, choices, end } = replayed;
            Counterexample { reason, steps, cycle_start, is_stuck, end, choices }
        }
        None => {
            let Told { steps, end, .. } = told;
            Counterexample { reason, steps, cycle_start, is_stuck, end, choices: Vec::new() }
        }
    }
}

/// Shows steps.
pub(super) struct Shower<'a> {
    pub words: Words<'a>,
    transitions: Vec<&'a Transition>,
}

impl<'a> Shower<'a> {
    pub fn new(words: Words<'a>) -> Self {
        Shower { words, transitions: words.lowered.program.network.transitions().collect() }
    }

    /// A step between two states; `None` for one that no statement is behind.
    pub fn step(&self, step: u32, before: &[u64], after: &[u64]) -> Option<TraceStep> {
        if step == STUTTER {
            let (actor, partner, message) = (None, None, None);
            let (changes, printed) = (Vec::new(), String::new());
            return Some(TraceStep { actor, partner, message, changes, printed, atomic: false });
        }
        let (slot, number) = ((step >> 16 & 0x7fff) as usize, step & 0xffff);
        if number == kernels::RELEASE {
            return None;
        }
        let transition = *self.transitions.get(number as usize)?;
        let actor = Some(self.actor(before, slot, transition));
        let (mut partner, mut message) = (None, None);
        if let Role::Offer { at, values } = &transition.role
            && let Some((number, values)) = self.offered(before, slot, *at, values)
        {
            partner = self.partner(before, after, slot, number, &values);
            let types = self.words.message_types(before, (number - 1).max(0) as usize);
            message = Some(Message {
                moved: Moved::Exchanged,
                channel: self.words.channel_name(before, number),
                values: self.words.message(types, &values),
            });
        }
        let mut changes = self.variables(before, after);
        let moved = self.channels(before, after, &mut changes);
        let message = message.or(moved);
        let (printed, atomic) = (String::new(), step & TRANSIENT != 0);
        Some(TraceStep { actor, partner, message, changes, printed, atomic })
    }

    /// Who moves, and how: `P(1): x = 1`, `S(0) > R(1): c!n c?m`.
    pub fn label(&self, step: u32, before: &[u64], after: &[u64]) -> String {
        let (slot, number) = ((step >> 16 & 0x7fff) as usize, step & 0xffff);
        let Some(transition) = self.transitions.get(number as usize) else { return "tau".to_owned() };
        let actor = self.actor(before, slot, transition);
        let partner = match &transition.role {
            Role::Offer { at, values } => self.offered(before, slot, *at, values),
            _ => None,
        };
        let partner = partner.and_then(|(n, values)| self.partner(before, after, slot, n, &values));
        match partner {
            None => format!("{}({slot}): {}", actor.name, actor.at.text),
            Some(other) => format!(
                "{}({slot}) > {}({}): {} {}",
                actor.name, other.name, other.process, actor.at.text, other.at.text
            ),
        }
    }

    /// The number of the channel of an offer, and the values.
    fn offered(&self, before: &[u64], slot: usize, at: ExprId, values: &[ExprId]) -> Option<(i64, Vec<i64>)> {
        let here = self.words.evaluation(before, slot, &[]);
        let values: Option<Vec<i64>> = values.iter().map(|&v| here.number(v)).collect();
        here.number(at).zip(values)
    }

    fn actor(&self, before: &[u64], slot: usize, transition: &Transition) -> Actor {
        let mut at = self.words.of_origin(transition.origin);
        if transition.target == LocationId::NOWHERE {
            at.text = "-end-".to_owned();
        }
        Actor { process: slot, name: self.words.process_name(before, slot), at }
    }

    /// The process that took an offer. Where several could have, the one that moved or that something changed in.
    fn partner(
        &self,
        before: &[u64],
        after: &[u64],
        slot: usize,
        number: i64,
        offered: &[i64],
    ) -> Option<Actor> {
        let network = &self.words.lowered.program.network;
        let takes = |other: usize| {
            let (from, to) = (self.words.location(before, other), self.words.location(after, other));
            let here = self.words.evaluation(before, other, offered);
            let tiers = &network.locations[from.index()].tiers;
            let mut all = tiers.iter().flat_map(|t| &t.transitions);
            all.find(|t| match t.role {
                Role::Take { at, count } => {
                    t.target == to
                        && count == offered.len()
                        && here.number(at) == Some(number)
                        && here.holds(t.guard) == Some(true)
                }
                _ => false,
            })
        };
        let found =
            (0..self.words.live(before, 0)).filter(|&o| o != slot).filter_map(|o| Some((o, takes(o)?)));
        let (other, transition) = found.max_by_key(|&(other, _)| {
            let moved = self.words.location(before, other) != self.words.location(after, other);
            // The first of those that are alike.
            (moved || self.is_changed(before, after, other), std::cmp::Reverse(other))
        })?;
        Some(self.actor(before, other, transition))
    }

    /// Whether something of a process changed.
    fn is_changed(&self, before: &[u64], after: &[u64], slot: usize) -> bool {
        let arrangement = self.words.arrangement;
        (self.words.lowered.program.fields.iter().enumerate()).any(|(i, field)| {
            let id = FieldId(i as u32);
            field.component.is_some()
                && arrangement.place(id).pool == Some(PoolId(0))
                && self.words.is_field_of(before, id, slot)
                && (0..field.length as usize)
                    .any(|e| arrangement.get(before, id, slot, e) != arrangement.get(after, id, slot, e))
        })
    }

    /// Where every process is.
    pub fn standings(&self, state: &[u64]) -> Vec<Standing> {
        (0..self.words.live(state, 0))
            .map(|process| {
                let location = self.words.location(state, process);
                let info = &self.words.lowered.program.network.locations[location.index()];
                Standing {
                    process,
                    name: self.words.process_name(state, process),
                    at: info.origin.map(|origin| self.words.of_origin(origin)),
                    is_end: info.is_end,
                }
            })
            .collect()
    }

    /// Differences between two states, variable by variable.
    fn variables(&self, before: &[u64], after: &[u64]) -> Vec<Change> {
        let words = &self.words;
        let mut out = Vec::new();
        for (i, field) in words.lowered.program.fields.iter().enumerate() {
            let id = FieldId(i as u32);
            let Some(ty) = words.lowered.field_types[i] else { continue };
            match words.arrangement.place(id).pool {
                None => self.compare(id, ty, 0, before, after, &field.name, &mut out),
                Some(PoolId(0)) => {
                    for slot in 0..words.live(before, 0).min(words.live(after, 0)) {
                        if words.is_field_of(before, id, slot) && words.is_field_of(after, id, slot) {
                            let name = format!("{}({slot}):{}", words.process_name(before, slot), field.name);
                            self.compare(id, ty, slot, before, after, &name, &mut out);
                        }
                    }
                }
                Some(_) => {}
            }
        }
        out
    }

    #[allow(clippy::too_many_arguments)] // one comparison
    fn compare(
        &self,
        field: FieldId,
        ty: Scalar,
        slot: usize,
        before: &[u64],
        after: &[u64],
        name: &str,
        out: &mut Vec<Change>,
    ) {
        let length = self.words.lowered.program.fields[field.index()].length as usize;
        for element in 0..length {
            let old = self.words.arrangement.get(before, field, slot, element);
            let new = self.words.arrangement.get(after, field, slot, element);
            if old != new {
                let name = self.words.lowered.element_name(field, name, element);
                let (before, after) = (self.words.value(ty, old), self.words.value(ty, new));
                out.push(Change { name, before, after });
            }
        }
    }

    /// Differences between the contents of channels; gives the message that moved, where it was one.
    fn channels(&self, before: &[u64], after: &[u64], out: &mut Vec<Change>) -> Option<Message> {
        let words = &self.words;
        let mut found = Vec::new();
        for slot in 0..words.live(before, 1).min(words.live(after, 1)) {
            let (Some(old), Some(new)) = (words.messages(before, slot), words.messages(after, slot)) else {
                continue;
            };
            if old == new {
                continue;
            }
            let types = words.message_types(before, slot);
            let name = words.channel_name(after, slot as i64 + 1);
            let (before, after) = (words.contents(types, &old), words.contents(types, &new));
            out.push(Change { name: name.clone(), before, after });
            let (longer, shorter) = if new.len() > old.len() { (&new, &old) } else { (&old, &new) };
            if longer.len() == shorter.len() + 1 {
                let at = longer.iter().zip(shorter).position(|(a, b)| a != b).unwrap_or(shorter.len());
                let moved = if new.len() > old.len() { Moved::Sent } else { Moved::Received };
                found.push(Message { moved, channel: name, values: words.message(types, &longer[at]) });
            } else {
                found.clear();
                break;
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }
}
