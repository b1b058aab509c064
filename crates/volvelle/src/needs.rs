//! Options that act only beside others, and values that cannot be read.
//!
//! The parser of the command line knows words. What is here is known before any file is read, for every command: an option without
//! effect is refused with the way to give it one ([`NEEDS`]), and a value that cannot be read is refused wherever the option is
//! accepted, whether or not the command would have come to read it ([`VALUES`]). [`crate::applicable`] has what depends on the model.

use crate::amounts;
use crate::applicable::GivenOptions;
use volvelle_diagnostics::{Diagnostic, codes};

/// Options that act under a condition on the others.
struct Need {
    /// The commands; all that have the options if empty.
    commands: &'static [&'static str],
    /// Names in [`crate::args`], and what a user writes.
    options: &'static [(&'static str, &'static str)],
    /// The condition.
    acts: fn(&GivenOptions) -> bool,
    /// Why they do nothing without it.
    why: &'static str,
    /// What gives them an effect.
    help: &'static str,
}

/// Methods that stop when two iterates are close.
const CLASSICAL: &[&str] =
    &["value-iteration", "power", "jacobi", "jor", "gauss-seidel", "sor", "policy-iteration"];

/// Whether values are computed that have no bounds.
fn stops_early(given: &GivenOptions) -> bool {
    given.value("method").is_some_and(|method| CLASSICAL.contains(&method))
        || given.value("steady_state_detection") == Some("prism")
}

/// Whether nothing is computed by a numerical method; [`crate::applicable`] says what applies then.
fn is_of_other_engine(given: &GivenOptions) -> bool {
    ["mcl", "wctl", "ltl", "safety"].iter().any(|name| given.has(name))
}

fn is_distribution(given: &GivenOptions) -> bool {
    given.has("transient") || given.has("steady_state")
}

fn is_test(given: &GivenOptions) -> bool {
    match given.value("method") {
        Some("sprt" | "bayes") => true,
        Some("auto") | None => given.has("indifference"),
        Some(_) => false,
    }
}

fn has_interval(given: &GivenOptions) -> bool {
    !matches!(given.value("method"), Some("sprt" | "bayes"))
}

const NEEDS: &[Need] = &[
    Need {
        commands: &["check"],
        options: &[
            ("such_that", "--such-that"),
            ("greatest", "--greatest"),
            ("every_value", "--every-value"),
        ],
        acts: |given| given.has("find"),
        why: "it is about a value that is sought",
        help: "name the constant, and leave --prop out: --find N=1:1000",
    },
    Need {
        commands: &["check"],
        options: &[
            ("verify_time", "--verify-time"),
            ("verify_samples", "--verify-samples"),
            ("verify_width", "--verify-width"),
            ("verify_repair", "--verify-repair"),
            ("verify_seed", "--verify-seed"),
        ],
        acts: |given| match given.value("verify") {
            Some("never") => false,
            Some("early-stop") | None => stops_early(given),
            Some(_) => true,
        },
        why: "no value is verified with simulated paths: their methods have bounds, or --verify never says so",
        help: "request it: --verify always",
    },
    Need {
        commands: &["check"],
        options: &[("epsilon", "--epsilon")],
        acts: |given| stops_early(given) || is_of_other_engine(given),
        why: "methods with bounds stop when their interval is narrow",
        help: "give its width: --precision 1e-9; or choose a classical method: --method gauss-seidel",
    },
    Need {
        commands: &["check"],
        options: &[
            ("strict_precision", "--strict-precision"),
            ("max_iterations", "--max-iterations"),
            ("steady_state_detection", "--steady-state-detection"),
            ("bisimulation", "--bisimulation"),
            ("verify", "--verify"),
        ],
        acts: |given| !given.has("exact"),
        why: "exact fractions come from elimination, without iterations and without rounding",
        help: "leave it out, or --exact",
    },
    Need {
        commands: &["check"],
        options: &[
            ("verify", "--verify"),
            ("bisimulation", "--bisimulation"),
            ("full_space", "--full-space"),
            ("reduce", "--reduce"),
            ("symmetry", "--symmetry"),
        ],
        acts: |given| !is_distribution(given),
        why: "a distribution is that over all states, each for itself, and has bounds",
        help: "leave it out",
    },
    Need {
        commands: &["mpi"],
        options: &[("html", "--html")],
        acts: |given| !given.has("emit"),
        why: "--emit prints a model, and answers nothing",
        help: "leave one of them out",
    },
    Need {
        commands: &["tune"],
        options: &[("seed", "--seed")],
        acts: |given| given.has("measure") || given.value("method") == Some("swarm"),
        why: "nothing is random: the search ends with a proof, or kernels are predicted",
        help: "search by random runs: --method swarm; or measure a kernel: --measure",
    },
    Need {
        commands: &["simulate"],
        options: &[("alpha", "--alpha"), ("beta", "--beta")],
        acts: is_test,
        why: "it belongs to tests of properties with a bound",
        help: "request a test of P>=0.9 [ ... ]: --indifference 0.01, or --method bayes; intervals have --confidence 0.99",
    },
    Need {
        commands: &["simulate"],
        options: &[("beta", "--beta"), ("indifference", "--indifference")],
        acts: |given| matches!(given.value("method"), None | Some("auto" | "sprt")),
        why: "it belongs to the sequential probability ratio test",
        help: "choose that test: --method sprt",
    },
    Need {
        commands: &["simulate"],
        options: &[("confidence", "--confidence"), ("width", "--width"), ("relative", "--relative")],
        acts: has_interval,
        why: "a test gives no interval",
        help: "its errors are --alpha and --beta; for an interval choose --method ci",
    },
    Need {
        commands: &["simulate"],
        options: &[
            ("samples", "--samples"),
            ("confidence", "--confidence"),
            ("width", "--width"),
            ("relative", "--relative"),
            ("alpha", "--alpha"),
            ("beta", "--beta"),
            ("indifference", "--indifference"),
            ("method", "--method"),
            ("rare", "--rare"),
            ("tier", "--tier"),
            ("csv", "--csv"),
            ("plot", "--plot"),
            ("html", "--html"),
            ("explain", "--explain"),
            ("shard", "--shard"),
            ("checkpoint", "--checkpoint"),
            ("json", "--json"),
        ],
        acts: |given| !given.has("emit"),
        why: "--emit prints code, and runs no path",
        help: "leave one of them out",
    },
    Need {
        commands: &["simulate"],
        options: &[("rng", "--rng"), ("tier", "--tier"), ("device", "--device")],
        acts: |given| !given.has("rare"),
        why: "importance splitting has one way to run paths",
        help: "leave it out",
    },
    Need {
        commands: &["distance"],
        options: &[("file", "--output")],
        acts: |given| given.has("within"),
        why: "groups of states are written, and the distance between two states has none",
        help: "group the states of one model: volvelle distance MODEL --within 5% --output groups.dot",
    },
    Need {
        commands: &["distance"],
        options: &[("tolerance", "--tolerance")],
        acts: |given| given.has("minimise"),
        why: "it is the accuracy of the least distance",
        help: "ask for that: --minimise",
    },
    Need {
        commands: &["nbody"],
        options: &[("plane", "--plane"), ("half_width", "--half-width")],
        acts: |given| ["plot", "movie", "html"].iter().any(|picture| given.has(picture)),
        why: "it is about pictures of the bodies, and none is drawn",
        help: "draw one: --plot end.png, or --movie FOLDER",
    },
    Need {
        commands: &["check", "simulate", "merge"],
        options: &[("log_axes", "--log-axes")],
        acts: |given| given.has("plot"),
        why: "it is about charts, and none is drawn",
        help: "draw one: --plot values.svg",
    },
];

/// Reads a value, and says what is wrong with it.
type Read = fn(&str) -> Result<(), Diagnostic>;

fn count(value: &str, what: &str, example: &str) -> Result<(), Diagnostic> {
    amounts::count(value, what, example).map(|_| ())
}

/// What values are, by the names of options in [`crate::args`] and the commands that have them; all if there are none.
const VALUES: &[(&[&str], &str, Read)] = &[
    (&[], "precision", |value| amounts::precision(value, "--precision 1e-6").map(|_| ())),
    (&["check"], "epsilon", |value| amounts::precision(value, "--epsilon 1e-6").map(|_| ())),
    (&[], "omega", |value| amounts::relaxation(value).map(|_| ())),
    (&[], "max_iterations", |value| count(value, "a number of iterations", "--max-iterations 1e6")),
    (&[], "verify_time", |value| amounts::time(value, "--verify-time 1.5").map(|_| ())),
    (&[], "verify_samples", |value| count(value, "a number of paths", "--verify-samples 1e5")),
    (&[], "verify_width", |value| amounts::width(value, "--verify-width 1e-2").map(|_| ())),
    (&[], "confidence", |value| amounts::probability(value, "--confidence").map(|_| ())),
    (&[], "alpha", |value| amounts::probability(value, "--alpha").map(|_| ())),
    (&[], "beta", |value| amounts::probability(value, "--beta").map(|_| ())),
    (&[], "indifference", |value| amounts::probability(value, "--indifference").map(|_| ())),
    (&["simulate"], "width", |value| amounts::width(value, "--width 1e-3").map(|_| ())),
    (&[], "samples", |value| count(value, "a number of paths", "--samples 1e6")),
    (&[], "max_path_length", |value| count(value, "a number of steps", "--max-path-length 1e6")),
    (&[], "steps", |value| count(value, "a number of steps", "--steps 500")),
    (&["check"], "max_depth", |value| count(value, "a depth", "--max-depth 1e6")),
    (&[], "timeout", |value| amounts::time(value, "--timeout 10").map(|_| ())),
    (&[], "max_memory", |value| amounts::memory(value).map(|_| ())),
    (&[], "max_states", |value| count(value, "a number of states", "--max-states 1e7")),
    (&[], "threads", |value| count(value, "a number of threads", "--threads 2")),
];

/// What is wrong with options whatever the model is.
pub fn refusals(given: &GivenOptions) -> Vec<Diagnostic> {
    let is_of = |commands: &[&str]| commands.is_empty() || commands.contains(&given.command());
    let values = VALUES.iter().filter(|(commands, ..)| is_of(commands));
    let (mut diagnostics, mut told): (Vec<Diagnostic>, Vec<&str>) = Default::default();
    for (_, name, read) in values {
        if let Some(Err(diagnostic)) = given.value(name).map(read) {
            diagnostics.push(diagnostic);
            told.push(name);
        }
    }
    for need in NEEDS.iter().filter(|need| is_of(need.commands) && !(need.acts)(given)) {
        for (name, option) in need.options {
            if given.has(name) && !told.contains(name) {
                told.push(name);
                let message = format!("{option} has no effect here");
                diagnostics.push(Diagnostic::error(codes::BAD_USAGE, message).note(need.why).help(need.help));
            }
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::{NEEDS, VALUES};
    use crate::args::Cli;
    use clap::CommandFactory;

    /// The commands that have an option.
    fn commands_with(name: &str) -> Vec<String> {
        let cli = Cli::command();
        let has =
            |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_id() == name);
        cli.get_subcommands().filter(has).map(|command| command.get_name().to_owned()).collect()
    }

    #[test]
    fn tables_name_options_of_the_command_line() {
        for need in NEEDS {
            for (name, _) in need.options {
                let known = commands_with(name);
                for command in need.commands {
                    assert!(known.iter().any(|known| known == command), "`{command}` has no option `{name}`");
                }
            }
        }
        for (commands, name, _) in VALUES {
            let known = commands_with(name);
            assert!(!known.is_empty(), "no command has the option `{name}`");
            assert!(commands.iter().all(|command| known.iter().any(|known| known == command)), "{name}");
        }
    }
}
