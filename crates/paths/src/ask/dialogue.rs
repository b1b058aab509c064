//! `volvelle trace --interactive`: the user chooses the steps.

use super::reporter::Reporter;
use crate::screen::PathTable;
use crate::{Path, PathEnd, PathPlan, screen};
use volvelle_console::{door, machine};

/// A command of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    /// The step with this number in the list, from 1.
    Take(usize),
    /// This number of sampled steps.
    Random(u32),
    Back,
    Quit,
}

impl Command {
    /// Parses a line; `options` is the number of steps in the list.
    fn read(line: &str, options: usize) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let (word, rest) = (words.next().unwrap_or(""), words.next());
        let command = match (word, rest) {
            ("q" | "quit", None) => Some(Command::Quit),
            ("b" | "back", None) => Some(Command::Back),
            ("r" | "random", None) => Some(Command::Random(1)),
            ("r" | "random", Some(count)) => count.parse().ok().filter(|&n| n > 0).map(Command::Random),
            (number, None) => {
                number.parse().ok().filter(|number| (1..=options).contains(number)).map(Command::Take)
            }
            _ => None,
        };
        let command = command.filter(|_| words.next().is_none());
        command.ok_or_else(|| match options {
            0 => format!("`{}` is neither b nor q", line.trim()),
            1 => format!("`{}` is neither 1 nor r, r 10, b or q", line.trim()),
            n => format!("`{}` is neither a number from 1 to {n} nor any of r, r 10, b, q", line.trim()),
        })
    }
}

/// Carries out commands until the user quits or the path reaches its limit.
pub fn walk<'p>(
    path: Path<'p>,
    plan: &PathPlan,
    table: &mut PathTable<'_>,
    reporter: &mut Reporter<'_>,
    limit: u32,
) -> Path<'p> {
    let cancel = machine::cancel_on_signal();
    let mut path = path.remembering();
    while !cancel.is_cancelled() && path.steps() < limit {
        let options = match path.options() {
            Ok(options) => options,
            Err(diagnostic) => {
                reporter.diagnostics.push(diagnostic);
                break;
            }
        };
        let output = reporter.output;
        match path.end() {
            None => output.print(&screen::options(&options, output.style)),
            Some(PathEnd::Failed(diagnostic)) => {
                output.print_diagnostics(std::slice::from_ref(diagnostic), &reporter.model.sources);
            }
            Some(end) => output.print(&format!("\n    the path ends here: {}\n", end.message())),
        }
        match ask(&path, options.len(), reporter) {
            Command::Quit => break,
            Command::Back if path.back() => {
                reporter.back_to(path.steps());
                output.print(&format!("    back to step {}\n", path.steps()));
            }
            Command::Back => output.print("    there is no earlier state\n"),
            Command::Take(number) => {
                if let Some(step) = path.take(&options[number - 1]) {
                    reporter.show(plan, table, step);
                }
            }
            Command::Random(count) => {
                for _ in 0..count {
                    if path.steps() >= limit || cancel.is_cancelled() {
                        break;
                    }
                    let Some(step) = path.step() else { break };
                    reporter.show(plan, table, step);
                }
            }
        }
    }
    path
}

/// Prompts until a line is a command; the end of the input quits.
fn ask(path: &Path<'_>, options: usize, reporter: &Reporter<'_>) -> Command {
    let question = match options {
        0 => "  b to go back, q to quit: ".to_owned(),
        1 => format!(
            "  step {}: 1, r for a random step, r 10 for ten, b to go back, q to quit: ",
            path.steps() + 1
        ),
        n => format!(
            "  step {}: 1 to {n}, r for a random step, r 10 for ten, b to go back, q to quit: ",
            path.steps() + 1
        ),
    };
    loop {
        reporter.output.print(&question);
        let Some(line) = door::line_of_input() else {
            reporter.output.print("\n");
            return Command::Quit;
        };
        match Command::read(&line, options) {
            Ok(Command::Random(_)) if options == 0 => reporter.output.print("  no step is enabled\n"),
            Ok(command) => return command,
            Err(diagnostic) => reporter.output.print(&format!("  {diagnostic}\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn lines_are_commands() {
        assert_eq!(Command::read("2\n", 3), Ok(Command::Take(2)));
        assert_eq!(Command::read(" r\n", 3), Ok(Command::Random(1)));
        assert_eq!(Command::read("r 10", 3), Ok(Command::Random(10)));
        assert_eq!(Command::read("back", 0), Ok(Command::Back));
        assert_eq!(Command::read("q", 0), Ok(Command::Quit));
        for line in ["", "0", "4", "-1", "r 0", "r ten", "r 1 2", "1 2", "x", "99999999999999999999"] {
            assert!(Command::read(line, 3).is_err(), "{line}");
        }
        assert!(Command::read("1", 0).is_err());
    }
}
