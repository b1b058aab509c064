//! Path formulas that combine temporal operators, over rationals: the product of [`volvelle_objectives::ltl`] with exact numbers.
//!
//! Product, acceptance and the sets to be reached are the same as in floating point; only the numbers of the
//! transitions are looked up again, and reachability is solved exactly.

use crate::model::Model;
use crate::reach::{ExactValues, complement, reachability_reward as rewards_until, until};
use crate::signed;
use dashu_ratio::RBig;
use volvelle_logic::{Optimum, Ratio};
use volvelle_objectives::ltl::{LOOP, Ltl, NOT_THERE, Product, accepting};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, ExactSpace, RatiosBuilder};

/// The probability of the formula in every state that is requested.
pub fn probability(model: &Model<'_>, ltl: &Ltl, optimum: Optimum) -> Result<ExactValues, CheckError> {
    if optimum == Optimum::Min && !model.context.is_chain() {
        return Ok(complement(probability(model, &ltl.negation(), Optimum::Max)?));
    }
    let product = ltl.product(model.context, model.focus)?;
    let control = product.control(model.context.control);
    let inner = Context::new(&product.space, model.context.options, &control);
    let target = accepting(&inner, &product)?;
    let exact = numbers(model, &product);
    let everywhere = BitSet::full(target.len());
    let found = until(&Model::new(&inner, &exact), &everywhere, &target, Optimum::Max)?;
    Ok(project(&product, found))
}

/// Expected reward, not negative and given per choice and visit, until a co-safe formula is satisfied.
pub fn until_satisfied(
    model: &Model<'_>,
    ltl: &Ltl,
    reward: &[RBig],
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let product = ltl.product(model.context, model.focus)?;
    let control = product.control(model.context.control);
    let inner = Context::new(&product.space, model.context.options, &control);
    let reward_of = |&choice: &u32| if choice == LOOP { RBig::ZERO } else { reward[choice as usize].clone() };
    let rewards: Vec<RBig> = product.choice_of.iter().map(reward_of).collect();
    let exact = numbers(model, &product);
    let on_product = Model::new(&inner, &exact);
    let found = if rewards.iter().any(|r| *r < RBig::ZERO) {
        signed::reachability(&on_product, &rewards, &product.accepted, optimum)?
    } else {
        rewards_until(&on_product, &rewards, &product.accepted, optimum)?
    };
    Ok(project(&product, found))
}

/// The numbers of a product's transitions: those of the space, and 1 for loops that were added.
fn numbers(model: &Model<'_>, product: &Product) -> ExactSpace {
    let (space, inner) = (model.context.space, &product.space);
    let mut values = RatiosBuilder::default();
    for (choice, &origin) in product.choice_of.iter().enumerate() {
        let targets = &inner.columns[inner.row(choice)];
        if origin == LOOP {
            targets.iter().for_each(|_| values.push(RBig::ONE));
            continue;
        }
        for (i, &target) in targets.iter().enumerate() {
            let state = product.state_of[target as usize];
            // Of several transitions to one state each has its own number.
            let earlier = targets[..i].iter().filter(|&&t| t == target).count();
            let row = space.row(origin as usize);
            let mut there = row.filter(|&t| space.columns[t] == state && space.values.get(t) > 0.0);
            values.push(there.nth(earlier).map_or(RBig::ZERO, |t| model.exact.values.get(t).clone()));
        }
    }
    ExactSpace { values: values.finish(), rewards: Vec::new(), numbers: Vec::new() }
}

/// The value of a state is that of the product where the run begins there.
fn project(product: &Product, (values, method): ExactValues) -> ExactValues {
    let value = |&p: &u32| if p == NOT_THERE { Ratio::ZERO } else { values[p as usize].clone() };
    let values = product.start_of.iter().map(value).collect();
    (values, format!("{}, {method}", product.described()))
}
