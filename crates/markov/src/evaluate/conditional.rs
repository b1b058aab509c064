//! `P=? [ path || condition ]`: the probability of a path formula among the paths that satisfy a second one.
//!
//! On a chain it is the quotient of two probabilities. On an MDP a scheduler is measured by the quotient under it, so
//! numerator and denominator cannot be optimised apart. The construction of Baier, Klein, Klüppelholz and Märcker
//! (*Computing conditional probabilities in Markovian models efficiently*, TACAS 2014) makes it a plain reachability
//! probability: a run that may violate the condition for sure from where it is restarts in the initial state. Repeating
//! an experiment until the condition holds is what conditioning means. Here it is done on the quotient of the product
//! with the automata of `path & condition` and of `!condition`, which covers all of LTL: a run that ends where the second
//! can be satisfied may restart, and one that ends where the first can be satisfied has won.

use volvelle_logic::{Formula, FormulaId, Formulas, Optimum, StopReason};
use volvelle_space::{BitSet, Kind};

use super::{Evaluator, path};
use crate::error::CheckError;
use crate::interval;
use crate::ltl;
use crate::multi::restarted;
use crate::numbers::Numbers;

impl Evaluator<'_> {
    /// The conditional probability in every state; in states outside of `needed` the bounds may be trivial.
    pub(super) fn conditional(
        &self,
        path: FormulaId,
        given: FormulaId,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let mut formulas = self.formulas.clone();
        if self.context.is_chain() {
            let both = formulas.add(Formula::And(path, given));
            let (numerator, _) = self.path_of(&formulas, both, Optimum::Max, needed)?;
            let (denominator, impossible) = self.path_of(&formulas, given, Optimum::Max, needed)?;
            return quotient(numerator, denominator, &impossible, needed);
        }
        // The least probability is one minus the greatest of the opposite, under the same condition.
        let path = match optimum {
            Optimum::Max => path,
            Optimum::Min => formulas.add(Formula::Not(path)),
        };
        let both = formulas.add(Formula::And(path, given));
        let negated = formulas.add(Formula::Not(given));
        let (_, impossible) = self.path_of(&formulas, given, Optimum::Max, needed)?;
        let is_path = path::path_formulas(&formulas);
        let translate = |id| {
            let set = |id| self.states(&formulas, id);
            ltl::translate(Kind::Mdp, &formulas, &is_path, id, set)
        };
        let (both, negated) = (translate(both)?, translate(negated)?);
        let n = self.context.states();
        let mut numbers =
            Numbers { bounds: vec![[0.0, 1.0]; n], method: String::new(), stop: StopReason::Computed };
        for s in (0..n).filter(|&s| needed.is_none_or(|needed| needed.contains(s))) {
            if impossible.contains(s) {
                return Err(CheckError::ImpossibleCondition { state: s as u32 });
            }
            let (bounds, method, stop) = restarted(self.context, s, &[both.clone(), negated.clone()])?;
            numbers.bounds[s] = bounds;
            numbers.method = method;
            numbers.stop = numbers.stop.max(stop);
        }
        Ok(if optimum == Optimum::Min { numbers.complement() } else { numbers })
    }

    /// The states of a state formula of the property, or of a negation or conjunction that was added here: a condition on the first
    /// state may stand on either side.
    fn states(&self, formulas: &Formulas, id: FormulaId) -> Result<BitSet, CheckError> {
        match *formulas.get(id) {
            _ if id.index() < self.formulas.len() => self.set(id).cloned(),
            Formula::Not(a) => Ok(self.states(formulas, a)?.complement()),
            Formula::And(a, b) => {
                let mut both = self.states(formulas, a)?;
                both.intersect(&self.states(formulas, b)?);
                Ok(both)
            }
            _ => Err(CheckError::TypeMismatch { what: "expected a condition on states".to_string() }),
        }
    }

    /// The probability of a path formula, and where it is zero for sure.
    fn path_of(
        &self,
        formulas: &Formulas,
        id: FormulaId,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<(Numbers, BitSet), CheckError> {
        let is_path = path::path_formulas(formulas);
        let set = |id| self.states(formulas, id);
        let (path, negated) = path::path(self.context.space.kind, formulas, &is_path, id, set)?;
        let numbers = path::probability(self.context, &path, negated, optimum, needed)?;
        let mut zero = BitSet::new(self.context.states());
        for (s, bounds) in numbers.bounds.iter().enumerate() {
            if bounds[1] == 0.0 {
                zero.insert(s);
            }
        }
        Ok((numbers, zero))
    }
}

fn quotient(
    numerator: Numbers,
    denominator: Numbers,
    impossible: &BitSet,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let mut bounds = Vec::with_capacity(numerator.bounds.len());
    for (s, (&of, &by)) in numerator.bounds.iter().zip(&denominator.bounds).enumerate() {
        let asked = needed.is_none_or(|needed| needed.contains(s));
        if asked && impossible.contains(s) {
            return Err(CheckError::ImpossibleCondition { state: s as u32 });
        }
        let all = [0.0, 1.0];
        let share = if by[0] > 0.0 { interval::div(of, by).unwrap_or(all) } else { all };
        bounds.push(share.map(|x| x.clamp(0.0, 1.0)));
    }
    let method = format!("{}; condition: {}", numerator.method, denominator.method);
    Ok(Numbers { bounds, method, stop: numerator.stop.max(denominator.stop) })
}
