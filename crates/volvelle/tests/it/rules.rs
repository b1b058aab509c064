//! `volvelle rules`: checks, one judgment, and what is refused.

use crate::common::{Folder, Run, root};
use serde_json::{Value, json};

const PROGRAM: &str = "class A { A m() { return x; } }\nnew A().m()\n";

fn folder() -> Folder {
    let example =
        |name: &str| std::fs::read_to_string(root().join("examples/rules").join(name)).expect("an example");
    Folder::new()
        .file("fj.rules", example("fj.rules"))
        .file("fj.grammar", example("fj.grammar"))
        .file("program.fj", PROGRAM)
        .file("right.fj", "class A { A m() { return this; } }\nnew A().m()\n")
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.out).expect("JSON")
}

#[test]
fn programs_that_break_rules() {
    let folder = folder();
    let run = folder.run(&["rules", "check", "fj.rules", "program.fj", "--json"]).exits(1);
    let errors = &json_of(&run)["diagnostics"];
    assert_eq!(errors.as_array().map(Vec::len), Some(1), "{errors}");
    let error = &errors[0];
    assert_eq!((&error["code"], &error["data"]), (&json!("V2036"), &json!("unbound")));
    let place = ["line", "column", "end_line", "end_column"].map(|name| error[name].clone());
    assert_eq!(place, [1, 26, 1, 27].map(|number| json!(number)));
    assert!(error["trace"].as_array().is_some_and(|levels| !levels.is_empty()), "{error}");
    folder.run(&["rules", "check", "fj.rules", "right.fj"]).exits(0);
    let both = folder.run(&["rules", "check", "fj.rules", "right.fj", "program.fj", "--no-cache"]).exits(1);
    assert!(both.out.contains("1 error"), "{}", both.out);
}

#[test]
fn a_judgment_about_a_program_or_a_place() {
    let folder = folder();
    let run = folder.run(&["rules", "ask", "fj.rules", "main", "right.fj", "--json"]).exits(0);
    assert_eq!(json_of(&run)["outputs"], json!(["A"]));
    let run =
        folder.run(&["rules", "ask", "fj.rules", "typed", "program.fj", "--at", "1:26", "--json"]).exits(1);
    assert_eq!(json_of(&run)["failure"]["data"], json!("unbound"));
}

#[test]
fn questions_that_are_none() {
    let folder = folder();
    let run = folder.run(&["rules", "ask", "fj.rules", "tped", "program.fj"]).exits(2);
    assert!(run.err.contains("V2038") && run.err.contains("did you mean `typed`?"), "{}", run.err);
    folder.run(&["rules", "ask", "fj.rules", "below", "program.fj"]).exits(2);
    folder.run(&["rules", "ask", "fj.rules", "typed", "program.fj", "--at", "99:1"]).exits(2);
    folder.run(&["rules", "ask", "fj.rules", "typed"]).exits(2);
    folder.run(&["rules", "check", "missing.rules"]).exits(2);
}
