//! Weighted branching bisimulation: against the definition, against formulas, on published structures, and its quotients and formulas.

use crate::published::published;
use crate::reference::{bisimilar, divergence_bisimilar, evaluate};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::{
    Distinction, Options, bisimulation, distinguish, has_zero_weight_cycle, quotient,
};

const LITERAL: Options = Options { divergence: false, blocking_diverges: false };
const SENSITIVE: Options = Options { divergence: true, blocking_diverges: true };

fn step(weight: u64, target: u32) -> WeightedStep {
    WeightedStep { weight, target }
}

/// Propositions and steps.
type State<'a> = (&'a [u32], &'a [(u64, u32)]);

fn build(states: &[State]) -> WeightedStructure {
    let mut builder = WeightedBuilder::new();
    for (propositions, steps) in states {
        let steps = steps.iter().map(|&(weight, target)| step(weight, target));
        builder.state(propositions.iter().map(|&p| (p, 1)), steps);
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

fn random_structure(random: &mut Random, least: usize) -> WeightedStructure {
    let states = least + random.below(4);
    let weights: &[u64] =
        random.pick(&[&[0, 1, 2][..], &[1, 2, 3], &[0, 0, 1], &[2, 3, 5, 10], &[0, 1, 70, 64]]);
    let (most, kinds) = (1 + random.below(3), 1 + random.below(3));
    let mut builder = WeightedBuilder::new();
    for _ in 0..states {
        // The multiplicity of the second one is not positive.
        let propositions = [[(0, 0)], [(0, 1)], [(0, 2)]][random.below(kinds)];
        let also = (1, -i64::from(kinds == 2 && random.one_in(4)));
        let steps: Vec<WeightedStep> = (0..random.below(most + 2))
            .map(|_| step(random.pick(weights), random.below(states) as u32))
            .collect();
        builder.state(propositions.into_iter().chain([also]), steps);
    }
    builder.finish(random.below(states) as u32, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

fn blocks(structure: &WeightedStructure, options: Options) -> Vec<u32> {
    let found = bisimulation(structure, options, &Control::unlimited()).expect("there are no limits");
    // Numbered by least states.
    let mut next = 0;
    for &block in &found.block_of {
        assert!(block <= next);
        next += u32::from(block == next);
    }
    assert_eq!(found.count, next as usize);
    found.block_of
}

#[test]
fn agrees_with_the_definition() {
    let mut random = Random(21);
    let (mut related, mut apart) = (0, 0);
    for case in 0..4000 {
        let structure = random_structure(&mut random, 5);
        let found = blocks(&structure, LITERAL);
        let expected = bisimilar(&structure);
        for s in 0..found.len() {
            for t in 0..s {
                assert_eq!(found[s] == found[t], expected[s][t], "case {case}: {s} {t} {structure:?}");
                if structure.valuation_of(s as u32) == structure.valuation_of(t as u32) {
                    *if expected[s][t] { &mut related } else { &mut apart } += 1;
                }
            }
        }
    }
    assert!(related > 2000 && apart > 2000, "{related} {apart}");
}

#[test]
fn sensitive_to_divergence() {
    let mut random = Random(22);
    let mut finer = 0;
    for case in 0..4000 {
        let structure = random_structure(&mut random, 3);
        for blocking_diverges in [false, true] {
            let options = Options { divergence: true, blocking_diverges };
            let found = blocks(&structure, options);
            let expected = divergence_bisimilar(&structure, blocking_diverges);
            for s in 0..found.len() {
                for t in 0..s {
                    assert_eq!(
                        found[s] == found[t],
                        expected[s] == expected[t],
                        "case {case}: {structure:?}"
                    );
                }
            }
            finer += usize::from(found != blocks(&structure, LITERAL));
        }
    }
    assert!(finer > 200, "{finer}");
}

/// Refinement with clean and dirty states on structures with longer histories.
#[test]
fn larger_structures_agree_with_the_definition() {
    let mut random = Random(23);
    for case in 0..150 {
        let states = 20 + random.below(20);
        let mut builder = WeightedBuilder::new();
        let weights: &[u64] = random.pick(&[&[0u64, 1][..], &[1, 2], &[1, 2, 3, 9]]);
        for s in 0..states {
            // Chains with few chords.
            let mut steps = Vec::new();
            if s + 1 < states && !random.one_in(9) {
                steps.push(step(random.pick(weights), s as u32 + 1));
            }
            if random.one_in(3) {
                steps.push(step(random.pick(weights), random.below(states) as u32));
            }
            builder.state([(0, i64::from(random.one_in(12)))], steps);
        }
        let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned()]);
        let (found, expected) = (blocks(&structure, LITERAL), bisimilar(&structure));
        for s in 0..states {
            for t in 0..s {
                assert_eq!(found[s] == found[t], expected[s][t], "case {case}: {s} {t} {structure:?}");
            }
        }
    }
}

fn random_formula(random: &mut Random) -> WctlFormula {
    let id = WctlId::from_index;
    let mut nodes =
        vec![Wctl::Constant(true), Wctl::Atom(AtomId::from_index(0)), Wctl::Atom(AtomId::from_index(1))];
    for _ in 0..2 + random.below(8) {
        let last = nodes.len();
        let (f, g) = (id(random.below(last)), id(last - 1 - random.below(last.min(3))));
        nodes.push(match random.below(6) {
            0 => Wctl::Not(g),
            1 => Wctl::And(f, g),
            2 => Wctl::Or(f, g),
            _ => {
                let limit = |amount: usize| Limit { amount: RBig::from(amount), strict: false };
                let quantifier = random.pick(&[Quantifier::Exists, Quantifier::All]);
                // A universal operator with a lower bound is not preserved: see `steps_jump_over_intervals`.
                let low = if quantifier == Quantifier::All { 0 } else { random.below(5) };
                let upper = (!random.one_in(4)).then(|| limit(low + random.below(4)));
                Wctl::Until(quantifier, f, WeightInterval { lower: limit(low), upper }, g)
            }
        });
    }
    let root = id(nodes.len() - 1);
    WctlFormula {
        nodes,
        root,
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".into(), "q".into()],
    }
}

/// Theorem 1, with divergence; and by Definition 4 as it is written, where no cycle has weight 0.
#[test]
fn related_states_satisfy_the_same_formulas() {
    let mut random = Random(24);
    let (mut pairs, mut violations) = (0, 0);
    for case in 0..3000 {
        let structure = random_structure(&mut random, 3);
        let (sensitive, literal) = (blocks(&structure, SENSITIVE), blocks(&structure, LITERAL));
        let blocking = (0..structure.num_states() as u32).any(|s| structure.outgoing(s).is_empty());
        let has_cycle = has_zero_weight_cycle(&structure).is_some() || blocking;
        for _ in 0..12 {
            let formula = random_formula(&mut random);
            let holds = evaluate(&structure, &formula);
            for s in 0..holds.len() {
                for t in 0..s {
                    if sensitive[s] == sensitive[t] {
                        assert_eq!(holds[s], holds[t], "case {case}: {s} {t} {formula} {structure:?}");
                        pairs += 1;
                    }
                    if literal[s] == literal[t] && holds[s] != holds[t] {
                        assert!(has_cycle, "case {case}: {s} {t} {formula} {structure:?}");
                        violations += 1;
                    }
                }
            }
        }
    }
    assert!(pairs > 5000 && violations > 0, "{pairs} {violations}");
}

/// Theorem 1 fails for universal operators with a lower bound, even where no cycle has weight 0.
#[test]
fn steps_jump_over_intervals() {
    let structure = build(&[(&[0], &[(1, 1), (2, 1)]), (&[0], &[(1, 1)])]);
    assert_eq!(blocks(&structure, SENSITIVE), [0, 0]);
    assert_eq!(bisimilar(&structure), [[true, true], [true, true]]);
    let one = || Limit { amount: RBig::ONE, strict: false };
    let p = WctlId::from_index(0);
    let exactly = WeightInterval { lower: one(), upper: Some(one()) };
    let formula = WctlFormula {
        nodes: vec![Wctl::Atom(AtomId::from_index(0)), Wctl::Until(Quantifier::All, p, exactly, p)],
        root: WctlId::from_index(1),
        atoms: vec![Atom::Holds(0)],
        names: vec!["p".into()],
    };
    assert_eq!(evaluate(&structure, &formula), [false, true]);
}

#[test]
fn cycles_of_weight_zero_are_found() {
    let mut random = Random(25);
    let mut found = 0;
    for _ in 0..2000 {
        let structure = random_structure(&mut random, 3);
        let states = structure.num_states();
        // States with endless steps of weight 0.
        let mut alive = vec![true; states];
        for _ in 0..states {
            let goes_on = |s: u32| {
                let mut steps = structure.outgoing(s).iter();
                steps.any(|step| step.weight == 0 && alive[step.target as usize])
            };
            alive = (0..states as u32).map(goes_on).collect();
        }
        let cycle = has_zero_weight_cycle(&structure);
        assert_eq!(cycle.is_some(), alive.contains(&true));
        if let Some(cycle) = cycle {
            found += 1;
            for (place, &s) in cycle.iter().enumerate() {
                assert!(structure.outgoing(s).contains(&step(0, cycle[(place + 1) % cycle.len()])));
            }
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn quotients_are_bisimilar_and_minimal() {
    let control = Control::unlimited();
    let mut random = Random(26);
    let mut smaller = 0;
    for case in 0..3000 {
        let structure = random_structure(&mut random, 3);
        for options in [LITERAL, SENSITIVE, Options { divergence: true, blocking_diverges: false }] {
            let partition = bisimulation(&structure, options, &control).expect("no limits");
            let reduced = quotient(&structure, &partition, options, &control).expect("no limits");
            assert_eq!(reduced.num_states(), partition.count);
            assert!(reduced.num_steps() <= structure.num_steps());
            smaller += usize::from(reduced.num_steps() < structure.num_steps());
            let both = structure.union(&reduced).expect("it fits");
            let together = bisimulation(&both, options, &control).expect("no limits");
            assert_eq!(together.count, partition.count, "case {case} {structure:?} {reduced:?}");
            for s in 0..structure.num_states() {
                let class = structure.num_states() + partition.block_of[s] as usize;
                assert_eq!(together.block_of[s], together.block_of[class], "case {case}");
            }
            assert_eq!(reduced.initial, partition.block_of[structure.initial as usize]);
        }
    }
    assert!(smaller > 1000, "{smaller}");
}

#[test]
fn formulas_distinguish() {
    let control = Control::unlimited();
    let mut random = Random(27);
    let (mut formulas, mut largest) = (0, 0);
    for case in 0..1500 {
        let structure = random_structure(&mut random, 5);
        let found = blocks(&structure, LITERAL);
        let sensitive = blocks(&structure, SENSITIVE);
        for _ in 0..6 {
            let (s, t) = (random.below(found.len()), random.below(found.len()));
            let distinction =
                distinguish(&structure, s as u32, t as u32, SENSITIVE, &control).expect("no limits");
            match distinction {
                Distinction::Related => assert_eq!(sensitive[s], sensitive[t]),
                Distinction::Divergence => assert!(found[s] == found[t] && sensitive[s] != sensitive[t]),
                Distinction::Formula(formula) => {
                    let holds = evaluate(&structure, &formula);
                    assert!(holds[s] && !holds[t], "case {case}: {s} {t} {formula} {structure:?}");
                    formulas += 1;
                    largest = largest.max(formula.nodes.len());
                }
            }
        }
    }
    assert!(formulas > 2000 && largest > 15, "{formulas} {largest}");
}

#[test]
fn verdicts_of_the_corpus() {
    let related = |name: &str, s: &str, t: &str| {
        let named = published(name);
        let found = blocks(&named.structure, LITERAL);
        found[named.number(s) as usize] == found[named.number(t) as usize]
    };
    assert!(related("fig1ab", "s1", "s2") && related("fig1ab", "s1", "s2_2"));
    for name in ["fig1cde", "fig1cde_loop0", "fig1cde_nodirect"] {
        assert!(!related(name, "s3", "s4"), "{name}");
    }
    assert!(!related("intro", "s", "t"));
    let intro = published("intro");
    let (s, t) = (intro.number("s"), intro.number("t"));
    let distinction = distinguish(&intro.structure, t, s, LITERAL, &Control::unlimited());
    let Ok(Distinction::Formula(formula)) = distinction else { panic!("{distinction:?}") };
    let holds = evaluate(&intro.structure, &formula);
    assert!(holds[t as usize] && !holds[s as usize]);
}

#[test]
fn knapsacks() {
    let relates = |weights: &[u64], c: u64| {
        let mut builder = WeightedBuilder::new();
        let loops = |own: u32| weights.iter().map(move |&weight| step(weight, own));
        builder.state([], loops(0));
        builder.state([], loops(1).chain([step(c, 2)]));
        builder.state([], loops(2));
        let found = blocks(&builder.finish(0, RBig::ONE, Vec::new()), LITERAL);
        found[0] == found[1]
    };
    for (weights, c, expected) in [
        (&[3, 5][..], 7, false),
        (&[3, 5], 8, true),
        (&[6, 9, 20], 43, false),
        (&[6, 9, 20], 44, true),
        (&[4, 6], 7, false),
        (&[7, 11, 13], 0, true),
        (&[1_000_003, 1_000_033, 1_000_037], 1_000_000_000_000, true),
        (&[1_000_003, 1_000_033, 1_000_037], 1_000_000, false),
        (&[2_000_006, 2_000_066, 2_000_074], 999_999_999_999, false),
    ] {
        assert_eq!(relates(weights, c), expected, "{weights:?} {c}");
    }
}

#[test]
fn divergence_by_weight_zero() {
    let structure =
        build(&[(&[0], &[(0, 0), (1, 1)]), (&[1], &[(1, 1)]), (&[0], &[(1, 3)]), (&[1], &[(1, 3)])]);
    assert_eq!(blocks(&structure, LITERAL), [0, 1, 0, 1]);
    assert_eq!(blocks(&structure, SENSITIVE), [0, 1, 2, 1]);
    assert_eq!(has_zero_weight_cycle(&structure), Some(vec![0]));
    let control = Control::unlimited();
    assert_eq!(distinguish(&structure, 0, 2, SENSITIVE, &control), Ok(Distinction::Divergence));
    assert_eq!(distinguish(&structure, 0, 2, LITERAL, &control), Ok(Distinction::Related));
}

#[test]
fn perturbation_and_propositions() {
    // 51/10 and 5, in tenths.
    let structure = build(&[(&[0], &[(51, 1)]), (&[], &[]), (&[0], &[(50, 3)]), (&[], &[])]);
    assert_eq!(blocks(&structure, LITERAL), [0, 1, 2, 1]);
    let control = Control::unlimited();
    let text = |s, t| match distinguish(&structure, s, t, LITERAL, &control) {
        Ok(Distinction::Formula(formula)) => formula.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(0, 1), "p");
    assert_eq!(text(1, 0), "not p");
    assert_eq!(text(0, 2), "E(p U[51,51] not p)");
}
