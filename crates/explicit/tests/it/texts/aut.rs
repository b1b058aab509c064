//! ALDEBARAN.

use super::{load, load_with, model, refused, shown, written};
use volvelle_explicit::{Dialect, Format, Model, ReadOptions, WriteOptions};

fn in_dialect(dialect: Dialect, text: &str) -> Model {
    load_with("m.aut", text, &ReadOptions { dialect, ..ReadOptions::default() }).unwrap().model
}

fn actions(model: &Model) -> Vec<&str> {
    let Some(actions) = &model.choice_actions else { return Vec::new() };
    (0..model.num_choices()).map(|choice| actions.name(choice)).collect()
}

#[test]
fn internal_actions_and_quotes() {
    let cadp = "des (0, 5, 2)\n( 0 , \"G !1\" , 1 )\n(0, i, 0)\r\n(0, \"i\", 1)\n\n(1, STOP, 0)\n(1, \"say \"a\", b\", 1)";
    assert_eq!(actions(&model("m.aut", cadp)), ["G !1", "", "", "STOP", "say \"a\", b"]);
}

#[test]
fn dialects() {
    let text = "des (0,3,2)\n(0,\"i\",1)\n(0,\"tau\",1)\n(1,a,0)\n";
    assert_eq!(actions(&in_dialect(Dialect::Cadp, text)), ["", "tau", "a"]);
    assert_eq!(actions(&in_dialect(Dialect::Mcrl2, text)), ["i", "", "a"]);
    assert_eq!(actions(&model("m.aut", text)), ["i", "", "a"]);
    let ltsmin = "des(0,3,1)     \n(0,\"write !\\\"x,y\\\"\",0)\n(0,\"tau\",0)\n(0,\"#6120ff62#\",0)\n";
    assert_eq!(actions(&model("m.aut", ltsmin)), ["write !\"x,y\"", "", "#6120ff62#"]);
}

#[test]
fn transitions_need_no_order() {
    let model = model("m.aut", "des (1, 4, 3)\n(2, c, 0)\n(0, a, 1)\n(2, b, 2)\n(0, a, 2)\n");
    assert_eq!(actions(&model), ["a", "a", "c", "b"]);
    assert_eq!((model.targets, model.initial.iter().collect::<Vec<_>>()), (vec![1, 2, 0, 2], vec![1]));
}

#[test]
fn distributions_of_mcrl2() {
    let text = "des (0,3,3)\n(0,\"a\",0 1/2 1 1/3 2)\n(1,\"b\",2)\n(1,\"c\",0)\n";
    let read = model("m.aut", text);
    assert_eq!(
        (shown(read.values.as_ref()), read.kind().name()),
        ("1/2 1/3 1/6 1 1".to_owned(), "MDP".to_owned())
    );
    let options = WriteOptions { dialect: Dialect::Mcrl2, ..WriteOptions::default() };
    assert_eq!(written(&read, Format::Aut, &options), text);
    let chain = model("m.aut", "des (0,2,2)\n(0,\"a\",0 0.25 1)\n(1,\"b\",1)\n");
    assert_eq!(
        (shown(chain.values.as_ref()), chain.kind().name()),
        ("0.25 0.75 1".to_owned(), "DTMC".to_owned())
    );
}

#[test]
fn rates_and_probabilities_of_cadp() {
    let text = "des (0, 4, 3)\n(0, \"prob 0.25\", 1)\n(0, \"a; prob 0.75\", 2)\n(1, \"prob 1\", 1)\n(2, \"prob 1\", 0)\n";
    let dtmc = model("m.aut", text);
    assert_eq!(
        (shown(dtmc.values.as_ref()), dtmc.kind().name()),
        ("0.25 0.75 1 1".to_owned(), "DTMC".to_owned())
    );
    assert_eq!(dtmc.branch_actions.as_ref().unwrap().name(1), "a");
    assert_eq!(written(&dtmc, Format::Aut, &WriteOptions::default()), text);
    let ctmc = model("m.aut", "des (0, 2, 2)\n(0, \"rate 2\", 1)\n(1, \"b; rate 0.5\", 0)\n");
    assert_eq!((shown(ctmc.values.as_ref()), ctmc.kind().name()), ("2 0.5".to_owned(), "CTMC".to_owned()));
    let text = "des (0, 5, 3)\n(0, \"a\", 1)\n(0, i, 2)\n(1, \"rate 1\", 0)\n(1, \"rate 3\", 2)\n(2, \"prob 1\", 0)\n";
    let ma = model("m.aut", text);
    assert_eq!(ma.kind().name(), "Markov automaton");
    assert_eq!(
        (shown(ma.values.as_ref()), shown(ma.exit_rates.as_ref())),
        ("1 1 0.25 0.75 1".to_owned(), "0 4 0".to_owned())
    );
    let again = model("m.aut", &written(&ma, Format::Aut, &WriteOptions::default()));
    assert_eq!(again.markovian, ma.markovian);
    assert_eq!(again.values, ma.values);
}

#[test]
fn internal_actions_before_numbers() {
    let text = "des (0, 5, 3)\n(0, \"G\", 1)\n(0, i, 2)\n(1, \"i; prob 0.5\", 2)\n(1, \"a ; prob 0.5\", 1)\n(2, \"i; prob 1\", 0)\n";
    let first = written(&model("m.aut", text), Format::Aut, &WriteOptions::default());
    assert!(first.contains("(1, \"prob 0.5\", 2)\n(1, \"a; prob 0.5\", 1)\n(2, i, 0)"), "{first}");
    assert_eq!(written(&model("m.aut", &first), Format::Aut, &WriteOptions::default()), first);
    let text = "des (0, 2, 2)\n(0, \"tau; rate 2\", 1)\n(1, \"i; rate 0.5\", 0)\n";
    let ctmc = model("m.aut", text);
    assert_eq!([0, 1].map(|at| ctmc.branch_actions.as_ref().unwrap().name(at)), ["", "i"]);
    let first = written(&ctmc, Format::Aut, &WriteOptions::default());
    assert_eq!(first, "des (0, 2, 2)\n(0, \"rate 2\", 1)\n(1, \"rate 0.5\", 0)\n");
}

#[test]
fn complaints_show_the_place() {
    refused(
        "m.aut",
        "des (0, 2, 2)\n(0, a, 1)\n(1, \"b, 0)\n",
        "
error[V1102]: the quotation mark is not closed on this line
 --> m.aut:3:5
  |
3 | (1, \"b, 0)
  |     ^
",
    );
    refused(
        "m.aut",
        "des (0, 1, 2)\n(0, \"a\", 0 2/3 1 2/3 1)\n",
        "
error[V1109]: the probabilities of the targets sum to more than 1
 --> m.aut:2:12
  |
2 | (0, \"a\", 0 2/3 1 2/3 1)
  |            ^^^^^^^^^^^
  |
  = the last target gets the remaining probability
",
    );
    refused(
        "m.aut",
        "des (0, 2, 2)\n(0, \"a; rate nan\", 1)\n(1, i, 0)\n",
        "
error[V1108]: `nan` is not a finite number
 --> m.aut:2:6
  |
2 | (0, \"a; rate nan\", 1)
  |      ^^^^^^^^^^^
",
    );
}

#[test]
fn what_is_wrong_is_refused() {
    for (text, expected) in [
        ("des (0 1/2 1, 1, 2)\n(0, a, 1)\n", "the initial states are chosen at random"),
        ("des (2, 1, 2)\n(0, a, 1)\n", "the initial state is 2, but the header declares 2 states"),
        (
            "des (0, 1, 99999)\n(0, a, 1)\n",
            "the header declares 99999 states, but the file is too short to contain them",
        ),
        ("des (0, 2, 2)\n(0, a, 1)\n", "the header declares 2 transitions, but the file has 1"),
        ("des (0, 1, 2)\n(0, a, 2)\n", "the target is `2`, but the header declares 2 states"),
        ("des (0, 1, 2)\n(0, a, 1\n", "expected `)` after the target, but the line ends here"),
        ("des (0, 1, 2)\n(0, a, 1) x\n", "expected the end of the line, found `x`"),
        ("des (0, 1, 2)\n0, a, 1)\n", "expected a transition, such as `(0, \"a\", 1)`, found `0,`"),
        ("des (0, 2, 2)\n(0, a, 1)\n(0, \"rate 1\", 1)\n", "state 0 has both actions and rates"),
    ] {
        assert_eq!(load("m.aut", text).expect_err("it is wrong").message, expected);
    }
}

#[test]
fn names_that_a_dialect_cannot_hold() {
    let text = "des (0, 3, 1)\n(0, \"say \"a\"\", 0)\n(0, \"tau\", 0)\n(0, i, 0)\n";
    let read = in_dialect(Dialect::Cadp, text);
    let written_in =
        |dialect| written(&read, Format::Aut, &WriteOptions { dialect, ..WriteOptions::default() });
    assert_eq!(written_in(Dialect::Cadp), text.replace("say \"a\"", "say 'a'"));
    assert_eq!(
        written_in(Dialect::Ltsmin),
        "des (0,3,1)\n(0,\"say \\\"a\\\"\",0)\n(0,\"tau\",0)\n(0,\"tau\",0)\n"
    );
}
