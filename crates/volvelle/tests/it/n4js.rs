//! `volvelle n4js`: files and folders, types, and what is refused.

use crate::common::{Folder, Run};
use serde_json::{Value, json};

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.out).expect("JSON")
}

const WRONG: &str = "var x: int = \"a\";\n";

/// A folder for tests with folders in it.
fn folder_with(inner: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in inner {
        std::fs::create_dir_all(folder.path().join(name)).expect("a folder for tests can be made");
    }
    folder
}

#[test]
fn errors_have_a_code_a_rule_and_their_ends() {
    let folder = Folder::new().file("p.n4js", WRONG).file("right.n4js", "var y: int = 1;\n");
    let run = folder.run(&["n4js", "check", "p.n4js", "--json"]).exits(1);
    let errors = &json_of(&run)["diagnostics"];
    assert_eq!(errors.as_array().map(Vec::len), Some(1), "{errors}");
    let error = &errors[0];
    assert_eq!(
        (&error["code"], &error["rule"], &error["data"]),
        (&json!("V2102"), &json!("Fits"), &json!("type"))
    );
    let place = ["line", "column", "end_line", "end_column"].map(|name| error[name].clone());
    assert_eq!(place, [1, 14, 1, 17].map(|number| json!(number)));
    assert!(error["trace"].as_array().is_some(), "{error}");
    folder.run(&["n4js", "check", "right.n4js"]).exits(0);
    let all = folder.run(&["n4js", "check", "right.n4js", "p.n4js", "--no-cache"]).exits(1);
    assert!(all.out.contains("1 error") && all.err.contains("p.n4js:1:14"), "{}{}", all.out, all.err);
    let counted = folder.run(&["n4js", "check", "p.n4js", "--statistics", "--json"]).exits(1);
    assert!(json_of(&counted)["rules"]["statistics"]["applications"].as_u64() > Some(0));
}

/// The form of a program comes before its types, and both are told.
#[test]
fn the_form_of_a_program() {
    let folder = Folder::new().file("p.n4js", format!("{WRONG}var z = (1;\n"));
    let run = folder.run(&["n4js", "check", "p.n4js", "--json"]).exits(2);
    let codes: Vec<Value> = json_of(&run)["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|error| error["code"].clone())
        .collect();
    assert_eq!(codes, [json!("V2102"), json!("V2101")]);
    let prefix = Folder::new().file("p.n4js", "var int x = \"a\";\n");
    prefix.run(&["n4js", "check", "p.n4js"]).exits(2);
    let run = prefix.run(&["n4js", "check", "p.n4js", "--syntax", "2016"]).exits(1);
    assert!(run.err.contains("V2102"), "{}", run.err);
}

#[test]
fn folders_are_read_in_a_fixed_order() {
    let folder = folder_with(&["src/a", "src/b", "src/p", "src/.hidden", "src/node_modules/x"])
        .file("src/b/Two.n4js", WRONG)
        .file("src/a/One.n4js", WRONG)
        .file("src/a.js", WRONG)
        .file("src/types.n4jsd", "export external public class Four {}\n")
        .file("src/.hidden/No.n4js", WRONG)
        .file("src/node_modules/x/No.n4js", WRONG)
        .file("src/no.txt", WRONG);
    let run = folder.run(&["n4js", "check", "src", "--json"]).exits(1);
    let answer = json_of(&run);
    assert_eq!(answer["rules"]["programs"], json!(4));
    let files: Vec<&str> = answer["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["file"].as_str())
        .collect();
    assert_eq!(files, ["src/a/One.n4js", "src/a.js", "src/b/Two.n4js"]);
    // Each file once.
    let twice = folder.run(&["n4js", "check", "src", "src/a.js", "--json"]).exits(1);
    assert_eq!(json_of(&twice)["rules"]["programs"], json!(4));
}

#[test]
fn files_that_are_checked_together_import_from_each_other() {
    let folder = folder_with(&["src/a", "src/b", "src/p", "src/.hidden", "src/node_modules/x"])
        .file("src/p/A.n4js", "export class A { public n: int = 1; }\nclass B {}\nnew B();\n")
        .file("src/p/Use.n4js", "import {A} from \"p/A\";\nexport var x: string = new A().n;\n");
    let run = folder.run(&["n4js", "check", "src"]).exits(1);
    assert!(
        run.err.contains("Use.n4js:2:24") && run.err.contains("int is not a subtype of string"),
        "{}",
        run.err
    );
    let alone = folder.run(&["n4js", "check", "src/p/Use.n4js"]).exits(1);
    assert!(alone.err.contains("there is no file `p/A`"), "{}", alone.err);
}

#[test]
fn types_of_expressions_and_declarations() {
    let folder = Folder::new().file("p.n4js", "let four = 2 * 2;\n");
    let run = folder.run(&["n4js", "check", "p.n4js", "--types", "--json"]).exits(0);
    let entry = |column, end, ty| json!({"file": "p.n4js", "line": 1, "column": column, "end_line": 1, "end_column": end, "type": ty});
    let expected =
        json!([entry(5, 9, "number"), entry(12, 17, "number"), entry(12, 13, "int"), entry(16, 17, "int")]);
    assert_eq!(json_of(&run)["types"], expected);
    let run = folder.run(&["n4js", "check", "p.n4js", "--types"]).exits(0);
    assert!(run.out.contains("2 * 2"), "{}", run.out);
}

#[test]
fn what_is_refused() {
    let folder = folder_with(&["empty"]).file("empty/readme.txt", "").file("p.n4js", WRONG);
    let run = folder.run(&["n4js", "check", "empty"]).exits(2);
    assert!(run.err.contains("there are no programs in `empty`"), "{}", run.err);
    folder.run(&["n4js", "check", "missing.n4js"]).exits(2);
    folder.run(&["n4js", "check"]).exits(2);
    folder.run(&["n4js", "zork", "p.n4js"]).exits(2);
    folder.run(&["n4js", "check", "p.n4js", "--max-memory", "1B"]).exits(2);
}

/// Reading the rules takes longer than the limit.
#[test]
fn limits_end_a_check() {
    let classes = |number| format!("class A{number} {{ public f(): number {{ return {number} * 2; }} }}\n");
    let folder = Folder::new().file("p.n4js", (0..2000).map(classes).collect::<String>());
    folder.run(&["n4js", "check", "p.n4js", "--timeout", "1ms"]).exits(3);
}
