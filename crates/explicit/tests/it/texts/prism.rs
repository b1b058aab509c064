//! PRISM's explicit files.

use super::{draw, load, load_with, model, refused, shown, written};
use volvelle_control::Control;
use volvelle_explicit::prism::{Section, write_section};
use volvelle_explicit::{
    Column, Companions, Finding, Format, Input, Loaded, Model, Number, Precision, ReadOptions, WriteOptions,
    read,
};

const CHAIN: &str = "3 4\n0 1 0.5\n0 2 0.5\n1 0 1\n2 2 1\n";
const CHOICES: &str = "2 3 4\n0 0 0 0.5 a\n0 0 1 0.5 a\n0 1 1 1 b\n1 0 1 1\n";

fn with(text: &str, files: &[(&str, &str)]) -> Result<Loaded, Finding> {
    let of = |ending: &str| -> Vec<Input<'_>> {
        let all = files.iter().filter(|(name, _)| name.ends_with(ending));
        all.map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect()
    };
    let companions = Companions {
        labels: of(".lab").first().copied(),
        states: of(".sta").first().copied(),
        observations: of(".obs").first().copied(),
        state_rewards: of(".srew"),
        transition_rewards: of(".trew"),
    };
    let input = Input { name: "m.tra", bytes: text.as_bytes() };
    read(input, &companions, &ReadOptions::default(), &Control::unlimited())
}

fn message(text: &str, files: &[(&str, &str)]) -> String {
    with(text, files).map(|loaded| loaded.model.kind().name()).expect_err("it is wrong").message
}

#[test]
fn kinds_by_what_is_in_the_file() {
    for (text, kind, values) in [
        (CHAIN, "DTMC", "0.5 0.5 1 1"),
        ("2 2\r\n0 1 2.5\r\n1 0 1\r\n", "CTMC", "2.5 1"),
        ("2 3\n0 0 [0.2,0.5]\n0 1 [0.5,0.8]\n1 1 1", "IDTMC", "[0.2,0.5] [0.5,0.8] [1,1]"),
        (CHOICES, "MDP", "0.5 0.5 1 1"),
        ("2 2 3\n0 0 0 [0.1,1] a\n0 0 1 [0,0.9] a\n1 0 1 1\n", "IMDP", "[0.1,1] [0,0.9] [1,1]"),
        ("2 2 2\n0 0 1 go\n1 0 0\n", "LTS", "none"),
        ("# Transitions (CTMC)\n2 2\n0 1 0.5\n1 0 0.5\n", "CTMC", "0.5 0.5"),
        ("2 2 2 2\n- - 0 - 1\n0 0 1 1 0 a\n1 0 1 1 0 b\n", "POMDP", "1 1"),
        ("# a comment\n\n3 4\n# more\n0 1 1/3\n0 2 2/3\n\n1 1 1\n2 2 1\n", "DTMC", "1/3 2/3 1 1"),
    ] {
        let model = model("m.tra", text);
        assert_eq!(
            (model.kind().name().as_str(), shown(model.values.as_ref()).as_str()),
            (kind, values),
            "{text}"
        );
    }
}

#[test]
fn exact_on_request() {
    let options = ReadOptions { numbers: Precision::Exact, ..ReadOptions::default() };
    let exact = load_with("m.tra", CHAIN, &options).unwrap().model;
    assert_eq!(shown(exact.values.as_ref()), "1/2 1/2 1 1");
}

#[test]
fn initial_states() {
    let initial = |model: &Model| model.initial.iter().collect::<Vec<_>>();
    assert_eq!(initial(&model("m.tra", CHAIN)), [0]);
    assert_eq!(initial(&model("m.tra", &CHAIN.replace("3 4\n", "3 4\n- 2 -\n- 1 -\n"))), [1, 2]);
    assert_eq!(initial(&model("m.tra", "2 1 1\n- - 1\n0 0 1 a\n")), [1]);
    let lab = [("m.lab", "0=\"init\" 1=\"deadlock\" 2=\"end\"\n1: 0\n2: 1 2\n")];
    let labelled = with(CHAIN, &lab).unwrap().model;
    assert_eq!(initial(&labelled), [1]);
    // The file marks a state as a deadlock that has a loop.
    assert_eq!(
        labelled.labels.iter().map(|label| label.name.as_str()).collect::<Vec<_>>(),
        ["deadlock", "end"]
    );
    let other = with(&CHAIN.replace("3 4\n", "3 4\n- 2 -\n"), &lab).unwrap_err();
    assert_eq!(other.message, "the initial states of this file differ from the states with the label `init`");
}

#[test]
fn deadlocks_are_kept_and_told() {
    let loaded = load("m.tra", "3 1\n0 2 1\n").unwrap();
    assert_eq!(loaded.model.deadlocks().iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(loaded.warnings.len(), 1);
    assert_eq!(
        loaded.warnings[0].message,
        "2 states have no transition, for example state 1: they are deadlocks"
    );
}

#[test]
fn actions_of_chains_belong_to_transitions() {
    let model = model("m.tra", "2 3\n0 0 0.5\n0 1 0.5 go\n1 1 1\n");
    let actions = model.branch_actions.as_ref().unwrap();
    assert_eq!((0..3).map(|b| actions.name(b)).collect::<Vec<_>>(), ["", "go", ""]);
    assert_eq!(model.choice_actions, None);
}

#[test]
fn values_of_variables() {
    let loaded = with(CHAIN, &[("m.sta", "(x,done)\n0:(3,false)\n1:(-200,true)\n2:(0,true)\n")]).unwrap();
    let variables = &loaded.model.valuations[0].variables;
    assert_eq!(variables[0].bounds, Some((-200, 3)));
    match (&variables[0].values, &variables[1].values) {
        (Column::Int(x), Column::Bool(done)) => {
            assert_eq!(x.iter().collect::<Vec<_>>(), [3, -200, 0]);
            assert_eq!(done.iter().collect::<Vec<_>>(), [1, 2]);
        }
        other => panic!("{other:?}"),
    }
    let observed = "2 2 2 2\n- - 0 - 1\n0 0 1 1 0 a\n1 0 1 1 0 b\n";
    let loaded = with(observed, &[("m.obs", "(seen)\n0:(true)\n1:(false)\n")]).unwrap();
    assert_eq!(loaded.model.valuations[0].variables[0].name, "seen");
}

#[test]
fn rewards_of_every_age() {
    let new = [
        ("m.srew", "# Reward structure \"cost\"\n# State rewards\n3 2\n0 1.5\n2 -1\n"),
        ("m.trew", "# Reward structure \"cost\"\n# Transition rewards\n3 1\n0 2 4\n"),
        ("m2.trew", "# Reward structure \"time\"\n# Transition rewards\n3 0\n"),
    ];
    let model = with(CHAIN, &new).unwrap().model;
    let cost = model.reward("cost").unwrap();
    assert_eq!(
        (shown(cost.states.as_ref()), shown(cost.branches.as_ref())),
        ("1.5 0 -1".into(), "0 4 0 0".into())
    );
    assert_eq!((&model.rewards[1].name, &model.rewards[1].branches), (&"time".to_owned(), &None));
    let old = [("m.srew", "2 1\n0 7\n"), ("m.trew", "2 3 2\n0 0 0 3\n0 0 1 3\n")];
    let model = with(CHOICES, &old).unwrap().model;
    assert_eq!(model.rewards.len(), 1);
    assert_eq!(shown(model.rewards[0].states.as_ref()), "7 0");
    // One line counts for the whole choice.
    assert_eq!(shown(model.rewards[0].choices.as_ref()), "3 0 0");
}

#[test]
fn complaints_show_the_place() {
    refused(
        "m.tra",
        "2 2\n0 1 1\n1 0 1.2.3\n",
        "
error[V1102]: expected a blank after the value, found `.3`
 --> m.tra:3:8
  |
3 | 1 0 1.2.3
  |        ^^
",
    );
    refused(
        "m.tra",
        "2 2\n0 1 1\n1 2 1\n",
        "
error[V1107]: the target is `2`, but the header declares 2 states
 --> m.tra:3:3
  |
3 | 1 2 1
  |   ^
",
    );
    refused(
        "m.tra",
        "2 2\n1 1 1\n0 0 1\n",
        "
error[V1110]: state 0 after state 1
 --> m.tra:3:1
  |
3 | 0 0 1
  | ^
  |
  = help: sort the transitions by source and choice: `sort -n -k1,1 -k2,2`
",
    );
    refused(
        "m.tra",
        "2 3 2\n0 0 0 1\n0 2 1 1\n",
        "
error[V1110]: state 0 has no choice 1, but has choice 2
 --> m.tra:3:1
  |
3 | 0 2 1 1
  | ^^^
  |
  = the choices of a state are numbered from 0 in the order of the file
",
    );
    let lab = with(CHAIN, &[("m.lab", "0=\"init\"\n0: 0\n1: 3\n")]).unwrap_err();
    assert_eq!(
        draw(&lab),
        "\
error[V1107]: there is no label `3`
 --> m.lab:3:4
  |
3 | 1: 3
  |    ^
  |
  = the first line declares the labels with their numbers
"
    );
}

#[test]
fn what_is_wrong_is_refused() {
    for (text, expected) in [
        ("", "expected the numbers of states and transitions, but the file ends here"),
        ("1 2 3 4 5\n", "the first line must have 2, 3 or 4 numbers"),
        (
            "9999999 1\n0 0 1\n",
            "the header declares 9999999 states, but the file is too short to contain them",
        ),
        ("2 3\n0 1 1\n1 1 1\n", "the header declares 3 transitions, but the file has 2"),
        ("2 3 2\n0 0 1 1\n1 0 1 1\n", "the header declares 3 choices, but the file has 2"),
        ("2 2\n0 1.5 1\n1 1 1\n", "expected the target, found `1.5`"),
        ("2 2\n0 1 nan\n1 1 1\n", "`nan` is not a finite number"),
        ("2 2\n0 1 -0.5\n1 1 1\n", "`-0.5` is negative: a probability or a rate"),
        ("2 2\n0 1 1 a b\n1 1 1\n", "expected the end of the line, found `b`"),
        (
            "2 1 2\n0 0 0 0.5 a\n0 0 1 0.5 b\n",
            "the transitions of a choice must have the same action: here it is `b`, before it was `a`",
        ),
        ("2 2 2 1\n0 0 1 1 0\n1 0 1 1 0\n", "no line gives the observation of the initial state 0"),
        ("2 2 2 2\n- - 0 - 0\n0 0 1 1 0\n1 0 1 1 1\n", "state 1 has two observations, 0 and 1"),
        ("1 1\n0 0 1\n- 0 -\n", "an initial state after the first transition"),
        (
            "# Transitions (MDP)\n1 1\n0 0 1\n",
            "the file does not describe an MDP, which has `states choices transitions` and values on transitions",
        ),
        ("# Transitions (PTA)\n1 1\n0 0 1\n", "`PTA` is not a supported model type"),
        ("1 1\n0 1 1\n", "the target is `1`, but the header declares 1 states"),
    ] {
        assert_eq!(message(text, &[]), expected, "{text}");
    }
    for (name, text, expected) in [
        ("m.lab", "0=\"a\"\n0: 0\n", "no state has the label `init`"),
        ("m.lab", "0=\"init\" 0=\"b\"\n0: 0\n", "two labels have the number 0"),
        ("m.lab", "0=\"init\" 1=\"init\"\n0: 0\n", "two labels are named `init`"),
        ("m.lab", "0=\"init\"\n0: 0\n0: 0\n", "state 0 already has labels on an earlier line"),
        ("m.lab", "0=\"init\"\n3: 0\n", "there is no state `3`: the model has 3 states"),
        ("m.sta", "(x)\n0:(1)\n1:(2)\n", "the model has 3 states, but the file has 2"),
        ("m.sta", "(x)\n0:(1)\n2:(2)\n", "state 1 is missing before state 2"),
        ("m.sta", "(x,x)\n", "two variables are named `x`"),
        (
            "m.sta",
            "(x)\n0:(1)\n1:(true)\n",
            "expected an integer, like the value of `x` in state 0, found `true)`",
        ),
        (
            "m.sta",
            "(x)\n0:(99999999999)\n",
            "expected the value of `x`: a 32-bit integer, found `99999999999)`",
        ),
        ("m.obs", "(x)\n", "observations for a model that is not partially observable"),
        ("m.srew", "4 0\n", "the rewards belong to a model with 4 states, but this model has 3"),
        ("m.srew", "3 2\n0 1\n", "the header declares 2 entries, but the file has 1"),
        ("m.srew", "3 2\n0 1\n0 1\n", "this state or transition already has a reward on an earlier line"),
        ("m.srew", "3 1\n0 inf\n", "`inf` is not a finite number"),
        ("m.trew", "3 1\n0 0 1\n", "there is no such transition from state 0 to state 0"),
    ] {
        assert_eq!(message(CHAIN, &[(name, text)]), expected, "{text}");
    }
    let two = [("m.trew", "2 3 2\n0 0 0 3\n0 0 1 4\n")];
    assert_eq!(
        message(CHOICES, &two),
        "the transitions of a choice must have the same reward, but this one differs from an earlier line"
    );
}

const COMBINED: &str = "# Transitions (MDP)\n2 3 4\n0 0 0 0.5 a\n0 0 1 0.5 a\n0 1 1 1 b\n1 0 1 1\n\n# States\n(x)\n0:(5)\n1:(6)\n\n\
                        # Labels\n0=\"init\" 1=\"deadlock\" 2=\"end\"\n0: 0\n1: 2\n\n# Reward structure \"r\"\n\
                        # State rewards\n2 1\n1 0.25\n\n# Reward structure \"r\"\n# Transition rewards\n2 3 2\n0 0 0 3\n\
                        0 0 1 3\n";

#[test]
fn combined_files() {
    let read = model("m.pexp", COMBINED);
    assert_eq!(read.labels.len(), 1);
    assert_eq!(shown(read.rewards[0].choices.as_ref()), "3 0 0");
    assert_eq!(written(&read, Format::PrismCombined, &WriteOptions::default()), COMBINED);
    let twice = load("m.pexp", &COMBINED.replace("# States", "# Labels")).unwrap_err();
    assert_eq!(twice.message, "this part occurs twice");
}

#[test]
fn parts_are_written_by_themselves() {
    let read = model("m.pexp", COMBINED);
    let control = Control::unlimited();
    let options = WriteOptions::default();
    let mut parts = Vec::new();
    let reward = &read.rewards[0];
    for section in
        [Section::States, Section::Labels, Section::StateRewards(reward), Section::TransitionRewards(reward)]
    {
        let mut out = Vec::new();
        let lost = write_section(&read, section, &options, &mut out, &control);
        assert_eq!(lost.expect("it is written"), []);
        parts.push(String::from_utf8(out).unwrap());
    }
    let transitions = written(&read, Format::PrismTransitions, &options);
    let names = ["m.sta", "m.lab", "m.srew", "m.trew"];
    let files: Vec<(&str, &str)> = names.into_iter().zip(parts.iter().map(String::as_str)).collect();
    assert_eq!(with(&transitions, &files).unwrap().model, read);
    assert!(matches!(read.values.as_ref().unwrap().get(0), Number::Double(_)));
}

/// Many lines: pieces end within choices.
#[test]
fn large_files_are_read_in_pieces() {
    let states = 60_000;
    let mut text = format!("{states} {states} {}\n", 4 * states);
    for state in 0..states {
        for i in 0..4 {
            text += &format!("{state} 0 {} 0.25 action{}\n", (state + i) % states, state % 7);
        }
    }
    let mut expected = None;
    for threads in [1, 2, 3] {
        let control = Control { threads, ..Control::unlimited() };
        let input = Input { name: "m.tra", bytes: text.as_bytes() };
        let model = read(input, &Companions::default(), &ReadOptions::default(), &control).unwrap().model;
        assert_eq!((model.num_choices(), model.num_branches()), (states, 4 * states));
        assert_eq!(model.choice_actions.as_ref().unwrap().name(50_000), "action6");
        assert_eq!(*expected.get_or_insert(model.clone()), model);
    }
    // The first of two errors is told, by any number of threads.
    let wrong =
        text.replace("\n30000 0 30001 0.25", "\n30000 0 30001 x").replace("\n59000 0 59001", "\n59000 0 y");
    for threads in [1, 3] {
        let control = Control { threads, ..Control::unlimited() };
        let input = Input { name: "m.tra", bytes: wrong.as_bytes() };
        let finding = read(input, &Companions::default(), &ReadOptions::default(), &control).unwrap_err();
        assert!(draw(&finding).contains("--> m.tra:120003:15"), "{}", draw(&finding));
    }
}

/// Such a file says by its fractions alone that its numbers are exact.
#[test]
fn whole_numbers_that_are_no_doubles() {
    let large = "10000000000000000000000000000001";
    let read = model("m.tra", &format!("2 2\n0 1 {large}/1\n1 1 4/2\n"));
    assert_eq!(shown(read.values.as_ref()), format!("{large} 2"));
    let text = written(&read, Format::PrismTransitions, &WriteOptions::default());
    assert_eq!(model("m.tra", &text).values, read.values);
}
