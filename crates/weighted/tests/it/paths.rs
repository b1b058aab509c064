//! Exact weights of paths against search over pairs of a state and a weight.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{BitSet, WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::paths::{Method, path_within, within, within_by};

fn structure(random: &mut Random, states: usize, weights: &[u64]) -> WeightedStructure {
    let mut builder = WeightedBuilder::new();
    let most = 1 + random.below(3);
    for _ in 0..states {
        let steps: Vec<WeightedStep> = (0..random.below(most + 1))
            .map(|_| WeightedStep { weight: random.pick(weights), target: random.below(states) as u32 })
            .collect();
        builder.state([], steps);
    }
    builder.finish(0, RBig::ONE, Vec::new())
}

fn subset(random: &mut Random, states: usize, percent: usize) -> BitSet {
    BitSet::of(states, (0..states).filter(|_| random.chance(percent)))
}

/// `holds[state]`: the weights up to `most` of paths to the goal.
fn brute(structure: &WeightedStructure, region: &BitSet, goal: &BitSet, most: u64) -> Vec<Vec<bool>> {
    let states = structure.num_states();
    let mut has = vec![vec![false; most as usize + 1]; states];
    (0..states).filter(|&s| goal.contains(s)).for_each(|s| has[s][0] = true);
    for weight in 0..=most {
        loop {
            let mut changed = false;
            for s in (0..states).filter(|&s| region.contains(s)) {
                for step in structure.outgoing(s as u32) {
                    // A goal outside the region ends the path: it has the weight 0 only.
                    let is =
                        step.weight <= weight && has[step.target as usize][(weight - step.weight) as usize];
                    if is && !has[s][weight as usize] {
                        has[s][weight as usize] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }
    (0..states).filter(|&s| !region.contains(s)).for_each(|s| has[s].fill(false));
    has
}

#[test]
fn all_methods_agree_with_search() {
    let control = Control::unlimited();
    let mut random = Random(11);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..3000 {
        let states = 1 + random.below(7);
        let weights: &[u64] =
            random.pick(&[&[0u64, 1, 2][..], &[0, 3, 5], &[2, 4, 6], &[7, 11, 13], &[0, 0, 6], &[70, 64, 3]]);
        let system = structure(&mut random, states, weights);
        let (region, goal) = (subset(&mut random, states, 80), subset(&mut random, states, 30));
        let most = 120u64;
        let has = brute(&system, &region, &goal, most);
        // The same system with large weights: only multiples of the factor are sums.
        let factor = 1_000_003u64;
        let mut builder = WeightedBuilder::new();
        for s in 0..states as u32 {
            let steps = system.outgoing(s).iter();
            builder.state([], steps.map(|s| WeightedStep { weight: s.weight * factor, ..*s }));
        }
        let large = builder.finish(0, RBig::ONE, Vec::new());
        for _ in 0..4 {
            let low = random.below(90) as u64;
            let high = low + random.pick(&[0, 0, 1, 3, 30]);
            let expected = BitSet::of(
                states,
                (0..states).filter(|&s| (low..=high).any(|weight| has[s][weight as usize])),
            );
            hits += expected.count();
            misses += states - expected.count();
            for method in [Method::Automatic, Method::Sums, Method::Table, Method::Residues] {
                let found = within_by(&system, &region, &goal, low, Some(high), method, &control);
                assert_eq!(found, Ok(expected.clone()), "case {case}, {method:?}, [{low},{high}]");
            }
            for method in [Method::Automatic, Method::Sums] {
                let (low, high) = (low * factor, high * factor);
                let found = within_by(&large, &region, &goal, low, Some(high), method, &control);
                assert_eq!(found, Ok(expected.clone()), "case {case}, {method:?}, [{low},{high}] large");
            }
            for s in 0..states as u32 {
                let path = path_within(&system, &region, &goal, s, low, Some(high), &control)
                    .expect("there are no limits");
                assert_eq!(path.is_some(), expected.contains(s as usize), "case {case}");
                let Some(path) = path else { continue };
                check_path(&system, &region, &goal, &path, low, Some(high));
            }
        }
    }
    assert!(hits > 3000 && misses > 3000, "{hits} {misses}");
}

fn check_path(
    system: &WeightedStructure,
    region: &BitSet,
    goal: &BitSet,
    path: &volvelle_weighted::paths::WeightedPath,
    low: u64,
    high: Option<u64>,
) {
    let (mut at, mut weight) = (path.start, 0);
    for step in path.steps() {
        assert!(region.contains(at as usize));
        assert!(system.outgoing(at).contains(&step), "{path:?}");
        at = step.target;
        weight += step.weight;
    }
    assert!(goal.contains(at as usize) && at == path.end());
    assert_eq!(path.weight(), Some(weight));
    assert!(weight >= low && high.is_none_or(|high| weight <= high));
    assert_eq!(path.num_steps(), path.steps().count() as u64);
}

#[test]
fn paths_with_no_upper_end() {
    let control = Control::unlimited();
    let mut random = Random(12);
    let mut hits = [0, 0];
    for case in 0..3000 {
        let states = 1 + random.below(7);
        let weights: &[u64] = random.pick(&[&[0, 1, 2][..], &[0, 3, 5], &[0, 0, 1]]);
        let system = structure(&mut random, states, weights);
        let (region, goal) = (subset(&mut random, states, 80), subset(&mut random, states, 30));
        let has = brute(&system, &region, &goal, 80);
        let low = random.below(30) as u64;
        // 7 states and weights up to 5: if a weight of 30 or more can be reached, so can one below 80.
        let expected =
            BitSet::of(states, (0..states).filter(|&s| (low..=80).any(|weight| has[s][weight as usize])));
        let found = within(&system, &region, &goal, low, None, &control);
        assert_eq!(found, Ok(expected.clone()), "case {case}");
        for s in 0..states as u32 {
            let path = path_within(&system, &region, &goal, s, low, None, &control).expect("no limits");
            assert_eq!(path.is_some(), expected.contains(s as usize), "case {case}");
            let Some(path) = path else { continue };
            check_path(&system, &region, &goal, &path, low, None);
            hits[usize::from(low > 0)] += 1;
        }
    }
    assert!(hits[0] > 50 && hits[1] > 500, "{hits:?}");
}

/// Residues on graphs with long weights that are no multiples of each other, against sums.
#[test]
fn residues_and_sums_agree_on_large_weights() {
    let control = Control::unlimited();
    let mut random = Random(13);
    let mut hits = 0;
    for case in 0..400 {
        let states = 1 + random.below(5);
        let system = structure(&mut random, states, &[997, 1009, 1013, 499, 0]);
        let (region, goal) = (subset(&mut random, states, 90), subset(&mut random, states, 30));
        let low = random.below(40_000) as u64;
        let high = low + random.pick(&[0, 20, 400]);
        let sums = within_by(&system, &region, &goal, low, Some(high), Method::Sums, &control);
        for method in [Method::Table, Method::Residues, Method::Automatic] {
            let found = within_by(&system, &region, &goal, low, Some(high), method, &control);
            assert_eq!(found, sums, "case {case} {method:?} [{low},{high}]");
        }
        hits += sums.expect("no limits").count();
    }
    assert!(hits > 50, "{hits}");
}

#[test]
fn knapsacks() {
    let control = Control::unlimited();
    let loops = |weights: &[u64]| {
        let mut builder = WeightedBuilder::new();
        builder.state([], weights.iter().map(|&weight| WeightedStep { weight, target: 0 }));
        builder.finish(0, RBig::ONE, Vec::new())
    };
    let all = BitSet::full(1);
    let reaches = |weights: &[u64], c: u64| {
        let found = within(&loops(weights), &all, &all, c, Some(c), &control).expect("no limits");
        found.contains(0)
    };
    assert!(!reaches(&[3, 5], 7) && reaches(&[3, 5], 8));
    assert!(!reaches(&[6, 9, 20], 43) && reaches(&[6, 9, 20], 44));
    assert!(!reaches(&[4, 6], 7) && reaches(&[7, 11, 13], 0));
    let large = [1_000_003u64, 1_000_033, 1_000_037];
    for c in [
        1_000_000_000_000u64,
        999_999_999_999,
        1_000_003 * 5 + 30 * 2 + 34 * 3,
        1_000_003 * 5 + 30 * 3 + 34 * 3,
    ] {
        let expected = (0..=c / large[1]).any(|second| {
            let rest = c - second * large[1];
            // 34 k = rest modulo the first, with as few of the third as possible.
            let (mut third, mut value) = (0u64, rest % large[0]);
            while value % 34 != 0 && third < 34 {
                value += large[0];
                third += 1;
            }
            third < 34
                && value / 34 * large[2] <= rest
                && (rest - value / 34 * large[2]).is_multiple_of(large[0])
        });
        assert_eq!(reaches(&large, c), expected, "{c}");
    }
    let path =
        path_within(&loops(&large), &all, &all, 0, 1_000_000_000_000, Some(1_000_000_000_000), &control);
    let path = path.expect("no limits").expect("it is a sum");
    assert_eq!(path.weight(), Some(1_000_000_000_000));
    assert!(path.parts.len() < 10, "{path:?}");
}
