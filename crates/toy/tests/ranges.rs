//! A question that is added as `docs/face.md` says: its answer in every medium, its refusals, and the files that it takes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use volvelle_control::Control;
use volvelle_toy::question::{Range, found};
use volvelle_verify::{Session, Settings, Text};

const MODEL: &str = "dtmc
module m
  x : [0..9] init 1;
  open : bool init false;
  [] x<4 -> 0.5 : (x'=x+1) + 0.5 : (x'=1);
  [] x=4 -> (open'=true);
endmodule
";

/// A folder with the model, for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("model.prism"), MODEL).expect("a model");
    folder
}

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tally")).args(words).current_dir(folder).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn ranges_are_those_of_the_states() {
    let text = Text { name: "model.prism".to_owned(), text: MODEL.to_owned() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    let (_, ranges) = found(&mut session.model, &Settings::default(), &Control::unlimited());
    let range = |name: &str, taken, declared| Range { name: name.to_owned(), taken, declared };
    assert_eq!(ranges, [range("x", [1, 4], [0, 9]), range("open", [0, 1], [0, 1])]);
}

#[test]
fn every_medium_has_the_answer() {
    let folder = folder("media");
    let shown = run(&folder, &["ranges", "model.prism", "--html", "page.html"]);
    let out = text(&shown.stdout);
    assert!(shown.status.success() && out.contains("variable") && out.contains("0..9"), "{out}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("0..9") && page.contains("ranges model.prism --html page.html"), "{page}");
    let json = run(&folder, &["ranges", "model.prism", "--unused", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let expected = serde_json::json!([{ "variable": "x", "taken": [1, 4], "declared": [0, 9] }]);
    assert_eq!(json["ranges"], expected);
}

#[test]
fn refusals_limits_and_help_come_with_the_entry() {
    let folder = folder("refusals");
    let foreign = run(&folder, &["ranges", "model.prism", "-D", "N=1"]);
    assert_eq!(foreign.status.code(), Some(2));
    std::fs::write(folder.join("model.lab"), "0=\"init\"\n").expect("labels");
    let language = run(&folder, &["ranges", "model.prism", "--labels", "model.lab"]);
    let err = text(&language.stderr);
    assert!(language.status.code() == Some(2) && err.contains("does not apply to a PRISM model"), "{err}");
    let limit = run(&folder, &["ranges", "model.prism", "--max-states", "2"]);
    assert_eq!(limit.status.code(), Some(3), "{}", text(&limit.stderr));
    let same = run(&folder, &["ranges", "model.prism", "--html", "model.prism"]);
    assert_eq!(same.status.code(), Some(2), "{}", text(&same.stderr));
    assert_eq!(std::fs::read_to_string(folder.join("model.prism")).expect("the model"), MODEL);
    let help = text(&run(&folder, &["ranges", "--help"]).stdout);
    assert!(help.contains("--unused") && help.contains("--max-memory"), "{help}");
}

/// A question is one folder and one line of a table: nothing else of the repository names it.
#[test]
fn a_question_is_a_folder_and_a_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut naming = Vec::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && std::fs::read_to_string(&path)
                    .is_ok_and(|text| text.contains(&format!("question::{}", "Ranges")))
            {
                naming.push(path);
            }
        }
    }
    assert_eq!(naming.len(), 1, "{naming:?}");
    let table = std::fs::read_to_string(root.join("crates/toy/src/main.rs")).expect("the table");
    assert_eq!(table.matches("Question::of::<Ranges>()").count(), 1);
    let of_folder = std::fs::read_dir(root.join("crates/toy/src/question")).expect("the folder");
    let mut names: Vec<String> =
        of_folder.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["README.md", "document.rs", "json.rs", "mod.rs", "ranges.rs"]);
}
