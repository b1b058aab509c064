//! The states of a structure that satisfy a formula: sets of states, node by node.

use super::blocking::{Blocking, SINK};
use super::explain::{Explainer, Explanation, PathStep, Source};
use super::graph::{Graph, Reverse, explored, fill_sink};
use super::local::new_search;
use super::plan::Plan;
use super::search::{Ground, Search};
use super::{all, exists, layers};
use crate::paths::{self, path_within};
use crate::{Failure, System, Valued};
use dashu_ratio::RBig;
use std::ops::Range;
use volvelle_control::{Control, Stop};
use volvelle_logic::{Quantifier, Wctl, WctlFormula, WctlId};
use volvelle_space::{BitSet, WeightedStep};

/// Limit of *steps × layers* for computing intervals with two ends by layers. Beyond, exact weights of paths
/// have their own methods ([`crate::paths`]), and universal formulas are decided on the pairs of a state and
/// a weight that are met.
const LAYERED: u128 = 1 << 33;

/// Limit of steps of an explanation's path, if weights are large.
const LONGEST: u64 = 10_000;

/// A formula, with the states that satisfy it.
pub struct Checked<'a> {
    graph: Graph<'a>,
    formula: &'a WctlFormula,
    plan: Plan,
    /// By node.
    sets: Vec<BitSet>,
    holds: BitSet,
    control: Control<'a>,
}

/// The states of a structure that satisfy a formula.
///
/// # Errors
/// A limit was reached; a sum of weights, or an amount, does not fit.
pub fn check_global<'a>(
    valued: &Valued<'a>,
    formula: &'a WctlFormula,
    blocking: Blocking,
    control: &Control<'a>,
) -> Result<Checked<'a>, Failure> {
    check_planned(valued, formula, Plan::new(formula, &valued.structure().unit), blocking, control)
}

/// Like [`check_global`], by the intervals of a plan.
pub(super) fn check_planned<'a>(
    valued: &Valued<'a>,
    formula: &'a WctlFormula,
    plan: Plan,
    blocking: Blocking,
    control: &Control<'a>,
) -> Result<Checked<'a>, Failure> {
    let structure = valued.structure();
    let graph = Graph::of(structure, blocking)?;
    let states = graph.num_states();
    let mut atoms = Vec::with_capacity(formula.atoms.len());
    for atom in 0..formula.atoms.len() {
        let members = (0..graph.own_states).filter(|&state| valued.atom(state as u32, atom));
        atoms.push(BitSet::of(states, members));
    }
    fill_sink(&graph, formula, &mut atoms)?;
    Checked::new(graph, atoms, formula, plan, control)
}

/// Generates all states of a system, and computes those that satisfy a formula. `unit` is the value of weight
/// 1.
///
/// # Errors
/// A limit was reached; a sum of weights, or an amount, does not fit; a state cannot be generated.
pub fn check_explored<'a, S: System>(
    system: &mut S,
    formula: &'a WctlFormula,
    blocking: Blocking,
    unit: &RBig,
    control: &Control<'a>,
) -> Result<Checked<'a>, Failure> {
    let (graph, atoms) = explored(system, formula, blocking, control)?;
    Checked::new(graph, atoms, formula, Plan::new(formula, unit), control)
}

impl<'a> Checked<'a> {
    fn new(
        graph: Graph<'a>,
        atoms: Vec<BitSet>,
        formula: &'a WctlFormula,
        plan: Plan,
        control: &Control<'a>,
    ) -> Result<Self, Failure> {
        let mut checked =
            Checked { graph, formula, plan, sets: Vec::new(), holds: BitSet::default(), control: *control };
        let mut reverse = None;
        for index in 0..=formula.root.index() {
            control.check()?;
            let set = if checked.plan.needed[index] {
                checked.node(WctlId::from_index(index), &atoms, &mut reverse)?
            } else {
                BitSet::default()
            };
            checked.sets.push(set);
        }
        let root = &checked.sets[formula.root.index()];
        checked.holds = BitSet::from_words(root.words().to_vec(), checked.graph.own_states);
        Ok(checked)
    }

    /// The states that satisfy the formula.
    pub fn holds(&self) -> &BitSet {
        &self.holds
    }

    /// Number of states, without a sink.
    pub fn num_states(&self) -> usize {
        self.graph.own_states
    }

    /// Number of steps, including those given to blocking states.
    pub fn num_steps(&self) -> usize {
        self.graph.steps.len()
    }

    /// Like [`explain`](Self::explain), for the plan of [`Plan::asking`].
    pub(super) fn explain_bound(&self, state: u32) -> Result<Explanation, Failure> {
        let mut facts = Facts { checked: self, work: 0, held: 0 };
        Explainer::asking(self.formula, &self.plan).explain(&mut facts, self.formula.root, state, 0)
    }

    /// By state, for a root that is an until: the least weight to the right operand on some path, or the
    /// largest one over all paths; `u64::MAX` if it is above `upper`.
    pub(super) fn bounds(&self, upper: u64) -> Result<Vec<u64>, Failure> {
        let Wctl::Until(quantifier, left, _, right) = self.formula.node(self.formula.root) else {
            return Ok(Vec::new());
        };
        let (left, right) = (&self.sets[left.index()], &self.sets[right.index()]);
        let (reverse, control) = (self.graph.reversed(), &self.control);
        match quantifier {
            Quantifier::Exists => exists::least_weights(&reverse, left, right, upper, control),
            Quantifier::All => all::heaviest_weights(&self.graph, &reverse, left, right, upper, control),
        }
    }

    /// Why the formula holds in a state, or does not.
    ///
    /// # Errors
    /// A limit was reached, or a sum of weights does not fit.
    pub fn explain(&self, state: u32) -> Result<Explanation, Failure> {
        let mut facts = Facts { checked: self, work: 0, held: 0 };
        Explainer::new(self.formula, &self.plan).explain(&mut facts, self.formula.root, state, 0)
    }

    /// The states that satisfy a node whose operands are computed.
    fn node(&self, id: WctlId, atoms: &[BitSet], reverse: &mut Option<Reverse>) -> Result<BitSet, Failure> {
        let states = self.graph.num_states();
        let set = |id: &WctlId| &self.sets[id.index()];
        Ok(match self.formula.node(id) {
            Wctl::Constant(true) => BitSet::full(states),
            Wctl::Constant(false) => BitSet::new(states),
            Wctl::Atom(atom) => atoms[atom.index()].clone(),
            Wctl::Not(inner) => set(inner).complement(),
            Wctl::And(left, right) => {
                let mut both = set(left).clone();
                both.intersect(set(right));
                both
            }
            Wctl::Or(left, right) => {
                let mut either = set(left).clone();
                either.unite(set(right));
                either
            }
            Wctl::Next(quantifier, _, inner) => {
                let is_exists = *quantifier == Quantifier::Exists;
                let Some((lower, upper)) = self.plan.intervals[id.index()] else {
                    return Ok(if is_exists { BitSet::new(states) } else { BitSet::full(states) });
                };
                let shows = |step: &WeightedStep| {
                    step.weight >= lower
                        && upper.is_none_or(|upper| step.weight <= upper)
                        && set(inner).contains(step.target as usize) == is_exists
                };
                let holds = |&state: &usize| self.graph.outgoing(state).iter().any(shows) == is_exists;
                BitSet::of(states, (0..states).filter(holds))
            }
            Wctl::Until(quantifier, left, _, right) => match self.plan.intervals[id.index()] {
                None => BitSet::new(states),
                Some((lower, upper)) => {
                    let reverse = reverse.get_or_insert_with(|| self.graph.reversed());
                    self.until(id, *quantifier, (set(left), set(right)), (lower, upper), reverse)?
                }
            },
        })
    }

    fn until(
        &self,
        id: WctlId,
        quantifier: Quantifier,
        (left, right): (&BitSet, &BitSet),
        (lower, upper): (u64, Option<u64>),
        reverse: &Reverse,
    ) -> Result<BitSet, Failure> {
        let (graph, control) = (&self.graph, &self.control);
        let numbers = |upper: u64| match quantifier {
            Quantifier::Exists => exists::least_weights(reverse, left, right, upper, control),
            Quantifier::All => all::heaviest_weights(graph, reverse, left, right, upper, control),
        };
        match (quantifier, lower, upper) {
            (Quantifier::Exists, 0, None) => Ok(exists::reach(reverse, left, right)),
            (Quantifier::All, 0, None) => Ok(all::always(graph, reverse, left, right)),
            (_, 0, Some(upper)) => Ok(exists::within(&numbers(upper)?, upper)),
            (Quantifier::Exists, _, None) => exists::at_least(graph, reverse, left, right, lower),
            (Quantifier::All, _, None) => all::at_least(graph, reverse, left, right, lower, control),
            (_, _, Some(upper)) => {
                if !self.is_hard(lower) {
                    let base = numbers(upper - lower)?;
                    layers::between(graph, reverse, quantifier, left, &base, lower, upper, control)
                } else if quantifier == Quantifier::Exists {
                    paths::within(&graph.structure(), left, right, lower, Some(upper), control)
                } else {
                    self.all_by_pairs(id)
                }
            }
        }
    }

    /// Whether an interval with two ends needs too many layers.
    fn is_hard(&self, lower: u64) -> bool {
        u128::from(lower) * self.graph.steps.len() as u128 > LAYERED
    }

    /// `A(f U[l,u] g)` state by state, on the pairs of a state and a weight that are met.
    fn all_by_pairs(&self, id: WctlId) -> Result<BitSet, Failure> {
        let states = self.graph.num_states();
        let mut search = new_search(self.formula, &self.plan, id);
        let mut facts = Facts { checked: self, work: 0, held: 0 };
        let mut result = BitSet::new(states);
        for state in 0..states {
            if search.all(&mut facts, state as u32)? {
                result.insert(state);
            }
        }
        Ok(result)
    }
}

/// Facts for searches: everything is known.
struct Facts<'c, 'a> {
    checked: &'c Checked<'a>,
    work: u64,
    held: u64,
}

impl Ground for Facts<'_, '_> {
    fn decide(&mut self, node: WctlId, state: u32) -> Result<bool, Failure> {
        Ok(self.checked.sets[node.index()].contains(state as usize))
    }

    fn outgoing(&mut self, state: u32) -> Result<Range<usize>, Failure> {
        let starts = &self.checked.graph.starts;
        Ok(starts[state as usize] as usize..starts[state as usize + 1] as usize)
    }

    fn generated(&self, state: u32) -> Option<Range<usize>> {
        let starts = &self.checked.graph.starts;
        Some(starts[state as usize] as usize..starts[state as usize + 1] as usize)
    }

    fn step(&self, place: usize) -> WeightedStep {
        self.checked.graph.steps[place]
    }

    fn work(&mut self) -> Result<(), Failure> {
        self.work += 1;
        if self.work.is_multiple_of(1 << 12) {
            self.checked.control.check().map_err(Failure::from)?;
            self.checked.control.check_memory(self.held).map_err(|stop: Stop| Failure::from(stop))?;
        }
        Ok(())
    }

    fn hold(&mut self, bytes: u64) {
        self.held += bytes;
    }
}

impl Source for Facts<'_, '_> {
    fn take(&mut self, node: WctlId) -> Box<Search> {
        new_search(self.checked.formula, &self.checked.plan, node)
    }

    fn give(&mut self, _: WctlId, _: Box<Search>) {}

    fn outward(&self, state: u32) -> u32 {
        if (state as usize) < self.checked.graph.own_states { state } else { SINK }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn is_generated(&self) -> bool {
        true
    }

    fn affordable(&self) -> u64 {
        u64::MAX
    }

    fn is_hard(&self, node: WctlId) -> bool {
        let interval = self.checked.plan.intervals[node.index()];
        matches!(interval, Some((lower, Some(_))) if self.checked.is_hard(lower))
    }

    fn exact_path(&mut self, node: WctlId, state: u32) -> Result<Option<Vec<PathStep>>, Failure> {
        let checked = self.checked;
        let (Wctl::Until(_, left, _, right), Some((lower, upper))) =
            (checked.formula.node(node), checked.plan.intervals[node.index()])
        else {
            return Ok(None);
        };
        let (left, right) = (&checked.sets[left.index()], &checked.sets[right.index()]);
        let structure = checked.graph.structure();
        let path = path_within(&structure, left, right, state, lower, upper, &checked.control)?;
        let Some(path) = path.filter(|path| path.num_steps() <= LONGEST) else { return Ok(None) };
        let mut at = state;
        let step = |step: WeightedStep| (std::mem::replace(&mut at, step.target), step.weight, step.target);
        Ok(Some(path.steps().map(step).collect()))
    }
}
