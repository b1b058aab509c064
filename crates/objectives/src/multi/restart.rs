//! The restart construction for conditional probabilities: the probability of a first formula in runs that restart
//! in the states in which a scheduler satisfies a second one.
//!
//! C. Baier, J. Klein, S. Klüppelholz and S. Märcker, *Computing conditional probabilities in Markovian models
//! efficiently*, TACAS 2014, doi:10.1007/978-3-642-54862-8_43.

use dashu_ratio::RBig;
use volvelle_logic::{Optimum, StopReason};
use volvelle_solver::collapsed::END;
use volvelle_solver::reach::until_from;
use volvelle_solver::rounding::{U, above, below, relative};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Choices, Ratios, RatiosBuilder, Space};

use super::product::Product;
use super::quotient::Quotient;
use crate::ltl::Ltl;
use crate::scheduler::Objective;
use crate::scheduler::optimal;
use crate::strategy::Policy;

/// The largest probability of the first of two formulas from an initial state, where runs that satisfy the second one begin
/// anew: bounds, the method, and why it stopped.
pub fn restarted(
    context: &Context,
    initial: usize,
    formulas: &[Ltl],
) -> Result<([f64; 2], String, StopReason), CheckError> {
    let Restart { product, quotient, space, won } = Restart::new(context, initial, formulas)?;
    let inner = context.inner(&space, context.options, context.control);
    let mut target = BitSet::new(space.num_states());
    target.insert(won);
    let needed = BitSet::of(target.len(), [quotient.initial]);
    let numbers = until_from(&inner, &BitSet::full(target.len()), &target, Optimum::Max, Some(&needed))?;
    let [mut lo, mut hi] = numbers.bounds[quotient.initial];
    if quotient.merged && lo < hi {
        let error = relative(2.0 * space.num_states() as f64 * 4.0 * U);
        (lo, hi) = (below(lo, error), above(hi, error).min(1.0));
    }
    let method = format!("{}, repeated until the condition holds, {}", product.describe(), numbers.method);
    Ok(([lo, hi], method, numbers.stop))
}

/// A scheduler of the largest conditional probability: a policy on the product that it returns. After a restart a run would
/// begin anew; a run of the scheduler has then violated the condition, and does not count. `None` if the probability is zero: then
/// every scheduler will do under which the condition is possible.
pub fn restart_policy(
    context: &Context,
    initial: usize,
    formulas: &[Ltl],
) -> Result<Option<(Product, Policy)>, CheckError> {
    let Restart { product, quotient, space, won } = Restart::new(context, initial, formulas)?;
    let inner = context.inner(&space, context.options, context.control);
    let n = space.num_states();
    let objective = Objective {
        optimum: Optimum::Max,
        left: BitSet::full(n),
        right: BitSet::of(n, [won]),
        reward: None,
        negated: false,
        bound: None,
        start: BitSet::of(n, [quotient.initial]),
    };
    let scheduler = optimal(&inner, &objective)?;
    if scheduler.value[quotient.initial][1] == 0.0 {
        return Ok(None);
    }
    let mut taken = scheduler.choices;
    // The choices of the quotient have the same numbers; there is one more state.
    taken.truncate(quotient.space.num_states());
    let policy = quotient.policy(context, &product, &taken)?;
    Ok(Some((product, policy)))
}

/// The space whose runs begin anew.
pub struct Restart {
    product: Product,
    quotient: Quotient,
    /// The space.
    pub space: Space,
    /// The state where the first formula has won.
    pub won: usize,
}

impl Restart {
    /// For a first formula, and a second one where runs begin anew.
    pub fn new(context: &Context, initial: usize, formulas: &[Ltl]) -> Result<Self, CheckError> {
        let product = Product::new(context, initial, formulas, 0)?;
        let Some(quotient) = Quotient::new(context, &product, formulas.len(), &[])? else {
            return Err(CheckError::ImpossibleCondition { state: initial as u32 });
        };
        let (space, won) = again(&quotient);
        Ok(Restart { product, quotient, space, won })
    }

    /// The state where runs begin.
    pub fn initial(&self) -> usize {
        self.quotient.initial
    }

    /// The probabilities of all transitions in rational arithmetic; `of` has those of the model, by choice and target.
    pub fn exactly(&self, of: impl Fn(u32, u32) -> RBig) -> Ratios {
        let mut values = RatiosBuilder::default();
        for choice in 0..self.space.num_choices() {
            let is_kept = choice < self.quotient.choice_of.len() && self.quotient.choice_of[choice] != END;
            if is_kept {
                let row = self.quotient.exactly(&self.product, choice, &of);
                row.into_iter().for_each(|value| values.push(value));
            } else {
                self.space.row(choice).for_each(|_| values.push(RBig::ONE));
            }
        }
        values.finish()
    }
}

/// The quotient with one more state, where runs end that satisfy the first formula; those that satisfy the second go back
/// to the beginning.
fn again(quotient: &Quotient) -> (Space, usize) {
    let from = &quotient.space;
    let last = from.num_states() - 1;
    let won = last as u32 + 1;
    let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
    let mut start = vec![0u32];
    for s in 0..=last {
        for choice in from.choices_of(s) {
            let end = match (quotient.rewards[0][choice] > 0.0, quotient.rewards[1][choice] > 0.0) {
                _ if s == last => None,
                (true, _) => Some(won),
                (_, true) => Some(quotient.initial as u32),
                _ => None,
            };
            match end {
                Some(target) => {
                    columns.push(target);
                    values.push(1.0);
                }
                None => from.transitions(choice).for_each(|(t, v)| {
                    columns.push(t as u32);
                    values.push(v);
                }),
            }
            row_start.push(columns.len() as u32);
        }
        start.push(row_start.len() as u32 - 1);
    }
    columns.push(won);
    values.push(1.0);
    row_start.push(columns.len() as u32);
    start.push(row_start.len() as u32 - 1);
    let choices = Choices::new(start, vec![0; row_start.len() - 1]);
    let space = Space {
        kind: from.kind,
        choices: Some(choices),
        row_start,
        columns,
        values: values.into(),
        initial: vec![],
        deadlocks: BitSet::new(won as usize + 1),
        labels: vec![],
        rewards: vec![],
        actions: vec![String::new()],
    };
    (space, won as usize)
}
