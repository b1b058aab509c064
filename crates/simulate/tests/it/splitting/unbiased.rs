//! The mean of many repetitions against what is known; and what it would be if it were wrong.

use super::models::{BRP, GAMBLER, TANDEM, brp_error, brp_error_at_last, ruin};
use super::{MAX_STEPS, by_conjuncts, native, rare};
use volvelle_control::Control;
use volvelle_simulate::splitting::{self, Levels, Repetition, Segments, Split, SplittingTask};
use volvelle_statistics::interval::mean_student;
use volvelle_statistics::{Confidence, MeanInterval, Moments, Side};
use volvelle_streams::Generator;

/// Repetitions of a property.
fn repetitions(rare: &SplittingTask, split: Split, seed: u64) -> (Levels, Vec<Repetition>) {
    let native = native();
    let segments = Segments::new(rare, &native, MAX_STEPS).expect("compiles");
    let levels = splitting::levels(&segments, seed, &Control::unlimited()).expect("levels");
    let all = (0..split.repetitions)
        .map(|number| splitting::repetition(&segments, &levels, &split, seed, number).expect("an estimate"))
        .collect();
    (levels, all)
}

/// How many standard errors the mean is away from the truth.
fn deviations(estimates: impl Iterator<Item = f64>, truth: f64) -> f64 {
    let mut moments = Moments::new();
    estimates.for_each(|estimate| moments.push(estimate / truth));
    (moments.mean().expect("some") - 1.0) / moments.standard_error().expect("several")
}

/// The mean of many repetitions is the truth.
fn check(rare: &SplittingTask, truth: f64, split: Split, seed: u64) {
    let (levels, all) = repetitions(rare, split, seed);
    let away = deviations(all.iter().map(|one| one.estimate), truth);
    assert!(away.abs() < 4.0, "{away} standard errors away from {truth:e}, {levels:?}");
}

const MANY: Split = Split { repetitions: 400, successes: 20, patience: 20 };

#[test]
fn a_gambler_becomes_rich() {
    // Probabilities from 1e-2 to 1e-7.
    for to in [5, 10, 20] {
        let rare = rare(GAMBLER, &format!("P=? [ F x={to} ]"), Generator::default());
        check(&rare, ruin(0.3, 1, to), MANY, 1);
    }
    let rare = rare(GAMBLER, "P=? [ F x=20 ]", Generator::Philox4x32);
    check(&rare, ruin(0.3, 1, 20), MANY, 2);
}

#[test]
fn events_of_probability_1e_12() {
    let model = GAMBLER.replace("0.3", "0.2").replace("0.7", "0.8");
    let rare = rare(&model, "P=? [ F x=20 ]", Generator::default());
    let truth = ruin(0.2, 1, 20);
    assert!(truth < 3e-12);
    check(&rare, truth, Split { successes: 40, ..MANY }, 3);
}

#[test]
fn a_distance_in_the_conjuncts_does_as_well() {
    let rare = by_conjuncts(GAMBLER, "P=? [ F x>=10 & x>2 ]", Generator::default());
    check(&rare, ruin(0.3, 1, 10), MANY, 4);
}

#[test]
fn retransmission_fails() {
    check(&rare(BRP, "P=? [ F s=5 ]", Generator::default()), brp_error(), Split { successes: 60, ..MANY }, 5);
    let last = rare(BRP, "P=? [ F s=5 & srep=2 ]", Generator::default());
    check(&last, brp_error_at_last(), Split { successes: 60, ..MANY }, 6);
}

/// The probability to have `x + y >= many` within `time` in the two queues, by uniformisation.
fn overflow(many: usize, time: f64) -> f64 {
    let rate = 6.5;
    // State (8, 8) and beyond are never left: 9 x 9 states.
    let index = |x: usize, y: usize| 9 * x + y;
    let mut now = vec![0.0; 81];
    now[index(0, 0)] = 1.0;
    let mut weight = (-rate * time).exp();
    let (mut reached, mut seen, mut n) = (0.0, 0.0, 0);
    while seen < 1.0 - 1e-14 && n < 100_000 {
        let there: f64 = (0..81).filter(|i| i / 9 + i % 9 >= many).map(|i| now[i]).sum();
        reached += weight * there;
        seen += weight;
        n += 1;
        weight *= rate * time / f64::from(n);
        let mut next = vec![0.0; 81];
        for x in 0..9 {
            for y in 0..9 {
                let p = now[index(x, y)] / rate;
                if x + y >= many {
                    next[index(x, y)] += p * rate;
                    continue;
                }
                let mut stays = rate;
                let mut go = |to: usize, r: f64| {
                    next[to] += p * r;
                    stays -= r;
                };
                if x < 8 {
                    go(index(x + 1, y), 1.0);
                }
                if x > 0 && y < 8 {
                    go(index(x - 1, y + 1), 3.0);
                }
                if y > 0 {
                    go(index(x, y - 1), 2.5);
                }
                next[index(x, y)] += p * stays;
            }
        }
        now = next;
    }
    reached
}

#[test]
fn queues_overflow_in_time() {
    for (many, time) in [(6, 10.0), (9, 20.0), (12, 5.0)] {
        let rare = rare(TANDEM, &format!("P=? [ F<={time} x+y>={many} ]"), Generator::default());
        check(&rare, overflow(many, time), Split { successes: 50, ..MANY }, 7);
    }
}

/// Few successes make any bias large. The estimate has none; the plain share of successes has, and this test sees it.
#[test]
fn shares_of_successes_would_be_biased() {
    let truth = ruin(0.3, 1, 10);
    let rare = rare(GAMBLER, "P=? [ F x=10 ]", Generator::default());
    let split = Split { repetitions: 6000, successes: 5, patience: 100 };
    let (levels, all) = repetitions(&rare, split, 8);
    let right = deviations(all.iter().map(|one| one.estimate), truth);
    assert!(right.abs() < 4.0, "{right} standard errors away");
    let stages = levels.thresholds.len();
    let share = |one: &Repetition| {
        if one.paths.len() < stages || one.estimate == 0.0 {
            return 0.0;
        }
        one.paths.iter().map(|&paths| 5.0 / paths as f64).product()
    };
    let wrong = deviations(all.iter().map(share), truth);
    assert!(wrong > 8.0, "only {wrong} standard errors away");
}

/// Stages that end without enough successes, or none, are part of an unbiased estimate; leaving them out is not.
#[test]
fn impatience_is_not_biased_either() {
    let truth = ruin(0.3, 1, 10);
    let rare = rare(GAMBLER, "P=? [ F x=10 ]", Generator::default());
    let split = Split { repetitions: 20_000, successes: 3, patience: 1 };
    let (_, all) = repetitions(&rare, split, 9);
    let zeros = all.iter().filter(|one| one.estimate == 0.0).count();
    assert!(zeros > 1000, "only {zeros} repetitions died out");
    let right = deviations(all.iter().map(|one| one.estimate), truth);
    assert!(right.abs() < 4.0, "{right} standard errors away");
    let wrong = deviations(all.iter().map(|one| one.estimate).filter(|&e| e > 0.0), truth);
    assert!(wrong > 8.0, "only {wrong} standard errors away");
}

/// Of many 99 % intervals about one in a hundred misses.
#[test]
fn intervals_cover() {
    let truth = ruin(0.3, 1, 15);
    let rare = rare(GAMBLER, "P=? [ F x=15 ]", Generator::default());
    let (_, all) = repetitions(&rare, Split { repetitions: 24 * 300, successes: 60, patience: 20 }, 10);
    let confidence = Confidence::new(0.99).expect("a confidence");
    let misses = all
        .chunks(24)
        .filter(|chunk| {
            let mut moments = Moments::new();
            chunk.iter().for_each(|one| moments.push(one.estimate));
            match mean_student(&moments, confidence, Side::Both) {
                Ok(MeanInterval::Known(interval)) => !(interval.lo <= truth && truth <= interval.hi),
                _ => true,
            }
        })
        .count();
    // 3 are expected; more than 12 of 300 have a probability of 2e-5 at a coverage of 0.99, and are usual at 0.95.
    assert!(misses <= 12, "{misses} of 300 intervals miss");
}
