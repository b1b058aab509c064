//! What the checks refuse, one mistake at a time.

use dashu_ratio::RBig;
use volvelle_control::Control as Run;
use volvelle_diagnostics::{Code, codes};
use volvelle_explicit::*;
use volvelle_space::BitSet;

/// A correct MDP of two states and three choices.
fn correct() -> Model {
    let mut model = Model::new(
        Time::Discrete,
        Control::Nondeterminism,
        Rows::from_starts(vec![0, 2, 3]),
        Rows::from_starts(vec![0, 2, 3, 4]),
        vec![0, 1, 1, 0],
    );
    model.values = Some(Numbers::Double(vec![0.25, 0.75, 1.0, 1.0]));
    model.initial = BitSet::full(2);
    model.labels.push(Label { name: "l".to_owned(), description: None, states: BitSet::new(2) });
    let states = Some(Numbers::Double(vec![-1.0, 2.0]));
    model.rewards.push(Reward { name: "r".to_owned(), states, ..Reward::default() });
    model.choice_actions = Some(Actions { names: vec![String::new()], of: vec![0; 3] });
    model
}

fn check(model: &Model) -> Result<(), Finding> {
    let control = Run::unlimited();
    validate(model, "m.umb", &Allowance::new(&control)).map(drop)
}

/// What is said about a model that was changed.
fn refusal(change: impl FnOnce(&mut Model)) -> (Code, String) {
    let mut model = correct();
    change(&mut model);
    let finding = check(&model).unwrap_err();
    assert_eq!(finding.place, Some(Place::File("m.umb".to_owned())));
    (finding.code, finding.message)
}

fn doubles(model: &mut Model, values: [f64; 4]) {
    model.values = Some(Numbers::Double(values.to_vec()));
}

#[test]
fn what_is_right() {
    check(&correct()).unwrap();
}

#[test]
fn sums() {
    let (code, message) = refusal(|m| doubles(m, [0.25, 0.65, 1.0, 1.0]));
    assert_eq!(
        (code, message.as_str()),
        (codes::EXPLICIT_SUM, "the probabilities of choice 0 of state 0 sum to 0.9")
    );
    let mut model = correct();
    doubles(&mut model, [0.2500000004, 0.75, 1.0, 1.0]);
    check(&model).unwrap();
    let exact = |first: RBig| {
        let rest = [RBig::from_parts(2.into(), 3u8.into()), RBig::ONE, RBig::ONE];
        Some(Numbers::Exact([first].into_iter().chain(rest).collect()))
    };
    model.values = exact(RBig::from_parts(1.into(), 3u8.into()));
    check(&model).unwrap();
    model.values = exact(RBig::from_parts(1_000_000_000.into(), 3_000_000_001u64.into()));
    assert_eq!(check(&model).unwrap_err().code, codes::EXPLICIT_SUM);
    model.values = Some(Numbers::DoubleInterval(vec![[0.1, 0.3], [0.5, 0.7], [1.0, 1.0], [0.9, 1.0]]));
    check(&model).unwrap();
    model.values = Some(Numbers::DoubleInterval(vec![[0.1, 0.2], [0.5, 0.7], [1.0, 1.0], [0.9, 1.0]]));
    let finding = check(&model).unwrap_err();
    assert!(finding.message.ends_with("sum to between 0.6 and 0.8999999999999999"), "{}", finding.message);
}

#[test]
fn numbers() {
    for (value, problem) in
        [(f64::NAN, "is not a number"), (f64::INFINITY, "is infinite"), (-0.5, "is -0.5, below 0")]
    {
        let (code, message) = refusal(|m| doubles(m, [0.25, 0.75, 1.0, value]));
        assert_eq!(
            (code, message),
            (codes::EXPLICIT_NUMBER, format!("the probability to state 0 of state 1 {problem}"))
        );
    }
    let (code, _) = refusal(|m| m.rewards[0].states = Some(Numbers::Double(vec![0.0, f64::NAN])));
    assert_eq!(code, codes::EXPLICIT_NUMBER);
    let (code, message) = refusal(|m| {
        m.values = Some(Numbers::DoubleInterval(vec![[0.25, 0.25], [0.8, 0.7], [1.0, 1.0], [1.0, 1.0]]));
    });
    assert_eq!(code, codes::EXPLICIT_NUMBER);
    assert_eq!(message, "the probability to state 1 of state 0 is the interval [0.8, 0.7]");
}

#[test]
fn indices_and_lengths() {
    assert_eq!(
        refusal(|m| m.targets[3] = 2),
        (
            codes::EXPLICIT_RANGE,
            "the target of branch 3 is 2, but there are only 2 states (branch of state 1)".to_owned()
        )
    );
    assert_eq!(refusal(|m| m.choice_actions.as_mut().unwrap().of[1] = 1).0, codes::EXPLICIT_RANGE);
    assert_eq!(refusal(|m| m.labels[0].states = BitSet::new(3)).0, codes::EXPLICIT_COUNT);
    assert_eq!(refusal(|m| m.values = Some(Numbers::Double(vec![1.0]))).0, codes::EXPLICIT_COUNT);
    assert_eq!(refusal(|m| m.choices = Rows::Starts(vec![0, 3, 2])).0, codes::EXPLICIT_RANGE);
    assert_eq!(refusal(|m| m.choices = Rows::Starts(vec![0, 1, 2])).0, codes::EXPLICIT_COUNT);
    assert_eq!(refusal(|m| m.choices = Rows::OneEach(0)).0, codes::EXPLICIT_STRUCTURE);
}

#[test]
fn kinds() {
    let structure = |change: fn(&mut Model)| {
        let (code, message) = refusal(change);
        assert_eq!(code, codes::EXPLICIT_STRUCTURE, "{message}");
        message
    };
    assert_eq!(structure(|m| m.initial = BitSet::new(2)), "no state is initial");
    assert_eq!(structure(|m| m.control = Control::Chance), "state 0 of a DTMC has 2 choices");
    assert_eq!(structure(|m| m.control = Control::Game), "a stochastic game has no players");
    assert_eq!(structure(|m| m.labels.push(m.labels[0].clone())), "two labels are named `l`");
    assert_eq!(structure(|m| m.time = Time::Stochastic), "a CTMDP has no exit rates");
    assert_eq!(
        structure(|m| m.measure = Measure::Rates),
        "the branches of a MDP have rates instead of probabilities"
    );
    assert_eq!(
        structure(|m| {
            m.time = Time::UrgentStochastic;
            m.exit_rates = Some(Numbers::Double(vec![1.0; 2]));
            m.markovian = Some(BitSet::full(2));
        }),
        "the Markovian state 0 has 2 choices, but only one is allowed"
    );
}
