//! How to repeat a run: the command line, the version, and the files that it wrote.

use super::markup::{escaped, facts};

/// What repeats a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeat<'a> {
    /// The words of the command line, without the name of the program.
    pub words: &'a [String],
    /// The seed of the run, if it has one.
    pub seed: Option<u64>,
    /// Names of the files that were written.
    pub written: &'a [String],
}

impl Repeat<'_> {
    /// The section, as markup.
    pub(super) fn content(&self) -> String {
        let command =
            std::iter::once("volvelle".to_owned()).chain(self.words.iter().map(|word| quoted(word)));
        let command = command.collect::<Vec<_>>().join(" ");
        let written: Vec<String> =
            self.written.iter().map(|name| format!("<code>{}</code>", escaped(name))).collect();
        let rows = [
            ("version", format!("volvelle {}", env!("CARGO_PKG_VERSION"))),
            ("seed", self.seed.map_or(String::new(), |seed| seed.to_string())),
            ("files written", written.join(", ")),
        ];
        format!("<pre class=\"command\">{}</pre>\n{}", escaped(&command), facts(&rows))
    }
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them_otherwise() {
        for (word, wanted) in [
            ("dice.prism", "dice.prism"),
            ("N=3,T=0:10:200", "N=3,T=0:10:200"),
            ("", "''"),
            ("P=? [ F d=6 ]", "'P=? [ F d=6 ]'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("#3", "'#3'"),
            ("~", "'~'"),
        ] {
            assert_eq!(quoted(word), wanted);
        }
    }
}
