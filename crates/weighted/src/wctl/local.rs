//! The answer in one state, on the fly: states are generated when searches need them.

use super::blocking::{Blocking, SINK};
use super::explain::{Explainer, Explanation, PathStep, Source};
use super::plan::Plan;
use super::search::{Ground, Search};
use crate::{Failure, System};
use dashu_ratio::RBig;
use std::ops::Range;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_logic::{Quantifier, Wctl, WctlFormula, WctlId};
use volvelle_space::{BitSet, WeightedStep};

/// Units of work between checks of limits.
const PATIENCE: u64 = 1 << 12;
/// Least number of states that may be visited for a lighter path, even if few are known.
const AFFORDABLE: u64 = 1 << 10;
/// Marks the steps of a state as not generated.
const NOT_YET: u32 = u32::MAX;

/// An answer for one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalAnswer {
    /// Whether the formula holds.
    pub holds: bool,
    /// Why.
    pub explanation: Explanation,
    /// Number of states that the system has numbered.
    pub states_known: u64,
    /// Number of states whose steps were generated.
    pub expanded: u64,
}

/// Decides a formula in a state (by default the initial one). `unit` is the value of weight 1.
///
/// # Errors
/// A limit was reached; a weight does not fit; a state cannot be generated; the formula is nested too deeply.
pub fn check_local<S: System>(
    system: &mut S,
    formula: &WctlFormula,
    state: Option<u32>,
    blocking: Blocking,
    unit: &RBig,
    control: &Control<'_>,
) -> Result<LocalAnswer, Failure> {
    let plan = Plan::new(formula, unit);
    let explainer = Explainer::new(formula, &plan);
    check(system, explainer, state, blocking, control)
}

/// Decides a formula in a state, by the intervals of a plan.
pub(super) fn check<S: System>(
    system: &mut S,
    mut explainer: Explainer<'_>,
    state: Option<u32>,
    blocking: Blocking,
    control: &Control<'_>,
) -> Result<LocalAnswer, Failure> {
    let (formula, plan) = (explainer.formula, explainer.plan);
    plan.check()?;
    let state = state.unwrap_or_else(|| system.initial());
    let nodes = formula.nodes.len();
    let mut engine = Engine {
        system,
        formula,
        plan,
        blocking,
        control,
        ranges: Vec::new(),
        steps: Vec::new(),
        atoms: vec![Answers::default(); formula.atoms.len()],
        nexts: vec![Answers::default(); nodes],
        searches: (0..nodes).map(|_| None).collect(),
        expanded: 0,
        work: 0,
        held: 0,
    };
    control.check()?;
    let holds = engine.decide(formula.root, state + 1)?;
    let explanation = explainer.explain(&mut engine, formula.root, state + 1, 0)?;
    let expanded = engine.expanded;
    Ok(LocalAnswer { holds, explanation, states_known: system.num_known() as u64, expanded })
}

/// Answers by state.
#[derive(Clone, Debug, Default)]
struct Answers {
    known: BitSet,
    holds: BitSet,
}

impl Answers {
    fn get(&self, state: u32) -> Option<bool> {
        self.known.contains(state as usize).then(|| self.holds.contains(state as usize))
    }

    fn set(&mut self, state: u32, holds: bool) {
        self.known.insert_growing(state as usize);
        if holds {
            self.holds.insert_growing(state as usize);
        }
    }
}

/// The engine's own numbers: state 0 is the sink, and states of the system follow.
struct Engine<'a, 'c, S> {
    system: &'a mut S,
    formula: &'a WctlFormula,
    plan: &'a Plan,
    blocking: Blocking,
    control: &'a Control<'c>,
    /// The range of each state's steps.
    ranges: Vec<(u32, u32)>,
    steps: Vec<WeightedStep>,
    atoms: Vec<Answers>,
    nexts: Vec<Answers>,
    searches: Vec<Option<Box<Search>>>,
    expanded: u64,
    work: u64,
    held: u64,
}

impl<S: System> Engine<'_, '_, S> {
    fn atom(&mut self, state: u32, atom: usize) -> Result<bool, Failure> {
        if let Some(known) = self.atoms[atom].get(state) {
            return Ok(known);
        }
        let holds = match state {
            0 => self.formula.atoms[atom].evaluate(|_| 0).ok_or(Failure::Overflow)?,
            _ => self.system.holds(state - 1, atom)?,
        };
        self.atoms[atom].set(state, holds);
        Ok(holds)
    }

    fn next(
        &mut self,
        node: WctlId,
        quantifier: Quantifier,
        inner: WctlId,
        state: u32,
    ) -> Result<bool, Failure> {
        let wanted = quantifier == Quantifier::Exists;
        let Some((lower, upper)) = self.plan.intervals[node.index()] else { return Ok(!wanted) };
        if let Some(known) = self.nexts[node.index()].get(state) {
            return Ok(known);
        }
        let mut holds = !wanted;
        for place in self.outgoing(state)? {
            let step = self.steps[place];
            let is_within = step.weight >= lower && upper.is_none_or(|upper| step.weight <= upper);
            if is_within && self.decide(inner, step.target)? == wanted {
                holds = wanted;
                break;
            }
        }
        self.nexts[node.index()].set(state, holds);
        Ok(holds)
    }

    fn bytes(&self) -> u64 {
        let answers = self.atoms.iter().chain(&self.nexts);
        self.held
            + (8 * self.ranges.capacity() + 16 * self.steps.capacity()) as u64
            + answers.map(|answers| answers.known.bytes() + answers.holds.bytes()).sum::<u64>()
    }
}

impl<S: System> Ground for Engine<'_, '_, S> {
    /// Boolean operators loop over the operand with more work; only the other one is a recursive call.
    fn decide(&mut self, mut node: WctlId, state: u32) -> Result<bool, Failure> {
        let formula = self.formula;
        let mut is_negated = false;
        loop {
            let holds = match formula.node(node) {
                Wctl::Constant(value) => *value,
                Wctl::Atom(atom) => self.atom(state, atom.index())?,
                Wctl::Not(inner) => {
                    (node, is_negated) = (*inner, !is_negated);
                    continue;
                }
                Wctl::And(a, b) | Wctl::Or(a, b) => {
                    let is_and = matches!(formula.node(node), Wctl::And(..));
                    let (first, second) = self.plan.order(*a, *b);
                    if self.decide(first, state)? == is_and {
                        node = second;
                        continue;
                    }
                    !is_and
                }
                Wctl::Next(quantifier, _, inner) => self.next(node, *quantifier, *inner, state)?,
                Wctl::Until(quantifier, ..) => {
                    if self.plan.intervals[node.index()].is_none() {
                        return Ok(is_negated);
                    }
                    let mut search = self.take(node);
                    let holds = match quantifier {
                        Quantifier::Exists => search.exists(self, state),
                        Quantifier::All => search.all(self, state),
                    };
                    self.give(node, search);
                    holds?
                }
            };
            return Ok(holds != is_negated);
        }
    }

    fn outgoing(&mut self, state: u32) -> Result<Range<usize>, Failure> {
        if let Some(range) = self.generated(state) {
            return Ok(range);
        }
        let start = self.steps.len();
        if state > 0 {
            if self.control.limits.states.is_some_and(|limit| self.expanded >= limit) {
                return Err(Stop::States.into());
            }
            self.system.steps(state - 1, &mut self.steps)?;
            self.expanded += 1;
        }
        self.steps[start..].iter_mut().for_each(|step| step.target += 1);
        if self.steps.len() == start {
            let target = if self.blocking == Blocking::Loop { state } else { 0 };
            self.steps.push(WeightedStep { weight: 0, target });
        }
        if self.steps.len() >= NOT_YET as usize {
            return Err(Stop::Memory.into());
        }
        if self.ranges.len() <= state as usize {
            let len = (state as usize + 1).max(self.ranges.len() * 3 / 2);
            self.ranges.resize(len, (NOT_YET, 0));
        }
        self.ranges[state as usize] = (start as u32, self.steps.len() as u32);
        Ok(start..self.steps.len())
    }

    #[inline]
    fn generated(&self, state: u32) -> Option<Range<usize>> {
        match self.ranges.get(state as usize) {
            Some(&(start, end)) if start != NOT_YET => Some(start as usize..end as usize),
            _ => None,
        }
    }

    #[inline]
    fn step(&self, place: usize) -> WeightedStep {
        self.steps[place]
    }

    #[inline]
    fn work(&mut self) -> Result<(), Failure> {
        self.work += 1;
        if self.work.is_multiple_of(PATIENCE) {
            self.control.check()?;
            let bytes = self.bytes();
            self.control.check_memory(bytes)?;
            if self.work.is_multiple_of(64 * PATIENCE) {
                self.control.progress.report(ProgressEvent::Exploring {
                    counted: Counted::default(),
                    states: self.system.num_known() as u64,
                    transitions: self.steps.len() as u64,
                    frontier: self.system.num_known() as u64 - self.expanded,
                    bytes,
                });
            }
        }
        Ok(())
    }

    fn hold(&mut self, bytes: u64) {
        self.held += bytes;
    }
}

impl<S: System> Source for Engine<'_, '_, S> {
    fn take(&mut self, node: WctlId) -> Box<Search> {
        self.searches[node.index()].take().unwrap_or_else(|| new_search(self.formula, self.plan, node))
    }

    fn give(&mut self, node: WctlId, search: Box<Search>) {
        self.searches[node.index()] = Some(search);
    }

    fn outward(&self, state: u32) -> u32 {
        state.checked_sub(1).unwrap_or(SINK)
    }

    fn is_complete(&self) -> bool {
        false
    }

    fn is_generated(&self) -> bool {
        self.system.is_generated()
    }

    fn affordable(&self) -> u64 {
        (self.system.num_known() as u64).max(AFFORDABLE)
    }

    fn is_hard(&self, _: WctlId) -> bool {
        false
    }

    fn exact_path(&mut self, _: WctlId, _: u32) -> Result<Option<Vec<PathStep>>, Failure> {
        Ok(None)
    }
}

/// A search for an until.
pub(super) fn new_search(formula: &WctlFormula, plan: &Plan, node: WctlId) -> Box<Search> {
    let (left, right) = match formula.node(node) {
        Wctl::Until(_, left, _, right) => (*left, *right),
        // Only untils have searches.
        _ => (node, node),
    };
    // An empty interval is decided without a search.
    let (lower, upper) = plan.intervals[node.index()].unwrap_or((0, Some(0)));
    Box::new(Search::new(left, right, lower, upper))
}
