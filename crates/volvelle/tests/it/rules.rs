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

/// The cases of the examples are as expected, whether results are kept or not.
#[test]
fn cases_of_the_examples() {
    let folder = Folder::with_examples();
    let run = folder.run(&["rules", "test", "examples/rules/cases", "--json"]).exits(0);
    let cases = &json_of(&run)["cases"];
    assert_eq!(cases["failed"], json!(0));
    assert!(cases["passed"].as_u64().is_some_and(|passed| passed >= 20), "{cases}");
    let rules = &cases["coverage"]["rules"];
    assert!(rules["applied"].as_u64().is_some_and(|applied| applied >= 60), "{}", cases["coverage"]);
    let again = folder.run(&["rules", "test", "examples/rules/cases", "--json", "--no-cache"]).exits(0);
    assert_eq!(json_of(&again)["cases"], *cases);
}

const CASES: &str = "# Cases

system: fj.rules

## Right

```fj
class A { A m() { return x; } }
                         ^ unbound
new A()
```

```expect
2:1 typed = A
```

## Wrong

```fj
class A { A m() { return x; } }
                  ^^^^^^^^^ unbound
y
```

```expect
2:1 typed = A
```
";

/// What fails is told with its difference; rules that no case applies, too.
#[test]
fn cases_that_fail() {
    let folder = folder().file("c.md", CASES);
    let run = folder.run(&["rules", "test", "c.md", "--json"]).exits(1);
    let json = json_of(&run);
    let cases = &json["cases"];
    assert_eq!((&cases["passed"], &cases["failed"]), (&json!(1), &json!(1)), "{cases}");
    let wrong = &cases["all"][1];
    assert_eq!(
        (&wrong["title"], &wrong["line"], &wrong["result"]),
        (&json!("Wrong"), &json!(19), &json!("failed"))
    );
    assert_eq!(wrong["missing"], json!(["1:19 unbound over 9 columns", "2:1 typed = A"]));
    assert_eq!(wrong["unexpected"], json!(["2:1 typed fails", "1:26 unbound", "2:1 unbound"]));
    let unapplied = cases["coverage"]["unapplied"].as_array().expect("a list");
    assert!(unapplied.iter().any(|part| part["name"] == json!("Cast") && part["alternative"] == json!(true)));
    assert!(unapplied.iter().all(|part| part["name"] != json!("New")), "{unapplied:?}");
    let text = folder.run(&["rules", "test", "."]).exits(1).out;
    for part in
        ["Right", "passed", "Wrong", "failed", "expected, not found", "1:26 unbound", "Never applied", "Cast"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(folder.read("c.md"), CASES);
}

/// `--bless` changes what failed, and nothing else; then all is as expected.
#[test]
fn cases_that_are_blessed() {
    let folder = folder().file("c.md", CASES);
    folder.run(&["rules", "test", "c.md", "--bless"]).exits(1);
    let (before, wrong) = CASES.split_once("## Wrong").expect("the case");
    let blessed = folder.read("c.md");
    let fence = "```fj\nclass A { A m() { return x; } }\n                         ^ unbound\ny\n^ unbound\n```\n\n```expect\n2:1 typed fails\n```\n";
    assert_eq!(blessed, format!("{before}## Wrong\n\n{fence}"), "{wrong}");
    assert_eq!(folder.read("c.md.orig"), CASES);
    folder.run(&["rules", "test", "c.md"]).exits(0);
    // Marks below lines stay marks.
    let marks = "system: fj.rules\n\n## One\n\n```\nx y\n```\n\n## Two\n\n```\nx\n^ nothing\n```\n";
    let folder = folder.file("m.md", marks);
    folder.run(&["rules", "test", "m.md", "--bless"]).exits(1);
    let blessed = folder.read("m.md");
    assert!(blessed.contains("```\nx\n^ unbound\n```\n") && blessed.contains("x y\n  ^ "), "{blessed}");
    folder.run(&["rules", "test", "m.md"]).exits(0);
}

#[test]
fn files_that_have_no_cases() {
    let folder = folder()
        .file("none.md", "# Nothing\n")
        .file("system.md", "system: no.rules\n## A\n```\nx\n```\n")
        .file("place.md", "system: fj.rules\n## A\n```\nclass A {}\n```\n```expect\n1:1 typed = A\n```\n")
        .file("inputs.md", "system: fj.rules\n## A\n```\nclass A {}\n```\n```expect\n1:1 below = A\n```\n");
    for (file, said) in [
        ("none.md", "the file names no system"),
        ("system.md", "no.rules"),
        ("place.md", "there is no `Expr` at this place"),
        ("inputs.md", "`below` has 3 inputs"),
        ("missing", "missing"),
    ] {
        let run = folder.run(&["rules", "test", file]).exits(2);
        assert!(run.err.contains(said), "{file}: {}", run.err);
    }
    let empty = Folder::new();
    let run = empty.run(&["rules", "test", "."]).exits(2);
    assert!(run.err.contains("no files of cases"), "{}", run.err);
}

#[test]
fn rules_on_paper() {
    let folder = Folder::with_examples();
    for name in ["lambda", "fj", "coerce", "coerce-extended"] {
        let system = format!("examples/rules/{name}.rules");
        let run = folder.run(&["rules", "print", &system, "--latex", "r.tex", "--html", "r.html"]).exits(0);
        assert!(run.out.contains("r.tex") && run.out.contains('─'), "{}", run.out);
        let latex = folder.read("r.tex");
        assert!(latex.starts_with("\\documentclass") && latex.ends_with("\\end{document}\n"), "{name}");
        assert!(folder.read("r.html").contains("border-bottom:1px solid"), "{name}");
        assert_eq!(folder.run(&["rules", "print", &system, "--latex"]).exits(0).out, latex, "{name}");
    }
    folder.run(&["rules", "print", "examples/rules/fj.rules", "x.fj"]).exits(2);
    folder.run(&["rules", "check", "examples/rules/fj.rules", "--latex", "r.tex"]).exits(2);
}

/// The types of expressions are those that checks have found, whether results are kept or not.
#[test]
fn types_of_expressions() {
    let folder = folder();
    let all = ["rules", "check", "fj.rules", "right.fj", "--json", "--types", "typed"];
    let types = json_of(&folder.run(&all).exits(0))["types"].clone();
    let of = |types: &Value| -> Vec<Value> {
        let all = types.as_array().expect("a list").iter();
        all.map(|one| json!([one["line"], one["column"], one["end_line"], one["end_column"], one["type"]]))
            .collect()
    };
    assert_eq!(
        of(&types),
        [json!([1, 26, 1, 30, "A"]), json!([2, 1, 2, 12, "A"]), json!([2, 1, 2, 8, "A"]),]
    );
    let again = [&all[..], &["--no-cache"]].concat();
    assert_eq!(json_of(&folder.run(&again).exits(0))["types"], types);
    // Without a name it is the judgment for the most kinds of nodes.
    let run = folder.run(&["rules", "check", "fj.rules", "right.fj", "--json", "--types"]).exits(0);
    assert_eq!(json_of(&run)["types"], types);
    let text = folder.run(&["rules", "check", "fj.rules", "right.fj", "--types", "typed"]).exits(0).out;
    assert!(text.contains("new A().m()") && text.contains("right.fj:2:1"), "{text}");
    for (name, said) in
        [("tped", "did you mean `typed`?"), ("below", "does not give one value"), ("right.fj", "before")]
    {
        let run = folder.run(&["rules", "check", "fj.rules", "program.fj", "--types", name]).exits(2);
        assert!(run.err.contains(said), "{name}: {}", run.err);
    }
}

/// A system without checks is asked its judgments about whole programs.
#[test]
fn types_in_a_system_without_checks() {
    let folder = Folder::with_examples().file("p.l", "\\x : int. (x, true)\n");
    let run =
        folder.run(&["rules", "check", "examples/rules/lambda.rules", "p.l", "--json", "--types", "infer"]);
    let types: Vec<Value> = json_of(&run.exits(0))["types"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["type"].clone())
        .collect();
    assert_eq!(types.len(), 4, "{types:?}");
}
