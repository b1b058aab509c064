//! Structures as texts: what they mean, messages, and writing against reading.

use dashu_ratio::RBig;
use std::borrow::Cow;
use volvelle_diagnostics::{FileId, Severity, codes, has_errors};
use volvelle_random::Random;
use volvelle_wks::structure::{Explicit, read, write, write_dot};

fn good(text: &str) -> Explicit {
    let (explicit, diagnostics) = read(FileId(0), text);
    assert!(!has_errors(&diagnostics), "{text}: {diagnostics:?}");
    explicit.expect("a structure")
}

fn written(explicit: &Explicit) -> String {
    write(explicit.name.as_deref(), &explicit.structure, explicit.parametric.as_ref(), |state| {
        Cow::Borrowed(explicit.states[state as usize].as_str())
    })
}

fn ratio(text: &str) -> RBig {
    text.parse().expect("a fraction")
}

#[test]
fn meaning() {
    let text = "wks vending; # a name\nparameter x in [1, 5]; initial idle;\nstate paid {debt*-3};\n\
        state idle {ready, coin*2}: -0-> idle, -3/2-> paid, /* two */ -(2*x + 1)-> paid, -1e-1-> \"paid\";";
    let explicit = good(text);
    let structure = &explicit.structure;
    assert_eq!(explicit.name.as_deref(), Some("vending"));
    assert_eq!(
        (explicit.states.as_slice(), structure.initial),
        (&["paid".to_owned(), "idle".to_owned()][..], 1)
    );
    assert_eq!((explicit.state("idle"), explicit.state("nowhere")), (Some(1), None));
    let weights: Vec<RBig> = structure.outgoing(1).iter().map(|step| structure.number(step.weight)).collect();
    assert_eq!(weights, ["0", "3/2", "7", "1/10"].map(ratio));
    assert!(structure.outgoing(0).is_empty());
    assert_eq!(structure.multiplicity(1, structure.proposition("coin").expect("known")), 2);
    assert_eq!(structure.multiplicity(0, structure.proposition("debt").expect("known")), -3);
    let at = explicit.at(&[ratio("5")]).expect("weights");
    assert_eq!(at.number(at.outgoing(1)[2].weight), ratio("11"));
    let span = explicit.span_of_state[0];
    assert_eq!(&text[span.start as usize..span.end as usize], "paid");
    let dot = write_dot(None, structure, explicit.parametric.as_ref(), |s| {
        explicit.states[s as usize].as_str().into()
    });
    assert!(
        dot.contains("s1 [label=\"idle\\n{ready, coin*2}\"];") && dot.contains("[label=\"2*x + 1\"]"),
        "{dot}"
    );
}

#[test]
fn messages() {
    for (text, code, message) in [
        ("", codes::WKS_SYNTAX, "there is no state"),
        ("stat a;", codes::WKS_SYNTAX, "`state`, `initial`, `parameter` or `wks` is expected"),
        ("state a: -1-> ;", codes::WKS_SYNTAX, "the name of a state is expected"),
        ("state a: -1-> 0;", codes::WKS_SYNTAX, "the name of a state is expected"),
        ("state a: 1-> a;", codes::WKS_SYNTAX, "a step `-weight-> state` is expected"),
        ("state a", codes::WKS_SYNTAX, "`,` or `;` is expected"),
        (
            "state a {p*0};",
            codes::WKS_SYNTAX,
            "how often the proposition holds, an integer other than 0, is expected",
        ),
        ("state \"a;", codes::WKS_SYNTAX, "the name of a state is expected"),
        ("state a: -1-> b;", codes::WKS_NAME, "there is no state `b`"),
        ("state a; state a;", codes::WKS_NAME, "state `a` is declared twice"),
        ("initial a; initial a; state a;", codes::WKS_NAME, "there are two initial states"),
        ("initial b; state a;", codes::WKS_NAME, "there is no state `b`"),
        ("state a: -(x)-> a;", codes::WKS_NAME, "`x` is not a parameter"),
        (
            "parameter x in [0,1]; parameter x in [0,1]; state a;",
            codes::WKS_NAME,
            "parameter `x` is declared twice",
        ),
        ("parameter x in [2,1]; state a;", codes::WKS_WEIGHT, "no value is left for `x`"),
        ("state a: --3-> a;", codes::WKS_WEIGHT, "a weight is negative"),
        ("state a: -(1 - 3)-> a;", codes::WKS_WEIGHT, "a weight is negative"),
        ("parameter x in [0,4]; state a: -(3 - x)-> a;", codes::WKS_WEIGHT, "a weight is negative"),
        (
            "parameter x in [0,1]; state a: -(x*x)-> a;",
            codes::WKS_WEIGHT,
            "the product of two parameters is not linear",
        ),
        (
            "parameter x in [0,1]; state a: -(1/x)-> a;",
            codes::WKS_WEIGHT,
            "a quotient with a parameter below is not linear",
        ),
        ("state a: -1/0-> a;", codes::WKS_WEIGHT, "a number has no value"),
        (
            "state a: -1-> a, -1e-300-> a;",
            codes::WKS_WEIGHT,
            "the weights are no multiples of one number that fit into 64 bits",
        ),
    ] {
        let (explicit, diagnostics) = read(FileId(0), text);
        assert!(explicit.is_none(), "{text}");
        let error = diagnostics.iter().find(|d| d.severity == Severity::Error).expect("a reason");
        assert_eq!((error.code, error.message.as_str()), (code, message), "{text}");
    }
    let (_, diagnostics) = read(FileId(0), "state idle: -1-> idel, -x-> idle; stat b; state c: --1-> idle;");
    assert_eq!(diagnostics.len(), 4, "{diagnostics:?}");
    assert!(diagnostics.iter().any(|d| d.primary.as_ref().is_some_and(|p| p.text == "did you mean `idle`?")));
    let deep = format!("state a: -{}1-> a;", "(".repeat(100_000));
    assert!(read(FileId(0), &deep).0.is_none());
}

#[test]
fn what_is_written_is_read_again() {
    let mut random = Random(7);
    let names = ["a", "b.c'", "two words", "q\"\\", "é\n", "state", "0"];
    for case in 0..3_000 {
        let states = 1 + random.below(names.len());
        let is_parametric = random.one_in(2);
        let quoted = |name: &str| {
            format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        };
        let mut text = String::new();
        if is_parametric {
            text.push_str("parameter x in [1/2, 3]; parameter \"y z\" in [-1, 1];\n");
        }
        text.push_str(&format!("initial {};\n", quoted(names[random.below(states)])));
        for name in &names[..states] {
            text.push_str(&format!("state {}", quoted(name)));
            if random.one_in(2) {
                text.push_str(random.pick(&[" {p}", " {q, p*3}", " {p, p, \"r s\"}", " {}"]));
            }
            for step in 0..random.below(4) {
                let weight = match is_parametric {
                    true => random.pick(&[
                        "(2*x + 1/3)",
                        "(\"y z\" - x + 4)",
                        "5",
                        "(x/2 - -(x - 0))",
                        "(2 + x - x)",
                    ]),
                    false => random.pick(&["0", "5.1", "3/2", "1e-3", "(1 + 2*3)/1".trim_end_matches("/1")]),
                };
                let target = quoted(names[random.below(states)]);
                text.push_str(&format!("{} -{weight}-> {target}", if step == 0 { ":" } else { "," }));
            }
            text.push_str(";\n");
        }
        let first = good(&text);
        let printed = written(&first);
        let again = good(&printed);
        assert_eq!(again.structure, first.structure, "case {case}: {printed}");
        assert_eq!(
            (&again.states, &again.parametric),
            (&first.states, &first.parametric),
            "case {case}: {printed}"
        );
        assert_eq!(written(&again), printed, "case {case}");
    }
}

/// Reading takes time in proportion to the text; a million states have been read as well, too slowly for each run of the tests.
#[test]
fn many_states() {
    let states = 200_000;
    let text: String = (0..states)
        .map(|s| {
            format!(
                "state s{s} {{p{}}}: -{}-> s{}, -1/2-> s{};\n",
                s % 3,
                s % 100,
                (s + 1) % states,
                s * 7 % states
            )
        })
        .collect();
    let explicit = good(&text);
    assert_eq!((explicit.structure.num_states(), explicit.structure.num_steps()), (states, 2 * states));
    assert_eq!(explicit.structure.valuations().len(), 3);
}
