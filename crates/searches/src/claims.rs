//! Claims of a model as automata for the search.

use volvelle_automata::buchi::{
    Buchi, BuchiEdge, BuchiState, Monitor, buchi, ignores_stuttering, is_known_stutter_invariant, never,
};
use volvelle_automata::{FormulaId, Formulas, UNBOUNDED};
use volvelle_model::claim::{Claim, ClaimState, Formula};
use volvelle_search as search;

/// Most propositions of a claim.
pub(super) const MAX_PROPOSITIONS: usize = 62;

/// An automaton, with the labels of the program that its propositions are, in the order of their bits.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    pub claim: search::Claim,
    pub labels: Vec<usize>,
    /// Whether it is known not to matter to it how often the same letter is repeated.
    pub ignores_stuttering: bool,
    /// Whether this shows in its steps, too, so that a search for cycles may leave successors out. An automaton that guesses
    /// may have to guess otherwise where states are repeated; then the search would go on from the wrong guess (S. F.
    /// Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019).
    pub repeats_alike: bool,
}

/// Why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAutomaton {
    /// More propositions than bits.
    Propositions(usize),
    /// The formula makes too large an automaton.
    TooLarge,
}

/// The automaton of the runs that violate a claim. If states of the system are marked as accepting, runs that pass these
/// for ever violate it too, as long as the automaton can go on.
pub(super) fn automaton(claim: &Claim, marked: bool) -> Result<Automaton, NoAutomaton> {
    let mut labels = Labels::default();
    let (claim, ignores) = match claim {
        Claim::Ltl(nodes) => of_formula(nodes, &mut labels)?,
        Claim::Never(states) => (of_states(states, &mut labels), false),
    };
    if labels.0.len() > MAX_PROPOSITIONS {
        return Err(NoAutomaton::Propositions(labels.0.len()));
    }
    let repeats_alike =
        is_known_stutter_invariant(&as_buchi(&claim)) && (!marked || goes_on_whatever_is_repeated(&claim));
    let ignores_stuttering = repeats_alike || ignores && !marked;
    Ok(Automaton { claim, labels: labels.0, ignores_stuttering, repeats_alike })
}

/// A monitor of a claim, with the labels of the program that its propositions are, in the order of their bits.
pub(super) fn monitor(claim: &Claim) -> Result<(Monitor, Vec<usize>), NoAutomaton> {
    let Automaton { claim: violations, mut labels, .. } = automaton(claim, false)?;
    let others = match claim {
        Claim::Never(_) => None,
        Claim::Ltl(nodes) => {
            let mut known = Labels(std::mem::take(&mut labels));
            let (mut formulas, whole) = read(nodes, &mut known)?;
            labels = known.0;
            // Without it the monitor knows violations later.
            whole.and_then(|whole| buchi(&mut formulas, whole).ok())
        }
    };
    Ok((Monitor::new(as_buchi(&violations), others), labels))
}

#[derive(Default)]
struct Labels(Vec<usize>);

impl Labels {
    fn bit(&mut self, label: usize) -> usize {
        self.0.iter().position(|&l| l == label).unwrap_or_else(|| {
            self.0.push(label);
            self.0.len() - 1
        })
    }

    /// The mask of a label. What has no bit any more is refused later.
    fn mask(&mut self, label: usize) -> u64 {
        1u64.checked_shl(self.bit(label) as u32).unwrap_or(0)
    }
}

fn of_formula(nodes: &[Formula], labels: &mut Labels) -> Result<(search::Claim, bool), NoAutomaton> {
    let (mut formulas, whole) = read(nodes, labels)?;
    let Some(whole) = whole else { return Ok((search::Claim::default(), true)) };
    let buchi = never(&mut formulas, whole).map_err(|_| NoAutomaton::TooLarge)?;
    let ignores_stuttering = ignores_stuttering(&mut formulas, whole) == Some(true);
    Ok((of_buchi(&buchi), ignores_stuttering))
}

/// The nodes of a formula for automata, and its root.
fn read(nodes: &[Formula], labels: &mut Labels) -> Result<(Formulas, Option<FormulaId>), NoAutomaton> {
    let mut formulas = Formulas::new();
    let mut ids: Vec<FormulaId> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let f = &mut formulas;
        let id = match *node {
            Formula::Proposition(label) => {
                let bit = labels.bit(label);
                if bit >= MAX_PROPOSITIONS {
                    return Err(NoAutomaton::Propositions(bit + 1));
                }
                f.literal(bit as u32, true)
            }
            Formula::Constant(value) => f.constant(value),
            Formula::Not(a) => f.not(ids[a]),
            Formula::And(a, b) => f.and(ids[a], ids[b]),
            Formula::Or(a, b) => f.or(ids[a], ids[b]),
            Formula::Implies(a, b) => f.implies(ids[a], ids[b]),
            Formula::Equivalent(a, b) => f.iff(ids[a], ids[b]),
            Formula::Next(a) => f.next(ids[a]),
            Formula::Always(a) => f.always(ids[a]),
            Formula::Eventually(a) => f.eventually(ids[a]),
            Formula::Until(a, b) => f.until(ids[a], ids[b], 0, UNBOUNDED),
            Formula::WeakUntil(a, b) => f.weak_until(ids[a], ids[b]),
            Formula::Release(a, b) => f.release(ids[a], ids[b], 0, UNBOUNDED),
        };
        ids.push(id);
    }
    if formulas.too_deep() {
        return Err(NoAutomaton::TooLarge);
    }
    Ok((formulas, ids.last().copied()))
}

fn of_buchi(buchi: &Buchi) -> search::Claim {
    let edge = |e: &BuchiEdge| search::ClaimEdge { must: e.must, must_not: e.must_not, target: e.target };
    let state = |s: &BuchiState| search::ClaimState {
        accepting: s.accepting,
        edges: s.edges.iter().map(edge).collect(),
    };
    search::Claim { states: buchi.states.iter().map(state).collect(), initial: buchi.initial }
}

/// Whether it does not matter how often letters are repeated to whether the claim can go on for ever.
fn goes_on_whatever_is_repeated(claim: &search::Claim) -> bool {
    let mut all = as_buchi(claim);
    all.states.iter_mut().for_each(|state| state.accepting = true);
    is_known_stutter_invariant(&all)
}

fn as_buchi(claim: &search::Claim) -> Buchi {
    let edge = |e: &search::ClaimEdge| BuchiEdge { must: e.must, must_not: e.must_not, target: e.target };
    let state = |s: &search::ClaimState| BuchiState {
        accepting: s.accepting,
        edges: s.edges.iter().map(edge).collect(),
    };
    Buchi { states: claim.states.iter().map(state).collect(), initial: claim.initial }
}

/// A never claim as it stands. Its end, and an assertion in it that fails, are runs that are accepted whatever follows.
fn of_states(states: &[ClaimState], labels: &mut Labels) -> search::Claim {
    let sink = states.len() as u32;
    let stay = search::ClaimEdge { target: sink, ..search::ClaimEdge::default() };
    let mut out = Vec::with_capacity(states.len() + 1);
    for state in states {
        let mut edges = Vec::new();
        if state.is_end {
            edges.push(stay);
        }
        for step in &state.steps {
            let must = step.guard.map_or(0, |l| labels.mask(l));
            if let Some(assertion) = step.assertion {
                let assertion = labels.mask(assertion);
                edges.push(search::ClaimEdge { must, must_not: assertion, target: sink });
                edges.push(search::ClaimEdge {
                    must: must | assertion,
                    must_not: 0,
                    target: step.target as u32,
                });
            } else {
                edges.push(search::ClaimEdge { must, must_not: 0, target: step.target as u32 });
            }
        }
        out.push(search::ClaimState { accepting: state.is_accepting || state.is_end, edges });
    }
    out.push(search::ClaimState { accepting: true, edges: vec![stay] });
    search::Claim { states: out, initial: 0 }
}
