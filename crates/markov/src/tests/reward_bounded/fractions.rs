//! Rational arithmetic: against fractions on the unfolded product.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Bound, Comparison, CostBound, Counted, FilterOp, Formula, FormulaId, Limit, Optimum, Quantile, Ratio,
    RewardId, RewardQuery, StopReason, TimeBound, Value,
};
use volvelle_reference::{self as reference, Builder, Random, numbers_of, random_rows, random_set};
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{BitSet, Kind, RewardVectors, Space};

use super::{Counter, costs, random_bound_of, unfolded, unfolded_states};
use crate::evaluate::StateValues;

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
    let left = reference::label(&mut space, "left", left.clone());
    let right = reference::label(&mut space, "right", right.clone());
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
        let mut space = reference::space(kind, &rows);
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
#[expect(
    clippy::too_many_lines,
    reason = "each case is built, answered and compared with all that is known of it"
)]
fn exact_quantiles_meet_values_of_the_curve() {
    let mut random = Random(26);
    let (mut on_the_edge, mut infinite) = (0, 0);
    for case in 0..80 {
        let kind = [Kind::Dtmc, Kind::Mdp][case % 2];
        let rows = random_rows(&mut random, 5, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = reference::space(kind, &rows);
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
        let zero = volvelle_solver::reach::prob01_until(
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
        let labelled = reference::label(&mut space, "right", right.clone());
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
                let only = reference::label(&mut space, "only", BitSet::of(5, [s]));
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

/// `R [ C… ]` in all states.
fn within(id: RewardId, bounds: &[CostBound], optimum: Optimum) -> (Builder, FormulaId) {
    let mut builder = Builder::default();
    let (all, never) = (builder.add(Formula::Bool(true)), builder.add(Formula::Bool(false)));
    let path = builder.add(Formula::BoundedUntil(all, never, bounds.to_vec()));
    let root = builder.reward(id, RewardQuery::Within(path), Some(optimum));
    (builder, root)
}

/// Rewards within budgets are total rewards of the unfolded model, where nothing is earned any more once too much is spent.
#[test]
fn budgets_agree_with_the_unfolded_model() {
    let mut random = Random(27);
    let (mut finite, mut infinite, mut different, mut narrow) = (0, 0, 0, 0);
    for case in 0..60 {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Mdp][case % 3];
        let rows = random_rows(&mut random, 5, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = reference::space(kind, &rows);
        let everywhere = BitSet::full(5);
        let (id, earned) = costs(&mut random, &mut space, 2.0);
        let several: Vec<(CostBound, Counter)> =
            (0..1 + random.below(2)).map(|_| random_bound_of(&mut random, &mut space, &[1.0, 2.0])).collect();
        let several = several.into_iter().map(|(bound, counter)| {
            // Budgets alone.
            let upper = counter.upper.or(Some((3, false)));
            let amount = RBig::from(3u8) / RBig::from(1u8);
            let limit = bound.upper.clone().unwrap_or(Limit { amount, strict: false });
            let spent = match bound.upper {
                Some(_) => counter.spent,
                // The amount is in whole units there.
                None => vec![1; counter.spent.len()],
            };
            let counted = if bound.upper.is_some() { bound.counted } else { Counted::Steps };
            (CostBound { counted, lower: None, upper: Some(limit) }, Counter { spent, lower: None, upper })
        });
        let (bounds, counters): (Vec<_>, Vec<_>) = several.unzip();
        let nowhere = BitSet::new(5);
        let (mut product, _, _) = unfolded(&space, &counters, &everywhere, &nowhere);
        let states = unfolded_states(&space, &counters);
        // A choice of the product in the order of those of the model.
        let mut rewards = Vec::new();
        for (s, spent) in &states {
            for choice in space.choices_of(*s) {
                let fits = spent
                    .iter()
                    .zip(&counters)
                    .all(|(spent, counter)| counter.admits(spent + counter.spent[choice]));
                rewards.push(if fits { earned[choice] as f64 / 2.0 } else { 0.0 });
            }
        }
        assert_eq!(rewards.len(), product.num_choices());
        product.rewards.push(RewardVectors {
            name: "earned".to_string(),
            state: None,
            choice: Some(rewards.into()),
            mixed: false,
            accuracy: Default::default(),
        });
        let mut both = vec![];
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut builder = Builder::default();
            let root = builder.reward(RewardId(0), RewardQuery::Total, Some(optimum));
            let truth = exactly(&product, builder, root).unwrap()[..5].to_vec();
            let (builder, root) = within(id, &bounds, optimum);
            let found = exactly(&space, builder, root).unwrap();
            assert_eq!(found, truth, "{case} {optimum:?}: {bounds:?}");
            let (builder, root) = within(id, &bounds, optimum);
            let (options, control) = (Options::default(), Control::unlimited());
            let property = builder.property(root);
            let states = crate::check_states(&space, &property, &[], &options, None, &control);
            let Ok(StateValues::Number(numbers)) = states else { panic!("bounds") };
            let stop = numbers.stop;
            for (value, [a, b]) in truth.iter().zip(numbers.bounds) {
                let value = value.to_f64();
                if value.is_infinite() {
                    infinite += 1;
                    assert_eq!([a, b], [value; 2], "{case} {optimum:?}");
                    continue;
                }
                finite += usize::from(value > 0.0);
                assert!(
                    a <= value * (1.0 + 1e-15) && value * (1.0 - 1e-15) <= b,
                    "{case}: {value} [{a}, {b}]"
                );
                // Rewards over many orders of magnitude may take more sweeps than there are.
                let is_narrow = b - a <= 1e-6 * b.max(1e-9);
                assert!(
                    is_narrow || stop == StopReason::IterationLimit,
                    "{case}: [{a}, {b}] is wide: {stop:?}"
                );
                narrow += usize::from(is_narrow);
            }
            both.push(truth);
        }
        different += usize::from(both[0] != both[1]);
    }
    let told = format!("{finite} {infinite} {different} {narrow}");
    assert!(finite > 100 && infinite > 20 && different > 10 && narrow > 100, "{told}");
}

/// Ratios on chains: components by reachability, averages by dense algebra.
#[test]
fn ratios_agree_with_dense_algebra() {
    let mut random = Random(28);
    let (mut finite, mut infinite, mut undefined, mut several) = (0, 0, 0, 0);
    for case in 0..300 {
        let rows = random_rows(&mut random, 6, 1);
        let mut space = reference::space(Kind::Dtmc, &rows);
        let chain: reference::Chain = (0..6).map(|s| space.transitions(s).collect()).collect();
        let draw = |random: &mut Random| -> Vec<f64> {
            let often = random.below(4);
            (0..6).map(|_| if random.below(4) < often { 0.0 } else { random.below(5) as f64 / 2.0 }).collect()
        };
        let (above, below) = (draw(&mut random), draw(&mut random));
        let [above_id, below_id] =
            [&above, &below].map(|rewards| reference::rewards(&mut space, rewards.clone()));
        let reached: Vec<BitSet> = (0..6)
            .map(|s| {
                let mut reached = BitSet::of(6, [s]);
                let mut work = vec![s];
                while let Some(s) = work.pop() {
                    work.extend(space.transitions(s).map(|(t, _)| t).filter(|&t| reached.insert(t)));
                }
                reached
            })
            .collect();
        let bottom = |s: usize| reached[s].iter().all(|t| reached[t].contains(s));
        let averages = [&above, &below].map(|rewards| reference::exact_long_run(&chain, rewards));
        let mut builder = Builder::default();
        let formula = builder.reward(above_id, RewardQuery::Ratio(below_id), None);
        for s in 0..6 {
            let mut sum = Some(Ratio::ZERO);
            let mut components: Vec<&BitSet> = vec![];
            for t in reached[s].iter().filter(|&t| bottom(t)) {
                if components.contains(&&reached[t]) {
                    continue;
                }
                components.push(&reached[t]);
                let share = reference::exact_until(&chain, &BitSet::full(6), &reached[t])[s].clone();
                let [a, b] = [&averages[0][t], &averages[1][t]];
                sum = match (sum, a.is_zero(), b.is_zero()) {
                    (None, _, _) | (_, true, true) => None,
                    (Some(_), false, true) => Some(Ratio::Infinity),
                    (Some(Ratio::Finite(sum)), _, false) => Some(Ratio::Finite(sum + share * (a / b))),
                    (sum, _, false) => sum,
                };
            }
            several += usize::from(components.len() > 1);
            let mut space = space.clone();
            let only = reference::label(&mut space, "only", BitSet::of(6, [s]));
            let mut builder = Builder(builder.0.clone());
            let states = Some(builder.label(only));
            let root = builder.add(Formula::Filter { op: FilterOp::State, formula, states });
            let property = builder.property(root);
            let (options, control) = (Options::default(), Control::unlimited());
            let exact = crate::check_exactly(&space, &numbers_of(&space), &property, &options, &control);
            let bounds = crate::check(&space, &property, &[], &options, &control);
            let Some(value) = sum else {
                undefined += 1;
                assert!(matches!(exact, Err(CheckError::Undefined { .. })), "{case} {s}: {exact:?}");
                assert!(matches!(bounds, Err(CheckError::Undefined { .. })), "{case} {s}: {bounds:?}");
                continue;
            };
            assert_eq!(exact.unwrap().exact, std::slice::from_ref(&value), "{case} {s}");
            let bounds = bounds.unwrap();
            let number = value.to_f64();
            if number.is_infinite() {
                infinite += 1;
                assert_eq!(bounds.value, Value::Number(number));
                continue;
            }
            finite += usize::from(number > 0.0);
            let [a, b] = bounds.guarantee.interval().unwrap_or([number; 2]);
            assert!(
                a <= number * (1.0 + 1e-15) && number * (1.0 - 1e-15) <= b,
                "{case} {s}: {number} [{a}, {b}]"
            );
            assert!(b - a <= 1e-6 * b.max(1e-9), "{case} {s}: [{a}, {b}] is wide");
        }
    }
    assert!(
        finite > 300 && infinite > 100 && undefined > 50 && several > 20,
        "{finite} {infinite} {undefined} {several}"
    );
}
