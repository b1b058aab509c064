//! From path formulas of the logic to formulas of automata.

use std::collections::HashMap;

use volvelle_automata::{Formulas, UNBOUNDED, logic};
use volvelle_entity::EntityVec;
use volvelle_logic::{Formula, FormulaId, Formulas as Arena, TimeBound};
use volvelle_solver::CheckError;
use volvelle_space::{BitSet, Kind};
use volvelle_transient::{Window, window};

use super::{Ltl, Words};

/// Translates a path formula. `set` gives the states of a state formula.
pub fn translate(
    kind: Kind,
    arena: &Arena,
    is_path: &EntityVec<FormulaId, bool>,
    root: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
) -> Result<Ltl, CheckError> {
    if let Some(ltl) = automaton(arena, is_path, root, &set)? {
        return Ok(ltl);
    }
    let (mut formulas, mut meant, mut propositions) = (Formulas::new(), Formulas::TRUE, Vec::new());
    let mut done: HashMap<FormulaId, volvelle_automata::FormulaId> = HashMap::new();
    for id in logic::nodes(arena, |id| is_path[id], root) {
        let formula = if is_path[id] {
            let steps = |bound: &TimeBound| steps(kind, bound);
            let inside = match arena.get(id) {
                Formula::BoundedUntil(..) => "a bound on a reward",
                Formula::Automaton(..) => "an automaton",
                _ => "",
            };
            if !inside.is_empty() {
                let what = format!("{inside} inside a combination of temporal operators, or inside R");
                return Err(CheckError::NotYetEvaluated { what });
            }
            logic::operator(&mut formulas, arena.get(id), |operand| done[&operand], steps)?
                .ok_or_else(no_path)?
        } else {
            state_formula(&mut formulas, &mut propositions, arena, id, &set)?
        };
        if formulas.too_deep() {
            return Err(too_deep());
        }
        done.insert(id, formula);
        meant = formula;
    }
    Ok(Ltl { words: Words::Formula(formulas, meant), propositions })
}

/// An automaton in the place of a formula, perhaps negated.
fn automaton(
    arena: &Arena,
    is_path: &EntityVec<FormulaId, bool>,
    mut id: FormulaId,
    set: &impl Fn(FormulaId) -> Result<BitSet, CheckError>,
) -> Result<Option<Ltl>, CheckError> {
    let mut accepts = true;
    while let Formula::Not(inner) = *arena.get(id)
        && is_path[id]
    {
        accepts = !accepts;
        id = inner;
    }
    let Formula::Automaton(automaton, propositions) = arena.get(id) else { return Ok(None) };
    let propositions = propositions.iter().map(|&id| set(id)).collect::<Result<_, _>>()?;
    Ok(Some(Ltl { words: Words::Automaton(automaton.clone(), accepts), propositions }))
}

/// Translates a co-safe path formula such that it counts as satisfied at the step at which its syntactic progression is true
/// ([`logic::progression`]).
pub fn translate_cosafe(
    kind: Kind,
    arena: &Arena,
    is_path: &EntityVec<FormulaId, bool>,
    root: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
    states: usize,
) -> Result<Ltl, CheckError> {
    let mut formulas = Formulas::new();
    // The first proposition holds in every state.
    let mut propositions = vec![BitSet::full(states)];
    let found = logic::progression(
        &mut formulas,
        arena,
        |id| is_path[id],
        root,
        |formulas, id| state_formula(formulas, &mut propositions, arena, id, &set),
        |formulas| formulas.literal(0, true),
        |bound| steps(kind, bound),
    )?;
    match found {
        Some(root) => Ok(Ltl { words: Words::Formula(formulas, root), propositions }),
        None if formulas.too_deep() => Err(too_deep()),
        None => Err(no_path()),
    }
}

/// A state formula as a constant, if it holds everywhere or nowhere, or as a literal.
fn state_formula(
    formulas: &mut Formulas,
    propositions: &mut Vec<BitSet>,
    arena: &Arena,
    id: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
) -> Result<volvelle_automata::FormulaId, CheckError> {
    Ok(match *arena.get(id) {
        Formula::Bool(value) => formulas.constant(value),
        _ => proposition(formulas, propositions, set(id)?),
    })
}

/// A set as a literal: of a proposition that is new, known, or the negation of a known one.
fn proposition(
    formulas: &mut Formulas,
    propositions: &mut Vec<BitSet>,
    set: BitSet,
) -> volvelle_automata::FormulaId {
    let count = set.count();
    if count == 0 || count == set.len() {
        return formulas.constant(count > 0);
    }
    let opposite = set.complement();
    for (i, known) in propositions.iter().enumerate() {
        if *known == set || *known == opposite {
            return formulas.literal(i as u32, *known == set);
        }
    }
    propositions.push(set);
    formulas.literal(propositions.len() as u32 - 1, true)
}

fn too_deep() -> CheckError {
    CheckError::TooLarge { what: "nested operators in the path formula".to_string() }
}

fn no_path() -> CheckError {
    CheckError::TypeMismatch { what: "expected a state formula, found a path formula".to_string() }
}

/// The steps of a bound, from and to; from 1 to 0 if there are none.
fn steps(kind: Kind, bound: &TimeBound) -> Result<(u64, u64), CheckError> {
    if bound.is_none() {
        return Ok((0, UNBOUNDED));
    }
    if kind == Kind::Ctmc {
        let what = "a time bound inside A, E, or a combination of temporal operators".to_string();
        return Err(CheckError::WrongKind { what, kind: kind.name() });
    }
    Ok(match window(kind, bound)? {
        Window::Empty => (1, 0),
        Window::Range { lower, upper } => (lower as u64, upper.map_or(UNBOUNDED, |u| u as u64)),
    })
}
