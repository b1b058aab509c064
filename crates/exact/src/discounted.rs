//! Discounted rewards over rationals: the counterpart of [`volvelle_transient::discounted`], whose additional state they use.

use crate::model::Model;
use crate::policy::Task;
use crate::reach::{ExactValues, guide, method};
use crate::steps::{Step, backwards};
use dashu_ratio::RBig;
use volvelle_logic::{Optimum, Ratio};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, ExactSpace};
use volvelle_transient::discounted::{Discount, discounted as rough_discounted, scaled};

/// The optimal expected discounted reward, for ever or up to a number of steps; `reward` per choice and visit, of any sign.
/// `discount` is near to the exact factor.
pub fn discounted(
    model: &Model<'_>,
    reward: &[RBig],
    optimum: Optimum,
    (factor, discount): (&RBig, Discount),
    steps: Option<u64>,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let n = context.states();
    let space = scaled(context.space, discount);
    context.control.check_memory(space.bytes() + 200 * space.columns.len() as u64)?;
    let rest = RBig::ONE - factor;
    let choices = 0..context.space.num_choices();
    let of_choice = |choice| model.transitions(choice).map(|(_, p)| p * factor).chain([rest.clone()]);
    let values = choices.flat_map(of_choice).chain([RBig::ONE]).collect();
    let exact = ExactSpace { values, ..ExactSpace::default() };
    let inner = Context::new(&space, context.options, context.control);
    let focus = model.focus.map(|focus| BitSet::of(n + 1, focus.iter()));
    let whole = Model::new(&inner, &exact);
    let shortened = whole.focused(focus.as_ref());
    let reward: Vec<RBig> = reward.iter().cloned().chain([RBig::ZERO]).collect();
    let inside = BitSet::of(n + 1, 0..n);
    let (mut found, method) = match steps {
        Some(steps) => {
            let step = Step { inside: Some(&inside), reward: Some(&reward), ..Step::default() };
            let start = vec![RBig::ZERO; n + 1];
            let found = backwards(&shortened, optimum, &start, steps, step)?;
            (found, "rational arithmetic, step by step".to_string())
        }
        None => {
            let rough: Vec<f64> = reward[..reward.len() - 1].iter().map(|r| r.to_f64().value()).collect();
            let guide = guide(model, || rough_discounted(context, &rough, optimum, discount))?;
            let guide = guide.map(|values| values.into_iter().chain([0.0]).collect());
            let task = Task {
                model: &shortened,
                unknown: &inside,
                allowed: None,
                may_stop: None,
                reward: Some(&reward),
                known: &|_| RBig::ZERO,
                optimum,
                guide,
            };
            let (found, policies) = task.solve()?;
            (found, method(context.is_chain(), policies))
        }
    };
    found.truncate(n);
    Ok((found.into_iter().map(Ratio::from).collect(), method))
}
