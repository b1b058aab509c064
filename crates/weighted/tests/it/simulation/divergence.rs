//! Universal bounded simulation that respects divergence.

use super::{game::check_attack, naive, structure};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::wctl::{Blocking, check_global};
use volvelle_weighted::{Reason, Valued, Verdict, Window, related, simulation};

const DIVERGENCE: Options = Options { divergence: true, blocking_diverges: false };
const BLOCKING: Options = Options { divergence: true, blocking_diverges: true };

/// Whether `s` has an infinite path of steps of weight 0 along states unrelated to all successors of `t`. By
/// definition: the largest set of such states each of which has a step of weight 0 to another one, or a loop.
fn stays(structure: &WeightedStructure, options: Options, related: &[Vec<bool>], s: u32, t: u32) -> bool {
    let states = structure.num_states() as u32;
    let loops = |x: u32| options.blocking_diverges && structure.outgoing(x).is_empty();
    let follows = |x: u32| {
        let mut next = structure.outgoing(t).iter().map(|step| step.target);
        next.any(|next| related[x as usize][next as usize]) || (loops(t) && related[x as usize][t as usize])
    };
    let mut inside: Vec<bool> = (0..states).map(|x| !follows(x)).collect();
    for _ in 0..states {
        for x in 0..states {
            let mut zero = structure.outgoing(x).iter().filter(|step| step.weight == 0);
            let goes_on = loops(x) || zero.any(|step| inside[step.target as usize]);
            inside[x as usize] &= goes_on;
        }
    }
    inside[s as usize]
}

/// The largest simulation with the condition, by removing pairs.
fn by_definition(structure: &WeightedStructure, options: Options) -> Vec<Vec<bool>> {
    let mut left = naive::simulation(structure, &Window::AtLeast);
    let states = structure.num_states() as u32;
    loop {
        let mut changed = false;
        for (s, t) in (0..states).flat_map(|s| (0..states).map(move |t| (s, t))) {
            if !left[s as usize][t as usize] {
                continue;
            }
            let answered = |step: &WeightedStep| {
                let step = (s, step.weight, step.target);
                naive::answered(structure, &Window::AtLeast, &left, step, t)
            };
            let holds = structure.outgoing(s).iter().all(answered) && !stays(structure, options, &left, s, t);
            changed |= !holds;
            left[s as usize][t as usize] = holds;
        }
        if !changed {
            return left;
        }
    }
}

#[test]
fn relations_are_those_of_the_definition() {
    let mut random = Random(11);
    let (mut removed, mut kept, mut lassos) = (0, 0, 0);
    for _ in 0..1500 {
        let structure = structure(&mut random);
        let states = structure.num_states() as u32;
        let plain = naive::simulation(&structure, &Window::AtLeast);
        for options in [DIVERGENCE, BLOCKING] {
            let expected = by_definition(&structure, options);
            let control = Control::unlimited();
            let found = simulation(&structure, &Window::AtLeast, options, &control).expect("no limits");
            for (s, t) in (0..states).flat_map(|s| (0..states).map(move |t| (s, t))) {
                let holds = expected[s as usize][t as usize];
                assert_eq!(found.contains(s, t), holds, "{options:?}: {s}, {t} of {structure:?}");
                removed += u32::from(plain[s as usize][t as usize] && !holds);
                kept += u32::from(s != t && holds);
                let verdict = related(&structure, (s, t), &Window::AtLeast, options, &control);
                match verdict.expect("no limits") {
                    Verdict::Related(_) => assert!(holds, "{options:?}: {s}, {t} of {structure:?}"),
                    Verdict::Unrelated(attack) => {
                        assert!(!holds, "{options:?}: {s}, {t} of {structure:?}");
                        check_attack(&structure, &Window::AtLeast, options, &attack);
                        let stays =
                            |pair: &&volvelle_weighted::Refuted| matches!(pair.reason, Reason::Stays { .. });
                        lassos += attack.pairs.iter().filter(stays).count();
                    }
                }
            }
        }
    }
    assert!(removed > 1000 && kept > 1000 && lassos > 1000, "{removed} {kept} {lassos}");
}

/// Loops of weight 0 and little else: where the condition matters.
fn with_zero_cycles(random: &mut Random) -> WeightedStructure {
    let states = 3 + random.below(4);
    let mut builder = WeightedBuilder::new();
    for state in 0..states {
        let mut own: Vec<(u32, i64)> = (0..2).filter(|_| random.chance(30)).map(|p| (p, 1)).collect();
        if random.one_in(3) {
            own.clear();
        }
        let count = if random.one_in(6) { 0 } else { 1 + random.below(2) };
        let steps: Vec<WeightedStep> = (0..count)
            .map(|_| {
                let target = if random.one_in(3) { state } else { random.below(states) } as u32;
                WeightedStep {
                    weight: if random.chance(60) { 0 } else { 1 + random.below(2) as u64 },
                    target,
                }
            })
            .collect();
        builder.state(own, steps);
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

/// A formula of `A(f U<=u g)`, conjunction and disjunction over propositions and their negations.
fn formula(random: &mut Random) -> WctlFormula {
    let id = WctlId::from_index;
    let mut nodes = vec![
        Wctl::Atom(AtomId::from_index(0)),
        Wctl::Atom(AtomId::from_index(1)),
        Wctl::Not(id(0)),
        Wctl::Not(id(1)),
        Wctl::Constant(true),
    ];
    for _ in 0..1 + random.below(4) {
        let (one, other) = (id(random.below(nodes.len())), id(random.below(nodes.len())));
        let limit = |amount: u32| Limit { amount: RBig::from(amount), strict: false };
        let upper = if random.one_in(3) { None } else { Some(limit(random.below(4) as u32)) };
        nodes.push(match random.below(6) {
            0 => Wctl::And(one, other),
            1 => Wctl::Or(one, other),
            _ => {
                let interval = WeightInterval { lower: limit(0), upper };
                Wctl::Until(Quantifier::All, one, interval, other)
            }
        });
    }
    let root = id(nodes.len() - 1);
    let names = vec!["p".to_owned(), "q".to_owned()];
    WctlFormula { nodes, root, atoms: vec![Atom::Holds(0), Atom::Holds(1)], names }
}

fn holding(structure: &WeightedStructure, formula: &WctlFormula, blocking: Blocking) -> Vec<bool> {
    let valued = Valued::new(structure, formula).expect("small amounts");
    let checked = check_global(&valued, formula, blocking, &Control::unlimited()).expect("no limits");
    (0..structure.num_states()).map(|state| checked.holds().contains(state)).collect()
}

/// Counts pairs of a relation and formulas that hold in the second state but not in the first; and all that
/// hold in the second.
fn violations(options: Options, seed: u64) -> (u32, u32) {
    let mut random = Random(seed);
    let (mut violated, mut preserved) = (0, 0);
    for _ in 0..4000 {
        let structure = with_zero_cycles(&mut random);
        let states = structure.num_states() as u32;
        let relation =
            simulation(&structure, &Window::AtLeast, options, &Control::unlimited()).expect("no limits");
        for _ in 0..12 {
            let formula = formula(&mut random);
            let holds = holding(&structure, &formula, Blocking::Loop);
            for (s, t) in (0..states).flat_map(|s| (0..states).map(move |t| (s, t))) {
                if s != t && relation.contains(s, t) && holds[t as usize] {
                    violated += u32::from(!holds[s as usize]);
                    preserved += u32::from(holds[s as usize]);
                }
            }
        }
    }
    (violated, preserved)
}

/// Theorem 7 of the paper, with its missing condition: what holds on all paths of the second state holds on
/// all paths of the first.
#[test]
fn formulas_about_all_paths_are_preserved() {
    let (violated, preserved) = violations(BLOCKING, 21);
    assert_eq!(violated, 0);
    assert!(preserved > 20_000, "{preserved}");
    let (violated, _) = violations(Options::default(), 21);
    assert!(violated > 100, "without the condition they are not: {violated}");
}

/// s -0-> s, s -1-> u{q} against t -1-> u{q}.
#[test]
fn a_loop_of_weight_zero() {
    let mut builder = WeightedBuilder::new();
    let step = |weight, target| WeightedStep { weight, target };
    builder.state([(0, 1)], [step(0, 0), step(1, 2)]);
    builder.state([(0, 1)], [step(1, 2)]);
    builder.state([(1, 1)], [step(0, 2)]);
    let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    let id = WctlId::from_index;
    let limit = |amount: u32| Limit { amount: RBig::from(amount), strict: false };
    let interval = WeightInterval { lower: limit(0), upper: Some(limit(1)) };
    let formula = WctlFormula {
        nodes: vec![
            Wctl::Atom(AtomId::from_index(0)),
            Wctl::Atom(AtomId::from_index(1)),
            Wctl::Until(Quantifier::All, id(0), interval, id(1)),
        ],
        root: id(2),
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".to_owned(), "q".to_owned()],
    };
    assert_eq!(holding(&structure, &formula, Blocking::Loop), [false, true, true]);
    let control = Control::unlimited();
    let decide = |pair: (u32, u32), options: Options| {
        related(&structure, pair, &Window::AtLeast, options, &control).expect("no limits")
    };
    assert!(matches!(decide((0, 1), Options::default()), Verdict::Related(_)));
    assert!(matches!(decide((1, 0), DIVERGENCE), Verdict::Related(_)));
    let Verdict::Unrelated(attack) = decide((0, 1), DIVERGENCE) else { panic!("the first one stays") };
    assert_eq!(attack.pairs.len(), 1);
    assert_eq!(attack.pairs[0].reason, Reason::Stays { path: vec![0], back_to: 0, following: Vec::new() });
}
