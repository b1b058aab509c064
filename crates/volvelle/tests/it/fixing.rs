//! `--fix`: files are fixed, what changes is shown, and nothing is lost.

use crate::common::{Folder, told};

const BROKEN: &str = "dtmc;
const int COUNT = 3;
module m
  x : [0..COUNT] init 0
  [go] x<COUNTT && true -> (x'=x+1);
  [] x==COUNT -> true;
endmodule
label \"done\" = x=COUNT;
";

const RIGHT: &str = "dtmc
const int COUNT = 3;
module m
  x : [0..COUNT] init 0;
  [go] x<COUNT & true -> (x'=x+1);
  [] x=COUNT -> true;
endmodule
label \"done\" = x=COUNT;
";

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A misspelt name is seen in the second round only, when the text can be read.
#[test]
fn certain_fixes_in_several_rounds() {
    let folder = Folder::new().file("m.prism", BROKEN).file("m.props", "P=? [ F done ];\n");
    folder.run(&["info", "m.prism"]).exits(2);
    let run = folder.run(&["check", "m.prism", "m.props", "--fix"]).exits(0);
    assert!(run.out.contains("1"), "{}", run.out);
    for part in [
        "--- m.prism\n+++ m.prism\n@@ -1,8 +1,8 @@\n-dtmc;\n+dtmc\n",
        "-  [go] x<COUNTT && true -> (x'=x+1);",
        "+  [go] x<COUNT & true -> (x'=x+1);",
        "+P=? [ F \"done\" ];",
        "m.prism is fixed; the text before is in m.prism.orig",
        "6 fixes",
    ] {
        assert!(run.err.contains(part), "{part}\n{}", run.err);
    }
    assert_eq!((folder.read("m.prism").as_str(), folder.read("m.prism.orig").as_str()), (RIGHT, BROKEN));
    assert_eq!(folder.read("m.props"), "P=? [ F \"done\" ];\n");
    assert_eq!(names(&folder), ["m.prism", "m.prism.orig", "m.props", "m.props.orig"]);
    // There is nothing left to do, and the next text before a fix has another name.
    let again = folder.run(&["info", "m.prism", "m.props", "--fix"]).exits(0);
    assert!(again.err.contains("nothing to fix"), "{}", again.err);
    std::fs::write(folder.path().join("m.prism"), BROKEN).expect("a file");
    folder.run(&["info", "m.prism", "--fix"]).exits(0);
    assert_eq!(
        (folder.read("m.prism.orig").as_str(), folder.read("m.prism.orig2").as_str()),
        (BROKEN, BROKEN)
    );
}

#[test]
fn to_look_at_only() {
    let folder = Folder::new().file("m.prism", BROKEN);
    let run = folder.run(&["info", "m.prism", "--fix=show", "--json"]).exits(2);
    assert!(run.err.contains("+dtmc\n") && run.err.contains("`--fix` makes them"), "{}", run.err);
    // Standard output has the answer and nothing else, with the same fixes.
    let told = run.json();
    let fix = &told["diagnostics"][0]["fixes"][0];
    assert_eq!((&fix["title"], &fix["certain"]), (&"remove `;`".into(), &true.into()), "{told}");
    assert_eq!((&fix["edits"][0]["line"], &fix["edits"][0]["end_column"]), (&1.into(), &6.into()), "{told}");
    assert_eq!((folder.read("m.prism").as_str(), names(&folder)), (BROKEN, vec!["m.prism".to_owned()]));
}

/// Two names are as near: that is a guess, and made only when it is asked for.
#[test]
fn what_is_not_certain() {
    let text = "byte count, coumt;\ninit { couxt = 1 }\n";
    let folder = Folder::new().file("m.pml", text);
    let run = folder.run(&["lint", "m.pml", "--fix"]).exits(2);
    assert!(run.err.contains("nothing to fix; 1 fix not certain: `--fix=all`"), "{}", run.err);
    assert_eq!((folder.read("m.pml").as_str(), names(&folder).len()), (text, 1));
    folder.run(&["lint", "m.pml", "--fix=all"]);
    assert_eq!(folder.read("m.pml"), "byte count, coumt;\ninit { count = 1 }\n");
    assert_eq!(folder.read("m.pml.orig"), text);
}

/// Files that are included are left, and so is what is no text.
#[test]
fn files_that_are_not_fixed() {
    let folder = Folder::new()
        .file("m.pml", "#include \"inc.pml\"\ninit { x = 1 }\n")
        .file("inc.pml", "byte x;\nproctype P() { if :: x === 1 -> skip fi }\n")
        .file("b.prism", b"dtmc;\n// \xff\n");
    let run = folder.run(&["info", "m.pml", "--fix"]).exits(2);
    assert!(run.err.contains("nothing to fix"), "{}", run.err);
    folder.run(&["info", "b.prism", "--fix"]).exits(2);
    folder.run(&["info", "none.prism", "--fix"]).exits(2);
    assert_eq!(names(&folder), ["b.prism", "inc.pml", "m.pml"]);
    let run = told(&folder, &["info", "-", "--language", "prism", "--fix"], BROKEN).exits(2);
    assert!(run.err.contains("standard input is none") && run.err.contains("help:"), "{}", run.err);
}

/// Misspelt words of other languages than PRISM.
#[test]
fn misspelt_words() {
    let cases = [
        (
            "ends.pml",
            "inline wait(t) { t == 0 }\ninit {\n  byte n;\n  do\n  :: n < 3 -> n++\n  :: else -> break\n  oed;\n  n = 0; wiat(n)\n}\n",
            "inline wait(t) { t == 0 }\ninit {\n  byte n;\n  do\n  :: n < 3 -> n++\n  :: else -> break\n  od;\n  n = 0; wait(n)\n}\n",
        ),
        (
            "chain.drn",
            "@type: DTMCC\n@parameters\n\n@reward_models\n\n@nr_staets\n1\n@model\nstat 0 init\n\taction 0\n\t\t0 : 1\n",
            "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
        ),
        (
            "net.exp",
            "hide PUT inn \"a.aut\" ||| \"a.aut\" edn hide\n",
            "hide PUT in \"a.aut\" ||| \"a.aut\" end hide\n",
        ),
    ];
    for (name, broken, right) in cases {
        let folder = Folder::new().file(name, broken).file("a.aut", "des (0, 1, 2)\n(0, \"PUT\", 1)\n");
        folder.run(&["info", name]).exits(2);
        folder.run(&["info", name, "--fix"]).exits(0);
        assert_eq!(folder.read(name), right);
        assert_eq!(folder.read(&format!("{name}.orig")), broken);
    }
}
