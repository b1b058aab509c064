//! Elimination, steady states and choices against the oracle.

use super::oracle::{Leaving, long_run, outcome, random_system, reached, resolutions, ways};
use super::{encloses, lts};
use crate::kinds::counted;
use crate::{Chain, Choices, Measured, Options, Problem, Target, Wanted};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::Lts;

fn double(value: &RBig) -> f64 {
    value.to_f64().value()
}

/// Sums of counts by action.
fn by_action(lts: &Lts, counts: &[RBig], action: &str) -> RBig {
    let labels = lts.labels.texts().iter().zip(counts);
    let labels = labels.filter(|(text, _)| counted(text) == Some(action));
    labels.fold(RBig::ZERO, |sum, (_, count)| sum + count)
}

fn only_way(ways: &[Vec<Leaving>]) -> Vec<Leaving> {
    ways.iter().map(|ways| ways[0].clone()).collect()
}

#[test]
fn steady_states_of_chains() {
    let (mut random, control) = (Random(11), Control::unlimited());
    let (mut solved, mut stuck, mut reducible, mut drawn) = (0, 0, 0, 0);
    for case in 0..1500 {
        let lts = random_system(&mut random, 0);
        let labels = lts.labels.len();
        let all = only_way(&ways(&lts));
        let chain = Chain::from_lts(&lts, &Options::default(), &control);
        let oracle = long_run(&all, 0, labels);
        let seen = reached(&all, 0);
        let is_stuck = (0..all.len()).any(|s| seen[s] && outcome(&all, labels, s as u32).is_none());
        let chain = match chain {
            Ok(chain) => chain,
            Err(Problem::Zeno { state, trace, cycle }) => {
                assert!(is_stuck, "case {case}");
                assert_eq!(trace.steps.last().map_or(0, |step| step.1), state);
                assert_eq!(cycle.steps.last().map(|step| step.1), Some(state));
                stuck += 1;
                continue;
            }
            Err(other) => panic!("case {case}: {other}"),
        };
        assert!(!is_stuck, "case {case}");
        let (times, counts) = oracle.unwrap();
        let steady = chain.steady(Wanted::States, &control).unwrap();
        let probabilities = steady.probabilities.as_ref().unwrap();
        for (&state, &bounds) in chain.tangible().iter().zip(probabilities) {
            assert!(encloses(bounds, double(&times[state as usize])), "case {case}: {bounds:?}");
        }
        for amount in &steady.throughputs {
            let value = double(&by_action(&lts, &counts, &amount.action));
            assert!(
                encloses(amount.bounds, value),
                "case {case}, {}: {:?} {value}",
                amount.action,
                amount.bounds
            );
        }
        let sum = steady.components.iter().fold(0.0, |sum, c| sum + crate::middle(c.probability));
        assert!((sum - 1.0).abs() < 1e-9);
        solved += 1;
        reducible += usize::from(steady.components.len() > 1);
        drawn += usize::from(chain.generator("").unwrap().start.is_some());
    }
    assert!(
        solved > 600 && stuck > 100 && reducible > 30 && drawn > 20,
        "{solved} {stuck} {reducible} {drawn}"
    );
}

/// Whether all resolutions without endless immediate steps have the same outcomes, from all reached states.
/// `None` if every resolution may have endless immediate steps, or if there are too many.
fn is_spurious(lts: &Lts, measured: &dyn Fn(&str) -> bool) -> Option<(bool, Vec<Vec<Leaving>>)> {
    let all = ways(lts);
    let labels = lts.labels.len();
    let resolutions = resolutions(&all, 200)?;
    let seen = reached(resolutions.last()?, 0);
    let mut is_same = true;
    for state in (0..all.len()).filter(|&s| seen[s]) {
        // A state that every resolution keeps from passing time is stuck.
        outcome(resolutions.last()?, labels, state as u32)?;
        let outcomes = resolutions.iter().filter_map(|chain| outcome(chain, labels, state as u32));
        let shown = outcomes.map(|outcome| {
            let counts = &outcome[all.len()..];
            let mut names: Vec<&str> = lts.labels.texts().iter().filter_map(|text| counted(text)).collect();
            names.sort_unstable();
            names.dedup();
            let names = names.into_iter().filter(|name| measured(name));
            let counts: Vec<RBig> = names.map(|name| by_action(lts, counts, name)).collect();
            (outcome[..all.len()].to_vec(), counts)
        });
        let shown: Vec<_> = shown.collect();
        is_same &= shown.windows(2).all(|pair| pair[0] == pair[1]);
    }
    Some((is_same, resolutions))
}

#[test]
fn choices_are_accepted_exactly_where_they_do_not_matter() {
    let (mut random, control) = (Random(23), Control::unlimited());
    let (mut spurious, mut real, mut stuck) = (0, 0, 0);
    for case in 0..3000 {
        let lts = random_system(&mut random, 35);
        let has_choices = ways(&lts).iter().any(|ways| ways.len() > 1);
        let measures_all = random.one_in(2);
        let measured = if measures_all { Measured::All } else { Measured::Only(Vec::new()) };
        let options = Options { measured, ..Options::default() };
        let Some((is_same, resolutions)) = is_spurious(&lts, &|_| measures_all) else {
            let found = Chain::from_lts(&lts, &options, &control);
            stuck += usize::from(matches!(found, Err(Problem::Zeno { .. })));
            continue;
        };
        match Chain::from_lts(&lts, &options, &control) {
            Ok(chain) => {
                assert!(is_same, "case {case}");
                spurious += usize::from(has_choices);
                let steady = chain.steady(Wanted::Throughputs, &control).unwrap();
                for resolution in &resolutions {
                    let Some((_, counts)) = long_run(resolution, 0, lts.labels.len()) else { continue };
                    for amount in &steady.throughputs {
                        let value = double(&by_action(&lts, &counts, &amount.action));
                        assert!(encloses(amount.bounds, value), "case {case}");
                    }
                }
            }
            Err(Problem::Nondeterministic { state, trace, alternatives }) => {
                assert!(!is_same, "case {case}");
                assert!(alternatives.len() > 1);
                assert_eq!(trace.steps.last().map_or(0, |step| step.1), state);
                real += 1;
            }
            Err(other) => panic!("case {case}: {other}"),
        }
    }
    assert!(spurious > 100 && real > 500 && stuck > 50, "{spurious} {real} {stuck}");
}

#[test]
fn extremes_enclose_all_resolutions_and_are_attained() {
    let (mut random, control) = (Random(5), Control::unlimited());
    let (mut open, mut attained) = (0, 0);
    for case in 0..1200 {
        let lts = random_system(&mut random, 25);
        let options = Options { choices: Choices::Keep, ..Options::default() };
        let Some((_, resolutions)) = is_spurious(&lts, &|_| true) else { continue };
        let chain = match Chain::from_lts(&lts, &options, &control) {
            Ok(chain) => chain,
            Err(Problem::ChoiceOnCycle { .. }) => continue,
            Err(other) => panic!("case {case}: {other}"),
        };
        let found = chain.throughput_extremes(&control).unwrap();
        for (action, extremes) in &found.throughputs {
            let values =
                resolutions.iter().filter_map(|resolution| long_run(resolution, 0, lts.labels.len()));
            let values: Vec<f64> =
                values.map(|(_, counts)| double(&by_action(&lts, &counts, action))).collect();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(0.0, f64::max);
            let slack = 1e-5 * most.max(1e-3);
            let holds = |bounds: [f64; 2], value: f64| {
                bounds[0] <= value * (1.0 + 1e-14)
                    && value * (1.0 - 1e-14) <= bounds[1]
                    && bounds[1] - bounds[0] <= slack
            };
            assert!(holds(extremes.least, least), "case {case}, {action}: {:?} {least}", extremes.least);
            assert!(holds(extremes.greatest, most), "case {case}, {action}: {:?} {most}", extremes.greatest);
            attained += usize::from(most > least);
        }
        open += usize::from(chain.has_choices());
    }
    assert!(open > 80 && attained > 100, "{open} {attained}");
}

#[test]
fn passages_over_schedulers() {
    // From 0 a delay of mean one leads to a choice: a delay of mean 1/2 to the target, or one of mean 1/5, after which it
    // starts again with probability 3/4.
    let lts = lts(
        6,
        &[
            (0, "rate 1", 1),
            (1, "i", 2),
            (1, "i", 3),
            (2, "done; rate 2", 5),
            (3, "rate 5", 4),
            (4, "prob 3/4", 0),
            (4, "done; prob 1/4", 5),
        ],
    );
    let control = Control::unlimited();
    let options = Options { choices: Choices::Keep, ..Options::default() };
    let chain = Chain::from_lts(&lts, &options, &control).unwrap();
    let target = Target { actions: vec!["done".to_owned()], ..Target::default() };
    let found = chain.passage_extremes(&target, &[], &control).unwrap();
    let near = |bounds: [f64; 2], value: f64| {
        bounds[0] <= value && value <= bounds[1] && bounds[1] - bounds[0] < 1e-5
    };
    assert!(near(found.mean.least, 1.5) && near(found.mean.greatest, 4.8), "{found:?}");
    assert_eq!((found.ever.least, found.ever.greatest), ([1.0; 2], [1.0; 2]));
    assert!(matches!(
        chain.first_passage(&target, &[], &control),
        Err(Problem::Nondeterministic { state: 1, .. })
    ));
    assert!(matches!(chain.steady(Wanted::States, &control), Err(Problem::NeedsResolution { .. })));
    // What is not measured may differ; where a passage ends may not.
    let target = Target { states: vec![2, 3], ..Target::default() };
    let passage = chain.first_passage(&target, &[1.0], &control).unwrap();
    assert!(encloses(passage.mean, 1.0), "{passage:?}");
    assert!(near(passage.within[0], 1.0 - (-1.0f64).exp()));
}
