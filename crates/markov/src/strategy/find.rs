//! From a property to a strategy that attains its value.
//!
//! Every goal is reduced to one that memoryless schedulers attain on a product, or to backward steps. The value of the strategy
//! is computed afterwards, on the Markov chain that it makes: bounds of it, whatever the strategy was found by.

use volvelle_control::Control;
use volvelle_logic::{Guarantee, LabelId, Optimum, Property, Value};
use volvelle_objectives::ltl::{LOOP, Ltl, NOT_THERE, Product, accepting_policy, rewards_on};
use volvelle_objectives::multi::{conditional_strategy, mixed_strategy};
use volvelle_objectives::scheduler::{Objective, optimal};
use volvelle_objectives::strategy::{Memory, Policy, Strategy, Tabulation, View};
use volvelle_solver::collapsed::Kept;
use volvelle_solver::longrun::gains;
use volvelle_solver::{CheckError, Context, Method, NoWitness, Options, WitnessError};
use volvelle_space::{BitSet, Kind, Space};

use super::induced::{Unfollowed, induced};
use crate::evaluate::{Goal, Task, check, has_goal, task};
use crate::policies::{discounted_strategy, go_on_or_remain, signed_strategy, total_policy};

/// A strategy with its value.
#[derive(Clone, Debug)]
pub struct Found {
    /// The strategy.
    pub strategy: Strategy,
    /// The optimum that it attains; `None` where it meets several objectives.
    pub optimum: Option<Optimum>,
    /// Bounds of the property's value under it, from the only initial state; of each objective, where there are several. Empty
    /// where there are several initial states, or the value was not computed.
    pub values: Vec<[f64; 2]>,
}

/// Whether a property has an optimal scheduler that can be written down. Its form tells.
///
/// # Errors
/// Why it has none.
pub fn has_strategy(kind: Kind, property: &Property) -> Result<(), NoWitness> {
    match kind {
        Kind::Mdp => has_goal(property),
        _ => Err(NoWitness::NoChoices(kind)),
    }
}

/// A strategy that attains the value of a property of an MDP.
///
/// # Errors
/// Properties of its form have none, or it has no value.
pub fn strategy(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Found, WitnessError> {
    Context::require_engine(space)?;
    has_strategy(space.kind, property)?;
    // Everything here is proven by bounds.
    let method = match options.method {
        Method::Classical(_) => Method::Auto,
        other => other,
    };
    let options = &Options { method, ..*options };
    let Task { goal, optimum, start, measures, sets } = task(space, property, numbers, options, control)?;
    let context = Context::new(space, *options, control);
    let only = match start.count() {
        1 => start.iter().next(),
        0 => return Err(NoWitness::EmptyFilter.into()),
        _ => None,
    };
    let one_start = || only.ok_or(WitnessError::Form(NoWitness::SeveralStarts));
    let strategy = match goal {
        Goal::Reach(objective) => {
            let scheduler = optimal(&context, &objective)?;
            let value = only.map(|s| complement_if(objective.negated, scheduler.value[s]));
            let strategy = Strategy::memoryless(scheduler.choices);
            return Ok(Found { strategy, optimum, values: value.into_iter().collect() });
        }
        Goal::Backward(backward, negated) => {
            let counted = backward.run(&context)?;
            let value = only.map(|s| complement_if(negated, counted.value[s]));
            // Rewards of an unknown error give a value of which nothing is known.
            let values = value.into_iter().filter(|value| value.iter().all(|end| end.is_finite())).collect();
            return Ok(Found { strategy: counted.strategy, optimum, values });
        }
        Goal::Bounded(bounded, negated) => {
            let (strategy, values) = bounded.strategy(&context, &start)?;
            let value = only.map(|_| complement_if(negated, values[0]));
            return Ok(Found { strategy, optimum, values: value.into_iter().collect() });
        }
        Goal::Discounted(reward, optimum, discount) => {
            discounted_strategy(&context, &reward, optimum, discount, &start)?
        }
        Goal::Signed(id, reward, target, optimum) => {
            signed_strategy(&context, (id, &reward), target, optimum, &start)?
        }
        Goal::Any => Strategy::memoryless(Policy::first(space).into_choices()),
        Goal::Formula(formula) => formula_strategy(&context, &formula, &start)?,
        Goal::Satisfied(formula, reward, optimum) => {
            satisfying_strategy(&context, &formula, &reward, optimum, &start)?
        }
        Goal::Total(reward, optimum) => {
            memoryless(total_policy(&context, &reward, optimum, &start)?, &context)?
        }
        Goal::Budgeted(budgeted) => budgeted.strategy(&context, &start)?,
        Goal::Average(reward, optimum) => average_strategy(&context, &reward, optimum, &start)?,
        Goal::Conditional(formulas) => match conditional_strategy(&context, one_start()?, &formulas)? {
            Some(strategy) => strategy,
            // The condition only has to be possible.
            None => formula_strategy(&context, &formulas[1].negation(), &start)?,
        },
        Goal::Multi(objectives) => {
            let mixed = mixed_strategy(&context, one_start()?, objectives)?;
            mixed.ok_or(WitnessError::Form(NoWitness::NoneMeets))?
        }
    };
    let values = match only {
        Some(only) => values(&context, &strategy, only, &measures, &sets)?,
        None => Vec::new(),
    };
    Ok(Found { strategy, optimum, values })
}

fn complement_if(negated: bool, [lo, hi]: [f64; 2]) -> [f64; 2] {
    match negated {
        true if lo == hi && (lo == 0.0 || lo == 1.0) => [1.0 - lo; 2],
        true => [(1.0 - hi).next_down().max(0.0), (1.0 - lo).next_up().min(1.0)],
        false => [lo, hi],
    }
}

/// Bounds of what is measured on the chain of a strategy.
fn values(
    context: &Context,
    strategy: &Strategy,
    start: usize,
    measures: &[Property],
    sets: &[BitSet],
) -> Result<Vec<[f64; 2]>, CheckError> {
    let mut chain = induced(context.space, strategy, std::iter::once(start as u32), context.control)
        .map_err(|unfollowed| match unfollowed {
            Unfollowed::Stopped(stop) => CheckError::Limit(stop),
            Unfollowed::Undecided { state, memory } => {
                CheckError::Undefined { what: format!("the decision in state {state} with memory {memory}") }
            }
        })?;
    let labels =
        sets.iter().enumerate().map(|(i, set)| (format!("{}", LabelId(i as u32).0), chain.set_of(set)));
    chain.space.labels = labels.collect();
    let precision = (context.options.precision * 1e-2).max(1e-12);
    let options = Options { precision, ..context.options };
    let value = |property: &Property| {
        let answer = check(&chain.space, property, &[], &options, context.control)?;
        Ok(match (answer.value, answer.guarantee) {
            (_, Guarantee::Sound { lo, hi, .. }) => [lo, hi],
            (Value::Number(value), _) => [value; 2],
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        })
    };
    measures.iter().map(value).collect()
}

/// The largest probability of a formula.
fn formula_strategy(context: &Context, formula: &Ltl, start: &BitSet) -> Result<Strategy, CheckError> {
    let product = formula.product(context, Some(start))?;
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let (target, staying) = accepting_policy(&inner, &product)?;
    let mut policy = reaching(&inner, &product, &target, None, Optimum::Max, start)?;
    policy.take(&target, &staying);
    tabulated(context, &product, &policy, start)
}

/// The optimal reward until a formula is satisfied.
fn satisfying_strategy(
    context: &Context,
    formula: &Ltl,
    reward: &[f64],
    optimum: Optimum,
    start: &BitSet,
) -> Result<Strategy, CheckError> {
    let product = formula.product(context, Some(start))?;
    let rewards = rewards_on(&product, reward);
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let policy = reaching(&inner, &product, &product.accepted, Some(rewards), optimum, start)?;
    tabulated(context, &product, &policy, start)
}

fn reaching(
    inner: &Context,
    product: &Product,
    target: &BitSet,
    reward: Option<Vec<f64>>,
    optimum: Optimum,
    start: &BitSet,
) -> Result<Policy, CheckError> {
    let n = product.space.num_states();
    let begin = start.iter().map(|s| product.start_of[s]).filter(|&p| p != NOT_THERE);
    let objective = Objective {
        optimum,
        left: BitSet::full(n),
        right: target.clone(),
        reward,
        negated: false,
        bound: None,
        start: BitSet::of(n, begin.map(|p| p as usize)),
    };
    Ok(Policy::of_choices(optimal(inner, &objective)?.choices))
}

/// A policy on the product with an automaton as a strategy.
fn tabulated(
    context: &Context,
    product: &Product,
    policy: &Policy,
    start: &BitSet,
) -> Result<Strategy, CheckError> {
    let view = View {
        space: &product.space,
        state_of: &|p| product.state_of[p],
        choice_of: &product.choice_of,
        memory_of: &|p| product.memory_of[p],
        is_over: &|p| product.choice_of[product.space.choices_of(p).start] == LOOP,
    };
    let begin: Vec<usize> = start.iter().map(|s| product.start_of[s] as usize).collect();
    let mut table = Tabulation::default();
    let initial = table.memory(0, product.memory_of[begin[0]]);
    table.walk(context, &view, 0, policy, begin.into_iter())?;
    table.finish(context, Memory::Automata, initial)
}

/// A policy on the space itself as a strategy.
fn memoryless(policy: Policy, context: &Context) -> Result<Strategy, CheckError> {
    if policy.is_deterministic() {
        return Ok(Strategy::memoryless(policy.into_choices()));
    }
    let space = context.space;
    let choices: Vec<u32> = (0..space.num_choices() as u32).collect();
    let view =
        View { space, state_of: &|s| s as u32, choice_of: &choices, memory_of: &|_| 0, is_over: &|_| false };
    let mut table = Tabulation::default();
    let initial = table.memory(0, 0);
    table.walk(context, &view, 0, &policy, 0..space.num_states())?;
    table.finish(context, Memory::None, initial)
}

/// The optimal long-run average.
fn average_strategy(
    context: &Context,
    reward: &[f64],
    optimum: Optimum,
    start: &BitSet,
) -> Result<Strategy, CheckError> {
    let gains = gains(context, reward, optimum)?;
    let mut policy = Policy::first(context.space);
    gains.choices.iter().for_each(|&(s, choice)| policy.set(s as usize, choice));
    let remain: Vec<f64> = gains.bounds.iter().map(|[lo, hi]| 0.5 * (lo + hi)).collect();
    let everywhere = BitSet::full(context.states());
    let kept = Kept { states: &everywhere, found: &gains.found, remain: &remain, reward: &|_| 0.0 };
    go_on_or_remain(context, &kept, optimum, start, &mut policy)?;
    memoryless(policy, context)
}
