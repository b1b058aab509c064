//! What all questions have in common in what they print and write: `--quiet`, tables, and names of options that are no longer used.

use crate::common::Folder;

const CHAIN: &str = "dtmc\nmodule m\n  x : [0..2] init 0;\n  [go] x<2 -> 1/2 : (x'=x+1) + 1/2 : (x'=0);\n  [] x=2 -> true;\nendmodule\n";
const RATES: &str = "des (0, 4, 3)\n(0, \"ARRIVE; rate 2\", 1)\n(1, \"ARRIVE; rate 2\", 2)\n(1, \"SERVE; rate 3\", 0)\n(2, \"LOSS; rate 1\", 1)\n";
const PRINTS: &str = "active proctype P() { byte n = 3; printf(\"n is %d\\n\", n) }\n";
const CHOICE: &str =
    "byte p, time;\nbool done;\nactive proctype P() { select(p : 1 .. 2); time = time + p; done = true }\n";
const WEIGHTED: &str = "state s {p}: -1-> t, -0-> s;\nstate t {q};\n";
const PIPELINE: &str = "[step.rates]\nmodel = \"rates.aut\"\n[step.loses]\nfrom = \"rates\"\ncheck = \"<true*> true\"\nexpect = true\n";
const BODIES: &str = "[initial]\nmodel = \"plummer\"\nbodies = 8\n[run]\nend = 0.1\n";
const STUDY: &str = "program = \"program.mpi\"\nprotocol = \"{P}\"\n[parameters]\nP = \"A\"\nmemory = \"2\"\n[topology]\nshape = [2]\n[processes]\nP0 = \"0\"\nP1 = \"1\"\n[latencies]\nHit = 1\nMem = [\"{memory}\", 3]\n\"Mem+lookup\" = [2, 3]\n\"Mem+inv\" = [2, 3]\nCache = [2, 3]\n";
const PROGRAM: &str = "shared x : bool home 0;\nprocess P0 { loop { measure R; x = 1; } }\nprocess P1 { loop { measure R; x = 0; } }\n";
const TRACE: &str =
    "pc\tclass\trd\tsources\taddress\tsize\ttaken\n1000\talu\tx1\t-\t-\t-\t-\n1004\tbranch\t-\tx1\t-\t-\t0\n";

fn folder() -> Folder {
    Folder::with_model(CHAIN)
        .file("rates.aut", RATES)
        .file("prints.pml", PRINTS)
        .file("choice.pml", CHOICE)
        .file("s.wks", WEIGHTED)
        .file("run.toml", PIPELINE)
        .file("bodies.toml", BODIES)
        .file("study.toml", STUDY)
        .file("trace.tsv", TRACE)
        .file("program.mpi", PROGRAM)
        .file("s.rules", RULES)
        .file("s.grammar", GRAMMAR)
        .file("names.txt", "a b")
        .file("p.n4js", "var x: int = 1;\n")
        .file("cases.md", "system: s.rules\n\n## All\n\n```\na b\n```\n\n```expect\n1:1 type = whole\n```\n")
}

/// A system of one rule, and its language.
const RULES: &str = "system s\nlanguage \"s.grammar\"\njudgments { type |- Program program : output String }\naxiom Whole G |- Program program : \"whole\"\n";
const GRAMMAR: &str =
    "grammar s\nterminal NAME /[a-z]+/\nhidden SPACE /[ \\n]+/\nentry Program : names+=NAME* ;\n";

/// Questions with the exit codes of their answers.
const QUESTIONS: &[(&str, i32)] = &[
    ("check model.prism --prop P>0.5[F(x=2)]", 0),
    ("check model.prism --prop P<0.5[F(x=2)]", 1),
    ("check model.prism --safety", 0),
    ("check prints.pml", 0),
    ("check rates.aut --mcl <true>true", 0),
    ("check s.wks --wctl EF[<=2]q", 0),
    ("check model.prism --prop P=?[F<=k(x=2)] --const k=1:3", 0),
    ("explore model.prism", 0),
    ("info model.prism", 0),
    ("lint prints.pml", 0),
    ("reduce rates.aut", 0),
    ("compare rates.aut rates.aut", 0),
    ("distance s.wks", 0),
    ("distance s.wks:s s.wks:t", 0),
    ("simulate model.prism --prop P=?[F(x=2)] --samples 100", 0),
    ("trace model.prism", 0),
    ("step model.prism", 0),
    ("step prints.pml", 0),
    ("step rates.aut", 0),
    ("tune choice.pml --minimize time --goal done --parameters p", 0),
    ("steady rates.aut", 0),
    ("transient rates.aut --first-passage LOSS", 0),
    ("run run.toml", 0),
    ("mpi study.toml", 0),
    ("multicore trace.tsv", 0),
    ("nbody bodies.toml", 0),
    ("rules check s.rules names.txt", 0),
    ("rules ask s.rules type names.txt", 0),
    ("rules test cases.md", 0),
    ("rules print s.rules", 0),
    ("n4js check p.n4js", 0),
    ("devices", 0),
];

fn run(folder: &Folder, line: &str, more: &[&str]) -> crate::common::Run {
    let words: Vec<&str> = line.split(' ').chain(more.iter().copied()).collect();
    folder.run(&words)
}

#[test]
fn quiet_questions_print_no_report() {
    let folder = folder();
    for (line, code) in QUESTIONS {
        let [loud, quiet] = [&[][..], &["-q"]].map(|more| run(&folder, line, more).exits(*code));
        assert!(!loud.out.is_empty(), "{line}");
        assert_eq!(quiet.out, "", "{line}");
        // Warnings stay; some of the first run are about files that are there in the second.
        assert!(quiet.err.lines().count() <= loud.err.lines().count(), "{line}: {}", quiet.err);
    }
    let refused = run(&folder, "check none.prism", &["--quiet"]).exits(2);
    assert!(refused.err.contains("none.prism"), "{}", refused.err);
}

#[test]
fn every_question_has_a_table_and_a_page() {
    let folder = folder();
    for (line, code) in QUESTIONS {
        let run = self::run(&folder, line, &["--csv", "t.csv", "--html", "p.html"]).exits(*code);
        let (table, page) = (folder.read("t.csv"), folder.read("p.html"));
        assert!(run.out.contains("t.csv") && run.out.contains("p.html"), "{line}: {}", run.out);
        // Nothing is wrong with the program of `lint`, and nothing is a table of no lines.
        assert!(table.lines().count() >= if line.starts_with("lint") { 1 } else { 2 }, "{line}: {table}");
        assert!(page.starts_with("<!") && page.trim_end().ends_with("</html>"), "{line}");
        let printed = self::run(&folder, line, &["--csv", "-"]).exits(*code);
        assert_eq!(printed.out.lines().next(), table.lines().next(), "{line}");
        assert_eq!(printed.out.lines().count(), table.lines().count(), "{line}: {}", printed.out);
        let both = self::run(&folder, line, &["--csv", "-", "--html", "-"]).exits(2);
        assert!(both.err.contains("both write to standard output"), "{line}: {}", both.err);
    }
}

/// Errors leave tables of earlier answers as they are.
#[test]
fn what_has_no_answer_writes_no_table() {
    let folder = folder().file("t.csv", "of an earlier run\n").file("wrong.prism", "dtmc\nmodule m\n");
    for line in [
        "check rates.aut --mcl <",
        "check s.wks --wctl EF[",
        "check prints.pml --ltl []([",
        "distance s.wks:s s.wks:u",
        "info none.prism",
        "check wrong.prism --prop P>0.5[F(x=2)]",
        "check wrong.prism --prop P>0.5[F(x=2)] --const N=1:3",
        "simulate wrong.prism --prop P=?[F(x=2)] --samples 100",
    ] {
        run(&folder, line, &["--csv", "t.csv"]).exits(2);
        assert_eq!(folder.read("t.csv"), "of an earlier run\n", "{line}");
    }
}

/// Whatever is asked for twice on standard output, one of both would be lost.
#[test]
fn standard_output_has_room_for_one_result() {
    let folder = folder();
    for (line, message) in [
        ("reduce rates.aut -o - --json", "--json and --output - both"),
        ("reduce rates.aut --csv - --output -", "--output - and --csv - both"),
        ("reduce s.wks -r wbb -o - --html -", "--output - and --html - both"),
        ("mpi study.toml --csv-accesses - --json", "--json and --csv-accesses - both"),
        (
            "multicore trace.tsv --export-model - --csv-branches -",
            "--csv-branches - and --export-model - both",
        ),
        ("trace model.prism --csv - --json", "--json and --csv - both"),
    ] {
        let run = self::run(&folder, line, &[]).exits(2);
        assert!(run.err.contains(message) && run.err.contains("help: give a file: "), "{line}: {}", run.err);
    }
}

#[test]
fn quiet_questions_print_what_is_asked_for() {
    let folder = folder();
    for (line, code) in QUESTIONS {
        run(&folder, line, &["-q", "--json"]).exits(*code).json();
    }
    assert_eq!(folder.run(&["simulate", "prints.pml", "-q"]).exits(0).out, "n is 3\n");
    let table = folder.run(&["steady", "rates.aut", "-q", "--csv", "-"]).exits(0).out;
    assert_eq!(table, folder.run(&["steady", "rates.aut", "--csv", "-"]).out);
    assert!(table.starts_with("ARRIVE,"), "{table}");
    let page = folder.run(&["run", "run.toml", "-q", "--html", "-"]).exits(0).out;
    assert!(page.starts_with("<!"), "{page}");
    let system = folder.run(&["reduce", "rates.aut", "-q", "-o", "-"]).exits(0).out;
    assert!(system.starts_with("des ("), "{system}");
    let model = folder.run(&["mpi", "study.toml", "-q", "--print-model", "aut"]).exits(0).out;
    assert!(model.starts_with("des ("), "{model}");
    // Files are written.
    folder.run(&["nbody", "bodies.toml", "--quiet", "--csv", "energies.csv"]).exits(0);
    assert!(folder.read("energies.csv").starts_with("time,"));
}

/// Questions with a table, and how it begins.
const TABLES: &[(&str, &str)] = &[
    ("run run.toml", "step,what,states,transitions,system,answer,expected\nrates,`rates.aut`,3,4,"),
    ("devices", "device,vendor,place,compute units,memory (bytes),name,driver,double precision\n"),
    ("mpi study.toml", "P,memory,protocol table,states"),
    ("steady rates.aut", "ARRIVE,ARRIVE lo,ARRIVE hi"),
    ("transient rates.aut --first-passage LOSS", "mean,mean lo,mean hi"),
    ("nbody bodies.toml", "time,"),
    ("multicore trace.tsv", "program,"),
    ("tune choice.pml --minimize time --goal done --parameters p", "p,"),
];

#[test]
fn tables_are_files_or_stand_alone_on_standard_output() {
    let folder = folder();
    for (line, beginning) in TABLES {
        let printed = run(&folder, line, &["--csv", "-"]).exits(0).out;
        assert!(printed.starts_with(beginning), "{line}: {printed}");
        let columns = printed.lines().map(|row| row.split(',').count());
        assert!(columns.clone().max() >= Some(2) && columns.count() >= 2, "{line}: {printed}");
        let told = run(&folder, line, &["--csv", "table.csv"]).exits(0).out;
        assert!(told.contains("written:") && told.contains("table.csv"), "{line}: {told}");
        assert_eq!(folder.read("table.csv").lines().count(), printed.lines().count(), "{line}");
        let both = run(&folder, line, &["--csv", "-", "--json"]).exits(2);
        assert!(both.err.contains("help: "), "{line}: {}", both.err);
    }
}

#[test]
fn old_names_of_options_are_told() {
    let folder = folder();
    let pairs = [
        (
            "mpi study.toml --set P=A --sweep memory=2,4 --verify-only",
            "mpi study.toml --const P=A,memory=2,4 --verify only",
            "note: --set is now --const\nnote: --sweep is now --const\nnote: --verify-only is now --verify=only\n",
        ),
        (
            "mpi study.toml --emit aut",
            "mpi study.toml --print-model aut",
            "note: --emit is now --print-model\n",
        ),
        (
            "multicore trace.tsv --set=cores=2 --predictor oracle --csv -",
            "multicore trace.tsv -c cores=2 --predictor oracle --csv -",
            "note: --set is now --const\n",
        ),
        (
            "transient rates.aut --until=LOSS --csv -",
            "transient rates.aut --first-passage LOSS --csv -",
            "note: --until is now --first-passage\n",
        ),
        (
            "tune choice.pml --minimize time --until done -pp --csv -",
            "tune choice.pml --minimize time --goal done --parameters p --csv -",
            "note: --until is now --goal\nnote: -p is now --parameters\n",
        ),
        (
            "reduce rates.aut --relation lumping --epsilon 1e-6 -o -",
            "reduce rates.aut --relation lumping --rounding 1e-6 -o -",
            "note: --epsilon is now --rounding\n",
        ),
        (
            "simulate model.prism --prop P=?[F(x=2)] --emit kernel.vk",
            "simulate model.prism --prop P=?[F(x=2)] --print-code kernel.vk",
            "note: --emit is now --print-code\n",
        ),
    ];
    for (old, new, notes) in pairs {
        let [before, after] = [old, new].map(|line| run(&folder, line, &[]).exits(0));
        assert!(before.err.starts_with(notes), "{old}: {}", before.err);
        assert!(!after.err.contains("is now"), "{new}: {}", after.err);
        assert_eq!(before.out, after.out, "{old}");
    }
}

#[test]
fn parts_of_a_run_may_be_quiet() {
    let folder = folder();
    let part = |number: &str, file: &str, more: &[&str]| {
        let line =
            format!("simulate model.prism --prop P=?[F(x=2)] --samples 600 --shard {number}/2 -o {file}");
        run(&folder, &line, more).exits(0)
    };
    assert_eq!(part("1", "one.vvs", &["-q"]).out, "");
    assert!(part("2", "two.vvs", &[]).out.contains("two.vvs"));
    let merged = folder.run(&["merge", "one.vvs", "two.vvs"]).exits(0).out;
    assert!(merged.contains("P=?[F(x=2)]"), "{merged}");
}
