//! Formulas of weighted CTL on infinite systems, on structures with large weights, and on the structures of the literature.

use crate::published::published;
use dashu_ratio::RBig;
use volvelle_control::{Control, Limits, Stop};
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep};
use volvelle_weighted::wctl::{
    Blocking, Decisive, PathEnd, Reason, SINK, check_explored, check_global, check_local,
};
use volvelle_weighted::{Failure, System, Valued};

fn id(index: usize) -> WctlId {
    WctlId::from_index(index)
}

fn limit(amount: u64, strict: bool) -> Limit {
    Limit { amount: RBig::from(amount), strict }
}

/// `[lower, upper]`
fn closed(lower: u64, upper: Option<u64>) -> WeightInterval {
    WeightInterval { lower: limit(lower, false), upper: upper.map(|upper| limit(upper, false)) }
}

/// A formula over the propositions `p` (node 0) and `q` (node 1); nodes from 2 on are these, the last one is the root.
fn formula(nodes: impl IntoIterator<Item = Wctl>) -> WctlFormula {
    let atoms = [Wctl::Atom(AtomId::from_index(0)), Wctl::Atom(AtomId::from_index(1))];
    let nodes: Vec<Wctl> = atoms.into_iter().chain(nodes).collect();
    WctlFormula {
        root: id(nodes.len() - 1),
        nodes,
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".to_owned(), "q".to_owned()],
    }
}

/// `E(p U q)`, `A(p U q)` with an interval.
fn until(quantifier: Quantifier, interval: WeightInterval) -> WctlFormula {
    formula([Wctl::Until(quantifier, id(0), interval, id(1))])
}

/// A tree of pairs of a branch and a number, generated on the fly. At the root begin two branches: an endless
/// one, whose steps weigh `idle`, and then one with `length` steps of weight 1 to a state with the
/// propositions `end`. All others have only `p`.
struct Branches {
    idle: u64,
    length: u64,
    end: [bool; 2],
    /// By state: whether it is on the endless branch, and how far.
    known: Vec<(bool, u64)>,
}

impl Branches {
    fn new(idle: u64, length: u64, end: [bool; 2]) -> Self {
        Branches { idle, length, end, known: vec![(true, 0)] }
    }
}

impl System for Branches {
    fn initial(&self) -> u32 {
        0
    }

    fn num_known(&self) -> usize {
        self.known.len()
    }

    fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), Failure> {
        let (is_endless, at) = self.known[state as usize];
        let mut step = |to: (bool, u64), weight| {
            into.push(WeightedStep { weight, target: self.known.len() as u32 });
            self.known.push(to);
        };
        if is_endless {
            step((true, at + 1), self.idle);
        }
        if at == 0 || !is_endless && at < self.length {
            step((false, at + 1), 1);
        }
        Ok(())
    }

    fn holds(&mut self, state: u32, atom: usize) -> Result<bool, Failure> {
        let (is_endless, at) = self.known[state as usize];
        let is_end = !is_endless && at == self.length;
        Ok(if is_end { self.end[atom] } else { atom == 0 })
    }
}

#[test]
fn witnesses_and_refutations_beside_endless_branches() {
    let control = Control::unlimited();
    for idle in [0, 1] {
        for blocking in [Blocking::Loop, Blocking::Sink] {
            let check = |system: &mut Branches, formula: &WctlFormula| {
                check_local(system, formula, None, blocking, &RBig::ONE, &control).expect("it ends")
            };
            for (lower, upper) in [(0, Some(40)), (0, None), (30, None), (3, Some(40))] {
                let mut system = Branches::new(idle, 40, [false, true]);
                let some = check(&mut system, &until(Quantifier::Exists, closed(lower, upper)));
                assert!(some.holds, "{idle}, {lower}, {upper:?}");
                let Reason::Path { steps, .. } = &some.explanation.reason else { panic!("no path") };
                assert_eq!(steps.len(), 40);
                // Neither `p` nor `q` holds at the end.
                let mut system = Branches::new(idle, 40, [false, false]);
                let all = check(&mut system, &until(Quantifier::All, closed(lower, upper)));
                assert!(!all.holds, "{idle}, {lower}, {upper:?}");
                let refuted = matches!(all.explanation.reason, Reason::Path { .. });
                assert!(refuted, "{:?}", all.explanation);
            }
            // The weight of the path is above the interval; a loop is a cycle.
            let mut system = Branches::new(idle, 41, [true, true]);
            let all = check(&mut system, &until(Quantifier::All, closed(0, Some(40))));
            assert!(!all.holds);
        }
    }
    // All steps have weight: a bound cuts the endless branch.
    let mut system = Branches::new(1, 41, [true, true]);
    let some = check_local(
        &mut system,
        &until(Quantifier::Exists, closed(0, Some(40))),
        None,
        Blocking::Loop,
        &RBig::ONE,
        &control,
    )
    .expect("it ends");
    assert!(!some.holds && some.expanded < 100, "{some:?}");
}

#[test]
fn limits_stop_searches() {
    let limited = |limits: Limits| Control { limits, ..Control::unlimited() };
    let none = until(Quantifier::Exists, closed(0, None));
    let run = |limits: Limits| {
        let mut system = Branches::new(0, 10, [false, false]);
        check_local(&mut system, &none, None, Blocking::Loop, &RBig::ONE, &limited(limits))
    };
    let states = Limits { states: Some(5000), ..Limits::default() };
    assert_eq!(run(states), Err(Failure::Stopped(Stop::States)));
    let memory = Limits { memory_bytes: Some(1 << 20), ..Limits::default() };
    assert_eq!(run(memory), Err(Failure::Stopped(Stop::Memory)));
    let mut system = Branches::new(0, 10, [false, false]);
    let explored = check_explored(&mut system, &none, Blocking::Loop, &RBig::ONE, &limited(states));
    assert_eq!(explored.err(), Some(Failure::Stopped(Stop::States)));
}

/// Propositions and steps of a state.
type Row = (Vec<(u32, i64)>, Vec<WeightedStep>);

/// All weights and bounds times a large number: verdicts are the same, but there are too many layers, and sums of 64 bits are near.
#[test]
fn large_weights_have_the_verdicts_of_small_ones() {
    let control = Control::unlimited();
    let mut verdicts = [0u32; 2];
    for seed in 0..1500u64 {
        let mut random = Random(seed);
        let states = 1 + random.below(6);
        let factor = 1u64 << (34 + random.below(24));
        let rows: Vec<Row> = (0..states)
            .map(|_| {
                let propositions = vec![(0, i64::from(random.chance(80))), (1, i64::from(random.one_in(3)))];
                let step = |random: &mut Random| WeightedStep {
                    weight: random.below(4) as u64,
                    target: random.below(states) as u32,
                };
                (propositions, (0..random.below(4)).map(|_| step(&mut random)).collect())
            })
            .collect();
        let structure = |factor: u64| {
            let mut builder = WeightedBuilder::new();
            for (propositions, steps) in &rows {
                let steps =
                    steps.iter().map(|s| WeightedStep { weight: s.weight * factor, target: s.target });
                builder.state(propositions.iter().copied(), steps);
            }
            builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
        };
        let (lower, wide) = (random.below(6) as u64, random.below(6) as u64);
        let upper = random.chance(70).then_some(lower + wide);
        for quantifier in [Quantifier::Exists, Quantifier::All] {
            let small = until(quantifier, closed(lower, upper));
            let large = until(quantifier, closed(lower * factor, upper.map(|upper| upper * factor)));
            let (plain, scaled) = (structure(1), structure(factor));
            let valued = Valued::new(&plain, &small).expect("amounts are small");
            let wanted = check_global(&valued, &small, Blocking::Loop, &control).expect("no limit");
            let mut valued = Valued::new(&scaled, &large).expect("amounts are small");
            let found = check_global(&valued, &large, Blocking::Loop, &control).expect("no limit");
            assert_eq!(found.holds(), wanted.holds(), "seed {seed}: {large}");
            for state in 0..states as u32 {
                let local =
                    check_local(&mut valued, &large, Some(state), Blocking::Loop, &RBig::ONE, &control);
                let local = local.expect("no limit").holds;
                assert_eq!(local, wanted.holds().contains(state as usize), "seed {seed}: {large}");
                verdicts[usize::from(local)] += 1;
                let explanation = found.explain(state).expect("no limit");
                let shows = local == (quantifier == Quantifier::Exists);
                assert_eq!(matches!(explanation.reason, Reason::Path { .. }), shows, "{explanation:?}");
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 1000), "{verdicts:?}");
}

/// `EF[c,c] q` is the unbounded knapsack problem.
#[test]
fn knapsacks() {
    let control = Control::unlimited();
    let holds = |weights: &[u64], c: u64| {
        let mut builder = WeightedBuilder::new();
        let loops = weights.iter().map(|&weight| WeightedStep { weight, target: 0 });
        builder.state([(0, 1)], loops.chain([WeightedStep { weight: 0, target: 1 }]));
        builder.state([(1, 1)], []);
        let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
        let formula = until(Quantifier::Exists, closed(c, Some(c)));
        let valued = Valued::new(&structure, &formula).expect("amounts are small");
        let checked = check_global(&valued, &formula, Blocking::Loop, &control).expect("no limit");
        let explanation = checked.explain(0).expect("no limit");
        if let Reason::Path { steps, .. } = &explanation.reason {
            assert_eq!(steps.iter().map(|step| step.1).sum::<u64>(), c);
        }
        checked.holds().contains(0)
    };
    assert!(!holds(&[3, 5], 7) && holds(&[3, 5], 8));
    assert!(!holds(&[6, 9, 20], 43) && holds(&[6, 9, 20], 44));
    assert!(!holds(&[4, 6], 7) && holds(&[7, 11, 13], 0));
    let large = [1_000_003, 1_000_033, 1_000_037];
    assert!(holds(&large, 1_000_000_000_000));
    assert!(holds(&large, 5 * large[0] + 7 * large[1] + large[2]));
    assert!(!holds(&large, 5 * large[0] + 1));
}

/// The verdicts of L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances*.
#[test]
fn published_verdicts() {
    use Quantifier::{All, Exists};
    let holds = |name: &str, state: &str, formula: &WctlFormula| {
        let named = published(name);
        let (structure, state) = (&named.structure, named.number(state));
        let control = Control::unlimited();
        let mut valued = Valued::new(structure, formula).expect("amounts are small");
        let global = check_global(&valued, formula, Blocking::Loop, &control).expect("no limit");
        let unit = &structure.unit;
        let local = check_local(&mut valued, formula, Some(state), Blocking::Loop, unit, &control);
        let local = local.expect("no limit").holds;
        assert_eq!(global.holds().contains(state as usize), local);
        local
    };
    let open = WeightInterval { lower: limit(1, false), upper: Some(limit(3, true)) };
    assert!(holds("fig1ab", "s1", &formula([Wctl::Next(All, open, id(0))])));
    assert!(holds("fig1ab", "s1", &until(Exists, closed(4, Some(9)))));
    assert!(!holds("fig1ab", "s1", &until(All, closed(0, Some(7)))));
    for name in ["fig1cde", "fig1cde_loop0", "fig1cde_nodirect"] {
        assert!(holds(name, "s3", &until(All, closed(2, Some(5)))), "{name}");
        assert!(!holds(name, "s4", &until(All, closed(2, Some(5)))), "{name}");
        // E(p U[0,u] E(p U[0,u] q))
        let twice = |upper: u64| {
            formula([
                Wctl::Until(Exists, id(0), closed(0, Some(upper)), id(1)),
                Wctl::Until(Exists, id(0), closed(0, Some(upper)), id(2)),
            ])
        };
        assert!(holds(name, "s4", &twice(1)) && !holds(name, "s3", &twice(1)), "{name}");
        assert!(holds(name, "s3", &twice(2)), "{name}");
    }
    // E(p U[3,3] E(p U[2,2] not p))
    let exact = formula([
        Wctl::Not(id(0)),
        Wctl::Until(Exists, id(0), closed(2, Some(2)), id(2)),
        Wctl::Until(Exists, id(0), closed(3, Some(3)), id(3)),
    ]);
    assert!(holds("intro", "t", &exact) && !holds("intro", "s", &exact));
    // A state that can stay forever by steps of weight 0, and one that cannot.
    let step = |weight: u64, target: u32| WeightedStep { weight, target };
    let mut builder = WeightedBuilder::new();
    builder.state([(0, 1)], [step(0, 0), step(1, 1)]);
    builder.state([(1, 1)], [step(1, 1)]);
    builder.state([(0, 1)], [step(1, 1)]);
    let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    let formula = until(All, closed(0, Some(1)));
    let valued = Valued::new(&structure, &formula).expect("amounts are small");
    let control = Control::unlimited();
    let checked = check_global(&valued, &formula, Blocking::Loop, &control).expect("no limit");
    assert!(!checked.holds().contains(0) && checked.holds().contains(2));
    let refuted = checked.explain(0).expect("no limit").reason;
    let expected = Reason::Path { steps: vec![(0, 0, 0)], cycle_start: Some(0), end: PathEnd::Cycle };
    assert_eq!(refuted, expected);
    assert_eq!(checked.explain(2).expect("no limit").reason, Reason::All(Some(Decisive::Largest(1))));
}

#[test]
fn blocking_states_have_a_loop_or_a_step_to_a_sink() {
    let mut builder = WeightedBuilder::new();
    builder.state([(0, 1)], []);
    let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    // Some step, of any weight, leads to a state without `p`.
    let next = formula([Wctl::Not(id(0)), Wctl::Next(Quantifier::Exists, WeightInterval::any(), id(2))]);
    let control = Control::unlimited();
    for (blocking, expected) in [(Blocking::Loop, false), (Blocking::Sink, true)] {
        let mut valued = Valued::new(&structure, &next).expect("amounts are small");
        let checked = check_global(&valued, &next, blocking, &control).expect("no limit");
        let explored = check_explored(&mut valued, &next, blocking, &RBig::ONE, &control).expect("no limit");
        let local = check_local(&mut valued, &next, None, blocking, &RBig::ONE, &control).expect("no limit");
        assert_eq!(
            [checked.holds().contains(0), explored.holds().contains(0), local.holds],
            [expected; 3],
            "{blocking:?}"
        );
        if expected {
            let Reason::Path { steps, .. } = local.explanation.reason else { panic!("no step") };
            assert_eq!(steps, [(0, 0, SINK)]);
        }
    }
}

/// Chained operands are not deep, but nested temporal operators are; the local algorithm rejects too many.
#[test]
fn long_formulas() {
    let control = Control::unlimited();
    let mut builder = WeightedBuilder::new();
    builder.state([(0, 1)], [WeightedStep { weight: 1, target: 0 }]);
    let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    let run = |formula: &WctlFormula| {
        let mut valued = Valued::new(&structure, formula).expect("amounts are small");
        let global = check_global(&valued, formula, Blocking::Loop, &control).expect("no limit");
        global.explain(0).expect("no limit");
        let local = check_local(&mut valued, formula, None, Blocking::Loop, &RBig::ONE, &control);
        (global.holds().contains(0), local.map(|answer| answer.holds))
    };
    let mut nodes = vec![Wctl::And(id(0), id(0))];
    for node in 3..50_000 {
        nodes.push(if node % 2 == 0 { Wctl::And(id(node - 1), id(0)) } else { Wctl::Not(id(node - 1)) });
    }
    let (global, local) = run(&formula(nodes));
    assert_eq!(local, Ok(global));
    let nested = |depth: usize| {
        formula((0..depth).map(|level| {
            let inner = if level == 0 { id(0) } else { id(level + 1) };
            Wctl::Until(Quantifier::Exists, id(0), closed(0, Some(1)), inner)
        }))
    };
    assert_eq!(run(&nested(200)), (true, Ok(true)));
    let (global, local) = run(&nested(2000));
    assert!(global && matches!(local, Err(Failure::System(_))), "{local:?}");
}

/// A state that is too far for the remaining bound is not too far for all bounds, and neither are its
/// predecessors.
#[test]
fn facts_about_small_bounds_are_no_facts_about_large_ones() {
    let step = |weight: u64, target: u32| WeightedStep { weight, target };
    let rows = [
        vec![step(9, 1), step(9, 2)],
        vec![step(4, 4)],
        vec![step(3, 3)],
        vec![step(1, 4)],
        vec![step(2, 5)],
        vec![step(0, 5)],
    ];
    let mut builder = WeightedBuilder::new();
    for (state, steps) in rows.iter().enumerate() {
        // `p` holds where `q` is near enough.
        builder.state([(0, i64::from(state >= 3)), (1, i64::from(state == 5))], steps.iter().copied());
    }
    let structure = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    let all = formula([
        Wctl::Constant(true),
        Wctl::Until(Quantifier::Exists, id(2), closed(0, Some(5)), id(1)),
        Wctl::Not(id(0)),
        Wctl::Not(id(3)),
        Wctl::And(id(3), id(4)),
        Wctl::And(id(0), id(5)),
        Wctl::Or(id(6), id(7)),
        Wctl::Until(Quantifier::Exists, id(2), WeightInterval::any(), id(8)),
    ]);
    let mut valued = Valued::new(&structure, &all).expect("amounts are small");
    let control = Control::unlimited();
    let differs =
        check_local(&mut valued, &all, None, Blocking::Loop, &RBig::ONE, &control).expect("no limit");
    assert!(!differs.holds, "{differs:?}");
}
