//! How the command line is used and misused: exit codes, help, options, streams.

use crate::common::{Folder, WALK, command, examples, run_in};
use std::io::{Read, Write};
use std::process::Stdio;

#[test]
fn exit_codes_say_how_it_went() {
    let folder = Folder::with_model(WALK).file("good.props", "P=? [ F<=9 \"end\" ]; P>=1 [ F \"end\" ];");
    let check = |rest: &[&str]| folder.run(&[&["check", "model.prism"], rest].concat());
    check(&["good.props", "--const", "N=3"]).exits(0);
    check(&["--prop", "P<0.5 [ F \"end\" ]", "--const", "N=3"]).exits(1);
    check(&["good.props"]).exits(2);
    check(&["--prop", "P=? [ F x=N ]", "--const", "N=1000000", "--max-states", "10"]).exits(3);
    // False stands, whatever else could not be computed.
    check(&["--prop", "P<0.5 [ F \"end\" ]", "--prop", "P=? [ F nonsense ]", "--const", "N=3"]).exits(1);
    check(&["--prop", "P>0.5 [ F \"end\" ]", "--prop", "P=? [ F nonsense ]", "--const", "N=3"]).exits(2);
}

#[test]
fn help_is_enough_to_start() {
    let folder = Folder::new();
    for arguments in
        [&["--help"][..], &["help"], &["check", "--help"], &["help", "explore"], &["explain", "--help"]]
    {
        let run = folder.run(arguments).exits(0);
        assert!(run.out.contains("Usage:"), "{}", run.out);
        assert!(run.err.is_empty(), "{}", run.err);
    }
    let check = folder.run(&["check", "--help"]).out;
    for option in [
        "--prop",
        "--const",
        "--json",
        "--max-memory",
        "--timeout",
        "--max-states",
        "--threads",
        "--no-fix-deadlocks",
        "--full-space",
        "--precision",
        "--verbose",
        "Examples:",
    ] {
        assert!(check.contains(option), "{option} is missing in\n{check}");
    }
    assert!(folder.run(&["--version"]).exits(0).out.starts_with("volvelle "));
}

/// `-h` has what is used often; whoever needs more reads `--help`.
#[test]
fn short_help_fits_on_two_screens() {
    let folder = Folder::new();
    let options = |page: &str| {
        let is_option = |line: &&str| line.trim_start().starts_with('-') && line.contains("--");
        page.lines().filter(is_option).count()
    };
    for (language, most) in [("promela", 25), ("prism", 40), ("explicit", 40), ("lotos", 25), ("wks", 25)] {
        let short = options(&folder.run(&["check", "-h", language]).exits(0).out);
        let all = options(&folder.run(&["check", "--help", language]).exits(0).out);
        assert!(short <= most && short < all && short > 5, "{language}: {short} of {all} options");
    }
}

#[test]
fn schedulers_are_written_one_for_each_property() {
    let model = "mdp\nmodule m\n  s : [0..2] init 0;\n  ready : bool init true;\n  [go] s=0 -> (s'=1);\n  \
                 [stay] s=0 -> true;\n  [] s=1 -> (s'=2) & (ready'=false);\n  [] s=2 -> true;\nendmodule\n";
    let folder = Folder::with_model(model);
    let check = |rest: &[&str]| folder.run(&[&["check", "model.prism"], rest].concat());
    let run = check(&["--prop", "Pmax=? [ F s=2 ]", "--export-scheduler", "best.txt"]).exits(0);
    assert!(run.out.contains("written: best.txt"), "{}", run.out);
    let table = folder.read("best.txt");
    assert!(table.contains("state\ts\tready\tchoice\taction\tplace\tcommand\n0\t0\ttrue\t0\tgo\tmodel.prism:5\t[go] s=0 -> (s'=1)\n"), "{table}");
    assert!(table.contains("\n2\t2\tfalse\t0\t-\tmodel.prism:8\t[] s=2 -> true\n"), "{table}");
    let properties =
        ["--prop", "Pmax=? [ F s=2 ]", "--prop", "1 - Pmax=? [ F s=2 ]", "--prop", "Pmin=? [ F s=2 ]"];
    let run = check(&[&properties[..], &["--export-scheduler", "all.json"]].concat()).exits(2);
    assert!(run.err.contains("V0614") && !folder.path().join("all1.json").exists(), "{}", run.err);
    let [first, second] = [&properties[..2], &properties[4..]];
    let run = check(&[first, second, &["--export-scheduler", "all.json"]].concat()).exits(0);
    assert!(run.out.contains("written: all1.json, all2.json"), "{}", run.out);
    for (name, choice) in [("all1.json", 0), ("all2.json", 1)] {
        let document: serde_json::Value = serde_json::from_str(&folder.read(name)).expect("JSON");
        assert_eq!(document["choices"][0]["choice"], choice, "{document}");
        assert_eq!(document["choices"][0]["values"], serde_json::json!([0, true]));
        assert_eq!(document["variables"], serde_json::json!(["s", "ready"]));
    }
    let run = check(&["--prop", "Pmax=? [ F s=2 ]", "--export-scheduler", "nowhere/best.txt"]).exits(2);
    assert!(
        run.err.contains("V0008") && run.out.is_empty(),
        "refused before the work: {}{}",
        run.out,
        run.err
    );
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::with_model(WALK);
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["check"],
        &["check", "model.prism", "--frobnicate"],
        &["check", "model.prism", "--prop"],
        &["explore", "model.prism", "--max-states", "lots", "--const", "N=2"],
        &["explore", "model.prism", "--max-memory", "0", "--const", "N=2"],
        &["explore", "model.prism", "--timeout", "soon", "--const", "N=2"],
        &["explore", "model.prism", "--threads", "0", "--const", "N=2"],
        &["check", "model.prism", "--precision", "7", "--const", "N=2", "--prop", "P=? [ F x=1 ]"],
        &["explore", "model.prism", "--export", "model.xyz", "--const", "N=2"],
        &["explore", "model.prism", "--const", "N"],
        &["explore", "model.prism", "--const", "N=2,N=3"],
        &["explore", "model.prism", "--const", "N=2,M=3"],
        &["check", "model.prism", "--const", "N=2"],
        &["explain", "nonsense"],
        &["explain", "V9999"],
    ] {
        let run = folder.run(arguments).exits(2);
        assert!(!run.err.is_empty(), "{arguments:?} says nothing");
        assert!(run.out.is_empty(), "{arguments:?}: {}", run.out);
    }
}

#[test]
fn several_errors_at_once() {
    let folder = Folder::with_model(WALK);
    let run = folder.run(&["explore", "model.prism", "--max-states", "lots", "--timeout", "soon"]).exits(2);
    assert!(
        run.err.contains("`lots`") && run.err.contains("`soon`") && run.err.contains("2 errors"),
        "{}",
        run.err
    );
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::with_model(WALK)
        .file("latin.prism", b"dtmc // caf\xe9\n")
        .file("empty.prism", "")
        .file("model.txt", "dtmc\nmodule m x : [0..1]; endmodule\n");
    std::fs::create_dir(folder.path().join("sub.prism")).expect("a folder");
    let message = |model: &str| folder.run(&["explore", model, "--const", "N=2"]).exits(2).err;
    let missing = message("modle.prism");
    assert!(missing.contains("V0001") && missing.contains("did you mean `model.prism`?"), "{missing}");
    assert!(message("nowhere/model.prism").contains("no such folder"));
    assert!(message("sub.prism").contains("it is a folder"));
    let latin = message("latin.prism");
    assert!(latin.contains("V0107") && latin.contains("line 1") && latin.contains("0xe9"), "{latin}");
    assert!(message("empty.prism").contains("error"));
    // The first word tells the language where the name does not.
    folder.run(&["explore", "model.txt"]).exits(0);
    let folder = folder.file("notes.txt", "shopping list").file("model.props", "P=? [ F x=1 ]");
    assert!(folder.run(&["explore", "notes.txt"]).exits(2).err.contains("V0011"));
    assert!(folder.run(&["check", "model.props"]).exits(2).err.contains("property file"));
}

#[test]
fn standard_input_is_a_file() {
    let mut child = command(&examples())
        .args(["check", "-", "--prop", "P=? [ F x=N ]", "--const", "N=3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("an input").write_all(WALK.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("= 1 "));
}

#[test]
fn properties_by_name_number_and_text() {
    let folder = Folder::with_model(WALK)
        .file("a.props", "const double q = 0.5;\n\"first\": P=? [ F x=1 ];\nP>q [ F x=2 ]")
        .file("b.props", "label \"two\" = x=2;\n\"third\": P=? [ X \"two\" ]");
    let names = |props: &[&str]| {
        let mut arguments = vec!["check", "--json", "--const", "N=3", "model.prism", "a.props", "b.props"];
        props.iter().for_each(|p| arguments.extend(["--prop", p]));
        let run = folder.run(&arguments);
        let json = run.exits(0).json();
        let results = json["results"].as_array().expect("results").clone();
        results
            .iter()
            .map(|r| (r["number"].as_u64(), r["property"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let (first, second, third) = ("P=? [ F x=1 ]", "P>q [ F x=2 ]", "P=? [ X \"two\" ]");
    let listed = |n: u64, text: &str| (Some(n), text.to_owned());
    assert_eq!(names(&[]), [listed(1, first), listed(2, second), listed(3, third)]);
    assert_eq!(names(&["third", "#2", "first"]), [listed(3, third), listed(2, second), listed(1, first)]);
    // A text may use labels, constants and names of the files.
    let text = "P>q [ F \"two\" ]";
    assert_eq!(names(&[text]), [(None, text.to_owned())]);
    for unknown in ["#4", "#0", "thrid", "#"] {
        let run =
            folder.run(&["check", "model.prism", "a.props", "b.props", "--const", "N=3", "--prop", unknown]);
        assert!(run.exits(2).err.contains("V0502"), "{unknown}");
    }
}

#[test]
fn constants_of_properties_alone() {
    let folder = Folder::with_model(WALK);
    let run = folder.run(&[
        "check",
        "model.prism",
        "--prop",
        "P=? [ F<=T \"end\" ]",
        "--const",
        "N=2,T=2",
        "--json",
    ]);
    let json = run.exits(0).json();
    assert_eq!(json["results"][0]["value"], 0.25);
    assert_eq!(json["results"][0]["constants"]["T"], 2);
    assert_eq!(json["model"]["constants"]["N"], 2);
}

#[test]
fn a_reader_that_goes_away() {
    let folder = Folder::with_model(WALK);
    let mut child = command(folder.path())
        .args(["explain"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().expect("errors").read_to_string(&mut errors).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{errors}");
    assert!(errors.is_empty(), "{errors}");
}

#[test]
fn plain_text_when_piped() {
    let folder =
        Folder::with_model(WALK).file("model.props", "P=? [ F<=9 \"end\" ]; P>=1 [ F \"end\" ]; P=? [ y ]");
    let run = folder.run(&["check", "model.prism", "model.props", "--const", "N=3", "-v"]).exits(2);
    assert!(run.out.is_ascii() && run.err.is_ascii(), "{}{}", run.out, run.err);
    assert!(!run.out.contains('\u{1b}'));
}

#[test]
fn colour_can_be_forced_and_forbidden() {
    let folder = Folder::with_model(WALK);
    let colored = |variable: &str| {
        let output = command(folder.path())
            .args(["explore", "model.prism", "--const", "N=3"])
            .env(variable, "1")
            .output()
            .expect("the program starts");
        String::from_utf8_lossy(&output.stdout).contains('\u{1b}')
    };
    assert!(colored("CLICOLOR_FORCE"));
    assert!(!colored("NO_COLOR"));
}

#[test]
fn every_code_is_explained() {
    let folder = Folder::new();
    let list = folder.run(&["explain"]).exits(0).out;
    let codes: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.len() > 50, "{list}");
    for code in &codes {
        let page = folder.run(&["explain", code]).exits(0).out;
        assert!(page.starts_with(&format!("# {code}: ")) && page.contains("## Way out"), "{page}");
    }
    let two = folder.run(&["explain", "v203", "406"]).exits(0).out;
    assert!(two.contains("# V0203") && two.contains("# V0406"));
}

#[test]
fn info_needs_no_values() {
    let folder = Folder::with_model(WALK).file("model.props", "const int T;\n\"soon\": P=? [ F<=T \"end\" ]");
    let run = folder.run(&["info", "model.prism", "model.props"]).exits(0);
    for text in
        ["DTMC", "N", "--const N=...", "0..N", "in walk", "\"end\"", "\"soon\"", "P=? [ F<=T \"end\" ]"]
    {
        assert!(run.out.contains(text), "{text} is missing in\n{}", run.out);
    }
    let json = folder.run(&["info", "model.prism", "--const", "N=5", "--json"]).exits(0).json();
    assert_eq!(json["outline"]["variables"][0]["range"], "0..5");
    assert_eq!(json["outline"]["constants"][0]["value"], 5);
}

#[test]
fn info_shows_copies_without_values_for_constants() {
    let folder = Folder::with_model(
        "mdp\nconst int N;\nmodule a\n  x : [0..N];\n  [go] x<N -> (x'=x+1);\nendmodule\n\
         module b = a [ x=y, go=run ] endmodule\nmodule c = b [ y=z ] endmodule\n\
         module d = e [ x=u ] endmodule\nmodule e = d [ u=x ] endmodule\n",
    );
    let json = folder.run(&["info", "model.prism", "--json"]).json();
    let names = |what: &str| {
        let all = json["outline"][what].as_array().expect("a list").iter();
        all.map(|v| v.get("name").unwrap_or(v).as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("variables"), ["x", "y", "z"]);
    assert_eq!(names("actions"), ["go", "run"]);
    assert_eq!(names("modules"), ["a", "b", "c", "d", "e"]);
}

#[test]
fn both_tiers_agree() {
    let json = |more: &[&str]| {
        // Large enough to be compiled.
        let asked = ["check", "client_server.prism", "--prop", "R{\"requesting\"}=? [ I=2 ]", "--json"];
        let arguments = [&asked[..], more].concat();
        run_in(&examples(), &arguments).exits(0).json()
    };
    let (native, interpreter) = (json(&[]), json(&["--interpreter"]));
    assert_eq!(interpreter["model"]["tier"], "interpreter");
    assert_ne!(native["model"]["tier"], "interpreter");
    for (a, b) in native["results"].as_array().unwrap().iter().zip(interpreter["results"].as_array().unwrap())
    {
        assert_eq!(a["value"], b["value"]);
    }
}

/// An option of another command is answered with that command.
#[test]
fn options_of_other_commands_are_named() {
    let folder = Folder::with_model(WALK);
    for (arguments, option, owner) in [
        (&["check", "model.prism", "--samples", "9"][..], "--samples", "`volvelle simulate`"),
        (&["simulate", "model.prism", "--witness=2"], "--witness", "`volvelle check`"),
        (&["info", "model.prism", "--export", "x.dot"], "--export", "`volvelle explore`"),
    ] {
        let command = arguments[0];
        let run = folder.run(arguments).exits(2);
        assert!(run.err.contains(&format!("`volvelle {command}` has no option `{option}`")), "{}", run.err);
        let help = run.err.lines().find(|line| line.contains("it is an option of"));
        assert!(help.is_some_and(|line| line.contains(owner)), "{}", run.err);
        assert!(run.out.is_empty(), "{}", run.out);
    }
    let document = folder.run(&["check", "model.prism", "--samples", "9", "--json"]).exits(2).json();
    assert_eq!(document["diagnostics"][0]["code"], "V0012");
    let unknown = folder.run(&["check", "model.prism", "--nonsense"]).exits(2).err;
    assert!(unknown.contains("unexpected argument '--nonsense'"), "{unknown}");
}

/// Options that mean nothing for a model are refused, each with a way out.
#[test]
fn options_that_do_not_apply_are_refused() {
    let model = "byte x;\n#ifndef N\n#define N 3\n#endif\nactive proctype P() { x = N; assert(x < 9) }\n";
    let folder = Folder::with_model(WALK)
        .file("model.pml", model)
        .file("good.props", "P=? [ F x=1 ]")
        .file("chain.tra", "1 1\n0 0 1\n")
        .file("chain.lab", "0=\"init\" 1=\"deadlock\"\n0: 0\n");
    let processes = "a Promela model";
    for (arguments, option, of, help) in [
        (&["check", "model.pml", "--const", "N=4"][..], "--const", processes, "-D N=4"),
        (&["explore", "model.pml", "--const", "N=4"], "--const", processes, "-D N=4"),
        (&["simulate", "model.pml", "--const", "N=4"], "--const", processes, "-D N=4"),
        (&["info", "model.pml", "--const", "N=4"], "--const", processes, "-D N=4"),
        (&["lint", "model.pml", "--const", "N=4"], "--const", processes, "-D N=4"),
        (&["check", "model.pml", "good.props"], "a property file", processes, "--ltl"),
        (&["info", "model.pml", "good.props"], "a property file", processes, "--ltl"),
        (&["simulate", "model.pml", "good.props"], "a property file", processes, "--ltl"),
        (
            &["check", "model.pml", "--prop", "P=? [ F x=1 ]"],
            "--prop with a numeric property",
            processes,
            "--ltl",
        ),
        (&["check", "model.pml", "--exact"], "--exact", "a search", "leave it out"),
        (&["check", "model.pml", "--plot", "a.svg"], "--plot", "a search", "leave it out"),
        (&["check", "model.pml", "--full-space"], "--full-space", "a search", "leave it out"),
        (&["explore", "model.pml", "--no-fix-deadlocks"], "--no-fix-deadlocks", processes, "--safety"),
        (
            &["simulate", "model.pml", "--samples", "9"],
            "--samples",
            "a run of a Promela model",
            "leave it out",
        ),
        (&["check", "model.prism", "-D", "N=4"], "--define", "a PRISM model", "--const N=4"),
        (&["explore", "model.prism", "-D", "N=4"], "--define", "a PRISM model", "--const N=4"),
        (&["info", "model.prism", "-D", "N=4"], "--define", "a PRISM model", "--const N=4"),
        (&["simulate", "model.prism", "-D", "N=4"], "--define", "a PRISM model", "--const N=4"),
        (&["simulate", "model.prism", "--steps", "4"], "--steps", "sampled paths", "volvelle trace"),
        (&["info", "model.prism", "--labels", "chain.lab"], "--labels", "a PRISM model", "model.tra"),
        (&["check", "model.prism", "--prop", "P=? [ F x=1 ]", "--fair"], "--fair", "computed", "--safety"),
        (&["check", "chain.tra", "--prop", "P=? [ F x=0 ]", "--reduce"], "--reduce", "explicit", "leave it"),
        (&["check", "chain.tra", "--prop", "P=? [ F x=0 ]", "--symmetry"], "--symmetry", "explicit", "bisim"),
        (
            &["explore", "model.pml", "--symmetry"],
            "--symmetry",
            "processes",
            "volvelle check MODEL --symmetry",
        ),
    ] {
        let run = folder.run(arguments).exits(2);
        assert!(run.err.contains(&format!("{option} does not apply to ")), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(of) && run.err.contains(help), "{arguments:?}: {}", run.err);
        assert!(run.out.is_empty(), "{arguments:?}: {}", run.out);
    }
    let document = folder.run(&["check", "model.pml", "--const", "N=4", "--json"]).exits(2).json();
    assert_eq!(document["diagnostics"][0]["code"], "V0012");
    // What applies is not refused; values that are those of the usual run are no mistake either.
    folder.run(&["check", "model.pml", "-D", "N=4", "--max-depth", "9", "--threads", "1"]).exits(0);
    folder.run(&["check", "model.pml", "-D", "N=9"]).exits(1);
    folder.run(&["check", "model.prism", "--const", "N=3", "--safety", "--no-reduction", "--explain"]);
    let range = folder.run(&["check", "model.prism", "--const", "N=3:5", "--ltl", "G x<9"]).exits(2);
    assert!(range.err.contains("given several values"), "{}", range.err);
}
