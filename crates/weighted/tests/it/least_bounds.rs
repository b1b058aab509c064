//! Least bounds of untils, and lightest witnesses, against the definition: the bounds tried one after the other.

use super::formulas::{CAP, satisfying, steps_of, structure, until};
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::{Random, attack_cases};
use volvelle_weighted::Valued;
use volvelle_weighted::wctl::{
    Blocking, Explanation, PathEnd, Reason, SINK, check_local, least_bound, least_bounds,
};

/// An until of all weights, over conditions and formulas about paths.
fn question(random: &mut Random) -> WctlFormula {
    let id = WctlId::from_index;
    let mut nodes = vec![
        Wctl::Atom(AtomId::from_index(0)),
        Wctl::Atom(AtomId::from_index(1)),
        Wctl::Constant(true),
        Wctl::Not(id(0)),
    ];
    let quantifier = |random: &mut Random| match random.below(2) {
        0 => Quantifier::Exists,
        _ => Quantifier::All,
    };
    for _ in 0..random.below(3) {
        let (left, right) = (id(random.below(nodes.len())), id(random.below(nodes.len())));
        nodes.push(match random.below(3) {
            0 => Wctl::Or(left, right),
            1 => Wctl::Until(quantifier(random), left, WeightInterval::any(), right),
            _ => Wctl::Not(left),
        });
    }
    let (left, right) = (id(random.below(nodes.len())), id(random.below(nodes.len())));
    nodes.push(Wctl::Until(quantifier(random), left, WeightInterval::any(), right));
    WctlFormula {
        root: id(nodes.len() - 1),
        nodes,
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".to_owned(), "q".to_owned()],
    }
}

/// The states of the path of an explanation that begins in a state, and its weight.
fn path(explanation: &Explanation, steps: &[Vec<(u64, usize)>], start: usize) -> (Vec<usize>, u64, PathEnd) {
    let Reason::Path { steps: found, end, .. } = &explanation.reason else { panic!("{explanation:?}") };
    let place = |state: u32| if state == SINK { steps.len() - 1 } else { state as usize };
    let (mut states, mut weight) = (vec![start], 0);
    for &(from, more, to) in found {
        assert_eq!(Some(&place(from)), states.last(), "a gap: {explanation:?}");
        assert!(steps[place(from)].contains(&(more, place(to))), "no step: {explanation:?}");
        states.push(place(to));
        weight += more;
    }
    (states, weight, *end)
}

#[test]
fn attack_least_bounds_agree_with_the_definition() {
    let control = Control::unlimited();
    let (mut finite, mut infinite, mut paths) = ([0u32; 2], [0u32; 2], 0u32);
    for case in attack_cases(1_500) {
        let mut random = Random(case ^ 0x51ab);
        let (structure, formula) = (structure(&mut random), question(&mut random));
        let blocking = if case % 2 == 0 { Blocking::Loop } else { Blocking::Sink };
        let steps = steps_of(&structure, blocking);
        let sets = satisfying(&structure, &steps, &formula);
        let Wctl::Until(quantifier, left, _, right) = *formula.node(formula.root) else {
            panic!("a question")
        };
        let (left, right) = (&sets[left.index()], &sets[right.index()]);
        let within: Vec<Vec<bool>> =
            (0..CAP).map(|bound| until(&steps, quantifier, left, right, |weight| weight <= bound)).collect();
        let mut valued = Valued::new(&structure, &formula).expect("small");
        let all = least_bounds(&valued, &formula, blocking, &control).expect("no limits");
        for state in 0..structure.num_states() as u32 {
            let text = format!("{formula} in {state}: {steps:?}");
            let place = state as usize;
            let expected = (0..CAP).find(|&bound| within[bound as usize][place]);
            let unit = &structure.unit;
            let one = least_bound(&mut valued, &formula, Some(state), blocking, unit, &control);
            let one = one.expect("no limits");
            assert_eq!((one.bound, all.bound(state)), (expected, expected), "{text}");
            assert_eq!(expected.is_some(), sets[formula.root.index()][place], "{text}");
            let is_all = quantifier == Quantifier::All;
            let Some(bound) = expected else {
                infinite[usize::from(is_all)] += 1;
                assert!(!one.explanation.holds && !all.explain(state).expect("no limits").holds, "{text}");
                continue;
            };
            finite[usize::from(is_all)] += 1;
            for explanation in [&one.explanation, &all.explain(state).expect("no limits")] {
                let (states, weight, end) = path(explanation, &steps, place);
                assert_eq!(weight, bound, "{text}");
                assert_eq!(end, if is_all { PathEnd::Heaviest } else { PathEnd::Goal }, "{text}");
                let (last, before) = states.split_last().expect("the state itself");
                assert!(right[*last] && before.iter().all(|&state| left[state]), "{text}");
            }
            // Without a question, the path of a formula that some path shows is a lightest one as well.
            if !is_all {
                let found = check_local(&mut valued, &formula, Some(state), blocking, unit, &control);
                assert_eq!(path(&found.expect("no limits").explanation, &steps, place).1, bound, "{text}");
                paths += u32::from(bound > 0);
            }
        }
    }
    if attack_cases(1_500).count() >= 1_500 {
        assert!(finite.iter().chain(&infinite).all(|&count| count > 100), "{finite:?} {infinite:?}");
        assert!(paths > 100);
    }
}

/// Sums that do not fit are no infinity.
#[test]
fn least_bounds_beyond_64_bits_are_refused() {
    use volvelle_space::{WeightedBuilder, WeightedStep};
    let mut builder = WeightedBuilder::new();
    for state in 0..4u32 {
        let target = (state + 1).min(3);
        builder.state(
            (state == 3).then_some((1, 1)),
            vec![WeightedStep { weight: if state < 3 { 1 << 61 } else { 0 }, target }],
        );
    }
    let structure = builder.finish(0, dashu_ratio::RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
    let id = WctlId::from_index;
    for quantifier in [Quantifier::Exists, Quantifier::All] {
        let formula = WctlFormula {
            nodes: vec![
                Wctl::Constant(true),
                Wctl::Atom(AtomId::from_index(0)),
                Wctl::Until(quantifier, id(0), WeightInterval::any(), id(1)),
            ],
            root: id(2),
            atoms: vec![Atom::Holds(1)],
            names: vec!["p".to_owned(), "q".to_owned()],
        };
        let mut valued = Valued::new(&structure, &formula).expect("small");
        let control = Control::unlimited();
        let blocking = Blocking::Loop;
        let unit = &structure.unit;
        assert!(least_bounds(&valued, &formula, blocking, &control).is_err());
        assert!(least_bound(&mut valued, &formula, None, blocking, unit, &control).is_err());
        let last = least_bound(&mut valued, &formula, Some(2), blocking, unit, &control).expect("it fits");
        assert_eq!(last.bound, Some(1 << 61));
    }
}
