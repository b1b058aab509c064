//! From a model to what engines work on, and back.

use dashu_ratio::RBig;
use volvelle_control::Control as Run;
use volvelle_diagnostics::codes;
use volvelle_explicit::*;
use volvelle_space::{BitSet, Kind as SpaceKind, Ratios};

fn set(len: usize, members: &[usize]) -> BitSet {
    BitSet::of(len, members.iter().copied())
}

/// Three states; the branches of state 0 are not sorted and name state 2 twice.
fn chain() -> Model {
    let mut model = Model::new(
        Time::Discrete,
        Control::Chance,
        Rows::OneEach(3),
        Rows::from_starts(vec![0, 4, 5, 6]),
        vec![2, 1, 2, 0, 1, 2],
    );
    model.values = Some(Numbers::Double(vec![0.25, 0.5, 0.25, 0.0, 1.0, 1.0]));
    model.initial = set(3, &[0]);
    model
}

fn to_space(model: &Model) -> Converted {
    let control = Run::unlimited();
    let allowance = Allowance::new(&control);
    validate(model, "m", &allowance).unwrap();
    model.to_space(true, &control).unwrap()
}

#[test]
fn targets_are_sorted_and_merged() {
    let converted = to_space(&chain());
    let space = converted.space;
    assert_eq!(space.kind, SpaceKind::Dtmc);
    assert_eq!((space.row_start, space.columns), (vec![0, 2, 3, 4], vec![1, 2, 1, 2]));
    assert_eq!(space.values.to_vec(), [0.5, 0.5, 1.0, 1.0]);
    assert_eq!((converted.merged, converted.deadlocks), (2, 0));
    assert!(space.choices.is_none() && converted.exact.is_none());
}

#[test]
fn rewards_of_branches_are_expected_rewards() {
    let mut model = chain();
    let branches = Some(Numbers::Double(vec![4.0, 1.0, 8.0, 100.0, 0.0, 2.0]));
    let choices = Some(Numbers::Double(vec![10.0, 20.0, 0.0]));
    model.rewards.push(Reward { name: "r".to_owned(), choices, branches, ..Reward::default() });
    let space = to_space(&model).space;
    let rewards = space.rewards[0].choice.as_ref().unwrap();
    assert_eq!(rewards.to_vec(), [10.0 + 1.0 + 0.5 + 2.0, 20.0, 2.0]);
    assert!(space.rewards[0].state.is_none());
}

#[test]
fn rates_of_a_ctmc() {
    let mut model = chain();
    model.time = Time::Stochastic;
    model.exit_rates = Some(Numbers::Double(vec![4.0, 0.5, 0.0]));
    let choices = Some(Numbers::Double(vec![3.0, 1.0, 7.0]));
    model.rewards.push(Reward { name: "r".to_owned(), choices, ..Reward::default() });
    let converted = to_space(&model);
    let space = &converted.space;
    // State 2 never leaves: its self-loop has the rate 0, is dropped, and is given back with the rate 1.
    assert_eq!(space.values.to_vec(), [2.0, 2.0, 0.5, 1.0]);
    assert_eq!(space.deadlocks, set(3, &[2]));
    // Per unit of time.
    assert_eq!(space.rewards[0].choice.as_ref().unwrap().to_vec(), [12.0, 0.5, 0.0]);
    let again = Model::from_space(space, None, Vec::new());
    assert_eq!(again.measure, Measure::Rates);
    assert_eq!(again.rewards[0].choices, Some(Numbers::Double(vec![3.0, 1.0, 0.0])));
    assert_eq!(again.label("deadlock").unwrap().states, set(3, &[2]));
    assert_eq!(to_space(&again).space, *space);
}

#[test]
fn rationals_stay_rationals() {
    let third = |n: i32| RBig::from_parts(n.into(), 3u8.into());
    let mut model = chain();
    let weights = [third(1), third(1), third(1), RBig::ZERO, RBig::ONE, RBig::ONE];
    model.values = Some(Numbers::Exact(weights.into_iter().collect()));
    let branches = Some(Numbers::Double(vec![0.5, 0.0, 1.5, 0.0, 0.0, 0.0]));
    model.rewards.push(Reward { name: String::new(), branches, ..Reward::default() });
    let converted = to_space(&model);
    let exact = converted.exact.unwrap();
    let expected: Ratios = [third(1), third(2), RBig::ONE, RBig::ONE].into_iter().collect();
    assert_eq!(exact.values, expected);
    assert_eq!(exact.rewards[0].choice.as_ref().unwrap().get(0), &third(2));
    assert_eq!(converted.space.values.to_vec(), [1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]);
    let again = Model::from_space(&converted.space, Some(&exact), Vec::new());
    assert!(again.is_exact());
    assert_eq!(to_space(&again).exact, Some(exact));
}

#[test]
fn deadlocks_of_an_mdp() {
    let mut model = Model::new(
        Time::Discrete,
        Control::Nondeterminism,
        Rows::from_starts(vec![0, 2, 2]),
        Rows::from_starts(vec![0, 2, 3]),
        vec![0, 1, 1],
    );
    model.values = Some(Numbers::Double(vec![0.5, 0.5, 1.0]));
    model.initial = set(2, &[0, 1]);
    model.choice_actions = Some(Actions { names: vec!["a".to_owned(), String::new()], of: vec![1, 0] });
    model.labels.push(Label { name: "deadlock".to_owned(), description: None, states: set(2, &[0]) });
    model.labels.push(Label { name: "l".to_owned(), description: None, states: set(2, &[1]) });
    let space = to_space(&model).space;
    let choices = space.choices.as_ref().unwrap();
    assert_eq!((choices.start.as_slice(), choices.action.as_slice()), (&[0, 2, 3][..], &[0, 1, 0][..]));
    assert_eq!(space.actions, ["", "a"]);
    assert_eq!(space.columns, [0, 1, 1, 1]);
    // What the file marks, and what has no branch.
    assert_eq!(space.deadlocks.count(), 2);
    assert_eq!(space.labels, [("l".to_owned(), set(2, &[1]))]);
    assert_eq!(space.initial.len(), 2);
    let kept = model.to_space(false, &Run::unlimited()).unwrap().space;
    assert_eq!(kept.choices.unwrap().start, [0, 2, 2]);
    assert_eq!(kept.columns, [0, 1, 1]);
}

#[test]
fn a_transition_system_has_a_choice_for_every_branch() {
    let mut model = Model::new(
        Time::Discrete,
        Control::Nondeterminism,
        Rows::OneEach(2),
        Rows::from_starts(vec![0, 2, 3]),
        vec![1, 0, 1],
    );
    model.initial = set(2, &[0]);
    let names = vec!["b".to_owned(), "c".to_owned()];
    model.branch_actions = Some(Actions { names, of: vec![1, 0, 1] });
    assert_eq!(model.kind().name(), "LTS");
    let space = to_space(&model).space;
    assert_eq!(space.kind, SpaceKind::Mdp);
    let choices = space.choices.as_ref().unwrap();
    assert_eq!((choices.start.as_slice(), choices.action.as_slice()), (&[0, 2, 3][..], &[2, 1, 2][..]));
    assert_eq!((space.row_start, space.columns), (vec![0, 1, 2, 3], vec![1, 0, 1]));
}

/// State 0 is left at rate 4, to state 1 in a quarter of all cases; state 1 has two choices; nothing leaves state 2.
#[test]
fn rates_of_a_markov_automaton_are_a_choice() {
    let choices = Rows::from_starts(vec![0, 1, 3, 3]);
    let branches = Rows::from_starts(vec![0, 2, 3, 5]);
    let mut model =
        Model::new(Time::UrgentStochastic, Control::Nondeterminism, choices, branches, vec![2, 1, 0, 0, 2]);
    model.values = Some(Numbers::Double(vec![0.75, 0.25, 1.0, 0.5, 0.5]));
    model.exit_rates = Some(Numbers::Double(vec![4.0, 0.0, 0.0]));
    model.markovian = Some(set(3, &[0]));
    model.initial = set(3, &[0]);
    let (name, description) = ("r".to_owned(), None);
    let choices = Some(Numbers::Double(vec![3.0, 1.0, 5.0]));
    model.rewards.push(Reward { name, description, states: None, choices, branches: None });
    let mut space = to_space(&model).space;
    assert_eq!(space.kind, SpaceKind::MarkovAutomaton);
    assert_eq!(space.choices.as_ref().unwrap().start, [0, 1, 3, 4]);
    let markovian = space.choices.as_ref().unwrap().markovian.as_ref().unwrap();
    assert_eq!(markovian.iter().collect::<Vec<_>>(), [0, 3], "and the loop of the state that nothing leaves");
    assert_eq!(space.values.to_vec(), [1.0, 3.0, 1.0, 0.5, 0.5, 1.0]);
    assert_eq!(space.rewards[0].choice.as_ref().unwrap().to_vec(), [12.0, 1.0, 5.0, 0.0], "per unit of time");
    let again = Model::from_space(&space, None, Vec::new());
    assert_eq!(again.exit_rates, Some(Numbers::Double(vec![4.0, 0.0, 1.0])));
    assert_eq!(again.markovian, Some(set(3, &[0, 2])));
    assert_eq!(again.rewards[0].choices, Some(Numbers::Double(vec![3.0, 1.0, 5.0, 0.0])));
    assert_eq!(to_space(&again).space, space);
    // Rates beside a choice that takes no time never happen.
    space.choices.as_mut().unwrap().markovian = Some(set(4, &[0, 1, 3]));
    let closed = Model::from_space(&space, None, Vec::new());
    assert_eq!(closed.choices.range(1).len(), 1);
    assert_eq!(closed.values, Some(Numbers::Double(vec![0.25, 0.75, 0.5, 0.5, 1.0])));
    assert_eq!(closed.markovian, Some(set(3, &[0, 2])));
}

#[test]
fn kinds_without_an_engine_are_refused_by_name() {
    let refusal = |model: &Model| {
        let finding = model.to_space(true, &Run::unlimited()).unwrap_err();
        assert_eq!(finding.code, codes::EXPLICIT_UNSUPPORTED);
        finding.message
    };
    let mut model = chain();
    model.values = Some(Numbers::DoubleInterval(vec![[0.0, 1.0]; 6]));
    assert_eq!(refusal(&model), "there is no engine for an IDTMC");
    let mut model = chain();
    model.control = Control::Game;
    model.time = Time::UrgentStochastic;
    assert_eq!(refusal(&model), "there is no engine for a Markov automaton game");
    (model.control, model.time) = (Control::Nondeterminism, Time::Discrete);
    let of = vec![0; 3];
    model.observations = Some(Observations { count: 1, on: Entity::States, of, distribution: None });
    assert_eq!(refusal(&model), "there is no engine for a POMDP");
}

/// Rows that are in order are copied as a whole; the others go one by one. Both must give the same.
#[test]
fn rows_in_order_and_out_of_order() {
    let build = |kind: Control, backwards: bool| {
        let (states, mut state) = (40u32, 1u64);
        let mut draw = |bound: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % bound
        };
        let (mut targets, mut values, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts = vec![0];
        let per_state = if kind == Control::Chance { 1 } else { 2 };
        for _ in 0..states * per_state {
            let first = draw(states - 8);
            let mut row: Vec<(u32, f64, f64)> =
                (0..4).map(|i| (first + 2 * i, 0.25, f64::from(draw(9)))).collect();
            if backwards {
                row.reverse();
            }
            for (target, value, reward) in row {
                targets.push(target);
                values.push(value);
                rewards.push(reward);
            }
            starts.push(targets.len() as u32);
        }
        let choices = Rows::from_starts((0..=states).map(|s| s * per_state).collect());
        let mut model = Model::new(Time::Discrete, kind, choices, Rows::from_starts(starts), targets);
        model.values = Some(Numbers::Double(values));
        let branches = Some(Numbers::Double(rewards));
        model.rewards.push(Reward { name: "r".to_owned(), branches, ..Reward::default() });
        let of = (0..model.num_choices() as u32).map(|choice| choice % 2).collect();
        model.choice_actions = Some(Actions { names: vec!["a".to_owned(), "b".to_owned()], of });
        model.initial = set(states as usize, &[0]);
        model
    };
    for kind in [Control::Chance, Control::Nondeterminism] {
        let (ordered, backwards) = (to_space(&build(kind, false)), to_space(&build(kind, true)));
        assert_eq!(ordered.space, backwards.space);
    }
}
