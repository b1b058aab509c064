//! Lines of the dialogue as commands.

use std::path::PathBuf;

/// A command of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take the step with this number, from 1.
    Take(usize),
    /// Take so many random steps.
    Random(usize),
    /// Go back so many steps.
    Back(usize),
    /// Take random steps until a condition holds or a step is taken.
    Until(String),
    /// Go to the state behind so many steps.
    Jump(usize),
    /// Show all variables.
    Variables,
    /// Show the steps that led here.
    List,
    /// Write the steps that led here.
    Save(PathBuf),
    /// Take the steps of a file.
    Load(PathBuf),
    /// Show all commands.
    Help,
    /// End the walk.
    Quit,
    /// The last command that moved, once more.
    Again,
}

/// A word that begins a command.
struct Word {
    short: &'static str,
    long: &'static str,
    /// What stands behind it.
    rest: &'static str,
    /// What it does.
    what: &'static str,
}

const fn word(short: &'static str, long: &'static str, rest: &'static str, what: &'static str) -> Word {
    Word { short, long, rest, what }
}

/// The words, in the order in which they are explained.
const WORDS: &[Word] = &[
    word("r", "random", "[N]", "N random steps, in proportion to their weights; one without N"),
    word(
        "b",
        "back",
        "[N]",
        "back N steps; one without N. Steps taken back are kept until another one is chosen",
    ),
    word(
        "u",
        "until",
        "CONDITION",
        "random steps until a condition of the model's language holds, or with [NAME] until that step",
    ),
    word("j", "jump", "N", "to the state behind N steps: back, or forward again"),
    word("v", "variables", "", "all variables"),
    word("l", "list", "", "the steps so far"),
    word("save", "save", "FILE", "write the steps so far to a file"),
    word("load", "load", "FILE", "go the way that a file describes, from the beginning"),
    word("?", "help", "", "this list"),
    word("q", "quit", "", "end; so does the end of the input"),
];

/// All commands with what they do: the words, and an explanation.
pub fn explained() -> Vec<(String, &'static str)> {
    let mut rows = vec![
        ("NUMBER".to_owned(), "take that step of the list"),
        ("(an empty line)".to_owned(), "the last command that moved, once more"),
    ];
    rows.extend(WORDS.iter().map(|word| {
        let names = if word.short == word.long {
            word.long.to_owned()
        } else {
            format!("{}, {}", word.short, word.long)
        };
        let rest = if word.rest.is_empty() { String::new() } else { format!(" {}", word.rest) };
        (names + &rest, word.what)
    }));
    rows
}

/// The words that begin commands, at length.
pub fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|word| word.long)
}

impl Command {
    /// Parses a line.
    ///
    /// # Errors
    /// What is wrong with it, and what is possible.
    pub fn read(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if first.is_empty() {
            return Ok(Command::Again);
        }
        if first.bytes().all(|byte| byte.is_ascii_digit()) {
            return match (first.parse(), rest) {
                (Ok(number), "") => Ok(Command::Take(number)),
                (Err(_), _) => Err(format!("`{first}` is no number of a step")),
                _ => Err(format!("`{line}`: a line has one command")),
            };
        }
        let Some(word) = WORDS.iter().find(|word| word.short == first || word.long == first) else {
            return Err(format!("`{first}` is no command: type the number of a step, or ? for all commands"));
        };
        let usage = || {
            let other = if word.short == word.long { String::new() } else { format!(" or {}", word.long) };
            format!("`{line}`: write {}{other} {}", word.short, word.rest).trim_end().to_owned()
        };
        let number = |least: usize| rest.parse().ok().filter(|&n: &usize| n >= least).ok_or_else(usage);
        let count = || if rest.is_empty() { Ok(1) } else { number(1) };
        let text = || if rest.is_empty() { Err(usage()) } else { Ok(rest) };
        let command = match word.short {
            "r" => Command::Random(count()?),
            "b" => Command::Back(count()?),
            "u" => Command::Until(text()?.to_owned()),
            "j" => Command::Jump(number(0)?),
            "save" => Command::Save(text()?.into()),
            "load" => Command::Load(text()?.into()),
            _ if !rest.is_empty() => return Err(usage()),
            "v" => Command::Variables,
            "l" => Command::List,
            "?" => Command::Help,
            _ => Command::Quit,
        };
        Ok(command)
    }

    /// Whether an empty line repeats it.
    pub fn moves(&self) -> bool {
        matches!(self, Command::Take(_) | Command::Random(_) | Command::Back(_) | Command::Until(_))
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn lines_are_commands() {
        for (line, command) in [
            ("2\n", Command::Take(2)),
            (" r\n", Command::Random(1)),
            ("r 10", Command::Random(10)),
            ("random  3", Command::Random(3)),
            ("back", Command::Back(1)),
            ("b 4", Command::Back(4)),
            ("u x=3 & y>2", Command::Until("x=3 & y>2".into())),
            ("until [PUT !1]", Command::Until("[PUT !1]".into())),
            ("j 0", Command::Jump(0)),
            ("v", Command::Variables),
            ("l", Command::List),
            ("save my trail.json", Command::Save("my trail.json".into())),
            ("load t.json\n", Command::Load("t.json".into())),
            ("?", Command::Help),
            ("help", Command::Help),
            ("q", Command::Quit),
            ("quit", Command::Quit),
            ("\n", Command::Again),
        ] {
            assert_eq!(Command::read(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn wrong_lines_say_what_is_possible() {
        for (line, words) in [
            ("r 0", "write r or random [N]"),
            ("r ten", "write r or random [N]"),
            ("r 1 2", "write r or random [N]"),
            ("b -1", "write b or back [N]"),
            ("j", "write j or jump N"),
            ("u", "write u or until CONDITION"),
            ("save", "write save FILE"),
            ("q now", "write q or quit"),
            ("x", "? for all commands"),
            ("-1", "? for all commands"),
            ("1 2", "one command"),
            ("99999999999999999999", "no number of a step"),
        ] {
            let error = Command::read(line).expect_err(line);
            assert!(error.contains(words), "{line}: {error}");
        }
    }

    #[test]
    fn only_moves_are_repeated() {
        assert!(Command::Random(3).moves() && Command::Take(1).moves());
        assert!(!Command::Variables.moves() && !Command::Jump(2).moves());
    }
}
