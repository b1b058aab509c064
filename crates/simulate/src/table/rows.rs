//! A table as the paths of a plan need it: with the conditions of its measures in every state, beside the
//! beginning of its row.

use super::Table;
use crate::automaton::MonitorAutomaton;
use crate::error::{Unsupported, UnsupportedProperty};
use crate::measure::{Event, Measure, Target};
use std::sync::Arc;
use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{BufferMut, Const, ExprId, FailKind, Node, Site};
use volvelle_model::{Domain, FieldId, Origin, Program, SiteInfo, SiteSubject};

/// Which rewards of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earns {
    /// The rewards of the state.
    State,
    /// The rewards of the state and of the steps out of it, per step or unit of time.
    Stay,
}

/// Bits of the first word of marks; conditions follow.
pub const STAYS: u32 = 0;
/// The choice of the state is not resolved.
pub const UNDECIDED: u32 = 1;
const FIRST_CONDITION: usize = 2;

/// A table with the marks of its states.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The chain.
    pub table: Arc<Table>,
    /// The initial state.
    pub initial: u32,
    /// Conditions of the measures, in the order of their bits.
    pub conditions: Vec<ExprId>,
    /// Reward vectors that measures need, in the order of their buffers.
    pub vectors: Vec<(usize, Earns)>,
    /// The site of failure for paths in a state whose choice is not resolved.
    pub site: Option<Site>,
    /// For each state, and once after the last, the number of its first transition, then its marks.
    words: Arc<[u32]>,
    /// Words of a state.
    pub stride: usize,
}

impl Rows {
    /// Evaluates the conditions of measures in all states. `ends`: a path ends if all transitions lead back
    /// to their state.
    ///
    /// # Errors
    /// A condition fails in a state, or there is not exactly one initial state.
    pub fn new(
        program: &mut Program,
        table: Arc<Table>,
        measures: &[Measure],
        automata: &[MonitorAutomaton],
        ends: bool,
    ) -> Result<Self, Unsupported> {
        let initial = table.initial()?;
        check_amounts(&table, measures)?;
        let mut conditions: Vec<ExprId> = Vec::new();
        let of_automata = automata.iter().flat_map(|automaton| automaton.conditions.iter().copied());
        for condition in measures.iter().flat_map(conditions_of).chain(of_automata) {
            if program.exprs.as_const(condition).is_none() && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let mut vectors: Vec<(usize, Earns)> = Vec::new();
        for needed in measures.iter().flat_map(rewards_of) {
            if !vectors.contains(&needed) && table.vector(needed.0, needed.1).is_some() {
                vectors.push(needed);
            }
        }
        let site = table.undecided.as_ref().map(|_| {
            let subject = SiteSubject::Note;
            program.site(SiteInfo { kind: FailKind::Assertion, subject, origin: Origin(0), command: None })
        });
        let stride = 1 + (FIRST_CONDITION + conditions.len()).div_ceil(32);
        let words = words(program, &table, &conditions, stride, ends)?;
        Ok(Rows { table, initial, conditions, vectors, site, words: words.into(), stride })
    }

    /// Word and bit of the mark of a condition; `None` for a constant.
    pub fn mark(&self, condition: ExprId) -> Option<(usize, u32)> {
        let place = self.conditions.iter().position(|&known| known == condition)?;
        Some(((FIRST_CONDITION + place) / 32, ((FIRST_CONDITION + place) % 32) as u32))
    }

    /// Whether a condition holds in a state; `None` for a constant.
    pub fn holds(&self, condition: ExprId, state: usize) -> Option<bool> {
        let (word, bit) = self.mark(condition)?;
        Some(self.is_marked(state, word, bit))
    }

    /// Whether paths stay in a state forever.
    pub fn stays(&self, state: u32) -> bool {
        self.is_marked(state as usize, 0, STAYS)
    }

    /// Whether the choice of a state is not resolved.
    pub fn is_undecided(&self, state: u32) -> bool {
        self.is_marked(state as usize, 0, UNDECIDED)
    }

    fn is_marked(&self, state: usize, word: usize, bit: u32) -> bool {
        self.words[state * self.stride + 1 + word] >> bit & 1 != 0
    }

    /// The buffers of path kernels: words of the states, entries of the transitions, exit rates in continuous
    /// time, rewards.
    pub(crate) fn buffers(&self) -> Vec<BufferMut<'_>> {
        let mut buffers =
            vec![BufferMut::ReadU32(&self.words), BufferMut::ReadU64(&self.table.aliases.places)];
        if !self.table.rates.is_empty() {
            buffers.push(BufferMut::ReadF64(&self.table.rates));
        }
        let vectors = self.vectors.iter().filter_map(|&(structure, what)| self.table.vector(structure, what));
        buffers.extend(vectors.map(BufferMut::ReadF64));
        buffers
    }
}

fn conditions_of(measure: &Measure) -> Vec<ExprId> {
    match *measure {
        Measure::Indicator { event, .. } => match event {
            Event::Now(condition) | Event::Next(condition, _) => vec![condition],
            Event::Until(left, right, _) | Event::Spending(left, right, _) => vec![left, right],
            Event::Automaton(_) => Vec::new(),
        },
        Measure::Reach { target: Target::States(target), .. } => vec![target],
        Measure::Reach { .. }
        | Measure::Cumulative { .. }
        | Measure::Instantaneous { .. }
        | Measure::Within { .. } => Vec::new(),
    }
}

fn rewards_of(measure: &Measure) -> Vec<(usize, Earns)> {
    let earns = if matches!(measure, Measure::Instantaneous { .. }) { Earns::State } else { Earns::Stay };
    measure.structures().into_iter().map(|structure| (structure, earns)).collect()
}

/// Checks that the amounts spent in each state of a table are known and not negative.
fn check_amounts(table: &Table, measures: &[Measure]) -> Result<(), Unsupported> {
    for structure in measures.iter().filter_map(Measure::amounts).flat_map(|amounts| amounts.structures()) {
        if table.space().rewards.get(structure).is_some_and(|rewards| rewards.mixed) {
            return Err(Unsupported::Property(UnsupportedProperty::BoundOnMeans));
        }
        if table.vector(structure, Earns::Stay).is_some_and(|spent| spent.iter().any(|&amount| amount < 0.0))
        {
            return Err(Unsupported::Property(UnsupportedProperty::BoundOnNegative));
        }
    }
    Ok(())
}

fn words(
    program: &Program,
    table: &Table,
    conditions: &[ExprId],
    stride: usize,
    ends: bool,
) -> Result<Vec<u32>, Unsupported> {
    let space = table.space();
    let count = space.num_states();
    let mut words = vec![0; (count + 1) * stride];
    for (state, words) in words.chunks_exact_mut(stride).enumerate() {
        words[0] = space.row_start[state];
        if state == count {
            break;
        }
        let stays = table.is_deadlock(state as u32) || ends && table.is_loop(state as u32);
        let undecided = table.undecided.as_ref().is_some_and(|states| states.contains(state));
        words[1] = u32::from(stays) << STAYS | u32::from(undecided) << UNDECIDED;
    }
    let mut locals: Vec<Const> = program.fields.iter().map(|field| value(field.domain, 0)).collect();
    let mut evaluator = Evaluator::new();
    for (place, &condition) in conditions.iter().enumerate() {
        let (word, bit) = ((FIRST_CONDITION + place) / 32, (FIRST_CONDITION + place) % 32);
        let read = program.reads(condition);
        // Most conditions are a label.
        let label = match program.exprs.node(condition) {
            Node::Local(local, _) => Some(FieldId(local.0)),
            _ => None,
        };
        for state in 0..count {
            let holds = match label {
                Some(field) => table.states.value(state, field) != 0,
                None => {
                    for field in &read {
                        let of_state = table.states.value(state, *field);
                        locals[field.index()] = value(program.fields[field.index()].domain, of_state);
                    }
                    let found =
                        evaluator.eval(&program.exprs, condition, &locals).map_err(|error| match error {
                            EvalError::Failed(site) => site,
                            other => unreachable!("expressions of programs read fields only: {other}"),
                        });
                    let failed = |site| Unsupported::Condition {
                        site,
                        state: table.values(state as u32, program.fields.len()),
                    };
                    found.map_err(failed)?.as_bool() == Some(true)
                }
            };
            words[state * stride + 1 + word] |= u32::from(holds) << bit;
        }
    }
    Ok(words)
}

fn value(domain: Domain, value: i64) -> Const {
    match domain {
        Domain::Bool => Const::bool(value != 0),
        _ => Const::i64(value),
    }
}
