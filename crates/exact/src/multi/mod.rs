//! Several objectives for one scheduler of an MDP, over rationals: the counterpart of [`volvelle_objectives::multi`].
//!
//! In: a model with its exact numbers, and objectives. Out: an answer without error: bounds that are met on the very border of
//! the achievable set are told from bounds that are not, strict ones from others.
//!
//! | module | subject |
//! |---|---|
//! | `oracle` | a direction: the largest weighted sum of the objectives, and a scheduler that achieves it |
//! | `search` | directions by linear programs until a question is decided |
//! | `program` | linear programs over rationals |
//! | `pareto`, `polyhedron` | all corners of the achievable set |
//!
//! Product and quotient are those of floating point: they depend on the graph alone, and on which rewards are not zero. The
//! achievable set is the set of all points below a mix of finitely many: those of the deterministic memoryless schedulers of
//! the quotient. Every direction gives one of them, and a half-space that contains all. So the search of Forejt, Kwiatkowska
//! and Parker (*Pareto curves for probabilistic model checking*, ATVA 2012) ends, with the exact answer.

mod coordinates;
mod oracle;
mod pareto;
mod polyhedron;
mod program;
mod search;

use coordinates::{coordinate_of, value_of};

pub use program::{Program, Solution};

use super::model::Model;
use dashu_ratio::RBig;
use oracle::Oracle;
use search::Search;
use volvelle_logic::{Answer, Goal, Ratio, RewardId, StopReason, Value, gate};
use volvelle_objectives::multi::{
    Asked, Engine, Measure, Objective, Prepared, Reply, Target, multi_answer, no_finite_cost, prepare,
};
use volvelle_solver::CheckError;
use volvelle_solver::reward::Rewards;

/// Answers a query from an initial state; each objective has its bound, 0 where it is to be optimised.
pub fn multi(
    model: &Model<'_>,
    initial: usize,
    objectives: Vec<(Measure, Goal, RBig)>,
) -> Result<Answer, CheckError> {
    let (objectives, bounds): (Vec<Objective>, Vec<RBig>) = objectives
        .into_iter()
        .map(|(measure, goal, exact)| {
            let bound = Ratio::from(exact.clone()).enclosure();
            (Objective { measure, goal, bound }, exact)
        })
        .unzip();
    multi_answer(&Fractions { model, initial, objectives: &objectives, bounds: &bounds }, &objectives)
}

/// Answers in rational arithmetic.
struct Fractions<'a, 'm> {
    model: &'a Model<'m>,
    initial: usize,
    objectives: &'a [Objective],
    bounds: &'a [RBig],
}

impl Engine for Fractions<'_, '_> {
    fn ask(&self, asked: &[Asked], finite: &[usize]) -> Result<Reply, CheckError> {
        let Fractions { model, initial, objectives, bounds } = *self;
        let reward_of = |id: RewardId| model.visit_rewards(id);
        // Doubles that are zero where the rewards are.
        let double = |reward: &RBig| match reward.to_f64().value() {
            0.0 if *reward > RBig::ZERO => f64::MIN_POSITIVE,
            0.0 if *reward < RBig::ZERO => -f64::MIN_POSITIVE,
            value => value,
        };
        let doubles = |id: RewardId| {
            let values = reward_of(id)?.iter().map(double).collect();
            Ok(Rewards { values, relative: 0.0, errors: None })
        };
        let prepared: Prepared = prepare(model.context, initial, (objectives, asked, finite), doubles)?;
        if !prepared.endless.is_empty() {
            return Ok(Reply::Endless(prepared.endless));
        }
        let bound = |asked: &Asked| if asked.visits { RBig::ZERO } else { bounds[asked.objective].clone() };
        let bounds: Vec<RBig> = asked.iter().map(bound).collect();
        let answer = among_finite(model, &prepared, &bounds, reward_of)?;
        Ok(Reply::Answer(answer, prepared.unbounded))
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// The answer among schedulers whose costs are finite.
fn among_finite(
    model: &Model<'_>,
    prepared: &Prepared,
    bounds: &[RBig],
    reward_of: impl Fn(RewardId) -> Result<Vec<RBig>, CheckError>,
) -> Result<Answer, CheckError> {
    let product = prepared.product.describe();
    let Some(quotient) = &prepared.quotient else { return Ok(no_finite_cost(&product)) };
    let oracle = Oracle::new(model, prepared, quotient, reward_of)?;
    let mut search = Search::new(model.context.control, oracle, &prepared.targets, bounds)?;
    let open: Vec<usize> =
        (0..prepared.targets.len()).filter(|&t| prepared.targets[t].goal.bound().is_none()).collect();
    let (value, exact) = match open.as_slice() {
        [] => (Value::Bool(search.is_achievable()?), Vec::new()),
        [one] => match search.is_achievable()? {
            false => (Value::Bool(false), Vec::new()),
            true => {
                let best = value_of(&prepared.targets[*one], search.best(*one)?);
                (Value::Number(best.to_f64().value()), vec![Ratio::from(best)])
            }
        },
        _ => {
            let corners = search.pareto()?;
            let value = |(target, y): (&Target, RBig)| value_of(target, y);
            let mut points: Vec<Vec<RBig>> = corners
                .into_iter()
                .map(|corner| prepared.targets.iter().zip(corner).map(value).collect())
                .collect();
            points.sort();
            let doubles = |p: &Vec<RBig>| p.iter().map(|x| x.to_f64().value()).collect();
            let curve = Value::Pareto(points.iter().map(doubles).collect());
            (curve, points.into_iter().flatten().map(Ratio::from).collect())
        }
    };
    let directions = match search.directions {
        1 => "1 direction".to_string(),
        n => format!("{n} directions"),
    };
    let method = match (&value, open.len()) {
        (Value::Bool(false), 1) => {
            format!("{product}, no scheduler meets the bounds (rational arithmetic, {directions})")
        }
        _ => format!("{product}, rational arithmetic in {directions}"),
    };
    Ok(Answer {
        value,
        guarantee: gate::exact(),
        compared: None,
        exact,
        method,
        stop: StopReason::Computed,
        initially: None,
    })
}
