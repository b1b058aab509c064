//! `P=? [ path || condition ]`: the probability of a path formula among the paths that satisfy a second one.
//!
//! On a chain it is the quotient of two probabilities. On an MDP a scheduler is measured by the quotient under it, so
//! numerator and denominator cannot be optimised apart. The construction of Baier, Klein, Klüppelholz and Märcker
//! (*Computing conditional probabilities in Markovian models efficiently*, TACAS 2014) makes it a plain reachability
//! probability: a run that may violate the condition for sure from where it is restarts in the initial state. Repeating
//! an experiment until the condition holds is what conditioning means. Here it is done on the quotient of the product
//! with the automata of `path & condition` and of `!condition`, which covers all of LTL: a run that ends where the second
//! can be satisfied may restart, and one that ends where the first can be satisfied has won.

use volvelle_logic::{FormulaId, Optimum, StopReason};
use volvelle_objectives::multi::restarted;
use volvelle_objectives::{Conditioned, path};
use volvelle_solver::{CheckError, Numbers, interval};
use volvelle_space::BitSet;

use super::Evaluator;

impl Evaluator<'_> {
    /// The conditional probability in every state; in states outside of `needed` the bounds may be trivial.
    pub(super) fn conditional(
        &self,
        path: FormulaId,
        given: FormulaId,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let is_chain = self.context.is_chain();
        let optimum = if is_chain { Optimum::Max } else { optimum };
        let formulas = Conditioned::new(self.formulas, path, given, optimum);
        if is_chain {
            let (numerator, _) = self.path_of(&formulas, formulas.both, needed)?;
            let (denominator, impossible) = self.path_of(&formulas, given, needed)?;
            return quotient(numerator, denominator, &impossible, needed);
        }
        let (_, impossible) = self.path_of(&formulas, given, needed)?;
        let restarting = formulas.restarting(|id| self.set(id))?;
        let n = self.context.states();
        let mut numbers =
            Numbers { bounds: vec![[0.0, 1.0]; n], method: String::new(), stop: StopReason::Computed };
        for s in (0..n).filter(|&s| needed.is_none_or(|needed| needed.contains(s))) {
            if impossible.contains(s) {
                return Err(CheckError::ImpossibleCondition { state: s as u32 });
            }
            let (bounds, method, stop) = restarted(self.context, s, &restarting)?;
            numbers.bounds[s] = bounds;
            numbers.method = method;
            numbers.stop = numbers.stop.max(stop);
        }
        Ok(if optimum == Optimum::Min { numbers.complement() } else { numbers })
    }

    /// The largest probability of a path formula, and where it is zero for sure.
    fn path_of(
        &self,
        formulas: &Conditioned,
        id: FormulaId,
        needed: Option<&BitSet>,
    ) -> Result<(Numbers, BitSet), CheckError> {
        let (path, negated) = formulas.path(self.context.space.kind, id, |id| self.set(id))?;
        let numbers = path::probability(self.context, &path, negated, Optimum::Max, needed)?;
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
