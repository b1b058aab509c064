//! DRN.

use super::{load, load_with, model, refused, shown, written};
use dashu_ratio::RBig;
use volvelle_explicit::{Format, Precision, ReadOptions, WriteOptions};

fn chain(body: &str) -> String {
    format!(
        "@type: DTMC\n@value_type: double\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@model\n{body}"
    )
}

#[test]
fn what_a_file_may_have() {
    let text = "// a comment\r\n\r\n@type: MDP\r\n@parameters\r\n\r\n@reward_models\r\ncost time\r\n@nr_states\r\n3\r\n\
                @model\r\nstate 0 [0, 1] init \"two words\" a_b\r\n\taction left [3, 0]\r\n\t\t1 : 0.25\r\n// in between\r\n\
                \t\t2 : 0.75\r\n\taction right\r\n\t\t2 : 1/3\r\n\t\t1 : 2/3\r\nstate 1 [0, 1]\r\n\
                \taction __NOLABEL__ [1/2, 0]\r\n\t\t0 : 1\r\nstate 2 \"two words\"\r\n\taction 0\r\n\t\t2 : 1";
    let model = model("m.drn", text);
    assert_eq!(model.kind().name(), "MDP");
    assert_eq!(shown(model.values.as_ref()), "1/4 3/4 1/3 2/3 1 1");
    assert_eq!(model.targets, [1, 2, 2, 1, 0, 2]);
    let actions = model.choice_actions.as_ref().unwrap();
    assert_eq!((0..4).map(|c| actions.name(c)).collect::<Vec<_>>(), ["left", "right", "", ""]);
    assert_eq!(model.label("two words").unwrap().states.iter().collect::<Vec<_>>(), [0, 2]);
    let cost = model.reward("cost").unwrap();
    assert_eq!(
        (shown(cost.states.as_ref()), shown(cost.choices.as_ref())),
        ("none".to_owned(), "3 0 1/2 0".to_owned())
    );
    assert_eq!(shown(model.reward("time").unwrap().states.as_ref()), "1 1 0");
}

#[test]
fn numbers_are_kept_as_the_caller_wants() {
    let text = chain("state 0 init\n\taction 0\n\t\t0 : 0.1\n\t\t1 : 0.9\nstate 1\n\taction 0\n\t\t1 : 1\n");
    let exact = ReadOptions { numbers: Precision::Exact, ..ReadOptions::default() };
    let read = load_with("m.drn", &text, &exact).unwrap().model;
    assert_eq!(shown(read.values.as_ref()), "1/10 9/10 1");
    let rational = text.replace("double", "rational");
    assert_eq!(shown(model("m.drn", &rational).values.as_ref()), "1/10 9/10 1");
    let double = ReadOptions { numbers: Precision::Double, ..ReadOptions::default() };
    assert_eq!(shown(load_with("m.drn", &rational, &double).unwrap().model.values.as_ref()), "0.1 0.9 1");
}

#[test]
fn intervals_and_observations() {
    let text = "@type: POMDP\n@value_type: rational-interval\n@reward_models\n@nr_states\n2\n@nr_choices\n2\n@model\n\
                state 0 {1} init\n\taction a\n\t\t0 : [1/4, 1/2]\n\t\t1 : 0.5\nstate 1 {0}\n\taction 0\n\t\t1 : (1/2, 1]\n";
    let loaded = load("m.drn", text).unwrap();
    assert_eq!(shown(loaded.model.values.as_ref()), "[1/4,1/2] [1/2,1/2] [1/2,1]");
    assert_eq!(loaded.model.observations.as_ref().unwrap().of, [1, 0]);
    assert_eq!(loaded.model.kind().name(), "IPOMDP");
    assert_eq!(loaded.warnings[0].message, "an open interval is treated as a closed one");
}

const PARAMETRIC: &str = "@type: DTMC\n@parameters\np q\n@placeholders\n$0 : p\n$1 : 1+(-1)*p\n@reward_models\nsteps\n\
                          @nr_states\n2\n@model\nstate 0 [q] init\n\taction 0 [0]\n\t\t0 : $0\n\t\t1 : $1\nstate 1 [0]\n\
                          \taction 0 [2]\n\t\t1 : 1\n";

#[test]
fn parameters() {
    let open = model("m.drn", PARAMETRIC);
    assert_eq!(shown(open.values.as_ref()), "p 1+(-1)*p 1");
    assert_eq!((open.kind().name(), open.parameters.join(" ")), ("pDTMC".to_owned(), "p q".to_owned()));
    assert_eq!(shown(open.rewards[0].choices.as_ref()), "0 2");
    let mut options = ReadOptions::default();
    options.parameters.insert("p".to_owned(), RBig::from_parts(1.into(), 3u8.into()));
    let missing = load_with("m.drn", PARAMETRIC, &options).unwrap_err();
    assert_eq!(missing.message, "the parameter `q` has no value, but others have one");
    options.parameters.insert("q".to_owned(), 5.into());
    let fixed = load_with("m.drn", PARAMETRIC, &options).unwrap().model;
    assert_eq!(
        (shown(fixed.values.as_ref()), fixed.kind().name()),
        ("1/3 2/3 1".to_owned(), "DTMC".to_owned())
    );
    assert_eq!(shown(fixed.rewards[0].states.as_ref()), "5 0");
    // Written and read again it is the same.
    let again = written(&open, Format::Drn, &WriteOptions::default());
    assert_eq!(model("m.drn", &again).values, open.values);
}

#[test]
fn parameters_in_no_probability() {
    // Nowhere: the numbers stay doubles.
    let unused =
        chain("state 0 init\n\taction 0\n\t\t1 : 0.5\n\t\t0 : 0.5\nstate 1\n\taction 0\n\t\t1 : 1\n");
    let unused = model("m.drn", &unused.replace("@parameters\n\n", "@parameters\np\n"));
    let again = model("m.drn", &written(&unused, Format::Drn, &WriteOptions::default()));
    assert_eq!((&again.values, &again.parameters), (&unused.values, &unused.parameters));
    assert_eq!(shown(again.values.as_ref()), "0.5 0.5 1");
    // In rewards alone.
    let rewards = PARAMETRIC.replace("$0 : p\n", "$0 : 1/3\n").replace("$1 : 1+(-1)*p\n", "$1 : 1+(-1)/3\n");
    let rewards = model("m.drn", &rewards);
    assert_eq!(shown(rewards.values.as_ref()), "1/3 2/3 1");
    let again = model("m.drn", &written(&rewards, Format::Drn, &WriteOptions::default()));
    assert_eq!(again.rewards, rewards.rewards);
    assert_eq!(again.values, rewards.values);
}

#[test]
fn complaints_show_the_place() {
    refused(
        "m.drn",
        &chain("state 0 init\n\taction 0\n\t\t1 : 0.5x\n"),
        "
error[V1102]: expected the end of the line, found `x`
  --> m.drn:12:10
   |
12 |         1 : 0.5x
   |                ^
",
    );
    refused(
        "m.drn",
        &chain("state 0 init\n\taction 0\n\t\t1 : -1/2\n"),
        "
error[V1108]: `-1/2` is negative: a probability or a rate
  --> m.drn:12:7
   |
12 |         1 : -1/2
   |             ^^^^
",
    );
    refused(
        "m.drn",
        &chain("state 0 init\n\taction 0\n\t\t2 : 1\n"),
        "
error[V1107]: there is no state `2`: the header declares 2 states
  --> m.drn:12:3
   |
12 |         2 : 1
   |         ^
",
    );
    refused(
        "m.drn",
        &chain("state 0 init\n\t\t1 : 1\n"),
        "
error[V1110]: a transition before the first action of its state
  --> m.drn:11:3
   |
11 |         1 : 1
   |         ^
",
    );
    refused(
        "m.drn",
        &chain("state 1 init\n"),
        "
error[V1110]: state 0 is missing before state 1
  --> m.drn:10:7
   |
10 | state 1 init
   |       ^
   |
   = states are numbered from 0 in the order of the file
",
    );
    refused(
        "m.drn",
        "@type: DTMC\n@nr_state\n3\n",
        "
error[V1102]: `@nr_state` is not a key of the format
 --> m.drn:2:1
  |
2 | @nr_state
  | ^^^^^^^^^
  |
  = help: did you mean `@nr_states`?
",
    );
    refused(
        "m.drn",
        "@type: SMG\n@nr_states\n1\n@model\n",
        "
error[V1112]: DRN files of games do not record which player owns a state
 --> m.drn:1:8
  |
1 | @type: SMG
  |        ^^^
  |
  = help: export the game as UMB, which records it
",
    );
}

#[test]
fn what_is_wrong_is_refused() {
    let message = |text: &str| load("m.drn", text).expect_err("it is wrong").message;
    for (body, expected) in [
        ("state 0 init\n\taction 0\n\t\t1 : nan\n", "`nan` is not a finite number"),
        ("state 0 init\n\taction 0\n\t\t1 : 1e999\n", "`1e999` is not a finite number"),
        ("state 0 init\n\taction 0\n\t\t1 : 1/0\n", "the denominator of `1/0` is 0"),
        ("state 0 init\n\taction 0\n\t\t1 : $x\n", "the placeholder `$x` is not defined"),
        ("state 0 init \"open\n", "the quotation mark is not closed on this line"),
        ("state 0 init\nstate 0\n", "state 0 is repeated or out of order: expected state 1"),
        ("state 0 !2 init\n", "an exit rate in a discrete-time model"),
        ("state 0 [1] init\n", "more rewards than the 0 declared in the header"),
        ("nonsense\n", "expected a state, an action or a transition, found `nonsense`"),
        ("\taction a\n", "expected a state before its actions, found `a`"),
        ("", "the header declares 2 states, but there are 0"),
    ] {
        assert_eq!(message(&chain(body)), expected);
    }
    let ctmc = chain("state 0 init\n").replace("DTMC", "CTMC");
    assert_eq!(message(&ctmc), "expected `!` and the exit rate of the state, found `init`");
    let huge = chain("").replace("\n2\n", "\n99999999999999999999\n");
    assert_eq!(message(&huge), "more states than 32-bit numbers can count");
    assert_eq!(message("@type: DTMC\n@model\n"), "the header has no `@nr_states`");
    assert_eq!(message(&chain("").replace("@nr_states", "@type: MDP\n@nr_states")), "this key occurs twice");
    assert_eq!(message("@type: DTMC\n"), "expected `@model`, but the file ends here");
    assert_eq!(
        message(&PARAMETRIC.replace("+(-1)", "+(-r)")),
        "`1+(-r)*p` is not an expression: `r` is not a parameter"
    );
}

#[test]
fn what_is_written() {
    let text = "// Exported by volvelle\n@type: Markov Automaton\n@value_type: rational\n@parameters\n\n@reward_models\ncost\n\
                @nr_states\n3\n@nr_choices\n3\n@model\nstate 0 !0 [0] init\n\taction a [1/2]\n\t\t1 : 1/3\n\t\t2 : 2/3\n\
                \taction __NOLABEL__ [0]\n\t\t0 : 1\nstate 1 !5/2 [0] \"two words\"\n\taction __NOLABEL__ [0]\n\t\t2 : 1\n\
                state 2 !0 [0] deadlock\n";
    let read = model("m.drn", text);
    assert_eq!(read.markovian.as_ref().unwrap().iter().collect::<Vec<_>>(), [1]);
    assert_eq!(written(&read, Format::Drn, &WriteOptions::default()), text);
}

/// Each word of the format, misspelt, has a fix that restores the text.
#[test]
fn misspelt_words() {
    let text = "@type: MDP\n@value_type: parametric\n@parameters\nwidth\n@placeholders\n$first : 1/3\n@reward_models\ncost\n\
                @nr_states\n2\n@nr_choices\n3\n@model\nstate 0 [0] init\n\taction left [3]\n\t\t0 : $first\n\t\t1 : 2/3\n\
                \taction right [0]\n\t\t1 : 1-width\n\t\t0 : 0.5\nstate 1 [0]\n\taction 0 [0]\n\t\t1 : 1\n";
    let before = load("m.drn", text).unwrap_or_else(|finding| panic!("{}", super::draw(&finding)));
    let words = [
        "@type:",
        "@value_type:",
        "@parameters",
        "@placeholders",
        "@reward_models",
        "@nr_states",
        "@nr_choices",
        "@model",
        "MDP",
        "parametric",
        "state",
        "action",
        "$first",
        "width",
    ];
    let mut tried = 0;
    for word in words {
        for (at, _) in text.match_indices(word) {
            let is_value = word == "width" || word == "$first";
            // Of names the uses, and of lines of states and actions the first words.
            if is_value && at < text.find("@model").unwrap() || text[..at].ends_with("nr_") {
                continue;
            }
            let last = word.trim_end_matches(':').len();
            for other in [
                format!("{}{}{}", &word[..last], &word[last - 1..last], &word[last..]),
                format!("{}{}{}", &word[..2], &word[1..2], &word[2..]),
            ] {
                let broken = format!("{}{other}{}", &text[..at], &text[at + word.len()..]);
                let Err(finding) = load("m.drn", &broken) else { panic!("{broken}") };
                let mut sources = volvelle_diagnostics::Sources::new();
                let texts: [(&str, &[u8]); 1] = [("m.drn", broken.as_bytes())];
                let diagnostic = finding.to_diagnostic_in(&mut sources, &texts);
                let file =
                    diagnostic.primary.as_ref().unwrap_or_else(|| panic!("{other}: {finding:?}")).span.file;
                let [fix] = diagnostic.fixes.as_slice() else { panic!("{other}: {finding:?}") };
                let restored = volvelle_diagnostics::applied(&sources, &[fix]).text(&sources, file);
                assert_eq!(restored.as_deref(), Some(text), "{other}");
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "{tried}");
    assert_eq!(before.model.kind().name(), "pMDP");
}

/// Of a text that is not known, or not the one that was read, the line is shown, and the fix is for that line.
#[test]
fn fixes_of_lines() {
    let text = chain("state 0\n\taction 0\n\t\t1 : 1\nstat 1\n\taction 0\n\t\t1 : 1\n");
    let finding = load("m.drn", &text).unwrap_err();
    for texts in [&[][..], &[("m.drn", b"other".as_slice())], &[("other.drn", text.as_bytes())]] {
        let mut sources = volvelle_diagnostics::Sources::new();
        let diagnostic = finding.to_diagnostic_in(&mut sources, texts);
        let span = diagnostic.primary.unwrap().span;
        assert_eq!((sources.file(span.file).text.as_str(), sources.text(span)), ("stat 1", "stat"));
        assert_eq!(sources.line_column(span).line, 13);
        assert_eq!(diagnostic.fixes.len(), 1);
    }
}
