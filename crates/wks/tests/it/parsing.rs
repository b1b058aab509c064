//! Texts of weighted CCS: mistakes and their messages, and texts that nobody would write.

use crate::models::{alternating_bit, election, semaphore};
use crate::random_systems::random_system;
use crate::support::{changed, system};
use volvelle_diagnostics::{FileId, RenderOptions, Sources, has_errors, render_all};
use volvelle_random::Random;
use volvelle_wks::wccs::{Unfolding, read, read_project};

/// Codes and messages of the diagnostics of a text.
fn messages(text: &str) -> Vec<String> {
    let (system, diagnostics) = read(FileId(0), text);
    assert_eq!(system.is_none(), has_errors(&diagnostics));
    diagnostics.iter().map(|found| format!("{} {}", found.code, found.message)).collect()
}

#[test]
fn mistakes_and_their_messages() {
    for (text, expected) in [
        ("", "V1811 there are no processes"),
        ("# nothing", "V1811 there are no processes"),
        ("P := <a>.0", "V1811 expected an operator or `;`, found the end of the text"),
        ("P := (<a>.0;", "V1811 expected an operator or `)`, found `;`"),
        ("P := <a>.0 0;", "V1811 expected an operator or `;`, found `0`"),
        ("P := ;", "V1811 expected a process, found `;`"),
        ("P := <a 3>.0;", "V1811 expected `,` or `>`, found `3`"),
        ("P := <a>0;", "V1811 expected `.`, found `0`"),
        ("P := <tau!>.0;", "V1811 `tau` has no output"),
        ("P := 0 \\ {tau};", "V1811 `tau` cannot be restricted"),
        ("P := 0[tau -> a];", "V1811 `tau` cannot be renamed"),
        ("P := 0[a -> tau];", "V1811 `tau` cannot be a new name"),
        ("P := 0[a -> b, a -> c];", "V1811 `a` is renamed twice"),
        ("P := 0[a = b];", "V1811 expected `->` or `=>`, found `=`"),
        ("P := 0; 7", "V1811 expected a definition, found `7`"),
        ("P := <a>.Q;", "V1812 process `Q` is not defined"),
        ("P := 0; P := <a>.0;", "V1812 process `P` is defined twice"),
        ("P := P;", "V1813 the recursion of process `P` is not guarded"),
        ("P := P | <a>.0;", "V1813 the recursion of process `P` is not guarded"),
        ("P := p:(Q + <a>.P) \\ {a}; Q := P[a -> b];", "V1813 the recursion of process `P` is not guarded"),
        ("P := <a,-1>.0;", "V1814 weight `-1` is negative"),
        ("P := <a,>.0;", "V1814 the weight is missing"),
        ("P := <a,1.2.3>.0;", "V1814 `1.2.3` is not a weight"),
        ("P := <a,x>.0;", "V1814 `x` is not a weight"),
        ("P := <a,1/0>.0;", "V1814 `1/0` is not a weight"),
    ] {
        assert_eq!(messages(text), [expected], "{text}");
    }
}

#[test]
fn every_mistake_has_a_message() {
    let found = messages("P := <a>.Q; P2 := (0; R := <a,-2>.T | ; S := <b>.P S2 := <c>.S;");
    let codes: Vec<&str> = found.iter().map(|message| &message[..5]).collect();
    assert_eq!(codes, ["V1812", "V1811", "V1814", "V1812", "V1811", "V1811"], "{found:?}");
    let found = messages("P := <a,1e-300>.<b,1e300>.0;");
    assert_eq!(found, ["V1814 the weights are not multiples of one unit that fit into 64 bits"]);
}

#[test]
fn a_name_that_is_near() {
    let text = "System := <a>.Thraed; Thread := 0;";
    let (_, diagnostics) = read(FileId(0), text);
    assert_eq!(
        diagnostics[0].primary.as_ref().map(|label| label.text.as_str()),
        Some("did you mean `Thread`?")
    );
}

#[test]
fn what_is_allowed() {
    for text in [
        "P:=0;",
        "P := <a>.<b!, 3>.q:P; # comment\n// another\nQ := P\\{a}[b->c]\\{ };",
        "P := p : q : <a , 1/3> . (P | P[x => y, a -> b] + 0);",
        "P := <a,0.25>.P + <a,2>.P + <a,10/4>.P;",
        "P := tau:<tau>.P;",
    ] {
        assert_eq!(messages(text), [] as [String; 0], "{text}");
    }
    let read = system("P := <a,0.25>.P + <a,2>.P; Q := P;");
    assert_eq!(read.weights, [1, 8]);
    assert_eq!(read.unit.to_string(), "1/4");
    assert_eq!((read.process("Q"), read.process("R")), (Some(1), None));
}

#[test]
fn long_and_deep_texts() {
    let deep = format!("P := {}0{};", "(".repeat(100_000), ")".repeat(100_000));
    assert!(messages(&deep)[0].starts_with("V1811 more than 1000 parentheses"));
    let deep = format!("P := {}0{};", "(0 + ".repeat(1000), ")".repeat(1000));
    assert_eq!(messages(&deep), [] as [String; 0]);
    // Steps, labels, restrictions and names are not nested in the parser, and cost no stack anywhere.
    let mut chain = String::from("P := <a>.Q0;\n");
    for at in 0..50_000 {
        chain += &format!("Q{at} := p:(Q{} \\ {{b}});\n", at + 1);
    }
    chain += "Q50000 := <b>.0;\n";
    let long =
        format!("P := {}{}0{};", "<a>.".repeat(100_000), "p:".repeat(100_000), " \\ {a}".repeat(100_000));
    for text in [chain, long] {
        let mut unfolding = Unfolding::new(system(&text), 0).expect("it is small");
        let mut steps = Vec::new();
        unfolding.steps(0, &mut steps).expect("it is small");
        assert_eq!(steps.len(), 1);
        unfolding.explore(&mut |_, _| true).expect("it is small");
        assert!(unfolding.text(0).len() < 1_000_000);
    }
}

#[test]
fn changed_texts_never_panic() {
    let mut texts = vec![election(3), alternating_bit(2, 2), semaphore(2, 3)];
    texts.extend((0..20).map(|seed| random_system(&mut Random(seed))));
    let mut random = Random(7);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..4_000 {
        let signs = ['(', ')', '<', '>', '|', '+', ';', ':', '0', '!', ',', '\\', '{', '[', 'é', '#', '-'];
        let text = &texts[random.below(texts.len())];
        let changes = 1 + random.below(4);
        let text = changed(text, changes, &signs, &mut random);
        let mut sources = Sources::new();
        let file = sources.add("model.wccs", &text);
        let (system, diagnostics) = read(file, &text);
        assert_eq!(system.is_none(), has_errors(&diagnostics), "{text}");
        let _ = render_all(&diagnostics, &sources, RenderOptions::default());
        let Some(system) = system else {
            wrong += 1;
            continue;
        };
        right += 1;
        let mut unfolding = Unfolding::new(system, 0).expect("it is small");
        let _ = unfolding.explore(&mut |states, _| states < 200);
    }
    assert!(right > 100 && wrong > 1_000, "{right} {wrong}");
}

#[test]
fn projects() {
    let text = r#"{"name": "Ex", "model": {"language": "WCCS", "definition": "P := <a,1>.p:0;"},
        "properties": [{"state": "P", "formula": "EF p"}, {"state": "P"}]}"#;
    let (project, diagnostics) = read_project(FileId(0), text);
    assert!(diagnostics.is_empty());
    let project = project.expect("it is right");
    assert_eq!((project.language.as_str(), project.formulas.len()), ("WCCS", 1));
    assert_eq!(system(&project.definition).processes.len(), 1);
    for wrong in ["", "{", "[]", "{}", r#"{"model": {}}"#, r#"{"model": 3}"#, "{\"model\":\n é}"] {
        let (project, diagnostics) = read_project(FileId(0), wrong);
        assert!(project.is_none() && has_errors(&diagnostics), "{wrong}");
    }
}
