//! What a message proposes is a way out: it names the option that was given, the place, and a command that works.

use crate::common::Folder;

/// Modules that are alike, and one that is not.
fn alike(count: usize) -> String {
    let mut text = String::from(
        "dtmc\nmodule m1 x1 : [0..4] init 0; [] x1<4 -> 0.5:(x1'=x1+1) + 0.5:(x1'=0); [] x1=4 -> true; endmodule\n",
    );
    (2..=count).for_each(|i| text.push_str(&format!("module m{i} = m1 [x1=x{i}] endmodule\n")));
    let all: Vec<String> = (1..=count).map(|i| format!("x{i}=4")).collect();
    text + &format!("label \"all\" = {};\n", all.join(" & "))
}

#[test]
fn limits_propose_what_helps_and_nothing_else() {
    let folder = Folder::new()
        .file("alike.prism", alike(6))
        .file(
            "alone.prism",
            "mdp\nmodule m x : [0..9999] init 0; [] x<9999 -> (x'=x+1); [] x<9999 -> (x'=0); endmodule\n",
        )
        .file("equal.pml", "active [4] proctype P() { byte i; do :: i < 9 -> i++ :: i > 0 -> i-- od }\n")
        .file("single.pml", "active proctype P() { short i; do :: i < 9999 -> i++ :: i > 0 -> i-- od }\n");
    let helps = |words: &[&str]| {
        folder.run(&[words, &["--max-states", "1000", "--threads", "1"]].concat()).exits(3).err
    };
    let all = helps(&["check", "alike.prism", "--prop", "P=? [ F \"all\" ]"]);
    assert!(all.contains("m1 to m6 (6): --symmetry") && all.contains("volvelle simulate"), "{all}");
    // The property tells the first module from the others.
    let one = helps(&["check", "alike.prism", "--prop", "P=? [ F x1=4 & x2=0 & x3=4 ]"]);
    assert!(one.contains("m4, m5, m6: --symmetry"), "{one}");
    // Long runs have no paths that end; a filter lists states.
    let longrun = helps(&["check", "alike.prism", "--prop", "S=? [ \"all\" ]"]);
    assert!(longrun.contains("--symmetry") && !longrun.contains("volvelle simulate"), "{longrun}");
    let listed = helps(&["check", "alike.prism", "--prop", "filter(count, \"all\")"]);
    assert!(!listed.contains("--symmetry"), "{listed}");
    let alone = helps(&["check", "alone.prism", "--prop", "Pmax=? [ F x=9999 ]"]);
    assert!(
        !alone.contains("--symmetry") && !alone.contains("simulate") && !alone.contains("--const"),
        "{alone}"
    );
    assert!(helps(&["explore", "alike.prism"]).contains("--symmetry"));
    assert!(helps(&["check", "alike.prism", "--safety", "--no-reduction"]).contains("--symmetry"));
    assert!(helps(&["check", "equal.pml"]).contains("equal processes: --symmetry"));
    assert!(!helps(&["check", "single.pml"]).contains("--symmetry"));
    // What is proposed is accepted, and helps.
    folder
        .run(&["check", "alike.prism", "--prop", "P=? [ F \"all\" ]", "--symmetry", "--max-states", "1000"])
        .exits(0);
}

#[test]
fn sweeps_tell_the_guarantee_of_each_value() {
    let folder = Folder::new().file(
        "m.prism",
        "dtmc\nmodule m x : [0..2] init 0; [] x<2 -> 0.3:(x'=x+1) + 0.7:(x'=0); [] x=2 -> true; endmodule\n",
    );
    let sweep = |words: &[&str]| {
        folder
            .run(&[words, &["m.prism", "--prop", "P=? [ F<=k x=2 ]", "--const", "k=1:3"]].concat())
            .exits(0)
            .out
    };
    let out = sweep(&["check"]);
    assert!(out.contains("exact") && out.contains("+/-: sound bounds"), "{out}");
    assert_eq!(
        out.lines().filter(|line| line.contains("+/-") && !line.contains("bounds")).count(),
        2,
        "{out}"
    );
    let out = sweep(&["simulate", "--samples", "1000"]);
    assert!(out.contains("+/-: confidence intervals at 99 %"), "{out}");
    let out =
        folder.run(&["check", "m.prism", "--prop", "P=? [ F<=k x=5 ]", "--const", "k=1:3"]).exits(0).out;
    assert!(out.contains("all values are exact") && !out.contains("+/-"), "{out}");
}

#[test]
fn help_fits_the_mistake() {
    let rated = "des (0, 2, 2)\n(0, \"a; rate 1e999\", 1)\n(1, \"b; rate 1\", 0)\n";
    let folder = Folder::new()
        .file("rates.aut", "des (0, 3, 3)\n(0, \"a; rate 2\", 1)\n(1, \"c\", 2)\n(2, \"b; rate 1\", 0)\n")
        .file("large.aut", rated)
        .file("m.jani", "{ \"jani-version\": 1, \"name\": \"x\" }\n")
        .file("same.json", "{ \"jani-version\": 1, \"name\": \"x\" }\n")
        .file("m.wks", "state s {p}: -1-> t;\nstate t;\n")
        .file("m.prism", "dtmc\nmodule m x : [0..2] init 0; [] x<2 -> 0.3:(x'=x+1) + 0.7:(x'=0); [] x=2 -> true; endmodule\n");
    folder.run(&["explore", "m.prism", "--export", "m.drn"]).exits(0);
    let says = |words: &[&str], what: &[&str]| {
        let err = folder.run(words).exits(2).err;
        what.iter().for_each(|what| assert!(err.contains(what), "{words:?}: {err}"));
    };
    says(&["trace", "rates.aut"], &["volvelle steady rates.aut", "volvelle transient rates.aut"]);
    folder.run(&["steady", "rates.aut", "--simulate"]).exits(0);
    says(&["explore", "m.drn", "--export", "x.dot"], &["volvelle explore m.drn --html m.html"]);
    folder.run(&["explore", "m.drn", "--html", "m.html"]).exits(0);
    says(&["steady", "large.aut"], &["in the label `a; rate 1e999`"]);
    says(&["check", "m.jani", "--prop", "P=? [ F x=1 ]"], &["models in JANI are not supported yet"]);
    says(&["info", "same.json"], &["models in JANI are not supported yet"]);
    says(&["compare", "m.wks:s", "m.wks:t"], &["a state is named behind a file", "--relation wbb"]);
    let sweep = ["simulate", "m.prism", "--prop", "P=? [ F<=k x=2 ]", "--const", "k=1:2", "--samples", "100"];
    let err = folder.run(&sweep).exits(0).err;
    assert!(err.contains("V0904") && err.contains("at k=1"), "{err}");
}

#[test]
fn tables_of_distances_may_go_to_standard_output() {
    let folder = Folder::new().file("m.wks", "state s {p}: -1-> t;\nstate t;\n");
    let out = folder.run(&["distance", "m.wks", "--csv", "-"]).exits(0).out;
    assert!(out.starts_with("from,to,distance,value\n") && out.lines().count() == 5, "{out}");
    assert!(!folder.path().join("-").exists());
}
