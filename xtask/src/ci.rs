//! The steps of CI. A laptop runs the same: `cargo xtask ci`, or `cargo xtask ci format clippy` for some.
//!
//! Every step runs, whatever became of the ones before, so that one run shows all there is to mend. The last line is
//! a summary of the tests, counted from what the test programs say: `N passed, N failed, N skipped`.

mod silence;
mod summary;

use crate::{budget, checked, fuzz, metadata, package, processor_time, tidy, tree};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use summary::Summary;

/// A step.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Path, &mut Summary) -> Result<Outcome, String>,
}

/// How a step ended, unless it could not even start.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

impl From<bool> for Outcome {
    fn from(passed: bool) -> Self {
        if passed { Outcome::Passed } else { Outcome::Failed }
    }
}

const STEPS: &[Step] = &[
    Step { name: "format", about: "cargo fmt --check", run: format },
    Step {
        name: "tidy",
        about: "the rules of this repository, licences of all dependencies",
        run: tidy_step,
    },
    Step {
        name: "build",
        about: "what the tests need, with the lints of Clippy and rustdoc, without warnings",
        run: build,
    },
    Step { name: "test", about: "the test command of README.md", run: test },
    Step {
        name: "editors",
        about: "the extension and the grammars of editors, real clients of the language server",
        run: editors,
    },
    Step { name: "book", about: "mdbook build, where mdbook is installed", run: book },
    Step { name: "main-job", about: "the first command of README.md", run: main_job },
    Step {
        name: "package",
        about: "the files of a release, unpacked, installed and tried",
        run: package_step,
    },
    Step { name: "features", about: "optional features, where their libraries are there", run: features },
    Step {
        name: "corpus",
        about: "published models, where the folder of VOLVELLE_CORPUS is there",
        run: corpus,
    },
    Step {
        name: "sampling-corpus",
        about: "published models simulated, where the folder of VOLVELLE_CORPUS is there",
        run: sampling_corpus,
    },
    Step {
        name: "promela-corpus",
        about: "published Promela models, where the folder of VOLVELLE_PROMELA_CORPUS is there",
        run: promela_corpus,
    },
    Step {
        name: "exchange-corpus",
        about: "published explicit models, where the folder of VOLVELLE_EXCHANGE_CORPUS is there",
        run: exchange_corpus,
    },
    Step {
        name: "lotos-corpus",
        about: "LOTOS specifications with known graphs, where the folder of VOLVELLE_LOTOS_CORPUS is there",
        run: lotos_corpus,
    },
    Step { name: "spin", about: "more random programs against SPIN than the test command has", run: spin },
    Step { name: "fuzz", about: "every fuzzer for a short while", run: fuzz_step },
];

/// `cargo xtask ci`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let Some(steps) = choose(arguments)? else {
        for step in STEPS {
            println!("{:<10} {}", step.name, step.about);
        }
        return Ok(true);
    };
    let root = tree::root();
    let mut summary = Summary::default();
    let mut lines = Vec::new();
    let mut passed = true;
    for step in steps {
        println!("\n== {}: {}", step.name, step.about);
        let (start, used) = (Instant::now(), processor_time::of_children());
        let outcome = (step.run)(&root, &mut summary).unwrap_or_else(|message| {
            println!("{message}");
            Outcome::Failed
        });
        passed &= outcome != Outcome::Failed;
        lines.push(line(step.name, &outcome, start.elapsed(), processor_time::of_children() - used));
        println!("== {}", lines.last().expect("just pushed"));
    }
    println!("\n{}\n\n{summary}", lines.join("\n"));
    // Where CI runs, what tests need was installed (`.ci/run`): one that does not run is one that nobody looks at.
    let skipped: Vec<&str> = summary.unexpectedly_skipped().collect();
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    if is_ci && !skipped.is_empty() {
        println!("tests that CI has to run were skipped:\n  {}", skipped.join("\n  "));
    }
    Ok(passed && (!is_ci || skipped.is_empty()))
}

fn line(name: &str, outcome: &Outcome, time: Duration, used: f64) -> String {
    let (word, why) = match outcome {
        Outcome::Passed => ("ok", String::new()),
        Outcome::Failed => ("FAILED", String::new()),
        Outcome::Skipped(why) => ("skipped", format!("  ({why})")),
    };
    format!("{name:<15} {word:<8} {:>7.1} s  {used:>7.1} CPU s{why}", time.as_secs_f64())
}

/// The steps that the arguments name; `None` to list them.
fn choose(arguments: &[String]) -> Result<Option<Vec<&'static Step>>, String> {
    let find = |name: &str| {
        let names = STEPS.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        STEPS.iter().find(|s| s.name == name).ok_or_else(|| format!("there is no step `{name}`: {names}"))
    };
    let mut named = Vec::new();
    let mut skipped = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--list" => return Ok(None),
            "--skip" => skipped.push(find(rest.next().ok_or("--skip needs the name of a step")?)?.name),
            name => named.push(find(name)?.name),
        }
    }
    let chosen =
        |step: &&Step| (named.is_empty() || named.contains(&step.name)) && !skipped.contains(&step.name);
    Ok(Some(STEPS.iter().filter(chosen).collect()))
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root);
    command
}

fn succeeds(command: &mut Command) -> Result<Outcome, String> {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|e| format!("{}: {e}", shown(command)))?;
    Ok(status.success().into())
}

/// Runs tests: their output passes through and is counted. A test that waits for ever does not.
fn counted(root: &Path, command: &mut Command, summary: &mut Summary) -> Result<Outcome, String> {
    println!("$ {}", shown(command));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| format!("starting the tests: {e}"))?;
    let output = child.stdout.take().ok_or("the tests have no output")?;
    let errors = child.stderr.take().ok_or("the tests have no standard error")?;
    let here = Mutex::new(Summary::default());
    let target = metadata::target_folder(root)?;
    let (heard, watched) = channel();
    let read = |stream: &mut dyn Read, heard: &Sender<()>, show: &dyn Fn(&str)| {
        for line in BufReader::new(stream).split(b'\n') {
            let line = line.map_err(|e| format!("reading the output of tests: {e}"))?;
            let line = String::from_utf8_lossy(&line);
            show(&line);
            // The watcher stays until both streams have ended.
            let _ = heard.send(());
            here.lock().unwrap_or_else(PoisonError::into_inner).count(&line);
        }
        Ok::<(), String>(())
    };
    // Tests say on standard error that they are skipped.
    std::thread::scope(|scope| {
        let (mut output, mut errors) = (output, errors);
        scope.spawn(move || silence::end_waiting_tests(watched, silence::LONGEST, &target));
        let heard_too = heard.clone();
        let behind = scope.spawn(move || read(&mut errors, &heard_too, &|line| eprintln!("{line}")));
        let result = read(&mut output, &heard, &|line| println!("{line}"));
        drop(heard);
        result.and(behind.join().unwrap_or_else(|_| Err("reading the output of tests failed".to_owned())))
    })?;
    let here = here.into_inner().unwrap_or_else(PoisonError::into_inner);
    let status = child.wait().map_err(|e| format!("waiting for tests: {e}"))?;
    summary.add(&here);
    if here.is_empty() {
        println!("no test has run");
    }
    Ok((status.success() && !here.is_empty()).into())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|w| w.to_string_lossy().into_owned()).collect();
    let program = words[0].rsplit('/').next().unwrap_or_default();
    std::iter::once(program).chain(words[1..].iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

fn format(root: &Path, _: &mut Summary) -> Result<Outcome, String> {
    succeeds(cargo(root).args(["fmt", "--all", "--check"]))
}

fn tidy_step(_: &Path, _: &mut Summary) -> Result<Outcome, String> {
    Ok(tidy::run()?.into())
}

/// Builds as the test command does. What Clippy and rustdoc say fails the step, and lets the tests run.
fn build(root: &Path, _: &mut Summary) -> Result<Outcome, String> {
    let line = format!("{} --no-run", readme_command(root, "cargo test")?);
    let mut command = shell(root, &line);
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    println!("$ {}", shown(&command));
    let child = command.stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| format!("starting cargo: {e}"))?;
    let errors = child.stderr.take().ok_or("cargo has no standard error")?;
    let mut warnings = 0;
    for line in BufReader::new(errors).lines() {
        let line = line.map_err(|e| format!("reading what cargo says: {e}"))?;
        warnings += u32::from(line.starts_with("warning:"));
        eprintln!("{line}");
    }
    let status = child.wait().map_err(|e| format!("waiting for cargo: {e}"))?;
    Ok((status.success() && warnings == 0).into())
}

fn test(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    // All tests run, whatever becomes of the first ones.
    let line = format!("{} --no-fail-fast", readme_command(root, "cargo test")?);
    // The corpus has a step of its own.
    let mut command = shell(root, &line);
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    counted(root, command.env_remove("VOLVELLE_CORPUS"), summary)
}

/// The book as its readers get it. Its pages, examples and links have tests of their own, so that the step needs no mdbook.
fn book(root: &Path, _: &mut Summary) -> Result<Outcome, String> {
    let is_there = Command::new("mdbook").arg("--version").stdout(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return Ok(Outcome::Skipped(
            "mdbook is not there; tidy and the tests check pages and links".to_owned(),
        ));
    }
    succeeds(Command::new("mdbook").arg("build").current_dir(root))
}

/// The extension and the grammars, with the program that the tests have built, since it has all its wings. What is not installed is
/// skipped, and said.
fn editors(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let program = metadata::target_folder(root)?.join("debug/volvelle");
    if !program.exists() {
        return Ok(Outcome::Skipped(format!("{} is not there: the tests build it", program.display())));
    }
    let npm = Command::new("npm").arg("--version").stdout(Stdio::null()).status();
    if npm.is_ok_and(|status| status.success()) {
        // Where packages cannot be had, the tests that need them say so.
        let mut install = Command::new("npm");
        succeeds(install.args(["ci", "--loglevel=error"]).current_dir(root.join("editors/vscode")))?;
    }
    let mut tests = Command::new("bash");
    counted(root, tests.arg("editors/test/run").arg(program).current_dir(root), summary)
}

/// The first command of the page. It builds the program without its wings, whose cost is measured meanwhile.
fn main_job(root: &Path, _: &mut Summary) -> Result<Outcome, String> {
    let line = readme_command(root, "cargo run")?;
    let mut command = shell(root, &line);
    let target = metadata::target_folder(root)?;
    let notes = budget::Notes::beginning(&target)?;
    notes.take_from(&mut command)?;
    if succeeds(&mut command)? != Outcome::Passed {
        return Ok(Outcome::Failed);
    }
    Ok(notes.judged(root, budget::Extent::Core, &target.join("release/volvelle"))?.into())
}

/// The files of a release, made of the program that the step `main-job` has built: a whole one would be built once more.
fn package_step(root: &Path, _: &mut Summary) -> Result<Outcome, String> {
    let program = metadata::target_folder(root)?.join("release/volvelle");
    if !program.exists() {
        return Ok(Outcome::Skipped(format!("{} is not there: main-job builds it", program.display())));
    }
    let has_deb = Command::new("dpkg-deb").arg("--version").stdout(Stdio::null()).status().is_ok();
    package::make(&package::Options { program: Some(program), has_deb, ..package::Options::default() })?;
    Ok(Outcome::Passed)
}

/// HDF5 is the only feature that is off; its tests are those of the formats of snapshots. The step `main-job` builds the program without its
/// wings.
fn features(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let hdf5 = Command::new("pkg-config").args(["--exists", "hdf5"]).status();
    if !hdf5.is_ok_and(|status| status.success()) {
        return Ok(Outcome::Skipped("there is no HDF5 library".to_owned()));
    }
    let mut command = cargo(root);
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    command.args([
        "test",
        "--locked",
        "-p",
        "volvelle-nbody",
        "--features",
        "hdf5",
        "--test",
        "it",
        "--",
        "files",
    ]);
    counted(root, &mut command, summary)
}

/// Tests on published models: where they are is told by a variable, or they are beside the repository.
fn published(
    root: &Path,
    summary: &mut Summary,
    (variable, beside): (&str, &str),
    (programs, tests): (&[&str], &[&str]),
    settings: &[(&str, &str)],
) -> Result<Outcome, String> {
    let folder = std::env::var_os(variable).map_or_else(|| root.join(beside), Into::into);
    if !folder.join("cases.tsv").exists() {
        return Ok(Outcome::Skipped(format!("{} is not there", folder.join("cases.tsv").display())));
    }
    let mut command = cargo(root);
    // As the step `test` has built it.
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    command.args(["test", "--locked", "--workspace"]);
    command.args(programs.iter().flat_map(|program| ["--test", program]));
    command.args(["--", "--exact"]).args(tests);
    counted(root, command.env(variable, folder).envs(settings.iter().copied()), summary)
}

const PRISM_MODELS: (&str, &str) = ("VOLVELLE_CORPUS", "../shared/corpus/prism");
const PROMELA_MODELS: (&str, &str) = ("VOLVELLE_PROMELA_CORPUS", "../shared/corpus/promela");

const EXCHANGE_FILES: (&str, &str) = ("VOLVELLE_EXCHANGE_CORPUS", "../shared/corpus/exchange");

fn corpus(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let tests = (
        &["corpus", "it"][..],
        &[
            "corpus",
            "prism_names::corpus_of_prism",
            "broken::corpus",
            "completion::corpus",
            "keystrokes::corpus_keystrokes_of_prism",
            "renaming::corpus_renamed_of_prism",
        ][..],
    );
    published(root, summary, PRISM_MODELS, tests, &[("VOLVELLE_CORPUS_SECONDS", "35")])
}

fn sampling_corpus(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let settings = [("VOLVELLE_SAMPLING_SECONDS", "20"), ("VOLVELLE_SAMPLING_CASE_SECONDS", "0.3")];
    published(root, summary, PRISM_MODELS, (&["corpus"], &["sampling_corpus"]), &settings)
}

fn promela_corpus(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let tests = [
        "promela_corpus",
        "promela_names::corpus_of_promela",
        "completion::corpus",
        "keystrokes::corpus_keystrokes_of_promela",
        "renaming::corpus_renamed_of_promela",
    ];
    published(
        root,
        summary,
        PROMELA_MODELS,
        (&["corpus", "it"], &tests),
        &[("VOLVELLE_PROMELA_SECONDS", "15"), ("VOLVELLE_PROMELA_STATES", "4e5")],
    )
}

fn exchange_corpus(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let tests = (&["corpus", "it"][..], &["exchange_corpus", "corpus::exchange_corpus"][..]);
    published(root, summary, EXCHANGE_FILES, tests, &[])
}

fn lotos_corpus(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let variable = "VOLVELLE_LOTOS_CORPUS";
    let folder = std::env::var_os(variable).map_or_else(|| root.join("../shared/corpus/lotos"), Into::into);
    if !folder.join("counts.tsv").exists() {
        return Ok(Outcome::Skipped(format!("{} is not there", folder.join("counts.tsv").display())));
    }
    let mut command = cargo(root);
    // As the step `test` has built it.
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    command.args(["test", "--locked", "--workspace", "--test", "it"]);
    command.args([
        "--",
        "--exact",
        "systems::lotos_corpus",
        "lotos_names::corpus_of_lotos",
        "completion::corpus",
        "keystrokes::corpus_keystrokes_of_lotos",
        "renaming::corpus_renamed_of_lotos",
    ]);
    counted(root, command.env(variable, folder), summary)
}

fn spin(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let mut command = cargo(root);
    checked::take_from(&mut command, &metadata::target_folder(root)?)?;
    command.args(["test", "--locked", "--workspace", "--test", "it", "spin::"]);
    counted(root, command.env("VOLVELLE_SPIN", "8..16"), summary)
}

fn fuzz_step(_: &Path, _: &mut Summary) -> Result<Outcome, String> {
    Ok(fuzz::run(&[])?.into())
}

fn shell(root: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(root).args(["-c", line]);
    command
}

/// The first command of README.md that starts like this: what the page promises is what CI runs.
fn readme_command(root: &Path, start: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(root.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    command_in(&text, start).ok_or_else(|| format!("README.md has no command that starts with `{start}`"))
}

/// The first line in a fenced block that starts like this, with or without a prompt; `\` at its end goes on.
fn command_in(text: &str, start: &str) -> Option<String> {
    let mut fenced = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let command = line.strip_prefix("$ ").unwrap_or(line);
        if fenced && command.starts_with(start) {
            let mut command = command.to_owned();
            while let Some(open) = command.strip_suffix('\\') {
                command = format!("{} {}", open.trim_end(), lines.next()?.trim());
            }
            return Some(command);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        Ok(choose(&arguments)?.expect("steps").iter().map(|s| s.name).collect())
    }

    #[test]
    fn choice_of_steps() {
        assert_eq!(names(&[]).unwrap().len(), STEPS.len());
        assert_eq!(names(&["test", "format"]).unwrap(), ["format", "test"]);
        assert_eq!(names(&["--skip", "test", "--skip", "fuzz"]).unwrap().len(), STEPS.len() - 2);
        assert!(names(&["nonsense"]).is_err());
        assert!(names(&["--skip"]).is_err());
        assert!(choose(&["--list".to_owned()]).unwrap().is_none());
    }

    /// Steps find their commands in the page: one that is lost there shall be noticed here, before CI runs.
    #[test]
    fn readme_has_the_commands_of_the_steps() {
        let root = tree::root();
        assert!(readme_command(&root, "cargo test").unwrap().contains("--workspace"));
        assert!(readme_command(&root, "cargo run").unwrap().contains("--release"));
    }

    #[test]
    fn commands_of_a_page() {
        let text =
            "cargo test in prose\n```console\n$ cargo run -- a \\\n    b\n\n$ cargo test --workspace\n```\n";
        assert_eq!(command_in(text, "cargo test").as_deref(), Some("cargo test --workspace"));
        assert_eq!(command_in(text, "cargo run").as_deref(), Some("cargo run -- a b"));
        assert_eq!(command_in(text, "cargo doc"), None);
    }
}
