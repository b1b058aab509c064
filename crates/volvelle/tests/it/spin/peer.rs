//! SPIN as a peer: a model to its counts.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Fails,
}

/// What both checkers count. Transitions are those from one state to another: SPIN's count has one more, the way to the
/// initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub verdict: Verdict,
    /// Whether everything was counted: SPIN's verifier stops where a `d_step` blocks.
    pub is_whole: bool,
}

impl Counts {
    /// Whether these are SPIN's counts. Where a process goes on alone SPIN walks every way, states that it met on
    /// another one included: then it may count more transitions. With priorities or `provided`, or where a rendezvous hands
    /// control over, a process may be stopped there before a step that only leads out of an `if`, which is none here: then it
    /// may count more states.
    pub fn agree(&self, theirs: &Counts, has_atomic: bool, may_stop: bool) -> bool {
        if !theirs.is_whole {
            return self.verdict == theirs.verdict;
        }
        let more = has_atomic && theirs.transitions > self.transitions;
        if more && may_stop && theirs.states > self.states {
            return self.verdict == theirs.verdict;
        }
        self.states == theirs.states
            && self.verdict == theirs.verdict
            && (self.transitions == theirs.transitions || more)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Holds => "ok",
            Verdict::Fails => "error",
        };
        write!(f, "states {} transitions {} verdict {verdict}", self.states, self.transitions)
    }
}

/// Why there are no counts.
#[derive(Clone, Debug)]
pub enum Failure {
    /// SPIN, or the C compiler on what SPIN wrote, does not take the program.
    #[allow(dead_code)] // shown by Debug
    Refused(String),
    /// A limit of time, memory or depth was reached.
    Limit,
    /// The search ended in some other way.
    #[allow(dead_code)] // shown by Debug
    Odd(String),
}

/// For one search: programs whose states take longer are too large, and some make the verifier go round for ever.
const PATIENCE: Duration = Duration::from_secs(5);

/// SPIN and a C compiler.
pub struct Peer {
    compiler: Vec<String>,
}

impl Peer {
    /// Looks for both programs.
    pub fn find() -> Option<Peer> {
        let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".into());
        let compiler: Vec<String> = compiler.split_whitespace().map(str::to_owned).collect();
        let answers = |program: &str, option: &str| {
            Command::new(program).arg(option).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        };
        (answers("spin", "-V") && answers(compiler.first()?, "-v")).then_some(Peer { compiler })
    }

    /// Compiles the verifier that is there, with these options; whether the compiler takes it.
    pub fn compile(&self, folder: &Path, options: &[&str]) -> bool {
        let compiled = Command::new(&self.compiler[0])
            .args(&self.compiler[1..])
            .current_dir(folder)
            .args(["-w", "-O0", "-DMEMLIM=600", "-o", "pan", "pan.c"])
            .args(options)
            .output();
        compiled.expect("the compiler runs").status.success()
    }

    /// Searches all states, without reductions, for all errors; with further options of the C compiler.
    pub fn check(&self, folder: &Path, file: &Path, options: &[&str]) -> Result<Counts, Failure> {
        let translated = Command::new("spin")
            .current_dir(folder)
            .args(["-o1", "-o2", "-o3", "-a"])
            .arg(file)
            .output()
            .expect("SPIN runs");
        let said = String::from_utf8_lossy(&translated.stdout).into_owned();
        // An `unless` on a guard is reported like an error, and taken.
        if !translated.status.success() || said.contains("Error:") {
            return Err(Failure::Refused(said));
        }
        let compiled = Command::new(&self.compiler[0])
            .args(&self.compiler[1..])
            .current_dir(folder)
            .args(["-w", "-O0", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-DMEMLIM=600", "-o", "pan", "pan.c"])
            .args(options)
            .output()
            .expect("the compiler runs");
        if !compiled.status.success() {
            return Err(Failure::Refused(String::from_utf8_lossy(&compiled.stderr).into_owned()));
        }
        counted(&search(folder, &["-n", "-c0"])?)
    }

    /// Searches for a run that violates a claim, or for a cycle: with options of the C compiler, and with those of the verifier
    /// for each search of several.
    pub fn cycles(
        &self,
        folder: &Path,
        file: &Path,
        options: &[&str],
        searches: &[&[&str]],
    ) -> Result<Vec<Result<Verdict, Failure>>, Failure> {
        let _ = std::fs::remove_file(folder.join("pan.c"));
        let translated =
            Command::new("timeout").current_dir(folder).args(["20", "spin", "-a"]).arg(file).output();
        let said = String::from_utf8_lossy(&translated.expect("SPIN runs").stdout).into_owned();
        if said.contains("Error:") || !folder.join("pan.c").exists() {
            return Err(Failure::Refused(said));
        }
        if !self.compile(folder, &[options, &["-DNOREDUCE"]].concat()) {
            return Err(Failure::Refused("the compiler refuses it".into()));
        }
        Ok(searches.iter().map(|options| found(&search(folder, options)?, options)).collect())
    }
}

/// The verdict of a search for one error.
fn found(text: &str, options: &[&str]) -> Result<Verdict, Failure> {
    let known = [
        "acceptance cycle",
        "non-progress cycle",
        "claim violated",
        "end state in claim",
        "assertion violated",
    ];
    match text.lines().find_map(|line| line.strip_prefix("pan:1: ")) {
        Some(error) if known.iter().any(|known| error.starts_with(known)) => Ok(Verdict::Fails),
        Some(error)
            if error.starts_with("invalid end state")
                && !options.iter().any(|o| ["-a", "-l"].contains(o)) =>
        {
            Ok(Verdict::Fails)
        }
        // A `d_step` that blocks ends the search.
        Some(_) => Err(Failure::Limit),
        None if text.contains("errors: 0") => Ok(Verdict::Holds),
        None => Err(Failure::Odd(text.chars().take(400).collect())),
    }
}

/// The report of the verifier with these options.
fn search(folder: &Path, options: &[&str]) -> Result<String, Failure> {
    // The report is short, but a model may print: to a file, so that no pipe fills up.
    let report = folder.join("report.txt");
    let out = std::fs::File::create(&report).expect("the report can be written");
    let mut child = Command::new(folder.join("pan"))
        .current_dir(folder)
        .args(["-m100000", "-w18"])
        .args(options)
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .expect("the verifier runs");
    let start = Instant::now();
    while child.try_wait().expect("the verifier is there").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::Limit);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let text = String::from_utf8_lossy(&std::fs::read(&report).unwrap_or_default()).into_owned();
    if text.contains("max search depth too small") || text.contains("memory limit") {
        return Err(Failure::Limit);
    }
    // The verifier looks for loops without conditions, and for two `else`, only when it starts.
    if text.contains("error: proctype") {
        return Err(Failure::Refused(text));
    }
    Ok(text)
}

fn counted(text: &str) -> Result<Counts, Failure> {
    let number = |what: &str| {
        let line = text.lines().find(|line| line.contains(what))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let errors = text.lines().find_map(|l| l.split_once("errors: ")?.1.trim().parse::<u64>().ok());
    match (number("states, stored"), number("transitions (="), errors) {
        (Some(states), Some(transitions), Some(errors)) => {
            let verdict = if errors == 0 { Verdict::Holds } else { Verdict::Fails };
            let is_whole = !text.contains("Search not completed");
            Ok(Counts { states, transitions: transitions - 1, verdict, is_whole })
        }
        _ => Err(Failure::Odd(text.chars().take(400).collect())),
    }
}
