//! The table of questions: the only list of commands.

use crate::args::{
    Check, Compare, Completions, Distance, Explain, Explore, Info, ListDevices, Man, Merge, Reduce, Simulate,
};
use clap::Command;
use volvelle_console::question::Question;
use volvelle_particles::options::MoveBodies;
use volvelle_paths::options::Trace;
use volvelle_pipelines::options::RunPipeline;
use volvelle_processors::options::SimulateMulticore;
use volvelle_rates::options::{SteadyState, TransientBehaviour};
use volvelle_searches::options::Lint;
use volvelle_studies::options::AnalyseMpi;
use volvelle_tuning::options::{BenchKernels, Calibrate, Tune};

/// The questions, in the order in which help lists them.
pub const QUESTIONS: &[Question] = &[
    Question::of::<Check>(),
    Question::of::<Info>(),
    Question::of::<Explore>(),
    Question::of::<Reduce>(),
    Question::of::<Compare>(),
    Question::of::<Distance>(),
    Question::of::<Simulate>(),
    Question::of::<Merge>(),
    Question::of::<Trace>(),
    Question::of::<Tune>(),
    Question::of::<SteadyState>(),
    Question::of::<TransientBehaviour>(),
    Question::of::<RunPipeline>(),
    Question::of::<AnalyseMpi>(),
    Question::of::<SimulateMulticore>(),
    Question::of::<MoveBodies>(),
    Question::of::<Lint>(),
    Question::of::<ListDevices>(),
    Question::of::<Calibrate>(),
    Question::of::<BenchKernels>(),
    Question::of::<Explain>(),
    Question::of::<Completions>(),
    Question::of::<Man>(),
];

/// The question of a command.
pub fn named(command: &str) -> Option<&'static Question> {
    QUESTIONS.iter().find(|question| question.name == command)
}

const EXAMPLES: &str = "\
Examples:
  volvelle check dice.prism dice.props
  volvelle check queue.prism --prop 'P=? [ F<=T \"full\" ]' --const N=10,T=60
  volvelle check protocol.pml
  volvelle simulate queue.prism queue.props --const N=10,T=60
  volvelle info queue.prism
  volvelle explain V0406

Exit codes: 0 all results were computed and no property is false, 1 a property is false, 2 bad usage
or an error in the input, 3 a limit was reached or the run was interrupted.";

/// The command line.
pub fn command() -> Command {
    Command::new("volvelle")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Model checker and simulator for stochastic and concurrent systems. Every answer states its guarantee")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(EXAMPLES)
        .subcommands(QUESTIONS.iter().map(Question::command))
}

#[cfg(test)]
mod tests {
    use super::{QUESTIONS, command, named};
    use std::any::TypeId;
    use std::path::PathBuf;
    use volvelle_console::applicable::RULES;
    use volvelle_console::question::FILES;
    use volvelle_console::values::VALUES;

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
            for (name, _) in question.files {
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
            for (name, _) in question.needs.iter().flat_map(|need| need.options) {
                let known = commands_with(name);
                assert!(
                    known.iter().any(|known| known == question.name),
                    "`{}` has no `{name}`",
                    question.name
                );
            }
        }
        for (commands, name, _) in VALUES {
            let known = commands_with(name);
            assert!(!known.is_empty(), "no command has the option `{name}`");
            assert!(commands.iter().all(|command| known.iter().any(|known| known == command)), "{name}");
        }
    }

    #[test]
    fn rules_name_options_of_the_command_line() {
        let cli = command();
        for (name, written) in RULES.iter().flat_map(|rule| rule.options) {
            let mut arguments = cli.get_subcommands().flat_map(|command| command.get_arguments());
            let argument = arguments.find(|argument| argument.get_id() == name);
            let argument = argument.unwrap_or_else(|| panic!("no command has the option `{name}`"));
            if let Some(long) = argument.get_long() {
                assert_eq!(*written, format!("--{long}"));
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
