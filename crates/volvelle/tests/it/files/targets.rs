//! No file that a run reads is overwritten, under whatever name, by whatever option of whatever command.

use super::{KERNEL, MDP, NETWORK, PLATFORM, SYSTEM, contents};
use crate::common::{Folder, Run, command, root};
use std::path::Path;
use std::process::Stdio;
use volvelle_random::{Random, attack_cases};

/// A command with its inputs.
struct Case {
    /// Words that read files and compute something.
    words: &'static str,
    /// The files that it reads, by whatever way.
    reads: &'static [&'static str],
    /// The options by which it writes, with the endings of names that they take.
    writes: &'static [(&'static str, &'static str)],
}

/// Options of commands on the values of properties.
const OF_CHECK: &[(&str, &str)] = &[
    ("--csv", "csv"),
    ("--plot", "svg"),
    ("--html", "html"),
    ("--trail", "json"),
    ("--export-scheduler", "txt"),
    ("--export-induced", "tra"),
    ("--checkpoint", "vvs"),
    ("--shard=1/2 --output", "vvs"),
];
const OF_SIMULATE: &[(&str, &str)] = &[
    ("--csv", "csv"),
    ("--plot", "png"),
    ("--html", "html"),
    ("--checkpoint", "vvs"),
    ("--shard=1/2 --output", "vvs"),
];
/// Options that every question has.
const ANSWER: &[(&str, &str)] = &[("--csv", "csv"), ("--html", "html")];
const OF_EXPLORE: &[(&str, &str)] = &[("--export", "aut"), ("--csv", "csv"), ("--html", "html")];
const OF_TUNE: &[(&str, &str)] =
    &[("--csv", "csv"), ("--plot", "svg"), ("--html", "html"), ("--t4", "json"), ("--export-model", "pml")];
const CSV: &[(&str, &str)] = &[("--csv", "csv")];

/// All commands that write, with all their ways to read.
const CASES: &[Case] = &[
    Case {
        words: "check m.prism m.props --const N=1:2 --scheduler best.txt --device-config devices.toml",
        reads: &["m.prism", "m.props", "best.txt"],
        writes: OF_CHECK,
    },
    Case {
        words: "check m.prism m.props --const N=1 --scheduler uniform --device-config devices.toml",
        reads: &["devices.toml"],
        writes: ANSWER,
    },
    Case { words: "check m.prism path.props --const N=1", reads: &["path.hoa"], writes: CSV },
    Case {
        words: "check net.exp --mcl f.mcl",
        reads: &["net.exp", "a.aut", "b.aut", "f.mcl"],
        writes: ANSWER,
    },
    Case { words: "check w.pml", reads: &["w.pml", "inc.pml"], writes: OF_CHECK },
    Case {
        words: "check chain.tra --prop P=?[Fx=1]",
        reads: &["chain.tra", "chain.lab", "chain.sta", "chain.srew"],
        writes: OF_CHECK,
    },
    Case {
        words: "check chain.tra --prop P=?[F\"deadlock\"] --labels other.lab --state-values chain.sta --state-rewards=r1.srew",
        reads: &["other.lab", "r1.srew"],
        writes: CSV,
    },
    Case { words: "check s.wks --wctl f.wctl", reads: &["s.wks", "f.wctl"], writes: ANSWER },
    Case { words: "explore net.exp", reads: &["net.exp", "a.aut", "b.aut"], writes: OF_EXPLORE },
    Case { words: "explore chain.tra", reads: &["chain.lab", "chain.sta"], writes: OF_EXPLORE },
    Case { words: "explore l.lotos", reads: &["l.lotos", "types.lib"], writes: OF_EXPLORE },
    Case {
        words: "reduce net.exp",
        reads: &["net.exp", "b.aut"],
        writes: &[("--output", "aut.gz"), ("--csv", "csv"), ("--html", "html")],
    },
    Case {
        words: "reduce s.wks -r wbb",
        reads: &["s.wks"],
        writes: &[("-o", "wks"), ("--csv", "csv"), ("--html", "html")],
    },
    Case { words: "compare a.aut net.exp", reads: &["a.aut", "net.exp", "b.aut"], writes: ANSWER },
    Case { words: "compare s.wks:s s.wks:t -r wbb", reads: &["s.wks"], writes: ANSWER },
    Case { words: "distance s.wks:s s.wks:t", reads: &["s.wks"], writes: ANSWER },
    Case {
        words: "distance s.wks --within 1/2",
        reads: &["s.wks"],
        writes: &[("--csv", "csv"), ("-o", "dot"), ("--html", "html")],
    },
    Case {
        words: "simulate m.prism m.props --const N=1:2 --scheduler best.txt --samples 100",
        reads: &["m.prism", "m.props", "best.txt"],
        writes: OF_SIMULATE,
    },
    Case { words: "simulate w.pml --trail t.json", reads: &["w.pml", "inc.pml"], writes: OF_SIMULATE },
    Case { words: "trace chain.tra", reads: &["chain.tra", "chain.lab"], writes: ANSWER },
    Case { words: "step w.pml --trail t.json", reads: &["w.pml", "inc.pml", "t.json"], writes: ANSWER },
    Case { words: "step net.exp", reads: &["net.exp", "a.aut", "b.aut"], writes: ANSWER },
    Case {
        words: "merge part.vvs",
        reads: &["part.vvs", "d.prism"],
        writes: &[("--csv", "csv"), ("--plot", "svg"), ("--html", "html"), ("--next", "json")],
    },
    Case {
        words: "tune k.cl --platform p.toml --size 64 --parameters WG",
        reads: &["k.cl", "p.toml"],
        writes: OF_TUNE,
    },
    Case {
        words: "tune w.pml --minimize n --goal n==2 --parameters n",
        reads: &["w.pml", "inc.pml"],
        writes: OF_TUNE,
    },
    Case { words: "info w.pml", reads: &["w.pml", "inc.pml"], writes: ANSWER },
    Case { words: "lint w.pml", reads: &["w.pml", "inc.pml"], writes: ANSWER },
    Case { words: "steady net.exp", reads: &["net.exp", "a.aut"], writes: ANSWER },
    Case {
        words: "transient net.exp --times 1",
        reads: &["net.exp", "a.aut"],
        writes: &[("--csv", "csv"), ("--plot", "svg"), ("--html", "html")],
    },
    Case {
        words: "mpi study.toml",
        reads: &["study.toml", "program.mpi"],
        writes: &[
            ("--csv", "csv"),
            ("--csv-accesses", "csv"),
            ("--plot", "svg"),
            ("--plot-misses", "svg"),
            ("--html", "html"),
        ],
    },
    Case {
        words: "multicore grid.toml",
        reads: &["grid.toml", "trace.tsv"],
        writes: &[
            ("--csv", "csv"),
            ("--csv-branches", "csv"),
            ("--plot", "svg"),
            ("--plot-stack", "svg"),
            ("--html", "html"),
        ],
    },
    Case {
        words: "multicore trace.tsv --machine cores.toml",
        reads: &["trace.tsv", "cores.toml"],
        writes: &[("--csv", "csv")],
    },
    Case {
        words: "multicore trace.tsv --machine cores.toml --predictor oracle",
        reads: &["trace.tsv", "cores.toml"],
        writes: &[("--export-model", "prism")],
    },
    Case { words: "multicore trace.tsv", reads: &["trace.tsv"], writes: &[("--record", "vtr")] },
    Case {
        words: "nbody bodies.toml",
        reads: &["bodies.toml", "start.csv", "springs.kernel"],
        writes: &[("--csv", "csv"), ("--plot", "svg"), ("--plot-energy", "svg"), ("--html", "html")],
    },
    Case {
        words: "rules check s.rules names.txt",
        reads: &["s.rules", "s.grammar", "names.txt"],
        writes: &[("--csv", "csv"), ("--html", "html")],
    },
    Case { words: "n4js check p.n4js", reads: &["p.n4js"], writes: &[("--csv", "csv"), ("--html", "html")] },
    Case {
        words: "rules print s.rules",
        reads: &["s.rules", "s.grammar"],
        writes: &[("--latex", "tex"), ("--csv", "csv"), ("--html", "html")],
    },
    Case {
        words: "rules test cases.md",
        reads: &["cases.md", "s.rules", "s.grammar"],
        writes: &[("--csv", "csv"), ("--html", "html")],
    },
    Case {
        words: "nbody bodies.toml --restart again.csv",
        reads: &["again.csv"],
        writes: &[("--csv", "csv"), ("--plot", "svg")],
    },
];

/// Options and arguments of files that no case has, with the test that has them, or the reason why there is none.
const ELSEWHERE: &[(&str, &str)] = &[
    ("tune --measurements", "it is read and extended; `measuring` has it, and the tests of the cache itself"),
    ("tune --t1", "it is read: as --platform"),
    ("calibrate --output", "it reads nothing"),
    ("man --output", "it reads nothing"),
    ("steady --plot", "as `transient --plot`"),
    ("run --cache", "`pipelines`"),
    ("run PIPELINE", "`pipelines`"),
    ("run --html", "`pipelines`"),
    ("run --csv", "as `run --html`"),
    ("devices --html", "it reads nothing"),
    ("devices --csv", "it reads nothing"),
    ("nbody --output", "`folders_of_snapshots`"),
    ("nbody --movie", "`folders_of_snapshots`"),
    ("simulate --round", "it is read: as the parts of `merge`"),
    ("check --observations", "it is read: as --labels"),
    ("check --transition-rewards", "it is read: as --state-rewards"),
];

const TRACE: &str =
    "pc\tclass\trd\tsources\taddress\tsize\ttaken\n1000\talu\tx1\t-\t-\t-\t-\n1004\tbranch\t-\tx1\t-\t-\t0\n";

const STUDY: &str = "program = \"program.mpi\"\nprotocol = \"A\"\n[topology]\nshape = [2]\n[processes]\nP0 = \"0\"\nP1 = \"1\"\n[latencies]\nHit = 1\nMem = [2, 3]\n\"Mem+lookup\" = [2, 3]\n\"Mem+inv\" = [2, 3]\nCache = [2, 3]\n";

fn folder() -> Folder {
    let springs = std::fs::read_to_string(root().join("examples/nbody/springs.kernel")).expect("an example");
    let folder = Folder::new()
        .file("m.prism", MDP)
        .file("m.props", "P=? [ F s=2 ]")
        .file("best.txt", "not read to its end")
        .file("devices.toml", "")
        .file("path.props", "P=? [ HOA: {\"path.hoa\", \"p\" <- s=2} ]")
        .file(
            "path.hoa",
            "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"p\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n--END--\n",
        )
        .file("net.exp", NETWORK)
        .file("a.aut", SYSTEM)
        .file("b.aut", SYSTEM)
        .file("f.mcl", "<true*> <\"X\"> true\n")
        .file("f.wctl", "EF p\n")
        .file("w.pml", "#include \"inc.pml\"\nactive proctype P() { n++; n++ }\n")
        .file("inc.pml", "byte n;\n")
        .file("t.json", "{}")
        .file("s.wks", "state s {p}; state t {}; s -> t [2];\n")
        .file("l.lotos", "specification S[A] : exit\nlibrary TYPES endlib\nbehaviour A; exit\nendspec\n")
        .file("types.lib", "type T is sorts T opns c : -> T endtype\n")
        .file("d.prism", "dtmc\nmodule m\n s : [0..1];\n [] true -> 0.5 : (s'=0) + 0.5 : (s'=1);\nendmodule\n")
        .file("k.cl", KERNEL)
        .file("p.toml", PLATFORM)
        .file("study.toml", STUDY)
        .file("program.mpi", "shared x : bool home 0;\nprocess P0 { loop { measure R; x = 1; } }\nprocess P1 { loop { measure R; x = 0; } }\n")
        .file("grid.toml", "[[program]]\nfile = \"trace.tsv\"\n")
        .file("cores.toml", "cores = 2\n")
        .file("trace.tsv", TRACE)
        .file("bodies.toml", "[initial]\nfile = \"start.csv\"\n[physics]\nforce = \"springs.kernel\"\nforce_numbers = { stiffness = 4.0 }\nstep = 0.01\n[run]\nend = 0.02\nreport = 0.01\n[output]\nfolder = \"out\"\n")
        .file("start.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
        .file("again.csv", "# time = 0.01\nmass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
        .file("s.rules", "system s\nlanguage \"s.grammar\"\njudgments { type |- Program program : output String }\naxiom Whole G |- Program program : \"whole\"\n")
        .file("s.grammar", "grammar s\nterminal NAME /[a-z]+/\nhidden SPACE /[ \\n]+/\nentry Program : names+=NAME* ;\n")
        .file("names.txt", "a b")
        .file("p.n4js", "var x: int = 1;\n")
        .file("cases.md", "system: s.rules\n\n## All\n\n```\na b\n```\n\n```expect\n1:1 type = whole\n```\n")
        .file("springs.kernel", springs)
        .file("chain.tra", "dtmc\n2 2\n0 1 1\n1 1 1\n")
        .file("chain.lab", "0=\"init\" 1=\"deadlock\"\n0: 0\n")
        .file("other.lab", "0=\"init\" 1=\"deadlock\"\n0: 0\n")
        .file("chain.sta", "(x)\n0:(0)\n1:(1)\n")
        .file("chain.srew", "2 1\n0 1\n")
        .file("r1.srew", "2 1\n0 1\n");
    let part = ["simulate", "d.prism", "--prop", "P=? [ X s=1 ]", "--samples", "10", "--shard", "1/1", "-o"];
    folder.run(&[&part[..], &["part.vvs"]].concat()).exits(0);
    folder
}

/// Names of a file, each another way to say which one it is. Those that need an ending have it.
#[derive(Clone, Copy, Debug)]
enum Name {
    Itself,
    Relative,
    Absolute,
    Hard,
    Soft,
    /// A link to a link, in a folder that is a link.
    Deep,
    Descriptor,
}

const NAMES: [Name; 7] =
    [Name::Itself, Name::Relative, Name::Absolute, Name::Hard, Name::Soft, Name::Deep, Name::Descriptor];

/// Makes a name with this ending for a file; some kinds are links, which the folder gets.
fn named(folder: &Folder, file: &str, ending: &str, name: Name) -> String {
    let has_ending = file.ends_with(&format!(".{ending}"));
    let link = format!("link-{}.{ending}", file.replace('.', "-"));
    let at = |name: &str| folder.path().join(name);
    match name {
        Name::Itself if has_ending => file.to_owned(),
        Name::Relative if has_ending => format!("./sub/../{file}"),
        Name::Absolute if has_ending => at(file).display().to_string(),
        Name::Descriptor if has_ending => at(file).display().to_string(),
        Name::Itself | Name::Hard => {
            std::fs::hard_link(at(file), at(&link)).expect("a link");
            link
        }
        Name::Deep => {
            std::os::unix::fs::symlink("..", at("sub/up")).expect("a link");
            std::os::unix::fs::symlink(Path::new("sub/up").join(file), at("middle")).expect("a link");
            std::os::unix::fs::symlink("middle", at(&link)).expect("a link");
            format!("sub/up/{link}")
        }
        Name::Relative | Name::Absolute | Name::Soft | Name::Descriptor => {
            std::os::unix::fs::symlink(at(file), at(&link)).expect("a link");
            link
        }
    }
}

fn run(folder: &Folder, words: &[String]) -> Run {
    folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Has a command overwrite a file that it reads, by an option and a kind of name.
fn overwrite(folder: &Folder, case: &Case, file: &str, (option, ending): (&str, &str), name: Name) {
    std::fs::create_dir_all(folder.path().join("sub")).expect("a folder");
    let target = named(folder, file, ending, name);
    let before = contents(folder);
    let mut words: Vec<String> = case.words.split(' ').map(str::to_owned).collect();
    words.extend(option.split(' ').map(str::to_owned));
    words.push(target);
    let run = run(folder, &words);
    assert_eq!(contents(folder), before, "{words:?} has changed files\n{}{}", run.out, run.err);
    assert!(
        run.code == 2 && run.err.contains("V0012"),
        "{words:?}: exit {}\n{}{}",
        run.code,
        run.out,
        run.err
    );
    let is_named =
        run.err.contains("would be overwritten") && run.err.contains("give each file its own name");
    assert!(is_named, "{words:?}\n{}", run.err);
    for (file, _) in contents(folder).iter().filter(|(file, _)| file.contains("link-") || *file == "middle") {
        std::fs::remove_file(folder.path().join(file)).expect("a link");
    }
    std::fs::remove_dir_all(folder.path().join("sub")).expect("a folder");
}

/// Each command with each of its options that write, and with each file that it reads; the kinds of names take turns.
fn overwrite_all(cases: &[Case]) {
    let folder = folder();
    let mut number = 0;
    for case in cases {
        for turn in 0..case.reads.len().max(case.writes.len()) {
            let (file, write) = (case.reads[turn % case.reads.len()], case.writes[turn % case.writes.len()]);
            overwrite(&folder, case, file, write, NAMES[number % NAMES.len()]);
            number += 1;
        }
    }
}

#[test]
fn lost_files_of_models_and_properties() {
    overwrite_all(&CASES[..CASES.len() / 2]);
}

#[test]
fn lost_files_of_other_inputs() {
    overwrite_all(&CASES[CASES.len() / 2..]);
}

/// Any of these by any kind of name.
#[test]
fn attack_files_that_are_read() {
    let folder = folder();
    for number in attack_cases(25) {
        let mut random = Random(0xf11e_0000 + number);
        let case = &CASES[random.below(CASES.len())];
        let file = case.reads[random.below(case.reads.len())];
        let write = case.writes[random.below(case.writes.len())];
        overwrite(&folder, case, file, write, random.pick(&NAMES));
    }
}

/// The options of files that `volvelle help COMMAND` lists, by the words that stand for their values.
fn options_of_files(command: &str) -> Vec<String> {
    const FILES: [&str; 9] =
        ["FILE", "FILES", "FOLDER", "SNAPSHOT", "PIPELINE", "STUDY", "CONFIGURATION", "PARTS", "PROPERTIES"];
    let help = Folder::new().run(&["help", command]).exits(0).out;
    let mut options = Vec::new();
    for line in help.lines().map(str::trim).filter(|line| line.starts_with('-')) {
        let names_file = FILES.iter().any(|word| line.contains(&format!("<{word}>")));
        if let Some(long) = line.split([' ', ',']).find(|word| word.starts_with("--")).filter(|_| names_file)
        {
            options.push(long.to_owned());
        }
    }
    options
}

/// An option that takes a file is known to this test: a new one has a case, or a reason.
#[test]
fn every_option_that_takes_a_file_has_a_case() {
    let help = Folder::new().run(&["help"]).exits(0).out;
    let indented = help.lines().filter_map(|line| line.strip_prefix("  "));
    let first = indented.filter_map(|line| line.split(' ').next());
    let commands: Vec<&str> = first.filter(|word| !word.is_empty() && *word != "volvelle").collect();
    assert!(commands.len() > 20 && commands.contains(&"check"), "{commands:?}");
    let mut unknown = Vec::new();
    for command in commands.into_iter().filter(|command| *command != "help") {
        let cases: Vec<&Case> =
            CASES.iter().filter(|case| case.words.starts_with(&format!("{command} "))).collect();
        for option in options_of_files(command) {
            let is_short = |other: &str| other == "-o" && option == "--output";
            let written = |case: &&Case| {
                case.writes
                    .iter()
                    .any(|(other, _)| other.split(' ').any(|word| word == option || is_short(word)))
            };
            let read = |case: &&Case| case.words.split([' ', '=']).any(|word| word == option);
            let has_case = cases.iter().any(|case| written(case) || read(case));
            let is_elsewhere = |(other, _): &(&str, &str)| {
                // Parts of explicit models are options of all commands on models.
                *other == format!("{command} {option}") || other.split(' ').nth(1) == Some(&option)
            };
            let of_models =
                ["--labels", "--state-values", "--state-rewards", "--scheduler", "--device-config"];
            if !has_case && !ELSEWHERE.iter().any(is_elsewhere) && !of_models.contains(&option.as_str()) {
                unknown.push(format!("{command} {option}"));
            }
        }
    }
    assert!(unknown.is_empty(), "which case has these? {unknown:?}");
}

/// The inputs of the reports, as they were typed.
#[test]
fn lost_inputs_as_they_were_found() {
    let folder = folder();
    for words in [
        "check m.prism m.props --const N=1 --csv m.props",
        "check m.prism m.props --const N=1 --html m.props",
        "simulate m.prism m.props --const N=1 --scheduler uniform --csv m.props",
        "simulate m.prism m.props --const N=1 --scheduler uniform --html m.props",
        "check m.prism --const N=1 --prop P=?[Fs=2] --scheduler best.txt --csv best.txt",
        "reduce net.exp -o a.aut",
        "explore net.exp --export b.aut",
        "explore chain.tra --export chain.lab",
        "check chain.tra --prop P=?[Fx=1] --csv chain.lab",
        "mpi study.toml --csv program.mpi",
        "tune k.cl --platform p.toml --size 64 --parameters WG --csv p.toml",
        "merge part.vvs --csv part.vvs",
        "merge part.vvs --html part.vvs",
        "check w.pml --trail inc.pml",
    ] {
        let before = contents(&folder);
        let words: Vec<&str> = words.split(' ').collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains("V0012"), "{words:?}\n{}", run.err);
        assert_eq!(contents(&folder), before, "{words:?}");
    }
    std::fs::hard_link(folder.path().join("d.prism"), folder.path().join("hard.csv")).expect("a link");
    let run = folder.run(&["check", "d.prism", "--prop", "P=? [ X s=1 ]", "--csv", "hard.csv"]).exits(2);
    assert!(run.err.contains("it is read as `d.prism`"), "{}", run.err);
}

/// Results that get numbers, where one of the numbered names is an input.
#[test]
fn lost_files_with_numbers() {
    let folder =
        folder().file("chain1.srew", "2 1\n0 1\n").file("chain2.srew", "2 1\n0 2\n").file("m1.txt", "");
    std::fs::remove_file(folder.path().join("chain.srew")).expect("a file");
    let before = contents(&folder);
    let run = folder.run(&["explore", "chain.tra", "--export", "chain.srew"]).exits(2);
    assert!(run.err.contains("V0012"), "{}", run.err);
    let words = "check m.prism m.props --const N=1 --scheduler m1.txt --export-scheduler m.txt";
    let run = folder.run(&words.split(' ').collect::<Vec<_>>()).exits(2);
    assert!(run.err.contains("V0012"), "{}", run.err);
    assert_eq!(contents(&folder), before);
}

/// Two results are never one file, and no result is a folder or the program.
#[test]
fn lost_results_in_one_place() {
    let folder = folder().file("x.csv", "old").file("other.html", "old");
    std::fs::create_dir(folder.path().join("folder.csv")).expect("a folder");
    std::fs::hard_link(folder.path().join("x.csv"), folder.path().join("x.svg")).expect("a link");
    std::os::unix::fs::symlink("nothing.html", folder.path().join("to.html")).expect("a link");
    std::os::unix::fs::symlink("nothing.html", folder.path().join("to.csv")).expect("a link");
    let program = command(folder.path()).get_program().to_owned();
    std::os::unix::fs::symlink(&program, folder.path().join("program.csv")).expect("a link");
    let size = std::fs::metadata(&program).expect("the program").len();
    let before = contents(&folder);
    for (words, part) in [
        (
            "check m.prism m.props --const N=1:2 --scheduler uniform --csv x.csv --plot x.svg",
            "would be written twice",
        ),
        (
            "check m.prism m.props --const N=1:2 --scheduler uniform --csv a.csv --html a.csv",
            "would be written twice",
        ),
        (
            "check m.prism m.props --const N=1:2 --scheduler uniform --csv to.csv --html to.html",
            "would be written twice",
        ),
        (
            "check m.prism m.props --const N=1:2 --scheduler uniform --csv a.csv --checkpoint a.csv",
            "would be written twice",
        ),
        ("mpi study.toml --csv a.csv --csv-accesses ./a.csv", "would be written twice"),
        ("nbody bodies.toml --plot a.svg --plot-energy a.svg", "would be written twice"),
        (
            "tune k.cl --platform p.toml --size 64 --parameters WG --csv a.json --t4 a.json",
            "would be written twice",
        ),
        ("check d.prism --prop P=?[Xs=1] --csv folder.csv", "it is a folder"),
        ("check d.prism --prop P=?[Xs=1] --csv new/", "it is a folder"),
        ("check d.prism --prop P=?[Xs=1] --csv program.csv", "would be overwritten"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(part), "{words:?}: {part}\n{}", run.err);
        assert_eq!(contents(&folder), before, "{words:?}");
    }
    assert_eq!(std::fs::metadata(&program).expect("the program").len(), size);
}

/// Standard streams may be files as well.
#[test]
fn lost_files_of_standard_streams() {
    let folder = folder();
    let before = contents(&folder);
    let open = |name: &str, append: bool| {
        let mut options = std::fs::OpenOptions::new();
        options.read(!append).append(append).create(append).open(folder.path().join(name)).expect("a file")
    };
    let ran = |words: &[&str], input: Option<&str>, output: Option<&str>| {
        let mut command = command(folder.path());
        command.args(words).stderr(Stdio::piped());
        command.stdin(input.map_or_else(Stdio::null, |name| open(name, false).into()));
        command.stdout(output.map_or_else(Stdio::piped, |name| open(name, true).into()));
        let run = command.output().expect("the program starts");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let asked = ["--prop", "P=? [ X s=1 ]", "--csv"];
    let (code, err) = ran(&[&["check", "-"][..], &asked, &["d.prism"]].concat(), Some("d.prism"), None);
    assert!(code == Some(2) && err.contains("it is read as `standard input`"), "{err}");
    let (code, err) =
        ran(&[&["check", "/dev/stdin"][..], &asked, &["d.prism"]].concat(), Some("d.prism"), None);
    assert!(code == Some(2) && err.contains("V0012"), "{err}");
    let (code, err) = ran(&[&["check", "d.prism"][..], &asked, &["x.csv"]].concat(), None, Some("d.prism"));
    assert!(code == Some(2) && err.contains("standard output is `d.prism`"), "{err}");
    assert_eq!(contents(&folder), before);
    let (code, err) = ran(&[&["check", "d.prism"][..], &asked, &["y.txt"]].concat(), None, Some("y.txt"));
    assert!(code == Some(2) && err.contains("would be written twice"), "{err}");
    // A table that goes where the text goes is no loss.
    let (code, err) =
        ran(&[&["check", "d.prism"][..], &asked, &["/dev/stdout"]].concat(), None, Some("z.txt"));
    assert_eq!(code, Some(0), "{err}");
    let text = folder.read("z.txt");
    assert!(text.contains("0.5") && text.lines().count() > 2, "{text}");
}

/// Snapshots and frames have names of the program.
#[test]
fn folders_of_snapshots() {
    let folder = folder();
    let configuration =
        folder.read("bodies.toml").replace("folder = \"out\"", "folder = \"out\"\nsnapshots = 0.01");
    let folder = folder.file("bodies.toml", &configuration);
    folder.run(&["nbody", "bodies.toml"]).exits(0);
    let first = folder.read("out/snapshot-000001.csv");
    // The run goes on from its last bodies, or from a snapshot of its own.
    let longer = folder.file("bodies.toml", configuration.replace("end = 0.02", "end = 0.04"));
    longer.run(&["nbody", "bodies.toml", "--restart", "out/last.csv"]).exits(0);
    longer.run(&["nbody", "bodies.toml", "--restart", "out/snapshot-000001.csv"]).exits(0);
    assert_eq!(longer.read("out/snapshot-000001.csv"), first);
    let longer = longer.file("bodies.toml", configuration.replace("end = 0.02", "end = 0.08"));
    let before = contents(&longer);
    for words in [
        "nbody bodies.toml --restart out/last.csv --csv ./out/last.csv",
        "nbody bodies.toml --csv out/last.csv",
        "nbody bodies.toml --restart out/snapshot-000001.csv --csv out/snapshot-000001.csv",
        "nbody bodies.toml --csv out/snapshot-000002.csv",
    ] {
        let run = longer.run(&words.split(' ').collect::<Vec<_>>()).exits(2);
        assert!(run.err.contains("V0012"), "{words}\n{}", run.err);
        assert_eq!(contents(&longer), before, "{words}");
    }
    // The bodies that a run starts from lie where its last ones would.
    for file in ["last.csv", "snapshot-000002.csv"] {
        let text =
            configuration.replace("start.csv", &format!("out/{file}")).replace("end = 0.02", "end = 0.09");
        let folder = Folder::new().file("bodies.toml", text);
        std::fs::create_dir(folder.path().join("out")).expect("a folder");
        let folder = folder
            .file(&format!("out/{file}"), longer.read("start.csv"))
            .file("springs.kernel", longer.read("springs.kernel"));
        let before = contents(&folder);
        let run = folder.run(&["nbody", "bodies.toml"]).exits(2);
        assert!(run.err.contains("V0012"), "{}", run.err);
        assert_eq!(contents(&folder), before);
    }
}
