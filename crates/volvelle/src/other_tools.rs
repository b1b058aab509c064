//! Switches of other tools: understood where one of ours means the same, else answered with what does it here.
//!
//! People type what their fingers know: `-const N=3`, `-pf 'P=? [ F "done" ]'`, `-a`. A switch with an exact counterpart is
//! rewritten before the command line is parsed; for any other the error names the way. Sources: the manual of PRISM, *Running
//! PRISM / Command-line options*; the manual pages of SPIN and pan; `storm --help`.

use crate::old_names;
use crate::questions::{QUESTIONS, left_out};
use crate::without_command;
use crate::words::{rewritten, with_joined_values};
use Ours::{Listed, Named, Told, Words};
use std::ffi::OsString;
use volvelle_console::output::say;
use volvelle_diagnostics::{Diagnostic, codes};

/// What stands in place of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    /// The same option under another name; its value follows.
    Named(&'static str),
    /// Like `Named`, but a list with commas becomes several options.
    Listed(&'static str),
    /// Words that mean the same.
    Words(&'static [&'static str]),
    /// No option: the error tells this.
    Told(&'static str),
}

/// Switches of a tool that mean the same.
struct Switch {
    tool: &'static str,
    /// The commands in which they are known.
    commands: &'static [&'static str],
    /// As they are typed; `#` at the end stands for digits.
    names: &'static [&'static str],
    ours: Ours,
}

const ALL: &[&str] = &["check", "simulate", "explore", "info", "trace", "step"];
const MODELS: &[&str] = &["check", "simulate", "explore", "info", "trace", "step", "lint"];
const CHECK: &[&str] = &["check"];
const RUN: &[&str] = &["simulate"];
const ASKING: &[&str] = &["check", "simulate", "trace", "step"];

const fn prism(commands: &'static [&'static str], names: &'static [&'static str], ours: Ours) -> Switch {
    Switch { tool: "PRISM", commands, names, ours }
}

const fn spin(commands: &'static [&'static str], names: &'static [&'static str], ours: Ours) -> Switch {
    Switch { tool: "SPIN", commands, names, ours }
}

const fn storm(commands: &'static [&'static str], names: &'static [&'static str], ours: Ours) -> Switch {
    Switch { tool: "Storm", commands, names, ours }
}

const EXPORTS: &str = "`volvelle explore MODEL --export FILE` writes PRISM files, selected by extension: .tra, .sta, .lab, .srew, \
                       .trew, .pexp, .dot";
const ENGINES: &str =
    "leave it out: the data structures and methods are chosen for each model; `--explain` reports which";
const SAMPLING: &str = "`volvelle simulate MODEL PROPERTIES` estimates the values from sampled paths: --samples, --width, --confidence, --method, \
                        --max-path-length";

/// The table. A switch in it is one that no option of ours begins with.
const SWITCHES: &[Switch] = &[
    prism(ALL, &["-const"], Named("--const")),
    prism(ASKING, &["-prop", "-property"], Listed("--prop")),
    prism(ASKING, &["-pf", "-pctl", "-csl"], Named("--prop")),
    prism(CHECK, &["-exact"], Words(&["--exact"])),
    prism(CHECK, &["-epsilon"], Named("--epsilon")),
    prism(CHECK, &["-maxiters"], Named("--max-iterations")),
    prism(CHECK, &["-absolute", "-abs"], Words(&["--absolute"])),
    prism(CHECK, &["-omega"], Named("--omega")),
    prism(CHECK, &["-power", "-pow"], Words(&["--method", "power"])),
    prism(CHECK, &["-jacobi", "-jac"], Words(&["--method", "jacobi"])),
    prism(CHECK, &["-gaussseidel", "-gs"], Words(&["--method", "gauss-seidel"])),
    prism(CHECK, &["-jor"], Words(&["--method", "jor"])),
    prism(CHECK, &["-sor"], Words(&["--method", "sor"])),
    prism(CHECK, &["-valiter"], Words(&["--method", "value-iteration"])),
    prism(CHECK, &["-politer"], Words(&["--method", "policy-iteration"])),
    prism(CHECK, &["-bisim"], Words(&["--bisimulation", "strong"])),
    prism(&["check", "explore"], &["-nofixdl"], Words(&["--no-fix-deadlocks"])),
    prism(&["check", "simulate", "explore"], &["-timeout"], Named("--timeout")),
    prism(CHECK, &["-transient", "-tr"], Named("--transient")),
    prism(CHECK, &["-steadystate", "-ss"], Words(&["--steady-state"])),
    prism(CHECK, &["-exportstrat", "-exportadv", "-exportadvmdp"], Named("--export-scheduler")),
    prism(
        &["check", "explore"],
        &[
            "-exporttrans",
            "-exportstates",
            "-exportlabels",
            "-exportmodel",
            "-exportstaterewards",
            "-exportrewards",
        ],
        Told(EXPORTS),
    ),
    prism(
        &["check", "explore"],
        &["-exporttransdot", "-exporttransdotstates", "-exporttransrewards", "-exportprism", "-exportmatlab"],
        Told(EXPORTS),
    ),
    prism(
        CHECK,
        &["-exportresults"],
        Told("`--csv FILE` writes a table of values and bounds, `--json` prints all answers"),
    ),
    prism(CHECK, &["-exporttarget", "-exportproplabels"], Told(EXPORTS)),
    prism(
        ALL,
        &["-mtbdd", "-m", "-sparse", "-s", "-hybrid", "-explicit", "-ex", "-ptamethod"],
        Told(ENGINES),
    ),
    prism(ALL, &["-ii", "-intervaliter", "-topological", "-cuddmaxmem", "-cuddepsilon"], Told(ENGINES)),
    prism(ALL, &["-javamaxmem", "-javastack"], Told("`--max-memory 4G` limits the memory")),
    prism(
        ALL,
        &["-fixdl"],
        Told("leave it out: states without transitions get a self-loop unless --no-fix-deadlocks is given"),
    ),
    prism(
        ALL,
        &["-relative", "-rel"],
        Told("leave it out: --precision and --epsilon are relative unless --absolute is given"),
    ),
    prism(
        CHECK,
        &[
            "-sim",
            "-simmethod",
            "-simsamples",
            "-simconf",
            "-simwidth",
            "-simapprox",
            "-simpathlen",
            "-simvar",
        ],
        Told(SAMPLING),
    ),
    prism(
        RUN,
        &[
            "-sim",
            "-simmethod",
            "-simsamples",
            "-simconf",
            "-simwidth",
            "-simapprox",
            "-simpathlen",
            "-simvar",
        ],
        Told(SAMPLING),
    ),
    prism(
        ALL,
        &["-simpath"],
        Told("`volvelle trace MODEL --steps 100` shows a path; `--csv FILE` writes it as a table"),
    ),
    prism(
        CHECK,
        &["-importmodel", "-importtrans", "-importprism"],
        Told(
            "give the file itself as the model: volvelle check model.tra; .sta, .lab and .srew files next to it are read as well",
        ),
    ),
    prism(ALL, &["-dtmc"], Words(&["--as", "dtmc"])),
    prism(ALL, &["-ctmc"], Words(&["--as", "ctmc"])),
    prism(ALL, &["-mdp"], Words(&["--as", "mdp"])),
    prism(ALL, &["-noprobchecks", "-noprobcheck"], Words(&["--no-probability-check"])),
    prism(CHECK, &["-importinitdist", "-pta", "-param"], Told("this analysis is not available")),
    storm(
        ALL,
        &["--prism", "--explicit", "--explicit-drn", "-drn", "-tra"],
        Told("give the file itself as the model: volvelle check FILE; its extension selects the language"),
    ),
    storm(ASKING, &["--constants"], Named("--const")),
    storm(CHECK, &["--sound", "--topological", "--eqsolver", "--minmax:method", "--engine"], Told(ENGINES)),
    storm(CHECK, &["--exportscheduler"], Named("--export-scheduler")),
    storm(
        &["check", "explore"],
        &["--exportbuild", "--exportexplicit"],
        Told("`volvelle explore MODEL --export model.drn` writes it"),
    ),
    storm(CHECK, &["--buildfull"], Words(&["--full-space"])),
    storm(
        ALL,
        &["--jani", "--janiproperty"],
        Told("JANI is not supported yet; convert the model to UMB or DRN with the tool that wrote it"),
    ),
    spin(
        CHECK,
        &["-a"],
        Told("leave it out: all claims and accept-state labels of the model are checked by default"),
    ),
    spin(CHECK, &["-l"], Told("`--progress` searches for runs without progress (non-progress cycles)")),
    spin(CHECK, &["-f"], Told("`--fair` considers only weakly fair runs")),
    spin(CHECK, &["-e"], Told("`--all-errors` continues after errors")),
    spin(
        CHECK,
        &["-i", "-I", "-bfs"],
        Told("leave it out: assertions and end states are searched breadth first"),
    ),
    spin(CHECK, &["-m#"], Told("`--max-depth N` limits the depth; by default there is no limit")),
    spin(
        CHECK,
        &["-w#", "-A", "-E", "-n", "-b"],
        Told("leave it out: `volvelle check --help` lists the options of a search"),
    ),
    spin(RUN, &["-n#"], Told("`--seed N` selects another random run")),
    spin(RUN, &["-u#"], Told("`--steps N` ends the run after N steps")),
    spin(CHECK, &["-N"], Told("`--prop NAME` checks a claim of the model by its name")),
    spin(CHECK, &["-search", "-run"], Told("leave it out: `volvelle check MODEL` does everything")),
    spin(RUN, &["-t"], Told("`--trail FILE` replays a trail, including one written by SPIN")),
    spin(RUN, &["-k"], Named("--trail")),
    spin(
        RUN,
        &["-g", "-l", "-r", "-s"],
        Told("leave it out: statements, messages and changes of variables are shown"),
    ),
    spin(
        MODELS,
        &["-o1", "-o2", "-o3"],
        Told("`--no-reduction` keeps dead variables and unmerged statements"),
    ),
];

/// The words of a command line with the switches of other tools replaced; or what is to be said about them.
fn translated(words: Vec<OsString>) -> Result<Vec<OsString>, Vec<Diagnostic>> {
    let mut told = Vec::new();
    let words = rewritten(words, |command, text, following| {
        // `-timeout=5` and `-timeout 5`
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let switch = find(command, name)?;
        Some(match switch.ours {
            Named(ours) => std::iter::once(ours.into()).chain(value.map(OsString::from)).collect(),
            Listed(ours) => {
                let value = value.map(OsString::from).or_else(|| following.next());
                let parts = parts(value.as_ref().and_then(|value| value.to_str()).unwrap_or_default());
                parts.into_iter().flat_map(|part| [ours.into(), part.into()]).collect()
            }
            Words(ours) => ours.iter().map(OsString::from).collect(),
            Told(help) => {
                let message = format!("`{name}` is an option of {}", switch.tool);
                told.push(Diagnostic::error(codes::BAD_USAGE, message).help(help));
                Vec::new()
            }
        })
    });
    if told.is_empty() { Ok(words) } else { Err(told) }
}

fn find(command: &str, name: &str) -> Option<&'static Switch> {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_written = |known: &&str| match known.strip_suffix('#') {
        Some(known) => known == digits && digits != name,
        None => *known == name,
    };
    let fits = |switch: &&Switch| switch.commands.contains(&command) && switch.names.iter().any(is_written);
    SWITCHES.iter().find(fits)
}

/// `1,3` selects two properties; a text with other commas is one.
fn parts(value: &str) -> Vec<String> {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let parts: Vec<&str> = value.split(',').map(str::trim).collect();
    if parts.iter().all(|part| is_name(part)) {
        parts.into_iter().map(str::to_owned).collect()
    } else {
        vec![value.to_owned()]
    }
}

/// Whether another tool has this switch, for a command, or for any.
fn is_switch(command: Option<&str>, name: &str) -> bool {
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let is_asked = |question: &str| command.is_none_or(|command| command == question);
    QUESTIONS.iter().any(|question| is_asked(question.name) && find(question.name, name).is_some())
}

/// The words of a command line as ours: switches of other tools are translated, and values are joined with their options.
///
/// # Errors
/// A switch that nothing of ours has the meaning of, or a command that this program was built without.
pub fn understood(words: Vec<OsString>) -> Result<Vec<OsString>, Vec<Diagnostic>> {
    if let Some(missing) = words.get(1).and_then(|word| word.to_str()).and_then(left_out) {
        return Err(vec![missing]);
    }
    let words = without_command::completed(words, is_switch);
    let moved = old_names::moved(&words);
    if !moved.is_empty() {
        return Err(moved);
    }
    let (words, notes) = old_names::replaced(with_joined_values(translated(words)?));
    notes.iter().for_each(|note| say(note));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions;

    fn run(line: &str) -> Result<String, Vec<Diagnostic>> {
        let words = line.split_whitespace().map(OsString::from).collect();
        translated(words).map(|words| {
            let words: Vec<String> = words.into_iter().filter_map(|word| word.into_string().ok()).collect();
            words.join(" ")
        })
    }

    #[test]
    fn switches_are_rewritten() {
        assert_eq!(run("v check m.prism -const N=3 -pf P").unwrap(), "v check m.prism --const N=3 --prop P");
        assert_eq!(run("v check m.prism -prop 1,3").unwrap(), "v check m.prism --prop 1 --prop 3");
        assert_eq!(run("v check m.prism -gs").unwrap(), "v check m.prism --method gauss-seidel");
        assert_eq!(run("v check m -tr 2.5 -ss").unwrap(), "v check m --transient 2.5 --steady-state");
        assert_eq!(run("v check m -timeout=5").unwrap(), "v check m --timeout 5");
        // Behind `--` and in other commands they are no switches.
        for same in ["v check m -- -const", "v devices -const", "v", "v check m --const N=3 -cN=3 -p 1"] {
            assert_eq!(run(same).unwrap(), same);
        }
    }

    #[test]
    fn other_switches_are_answered() {
        for line in
            ["v check m -exporttrans f", "v check m -sparse -ii", "v check m.pml -a", "v simulate m.pml -t"]
        {
            let told = run(line).unwrap_err();
            assert!(told.iter().all(|d| !d.helps.is_empty()), "{line}");
        }
    }

    /// What is rewritten to an option must be an option of each of the commands, and no switch may hide one of ours.
    #[test]
    fn the_table_fits_the_command_line() {
        let cli = questions::command();
        for switch in SWITCHES {
            for command in switch.commands {
                let command = cli.find_subcommand(command).unwrap_or_else(|| panic!("no command {command}"));
                let takes = |option: &str| {
                    let long = option.strip_prefix("--").unwrap_or_else(|| panic!("{option}"));
                    command.get_arguments().any(|argument| argument.get_long() == Some(long))
                };
                match switch.ours {
                    Named(option) | Listed(option) => {
                        assert!(takes(option), "{option} {}", command.get_name())
                    }
                    Words(words) => assert!(takes(words[0]), "{} {}", words[0], command.get_name()),
                    Told(_) => {}
                }
                for name in switch.names {
                    let hidden = command.get_arguments().any(|argument| match name.strip_prefix("--") {
                        Some(long) => argument.get_long() == Some(long),
                        None => name.len() == 2 && argument.get_short() == name.chars().nth(1),
                    });
                    assert!(!hidden, "{name} is an option of {}", command.get_name());
                }
            }
        }
    }
}
