//! The formulas behind a conditional probability: on a chain those of the quotient, on an MDP those of the restart construction
//! (`volvelle-markov`, module `conditional`).
//!
//! They are added to those of the property, so that their state formulas have no values of their own: a condition on the first
//! state may stand on either side.

use volvelle_entity::EntityVec;
use volvelle_logic::{Formula, FormulaId, Formulas, Optimum};
use volvelle_solver::CheckError;
use volvelle_space::{BitSet, Kind};

use crate::ltl::{self, Ltl};
use crate::path::{self, Path};

/// The formulas of a property, with those of a conditional probability.
pub struct Conditioned {
    formulas: Formulas,
    is_path: EntityVec<FormulaId, bool>,
    /// The formulas of the property come first.
    own: usize,
    /// The condition, and the path formula whose probability is to be large.
    pub both: FormulaId,
    negated: FormulaId,
}

impl Conditioned {
    /// The formulas of the probability of `path` under the condition `given`: the least probability is one minus the greatest of
    /// the opposite.
    pub fn new(own: &Formulas, path: FormulaId, given: FormulaId, optimum: Optimum) -> Self {
        let mut formulas = own.clone();
        let path = match optimum {
            Optimum::Max => path,
            Optimum::Min => formulas.add(Formula::Not(path)),
        };
        let both = formulas.add(Formula::And(path, given));
        let negated = formulas.add(Formula::Not(given));
        let is_path = path::path_formulas(&formulas);
        Conditioned { formulas, is_path, own: own.len(), both, negated }
    }

    /// One of the formulas taken apart; `set` gives the states of the property's own state formulas.
    pub fn path<'s>(
        &self,
        kind: Kind,
        id: FormulaId,
        set: impl Fn(FormulaId) -> Result<&'s BitSet, CheckError>,
    ) -> Result<(Path, bool), CheckError> {
        path::path(kind, &self.formulas, &self.is_path, id, |id| self.states(id, &set))
    }

    /// What is won, and where runs begin anew, as formulas of linear temporal logic.
    pub fn restarting<'s>(
        &self,
        set: impl Fn(FormulaId) -> Result<&'s BitSet, CheckError>,
    ) -> Result<[Ltl; 2], CheckError> {
        let of = |id| {
            let states = |id| self.states(id, &set);
            ltl::translate(Kind::Mdp, &self.formulas, &self.is_path, id, states)
        };
        Ok([of(self.both)?, of(self.negated)?])
    }

    /// The states of a state formula. Those that were added are a negation, or a conjunction with one.
    fn states<'s>(
        &self,
        id: FormulaId,
        set: &impl Fn(FormulaId) -> Result<&'s BitSet, CheckError>,
    ) -> Result<BitSet, CheckError> {
        match *self.formulas.get(id) {
            _ if id.index() < self.own => set(id).cloned(),
            Formula::Not(a) => Ok(self.states(a, set)?.complement()),
            Formula::And(a, b) => {
                let mut both = self.states(a, set)?;
                both.intersect(&self.states(b, set)?);
                Ok(both)
            }
            _ => Err(CheckError::TypeMismatch { what: "expected a condition on states".to_string() }),
        }
    }
}
