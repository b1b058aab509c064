//! Why a formula holds in a state, or does not: paths for what some path shows, operands for Boolean operators.

use super::plan::{FAR, Plan};
use super::search::{Ground, Refutation, Search, Way};
use crate::Failure;
use volvelle_logic::{Quantifier, Wctl, WctlFormula, WctlId};

/// The deepest explanation, and the most parts of one.
const DEEPEST: usize = 64;
const MOST: usize = 1000;

/// Why a node of a formula holds in a state, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The node.
    pub node: WctlId,
    /// The state; [`super::SINK`]: the sink.
    pub state: u32,
    /// Whether it holds there.
    pub holds: bool,
    /// Why.
    pub reason: Reason,
    /// The operands that matter: for a path in its last state.
    pub because: Vec<Explanation>,
}

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The state itself shows it: a condition or a constant; or no weight is in the interval.
    State,
    /// A path shows it.
    Path {
        /// A state, the weight of a step in units, and the state that it leads to.
        steps: Vec<(u32, u64, u32)>,
        /// The last step leads back to the state that this step leaves.
        cycle_start: Option<usize>,
        /// What the path comes to.
        end: PathEnd,
    },
    /// All paths, or steps, matter.
    All(Option<Decisive>),
    /// Operands decide.
    Parts,
}

/// What the path of an explanation comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// A state with the right operand, at a weight in the interval; or the target of the step that shows a next formula.
    Goal,
    /// A state without the left operand; the right one does not hold there, or not at a weight in the interval.
    Dead,
    /// A cycle on which the right operand never holds at a weight in the interval.
    Cycle,
    /// A weight above the interval.
    Heavy,
    /// A state with the right operand, and no path to one weighs more.
    Heaviest,
}

/// The number that decides, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decisive {
    /// The least weight with which the right operand is reached.
    Least(u64),
    /// The largest one.
    Largest(u64),
}

/// A state, the weight of a step, and the state that it leads to.
pub(super) type PathStep = (u32, u64, u32);

/// Where explanations come from.
pub(super) trait Source: Ground {
    /// Takes the search of an until, with what is known.
    fn take(&mut self, node: WctlId) -> Box<Search>;
    /// Gives it back.
    fn give(&mut self, node: WctlId, search: Box<Search>);
    /// The number of a state outside.
    fn outward(&self, state: u32) -> u32;
    /// Whether all states and answers are known.
    fn is_complete(&self) -> bool;
    /// Whether all states are known, if perhaps not what holds in them.
    fn is_generated(&self) -> bool;
    /// How many states a search for a lighter path than one that is known may look at.
    fn affordable(&self) -> u64;
    /// Whether the pairs of a state and a weight are too many to be searched for an existential until.
    fn is_hard(&self, node: WctlId) -> bool;
    /// The path that shows a hard one in a state. None where there is no path, or it has too many steps.
    fn exact_path(&mut self, node: WctlId, state: u32) -> Result<Option<Vec<PathStep>>, Failure>;
}

pub(super) struct Explainer<'a> {
    pub formula: &'a WctlFormula,
    pub plan: &'a Plan,
    /// Wanted is the least bound of the root: its path has exactly that weight.
    asks: bool,
    parts: usize,
}

impl<'a> Explainer<'a> {
    pub fn new(formula: &'a WctlFormula, plan: &'a Plan) -> Self {
        Explainer { formula, plan, asks: false, parts: 0 }
    }

    /// Where the root has the interval of [`Plan::asking`].
    pub fn asking(formula: &'a WctlFormula, plan: &'a Plan) -> Self {
        Explainer { asks: true, ..Explainer::new(formula, plan) }
    }

    /// How hard the search for a lightest path from a state to the right operand is tried.
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

    /// Explains a node in a state. Recursion is limited by `DEEPEST`.
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

/// How hard a lightest path is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// Among the states that the verdict needed.
    Known,
    /// Among others too, as far as this costs no more than the verdict did.
    Affordable,
    /// Whatever it costs; of an until for all paths the heaviest one.
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
    // The verdict stands, so that a limit that is reached here is none of the answer.
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
