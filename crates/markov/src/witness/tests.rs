use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Bound, Comparison, Formula, LabelId, Optimum, Property, Query, RewardId, RewardQuery, TimeBound, Value,
};
use volvelle_objectives::scheduler::Scheduler;
use volvelle_reference::*;
use volvelle_space::{BitSet, Kind, Space};

use super::*;
use crate::evaluate::check;

fn look(space: &Space, property: &Property, wanted: WitnessRequest) -> Witness {
    witness(space, property, &[], wanted, &Options::default(), &Control::unlimited()).unwrap()
}

fn best_scheduler(space: &Space, property: &Property) -> Scheduler {
    let (options, control) = (Options::default(), Control::unlimited());
    let objective = objective(space, property, &[], &options, &control).unwrap();
    optimal(&Context::new(space, options, &control), &objective).unwrap()
}

const WITNESS: WitnessRequest = WitnessRequest { scheduler: false, witness: true, further: 0 };

/// Random rows with many ties: end components, equal choices, deterministic steps.
fn tied_rows(random: &mut Random, states: usize) -> Rows {
    let mut rows = random_rows(random, states, 3);
    for (s, choices) in rows.iter_mut().enumerate() {
        if random.one_in(2) {
            choices.push(vec![(random.below(states), 1.0)]);
        }
        if random.one_in(3) {
            choices.push(vec![(s, 0.5), (random.below(states), 0.5)]);
        }
        choices.truncate(3);
    }
    rows
}

fn reach(optimum: Optimum) -> Property {
    let mut b = Builder::default();
    let (target, allowed) = (b.label(LabelId(0)), b.label(LabelId(1)));
    let path = b.add(Formula::Until(allowed, target, TimeBound::NONE));
    let p = b.probability(path, Some(optimum));
    b.property(p)
}

fn pay(optimum: Optimum) -> Property {
    let mut b = Builder::default();
    let target = b.label(LabelId(0));
    let path = b.finally(target, TimeBound::NONE);
    let r = b.reward(RewardId(0), RewardQuery::Reach(path), Some(optimum));
    b.property(r)
}

/// The chain of a scheduler.
fn chain_of(space: &Space, choices: &[u32]) -> Chain {
    choices.iter().map(|&c| space.transitions(c as usize).collect()).collect()
}

/// Asserts that a value is the optimum up to a relative error.
fn assert_optimal(value: &Option<RBig>, best: &Option<RBig>, what: &str) {
    let (Some(value), Some(best)) = (value, best) else {
        assert_eq!(value.is_none(), best.is_none(), "{what}: infinite or not");
        return;
    };
    let (value, best) = (value.to_f64().value(), best.to_f64().value());
    assert!((value - best).abs() <= 5e-6 * best, "{what}: {value:e} instead of {best:e}");
}

fn random_model(random: &mut Random) -> Space {
    let n = 2 + random.below(6);
    let mut space = space(Kind::Mdp, &tied_rows(random, n));
    let (target, allowed) = (random_set(random, n, 4), random_set(random, n, 5).complement());
    label(&mut space, "target", target);
    label(&mut space, "allowed", allowed);
    // Many zeros: end components in which waiting costs nothing.
    rewards(
        &mut space,
        (0..n).map(|_| if random.one_in(3) { random.below(4) as f64 } else { 0.0 }).collect(),
    );
    space
}

#[test]
fn schedulers_are_optimal_in_every_state() {
    let mut random = Random(91);
    for _ in 0..400 {
        let space = random_model(&mut random);
        let n = space.num_states();
        let (target, allowed) = (space.labels[0].1.clone(), space.labels[1].1.clone());
        let state_rewards = space.rewards[0].state.as_ref().unwrap().to_vec();
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut best: Vec<Vec<Option<RBig>>> = Vec::new();
            for (chain, _) in policies(&space) {
                let probability = exact_until(&chain, &allowed, &target).into_iter().map(Some).collect();
                for (i, values) in
                    [probability, exact_reward(&chain, &state_rewards, &target)].into_iter().enumerate()
                {
                    match best.get_mut(i) {
                        None => best.push(values),
                        Some(best) => {
                            for (b, v) in best.iter_mut().zip(values) {
                                *b = pick(optimum, b.take(), v);
                            }
                        }
                    }
                }
            }
            for (i, property) in [reach(optimum), pay(optimum)].iter().enumerate() {
                let scheduler = best_scheduler(&space, property);
                let chain = chain_of(&space, &scheduler.choices);
                for s in 0..n {
                    assert!(space.choices_of(s).contains(&(scheduler.choices[s] as usize)));
                }
                let values: Vec<Option<RBig>> = if i == 0 {
                    exact_until(&chain, &allowed, &target).into_iter().map(Some).collect()
                } else {
                    exact_reward(&chain, &state_rewards, &target)
                };
                for s in 0..n {
                    let what = format!("{optimum:?} {i} state {s} of {space:?}: {:?}", scheduler.choices);
                    assert_optimal(&values[s], &best[i][s], &what);
                    assert_encloses(
                        scheduler.value[s],
                        &values[s],
                        1e-5,
                        volvelle_logic::StopReason::Computed,
                        &what,
                    );
                }
            }
        }
    }
}

#[test]
fn waiting_for_nothing_is_no_way_to_arrive() {
    // In 0 and 1 one can wander for ever at no cost; arriving costs 2.
    let mut space = parse(
        Kind::Mdp,
        "0: 1:1
         0: 1:2
         1: 1:0
         1: 1:1
         2: 1:3
         3: 1:3",
    );
    let mut target = BitSet::new(4);
    target.insert(3);
    label(&mut space, "target", target);
    label(&mut space, "allowed", BitSet::full(4));
    rewards(&mut space, vec![0.0, 0.0, 2.0, 0.0]);
    let scheduler = best_scheduler(&space, &pay(Optimum::Min));
    assert_eq!(scheduler.choices, [1, 2, 4, 5]);
    let scheduler = best_scheduler(&space, &reach(Optimum::Max));
    assert_eq!(scheduler.choices, [1, 2, 4, 5]);
    let scheduler = best_scheduler(&space, &reach(Optimum::Min));
    assert_eq!(scheduler.value[0], [0.0; 2]);
    let scheduler = best_scheduler(&space, &pay(Optimum::Max));
    assert_eq!(scheduler.value[0], [f64::INFINITY; 2]);
}

/// The best probability of a path to the target in at most n steps, by value iteration over products.
fn best_path(chain: &Chain, via: &BitSet, target: &BitSet) -> Vec<RBig> {
    let n = chain.len();
    let mut value: Vec<RBig> =
        (0..n).map(|s| if target.contains(s) { RBig::ONE } else { RBig::ZERO }).collect();
    for _ in 0..n {
        let next = (0..n).map(|s| {
            let on = chain[s].iter().map(|&(t, v)| exact(v) * &value[t]).max().unwrap_or(RBig::ZERO);
            if via.contains(s) { on.max(value[s].clone()) } else { value[s].clone() }
        });
        value = next.collect();
    }
    value
}

#[test]
fn paths_are_the_most_probable() {
    let mut random = Random(92);
    let mut found = 0;
    for round in 0..400 {
        let kind = if round % 2 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let n = 2 + random.below(10);
        let mut space = space(kind, &random_rows(&mut random, n, if kind == Kind::Mdp { 3 } else { 1 }));
        let (target, allowed) = (random_set(&mut random, n, 4), random_set(&mut random, n, 5).complement());
        label(&mut space, "target", target.clone());
        label(&mut space, "allowed", allowed.clone());
        let result =
            look(&space, &reach(Optimum::Max), WitnessRequest { scheduler: true, witness: true, further: 0 });
        let chain: Chain = match &result.strategy {
            Some(found) => chain_of(&space, found.strategy.choices().unwrap()),
            None => (0..n).map(|s| space.transitions(s).collect()).collect(),
        };
        let mut via = allowed.clone();
        via.subtract(&target);
        let best = best_path(&chain, &via, &target)[0].clone();
        let Some(path) = result.path else {
            assert_eq!(best, RBig::ZERO);
            continue;
        };
        found += 1;
        let mut product = RBig::ONE;
        for pair in path.steps.windows(2) {
            let (from, to) = (pair[0].state as usize, pair[1].state as usize);
            assert!(via.contains(from));
            assert!(space.choices_of(from).contains(&(pair[0].choice.unwrap() as usize)));
            let value = chain[from].iter().find(|e| e.0 == to).unwrap().1;
            assert_eq!(value, pair[0].probability);
            product *= exact(value);
        }
        assert_eq!(path.steps[0].state, 0);
        assert!(target.contains(path.steps[path.steps.len() - 1].state as usize));
        let (product, best) = (product.to_f64().value(), best.to_f64().value());
        assert!((product - best).abs() <= 1e-12 * best && (path.probability - best).abs() <= 1e-12 * best);
        assert!((path.log10 - best.log10()).abs() < 1e-9);
    }
    assert!(found > 150, "{found}");
}

#[test]
fn a_long_path_does_not_underflow() {
    let n = 3001;
    let rows: Rows = (0..n)
        .map(|s| if s + 1 == n { vec![vec![(s, 1.0)]] } else { vec![vec![(s + 1, 0.25), (0, 0.75)]] })
        .collect();
    let mut space = space(Kind::Dtmc, &rows);
    let mut target = BitSet::new(n);
    target.insert(n - 1);
    label(&mut space, "target", target);
    label(&mut space, "allowed", BitSet::full(n));
    let path = look(&space, &reach(Optimum::Max), WITNESS).path.unwrap();
    assert_eq!(path.steps.len(), n);
    assert_eq!(path.probability, 0.0);
    assert!((path.log10 - 3000.0 * 0.25f64.log10()).abs() < 1e-6, "{}", path.log10);
}

fn bounded(comparison: Comparison, threshold: f64, globally: bool) -> Property {
    let mut b = Builder::default();
    let target = b.label(LabelId(0));
    let path = if globally {
        let (not, never) = (b.add(Formula::Not(target)), b.add(Formula::Bool(false)));
        b.add(Formula::WeakUntil(not, never, TimeBound::NONE))
    } else {
        b.finally(target, TimeBound::NONE)
    };
    let query = Query::Bound(Bound { comparison, threshold });
    let p = b.add(Formula::Prob { optimum: None, query, path });
    b.property(p)
}

#[test]
fn subsystems_exceed_the_bound() {
    let mut random = Random(93);
    let (mut found, mut smaller) = (0, 0);
    for round in 0..600 {
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][round % 3];
        let n = 4 + random.below(12);
        let mut space = space(kind, &random_rows(&mut random, n, if kind == Kind::Mdp { 3 } else { 1 }));
        let target = random_set(&mut random, n, 5);
        label(&mut space, "target", target.clone());
        let threshold = [0.0, 0.1, 0.3, 0.5, 0.9][random.below(5)];
        let globally = random.one_in(2);
        let property = match globally {
            false => bounded(Comparison::Le, threshold, false),
            true => bounded(Comparison::Ge, 1.0 - threshold, true),
        };
        let answer = check(&space, &property, &[], &Options::default(), &Control::unlimited());
        let Ok(answer) = answer else { continue };
        let result = look(&space, &property, WitnessRequest { scheduler: true, witness: true, further: 0 });
        if answer.value == Value::Bool(true) {
            assert_eq!(result.subsystem, None, "{space:?} {property:?}");
            continue;
        }
        let subsystem = result.subsystem.expect("a bound that is exceeded");
        found += 1;
        smaller += usize::from(subsystem.states.len() < n);
        // The truth: a chain in which runs that leave the subsystem stay outside.
        let chain: Chain = (0..n)
            .map(|s| {
                let strategy = result.strategy.as_ref().map(|found| &found.strategy);
                let choice = strategy.map_or(s, |found| found.choices().unwrap()[s] as usize);
                let total: f64 = space.transitions(choice).map(|e| e.1).sum();
                assert_eq!(total, 1.0);
                space.transitions(choice).collect()
            })
            .collect();
        let inside = BitSet::of(n, subsystem.states.iter().map(|&s| s as usize));
        let mut reached = target.clone();
        reached.intersect(&inside);
        let truth = Some(exact_until(&chain, &inside, &reached)[0].clone());
        assert!(truth.as_ref().is_some_and(|t| *t > exact(threshold)));
        assert_encloses(subsystem.bounds, &truth, 1e-5, volvelle_logic::StopReason::Computed, "subsystem");
        assert!(inside.contains(0));
    }
    assert!(found > 100 && smaller * 2 > found, "{found} {smaller}");
}

#[test]
fn refusals_say_why() {
    let space = random_model(&mut Random(94));
    let ask = |space: &Space, property: &Property, wanted| {
        witness(space, property, &[], wanted, &Options::default(), &Control::unlimited()).unwrap_err()
    };
    let mut b = Builder::default();
    let target = b.label(LabelId(0));
    let path = b.finally(target, within(0.0, Some(3.0)));
    let p = b.probability(path, Some(Optimum::Max));
    assert_eq!(ask(&space, &b.property(p), WITNESS), NoWitness::NeedsCounter.into());
    let mut b = Builder::default();
    let target = b.label(LabelId(0));
    let inner = b.finally(target, TimeBound::NONE);
    let never = b.add(Formula::Bool(false));
    let path = b.add(Formula::WeakUntil(inner, never, TimeBound::NONE));
    let p = b.probability(path, Some(Optimum::Max));
    assert_eq!(ask(&space, &b.property(p), WITNESS), NoWitness::NeedsMemory.into());
    let mut b = Builder::default();
    let r = b.reward(RewardId(0), RewardQuery::LongRun, Some(Optimum::Max));
    assert_eq!(ask(&space, &b.property(r), WITNESS), NoWitness::NotReachability.into());
    let rows: Rows = vec![vec![vec![(0, 1.0)]]];
    let mut chain = volvelle_reference::space(Kind::Dtmc, &rows);
    label(&mut chain, "target", BitSet::new(1));
    label(&mut chain, "allowed", BitSet::new(1));
    let wanted = WitnessRequest { scheduler: true, witness: false, further: 0 };
    assert_eq!(ask(&chain, &reach(Optimum::Max), wanted), NoWitness::NoChoices(Kind::Dtmc).into());
    assert_eq!(look(&chain, &reach(Optimum::Max), WITNESS).path, None);
}
