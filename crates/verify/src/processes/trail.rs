//! Trails in the words of the text: who moved, which statement, what changed.

use super::ProcessSession;
use volvelle_model::{Arrangement, FieldId, LocationId, Role, Transition, kernels};
use volvelle_promela::{Lowered, Scalar, ast::Place};
use volvelle_search::liveness::STUTTER;
use volvelle_search::{TRANSIENT, Trail};

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Number of the process that moved, and the name of its type; `None` where nothing can move any more.
    pub process: Option<(usize, String)>,
    /// Line of the statement.
    pub line: usize,
    /// The statement as it was written.
    pub statement: String,
    /// For a handshake: the process that received, its line and statement.
    pub partner: Option<(usize, String, usize, String)>,
    /// Variables that changed: name, value before, value after.
    pub changes: Vec<(String, String, String)>,
    /// Whether the process goes on alone behind it.
    pub atomic: bool,
}

impl TraceStep {
    /// Nothing can move: the state stays as it is.
    fn stutter() -> Self {
        TraceStep {
            process: None,
            line: 0,
            statement: "nothing can move any more".to_owned(),
            partner: None,
            changes: Vec::new(),
            atomic: false,
        }
    }
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
    /// In the last state: where each process is.
    pub blocked: Vec<String>,
    /// The packed states and numbers of steps, for replays.
    pub raw: Trail,
}

/// Longest text of a statement that is shown.
const STATEMENT_LENGTH: usize = 60;

/// Shows a trail.
pub(super) fn show(
    session: &ProcessSession,
    lowered: &Lowered,
    arrangement: &Arrangement,
    trail: &Trail,
    reason: String,
    cycle_start: Option<usize>,
) -> Counterexample {
    let shower = Shower { session, lowered, arrangement };
    let transitions: Vec<&Transition> = lowered.program.network.transitions().collect();
    let mut steps = Vec::new();
    let mut shown_start = None;
    for (i, &step) in trail.steps.iter().enumerate() {
        let (before, after) = (&trail.states[i], &trail.states[i + 1]);
        if cycle_start == Some(i) {
            shown_start = Some(steps.len());
        }
        if step == STUTTER {
            steps.push(TraceStep::stutter());
            continue;
        }
        let slot = (step >> 16 & 0x7fff) as usize;
        let number = step & 0xffff;
        if number == kernels::RELEASE {
            continue;
        }
        let transition = transitions[number as usize];
        let (line, statement) = shower.text(lowered.origins[transition.origin.0 as usize]);
        let process = Some((slot, shower.process_name(before, slot)));
        let partner = match transition.role {
            Role::Offer { .. } => shower.partner(before, after, slot),
            _ => None,
        };
        let changes = shower.changes(before, after);
        steps.push(TraceStep { process, line, statement, partner, changes, atomic: step & TRANSIENT != 0 });
    }
    let blocked = trail.states.last().map_or(Vec::new(), |state| shower.where_all_are(state));
    Counterexample { reason, steps, cycle_start: shown_start, blocked, raw: trail.clone() }
}

struct Shower<'a> {
    session: &'a ProcessSession,
    lowered: &'a Lowered,
    arrangement: &'a Arrangement,
}

impl Shower<'_> {
    /// Line and text of a place, on one line and not too long.
    fn text(&self, place: Place) -> (usize, String) {
        // Lines are those of the outermost call: where the person wrote it.
        let places = &self.session.model.places;
        let span = places.span(place);
        let line = self.session.sources.line_column(span).line;
        let text = self.session.sources.text(span);
        let text: Vec<&str> = text.split_whitespace().collect();
        let mut text = text.join(" ");
        if text.chars().count() > STATEMENT_LENGTH {
            text = text.chars().take(STATEMENT_LENGTH - 3).collect::<String>() + "...";
        }
        (line, text)
    }

    fn location(&self, state: &[u64], slot: usize) -> LocationId {
        let field = self.lowered.program.network.location.expect("a network has locations");
        if !self.arrangement.has(field, slot) {
            return LocationId::NOWHERE;
        }
        LocationId(self.arrangement.get(state, field, slot, 0) as u32)
    }

    fn type_at(&self, state: &[u64], slot: usize) -> Option<usize> {
        self.lowered.program.network.type_of(self.location(state, slot))
    }

    fn process_name(&self, state: &[u64], slot: usize) -> String {
        self.type_at(state, slot).map_or("?".into(), |ty| self.lowered.processes[ty].name.clone())
    }

    fn live(&self, state: &[u64]) -> usize {
        let count = self.lowered.program.network.pools[0].count;
        self.arrangement.get(state, count, 0, 0) as usize
    }

    /// The process that took an offer: the other one whose location changed, or that was already there.
    fn partner(&self, before: &[u64], after: &[u64], slot: usize) -> Option<(usize, String, usize, String)> {
        let network = &self.lowered.program.network;
        let takes = |other: usize| {
            let (from, to) = (self.location(before, other), self.location(after, other));
            let tiers = &network.locations[from.index()].tiers;
            let mut all = tiers.iter().flat_map(|t| &t.transitions);
            all.find(|t| matches!(t.role, Role::Take { .. }) && t.target == to)
        };
        let others = (0..self.live(before)).filter(|&o| o != slot);
        let moved = |o: &usize| self.location(before, *o) != self.location(after, *o);
        let found = others.clone().filter(moved).chain(others).find_map(|o| takes(o).map(|t| (o, t)));
        let (other, transition) = found?;
        let (line, text) = self.text(self.lowered.origins[transition.origin.0 as usize]);
        Some((other, self.process_name(before, other), line, text))
    }

    /// Where every process is, for the end of a trail.
    fn where_all_are(&self, state: &[u64]) -> Vec<String> {
        let mut out = Vec::new();
        for slot in 0..self.live(state) {
            let location = self.location(state, slot);
            let name = self.process_name(state, slot);
            let info = &self.lowered.program.network.locations[location.index()];
            out.push(match info.origin {
                Some(origin) => {
                    let (line, text) = self.text(self.lowered.origins[origin.0 as usize]);
                    let end = if info.is_end { " (an end state)" } else { "" };
                    format!("{name}({slot}) is at line {line}: {text}{end}")
                }
                None => format!("{name}({slot}) has come to its end"),
            });
        }
        out
    }

    /// Differences between two states, variable by variable.
    fn changes(&self, before: &[u64], after: &[u64]) -> Vec<(String, String, String)> {
        let program = &self.lowered.program;
        let mut out = Vec::new();
        for (i, field) in program.fields.iter().enumerate() {
            let id = FieldId(i as u32);
            let Some(ty) = self.lowered.field_types[i] else { continue };
            match self.arrangement.place(id).pool {
                None => self.compare(id, ty, 0, 0, before, after, &field.name, &mut out),
                Some(pool) if pool.0 == 0 => {
                    for slot in 0..self.live(before).min(self.live(after)) {
                        let same = |state| {
                            self.type_at(state, slot).map(|t| program.network.types[t].component)
                                == field.component
                        };
                        if same(before) && same(after) && self.arrangement.has(id, slot) {
                            let name = format!("{}({slot}):{}", self.process_name(before, slot), field.name);
                            self.compare(id, ty, slot, slot, before, after, &name, &mut out);
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
        old_slot: usize,
        new_slot: usize,
        before: &[u64],
        after: &[u64],
        name: &str,
        out: &mut Vec<(String, String, String)>,
    ) {
        let length = self.lowered.program.fields[field.index()].length as usize;
        for element in 0..length {
            let old = self.arrangement.get(before, field, old_slot, element);
            let new = self.arrangement.get(after, field, new_slot, element);
            if old != new {
                let name = if length == 1 { name.to_owned() } else { format!("{name}[{element}]") };
                out.push((name, self.lowered.value_text(ty, old), self.lowered.value_text(ty, new)));
            }
        }
    }
}
