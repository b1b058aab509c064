//! Small nondeterministic Büchi automata for searches for counterexamples.
//!
//! In: a formula. Out: a [`Buchi`], whose states accept and whose edges have conjunctions of literals. [`never()`]
//! makes one that accepts the violations of a property.
//!
//! | module | subject |
//! |---|---|
//! | `cube` | conjunctions of literals |
//! | `rewrite` | formulas that mean the same |
//! | `alternating` | the very weak alternating automaton |
//! | `translate` | from it to a generalised automaton |
//! | `generalised` | automata with marks on edges |
//! | `components` | reductions by strongly connected components |
//! | `simulation` | direct simulation, forwards and backwards |
//! | `product`, `merge` | merging of states with a proof that the language stays |
//! | `budget` | the limit on work |
//! | `degeneralise` | acceptance by states |
//! | `monitor` | what the beginning of a word decides |
//! | `strength` | the kind of search that an automaton needs |
//! | `stutter`, `repetition` | invariance under stuttering |
//! | `text` | never claims and the Hanoi format |
//!
//! The translation is that of Gastin and Oddoux (2001), see `translate`. It is made in several ways, and the smallest
//! result is taken; an automaton for the negation serves as proof for reductions (`merge`).

mod alternating;
mod automaton;
mod budget;
mod components;
pub mod cube;
mod degeneralise;
mod generalised;
mod merge;
mod monitor;
mod product;
mod repetition;
mod rewrite;
mod simulation;
mod strength;
mod stutter;
mod text;
mod translate;

pub use automaton::{Buchi, BuchiEdge, BuchiState};
pub use monitor::{Monitor, Position};

use crate::formula::{FormulaId, Formulas};
use crate::normal::TooLarge;
use budget::Budget;
use components::{Idle, cleaned};
use degeneralise::{Order, degeneralised};
use generalised::Generalised;

pub use repetition::is_known_stutter_invariant;
pub use strength::Strength;
pub use stutter::{has_no_next, ignores_stuttering, is_stutter_invariant};

/// Largest generalised automaton that is made before reductions.
const STATES_LIMIT: usize = 4000;

/// Comparisons of edges that reductions may take for one automaton.
const EFFORT: u64 = 60_000_000;

/// The automaton that accepts the words that satisfy a formula. Propositions are numbered up to 61.
pub fn buchi(formulas: &mut Formulas, id: FormulaId) -> Result<Buchi, TooLarge> {
    check_depth(formulas, id)?;
    let short = rewrite::rewritten(formulas, id);
    let opposite = formulas.not(short);
    let negation = translated(formulas, opposite, false, &mut Budget::new(EFFORT / 4)).ok();
    let mut attempts = vec![(short, false), (short, true)];
    if short != id {
        attempts.extend([(id, false), (id, true)]);
    }
    let mut budget = Budget::new(EFFORT);
    let mut best: Option<(Rank, Buchi)> = None;
    let mut failure = None;
    for (id, split) in attempts {
        if budget.is_spent() && best.is_some() {
            break;
        }
        let mut general = match translated(formulas, id, split, &mut budget) {
            Ok(general) => general,
            Err(error) => {
                failure = failure.or(Some(error));
                continue;
            }
        };
        if let Some(negation) = &negation {
            general = reduced(&merge::merged(&general, negation, false, &mut budget), false, &mut budget);
        }
        for order in Order::choices(general.marks.count_ones()) {
            if budget.is_spent() && best.is_some() {
                break;
            }
            let mut found = reduced(&degeneralised(&general, order), true, &mut budget);
            if let Some(negation) = &negation {
                found = reduced(&merge::merged(&found, negation, true, &mut budget), true, &mut budget);
            }
            let found = simulation::with_fewer_choices(&found, &mut budget);
            let candidate = by_states(&found);
            let rank = candidate.rank();
            if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                best = Some((rank, candidate));
            }
        }
    }
    match (best, failure) {
        (Some((_, best)), _) => Ok(best),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(by_states(&Generalised::empty())),
    }
}

/// The automaton of the negation of a property: it accepts the words that violate it.
pub fn never(formulas: &mut Formulas, property: FormulaId) -> Result<Buchi, TooLarge> {
    check_depth(formulas, property)?;
    let violation = formulas.not(property);
    buchi(formulas, violation)
}

/// Formulas are taken apart by recursion.
fn check_depth(formulas: &Formulas, id: FormulaId) -> Result<(), TooLarge> {
    if formulas.is_too_deep(id) { Err(TooLarge { what: "nested operators in a formula" }) } else { Ok(()) }
}

/// A generalised automaton, after simulations.
fn translated(
    formulas: &mut Formulas,
    id: FormulaId,
    split: bool,
    budget: &mut Budget,
) -> Result<Generalised, TooLarge> {
    let automaton = translate::translate(formulas, id, split, STATES_LIMIT, Budget::new(EFFORT))?;
    Ok(reduced(&automaton, false, budget))
}

/// The same language, with fewer states and edges.
fn reduced(automaton: &Generalised, by_state: bool, budget: &mut Budget) -> Generalised {
    let mut best = cleaned(automaton, Idle::Unmarked, by_state).without_copies();
    while !budget.is_spent() {
        let mut next = best.clone();
        for idle in [Idle::Marked, Idle::Unmarked] {
            next = cleaned(&next, idle, by_state).without_copies();
            next = cleaned(&simulation::forward(&next, budget), idle, by_state);
            next = cleaned(&simulation::backward(&next, by_state, budget), idle, by_state);
        }
        if (next.num_states(), next.num_edges()) >= (best.num_states(), best.num_edges()) {
            break;
        }
        best = next;
    }
    best
}

/// The order of preference, best first: states, strength, edges, and pairs of edges between which letters leave a choice.
type Rank = (usize, Strength, usize, usize);

impl Buchi {
    fn rank(&self) -> Rank {
        let edges = self.states.iter().map(|s| s.edges.len()).sum();
        (self.states.len(), self.strength(), edges, self.choices())
    }
}

/// The final form.
fn by_states(automaton: &Generalised) -> Buchi {
    let states = automaton.edges.iter().map(|list| BuchiState {
        accepting: list.iter().any(|e| e.marks & automaton.marks == automaton.marks),
        edges: list
            .iter()
            .map(|e| BuchiEdge { must: e.cube.must, must_not: e.cube.must_not, target: e.target })
            .collect(),
    });
    Buchi { states: states.collect(), initial: automaton.initial }
        .with_uniform_acceptance()
        .with_accepting_first()
}
