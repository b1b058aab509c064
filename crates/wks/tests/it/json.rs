//! Structures as JSON: what they mean, the published set, messages, and writing against reading.

use crate::support::changed;
use dashu_ratio::RBig;
use std::borrow::Cow;
use std::path::Path;
use volvelle_diagnostics::{FileId, RenderOptions, Severity, Sources, codes, has_errors, render_all};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_wks::structure::{Explicit, read, read_json, write_json};

#[track_caller]
fn good(text: &str) -> Vec<(Option<String>, Explicit)> {
    let (found, diagnostics) = read_json(FileId(0), text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    found
}

fn ratio(text: &str) -> RBig {
    text.parse().expect("a fraction")
}

#[test]
fn meaning() {
    let text = r#"{"name": "vending", "states": ["idle", "p\u00e4id"], "initial": "p\u00e4id",
        "labels": {"päid": ["q", ["coin", 2]], "idle": ["p"]},
        "trans": [["päid", 0.5, "idle"], ["idle", "51/10", "päid"], ["päid", "3", "päid"], ["päid", 25e-1, "idle"],
                  ["idle", 0.100000000000000001, "idle"]]}"#;
    let found = good(text);
    let (name, explicit) = &found[0];
    assert_eq!(
        (found.len(), name.as_deref(), explicit.name.as_deref()),
        (1, Some("vending"), Some("vending"))
    );
    assert_eq!(
        (explicit.states.as_slice(), explicit.structure.initial),
        (&["idle".to_owned(), "päid".to_owned()][..], 1)
    );
    let structure = &explicit.structure;
    let steps = |state| {
        structure.outgoing(state).iter().map(|s| (structure.number(s.weight), s.target)).collect::<Vec<_>>()
    };
    // No digit is lost on the way through binary numbers.
    let fine = ratio("100000000000000001/1000000000000000000");
    assert_eq!(steps(0), [(ratio("51/10"), 1), (fine, 0)]);
    assert_eq!(steps(1), [(ratio("1/2"), 0), (ratio("3"), 1), (ratio("5/2"), 0)]);
    assert_eq!(structure.multiplicity(1, structure.proposition("coin").expect("known")), 2);
    assert_eq!(structure.multiplicity(0, structure.proposition("p").expect("known")), 1);
    let span = explicit.span_of_state[1];
    assert_eq!(&text[span.start as usize..span.end as usize], r#""p\u00e4id""#);
    let several = good(r#"{"b": {"states": ["s"]}, "states": {"states": ["t"], "name": "other"}}"#);
    let names: Vec<_> =
        several.iter().map(|(name, explicit)| (name.as_deref(), explicit.name.as_deref())).collect();
    assert_eq!(names, [(Some("b"), Some("b")), (Some("states"), Some("states"))]);
}

/// The structures of Foshammer, Larsen, Mardare and Xue, which are kept outside this repository.
#[test]
fn published_structures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/wks/wks.json");
    let Ok(text) = std::fs::read_to_string(&path) else { return };
    let found = good(&text);
    let sizes: Vec<_> = found
        .iter()
        .map(|(name, e)| {
            (name.as_deref().expect("a name"), e.structure.num_states(), e.structure.num_steps())
        })
        .collect();
    assert_eq!(sizes.len(), 6);
    assert_eq!(&sizes[..3], [("fig1ab", 6, 7), ("fig1cde", 12, 14), ("fig1cde_nodirect", 12, 13)]);
    let first = &found[0].1;
    let (from, to) = (first.state("s1").expect("known"), first.state("s1_1").expect("known"));
    let step = first.structure.outgoing(from).iter().find(|step| step.target == to).expect("a step");
    assert_eq!(first.structure.number(step.weight), ratio("5"));
    for (name, explicit) in &found {
        let text = written(name.as_deref(), explicit);
        assert_eq!(good(&text)[0].1.structure, explicit.structure);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn messages() {
    for (text, code, message) in [
        ("{\"states\": [\"a\",\n]}", codes::WKS_JSON, "this is not JSON: expected value at line 2 column 1"),
        ("", codes::WKS_JSON, "this is not JSON: EOF while parsing a value at line 1 column 0"),
        ("[]", codes::WKS_JSON, "an object with `states` and `trans` is expected"),
        ("{}", codes::WKS_JSON, "there is no structure"),
        (r#"{"state": ["a"]}"#, codes::WKS_JSON, "`state`: a structure is expected"),
        (r#"{"f": {"trans": []}}"#, codes::WKS_JSON, "`f`: `states` is missing"),
        (r#"{"states": []}"#, codes::WKS_JSON, "`states`: there is no state"),
        (r#"{"states": "a"}"#, codes::WKS_JSON, "`states`: an array of names is expected"),
        (r#"{"states": ["a", 3]}"#, codes::WKS_JSON, "`states[1]`: a text in quotation marks is expected"),
        (r#"{"states": ["\ud800"]}"#, codes::WKS_JSON, "`states[0]`: a text in quotation marks is expected"),
        (r#"{"states": ["a", "\u0061"]}"#, codes::WKS_NAME, "`states[1]`: state `a` is declared twice"),
        (r#"{"states": ["a"], "states": ["a"]}"#, codes::WKS_JSON, "`states`: is there twice"),
        (
            r#"{"f": {"states": ["a"]}, "f": {"states": ["a"]}}"#,
            codes::WKS_JSON,
            "`f`: is a second structure of this name",
        ),
        (r#"{"states": ["a"], "label": {}}"#, codes::WKS_JSON, "`label`: this is not known"),
        (r#"{"states": ["a"], "initial": "b"}"#, codes::WKS_NAME, "`initial`: there is no state `b`"),
        (
            r#"{"states": ["a"], "labels": []}"#,
            codes::WKS_JSON,
            "`labels`: an object with propositions by state is expected",
        ),
        (r#"{"states": ["a"], "labels": {"b": []}}"#, codes::WKS_NAME, "`labels`: there is no state `b`"),
        (
            r#"{"states": ["a"], "labels": {"a": "p"}}"#,
            codes::WKS_JSON,
            "`labels.a`: an array of propositions is expected",
        ),
        (
            r#"{"states": ["a"], "labels": {"a": [], "a": []}}"#,
            codes::WKS_JSON,
            "`labels.a`: this state is there twice",
        ),
        (
            r#"{"states": ["a"], "labels": {"a": [["p", 0]]}}"#,
            codes::WKS_JSON,
            "`labels.a`: a proposition, or `[proposition, multiplicity]` with an integer other than 0, is expected",
        ),
        (
            r#"{"states": ["a"], "trans": {}}"#,
            codes::WKS_JSON,
            "`trans`: an array of steps `[from, weight, to]` is expected",
        ),
        (
            r#"{"f": {"states": ["a"], "trans": [["a", 1, "a"], ["a", "1"]]}}"#,
            codes::WKS_JSON,
            "`f.trans[1]`: a step `[from, weight, to]` is expected",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", 1, "a", 1]]}"#,
            codes::WKS_JSON,
            "`trans[0]`: a step `[from, weight, to]` is expected",
        ),
        (
            r#"{"f": {"states": ["a"], "trans": [["a", 1, "b"]]}}"#,
            codes::WKS_NAME,
            "`f.trans[0]`: there is no state `b`",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", -1, "a"]]}"#,
            codes::WKS_WEIGHT,
            "`trans[0]`: a weight is negative",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", "1/0", "a"]]}"#,
            codes::WKS_WEIGHT,
            "`trans[0]`: a weight has no value",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", 1e9999, "a"]]}"#,
            codes::WKS_WEIGHT,
            "`trans[0]`: a weight has no value",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", true, "a"]]}"#,
            codes::WKS_WEIGHT,
            "`trans[0]`: a weight is a number, or a text with one",
        ),
        (
            r#"{"states": ["a"], "trans": [["a", 1, "a"], ["a", 1e-300, "a"]]}"#,
            codes::WKS_WEIGHT,
            "the weights are no multiples of one number that fit into 64 bits",
        ),
    ] {
        let (found, diagnostics) = read_json(FileId(0), text);
        assert!(found.is_empty(), "{text}");
        let error = diagnostics.iter().find(|d| d.severity == Severity::Error).expect("a reason");
        assert_eq!((error.code, error.message.as_str()), (code, message), "{text}");
    }
    let (_, diagnostics) = read_json(FileId(0), "{\"states\": [\"a\",\n  ]}");
    let span = diagnostics[0].primary.as_ref().expect("a place").span;
    assert_eq!((span.start, span.end), (19, 20));
    let (_, diagnostics) =
        read_json(FileId(0), r#"{"states": ["idle"], "trans": [["idel", 1, 3], [], ["idle", -1, "idle"]]}"#);
    assert_eq!(diagnostics.len(), 3, "every mistake has a message: {diagnostics:?}");
    assert_eq!(diagnostics[0].primary.as_ref().expect("a place").text, "did you mean `idle`?");
    let many = format!(r#"{{"states": ["a"], "trans": [{}[]]}}"#, "[],".repeat(100_000));
    assert_eq!(read_json(FileId(0), &many).1.len(), 100);
    let deep = format!(r#"{{"states": ["a"], "trans": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_json(FileId(0), &deep).0.is_empty());
}

fn written(name: Option<&str>, explicit: &Explicit) -> String {
    write_json(name, &explicit.structure, |state| Cow::Borrowed(explicit.states[state as usize].as_str()))
}

const NAMES: [&str; 7] = ["a", "b.c'", "two words", "q\"\\", "é\n\u{1}", "states", ""];

fn random_structure(random: &mut Random) -> (WeightedStructure, Vec<&'static str>) {
    let states = 1 + random.below(NAMES.len());
    let mut builder = WeightedBuilder::new();
    for _ in 0..states {
        let valuation: Vec<_> = (0..random.below(3))
            .map(|_| (random.below(4) as u32, random.pick(&[1, 1, 2, -3, i64::MAX, i64::MIN])))
            .collect();
        let steps: Vec<_> = (0..random.below(4))
            .map(|_| WeightedStep {
                weight: random.pick(&[0, 1, 2, 51, u64::MAX]),
                target: random.below(states) as u32,
            })
            .collect();
        builder.state(valuation, steps);
    }
    let unit = ratio(random.pick(&["1", "1/10", "7/3", "100"]));
    let propositions = ["p", "labels", "r \"s\"", "ü\\"].map(str::to_owned).to_vec();
    (builder.finish(random.below(states) as u32, unit, propositions), NAMES[..states].to_vec())
}

/// What structures mean, whatever the numbers of propositions and the unit.
fn meaning_of(structure: &WeightedStructure) -> impl PartialEq + std::fmt::Debug {
    let state = |s: u32| {
        let named = structure
            .valuation(s)
            .iter()
            .map(|&(p, times)| (structure.propositions[p as usize].clone(), times));
        let mut named: Vec<_> = named.collect();
        named.sort();
        let steps = structure.outgoing(s).iter().map(|step| (structure.number(step.weight), step.target));
        (named, steps.collect::<Vec<_>>())
    };
    (structure.initial, (0..structure.num_states() as u32).map(state).collect::<Vec<_>>())
}

#[test]
fn what_is_written_is_read_again() {
    let mut random = Random(11);
    for case in 0..3_000 {
        let (structure, names) = random_structure(&mut random);
        let name = random.pick(&[None, Some("a \"name\"")]);
        let text = write_json(name, &structure, |state| Cow::Borrowed(names[state as usize]));
        let found = good(&text);
        let (found_name, explicit) = &found[0];
        assert_eq!((found.len(), found_name.as_deref()), (1, name), "case {case}");
        assert_eq!(explicit.states, names, "case {case}");
        assert_eq!(meaning_of(&explicit.structure), meaning_of(&structure), "case {case}: {text}");
        let again = written(name, explicit);
        let again = good(&again).remove(0).1;
        assert_eq!(
            (again.structure, again.states),
            (explicit.structure.clone(), explicit.states.clone()),
            "case {case}"
        );
    }
}

#[test]
fn both_forms_mean_the_same() {
    let text = "initial b; state a {p}: -1/2-> b, -0-> a; state b {q*3, p}: -5.1-> a; state c;";
    let explicit = read(FileId(0), text).0.expect("a structure");
    let again = good(&written(None, &explicit)).remove(0).1;
    assert_eq!((again.structure, again.states), (explicit.structure, explicit.states));
}

#[test]
fn changed_texts_never_panic() {
    let mut random = Random(3);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..4_000 {
        let (structure, names) = random_structure(&mut random);
        let text = write_json(Some("n"), &structure, |state| Cow::Borrowed(names[state as usize]));
        let signs = ['{', '}', '[', ']', '"', ',', ':', '\\', '0', '-', '.', 'e', 'é', ' '];
        let changes = 1 + random.below(2);
        let text = changed(&text, changes, &signs, &mut random);
        let mut sources = Sources::new();
        let file = sources.add("model.json", &text);
        let (found, diagnostics) = read_json(file, &text);
        assert_eq!(found.is_empty(), has_errors(&diagnostics), "{text}");
        let _ = render_all(&diagnostics, &sources, RenderOptions::default());
        if found.is_empty() { wrong += 1 } else { right += 1 }
    }
    assert!(right > 100 && wrong > 1_000, "{right} {wrong}");
}
