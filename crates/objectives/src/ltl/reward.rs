//! Expected reward until a co-safe formula of LTL is satisfied.
//!
//! A path that satisfies such a formula has a finite prefix that does so. The formula counts as satisfied as soon as the
//! prefix is *informative* (Kupferman and Vardi, *Model Checking of Safety Properties*, FMSD 19, 2001): the
//! syntactic progression of the formula by the letters read so far is true, as in PRISM. That can be later than the shortest
//! prefix all of whose continuations satisfy it: `X true` looks at the next state. Reward is added up to the state whose
//! letter is the last one needed, and not in it, as for `F target`.

use volvelle_entity::EntityVec;
use volvelle_logic::{Formula, FormulaId, Formulas as Arena, Optimum, RewardId, TimeBound};
use volvelle_solver::reward::reachability_reward;
use volvelle_solver::{CheckError, Context, Numbers, signed_reward};
use volvelle_space::BitSet;

use super::Ltl;
use super::product::{LOOP, Product};

/// Expected reward, given per choice and not negative on a chain, until the formula is satisfied. Infinite where that is not
/// almost sure: for a maximum under every scheduler, for a minimum under some.
pub fn until_satisfied(
    context: &Context,
    ltl: &Ltl,
    reward: &[f64],
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let product = ltl.product(context, needed)?;
    let rewards = rewards_on(&product, reward);
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let numbers = if rewards.iter().any(|&r| r < 0.0) {
        signed_reward::reachability(&inner, RewardId(u32::MAX), &rewards, &product.accepted, optimum)?
    } else {
        reachability_reward(&inner, &rewards, &product.accepted, optimum)?
    };
    Ok(product.project(numbers, [0.0, f64::INFINITY]))
}

/// The rewards of the choices of a product.
pub fn rewards_on(product: &Product, reward: &[f64]) -> Vec<f64> {
    let reward_of = |&choice: &u32| if choice == LOOP { 0.0 } else { reward[choice as usize] };
    product.choice_of.iter().map(reward_of).collect()
}

/// Refuses a path formula that is not syntactically co-safe, with the name of the operator that is in the way.
pub fn check_cosafe(
    arena: &Arena,
    is_path: &EntityVec<FormulaId, bool>,
    root: FormulaId,
) -> Result<(), CheckError> {
    // Which formulas occur positively, and which under an odd number of negations.
    let mut occurs = EntityVec::filled([false; 2], root.index() + 1);
    occurs[root][0] = true;
    for id in occurs.keys().rev() {
        if !is_path[id] {
            continue;
        }
        for negated in [false, true] {
            if !occurs[id][usize::from(negated)] {
                continue;
            }
            let node = arena.get(id);
            if let Some(operator) = in_the_way(arena, node, negated) {
                let what = format!(
                    "a reward until a path formula is satisfied needs a formula that a finite path can satisfy (co-safe LTL), but {operator} refers to infinite paths"
                );
                return Err(CheckError::TypeMismatch { what });
            }
            let below = usize::from(negated != matches!(node, Formula::Not(_)));
            for operand in node.operands() {
                occurs[operand][below] = true;
            }
        }
    }
    Ok(())
}

/// The name of an operator that cannot be satisfied within finite time.
fn in_the_way(arena: &Arena, node: &Formula, negated: bool) -> Option<&'static str> {
    let is = |id: FormulaId, value: bool| *arena.get(id) == Formula::Bool(value);
    let endless = |bound: &TimeBound| bound.upper.is_none();
    match node {
        Formula::Until(a, _, bound) if negated && endless(bound) => {
            Some(if is(*a, true) { "a negated F" } else { "a negated U" })
        }
        Formula::WeakUntil(_, b, bound) if !negated && endless(bound) => {
            Some(if is(*b, false) { "G" } else { "W" })
        }
        Formula::Release(_, _, bound) if !negated && endless(bound) => Some("R"),
        Formula::Automaton(..) => Some("an automaton"),
        _ => None,
    }
}
