//! Slow and obvious evaluation: formulas of WCTL on products with accumulated weights, and relations as greatest fixpoints over pairs.

use dashu_ratio::RBig;
use volvelle_logic::{Quantifier, Wctl, WctlFormula, WeightInterval};
use volvelle_space::{WeightedStep, WeightedStructure};
use volvelle_weighted::Valued;

/// The states in which a formula without next holds; blocking states have loops of weight 0. The unit of the structure is 1.
pub fn evaluate(structure: &WeightedStructure, formula: &WctlFormula) -> Vec<bool> {
    let states = structure.num_states();
    let valued = Valued::new(structure, formula).expect("amounts are small");
    let mut sets: Vec<Vec<bool>> = Vec::new();
    for node in &formula.nodes {
        let set = match node {
            Wctl::Constant(value) => vec![*value; states],
            Wctl::Atom(atom) => (0..states as u32).map(|s| valued.atom(s, atom.index())).collect(),
            Wctl::Not(f) => sets[f.index()].iter().map(|f| !f).collect(),
            Wctl::And(f, g) => sets[f.index()].iter().zip(&sets[g.index()]).map(|(f, g)| *f && *g).collect(),
            Wctl::Or(f, g) => sets[f.index()].iter().zip(&sets[g.index()]).map(|(f, g)| *f || *g).collect(),
            Wctl::Next(..) => unreachable!("no formula here has one"),
            Wctl::Until(quantifier, f, interval, g) => {
                until(structure, *quantifier, &sets[f.index()], interval, &sets[g.index()])
            }
        };
        sets.push(set);
    }
    sets[formula.root.index()].clone()
}

fn integer(amount: &RBig) -> usize {
    let (numerator, _) = amount.clone().into_parts();
    usize::try_from(numerator).expect("bounds are small")
}

/// By fixpoint iteration over pairs of a state and a weight, which is cut where larger ones make no difference.
fn until(
    structure: &WeightedStructure,
    quantifier: Quantifier,
    f: &[bool],
    interval: &WeightInterval,
    g: &[bool],
) -> Vec<bool> {
    let low = integer(&interval.lower.amount);
    let high = interval.upper.as_ref().map(|upper| integer(&upper.amount));
    let cap = high.map_or(low, |high| high + 1);
    let states = structure.num_states();
    let hit = |s: usize, weight: usize| g[s] && weight >= low && high.is_none_or(|high| weight <= high);
    let mut holds = vec![vec![false; cap + 1]; states];
    loop {
        let mut changed = false;
        for s in 0..states {
            for weight in 0..=cap {
                let next = |step: &WeightedStep| {
                    holds[step.target as usize][(weight + step.weight as usize).min(cap)]
                };
                let stay = [WeightedStep { weight: 0, target: s as u32 }];
                let steps = structure.outgoing(s as u32);
                let steps = if steps.is_empty() { &stay[..] } else { steps };
                // Least fixpoints, of both quantifiers.
                let value = hit(s, weight)
                    || f[s]
                        && match quantifier {
                            Quantifier::Exists => steps.iter().any(next),
                            Quantifier::All => steps.iter().all(next),
                        };
                if value && !holds[s][weight] {
                    holds[s][weight] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return holds.iter().map(|row| row[0]).collect();
        }
    }
}

/// Whether a path from `from` with all states but the last in `region` and the last in `goal` has exactly this weight.
pub fn reaches(
    structure: &WeightedStructure,
    region: impl Fn(usize) -> bool,
    goal: impl Fn(usize) -> bool,
    from: usize,
    weight: u64,
) -> bool {
    let mut seen = vec![false; structure.num_states() * (weight as usize + 1)];
    let mut stack = vec![(from, 0)];
    while let Some((s, sum)) = stack.pop() {
        if sum == weight && goal(s) {
            return true;
        }
        if !region(s) {
            continue;
        }
        for step in structure.outgoing(s as u32) {
            let next = (step.target as usize, sum + step.weight);
            if next.1 > weight {
                continue;
            }
            let place = next.0 * (weight as usize + 1) + next.1 as usize;
            if !std::mem::replace(&mut seen[place], true) {
                stack.push(next);
            }
        }
    }
    false
}

/// Definition 4 as it is written: the greatest fixpoint over pairs.
pub fn bisimilar(structure: &WeightedStructure) -> Vec<Vec<bool>> {
    let states = structure.num_states();
    let mut related: Vec<Vec<bool>> = (0..states as u32)
        .map(|s| (0..states as u32).map(|t| structure.valuation_of(s) == structure.valuation_of(t)).collect())
        .collect();
    loop {
        let matched = |s: usize, t: usize, related: &Vec<Vec<bool>>| {
            structure.outgoing(s as u32).iter().all(|step| {
                let (region, goal) = (&related[s], &related[step.target as usize]);
                reaches(structure, |x| region[x], |x| goal[x], t, step.weight)
            })
        };
        let mut changed = false;
        for s in 0..states {
            for t in 0..states {
                if related[s][t] && !(matched(s, t, &related) && matched(t, s, &related)) {
                    related[s][t] = false;
                    related[t][s] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return related;
        }
    }
}

/// The divergence-sensitive variant, by signatures with all weights that any step has.
pub fn divergence_bisimilar(structure: &WeightedStructure, blocking_diverges: bool) -> Vec<u32> {
    let states = structure.num_states();
    let mut weights: Vec<u64> = structure.steps().iter().map(|step| step.weight).collect();
    weights.sort_unstable();
    weights.dedup();
    let mut block: Vec<u32> = (0..states as u32).map(|s| structure.valuation_of(s)).collect();
    loop {
        // A state diverges if it still can stay after as many steps as there are states.
        let mut diverges = vec![true; states];
        for _ in 0..states {
            let next = (0..states).map(|s| {
                let steps = structure.outgoing(s as u32);
                (blocking_diverges && steps.is_empty())
                    || steps.iter().any(|step| {
                        let t = step.target as usize;
                        step.weight == 0 && block[t] == block[s] && diverges[t]
                    })
            });
            diverges = next.collect();
        }
        let blocks: std::collections::BTreeSet<u32> = block.iter().copied().collect();
        let signature = |s: usize| {
            let mut all = Vec::new();
            for &to in &blocks {
                for &weight in &weights {
                    // Only what a state of the block can do by one step is observed.
                    let asked = (0..states as u32).filter(|&t| block[t as usize] == block[s]).any(|t| {
                        let mut steps = structure.outgoing(t).iter();
                        steps.any(|step| step.weight == weight && block[step.target as usize] == to)
                    });
                    if asked && reaches(structure, |x| block[x] == block[s], |x| block[x] == to, s, weight) {
                        all.push((to, weight));
                    }
                }
            }
            (block[s], diverges[s], all)
        };
        let signatures: Vec<_> = (0..states).map(signature).collect();
        let mut known: Vec<_> = signatures.iter().collect();
        known.sort();
        known.dedup();
        let next: Vec<u32> =
            signatures.iter().map(|own| known.binary_search(&own).unwrap_or(0) as u32).collect();
        if known.len() == blocks.len() {
            return next;
        }
        block = next;
    }
}
