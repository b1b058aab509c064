//! Rational arithmetic: against fractions on the unfolded product.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Bound, Comparison, CostBound, Counted, FilterOp, Formula, FormulaId, Limit, Optimum, Quantile, Ratio,
    TimeBound,
};
use volvelle_space::{BitSet, Kind, Space};

use super::{Counter, costs, random_bound_of, unfolded};
use crate::context::Context;
use crate::error::CheckError;
use crate::exact::tests::numbers_of;
use crate::options::Options;
use crate::testing::{self, Builder, Random, random_rows, random_set};

/// The exact values of a formula in all states.
fn exactly(space: &Space, mut builder: Builder, formula: FormulaId) -> Result<Vec<Ratio>, CheckError> {
    let root = builder.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None });
    let exact = numbers_of(space);
    let (options, control) = (Options::default(), Control::unlimited());
    Ok(crate::check_exactly(space, &exact, &builder.property(root), &options, &control)?.exact)
}

/// The exact probabilities of an until, with labels for its sides.
fn exact_probability(
    space: &Space,
    (left, right): (&BitSet, &BitSet),
    bounds: Option<&[CostBound]>,
    optimum: Optimum,
) -> Vec<Ratio> {
    let mut space = space.clone();
    let left = testing::label(&mut space, "left", left.clone());
    let right = testing::label(&mut space, "right", right.clone());
    let mut builder = Builder::default();
    let (left, right) = (builder.label(left), builder.label(right));
    let path = builder.add(match bounds {
        Some(bounds) => Formula::BoundedUntil(left, right, bounds.to_vec()),
        None => Formula::Until(left, right, TimeBound::NONE),
    });
    let root = builder.probability(path, Some(optimum));
    exactly(&space, builder, root).unwrap()
}

#[test]
fn fractions_agree_with_fractions_on_the_unfolded_model() {
    let mut random = Random(25);
    let mut between = 0;
    for case in 0..90 {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Mdp][case % 3];
        let rows = random_rows(&mut random, 6, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = testing::space(kind, &rows);
        let (left, right) = (random_set(&mut random, 6, 3).complement(), random_set(&mut random, 6, 4));
        // Rewards of whole numbers and halves are what they are in floating point.
        let several: Vec<(CostBound, Counter)> =
            (0..1 + random.below(2)).map(|_| random_bound_of(&mut random, &mut space, &[1.0, 2.0])).collect();
        let (bounds, counters): (Vec<_>, Vec<_>) = several.into_iter().unzip();
        let (product, to_pass, to_reach) = unfolded(&space, &counters, &left, &right);
        for optimum in [Optimum::Min, Optimum::Max] {
            let truth = exact_probability(&product, (&to_pass, &to_reach), None, optimum);
            let found = exact_probability(&space, (&left, &right), Some(&bounds), optimum);
            assert_eq!(found, truth[..6], "{case} {optimum:?}");
            between += found.iter().filter(|&v| *v != Ratio::ZERO && v.to_f64() != 1.0).count();
        }
    }
    assert!(between > 60, "{between}");
}

/// Thresholds that are values of the probability itself, which bounds cannot decide.
#[test]
fn exact_quantiles_meet_values_of_the_curve() {
    let mut random = Random(26);
    let (mut on_the_edge, mut infinite) = (0, 0);
    for case in 0..80 {
        let kind = [Kind::Dtmc, Kind::Mdp][case % 2];
        let rows = random_rows(&mut random, 5, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = testing::space(kind, &rows);
        let (left, right) = (BitSet::full(5), random_set(&mut random, 5, 3));
        let (id, spent) = costs(&mut random, &mut space, 2.0);
        let upper = random.chance(60);
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        // Amounts in halves: 0 to 4.
        let amounts = 9;
        let curve: Vec<Vec<Ratio>> = (0..amounts)
            .map(|amount| {
                let end = Some((amount, false));
                let (lower, upper) = if upper { (None, end) } else { (end, None) };
                let counter = Counter { spent: spent.clone(), lower, upper };
                let (product, to_pass, to_reach) = unfolded(&space, &[counter], &left, &right);
                exact_probability(&product, (&to_pass, &to_reach), None, optimum)[..5].to_vec()
            })
            .collect();
        // Amounts are multiples of a unit.
        let zero = crate::reach::prob01_until(
            &Context::new(&space, Options::default(), &Control::unlimited()),
            &left,
            &right,
            if kind == Kind::Dtmc { Optimum::Max } else { optimum },
        );
        let spending = (0..5).filter(|&s| !zero.zero.contains(s)).flat_map(|s| space.choices_of(s));
        let unit = match spending.map(|choice| spent[choice] as usize).fold(0, greatest_common_divisor) {
            0 => 2,
            unit => unit,
        };
        let labelled = testing::label(&mut space, "right", right.clone());
        for s in 0..5 {
            let Ratio::Finite(threshold) = curve[4][s].clone() else { panic!("a probability") };
            if threshold == RBig::ONE {
                continue;
            }
            for comparison in [Comparison::Ge, Comparison::Gt, Comparison::Le, Comparison::Lt] {
                let at_least = matches!(comparison, Comparison::Ge | Comparison::Gt);
                let from = at_least == upper;
                let end = Some(Limit { amount: RBig::ZERO, strict: false });
                let (lower_end, upper_end) = if upper { (None, end) } else { (end, None) };
                let mut builder = Builder::default();
                let (left_id, right_id) = (builder.add(Formula::Bool(true)), builder.label(labelled));
                let bound = Bound { comparison, threshold: threshold.to_f64().value() };
                let formula = builder.add(Formula::Quantile(Box::new(Quantile {
                    optimum: Some(optimum),
                    bound,
                    left: left_id,
                    right: right_id,
                    bounds: vec![CostBound {
                        counted: Counted::Reward(id),
                        lower: lower_end,
                        upper: upper_end,
                    }],
                    open: 0,
                    upper,
                })));
                builder.0.set_exact(formula, Some(threshold.clone()));
                let only = testing::label(&mut space, "only", BitSet::of(5, [s]));
                let only = builder.label(only);
                let root = builder.add(Formula::Filter { op: FilterOp::State, formula, states: Some(only) });
                let exact = numbers_of(&space);
                let (options, control) = (Options::default(), Control::unlimited());
                let found = crate::check_exactly(&space, &exact, &builder.property(root), &options, &control);
                let holds: Vec<bool> = curve
                    .iter()
                    .map(|values| {
                        let order = values[s].cmp(&Ratio::Finite(threshold.clone()));
                        match comparison {
                            Comparison::Ge => order.is_ge(),
                            Comparison::Gt => order.is_gt(),
                            Comparison::Le => order.is_le(),
                            Comparison::Lt => order.is_lt(),
                        }
                    })
                    .collect();
                let what = format!("{case} {s} {comparison:?} {upper} {optimum:?}: {found:?} {holds:?}");
                let value = match found {
                    Ok(answer) => answer.exact[0].clone(),
                    Err(CheckError::NoAmount { .. }) => {
                        assert!(!from && !holds[0], "{what}");
                        continue;
                    }
                    Err(error) => panic!("{what}: {error}"),
                };
                match (value, from) {
                    (Ratio::Finite(amount), _) => {
                        let halves = (amount * RBig::from(2u8)).to_f64().value() as usize;
                        assert_eq!(halves % unit, 0, "{what}");
                        // Up to here, and from the next amount on.
                        let last = if from { halves.checked_sub(unit) } else { Some(halves) };
                        let next = last.map_or(0, |last| last + unit);
                        assert!(
                            last.is_none_or(|last| holds.get(last).is_none_or(|&holds| holds != from)),
                            "{what}"
                        );
                        assert!(holds.get(next).is_none_or(|&holds| holds == from), "{what}");
                        on_the_edge += 1;
                    }
                    (_, _) => {
                        infinite += 1;
                        assert!(holds.iter().all(|holds| *holds != from), "{what}");
                    }
                }
            }
        }
    }
    assert!(on_the_edge > 200 && infinite > 100, "{on_the_edge} {infinite}");
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
