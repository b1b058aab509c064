//! Questions to the numerical engine, as properties of the chain.

use volvelle_control::Control;
use volvelle_logic::{
    Formula, Formulas, LabelId, Property, Query, RewardId, RewardQuery, StopReason, TimeBound,
};
use volvelle_markov::{CheckError, StateValues, check_states};
use volvelle_space::Space;

use crate::interval::Bounds;

/// Bounds for every state.
pub(crate) struct Answer {
    pub bounds: Vec<Bounds>,
    pub method: String,
    pub stop: StopReason,
}

fn ask(
    space: &Space,
    formulas: Formulas,
    root: volvelle_logic::FormulaId,
    options: &volvelle_markov::Options,
    control: &Control,
) -> Result<Answer, CheckError> {
    let property = Property { name: None, text: String::new(), constants: Vec::new(), formulas, root };
    match check_states(space, &property, &[], options, None, control)? {
        StateValues::Number(numbers) => {
            Ok(Answer { bounds: numbers.bounds, method: numbers.method, stop: numbers.stop })
        }
        StateValues::Bool(_) => Err(CheckError::TypeMismatch { what: "a number is expected".to_owned() }),
    }
}

/// `R{rewards}=? [ what ]`
pub(crate) fn reward(
    space: &Space,
    rewards: usize,
    what: RewardQuery,
    optimum: Option<volvelle_logic::Optimum>,
    options: &volvelle_markov::Options,
    control: &Control,
) -> Result<Answer, CheckError> {
    let mut formulas = Formulas::default();
    let rewards = RewardId(rewards as u32);
    let root = formulas.add(Formula::Reward { rewards, optimum, query: Query::Value, what });
    ask(space, formulas, root, options, control)
}

/// The states that the first label of the space does or does not hold in, eventually.
fn eventually(formulas: &mut Formulas, bound: TimeBound) -> volvelle_logic::FormulaId {
    let anywhere = formulas.add(Formula::Bool(true));
    let goal = formulas.add(Formula::Label(LabelId(0)));
    formulas.add(Formula::Until(anywhere, goal, bound))
}

/// `R{rewards}=? [ F label ]` for the first label of the space.
pub(crate) fn reward_until(
    space: &Space,
    rewards: usize,
    optimum: Option<volvelle_logic::Optimum>,
    options: &volvelle_markov::Options,
    control: &Control,
) -> Result<Answer, CheckError> {
    let mut formulas = Formulas::default();
    let path = eventually(&mut formulas, TimeBound::NONE);
    let what = RewardQuery::Reach(path);
    let rewards = RewardId(rewards as u32);
    let root = formulas.add(Formula::Reward { rewards, optimum, query: Query::Value, what });
    ask(space, formulas, root, options, control)
}

/// `P=? [ F label ]` for the first label of the space, within a time where one is given.
pub(crate) fn probability(
    space: &Space,
    within: Option<f64>,
    optimum: Option<volvelle_logic::Optimum>,
    options: &volvelle_markov::Options,
    control: &Control,
) -> Result<Answer, CheckError> {
    let mut formulas = Formulas::default();
    let path = eventually(&mut formulas, TimeBound { upper: within, ..TimeBound::NONE });
    let root = formulas.add(Formula::Prob { optimum, query: Query::Value, path });
    ask(space, formulas, root, options, control)
}
