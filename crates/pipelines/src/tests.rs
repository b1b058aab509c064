//! Declarations, good and bad.

use super::{Pipeline, mentions, rate, read};
use volvelle_diagnostics::Sources;

fn of(text: &str) -> (Option<Pipeline>, Vec<String>) {
    let file = Sources::new().add("p.toml", text);
    let (pipeline, found) = read(file, text);
    (pipeline, found.into_iter().map(|found| format!("{} {}", found.code, found.message)).collect())
}

const GOOD: &str = r#"
[constants]
N = [2, 4]
L = "1:0.5:2"
[step.last]
from = "queue"
reduce = "lumping"
compare = "service.aut"
expect = true
[step.queue]
model = "queue.prism"
constants = ["N", "K=3"]
write = "queue-{N}.aut"
[step.flow]
from = "last"
transient = { times = "0:1:3", counts = true }
csv = "flow.csv"
"#;

#[test]
fn steps_stand_behind_those_that_they_need() {
    let (pipeline, found) = of(GOOD);
    let pipeline = pipeline.unwrap_or_else(|| panic!("{found:?}"));
    for (place, &at) in pipeline.order.iter().enumerate() {
        assert!(pipeline.steps[at].needs().all(|needed| pipeline.order[..place].contains(&needed)));
    }
    let at = |name: &str| pipeline.steps.iter().position(|step| step.name == name).expect("a step");
    assert_eq!(pipeline.steps[at("flow")].depends, [0]);
    assert_eq!(pipeline.points_of(at("flow")), [[0], [1]]);
    assert_eq!(pipeline.points_of(at("service.aut")), [[0usize; 0]]);
    assert_eq!(pipeline.point_within(at("flow"), &[1], at("queue")), 1);
    assert_eq!(pipeline.point_within(at("last"), &[1], at("service.aut")), 0);
    assert_eq!(pipeline.file_at(at("queue"), &[1], "queue-{N}.aut"), "queue-4.aut");
}

#[test]
fn old_names_of_keys_are_read_with_a_warning() {
    let old = "[step.a]\nmodel = \"a.aut\"\nreduce = \"lumping\"\nepsilon = 1e-9\ntransient = { until = [\"OUT\"] }";
    let new = old.replace("epsilon", "rounding").replace("until", "first_passage");
    let (pipeline, found) = of(old);
    assert_eq!(found, ["V1622 `epsilon` is now `rounding`", "V1622 `until` is now `first_passage`"]);
    let shown = |pipeline: Option<Pipeline>| format!("{:?}", pipeline.expect("a pipeline").steps[0].question);
    let (same, found) = of(&new);
    assert_eq!((shown(same), found), (shown(pipeline), Vec::new()));
}

#[test]
fn mistakes() {
    let cases = [
        ("[step.a]\nmodel = ", "V1621"),
        ("", "V1622 the pipeline has no step"),
        ("[steps.a]\nmodel = \"a.aut\"", "V1622 unknown key `steps`"),
        ("[step.a]\nhide = \"A\"", "V1622 the step `a` has no system"),
        ("[step.a]\nmodel = \"a.aut\"\nfrom = \"a\"", "V1622 the step `a` has two systems"),
        ("[step.a]\nmodel = \"a.aut\"\nexpect = true", "V1622 `expect` means nothing here"),
        ("[step.a]\nmodel = \"a.aut\"\ncheck = \"x\"\nsteady = {}", "V1622 the step `a` asks two questions"),
        ("[step.a]\nmodel = \"a.aut\"\nreduce = \"week\"", "V1623 `week` is no relation"),
        ("[step.a]\nmodel = \"a.aut\"\nconstants = [\"N\"]", "V1623 there is no constant `N`"),
        ("[step.a]\nmodel = 3", "V1623 `model` is a text, not an integer"),
        ("[step.a]\nmodel = \"a.aut\"\ntransient = {}", "V1623 neither times"),
        ("[step.a]\nmodel = \"a.aut\"\nwrite = \"a.aut\"", "V1623 `a.aut` is read by this pipeline"),
        ("[step.a]\nfrom = \"b\"", "V1624 there is no step `b`"),
        ("[step.a]\nfrom = \"a\"", "V1625 the step `a` needs itself"),
        ("[step.a]\nfrom = \"b\"\n[step.b]\nfrom = \"a\"", "V1625 the step `a` needs itself"),
        ("[constants]\nN = \"1:0:4\"\n[step.a]\nmodel = \"a.aut\"", "V1623"),
        (
            "[constants]\nN = [1, 2]\n[step.a]\nmodel = \"a.pml\"\ndefine = [\"N\"]\nwrite = \"x.aut\"",
            "V1623 `x.aut` would be written for each value of `N`",
        ),
    ];
    for (text, expected) in cases {
        let (pipeline, found) = of(text);
        assert!(pipeline.is_none(), "{text}");
        assert!(found.iter().any(|found| found.starts_with(expected)), "{text}: {found:?}");
    }
}

/// No text makes the reader panic: all beginnings of a good one, and it without each of its characters.
#[test]
fn damaged_texts() {
    for at in 0..GOOD.len() {
        of(&GOOD[..at]);
        of(&format!("{}{}", &GOOD[..at], &GOOD[at + 1..]));
    }
}

#[test]
fn names_in_rates() {
    assert_eq!(rate("a; rate 2*L").map(|rate| mentions(rate, "L")), Some(true));
    assert_eq!(rate("rate LL").map(|rate| mentions(rate, "L")), Some(false));
    assert_eq!(rate("separate L"), None);
}
