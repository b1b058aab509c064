//! Deadlocks, cycles of immediate steps, sums of probabilities; times and derivatives against slow computations.

use super::oracle::{Leaving, long_run, random_system, reached, ways};
use super::{encloses, lts};
use crate::kinds::counted;
use crate::{Chain, Occurrences, Options, Parameter, Problem, Target, Wanted, middle};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::Lts;

fn chain<'a>(lts: &'a Lts) -> Result<Chain<'a>, Problem> {
    Chain::from_lts(lts, &Options::default(), &Control::unlimited())
}

#[test]
fn deadlocks_absorb() {
    let lts = lts(4, &[(0, "a; rate 1", 1), (0, "b; rate 3", 2), (2, "go", 3), (3, "c; rate 5", 3)]);
    let control = Control::unlimited();
    let chain = chain(&lts).unwrap();
    let steady = chain.steady(Wanted::States, &control).unwrap();
    assert_eq!(chain.tangible(), [0, 1, 3]);
    let probabilities = steady.probabilities.as_ref().unwrap();
    assert!(
        probabilities[0] == [0.0; 2] && encloses(probabilities[1], 0.25) && encloses(probabilities[2], 0.75)
    );
    assert!(encloses(steady.throughput("c").unwrap(), 3.75));
    assert_eq!(steady.throughput("go"), Some([0.0; 2]));
    let members: Vec<&[u32]> = steady.components.iter().map(|c| &c.members[..]).collect();
    assert_eq!(members, [[1], [2]]);
    assert!(encloses(steady.components[0].probability, 0.25));
    let target = Target { actions: vec!["go".to_owned()], ..Target::default() };
    let passage = chain.first_passage(&target, &[0.5], &control).unwrap();
    assert_eq!(passage.mean, [f64::INFINITY; 2]);
    assert!((middle(passage.ever) - 0.75).abs() < 1e-6);
    assert!((middle(passage.within[0]) - 0.75 * (1.0 - (-2.0f64).exp())).abs() < 1e-6);
    let (space, exact) = chain.space().unwrap();
    assert!(space.deadlocks.contains(1) && space.deadlocks.count() == 1);
    assert_eq!(exact.values.len(), space.num_transitions());
}

#[test]
fn time_must_pass() {
    let stuck = lts(4, &[(0, "a; rate 1", 1), (1, "go", 2), (2, "i", 3), (3, "back", 2)]);
    let Err(Problem::Zeno { state, trace, cycle }) = chain(&stuck) else { panic!("a cycle without exit") };
    let texts = |steps: &[(u32, u32)]| -> Vec<String> {
        steps.iter().map(|step| stuck.labels.text(step.0).to_owned()).collect()
    };
    assert_eq!(
        (state, texts(&trace.steps), texts(&cycle.steps)),
        (2, vec!["a; rate 1".to_owned(), "go".to_owned()], vec!["i".to_owned(), "back".to_owned()],)
    );
    // A cycle that is left with some probability: `go` happens twice as often as `done`, then `done` once.
    let left = lts(3, &[(0, "a; rate 2", 1), (1, "go", 2), (2, "prob 1/2", 1), (2, "done; prob 1/2", 0)]);
    let steady = chain(&left).unwrap().steady(Wanted::States, &Control::unlimited()).unwrap();
    assert!(
        encloses(steady.throughput("go").unwrap(), 4.0) && encloses(steady.throughput("done").unwrap(), 2.0)
    );
    // Internal steps in a circle that may be left are left; visible ones could happen any number of times.
    let internal = lts(3, &[(0, "rate 1", 1), (1, "i", 2), (2, "i", 1), (2, "go", 0)]);
    assert!(encloses(
        chain(&internal)
            .unwrap()
            .steady(Wanted::States, &Control::unlimited())
            .unwrap()
            .throughput("go")
            .unwrap(),
        1.0
    ));
    let visible = lts(3, &[(0, "rate 1", 1), (1, "i", 2), (2, "again", 1), (2, "go", 0)]);
    assert!(matches!(chain(&visible), Err(Problem::Nondeterministic { state: 2, .. })));
}

#[test]
fn probabilities_of_a_state() {
    let too_much = lts(2, &[(0, "rate 1", 1), (1, "prob 0.6", 0), (1, "prob 1/2", 0)]);
    assert!(matches!(chain(&too_much), Err(Problem::ProbabilitySum { state: 1, .. })));
    let less = lts(2, &[(0, "rate 1", 1), (1, "a; prob 0.1", 0), (1, "b; prob 0.3", 0)]);
    let steady = chain(&less).unwrap().steady(Wanted::States, &Control::unlimited()).unwrap();
    assert!(
        encloses(steady.throughput("a").unwrap(), 0.25) && encloses(steady.throughput("b").unwrap(), 0.75)
    );
}

/// The generator over all tangible states by dense elimination, and rates of actions; from [`ways`].
fn dense(chain: &[Leaving], labels: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let n = chain.len();
    let mut q = vec![vec![0.0; n]; n];
    let mut rewards = vec![vec![0.0; labels]; n];
    for (s, way) in chain.iter().enumerate() {
        let Some(rate) = &way.rate else { continue };
        for (p, label, target) in &way.steps {
            let rate = (rate * p).to_f64().value();
            rewards[s][*label as usize] += rate;
            q[s][s] -= rate;
            let outcome = super::oracle::outcome(chain, labels, *target).unwrap();
            for t in 0..n {
                q[s][t] += rate * outcome[t].to_f64().value();
            }
            for label in 0..labels {
                rewards[s][label] += rate * outcome[n + label].to_f64().value();
            }
        }
    }
    (q, rewards)
}

/// The distribution after a time, and the time spent in each state until then: many small steps of a Taylor series.
fn forward(q: &[Vec<f64>], start: &[f64], time: f64) -> (Vec<f64>, Vec<f64>) {
    let n = q.len();
    let steps = 200;
    let h = time / f64::from(steps);
    let (mut now, mut spent) = (start.to_vec(), vec![0.0; n]);
    for _ in 0..steps {
        let (mut term, mut next) = (now.clone(), now.clone());
        for k in 1..30 {
            (0..n).for_each(|s| spent[s] += term[s] * h / f64::from(k));
            let derived = |t: usize| (0..n).map(|s| term[s] * q[s][t]).sum::<f64>();
            term = (0..n).map(|t| derived(t) * h / f64::from(k)).collect();
            (0..n).for_each(|s| next[s] += term[s]);
        }
        now = next;
    }
    (now, spent)
}

#[test]
fn transient_behaviour() {
    let (mut random, control) = (Random(31), Control::unlimited());
    let (mut solved, mut drawn) = (0, 0);
    for case in 0..160 {
        let lts = random_system(&mut random, 0);
        let Ok(chain) = chain(&lts) else { continue };
        let labels = lts.labels.len();
        let mut all: Vec<Leaving> = ways(&lts).iter().map(|ways| ways[0].clone()).collect();
        let seen = reached(&all, 0);
        // What is not reached may be stuck.
        all.iter_mut()
            .zip(&seen)
            .filter(|(_, seen)| !**seen)
            .for_each(|(way, _)| *way = Leaving { rate: Some(RBig::ZERO), steps: Vec::new() });
        let (q, rewards) = dense(&all, labels);
        let outcome: Vec<f64> =
            super::oracle::outcome(&all, labels, 0).unwrap().iter().map(|x| x.to_f64().value()).collect();
        let times = [0.0, 0.3, 2.0];
        let found = chain.transient(&times, Occurrences::Counted, &control).unwrap();
        for (moment, time) in found.moments.iter().zip(times) {
            let (now, spent) = forward(&q, &outcome[..all.len()], time);
            let near = |bounds: [f64; 2], value: f64| {
                bounds[0] <= value + 1e-9
                    && value - 1e-9 <= bounds[1]
                    && bounds[1] - bounds[0] < 1e-5 * value.max(1.0)
            };
            for (&state, &bounds) in chain.tangible().iter().zip(&moment.probabilities) {
                assert!(near(bounds, now[state as usize]), "case {case} at {time}: {bounds:?}");
            }
            let sum = |action: &str, of: &dyn Fn(usize) -> f64| -> f64 {
                let texts = lts.labels.texts().iter().enumerate();
                texts.filter(|(_, text)| counted(text) == Some(action)).map(|(label, _)| of(label)).sum()
            };
            for (i, action) in chain.actions().iter().enumerate() {
                let rate = sum(action, &|label| (0..now.len()).map(|s| now[s] * rewards[s][label]).sum());
                assert!(near(moment.throughputs[i], rate), "case {case}");
                let count = sum(action, &|label| {
                    outcome[now.len() + label]
                        + (0..now.len()).map(|s| spent[s] * rewards[s][label]).sum::<f64>()
                });
                let bounds = moment.counts.as_ref().unwrap()[i];
                assert!(near(bounds, count), "case {case}, {action} up to {time}: {bounds:?} {count}");
            }
        }
        solved += 1;
        drawn += usize::from(chain.generator("").unwrap().start.is_some());
    }
    assert!(solved > 80 && drawn > 5, "{solved} {drawn}");
}

/// The exact throughput of an action with one rate changed.
fn throughput(lts: &Lts, action: &str, label: u32, change: &RBig) -> RBig {
    let mut all: Vec<Leaving> = ways(lts).iter().map(|ways| ways[0].clone()).collect();
    for (state, way) in all.iter_mut().enumerate() {
        let Some(total) = way.rate.clone().filter(|_| !way.steps.is_empty()) else { continue };
        let mut rates: Vec<(RBig, u32, u32)> =
            way.steps.iter().map(|(p, l, t)| (p * &total, *l, *t)).collect();
        assert!(rates.len() == lts.outgoing(state as u32).len());
        rates.iter_mut().filter(|rate| rate.1 == label).for_each(|rate| rate.0 += change);
        let total = rates.iter().fold(RBig::ZERO, |sum, rate| sum + &rate.0);
        *way = Leaving {
            steps: rates.into_iter().map(|(r, l, t)| (r / &total, l, t)).collect(),
            rate: Some(total),
        };
    }
    let (_, counts) = long_run(&all, 0, lts.labels.len()).unwrap();
    let labels = lts.labels.texts().iter().zip(counts).filter(|(text, _)| counted(text) == Some(action));
    labels.fold(RBig::ZERO, |sum, (_, count)| sum + count)
}

#[test]
fn derivatives_of_throughputs() {
    let (mut random, control) = (Random(47), Control::unlimited());
    let small = RBig::from_parts(1.into(), 100_000u32.into());
    let (mut compared, mut reducible) = (0, 0);
    for case in 0..1500 {
        let lts = random_system(&mut random, 0);
        let Ok(chain) = chain(&lts) else { continue };
        let is_reducible = chain.steady(Wanted::States, &control).unwrap().components.len() > 1;
        // Most have one bottom component.
        if !is_reducible && case > 150 {
            continue;
        }
        reducible += usize::from(is_reducible);
        for sensitivity in chain.sensitivities(&control).unwrap() {
            for derivative in &sensitivity.derivatives {
                let Parameter::Label(label) = derivative.parameter else { continue };
                let more = throughput(&lts, &sensitivity.action, label, &small);
                let less = throughput(&lts, &sensitivity.action, label, &-small.clone());
                let difference = ((more - less) / (&small + &small)).to_f64().value();
                let [lo, hi] = derivative.bounds;
                let near = 1e-5 * (1.0 + difference.abs());
                assert!(
                    lo - near <= difference && difference <= hi + near && hi - lo < near,
                    "case {case}: {difference} {derivative:?}"
                );
                compared += usize::from(difference != 0.0);
            }
        }
    }
    assert!(compared > 300 && reducible > 20, "{compared} {reducible}");
}

#[test]
fn derivatives_with_respect_to_names() {
    // A queue: loss = l^5 / (m^4 + .. + l^4), with l = L and m = 2 M.
    let control = Control::unlimited();
    let queue = super::queue::queue("L", "2*M", "LOSS");
    let number = |n: u32, d: u32| RBig::from_parts(n.into(), d.into());
    let values = |l: RBig, m: RBig| vec![("L".to_owned(), l), ("M".to_owned(), m)];
    let options = Options { values: values(number(2, 1), number(3, 2)), ..Options::default() };
    let chain = Chain::from_lts(&queue, &options, &control).unwrap();
    let loss = |l: f64, m: f64| {
        let weights: Vec<f64> = (0..5).map(|k| (l / (2.0 * m)).powi(k)).collect();
        l * weights[4] / weights.iter().sum::<f64>()
    };
    let expected = [
        (loss(2.0 + 1e-5, 1.5) - loss(2.0 - 1e-5, 1.5)) / 2e-5,
        (loss(2.0, 1.5 + 1e-5) - loss(2.0, 1.5 - 1e-5)) / 2e-5,
    ];
    let all = chain.sensitivities(&control).unwrap();
    let of_loss = all.iter().find(|sensitivity| sensitivity.action == "LOSS").unwrap();
    for (name, value) in ["L", "M"].into_iter().zip(expected) {
        let wanted = Parameter::Name(name.to_owned());
        let found = of_loss.derivatives.iter().find(|derivative| derivative.parameter == wanted).unwrap();
        assert!(
            (middle(found.bounds) - value).abs() < 1e-8 && found.bounds[1] - found.bounds[0] < 1e-9,
            "{name}: {found:?} {value}"
        );
    }
    // The mean time until the first loss, by its equations; and its derivative.
    let mean = |l: f64, m: f64| {
        // The time from k customers to k + 1.
        let mut up = 0.0;
        (0..5)
            .map(|k| {
                up = (1.0 + if k > 0 { 2.0 * m * up } else { 0.0 }) / l;
                up
            })
            .sum::<f64>()
    };
    let target = Target { actions: vec!["LOSS".to_owned()], ..Target::default() };
    let passage = chain.first_passage(&target, &[], &control).unwrap();
    assert!((middle(passage.mean) / mean(2.0, 1.5) - 1.0).abs() < 1e-6, "{passage:?}");
    let derivatives = chain.passage_sensitivities(&target, &control).unwrap();
    let expected = [
        (mean(2.0 + 1e-5, 1.5) - mean(2.0 - 1e-5, 1.5)) / 2e-5,
        (mean(2.0, 1.5 + 1e-5) - mean(2.0, 1.5 - 1e-5)) / 2e-5,
    ];
    for (name, value) in ["L", "M"].into_iter().zip(expected) {
        let wanted = Parameter::Name(name.to_owned());
        let found = derivatives.iter().find(|derivative| derivative.parameter == wanted).unwrap();
        assert!((middle(found.bounds) / value - 1.0).abs() < 1e-7, "{name}: {found:?} {value}");
        assert!(found.bounds[1] - found.bounds[0] < 1e-8 * value.abs());
    }
}

/// A walk from state to state, in the system itself: counts of an action in equal parts of the time.
#[test]
fn agrees_with_a_direct_walk() {
    let lts = super::queue::queue("2", "3", "LOSS");
    let control = Control::unlimited();
    let steady = chain(&lts).unwrap().steady(Wanted::Throughputs, &control).unwrap();
    let mut random = Random(2024);
    let mut unit = move || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let ways: Vec<Leaving> = ways(&lts).iter().map(|ways| ways[0].clone()).collect();
    type Doubles = (f64, Vec<(f64, u32, u32)>);
    let ways: Vec<Doubles> = ways
        .iter()
        .map(|way| {
            let rate = way.rate.as_ref().map_or(f64::INFINITY, |rate| rate.to_f64().value());
            (rate, way.steps.iter().map(|(p, l, t)| (p.to_f64().value(), *l, *t)).collect())
        })
        .collect();
    let (parts, length) = (40, 2_000.0);
    let mut counts = vec![vec![0.0f64; parts]; lts.labels.len()];
    let (mut state, mut now) = (0u32, 0.0f64);
    loop {
        let (rate, steps) = &ways[state as usize];
        now += -(1.0 - unit()).ln() / rate;
        let part = (now / length) as usize;
        if part >= parts {
            break;
        }
        let mut draw = unit();
        let step = steps.iter().find(|step| {
            draw -= step.0;
            draw < 0.0
        });
        let &(_, label, target) = step.unwrap_or(&steps[steps.len() - 1]);
        counts[label as usize][part] += 1.0;
        state = target;
    }
    for (label, text) in lts.labels.texts().iter().enumerate().skip(1) {
        let rates: Vec<f64> = counts[label].iter().map(|count| count / length).collect();
        let mean = rates.iter().sum::<f64>() / parts as f64;
        let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (parts - 1) as f64;
        let half = 4.0 * (variance / parts as f64).sqrt();
        let value = steady.throughput_about(counted(text).unwrap()).unwrap();
        assert!((mean - value).abs() < half && half < 0.05, "{text}: {mean} ± {half}, {value}");
    }
}
