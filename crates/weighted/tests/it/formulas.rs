//! Formulas of weighted CTL on random structures: the global and the local algorithm against the definition, evaluated on pairs of a
//! state and an accumulated weight.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::Valued;
use volvelle_weighted::wctl::{
    Blocking, Decisive, Explanation, PathEnd, Reason, SINK, check_explored, check_global, check_local,
};

/// Propositions and steps of a state.
type Row = (Vec<(u32, i64)>, Vec<WeightedStep>);

/// States of up to two propositions; steps with weights 0 to 3 units of a half.
pub(super) fn structure(random: &mut Random) -> WeightedStructure {
    let states = 1 + random.below(6) as u32;
    let mut builder = WeightedBuilder::new();
    for _ in 0..states {
        let propositions: Vec<(u32, i64)> = (0..2).filter(|_| random.below(2) == 0).map(|p| (p, 1)).collect();
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
pub(super) fn steps_of(structure: &WeightedStructure, blocking: Blocking) -> Vec<Vec<(u64, usize)>> {
    let states = structure.num_states();
    let mut steps: Vec<Vec<(u64, usize)>> = (0..states as u32)
        .map(|s| structure.outgoing(s).iter().map(|step| (step.weight, step.target as usize)).collect())
        .collect();
    steps.push(vec![(0, states)]);
    for (state, own) in steps.iter_mut().enumerate() {
        if own.is_empty() {
            own.push((0, if blocking == Blocking::Sink { states } else { state }));
        }
    }
    steps
}

/// Weights from here on are alike: in an interval if it has no upper end, else outside.
pub(super) const CAP: u64 = 40;

/// The least fixpoint over pairs of a state and a weight, at weight 0.
pub(super) fn until(
    steps: &[Vec<(u64, usize)>],
    quantifier: Quantifier,
    left: &[bool],
    right: &[bool],
    within: impl Fn(u64) -> bool,
) -> Vec<bool> {
    let states = steps.len();
    let mut good = vec![vec![false; CAP as usize + 1]; states];
    loop {
        let mut changed = false;
        for s in 0..states {
            for weight in 0..=CAP {
                let next = |&(more, t): &(u64, usize)| good[t][(weight + more).min(CAP) as usize];
                let goes_on = left[s]
                    && match quantifier {
                        Quantifier::Exists => steps[s].iter().any(next),
                        Quantifier::All => steps[s].iter().all(next),
                    };
                let holds = right[s] && within(weight) || goes_on;
                changed |= holds != good[s][weight as usize];
                good[s][weight as usize] = holds;
            }
        }
        if !changed {
            return good.iter().map(|by_weight| by_weight[0]).collect();
        }
    }
}

/// The states that satisfy a node, by the definition. The state after the last one is the sink.
pub(super) fn satisfying(
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
                let (left, right) = (&sets[left.index()], &sets[right.index()]);
                let within = |weight: u64| contains(interval, weight);
                until(steps, *quantifier, left, right, within)
            }
        };
        sets.push(set);
    }
    sets
}

/// Explanations with what they are about.
struct Checker<'a> {
    structure: &'a WeightedStructure,
    steps: &'a [Vec<(u64, usize)>],
    formula: &'a WctlFormula,
    sets: &'a [Vec<bool>],
    /// Whether all states are known, so that paths are the lightest ones and numbers are there.
    is_global: bool,
}

impl Checker<'_> {
    fn place(&self, state: u32) -> usize {
        if state == SINK { self.steps.len() - 1 } else { state as usize }
    }

    /// The verdicts of an explanation are right, and its paths show what they are to show.
    fn check(&self, explanation: &Explanation) {
        let mut open = vec![explanation];
        while let Some(part) = open.pop() {
            let (state, node) = (self.place(part.state), self.formula.node(part.node));
            let text = self.formula.text(part.node);
            let case = format!("{text} in {state} for {}: {explanation:?}, {:?}", self.formula, self.steps);
            assert_eq!(part.holds, self.sets[part.node.index()][state], "{case}");
            match (node, &part.reason) {
                (Wctl::Constant(_) | Wctl::Atom(_), reason) => {
                    assert!(*reason == Reason::State && part.because.is_empty(), "{case}");
                }
                (Wctl::Not(_), reason) => {
                    assert!(*reason == Reason::Parts && part.because.len() == 1, "{case}");
                    assert_ne!(part.because[0].holds, part.holds, "{case}");
                }
                (Wctl::And(..) | Wctl::Or(..), reason) => {
                    let is_and = matches!(node, Wctl::And(..));
                    let parts = if part.holds == is_and { 2 } else { 1 };
                    assert!(*reason == Reason::Parts && part.because.len() == parts, "{case}");
                    assert!(part.because.iter().all(|operand| operand.holds == part.holds), "{case}");
                }
                (Wctl::Next(quantifier, interval, inner), reason) => {
                    self.next((*quantifier, interval, *inner), part, reason, &case);
                }
                (Wctl::Until(quantifier, left, interval, right), reason) => {
                    self.until((*quantifier, *left, interval, *right), part, reason, &case);
                }
            }
            open.extend(&part.because);
        }
    }

    fn next(
        &self,
        (quantifier, interval, inner): (Quantifier, &WeightInterval, WctlId),
        part: &Explanation,
        reason: &Reason,
        case: &str,
    ) {
        let shows = quantifier == Quantifier::Exists;
        if part.holds != shows {
            assert!(matches!(reason, Reason::All(None) | Reason::State), "{case}");
            return;
        }
        let Reason::Path { steps, cycle_start: None, end: PathEnd::Goal } = reason else { panic!("{case}") };
        let [(from, weight, to)] = steps[..] else { panic!("{case}") };
        assert_eq!(from, part.state, "{case}");
        assert!(self.steps[self.place(from)].contains(&(weight, self.place(to))), "{case}");
        assert!(interval.contains(&self.structure.number(weight)), "{case}");
        assert_eq!(self.sets[inner.index()][self.place(to)], shows, "{case}");
    }

    fn until(
        &self,
        (quantifier, left, interval, right): (Quantifier, WctlId, &WeightInterval, WctlId),
        part: &Explanation,
        reason: &Reason,
        case: &str,
    ) {
        let (left, right) = (&self.sets[left.index()], &self.sets[right.index()]);
        let contains = |weight: u64| interval.contains(&self.structure.number(weight));
        let is_empty = (0..=CAP).all(|weight| !contains(weight));
        let start = self.place(part.state);
        let shows = part.holds == (quantifier == Quantifier::Exists) && !is_empty;
        let holds = |quantifier: Quantifier, within: &dyn Fn(u64) -> bool| {
            until(self.steps, quantifier, left, right, within)[start]
        };
        match reason {
            Reason::State => assert!(is_empty, "{case}"),
            Reason::Parts => panic!("{case}"),
            Reason::All(number) => {
                assert!(!shows, "a path is missing: {case}");
                match *number {
                    Some(Decisive::Least(least)) => {
                        assert!(!part.holds && !contains(least), "{case}");
                        assert!(holds(Quantifier::Exists, &|weight| weight == least), "{case}");
                        assert!(!holds(Quantifier::Exists, &|weight| weight < least), "{case}");
                    }
                    Some(Decisive::Largest(largest)) => {
                        assert!(part.holds && contains(largest), "{case}");
                        assert!(holds(Quantifier::All, &|weight| weight <= largest), "{case}");
                        assert!(!holds(Quantifier::All, &|weight| weight < largest), "{case}");
                    }
                    None => {}
                }
            }
            Reason::Path { steps, cycle_start, end } => {
                assert!(shows, "{case}");
                let mut states = vec![(start, 0)];
                for &(from, weight, to) in steps {
                    let (at, before) = states[states.len() - 1];
                    assert_eq!(at, self.place(from), "a gap: {case}");
                    assert!(self.steps[at].contains(&(weight, self.place(to))), "no step: {case}");
                    states.push((self.place(to), before + weight));
                }
                let (last, weight) = states[states.len() - 1];
                let is_goal = |&(state, weight): &(usize, u64)| right[state] && contains(weight);
                assert_eq!(cycle_start.is_some(), *end == PathEnd::Cycle, "{case}");
                assert!(states[..states.len() - 1].iter().all(|&(state, _)| left[state]), "{case}");
                assert_eq!(*end == PathEnd::Goal, quantifier == Quantifier::Exists, "{case}");
                match end {
                    PathEnd::Goal => {
                        assert!(is_goal(&(last, weight)), "{case}");
                        let lighter = |other: u64| contains(other) && other < weight;
                        assert!(!self.is_global || !holds(Quantifier::Exists, &lighter), "{case}");
                        return;
                    }
                    PathEnd::Heaviest => panic!("only questions have such paths: {case}"),
                    PathEnd::Dead => assert!(!left[last], "{case}"),
                    PathEnd::Heavy => {
                        let upper = interval.upper.as_ref().expect("there is an upper end");
                        assert!(self.structure.number(weight) > upper.amount || !contains(weight), "{case}");
                        assert!((weight..=CAP).all(|weight| !contains(weight)), "{case}");
                    }
                    PathEnd::Cycle => {
                        let first = cycle_start.expect("it has a beginning");
                        assert_eq!(states[first].0, last, "an open cycle: {case}");
                        let round = states[first + 1..].to_vec();
                        let more = weight - states[first].1;
                        for times in 1..=CAP {
                            states
                                .extend(round.iter().map(|&(state, weight)| (state, weight + times * more)));
                        }
                    }
                }
                assert!(!states.iter().any(is_goal), "{case}");
            }
        }
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
            let unit = &structure.unit;
            let explored = check_explored(&mut valued, &formula, blocking, unit, &control).expect("no limit");
            assert_eq!(explored.holds(), checked.holds(), "seed {seed}");
            for state in 0..structure.num_states() {
                let case = || format!("seed {seed}: {formula} in {state}, {blocking:?}\n{structure:?}");
                assert_eq!(checked.holds().contains(state), wanted[state], "global, {}", case());
                verdicts[usize::from(wanted[state])] += 1;
                let explanation = checked.explain(state as u32).expect("no limit");
                let local = check_local(&mut valued, &formula, Some(state as u32), blocking, unit, &control)
                    .expect("no limit");
                assert_eq!(local.holds, wanted[state], "local, {}", case());
                let mut checker = Checker {
                    structure: &structure,
                    steps: &steps,
                    formula: &formula,
                    sets: &sets,
                    is_global: true,
                };
                checker.check(&explanation);
                checker.is_global = false;
                checker.check(&local.explanation);
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 5_000), "{verdicts:?}");
}

/// Facts that the local algorithm keeps from one state to the next are correct: an until is asked in all
/// states in one run, and compared with a proposition `r` that holds where the definition makes it true.
#[test]
fn facts_that_are_kept_are_right() {
    let control = Control::unlimited();
    let mut verdicts = [0u32; 2];
    for seed in 0..4_000u64 {
        let mut random = Random(seed);
        let states = 2 + random.below(12);
        let quantifier = quantifier(&mut random);
        let mut rows: Vec<Row> = Vec::new();
        // Universal formulas hold where few steps lead back.
        let forward = random.chance(70);
        for state in 0..states {
            let propositions = vec![(0, i64::from(random.chance(85))), (1, i64::from(random.one_in(5)))];
            let step = |_| WeightedStep {
                weight: random.below(4) as u64,
                target: if forward {
                    (state + 1 + random.below(4)).min(states - 1)
                } else {
                    random.below(states)
                } as u32,
            };
            rows.push((propositions, (0..3).map(step).collect()));
        }
        let structure = |marked: &[bool]| {
            let mut builder = WeightedBuilder::new();
            for (state, (propositions, steps)) in rows.iter().enumerate() {
                let mark = marked.get(state).is_some_and(|&mark| mark);
                let all = propositions.iter().copied().chain(mark.then_some((2, 1)));
                builder.state(all, steps.iter().copied());
            }
            let names = ["p", "q", "r"].map(str::to_owned).to_vec();
            builder.finish(0, RBig::from_parts(1.into(), 2u8.into()), names)
        };
        let id = WctlId::from_index;
        let atom = |index: usize| Wctl::Atom(AtomId::from_index(index));
        let until = Wctl::Until(quantifier, id(0), interval(&mut random), id(1));
        // AG (r = until)
        let formula = WctlFormula {
            nodes: vec![
                atom(0),
                atom(1),
                until,
                atom(2),
                Wctl::Not(id(2)),
                Wctl::Not(id(3)),
                Wctl::And(id(2), id(5)),
                Wctl::And(id(3), id(4)),
                Wctl::Or(id(6), id(7)),
                Wctl::Constant(true),
                Wctl::Until(Quantifier::Exists, id(9), WeightInterval::any(), id(8)),
                Wctl::Not(id(10)),
            ],
            root: id(11),
            atoms: (0..3).map(Atom::Holds).collect(),
            names: ["p", "q", "r"].map(str::to_owned).to_vec(),
        };
        let plain = structure(&[]);
        let marks = &satisfying(&plain, &steps_of(&plain, Blocking::Loop), &formula)[2];
        let marked = structure(marks);
        let mut valued = Valued::new(&marked, &formula).expect("small amounts");
        for state in 0..states {
            let unit = &marked.unit;
            let local =
                check_local(&mut valued, &formula, Some(state as u32), Blocking::Loop, unit, &control);
            let text = formula.text(id(2));
            assert!(local.expect("no limit").holds, "seed {seed}: {text} from {state}, {marked:?}");
            verdicts[usize::from(marks[state])] += 1;
        }
    }
    assert!(verdicts.iter().all(|&count| count > 5_000), "{verdicts:?}");
}
