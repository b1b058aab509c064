//! Formulas of weighted CTL on random structures: the global and the local algorithm against the definition, evaluated on pairs of a
//! state and an accumulated weight.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::Valued;
use volvelle_weighted::wctl::{Blocking, Explanation, Reason, SINK, check_global, check_local};

/// States of up to two propositions; steps with weights 0 to 3 units of a half.
fn structure(random: &mut Random) -> WeightedStructure {
    let states = 1 + random.below(6) as u32;
    let mut builder = WeightedBuilder::new();
    for _ in 0..states {
        let propositions: Vec<(u32, u32)> = (0..2).filter(|_| random.below(2) == 0).map(|p| (p, 1)).collect();
        let steps: Vec<WeightedStep> = (0..random.below(4))
            .map(|_| WeightedStep {
                weight: random.below(4) as u64,
                target: random.below(states as usize) as u32,
            })
            .collect();
        builder.state(propositions, steps);
    }
    let unit = RBig::from_parts(1.into(), 2u8.into());
    builder.finish(0, unit, vec!["p".to_owned(), "q".to_owned()])
}

/// An interval whose ends are quarters, so that some are no multiples of the unit.
fn interval(random: &mut Random) -> WeightInterval {
    let quarters = |n: usize| RBig::from_parts(n.into(), 4u8.into());
    let low = if random.below(2) == 0 { 0 } else { random.below(12) };
    let lower = Limit { amount: quarters(low), strict: random.below(4) == 0 };
    let upper = (random.below(3) > 0)
        .then(|| Limit { amount: quarters(low + random.below(12)), strict: random.below(4) == 0 });
    WeightInterval { lower, upper }
}

fn quantifier(random: &mut Random) -> Quantifier {
    if random.below(2) == 0 { Quantifier::Exists } else { Quantifier::All }
}

/// Up to ten nodes over two propositions; the last one is the root.
fn formula(random: &mut Random) -> WctlFormula {
    let mut nodes = vec![
        Wctl::Atom(AtomId::from_index(0)),
        Wctl::Atom(AtomId::from_index(1)),
        Wctl::Constant(random.below(4) > 0),
    ];
    for _ in 0..1 + random.below(7) {
        let count = nodes.len();
        let mut operand = || WctlId::from_index(count - 1 - random.below(count.min(4)));
        let (left, right) = (operand(), operand());
        nodes.push(match random.below(7) {
            0 => Wctl::Not(left),
            1 => Wctl::And(left, right),
            2 => Wctl::Or(left, right),
            3 => Wctl::Next(quantifier(random), interval(random), left),
            _ => Wctl::Until(quantifier(random), left, interval(random), right),
        });
    }
    WctlFormula {
        root: WctlId::from_index(nodes.len() - 1),
        nodes,
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".to_owned(), "q".to_owned()],
    }
}

/// The structure in which no state is blocking; the sink is its last state, if there is one.
fn steps_of(structure: &WeightedStructure, blocking: Blocking) -> Vec<Vec<(u64, usize)>> {
    let states = structure.num_states();
    let mut steps: Vec<Vec<(u64, usize)>> = (0..states as u32)
        .map(|s| structure.outgoing(s).iter().map(|step| (step.weight, step.target as usize)).collect())
        .collect();
    steps.push(vec![(0, states)]);
    for state in 0..states {
        if steps[state].is_empty() {
            steps[state].push((0, if blocking == Blocking::Sink { states } else { state }));
        }
    }
    steps
}

/// The states that satisfy a node, by the definition. The state behind the last one is the sink.
fn satisfying(
    structure: &WeightedStructure,
    steps: &[Vec<(u64, usize)>],
    formula: &WctlFormula,
) -> Vec<Vec<bool>> {
    let states = steps.len();
    let mut sets: Vec<Vec<bool>> = Vec::new();
    for node in &formula.nodes {
        let contains = |interval: &WeightInterval, weight: u64| interval.contains(&structure.number(weight));
        let set = match node {
            Wctl::Constant(value) => vec![*value; states],
            Wctl::Atom(atom) => (0..states)
                .map(|s| s + 1 < states && structure.multiplicity(s as u32, atom.index() as u32) > 0)
                .collect(),
            Wctl::Not(inner) => sets[inner.index()].iter().map(|holds| !holds).collect(),
            Wctl::And(left, right) => {
                (0..states).map(|s| sets[left.index()][s] && sets[right.index()][s]).collect()
            }
            Wctl::Or(left, right) => {
                (0..states).map(|s| sets[left.index()][s] || sets[right.index()][s]).collect()
            }
            Wctl::Next(quantifier, interval, inner) => {
                let inner = &sets[inner.index()];
                let holds = |s: usize| {
                    let mut within = steps[s].iter().filter(|(weight, _)| contains(interval, *weight));
                    match quantifier {
                        Quantifier::Exists => within.any(|&(_, t)| inner[t]),
                        Quantifier::All => within.all(|&(_, t)| inner[t]),
                    }
                };
                (0..states).map(holds).collect()
            }
            Wctl::Until(quantifier, left, interval, right) => {
                // All larger weights are alike: in the interval if it has no upper end, else outside.
                let cap = 40;
                let (left, right) = (&sets[left.index()], &sets[right.index()]);
                let mut good = vec![vec![false; cap as usize + 1]; states];
                loop {
                    let mut changed = false;
                    for s in 0..states {
                        for weight in 0..=cap {
                            let next = |&(more, t): &(u64, usize)| good[t][(weight + more).min(cap) as usize];
                            let goes_on = left[s]
                                && match quantifier {
                                    Quantifier::Exists => steps[s].iter().any(next),
                                    Quantifier::All => steps[s].iter().all(next),
                                };
                            let holds = right[s] && contains(interval, weight) || goes_on;
                            changed |= holds != good[s][weight as usize];
                            good[s][weight as usize] = holds;
                        }
                    }
                    if !changed {
                        break;
                    }
                }
                good.iter().map(|by_weight| by_weight[0]).collect()
            }
        };
        sets.push(set);
    }
    sets
}

/// The verdicts of an explanation are right, and its paths are paths.
fn check_explanation(
    explanation: &Explanation,
    sets: &[Vec<bool>],
    steps: &[Vec<(u64, usize)>],
    formula: &WctlFormula,
) {
    let sink = steps.len() - 1;
    let place = |state: u32| if state == SINK { sink } else { state as usize };
    let mut open = vec![explanation];
    while let Some(part) = open.pop() {
        let text = formula.text(part.node);
        assert_eq!(
            part.holds,
            sets[part.node.index()][place(part.state)],
            "{text} in {} for {formula}: {explanation:?}, {steps:?}",
            part.state
        );
        if let Reason::Path { steps: path, cycle_start, .. } = &part.reason {
            assert!(path.first().is_none_or(|step| step.0 == part.state), "{text}: a path begins elsewhere");
            assert!(path.windows(2).all(|pair| pair[0].2 == pair[1].0), "{text}: a path has a gap");
            for &(from, weight, to) in path {
                assert!(steps[place(from)].contains(&(weight, place(to))), "{text}: a step is none");
            }
            if let Some(start) = *cycle_start {
                assert_eq!(path.last().map(|step| step.2), Some(path[start].0), "{text}: a cycle is open");
            }
        }
        open.extend(&part.because);
    }
}

#[test]
fn both_algorithms_agree_with_the_definition() {
    let control = Control::unlimited();
    let mut verdicts = [0u32; 2];
    for seed in 0..6_000u64 {
        let mut random = Random(seed);
        let structure = structure(&mut random);
        let mut formula = formula(&mut random);
        if formula.nodes.len() > 4 {
            // Also a part of it.
            formula.root = WctlId::from_index(formula.nodes.len() - 1 - random.below(2));
        }
        for blocking in [Blocking::Loop, Blocking::Sink] {
            let steps = steps_of(&structure, blocking);
            let sets = satisfying(&structure, &steps, &formula);
            let wanted = &sets[formula.root.index()];
            let mut valued = Valued::new(&structure, &formula).expect("small amounts");
            let checked = check_global(&valued, &formula, blocking, &control).expect("no limit");
            for state in 0..structure.num_states() {
                let case = || format!("seed {seed}: {formula} in {state}, {blocking:?}\n{structure:?}");
                assert_eq!(checked.holds().contains(state), wanted[state], "global, {}", case());
                verdicts[usize::from(wanted[state])] += 1;
                let explanation = checked.explain(state as u32).expect("no limit");
                let unit = &structure.unit;
                let local = check_local(&mut valued, &formula, Some(state as u32), blocking, unit, &control)
                    .expect("no limit");
                assert_eq!(local.holds, wanted[state], "local, {}", case());
                check_explanation(&explanation, &sets, &steps, &formula);
                check_explanation(&local.explanation, &sets, &steps, &formula);
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 5_000), "{verdicts:?}");
}
