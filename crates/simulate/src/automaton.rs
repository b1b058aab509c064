//! Formulas of linear temporal logic on paths: deterministic automata as tables.
//!
//! A path is a word: every state is a letter, the set of conditions that hold in it. The automaton reads the
//! letters one by one. The path decides the formula as soon as all continuations are accepted, or none is. A
//! path that stays in a state forever repeats its letter forever; a table has the verdicts for that, too.

use crate::conditions::{Conditions, window};
use crate::error::{Unsupported, UnsupportedProperty};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use volvelle_automata::logic;
use volvelle_automata::{Automaton, Formulas, Pair, StateId, UNBOUNDED, Verdict};
use volvelle_kernel::ExprId;
use volvelle_logic::{Formula, FormulaId, Formulas as Arena, TimeBound};
use volvelle_model::Kind;

/// Conditions of a formula; there are two to this many letters.
const MOST_CONDITIONS: usize = 8;
/// Entries of a table.
const MOST_ENTRIES: usize = 1 << 20;

/// An entry of [`MonitorAutomaton::steps`] has the next state in its lower bits, and its known verdict in the
/// upper two.
pub const STATE_BITS: u32 = 30;
/// Every continuation is accepted.
pub const ACCEPTS: u32 = 1;
/// No continuation is accepted.
pub const REJECTS: u32 = 2;

/// An automaton over conditions. In state 0, nothing has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorAutomaton {
    /// The conditions; bit `i` of a letter is the `i`-th.
    pub conditions: Vec<ExprId>,
    /// For each state and letter: the next state, and the verdict.
    pub steps: Vec<u32>,
    /// For each state and letter: 0 if repeating the letter forever is not accepted. Otherwise one more than
    /// the number of repetitions until all continuations are accepted (1 if this never becomes known).
    pub for_ever: Vec<u32>,
    /// The accepted infinite words; `None` if the condition needs too many marks.
    pub acceptance: Option<Acceptance>,
}

/// An acceptance condition on the marks that are seen infinitely often: generalised Rabin pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// For each state and letter the marks of reading it, as bits.
    pub marks: Vec<u64>,
    /// A word is accepted if, for some pair, no mark of the first set is seen infinitely often, and each of
    /// the second is.
    pub pairs: Vec<(u64, u64)>,
}

impl Acceptance {
    /// Whether words that see just these marks infinitely often are accepted.
    pub fn accepts(&self, marks: u64) -> bool {
        self.pairs.iter().any(|&(avoid, meet)| marks & avoid == 0 && marks & meet == meet)
    }
}

impl MonitorAutomaton {
    /// Number of letters.
    pub fn letters(&self) -> usize {
        1 << self.conditions.len()
    }
}

/// The automaton of a path formula.
pub(crate) fn automaton(
    kind: Kind,
    arena: &Arena,
    states: &Conditions,
    root: FormulaId,
) -> Result<MonitorAutomaton, Unsupported> {
    let mut conditions: Vec<ExprId> = Vec::new();
    let mut formulas = Formulas::new();
    let mut done: FxHashMap<FormulaId, volvelle_automata::FormulaId> = FxHashMap::default();
    let mut top = Formulas::TRUE;
    for id in logic::nodes(arena, |id| states.get(id).is_none(), root) {
        let formula = match states.get(id) {
            Some(condition) => literal(&mut formulas, &mut conditions, arena.get(id), condition),
            None => {
                let steps = |bound: &TimeBound| steps(kind, bound);
                logic::operator(&mut formulas, arena.get(id), |operand| done[&operand], steps)?
                    .ok_or(Unsupported::Property(UnsupportedProperty::Nested))?
            }
        };
        if formulas.too_deep() || conditions.len() > MOST_CONDITIONS {
            return Err(Unsupported::Property(UnsupportedProperty::TooManyConditions));
        }
        done.insert(id, formula);
        top = formula;
    }
    tables(formulas, top, conditions)
}

/// The automaton of a path formula that finite prefixes of paths satisfy: it accepts all continuations once
/// the syntactic progression of the formula is true. `truth` is the condition that holds in every state.
pub(crate) fn progression(
    kind: Kind,
    arena: &Arena,
    states: &Conditions,
    root: FormulaId,
    truth: ExprId,
) -> Result<MonitorAutomaton, Unsupported> {
    let conditions: RefCell<Vec<ExprId>> = RefCell::default();
    let mut formulas = Formulas::new();
    let nested = Unsupported::Property(UnsupportedProperty::Nested);
    let top = logic::progression(
        &mut formulas,
        arena,
        |id| states.get(id).is_none(),
        root,
        |formulas, id| {
            let condition = states.get(id).ok_or(nested.clone())?;
            Ok(literal(formulas, &mut conditions.borrow_mut(), arena.get(id), condition))
        },
        |formulas| proposition(formulas, &mut conditions.borrow_mut(), truth),
        |bound| steps(kind, bound),
    )?;
    let conditions = conditions.into_inner();
    let too_many = Unsupported::Property(UnsupportedProperty::TooManyConditions);
    let Some(top) = top else { return Err(if formulas.too_deep() { too_many } else { nested }) };
    if conditions.len() > MOST_CONDITIONS {
        return Err(too_many);
    }
    if !formulas.is_cosafety(top) {
        return Err(Unsupported::Property(UnsupportedProperty::RewardForAllTime));
    }
    tables(formulas, top, conditions)
}

/// A condition as a literal: of a proposition that is new or known.
fn literal(
    formulas: &mut Formulas,
    conditions: &mut Vec<ExprId>,
    formula: &Formula,
    condition: ExprId,
) -> volvelle_automata::FormulaId {
    match *formula {
        Formula::Bool(truth) => formulas.constant(truth),
        _ => proposition(formulas, conditions, condition),
    }
}

fn proposition(
    formulas: &mut Formulas,
    conditions: &mut Vec<ExprId>,
    condition: ExprId,
) -> volvelle_automata::FormulaId {
    let known = conditions.iter().position(|&known| known == condition);
    let number = known.unwrap_or_else(|| {
        conditions.push(condition);
        conditions.len() - 1
    });
    formulas.literal(number as u32, true)
}

/// The steps of a bound, from and to; from 1 to 0 if there are none.
fn steps(kind: Kind, bound: &TimeBound) -> Result<(u64, u64), Unsupported> {
    if bound.is_none() {
        return Ok((0, UNBOUNDED));
    }
    if kind == Kind::Ctmc {
        return Err(Unsupported::Property(UnsupportedProperty::InnerTimeBound));
    }
    Ok(match window(kind, bound)? {
        None => (1, 0),
        Some(window) => (window.lower as u64, window.upper.map_or(UNBOUNDED, |u| u as u64)),
    })
}

/// All states of the automaton, as tables.
fn tables(
    formulas: Formulas,
    root: volvelle_automata::FormulaId,
    conditions: Vec<ExprId>,
) -> Result<MonitorAutomaton, Unsupported> {
    let too_large = |_| Unsupported::Property(UnsupportedProperty::AutomatonTooLarge);
    let letters = 1usize << conditions.len();
    let all: Vec<Vec<bool>> =
        (0..letters).map(|letter| (0..conditions.len()).map(|i| letter >> i & 1 != 0).collect()).collect();
    let mut automaton = Automaton::new(formulas, root, all).map_err(too_large)?;
    // Numbers of the table, in the order of discovery.
    let mut number: FxHashMap<StateId, u32> = FxHashMap::default();
    let mut order = vec![automaton.initial()];
    number.insert(automaton.initial(), 0);
    let mut steps = Vec::new();
    let mut at = 0;
    while at < order.len() {
        for letter in 0..letters as u32 {
            let next = automaton.step(order[at], letter).map_err(too_large)?.next;
            let fresh = order.len() as u32;
            let place = *number.entry(next).or_insert(fresh);
            if place == fresh {
                order.push(next);
            }
            let known = match automaton.verdict(next) {
                Verdict::Open => 0,
                Verdict::Accepts => ACCEPTS,
                Verdict::Rejects => REJECTS,
            };
            steps.push(place | known << STATE_BITS);
        }
        at += 1;
        if order.len() * letters > MOST_ENTRIES {
            return Err(Unsupported::Property(UnsupportedProperty::AutomatonTooLarge));
        }
    }
    let mut for_ever = Vec::with_capacity(steps.len());
    for &state in &order {
        for letter in 0..letters as u32 {
            for_ever.push(repeated(&mut automaton, state, letter).map_err(too_large)?);
        }
    }
    let acceptance = acceptance(&mut automaton, &order, letters).map_err(too_large)?;
    Ok(MonitorAutomaton { conditions, steps, for_ever, acceptance })
}

/// The acceptance condition, if it has few marks.
fn acceptance(
    automaton: &mut Automaton,
    order: &[StateId],
    letters: usize,
) -> Result<Option<Acceptance>, volvelle_automata::TooLarge> {
    let all = |pair: &Pair| pair.meet.iter().copied().chain([pair.avoid]).max().unwrap_or(0);
    let count = automaton.pairs().iter().map(all).max().map_or(0, |mark| mark + 1);
    if count > u64::BITS {
        return Ok(None);
    }
    let bit = |mark: &u32| 1u64 << mark;
    let bits = |pair: &Pair| (bit(&pair.avoid), pair.meet.iter().map(bit).fold(0, |all, mark| all | mark));
    let pairs = automaton.pairs().iter().map(bits).collect();
    let mut marks = Vec::with_capacity(order.len() * letters);
    for &state in order {
        for letter in 0..letters as u32 {
            let seen = automaton.step(state, letter)?.marks;
            marks.push(
                (0..count).filter(|&mark| automaton.has_mark(seen, mark)).fold(0, |all, m| all | bit(&m)),
            );
        }
    }
    Ok(Some(Acceptance { marks, pairs }))
}

/// The verdict if a letter is repeated forever: see [`MonitorAutomaton::for_ever`].
fn repeated(
    automaton: &mut Automaton,
    from: StateId,
    letter: u32,
) -> Result<u32, volvelle_automata::TooLarge> {
    let mut seen: Vec<StateId> = vec![from];
    let mut marks: Vec<u32> = Vec::new();
    loop {
        let state = seen[seen.len() - 1];
        match automaton.verdict(state) {
            Verdict::Accepts => return Ok(seen.len() as u32),
            Verdict::Rejects => return Ok(0),
            Verdict::Open => {}
        }
        let step = automaton.step(state, letter)?;
        marks.push(step.marks);
        if let Some(start) = seen.iter().position(|&known| known == step.next) {
            let cycle = &marks[start..];
            let on_cycle = |mark: u32| cycle.iter().any(|&m| automaton.has_mark(m, mark));
            let accepted = automaton
                .pairs()
                .iter()
                .any(|pair| !on_cycle(pair.avoid) && pair.meet.iter().all(|&mark| on_cycle(mark)));
            return Ok(u32::from(accepted));
        }
        seen.push(step.next);
    }
}
