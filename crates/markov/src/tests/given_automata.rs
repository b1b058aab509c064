//! Automata that are given: chains against the product by dense rational algebra, MDPs against all end components of the
//! product, one by one.

use std::sync::Arc;

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Acceptance, Among, Answer, Cube, FilterOp, Formula, FormulaId, OmegaAutomaton, OmegaEdge, Optimum, Ratio,
};
use volvelle_reference::{
    self as reference, Builder, Random, Rows, exact_until, numbers_of, random_rows, random_set,
};
use volvelle_solver::{Context, Options, reach};
use volvelle_space::{BitSet, Kind, Space};

use crate::evaluate::StateValues;

/// A random condition on three sets.
fn condition(random: &mut Random, depth: usize) -> Acceptance {
    let among = Among { set: random.below(3) as u32, inside: !random.one_in(4) };
    let operands =
        |random: &mut Random| (0..2 + random.below(2)).map(|_| condition(random, depth - 1)).collect();
    match random.below(if depth == 0 { 9 } else { 13 }) {
        0..4 => Acceptance::Infinitely(among),
        4..8 => Acceptance::Finitely(among),
        8 if random.one_in(2) => Acceptance::Always,
        8 => Acceptance::Never,
        9..11 => Acceptance::All(operands(random)),
        _ => Acceptance::Any(operands(random)),
    }
}

/// A random automaton over two propositions, with missing transitions.
fn automaton(random: &mut Random, states: usize) -> OmegaAutomaton {
    let (mut start, mut edges) = (vec![0], Vec::new());
    for state in 0..states {
        if random.one_in(8) {
            // A state that is never left.
            edges.push(OmegaEdge { letters: Cube::ALL, target: state as u32, sets: random.below(8) as u64 });
        } else {
            for value in (0..4).filter(|_| !random.one_in(12)).collect::<Vec<_>>() {
                let (target, sets) = (random.below(states) as u32, random.below(8) as u64);
                edges.push(OmegaEdge { letters: Cube { mask: 3, value }, target, sets });
            }
        }
        start.push(edges.len() as u32);
    }
    OmegaAutomaton {
        propositions: vec!["a".to_string(), "b".to_string()],
        initial: (!random.one_in(20)).then_some(0),
        start,
        edges,
        acceptance: condition(random, 2),
    }
}

/// The product: for every state of the model that it begins in; `None` is the state in which nothing is accepted.
struct Slow {
    space: Space,
    /// The sets of the transition that is read at each state; `None`: a run is rejected.
    sets: Vec<Option<u64>>,
    start: Vec<usize>,
}

fn slow(space: &Space, automaton: &OmegaAutomaton, labels: &[BitSet; 2]) -> Slow {
    let mut pairs: Vec<(usize, Option<u32>)> = Vec::new();
    let number = |pair: (usize, Option<u32>), pairs: &mut Vec<(usize, Option<u32>)>| {
        pairs.iter().position(|known| *known == pair).unwrap_or_else(|| {
            pairs.push(pair);
            pairs.len() - 1
        })
    };
    let start = (0..space.num_states()).map(|s| number((s, automaton.initial), &mut pairs)).collect();
    let (mut rows, mut sets): (Rows, Vec<Option<u64>>) = (vec![], vec![]);
    while let Some(&(s, state)) = pairs.get(rows.len()) {
        let letter = u64::from(labels[0].contains(s)) | u64::from(labels[1].contains(s)) << 1;
        let edge = state.and_then(|state| automaton.edge(state, letter));
        sets.push(edge.map(|edge| edge.sets));
        let next = edge.map(|edge| edge.target);
        let choices = space.choices_of(s).map(|choice| {
            space.transitions(choice).map(|(t, v)| (number((t, next), &mut pairs), v)).collect()
        });
        rows.push(choices.collect());
    }
    Slow { space: reference::space(space.kind, &rows), sets, start }
}

/// The states from which some others can be reached.
fn reaching(space: &Space, from: usize, inside: &dyn Fn(usize) -> bool, staying: bool) -> BitSet {
    let mut reached = BitSet::of(space.num_states(), [from]);
    let mut work = vec![from];
    while let Some(s) = work.pop() {
        for choice in space.choices_of(s) {
            let targets: Vec<usize> = space.transitions(choice).map(|(t, _)| t).collect();
            if staying && !targets.iter().all(|&t| inside(t)) {
                continue;
            }
            work.extend(targets.into_iter().filter(|&t| reached.insert(t)));
        }
    }
    reached
}

/// The states of accepting end components, tried one by one.
fn winning(slow: &Slow, acceptance: &Acceptance, states: usize) -> BitSet {
    let mut win = BitSet::new(states);
    for members in 1u32..1 << states {
        let inside = |s: usize| members >> s & 1 == 1;
        let all: Vec<usize> = (0..states).filter(|&s| inside(s)).collect();
        let sets: Option<Vec<u64>> = all.iter().map(|&s| slow.sets[s]).collect();
        let stays = |s: usize| {
            let mut choices = slow.space.choices_of(s);
            choices.any(|choice| slow.space.transitions(choice).all(|(t, _)| inside(t)))
        };
        if !sets.is_some_and(|sets| acceptance.holds(&sets)) || !all.iter().all(|&s| stays(s)) {
            continue;
        }
        let connected = |&s: &usize| {
            let reached = reaching(&slow.space, s, &inside, true);
            all.iter().all(|&t| reached.contains(t))
        };
        if all.iter().all(connected) {
            all.iter().for_each(|&s| _ = win.insert(s));
        }
    }
    win
}

fn labelled(space: &mut Space, labels: &[BitSet; 2], automaton: &OmegaAutomaton) -> (Builder, FormulaId) {
    let mut builder = Builder::default();
    let ids = labels.iter().enumerate().map(|(i, set)| {
        let label = reference::label(space, &format!("label{i}"), set.clone());
        builder.label(label)
    });
    let ids = ids.collect();
    let path = builder.add(Formula::Automaton(Arc::new(automaton.clone()), ids));
    (builder, path)
}

/// The values in all states: bounds, and fractions.
fn evaluated(
    space: &mut Space,
    labels: &[BitSet; 2],
    automaton: &OmegaAutomaton,
    (optimum, negated): (Optimum, bool),
) -> (Vec<[f64; 2]>, Vec<Ratio>) {
    let (mut builder, mut path) = labelled(space, labels, automaton);
    if negated {
        path = builder.add(Formula::Not(path));
    }
    let formula = builder.probability(path, Some(optimum));
    let root = builder.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None });
    let property = builder.property(root);
    let (options, control) = (Options::default(), Control::unlimited());
    let exact: Answer =
        crate::check_exactly(space, &numbers_of(space), &property, &options, &control).expect("an answer");
    let states = crate::check_states(space, &property, &[], &options, None, &control);
    let Ok(StateValues::Number(numbers)) = states else { panic!("bounds") };
    (numbers.bounds, exact.exact)
}

#[test]
fn chains_agree_with_the_dense_product() {
    let mut random = Random(41);
    let mut between = 0;
    for case in 0..150 {
        let rows = random_rows(&mut random, 5, 1);
        let kind = [Kind::Dtmc, Kind::Ctmc][case % 2];
        let mut space = reference::space(kind, &rows);
        let labels = [0, 1].map(|_| random_set(&mut random, 5, 2));
        let states = 1 + random.below(4);
        let automaton = automaton(&mut random, states);
        let slow = slow(&space, &automaton, &labels);
        let n = slow.space.num_states();
        let reached: Vec<BitSet> = (0..n).map(|s| reaching(&slow.space, s, &|_| true, false)).collect();
        let accepted = (0..n).filter(|&s| {
            let bottom = reached[s].iter().all(|t| reached[t].contains(s));
            let sets: Option<Vec<u64>> = reached[s].iter().map(|t| slow.sets[t]).collect();
            bottom && sets.is_some_and(|sets| automaton.acceptance.holds(&sets))
        });
        let accepted = BitSet::of(n, accepted);
        let chain = (0..n).map(|s| slow.space.transitions(s).collect()).collect();
        let truth = exact_until(&chain, &BitSet::full(n), &accepted);
        for negated in [false, true] {
            let (bounds, exact) = evaluated(&mut space, &labels, &automaton, (Optimum::Max, negated));
            for s in 0..5 {
                let value = &truth[slow.start[s]];
                let value = if negated { RBig::ONE - value } else { value.clone() };
                assert_eq!(exact[s], Ratio::Finite(value.clone()), "{case} {s}: {automaton:?}");
                reference::assert_encloses(
                    bounds[s],
                    &Some(value.clone()),
                    1e-4,
                    volvelle_logic::StopReason::Computed,
                    &format!("{case} {s}"),
                );
                between += usize::from(value != RBig::ZERO && value != RBig::ONE);
            }
        }
    }
    assert!(between > 40, "{between}");
}

#[test]
fn mdps_agree_with_all_end_components() {
    let mut random = Random(42);
    let (mut cases, mut between, mut different) = (0, 0, 0);
    for case in 0..260 {
        let rows = random_rows(&mut random, 4, 3);
        let mut space = reference::space(Kind::Mdp, &rows);
        let labels = [0, 1].map(|_| random_set(&mut random, 4, 2));
        let states = 1 + random.below(3);
        let automaton = automaton(&mut random, states);
        let slow = slow(&space, &automaton, &labels);
        let n = slow.space.num_states();
        if n > 11 {
            continue;
        }
        cases += 1;
        let control = Control::unlimited();
        let context = Context::new(&slow.space, Options::default(), &control);
        // What is rejected by a missing transition, the complement accepts.
        let most = |acceptance: &Acceptance, negated: bool| {
            let mut win = winning(&slow, acceptance, n);
            if negated {
                (0..n).filter(|&s| slow.sets[s].is_none()).for_each(|s| _ = win.insert(s));
            }
            reach::until(&context, &BitSet::full(n), &win, Optimum::Max).expect("values").bounds
        };
        let largest = most(&automaton.acceptance, false);
        let smallest = most(&automaton.acceptance.negation(), true);
        for (optimum, negated) in
            [(Optimum::Max, false), (Optimum::Min, false), (Optimum::Max, true), (Optimum::Min, true)]
        {
            let (bounds, exact) = evaluated(&mut space, &labels, &automaton, (optimum, negated));
            for s in 0..4 {
                let ([low, _], [_, high]) = (smallest[slow.start[s]], largest[slow.start[s]]);
                different += usize::from(1.0 - low < high - 1e-3);
                let extreme = if (optimum == Optimum::Max) != negated { &largest } else { &smallest };
                let truth = extreme[slow.start[s]];
                let truth = if optimum == Optimum::Max { truth } else { [1.0 - truth[1], 1.0 - truth[0]] };
                let near = 1e-9;
                let [a, b] = bounds[s];
                let what = format!("{case} {s} {optimum:?} {negated}: {bounds:?} {truth:?} {automaton:?}");
                assert!(a <= truth[1] + near && truth[0] <= b + near, "{what}");
                let value = exact[s].to_f64();
                assert!(truth[0] - near <= value && value <= truth[1] + near, "{value} {what}");
                assert!(a <= value && value <= b, "{value} {what}");
                between += usize::from(value > 0.0 && value < 1.0);
            }
        }
    }
    assert!(cases > 100 && between > 30 && different > 100, "{cases} {between} {different}");
}
