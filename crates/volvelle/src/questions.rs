//! The table of questions: the only list of commands.

use crate::args::{Completions, Demo, Explain, Info, ListDevices, Man};
use crate::families::{CHECK, EXPLORE, SIMULATE, STEP};
#[cfg(any(feature = "systems", feature = "weights"))]
use crate::families::{COMPARE, REDUCE};
use clap::Command;
use volvelle_console::question::Question;
#[cfg(feature = "debug-adapter")]
use volvelle_debug_adapter::options::DebugAdapter;
use volvelle_diagnostics::{Diagnostic, codes};
#[cfg(feature = "lsp")]
use volvelle_lsp::options::LanguageServer;
use volvelle_numbers::options::Merge;
#[cfg(feature = "particles")]
use volvelle_particles::options::MoveBodies;
use volvelle_paths::options::Trace;
#[cfg(feature = "pipelines")]
use volvelle_pipelines::options::RunPipeline;
#[cfg(feature = "processors")]
use volvelle_processors::options::SimulateMulticore;
#[cfg(feature = "rates")]
use volvelle_rates::options::{SteadyState, TransientBehaviour};
use volvelle_searches::options::Lint;
#[cfg(feature = "studies")]
use volvelle_studies::options::AnalyseMpi;
#[cfg(feature = "tuning")]
use volvelle_tuning::options::{BenchKernels, Calibrate, Tune};
#[cfg(feature = "typings")]
use volvelle_typings::options::{AskN4js, AskRules};
#[cfg(feature = "weights")]
use volvelle_weights::options::Distance;

/// The questions, in the order in which help lists them.
pub const QUESTIONS: &[Question] = &[
    Question::family(&CHECK),
    Question::of::<Info>(),
    Question::family(&EXPLORE),
    #[cfg(any(feature = "systems", feature = "weights"))]
    Question::family(&REDUCE),
    #[cfg(any(feature = "systems", feature = "weights"))]
    Question::family(&COMPARE),
    #[cfg(feature = "weights")]
    Question::of::<Distance>(),
    Question::family(&SIMULATE),
    Question::of::<Merge>(),
    Question::of::<Trace>(),
    Question::family(&STEP),
    #[cfg(feature = "tuning")]
    Question::of::<Tune>(),
    #[cfg(feature = "rates")]
    Question::of::<SteadyState>(),
    #[cfg(feature = "rates")]
    Question::of::<TransientBehaviour>(),
    #[cfg(feature = "pipelines")]
    Question::of::<RunPipeline>(),
    #[cfg(feature = "studies")]
    Question::of::<AnalyseMpi>(),
    #[cfg(feature = "processors")]
    Question::of::<SimulateMulticore>(),
    #[cfg(feature = "particles")]
    Question::of::<MoveBodies>(),
    Question::of::<Lint>(),
    #[cfg(feature = "typings")]
    Question::of::<AskRules>(),
    #[cfg(feature = "typings")]
    Question::of::<AskN4js>(),
    Question::of::<ListDevices>(),
    #[cfg(feature = "tuning")]
    Question::of::<Calibrate>(),
    #[cfg(feature = "tuning")]
    Question::of::<BenchKernels>(),
    Question::of::<Demo>(),
    Question::of::<Explain>(),
    #[cfg(feature = "debug-adapter")]
    Question::of::<DebugAdapter>(),
    #[cfg(feature = "lsp")]
    Question::of::<LanguageServer>(),
    Question::of::<Completions>(),
    Question::of::<Man>(),
];

/// Commands of wings that a program may be built without, with the feature that has each.
const WINGS: &[(&str, &str)] = &[
    ("reduce", "systems"),
    ("compare", "systems"),
    ("distance", "weights"),
    ("tune", "tuning"),
    ("calibrate", "tuning"),
    ("steady", "rates"),
    ("transient", "rates"),
    ("run", "pipelines"),
    ("mpi", "studies"),
    ("multicore", "processors"),
    ("nbody", "particles"),
    ("rules", "typings"),
    ("n4js", "typings"),
    ("debug", "debug-adapter"),
    ("lsp", "lsp"),
];

/// What is said of a command that this program was built without.
pub fn left_out(command: &str) -> Option<Diagnostic> {
    let is_there = QUESTIONS.iter().any(|question| question.name == command);
    let (_, feature) = WINGS.iter().find(|(name, _)| *name == command).filter(|_| !is_there)?;
    let message = format!("this program was built without `{command}`");
    let help = format!(
        "build it with the feature `{feature}`: cargo build --release -p volvelle --features {feature}"
    );
    Some(Diagnostic::error(codes::BAD_USAGE, message).help(help))
}

/// The commands in the order of the first page of help: what people come with, and the commands for it.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Models in PRISM, Promela, LOTOS, and by their states",
        &["info", "check", "simulate", "explore", "step", "trace", "lint"],
    ),
    (
        "Systems with labels, weights, and rates",
        &["reduce", "compare", "distance", "steady", "transient", "run"],
    ),
    (
        "Kernels, programs, bodies, and type systems",
        &["tune", "mpi", "multicore", "nbody", "rules", "n4js", "devices", "calibrate"],
    ),
    ("This program", &["demo", "merge", "explain", "debug", "lsp", "completions", "man"]),
];

/// The first page of help: one screen.
pub fn overview() -> String {
    let title = |text: &str| format!("\u{1b}[1;4m{text}\u{1b}[0m\n");
    let line = |name: &str, about: &str| format!("  \u{1b}[1m{name:<12}\u{1b}[0m {about}\n");
    let mut text = String::from(ABOUT) + "\n\n";
    text += &title("Usage:");
    text += &line("volvelle FILE", "              what it is, and what can be asked of it: commands to copy");
    text += &line("volvelle COMMAND FILE", "      one of these; `volvelle help COMMAND` has its options");
    for (what, names) in GROUPS {
        let commands: Vec<String> = QUESTIONS
            .iter()
            .filter(|question| names.contains(&question.name))
            .map(|question| {
                let about = question.command().get_about().map(ToString::to_string);
                line(question.name, &about.unwrap_or_default())
            })
            .collect();
        if !commands.is_empty() {
            text += &(String::from("\n") + &title(what) + &commands.concat());
        }
    }
    text + EXAMPLES
}

const ABOUT: &str =
    "Model checker and simulator for stochastic and concurrent systems: answers with their guarantee.";

const EXAMPLES: &str = "\
Exit codes: 0 computed, no property is false; 1 one is; 2 bad usage or input; 3 a limit was reached.
";

/// The command line, without its commands.
pub fn root() -> Command {
    Command::new("volvelle")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT.trim_end_matches('.'))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// The command line, with all commands.
#[cfg(test)]
pub fn command() -> Command {
    root().subcommands(QUESTIONS.iter().map(Question::command))
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, QUESTIONS, Question, WINGS, command, left_out, overview};
    use std::any::TypeId;
    use std::path::PathBuf;
    use volvelle_console::question::FILES;
    use volvelle_console::values::VALUES;

    /// The question of a command.
    fn named(command: &str) -> Option<&'static Question> {
        QUESTIONS.iter().find(|question| question.name == command)
    }

    /// The commands that have an option.
    fn commands_with(option: &str) -> Vec<String> {
        let cli = command();
        let has =
            |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_id() == option);
        cli.get_subcommands().filter(has).map(|command| command.get_name().to_owned()).collect()
    }

    /// The commands with their options and arguments that take paths.
    fn paths() -> Vec<(String, String)> {
        let cli = command();
        let of = |command: &clap::Command| {
            let name = command.get_name().to_owned();
            let is_path = |argument: &&clap::Arg| {
                let kind = argument.get_value_parser().type_id();
                argument.get_action().takes_values() && kind == TypeId::of::<PathBuf>()
            };
            let paths = command.get_arguments().filter(is_path);
            paths.map(|argument| (name.clone(), argument.get_id().to_string())).collect::<Vec<_>>()
        };
        cli.get_subcommands().flat_map(of).collect()
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
        let mut names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), QUESTIONS.len());
    }

    /// Every command that people give is on the first page of help, once, in a line that fits; and the page is a screen.
    #[test]
    fn the_first_page_has_every_command() {
        let cli = command();
        let shown: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        for command in cli.get_subcommands() {
            let times = shown.iter().filter(|name| **name == command.get_name()).count();
            assert_eq!(times, usize::from(!command.is_hide_set()), "{}", command.get_name());
        }
        assert!(shown.iter().all(|name| named(name).is_some()), "{shown:?}");
        let styled = overview();
        let unstyled = |part: &str| part.split_once('m').map_or(String::new(), |(_, text)| text.to_owned());
        let mut parts = styled.split('\u{1b}');
        let page = parts.next().unwrap_or_default().to_owned() + &parts.map(unstyled).collect::<String>();
        assert!(page.lines().count() <= 42, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    }

    /// A program without a wing knows the names of its commands, so that it can say what is missing.
    #[test]
    fn commands_of_wings_are_known() {
        for (name, feature) in WINGS {
            let is_wing = ["reduce", "compare"].contains(name) || named(name).is_some();
            assert!(is_wing && left_out(name).is_none(), "{name}: {feature}");
        }
        assert!(left_out("check").is_none());
    }

    #[test]
    fn every_option_that_takes_a_path_has_a_known_use() {
        let paths = paths();
        assert!(paths.len() > 60, "{paths:?}");
        for (command, option) in &paths {
            let question = named(command).expect("a command is a question");
            assert!(
                question.use_of(option).is_some(),
                "what does `{command}` do with the file of `{option}`?"
            );
        }
    }

    #[test]
    fn every_use_is_of_an_option() {
        let paths = paths();
        for (name, _) in FILES {
            assert!(paths.iter().any(|(_, option)| option == name), "no command has `{name}`");
        }
        for question in QUESTIONS {
            for (name, _) in question.files() {
                let is_one =
                    |(command, option): &(String, String)| command == question.name && option == name;
                assert!(paths.iter().any(is_one), "`{}` has no `{name}`", question.name);
            }
        }
    }

    #[test]
    fn commands_have_limits() {
        for question in QUESTIONS {
            let command = question.command();
            let has = |name: &str| command.get_arguments().any(|option| option.get_id() == name);
            assert_eq!([has("timeout"), has("max_memory")], [question.has_limits; 2], "{}", question.name);
        }
    }

    #[test]
    fn tables_name_options_of_the_command_line() {
        for question in QUESTIONS {
            for (name, _) in question.needs().into_iter().flat_map(|need| need.options) {
                let known = commands_with(name);
                assert!(
                    known.iter().any(|known| known == question.name),
                    "`{}` has no `{name}`",
                    question.name
                );
            }
        }
        for (name, _) in VALUES {
            assert!(!commands_with(name).is_empty(), "no command has the option `{name}`");
        }
        for question in QUESTIONS {
            for (name, _) in question.values().into_iter().flatten() {
                assert!(commands_with(name).iter().any(|known| known == question.name), "{name}");
            }
        }
    }

    /// Questions of a family that have the same option mean the same by it: one of them stands in the help for all.
    #[test]
    fn options_of_a_family_agree() {
        let about = |argument: &clap::Arg| {
            let help = argument.get_help().map(ToString::to_string);
            let kinds = (argument.get_value_parser().type_id(), argument.get_default_values().to_vec());
            (argument.get_long().map(str::to_owned), argument.get_short(), help, kinds)
        };
        for family in QUESTIONS.iter().filter_map(|question| question.as_family()) {
            let all = family.command();
            for member in family.members {
                for argument in member.command().get_arguments() {
                    let shown = all.get_arguments().find(|shown| shown.get_id() == argument.get_id());
                    let shown = shown.expect("a family has the options of its questions");
                    assert_eq!(about(shown), about(argument), "{} {}", family.name, argument.get_id());
                }
            }
        }
    }

    #[test]
    fn a_letter_means_the_same_everywhere() {
        let cli = command();
        let mut letters: Vec<(char, String)> = Vec::new();
        for argument in cli.get_subcommands().flat_map(|command| command.get_arguments()) {
            let (Some(letter), Some(long)) = (argument.get_short(), argument.get_long()) else { continue };
            let pair = (letter, long.to_owned());
            if !letters.contains(&pair) {
                letters.push(pair);
            }
        }
        letters.sort_unstable();
        let of = |letter: char| letters.iter().filter(|known| known.0 == letter).count();
        assert!(letters.iter().all(|(letter, _)| of(*letter) == 1), "{letters:?}");
        for (letter, long) in [
            ('c', "const"),
            ('D', "define"),
            ('o', "output"),
            ('p', "prop"),
            ('q', "quiet"),
            ('v', "verbose"),
        ] {
            assert!(letters.contains(&(letter, long.to_owned())), "-{letter} is not --{long}");
        }
        // An option that has a letter has it in every command.
        for (letter, long) in &letters {
            let mut all = cli.get_subcommands().flat_map(|command| command.get_arguments());
            let without =
                all.find(|argument| argument.get_long() == Some(long) && argument.get_short().is_none());
            assert!(without.is_none(), "--{long} has no letter `{letter}` somewhere");
        }
    }

    #[test]
    fn questions_that_compute_can_be_quiet() {
        for question in QUESTIONS.iter().filter(|question| question.has_limits) {
            let command = question.command();
            let is_quiet = command.get_arguments().any(|option| option.get_id() == "quiet");
            assert_eq!(is_quiet, !command.is_hide_set(), "{}", question.name);
        }
    }
}
