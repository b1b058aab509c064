//! Trails in both directions: SPIN's are followed here, and those written here are replayed by `spin -t`; each run ends in the
//! error with which it was found.

use super::peer::Peer;
use super::{program, seeds, skipped};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use volvelle_promela_testing::{Choices, random_program};

/// A claim that every run violates, which only a cycle shows.
const CLAIM: &str = "\nbyte untouched;\nltl is_touched { <> (untouched == 1) }\n";

/// How SPIN is asked.
struct Question {
    name: &'static str,
    spin: &'static [&'static str],
    compiler: &'static [&'static str],
    verifier: &'static [&'static str],
    is_safety: bool,
}

const QUESTIONS: [Question; 3] = [
    Question {
        name: "merged",
        spin: &["-a"],
        compiler: &["-DSAFETY", "-DNOCLAIM"],
        verifier: &[],
        is_safety: true,
    },
    Question {
        name: "plain",
        spin: &["-o1", "-o2", "-o3", "-a"],
        compiler: &["-DSAFETY", "-DNOCLAIM", "-DNOREDUCE"],
        verifier: &[],
        is_safety: true,
    },
    Question {
        name: "claim",
        spin: &["-a"],
        compiler: &[],
        verifier: &["-a", "-N", "is_touched"],
        is_safety: false,
    },
];

/// The end of a run, as both tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Assertion,
    Stuck,
    /// Another error, or none: a cycle.
    Other,
}

impl End {
    /// In the words of both tools.
    fn of(text: &str) -> End {
        if text.contains("assertion violated") {
            End::Assertion
        } else if text.contains("invalid end state") {
            End::Stuck
        } else {
            End::Other
        }
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program).current_dir(folder).args(arguments).output().expect("the program runs")
}

fn all(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Follows SPIN's trail, if it finds an error; whether it did, or how the two differ.
fn followed(peer: &Peer, folder: &Path, model: &str, question: &Question) -> Result<bool, String> {
    let _ = std::fs::remove_file(folder.join(format!("{model}.trail")));
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let mut arguments = question.spin.to_vec();
    arguments.push(model);
    run(folder, "spin", &arguments);
    if !folder.join("pan.c").exists() || !peer.compile(folder, question.compiler) {
        return Ok(false);
    }
    let mut arguments = vec!["5", "./pan", "-m20000", "-w18"];
    arguments.extend(question.verifier);
    let found = all(&run(folder, "timeout", &arguments));
    let Some(error) = found.lines().find(|line| line.starts_with("pan:1:")) else { return Ok(false) };
    let trail = format!("{model}.trail");
    let replay = run(folder, &program(), &["simulate", model, "--trail", &trail]);
    let text = all(&replay);
    let code = replay.status.code();
    let fits = match End::of(error) {
        End::Other => code == Some(0) || code == Some(1),
        end => code == Some(1) && End::of(&text) == end,
    };
    if fits { Ok(true) } else { Err(format!("{error}; here {code:?}: {}", last_lines(&text))) }
}

/// Lets SPIN replay a trail that is written here, if there is an error; whether there was, or what SPIN says.
fn replayed(folder: &Path, model: &str, arguments: &[&str]) -> Result<bool, String> {
    let trail = folder.join("ours.trail");
    let _ = std::fs::remove_file(&trail);
    let mut all_arguments = vec!["check", model, "--trail", "ours.trail", "--max-states", "20000"];
    all_arguments.extend(arguments);
    let checked = run(folder, &program(), &all_arguments);
    if checked.status.code() != Some(1) {
        return Ok(false);
    }
    let text = all(&checked);
    if !trail.exists() {
        return Err(format!("no trail is written: {}", last_lines(&text)));
    }
    // The first error of the text is that of the trail.
    let end = End::of(text.lines().find(|line| line.starts_with("error[")).unwrap_or_default());
    let said = all(&run(folder, "spin", &["-t", "-p", "-g", "-k", "ours.trail", model]));
    let lost = ["transition failed", "invalid statement", "no matching stmnt", "stop error", "(?)"];
    if let Some(word) = lost.iter().find(|word| said.contains(**word)) {
        return Err(format!("SPIN says `{word}`: {}", last_lines(&said)));
    }
    let steps =
        std::fs::read_to_string(&trail).expect("the trail").lines().filter(|l| !l.starts_with('-')).count();
    if steps > 0 && end != End::Other && !said.contains(&format!("trail ends after {steps} steps")) {
        return Err(format!("SPIN does not come to the end: {}", last_lines(&said)));
    }
    if end == End::Assertion && End::of(&said) != End::Assertion {
        return Err(format!("SPIN finds no assertion violated: {}", last_lines(&said)));
    }
    // What is written here is read here.
    let again = run(folder, &program(), &["simulate", model, "--trail", "ours.trail"]);
    let told = all(&again);
    if again.status.code() == Some(2) || end != End::Other && End::of(&told) != end {
        return Err(format!("the trail does not end here as it did: {}", last_lines(&told)));
    }
    match differing_values(folder, model, &said) {
        Some(difference) => Err(difference),
        None => Ok(true),
    }
}

/// A global variable that has another value at the end of SPIN's replay than here.
fn differing_values(folder: &Path, model: &str, said: &str) -> Option<String> {
    let again = run(folder, &program(), &["simulate", model, "--trail", "ours.trail", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&again.stdout).ok()?;
    let mut values = std::collections::HashMap::new();
    for step in json["results"][0]["counterexample"]["steps"].as_array().or(json["run"]["steps"].as_array())?
    {
        for change in step["changes"].as_array()? {
            values.insert(change["name"].as_str()?.to_owned(), change["after"].to_string());
        }
    }
    let end = said.split("#processes:").nth(1)?;
    for line in end.lines().filter(|line| line.starts_with("\t\t")) {
        let Some((name, value)) = line.trim().split_once(" = ") else { continue };
        // SPIN's simulator stores values of any size to the members of structures.
        if let Some(ours) = values.get(name)
            && !name.contains('.')
            && ours.parse::<i64>().is_ok()
            && value.parse::<i64>().is_ok()
            && ours != value
        {
            return Some(format!("{name} is {ours} here and {value} in SPIN"));
        }
    }
    None
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(6).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("volvelle-trails-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Compares the trails of models, given by name and text.
fn compared(name: &str, models: impl Iterator<Item = (String, String)>) {
    let Some(peer) = Peer::find() else {
        return skipped("SPIN and a C compiler are not there");
    };
    let keep = std::env::var_os("VOLVELLE_SPIN_KEEP");
    let folder = folder(name);
    let (mut counts, mut written, mut differing) = ([0; QUESTIONS.len()], [0; 2], Vec::new());
    for (name, text) in models {
        let mut note = |what: &str, text: &str, found: Result<bool, String>| match found {
            Ok(found) => usize::from(found),
            Err(why) => {
                if let Some(keep) = &keep {
                    let _ = std::fs::write(Path::new(keep).join(format!("trail-{name}-{what}.pml")), text);
                }
                differing.push(format!("{name}, {what}: {why}"));
                0
            }
        };
        let with_claim = format!("{text}{CLAIM}");
        for (question, count) in QUESTIONS.iter().zip(&mut counts) {
            // SPIN's verifier counts the process of the claim, too.
            if !question.is_safety && text.contains("_nr_pr") {
                continue;
            }
            let text = if question.is_safety { &text } else { &with_claim };
            std::fs::write(folder.join("model.pml"), text).expect("the model is written");
            *count += note(question.name, text, followed(&peer, &folder, "model.pml", question));
            if question.name == "merged" {
                written[0] += note("written", text, replayed(&folder, "model.pml", &["--safety"]));
            }
            if !question.is_safety {
                written[1] +=
                    note("written claim", text, replayed(&folder, "model.pml", &["--ltl", "is_touched"]));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let mut report = String::new();
    for (question, count) in QUESTIONS.iter().zip(counts) {
        let _ = write!(report, "{count} {} ", question.name);
    }
    let _ = writeln!(
        report,
        "trails of SPIN; {} and {} written, {} differ",
        written[0],
        written[1],
        differing.len()
    );
    eprint!("{report}");
    assert!(differing.is_empty(), "{report}{}", differing.join("\n"));
}

#[test]
fn trails_of_random_programs() {
    // Five questions each, and a compiled verifier for each of them.
    let models =
        seeds().step_by(2).map(|seed| (seed.to_string(), random_program(&mut Choices::from_seed(seed))));
    compared("random", models);
}

/// The kept programs have steps of all kinds. A third of them in the usual run.
#[test]
fn trails_of_kept_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/spin/kept");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = files.map(|file| file.expect("an entry").path()).collect();
    files.sort();
    let step = if std::env::var_os("VOLVELLE_SPIN").is_some() { 1 } else { 3 };
    let models = files.into_iter().step_by(step).map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a program"))
    });
    compared("kept", models);
}
