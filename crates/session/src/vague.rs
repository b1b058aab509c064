//! Answers about models with weights of which only the sign is known.

use volvelle_logic::{Answer, Formula, Guarantee, Property, RewardQuery};
use volvelle_markov::CheckError;

/// An answer about a model of some of whose weights only the sign is known. Bounds stay where steps or time are bounded: so little
/// happens there that it does not matter. Elsewhere all depends on these weights.
pub fn unknown(answer: Answer, property: &Property) -> Result<Answer, CheckError> {
    let is_bounded = property.formulas.ids().any(|id| match property.formulas.get(id) {
        Formula::Next(..) | Formula::BoundedUntil(..) => true,
        Formula::Until(_, _, bound) | Formula::WeakUntil(_, _, bound) | Formula::Release(_, _, bound) => {
            bound.upper.is_some()
        }
        Formula::Reward { what, .. } => {
            matches!(what, RewardQuery::Cumulative(_) | RewardQuery::Instantaneous(_))
        }
        _ => false,
    });
    match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } if is_bounded && lo <= hi => Ok(answer),
        Guarantee::Sound { .. } => {
            let what = "a value that depends on the size of a probability or rate beyond the doubles";
            Err(CheckError::NotFinite { what: what.into() })
        }
        _ => Ok(answer),
    }
}
