//! Several objectives for one scheduler of an MDP.
//!
//! In: objectives, each the probability of a path formula or an expected reward, with a bound or to be optimised. Out:
//! whether a scheduler meets all bounds; the best value that is left to one objective; or the Pareto curve of several.
//! After Forejt, Kwiatkowska and Parker, *Pareto curves for probabilistic model checking* (ATVA 2012), and PRISM's manual,
//! *Multi-objective Properties*.
//!
//! | module | subject |
//! |---|---|
//! | `product` | the MDP with the automata of all path formulas, and with a counter of steps |
//! | `quotient` | end components collapsed: every objective is a reward on the way to one last state |
//! | `stepwise` | the same where all objectives are rewards over numbers of steps, without a product |
//! | `weighted` | a direction: the best scheduler in it, its values, and a half-space that contains those of all schedulers |
//! | `separation` | the hyperplane that separates a point best from the points below a mix of others |
//! | `polytope` | corners of an intersection of half-spaces |
//! | `endless` | infinite sums of rewards: which schedulers have them, and what the others achieve |
//! | `signed` | rewards of both signs made positive |
//! | `restart` | conditional probabilities by the restart construction |
//! | `query`, `numerical`, `pareto` | choosing directions until the question is decided |
//!
//! Coordinates: every objective is a number to be made large. A probability that should be small is that of the negated
//! formula; a reward that should be small is negated. The achievable points are a convex set, as schedulers may toss
//! coins. It is known from inside, by mixes of schedulers that were found, and from outside, by half-spaces; both with
//! bounds of the arithmetic, so that no answer rests on an iteration that seemed to have converged.
//!
//! Schedulers with an infinite sum of a reward do not meet a bound from above; where such sums matter otherwise, `endless` asks
//! questions in which they do not.
//!
//! Rewards may be negative where nothing can be lost again and again in the direction of the objective except by choices that a
//! run leaves: `signed` makes them positive.
//!
//! A strict bound is met by a point beyond it. If for each strict bound some point meets all bounds, and that one strictly,
//! then the mean of these points meets all of them strictly, because the set is convex. A mix of such a point with one that
//! is best for an objective under the bounds, as if they were not strict, comes as near to the best value as one likes: the
//! answer is this value, which may be approached only.
//!
//! Where a bound lies on the border of the set, bounds of the arithmetic decide nothing: see the crate `exact`,
//! module `multi`, for the same search with fractions.

mod endless;
mod numerical;
mod objective;
mod pareto;
mod polytope;
mod product;
mod query;
mod quotient;
mod restart;
mod separation;
mod signed;
mod stepwise;
#[cfg(test)]
mod stepwise_tests;
mod weighted;

pub use objective::{Measure, Objective};

use volvelle_logic::{Answer, Goal, RewardId};
use volvelle_solver::interval::Interval;
use volvelle_solver::reward::Rewards;
use volvelle_solver::rounding::relative;
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{Kind, Space};

use crate::ltl::Ltl;
use crate::strategy::{Memory, Move, Strategy, Tabulation, View};
pub use endless::{Asked, Engine, Reply, answer as multi_answer};
pub use product::Product;
pub use query::{Target, no_finite_cost};
pub use quotient::Quotient;
use quotient::Reward;
pub use restart::{Restart, restarted};
pub use separation::{Separation, separate};
pub use signed::Shaping;
use stepwise::{Counted, Stepwise};
pub use weighted::Weighted;

/// A query, ready to be answered.
pub struct Prepared {
    /// The product of the MDP with all automata.
    pub product: Product,
    /// `None` if every scheduler has an infinite cost.
    pub quotient: Option<Quotient>,
    /// The objectives as coordinates.
    pub targets: Vec<Target>,
    /// For every objective of the quotient whether it is a cost.
    pub cost: Vec<bool>,
    /// For every objective of the quotient the reward that it measures.
    pub rewards: Vec<Option<RewardId>>,
    /// For every objective of the quotient how its reward was made positive, where that was necessary.
    pub shaped: Vec<Option<Shaping>>,
    /// The objectives of which some scheduler has an infinite sum without losing anything.
    pub endless: Vec<usize>,
    /// The objectives of which some scheduler has an infinite sum.
    pub unbounded: Vec<bool>,
    /// Options that count the errors of rewards.
    pub options: Options,
}

/// Answers a query from an initial state.
pub fn multi(context: &Context, initial: usize, objectives: Vec<Objective>) -> Result<Answer, CheckError> {
    if let Some(answer) = by_steps(context, initial, &objectives)? {
        return Ok(answer);
    }
    endless::answer(&Doubles { context, initial, objectives: &objectives }, &objectives)
}

/// Answers in floating point.
struct Doubles<'a> {
    context: &'a Context<'a>,
    initial: usize,
    objectives: &'a [Objective],
}

impl Engine for Doubles<'_> {
    fn ask(&self, asked: &[Asked], finite: &[usize]) -> Result<Reply, CheckError> {
        let (context, initial) = (self.context, self.initial);
        let prepared = prepare(context, initial, (self.objectives, asked, finite), |id| {
            Rewards::of_choices(context, id)
        })?;
        if !prepared.endless.is_empty() {
            return Ok(Reply::Endless(prepared.endless));
        }
        let Prepared { product, quotient, targets, cost, options, unbounded, .. } = prepared;
        let mut control = *context.control;
        if let Some(memory) = &mut control.limits.memory_bytes {
            *memory = memory.saturating_sub(product.bytes());
        }
        let inner = context.inner(context.space, options, &control);
        let answer = query::answer(&inner, quotient.as_ref(), &cost, &targets, &product.describe())?;
        Ok(Reply::Answer(answer, unbounded))
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// The answer without a product, if every objective is a reward over a number of steps.
fn by_steps(
    context: &Context,
    initial: usize,
    objectives: &[Objective],
) -> Result<Option<Answer>, CheckError> {
    let mut options = context.options;
    let (mut counted, mut targets) = (Vec::new(), Vec::new());
    for (number, &Objective { ref measure, goal, bound }) in objectives.iter().enumerate() {
        let &Measure::Reward(id, Some(steps)) = measure else { return Ok(None) };
        let mut reward = counted_reward(Rewards::of_choices(context, id)?, &mut options);
        let offset = signed::raise(&mut reward, steps, goal.is_small(), &mut options);
        counted.push(Counted { reward, steps, cost: goal.is_small() });
        targets.push(Target { number, probability: false, goal, bound, offset, cost: goal.is_small() });
    }
    let inner = context.inner(context.space, options, context.control);
    let stepwise = Stepwise::new(&inner, initial, counted);
    require_bounded_error(&options, stepwise.num_states())?;
    let answer = query::answer_by_steps(&inner, stepwise, &targets)?;
    for fact in inner.facts() {
        context.note(fact);
    }
    Ok(Some(answer))
}

/// A scheduler that meets the bounds of a query, from an initial state, and is best for the objective that is optimised: at the
/// beginning it draws one of several. `None` if no scheduler meets them.
pub fn mixed_strategy(
    context: &Context,
    initial: usize,
    objectives: Vec<Objective>,
) -> Result<Option<Strategy>, CheckError> {
    let all: Vec<Asked> = (0..objectives.len()).map(Asked::value).collect();
    let prepared =
        prepare(context, initial, (&objectives, &all, &[]), |id| Rewards::of_choices(context, id))?;
    if let Some(&objective) = prepared.endless.first()
        && let Measure::Reward(id, _) = objectives[objective].measure
    {
        return Err(CheckError::EndlessReward { rewards: context.space.rewards[id.index()].name.clone() });
    }
    let Prepared { product, quotient, targets, cost, options, .. } = prepared;
    let inner = context.inner(context.space, options, context.control);
    let mixed = match &quotient {
        Some(quotient) => query::mix(&inner, quotient, &cost, &targets, &product.describe())?,
        None => Vec::new(),
    };
    let Some(quotient) = quotient.filter(|_| !mixed.is_empty()) else {
        // Those that meet the bounds may all have an infinite sum of what is minimised.
        return match endless::without_minimised(&objectives) {
            Some(others) if !others.is_empty() => mixed_strategy(context, initial, others),
            _ => Ok(None),
        };
    };
    let memories = product.memories();
    let view = View {
        space: &product.space,
        state_of: &|p| product.state_of(p),
        choice_of: &product.choice_of,
        memory_of: &|p| memories[p],
        is_over: &|_| false,
    };
    let mut table = Tabulation::default();
    let whole: f64 = mixed.iter().map(|m| m.0).sum();
    let begin = table.fresh();
    for (number, (share, taken)) in mixed.iter().enumerate() {
        let policy = quotient.policy(context, &product, taken)?;
        let number = number as u32;
        if mixed.len() > 1 {
            let moves = table.moves_of(&view, number, &policy, 0);
            let drawn = moves.into_iter().map(|m| Move { probability: m.probability * share / whole, ..m });
            table.add(initial as u32, begin, drawn);
            let first = policy.of(0).iter().flat_map(|&c| product.space.transitions(c as usize));
            table.walk(context, &view, number, &policy, first.map(|(p, _)| p))?;
        } else {
            table.rename(begin, number, memories[0]);
            table.walk(context, &view, number, &policy, std::iter::once(0))?;
        }
    }
    let memory = if mixed.len() > 1 { Memory::Mix } else { Memory::Automata };
    table.finish(context, memory, begin).map(Some)
}

/// A scheduler of the largest conditional probability, from an initial state: see [`restarted`]. `None` if it is zero.
pub fn conditional_strategy(
    context: &Context,
    initial: usize,
    formulas: &[Ltl],
) -> Result<Option<Strategy>, CheckError> {
    let Some((product, policy)) = restart::restart_policy(context, initial, formulas)? else {
        return Ok(None);
    };
    let memories = product.memories();
    let view = View {
        space: &product.space,
        state_of: &|p| product.state_of(p),
        choice_of: &product.choice_of,
        memory_of: &|p| memories[p],
        is_over: &|_| false,
    };
    let mut table = Tabulation::default();
    let begin = table.memory(0, memories[0]);
    table.walk(context, &view, 0, &policy, std::iter::once(0))?;
    table.finish(context, Memory::Automata, begin).map(Some)
}

/// Makes product and quotient of some of the objectives; `rewards_of` gives the rewards of all choices of the space. Infinite sums
/// of the objectives `finite` are avoided.
pub fn prepare(
    context: &Context,
    initial: usize,
    (objectives, asked, finite): (&[Objective], &[Asked], &[usize]),
    rewards_of: impl Fn(RewardId) -> Result<Rewards, CheckError>,
) -> Result<Prepared, CheckError> {
    let mut formulas = Vec::new();
    let mut plain_rewards: Vec<(RewardId, Option<u64>, &Asked, bool)> = Vec::new();
    // For every objective its number among the formulas, or among the rewards.
    let mut places = Vec::new();
    for asked in asked {
        let Objective { measure, goal, bound } = &objectives[asked.objective];
        let small = goal.is_small();
        let (goal, bound) = if asked.visits { (Goal::MoreThan(0.0), [0.0; 2]) } else { (*goal, *bound) };
        match measure {
            Measure::Formula(formula) => {
                places.push((true, formulas.len(), goal, bound));
                formulas.push(if small { formula.negation() } else { (**formula).clone() });
            }
            Measure::Reward(id, steps) => {
                places.push((false, plain_rewards.len(), goal, bound));
                plain_rewards.push((*id, *steps, asked, small));
            }
        }
    }
    let limit = plain_rewards.iter().filter_map(|r| r.1).max().unwrap_or(0);
    let product = Product::new(context, initial, &formulas, limit)?;
    let mut control = *context.control;
    if let Some(memory) = &mut control.limits.memory_bytes {
        *memory = memory.saturating_sub(product.bytes());
    }
    let mut options = context.options;
    let mut rewards = Vec::new();
    for &(id, steps, asked, small) in &plain_rewards {
        let of_choice = counted_reward(rewards_of(id)?, &mut options);
        rewards.push(Reward {
            of_choice: on_product(&product, &of_choice, steps),
            endless: steps.is_none(),
            cost: small,
            visits: asked.visits,
            avoided: finite.contains(&asked.objective),
            name: context.space.rewards[id.index()].name.clone(),
        });
    }
    require_bounded_error(&options, product.space.num_states())?;
    let inner = context.inner(context.space, options, &control);
    let mut quotient = Quotient::new(&inner, &product, formulas.len(), &rewards)?;
    let of_formulas = formulas.len();
    let mut cost = vec![false; of_formulas];
    cost.extend(plain_rewards.iter().map(|&(_, _, asked, small)| small && !asked.visits));
    let endless: Vec<usize> = (quotient.iter())
        .flat_map(|quotient| quotient.endless.iter().map(|&reward| plain_rewards[reward].2.objective))
        .collect();
    let mut shaped: Vec<Option<Shaping>> = (0..cost.len()).map(|_| None).collect();
    let mut offsets = vec![0.0; cost.len()];
    if let Some(quotient) = quotient.as_mut().filter(|_| endless.is_empty()) {
        for (reward, &(id, ..)) in plain_rewards.iter().enumerate() {
            let number = of_formulas + reward;
            let shaping = signed::shaped(&inner, quotient, number, (id, cost[number]), &mut options)?;
            if let Some(shaping) = shaping {
                offsets[number] = shaping.potential[quotient.initial];
                shaped[number] = Some(shaping);
                cost[number] = true;
            }
        }
        require_bounded_error(&options, product.space.num_states())?;
    }
    let target = |&(is_formula, place, goal, bound): &(bool, usize, Goal, Interval)| {
        let number = if is_formula { place } else { of_formulas + place };
        let offset = [offsets[number]; 2];
        Target { number, probability: is_formula, goal, bound, offset, cost: cost[number] }
    };
    let targets: Vec<Target> = places.iter().map(target).collect();
    let mut measured = vec![None; of_formulas];
    measured.extend(plain_rewards.iter().map(|&(id, _, asked, _)| (!asked.visits).then_some(id)));
    let unbounded = endless::unbounded(&product, &rewards);
    let unbounded = places.iter().map(|&(is_formula, place, ..)| !is_formula && unbounded[place]).collect();
    Ok(Prepared { product, quotient, targets, cost, rewards: measured, shaped, endless, unbounded, options })
}

/// A reward of the choices of the space. Its errors are counted like those of weights: all of them enter the same equations.
fn counted_reward(rewards: Rewards, options: &mut Options) -> Vec<f64> {
    *options = options.with_input(options.input.max(rewards.relative_error()));
    rewards.values
}

/// Refuses numbers whose errors have no useful bound: no half-space is one that contains the values of all schedulers.
fn require_bounded_error(options: &Options, states: usize) -> Result<(), CheckError> {
    match relative(options.input) {
        f64::INFINITY => Err(CheckError::OnTheEdge { distance: f64::INFINITY, states }),
        _ => Ok(()),
    }
}

/// A reward of the choices of the space, for the choices of the product.
fn on_product(product: &Product, of_choice: &[f64], steps: Option<u64>) -> Vec<f64> {
    let mut rewards: Vec<f64> = product.choice_of.iter().map(|&choice| of_choice[choice as usize]).collect();
    if let Some(steps) = steps {
        for s in 0..product.space.num_states() {
            // Without a counter no step counts: all limits are zero.
            if product.steps.get(s).is_none_or(|&so_far| so_far >= steps) {
                product.space.choices_of(s).for_each(|choice| rewards[choice] = 0.0);
            }
        }
    }
    rewards
}

/// The number of the initial state of an MDP that has only one.
pub fn single_initial_state(space: &Space) -> Result<usize, CheckError> {
    if space.kind != Kind::Mdp {
        return Err(CheckError::WrongKind { what: "multi(...)".to_string(), kind: space.kind.name() });
    }
    match space.initial[..] {
        [initial] => Ok(initial.index()),
        _ => {
            let count = space.initial.len();
            let what = format!("multi(...) needs a single initial state, but the model has {count}");
            Err(CheckError::TypeMismatch { what })
        }
    }
}
