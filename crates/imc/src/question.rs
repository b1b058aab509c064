//! Questions to the numerical engine, as properties of the chain.

use volvelle_control::Control;
use volvelle_logic::{
    Answer, Formula, FormulaId, Formulas, Guarantee, LabelId, Optimum, Property, Query, RewardId,
    RewardQuery, StopReason, TimeBound, Value,
};
use volvelle_markov::{CheckError, Options, StateValues, check_many, check_states};
use volvelle_space::{Space, StateId};

use crate::interval::{Bounds, add, multiply, point};

fn property(formulas: Formulas, root: FormulaId) -> Property {
    Property { name: None, text: String::new(), constants: Vec::new(), formulas, root }
}

/// `R{rewards}=? [ what ]`
pub(crate) fn reward(rewards: u32, what: RewardQuery, optimum: Option<Optimum>) -> Property {
    let mut formulas = Formulas::default();
    let root =
        formulas.add(Formula::Reward { rewards: RewardId(rewards), optimum, query: Query::Value, what });
    property(formulas, root)
}

/// Reaching the states of the first label of the space.
fn eventually(formulas: &mut Formulas, bound: TimeBound) -> FormulaId {
    let anywhere = formulas.add(Formula::Bool(true));
    let goal = formulas.add(Formula::Label(LabelId(0)));
    formulas.add(Formula::Until(anywhere, goal, bound))
}

/// `R{rewards}=? [ F label ]` for the first label of the space.
pub(crate) fn reward_until(rewards: u32, optimum: Option<Optimum>) -> Property {
    let mut formulas = Formulas::default();
    let path = eventually(&mut formulas, TimeBound::NONE);
    let (rewards, what) = (RewardId(rewards), RewardQuery::Reach(path));
    let root = formulas.add(Formula::Reward { rewards, optimum, query: Query::Value, what });
    property(formulas, root)
}

/// `P=? [ F label ]` for the first label of the space, within a time if one is given.
pub(crate) fn probability(within: Option<f64>, optimum: Option<Optimum>) -> Property {
    let mut formulas = Formulas::default();
    let path = eventually(&mut formulas, TimeBound { upper: within, ..TimeBound::NONE });
    let root = formulas.add(Formula::Prob { optimum, query: Query::Value, path });
    property(formulas, root)
}

/// Bounds of the value of a property in every state.
pub(crate) fn of_states(
    space: &Space,
    property: &Property,
    options: &Options,
    control: &Control,
) -> Result<Vec<Bounds>, CheckError> {
    match check_states(space, property, &[], options, None, control)? {
        StateValues::Number(numbers) => Ok(numbers.bounds),
        StateValues::Bool(_) => Err(CheckError::TypeMismatch { what: "a number is expected".to_owned() }),
    }
}

/// A number with bounds, and the method that found it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub bounds: Bounds,
    pub method: String,
    pub stop: StopReason,
}

fn found(answer: Answer) -> Result<Found, CheckError> {
    let bounds = match (answer.value, answer.guarantee) {
        (Value::Number(value), Guarantee::Exact { .. }) => point(value),
        (Value::Number(_), Guarantee::Sound { lo, hi, .. }) => [lo, hi],
        _ => return Err(CheckError::TypeMismatch { what: "a number with bounds is expected".to_owned() }),
    };
    Ok(Found { bounds, method: answer.method, stop: answer.stop })
}

/// The expected values of properties for an initial distribution. Properties that differ only in times share
/// their work.
pub(crate) fn expected(
    space: &Space,
    initial: &[(u32, Bounds)],
    properties: &[Property],
    options: &Options,
    control: &Control,
) -> Result<Vec<Found>, CheckError> {
    let properties: Vec<&Property> = properties.iter().collect();
    let mut space = space.clone();
    let mut sums: Vec<Found> = Vec::new();
    for &(state, share) in initial {
        space.initial = vec![StateId(state)];
        let answers = check_many(&space, &properties, &[], options, None, control);
        for (i, answer) in answers.into_iter().enumerate() {
            let one = found(answer.outcome?)?;
            let bounds = multiply(share, one.bounds);
            match sums.get_mut(i) {
                None => sums.push(Found { bounds, ..one }),
                Some(sum) => {
                    sum.bounds = add(sum.bounds, bounds);
                    sum.stop = sum.stop.max(one.stop);
                }
            }
        }
    }
    Ok(sums)
}
