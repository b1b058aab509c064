//! The operators `A` and `E` of CTL: whether all paths, or some path, satisfy a path formula.
//!
//! A path takes any choice and any outcome with positive probability or rate; how likely it is does not matter. For one
//! temporal operator over state formulas there are graph algorithms (Clarke, Emerson and Sistla, TOPLAS 1986); all other
//! path formulas, and bounds on steps, go through an automaton.

use volvelle_entity::EntityVec;
use volvelle_logic::{FormulaId, Formulas};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, components};

use crate::ltl;
use crate::path::{self, Path, and, not};

/// The states of `E [ path ]`, or of `A [ path ]`; outside of `needed` some may be missing. `set` has the states of the
/// state formulas below.
pub fn branching(
    context: &Context,
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    path: FormulaId,
    all: bool,
    needed: Option<&BitSet>,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError> + Copy,
) -> Result<BitSet, CheckError> {
    let kind = context.space.kind;
    let (simple, negated) = path::path(kind, formulas, is_path, path, set)?;
    // All paths satisfy it where none satisfies the negation.
    let wanted = if negated != all { simple.negation() } else { Some(simple) };
    let on_graph = match &wanted {
        Some(Path::Ltl(formula)) => Some(ltl::some_path(context, formula, needed)?),
        Some(wanted) => on_graph(context, wanted),
        None => None,
    };
    let found = match on_graph {
        Some(found) => found,
        None => {
            // A bound on steps: counted by an automaton.
            let formula = ltl::translate(kind, formulas, is_path, path, set)?;
            let formula = if all { formula.negation() } else { formula };
            ltl::some_path(context, &formula, needed)?
        }
    };
    Ok(if all { found.complement() } else { found })
}

impl Path {
    /// The opposite, where it is as simple.
    fn negation(&self) -> Option<Path> {
        Some(match self {
            Path::Now(a) => Path::Now(not(a)),
            Path::Next(a, bound) if bound.is_none() => Path::Next(not(a), *bound),
            Path::Until(a, b, bound) if bound.is_none() => Path::Release(not(a), not(b), *bound),
            Path::Weak(a, b, bound) if bound.is_none() => Path::Until(not(b), and(&not(a), &not(b)), *bound),
            Path::Release(a, b, bound) if bound.is_none() => Path::Until(not(a), not(b), *bound),
            Path::Ltl(formula) => Path::Ltl(Box::new(formula.negation())),
            _ => return None,
        })
    }
}

/// The states from which some path satisfies a formula; `None` where that takes an automaton.
fn on_graph(context: &Context, path: &Path) -> Option<BitSet> {
    let backwards = context.predecessors();
    Some(match path {
        Path::Now(a) => a.clone(),
        Path::Next(a, bound) if bound.is_none() => {
            let mut set = BitSet::new(a.len());
            for s in a.iter() {
                for &choice in backwards.of(s) {
                    set.insert(backwards.owner(choice));
                }
            }
            set
        }
        Path::Until(a, b, bound) if bound.is_none() => backwards.reach(b, Some(a)),
        Path::Weak(a, b, bound) if bound.is_none() => {
            let mut set = backwards.reach(b, Some(a));
            set.unite(&for_ever(context, a));
            set
        }
        Path::Release(a, b, bound) if bound.is_none() => {
            let mut set = backwards.reach(&and(a, b), Some(b));
            set.unite(&for_ever(context, b));
            set
        }
        _ => return None,
    })
}

/// The states from which some path stays in a set for ever: those that reach a cycle within it.
fn for_ever(context: &Context, inside: &BitSet) -> BitSet {
    let space = context.space;
    let found = components(space.num_states(), |s| space.successors(s), |s| inside.contains(s));
    let mut cycles = BitSet::new(inside.len());
    for members in found.iter() {
        let first = members[0];
        if members.len() > 1 || space.successors(first as usize).contains(&first) {
            members.iter().for_each(|&s| {
                cycles.insert(s as usize);
            });
        }
    }
    context.predecessors().reach(&cycles, Some(inside))
}
