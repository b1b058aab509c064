//! What a newcomer sees first: `volvelle FILE`, and `volvelle demo`.

use crate::common::markdown::{masked, words};
use crate::common::{Folder, examples, run_in};
use std::path::Path;

/// Files of every kind.
const SUBJECTS: &[&str] = &[
    "examples/kernels/abstract.cl",
    "examples/lotos/lock.lotos",
    "examples/mpi/sr1.mpi",
    "examples/multicore/queens.elf",
    "examples/n4js/shop/Item.n4js",
    "examples/nbody/springs.toml",
    "examples/pipelines/queue.toml",
    "examples/pipelines/timed.aut",
    "examples/prism/bold_play.prism",
    "examples/prism/die.prism",
    "examples/prism/queue.prism",
    "examples/promela/handover.pml",
    "examples/rules/fj.rules",
    "examples/tuning/minimum.pml",
    "examples/weighted/bridge.pml",
    "examples/weighted/spec.wks",
    "examples/weighted/vending.wks",
    "platforms/abstract.toml",
];

/// The commands that are proposed for a file.
fn proposed(folder: &Path, file: &str) -> Vec<String> {
    let run = run_in(folder, &["info", file, "--json"]).exits(0);
    let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let asks =
        document["ask"].as_array().unwrap_or_else(|| panic!("nothing can be asked of {file}: {}", run.out));
    asks.iter().map(|ask| ask["command"].as_str().expect("a command").to_owned()).collect()
}

/// Whether something in the command is for the user to fill in.
fn has_gap(command: &str) -> bool {
    let is_gap = |word: &str| word.contains("...") || word.starts_with(|c: char| c.is_ascii_uppercase());
    command.split_whitespace().skip(2).any(|word| is_gap(word) && !word.contains(['=', ',', '?']))
        || command.contains("=...")
}

#[test]
fn every_command_that_is_proposed_can_be_asked() {
    let mut asked = 0;
    for file in SUBJECTS {
        let folder = Folder::with_examples();
        let commands = proposed(folder.path(), file);
        assert!(!commands.is_empty(), "{file}");
        for command in commands.iter().filter(|command| !has_gap(command)) {
            let words = words(command);
            assert_eq!(words[0], "volvelle", "{command}");
            // One that measures needs a device.
            if words.iter().any(|word| word == "--measure") {
                continue;
            }
            let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            if !["info", "steady", "explain"].contains(&words[0]) {
                words.extend(["--timeout", "20"]);
            }
            let run = run_in(folder.path(), &words);
            assert!([0, 1, 3].contains(&run.code), "{command}\n{}{}", run.out, run.err);
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
}

/// What is wrong with a file is told, and nothing is proposed for it.
#[test]
fn nothing_is_asked_of_what_is_wrong() {
    let folder = Folder::new()
        .file("bad.wks", "state idle { start\n")
        .file("bad.exp", "hide A in\n")
        .file("bad.aut", "des (0, 2, 2)\n(0, \"a\", 7)\n")
        .file("bad.prism", "dtmc\nmodule m\n")
        .file("bad.pml", "active proctype P( { skip }\n")
        .file("bad.lotos", "specification X [a] : noexit\nbehaviour\n  b; stop\nendspec\n");
    for name in ["bad.wks", "bad.exp", "bad.aut", "bad.prism", "bad.pml", "bad.lotos"] {
        let run = folder.run(&[name]).exits(2);
        assert!(
            run.err.contains(&format!("--> {name}:")) && !run.out.contains("can be asked"),
            "{name}\n{}{}",
            run.out,
            run.err
        );
    }
    // What has no parts is named as what it is.
    let folder = Folder::with_examples().file("net.exp", "\"examples/pipelines/timed.aut\"\n");
    assert!(folder.run(&["examples/weighted/spec.wks"]).exits(0).out.contains("a weighted system"));
    assert!(folder.run(&["net.exp"]).exits(0).out.contains("a network of labelled transition systems"));
}

/// The page and the table have it, too, and open constants are named.
#[test]
fn what_can_be_asked_is_in_every_form() {
    let model = "ctmc\nconst int N;\nmodule m\n  x : [0..N];\n  [] x<N -> 2 : (x'=x+1);\nendmodule\nlabel \"full\" = x=N;\n";
    let folder = Folder::new()
        .file("my queue.prism", model)
        .file("my queue.props", "P=? [ F<=T \"full\" ]; const double T;");
    let run = folder.run(&["my queue.prism", "--html", "page.html"]).exits(0);
    for line in [
        "volvelle check 'my queue.prism' 'my queue.props' --const N=...",
        "volvelle check 'my queue.prism' --const N=... --prop 'S=? [ \"full\" ]'",
        "volvelle trace 'my queue.prism' --const N=...",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(folder.read("page.html").contains("volvelle trace"));
    // With values there is nothing to fill in.
    let run = folder.run(&["my queue.prism", "my queue.props", "--const", "N=3,T=1"]).exits(0);
    assert!(!run.out.contains("=...") && run.out.contains("'my queue.props' --const N=3,T=1"), "{}", run.out);
}

#[test]
fn a_file_in_place_of_a_command_is_shown() {
    let folder =
        Folder::new().file("die.pm", std::fs::read(examples().join("die.prism")).expect("an example"));
    let folder = folder.file("die.props", "P=? [ F face=1 ]");
    let (short, long) = (folder.run(&["die.pm"]).exits(0), folder.run(&["info", "die.pm"]).exits(0));
    assert_eq!(short.out, long.out);
    // What it is not: a command with a mistake in it, or a file that is not there.
    assert!(folder.run(&["chekc", "die.pm"]).exits(2).err.contains("check"));
    assert!(folder.run(&["none.pm"]).exits(2).err.contains("none.pm"));
    assert!(folder.run(&["die.props"]).exits(2).err.contains("property file"));
}

/// A file with options is asked what they ask: as the command lines of PRISM and SPIN are typed.
#[test]
fn a_file_with_options_is_checked() {
    let folder = Folder::new()
        .file("die.pm", std::fs::read(examples().join("die.prism")).expect("an example"))
        .file("one.pml", "active proctype P() { assert(true) }")
        .file("k.cl", "__kernel void k() {}");
    let checked = folder.run(&["check", "die.pm", "--prop", "P=? [ F face=1 ]"]).exits(0);
    for line in [&["die.pm", "-pf", "P=? [ F face=1 ]"][..], &["-pf", "P=? [ F face=1 ]", "die.pm"]] {
        let run = folder.run(line).exits(0);
        assert_eq!(masked(&run.out), masked(&checked.out));
        assert!(run.err.contains("note: this is read as: volvelle check "), "{}", run.err);
    }
    // What it is, with options of that; and of a kernel what kernels are asked.
    assert!(folder.run(&["die.pm", "--json"]).exits(0).out.contains("\"ask\""));
    assert!(folder.run(&["k.cl", "--size", "16"]).exits(2).err.contains("volvelle tune k.cl --size 16"));
    // Switches that are left out are told as for the command.
    assert!(folder.run(&["-a", "one.pml"]).exits(2).err.contains("`-a` is an option of SPIN"));
    assert!(folder.run(&["one.pml", "--sefety"]).exits(2).err.contains("--safety"));
    assert!(folder.run(&["--version"]).exits(0).out.starts_with("volvelle "));
    assert!(folder.run(&["--wrong", "die.pm"]).exits(2).err.contains("--wrong"));
}

/// A file that no question reads is told so once, and nothing is proposed for it.
#[test]
fn files_that_nothing_reads() {
    // The heads of programs for x86-64 and for RISC-V (ELF-64 specification, figure 2): class, byte order, type, machine.
    let elf = |machine: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[2, 0, machine, 0], &[0; 100]].concat();
    let folder = Folder::new().file("Cargo.toml", "[package]\nname = \"a\"\n").file("x86", elf(62));
    let folder = folder.file("riscv", elf(243));
    let toml = folder.run(&["./Cargo.toml"]).exits(2);
    assert_eq!(toml.err.matches("error").count(), 2, "one error and its number: {}", toml.err);
    assert!(toml.err.contains("TOML of no kind") && toml.err.contains("[[step]]"), "{}", toml.err);
    let other = folder.run(&["./x86"]).exits(0).out;
    assert!(other.contains("another processor") && !other.contains("volvelle "), "{other}");
    let own = folder.run(&["./riscv"]).exits(0).out;
    assert!(own.contains("program for RISC-V") && own.contains("volvelle multicore ./riscv"), "{own}");
}

/// What is proposed for a kernel has the parameters of that kernel, or says what its text lacks.
#[test]
fn kernels_are_proposed_what_they_can_answer() {
    let folder = Folder::with_examples();
    for (kernel, platform) in [("matmul", "abstract"), ("reduction", "abstract"), ("abstract", "abstract")] {
        let file = format!("examples/kernels/{kernel}.cl");
        let screen = folder.run(&[&file]).exits(0).out;
        let line = screen.lines().find(|line| line.contains("PLATFORM.toml")).expect("a proposal");
        let path = examples().join(format!("../../platforms/{platform}.toml"));
        let line = line.trim().replace("PLATFORM.toml", &path.display().to_string());
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        folder.run(&[&words[..], &["--timeout", "20"]].concat()).exits(0);
    }
}

#[test]
fn the_demonstration_leaves_its_models_and_those_of_others() {
    let folder = Folder::new();
    let run = folder.run(&["demo"]).exits(0);
    assert_eq!(run.out.matches("\n$ volvelle ").count(), 5, "{}", run.out);
    assert!(
        run.out.contains("0.1666666667") && run.out.contains("The models are in volvelle-demo"),
        "{}",
        run.out
    );
    // Again, in the same folder; but not over what somebody has changed.
    folder.run(&["demo"]).exits(0);
    let changed = folder.file("volvelle-demo/die.prism", "dtmc\n");
    let run = changed.run(&["demo"]).exits(2);
    assert!(run.err.contains("volvelle-demo/die.prism") && run.err.contains("--output"), "{}", run.err);
    assert_eq!(changed.read("volvelle-demo/die.prism"), "dtmc\n");
    changed.run(&["demo", "--output", "other"]).exits(0);
}
