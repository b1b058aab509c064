//! Rates far apart, and systems without any: bounds that hold, and an end to every loop.

use super::{encloses, lts};
use crate::{Chain, Choices, Options, Problem, Target, Wanted};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::{Random, attack_cases};
use volvelle_space::Lts;

fn keep() -> Options {
    Options { choices: Choices::Keep, ..Options::default() }
}

fn target(action: &str) -> Target {
    Target { actions: vec![action.to_owned()], states: Vec::new() }
}

/// A row of places; the steps between neighbours have these exponents of ten.
fn places(exponents: &[[i32; 2]]) -> Lts {
    let labels: Vec<[String; 2]> =
        exponents.iter().map(|[up, down]| [format!("U; rate 1e{up}"), format!("D; rate 1e{down}")]).collect();
    let mut steps: Vec<(u32, &str, u32)> = Vec::new();
    for (s, [up, down]) in (0..).zip(&labels) {
        steps.push((s, up, s + 1));
        steps.push((s + 1, down, s));
    }
    lts(exponents.len() as u32 + 1, &steps)
}

/// The throughput of `U`, by detailed balance.
fn throughput(exponents: &[[i32; 2]]) -> RBig {
    let power = |exponent: i32| {
        let power = RBig::from(RBig::from(10u8).numerator().pow(exponent.unsigned_abs() as usize));
        if exponent < 0 { RBig::ONE / power } else { power }
    };
    let (mut weight, mut total, mut flow) = (RBig::ONE, RBig::ONE, RBig::ZERO);
    for &[up, down] in exponents {
        flow += &weight * power(up);
        weight = weight * power(up) / power(down);
        total += &weight;
    }
    flow / total
}

#[test]
fn ridges_between_wells_have_their_throughput() {
    let ridge = [[0, 100]; 4].into_iter().chain([[100, 0]; 3]).collect::<Vec<_>>();
    let system = places(&ridge);
    let control = Control::unlimited();
    let chain = Chain::from_lts(&system, &Options::default(), &control).unwrap();
    let steady = chain.steady(Wanted::Throughputs, &control).unwrap();
    for action in ["U", "D"] {
        assert!(encloses(steady.throughput(action).unwrap(), 1.0), "{steady:?}");
    }
}

#[test]
fn attack_throughputs_of_places_with_any_rates() {
    let control = Control::unlimited();
    for case in attack_cases(60) {
        let mut random = Random(70 + case);
        let spread = random.pick(&[3, 100, 300]);
        let mut exponent = || random.below(2 * spread + 1) as i32 - spread as i32;
        let (a, b) = (exponent(), exponent());
        let count = 1 + (case % 30) as usize;
        let exponents: Vec<[i32; 2]> = (0..count)
            .map(|s| match case % 3 {
                0 => [a, b],
                1 if s < count / 2 => [a, b],
                1 => [b, a],
                _ => [exponent(), exponent()],
            })
            .collect();
        let truth = throughput(&exponents);
        let system = places(&exponents);
        let chain = Chain::from_lts(&system, &Options::default(), &control).unwrap();
        for wanted in [Wanted::Throughputs, Wanted::States] {
            let steady = chain.steady(wanted, &control).unwrap();
            let most = exponents.iter().map(|[up, down]| (*up).max(*down)).max().unwrap();
            for action in ["U", "D"] {
                let [lo, hi] = steady.throughput(action).unwrap();
                let of = |bound: f64| RBig::try_from(bound).unwrap();
                assert!(
                    of(lo) <= truth && truth <= of(hi),
                    "case {case}: {action} [{lo:e}, {hi:e}] {exponents:?}"
                );
                assert!(
                    hi <= 10f64.powi(most) * (1.0 + 1e-9),
                    "case {case}: more than any state has: {hi:e}"
                );
                let is_narrow = hi - lo <= 1e-6 * lo || hi <= 1e-280;
                assert!(is_narrow || spread > 100, "case {case}: {action} [{lo:e}, {hi:e}] {exponents:?}");
            }
            let shares = steady.probabilities.unwrap();
            let sums = shares.iter().fold([0.0; 2], |sum, share| [sum[0] + share[0], sum[1] + share[1]]);
            assert!(sums[0] <= 1.0 + 1e-12 && sums[1] >= 1.0 - 1e-12, "case {case}: {shares:?}");
        }
    }
}

/// Rates that become zero, infinite or denormal as doubles.
#[test]
fn rates_that_doubles_do_not_hold_give_no_narrow_bounds() {
    let control = Control::unlimited();
    for [up, down] in [[-400, -400], [400, 400], [-400, 400], [-320, -322], [0, -400], [400, 0]] {
        let system = places(&[[up, down], [up, down]]);
        let chain = Chain::from_lts(&system, &Options::default(), &control).unwrap();
        let Ok(steady) = chain.steady(Wanted::States, &control) else { continue };
        // Up and down: the shares are geometric.
        let ratio = up - down;
        for (s, &[lo, hi]) in steady.probabilities.as_ref().unwrap().iter().enumerate() {
            let share: f64 = match (ratio, s) {
                (0, _) => 1.0 / 3.0,
                (2.., 2) | (..=-2, 0) => 1.0,
                (2.., s) => 10f64.powi(ratio * (s as i32 - 2)),
                (_, s) => 10f64.powi(ratio * s as i32),
            };
            assert!(lo <= share && share * 0.97 <= hi, "1e{up} 1e{down}: {s}: [{lo:e}, {hi:e}] {share:e}");
        }
        for action in ["U", "D"] {
            let [lo, hi] = steady.throughput(action).unwrap();
            assert!(lo <= hi && !lo.is_nan(), "1e{up} 1e{down}: [{lo}, {hi}]");
        }
        let passage = chain.first_passage(&target("D"), &[], &control).unwrap();
        assert!(passage.mean[0] <= passage.mean[1] && passage.ever[0] <= 1.0 && passage.ever[1] == 1.0);
    }
}

/// Immediate choices without end, before or beside the target, and no rate anywhere.
#[test]
fn passages_without_rates_come_to_an_end() {
    let control = Control::unlimited();
    let systems: [(Lts, [f64; 2]); 4] = [
        (lts(2, &[(0, "i", 1), (0, "A", 1)]), [0.0, 1.0]),
        (lts(3, &[(0, "A", 1), (0, "i", 2), (2, "A", 1)]), [1.0, 1.0]),
        (lts(4, &[(0, "prob 0.5", 1), (0, "prob 0.5", 2), (1, "A", 3), (2, "i", 3)]), [0.5, 0.5]),
        (lts(3, &[(0, "i", 1), (0, "B", 2), (1, "A", 2), (1, "i", 2)]), [0.0, 1.0]),
    ];
    for (system, ever) in &systems {
        let chain = Chain::from_lts(system, &keep(), &control).unwrap();
        let found = chain.passage_extremes(&target("A"), &[0.0, 1.0, 1e300], &control).unwrap();
        for within in &found.within {
            assert!(encloses(within.least, ever[0]) && encloses(within.greatest, ever[1]), "{found:?}");
        }
    }
}

/// Alternations of choices that never end, horizons of zero and without end, and rates from 1e-300 to 1e300.
#[test]
fn attack_passages_end_whatever_the_rates_and_times() {
    let control = Control::unlimited();
    for case in attack_cases(80) {
        let mut random = Random(900 + case);
        let n = 2 + random.below(4) as u32;
        let exponents = [0, 3, 300, 300];
        let labels: Vec<String> = (0..12)
            .map(|k| match k % 4 {
                0 => "i".to_owned(),
                1 => "A".to_owned(),
                2 => "prob 0.5".to_owned(),
                _ => {
                    let spread = random.pick(&exponents);
                    format!("rate 1e{}", random.below(2 * spread + 1) as i64 - spread as i64)
                }
            })
            .collect();
        let mut steps: Vec<(u32, &str, u32)> = Vec::new();
        for s in 0..n {
            for _ in 0..random.below(4) {
                steps.push((s, &labels[random.below(labels.len())], random.below(n as usize) as u32));
            }
        }
        let system = lts(n, &steps);
        let chain = match Chain::from_lts(&system, &keep(), &control) {
            Ok(chain) => chain,
            Err(Problem::Check(error)) => panic!("case {case}: {error}"),
            Err(_) => continue,
        };
        let times = [0.0, 1e-300, 1.0, 1e300];
        if let Ok(found) = chain.passage_extremes(&target("A"), &times, &control) {
            let all = found.within.iter().chain([&found.ever]);
            for extremes in all {
                for [lo, hi] in [extremes.least, extremes.greatest] {
                    assert!(0.0 <= lo && lo <= hi && hi <= 1.0, "case {case}: {found:?}");
                }
                assert!(extremes.least[0] <= extremes.greatest[1], "case {case}: {found:?}");
            }
            assert!(found.mean.least[0] <= found.mean.greatest[1], "case {case}: {found:?}");
        }
        if let Ok(found) = chain.throughput_extremes(&control) {
            for (_, extremes) in &found.throughputs {
                assert!(extremes.least[0] <= extremes.greatest[1], "case {case}: {found:?}");
            }
        }
    }
}
