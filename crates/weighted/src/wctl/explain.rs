//! Explanations why a formula holds in a state, or does not: paths as evidence, and operands of Boolean
//! operators.

use super::plan::{FAR, Plan};
use super::search::{Ground, Refutation, Search, Way};
use crate::Failure;
use volvelle_logic::{Quantifier, Wctl, WctlFormula, WctlId};

/// Limit of the depth of an explanation; `MOST`: limit of its parts.
const DEEPEST: usize = 64;
const MOST: usize = 1000;

/// Why a node of a formula holds in a state, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The node.
    pub node: WctlId,
    /// The state; [`super::SINK`] means the sink.
    pub state: u32,
    /// Whether the node holds there.
    pub holds: bool,
    /// Why.
    pub reason: Reason,
    /// Explanations of the relevant operands; for a path, in its last state.
    pub because: Vec<Explanation>,
}

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The state itself is the evidence: a condition or a constant, or an interval without weights.
    State,
    /// A path is the evidence.
    Path {
        /// For each step: its source, its weight in units, and its target.
        steps: Vec<(u32, u64, u32)>,
        /// If set, the last step leads back to the source of this step.
        cycle_start: Option<usize>,
        /// The end of the path.
        end: PathEnd,
    },
    /// The evidence is about all paths, or all steps.
    All(Option<Decisive>),
    /// The operands decide.
    Parts,
}

/// The end of a path in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// A state with the right operand, at a weight in the interval; or the target of the step that satisfies
    /// a next formula.
    Goal,
    /// A state without the left operand, where the right one does not hold at a weight in the interval.
    Dead,
    /// A cycle on which the right operand never holds at a weight in the interval.
    Cycle,
    /// A weight above the interval.
    Heavy,
    /// A state with the right operand; no path to one is heavier.
    Heaviest,
}

/// The decisive number, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decisive {
    /// The least weight at which the right operand is reached.
    Least(u64),
    /// The largest weight at which the right operand is reached.
    Largest(u64),
}

/// The source of a step, its weight, and its target.
pub(super) type PathStep = (u32, u64, u32);

/// The data from which explanations are made.
pub(super) trait Source: Ground {
    /// Takes the search of an until, with its results so far.
    fn take(&mut self, node: WctlId) -> Box<Search>;
    /// Returns a search.
    fn give(&mut self, node: WctlId, search: Box<Search>);
    /// The number of a state for the caller.
    fn outward(&self, state: u32) -> u32;
    /// Whether all states and answers are known.
    fn is_complete(&self) -> bool;
    /// Whether all states are known, although perhaps not which nodes hold in them.
    fn is_generated(&self) -> bool;
    /// Limit of states that a search for a lighter path than the known one may visit.
    fn affordable(&self) -> u64;
    /// Whether an existential until has too many pairs of a state and a weight to be searched.
    fn is_hard(&self, node: WctlId) -> bool;
    /// The path for such an until in a state; `None` if there is no path, or it has too many steps.
    fn exact_path(&mut self, node: WctlId, state: u32) -> Result<Option<Vec<PathStep>>, Failure>;
}

pub(super) struct Explainer<'a> {
    pub formula: &'a WctlFormula,
    pub plan: &'a Plan,
    /// Whether the least bound of the root is asked for: its path then has exactly that weight.
    asks: bool,
    parts: usize,
}

impl<'a> Explainer<'a> {
    pub fn new(formula: &'a WctlFormula, plan: &'a Plan) -> Self {
        Explainer { formula, plan, asks: false, parts: 0 }
    }

    /// An explainer for a root with the interval of [`Plan::asking`].
    pub fn asking(formula: &'a WctlFormula, plan: &'a Plan) -> Self {
        Explainer { asks: true, ..Explainer::new(formula, plan) }
    }

    /// The effort to find a lightest path from a state to the right operand.
    fn effort<S: Source>(&self, source: &S, operands: [WctlId; 2], is_root: bool) -> Effort {
        if self.asks && is_root {
            Effort::Exact
        } else if source.is_complete()
            || operands.iter().all(|&operand| {
                self.plan.is_local(operand) || source.is_generated() && self.plan.is_light(operand)
            })
        {
            Effort::Affordable
        } else {
            // An operand may be hard to decide in states that the verdict did not need.
            Effort::Known
        }
    }

    /// Explains a node in a state. `DEEPEST` limits the recursion.
    pub fn explain<S: Source>(
        &mut self,
        source: &mut S,
        node: WctlId,
        state: u32,
        depth: usize,
    ) -> Result<Explanation, Failure> {
        self.parts += 1;
        let holds = source.decide(node, state)?;
        let mut explanation = Explanation {
            node,
            state: source.outward(state),
            holds,
            reason: Reason::Parts,
            because: Vec::new(),
        };
        let mut operands: Vec<(WctlId, u32)> = Vec::new();
        let formula = self.formula;
        match formula.node(node) {
            Wctl::Constant(_) | Wctl::Atom(_) => explanation.reason = Reason::State,
            Wctl::Not(inner) => operands.push((*inner, state)),
            Wctl::And(a, b) | Wctl::Or(a, b) => {
                let is_and = matches!(formula.node(node), Wctl::And(..));
                let (first, second) = self.plan.order(*a, *b);
                if holds == is_and {
                    operands.extend([(*a, state), (*b, state)]);
                } else if source.decide(first, state)? == holds {
                    operands.push((first, state));
                } else {
                    operands.push((second, state));
                }
            }
            Wctl::Next(quantifier, _, inner) => {
                explanation.reason = Reason::All(None);
                let wanted = *quantifier == Quantifier::Exists;
                let Some((lower, upper)) = self.plan.intervals[node.index()] else {
                    explanation.reason = Reason::State;
                    return Ok(explanation);
                };
                if holds == wanted {
                    for place in source.outgoing(state)? {
                        let step = source.step(place);
                        let is_within =
                            step.weight >= lower && upper.is_none_or(|upper| step.weight <= upper);
                        if is_within && source.decide(*inner, step.target)? == wanted {
                            let steps = vec![(state, step.weight, step.target)];
                            explanation.reason = outward(source, steps, None, PathEnd::Goal);
                            operands.push((*inner, step.target));
                            break;
                        }
                    }
                }
            }
            Wctl::Until(quantifier, left, _, right) => {
                if self.plan.intervals[node.index()].is_none() {
                    explanation.reason = Reason::State;
                    return Ok(explanation);
                }
                let (reason, end) = if *quantifier == Quantifier::Exists && source.is_hard(node) {
                    let path = if holds { source.exact_path(node, state)? } else { None };
                    match path {
                        Some(steps) => {
                            let last = steps.last().map_or(state, |step| step.2);
                            (outward(source, steps, None, PathEnd::Goal), Some(last))
                        }
                        None => (Reason::All(None), None),
                    }
                } else {
                    let mut search = source.take(node);
                    let effort = self.effort(source, [*left, *right], depth == 0);
                    let found = until(source, &mut search, *quantifier, state, holds, effort);
                    source.give(node, search);
                    found?
                };
                if let Some(end) = end {
                    match reason {
                        Reason::Path { end: PathEnd::Goal | PathEnd::Heaviest, .. } => {
                            operands.push((*right, end))
                        }
                        Reason::Path { end: PathEnd::Dead, .. } => operands.push((*left, end)),
                        _ => {}
                    }
                }
                explanation.reason = reason;
            }
        }
        if depth < DEEPEST {
            for (operand, at) in operands {
                if self.parts < MOST {
                    explanation.because.push(self.explain(source, operand, at, depth + 1)?);
                }
            }
        }
        Ok(explanation)
    }
}

/// The effort to find a lightest path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// Search only among the states that the verdict needed.
    Known,
    /// Search further, as long as this costs no more than the verdict.
    Affordable,
    /// Search at any cost; for a universal until, the heaviest path.
    Exact,
}

/// The lightest path from a state where `E(f U g)` holds.
fn lightest<S: Source>(
    source: &mut S,
    search: &mut Search,
    state: u32,
    effort: Effort,
) -> Result<Option<Way>, Failure> {
    if effort == Effort::Exact || source.is_complete() {
        let found = search.lightest(source, state, FAR, false, u64::MAX)?;
        return Ok(found.map(|(way, _)| way));
    }
    let Some((way, weight)) = search.lightest(source, state, FAR, true, u64::MAX)? else { return Ok(None) };
    if weight == 0 || effort == Effort::Known || search.has_lower_bound() {
        return Ok(Some(way));
    }
    // The verdict stands, so a limit reached here does not affect the answer.
    let most = source.affordable();
    Ok(match search.lightest(source, state, weight - 1, false, most) {
        Ok(Some((lighter, _))) => Some(lighter),
        Ok(None) | Err(_) => Some(way),
    })
}

/// The reason of an until, and the last state of its path.
fn until<S: Source>(
    source: &mut S,
    search: &mut Search,
    quantifier: Quantifier,
    state: u32,
    holds: bool,
    effort: Effort,
) -> Result<(Reason, Option<u32>), Failure> {
    let known_only = !source.is_complete();
    let nothing = (Reason::All(None), None);
    let (way, end) = match (quantifier, holds) {
        (Quantifier::Exists, true) => match lightest(source, search, state, effort)? {
            Some(way) => (way, PathEnd::Goal),
            None => return Ok(nothing),
        },
        (Quantifier::All, false) => match search.refuting(source, state, known_only)? {
            Some((way, refutation)) => {
                let end = match refutation {
                    Refutation::Dead => PathEnd::Dead,
                    Refutation::Cycle => PathEnd::Cycle,
                    Refutation::Heavy => PathEnd::Heavy,
                };
                (way, end)
            }
            None => return Ok(nothing),
        },
        (Quantifier::Exists, false) if search.is_upper_bounded() && !known_only => {
            let least = search.lightest(source, state, FAR, false, u64::MAX)?;
            return Ok((Reason::All(least.map(|(_, weight)| Decisive::Least(weight))), None));
        }
        (Quantifier::Exists, false) => return Ok(nothing),
        (Quantifier::All, true) if effort == Effort::Exact => {
            search.all(source, state)?;
            (search.heaviest_way(source, state)?, PathEnd::Heaviest)
        }
        (Quantifier::All, true) => {
            if !known_only && search.is_upper_bounded() {
                search.all(source, state)?;
            }
            return Ok((Reason::All(search.heaviest(state).map(Decisive::Largest)), None));
        }
    };
    let Way { steps, cycle_start } = way;
    let steps: Vec<PathStep> = steps
        .into_iter()
        .map(|(from, place)| {
            let step = source.step(place);
            (from, step.weight, step.target)
        })
        .collect();
    let last = steps.last().map_or(state, |step| step.2);
    Ok((outward(source, steps, cycle_start, end), Some(last)))
}

fn outward<S: Source>(source: &S, steps: Vec<PathStep>, cycle_start: Option<usize>, end: PathEnd) -> Reason {
    let steps =
        steps.into_iter().map(|(from, w, to)| (source.outward(from), w, source.outward(to))).collect();
    Reason::Path { steps, cycle_start, end }
}
