//! Tokens to a line of text, with blanks where they are needed or usual.

use super::super::Grammar;
use super::super::tokens::tokens;

/// Bytes without a blank after which one is put: what stands together is read again to see that it is still the same tokens.
const LONGEST: usize = 60;

/// Collects tokens.
pub(in crate::grammar) struct Layout<'g> {
    grammar: &'g Grammar,
    text: String,
    /// Where the tokens since the last blank begin, and their ends within it.
    run: usize,
    ends: Vec<u32>,
    /// Whether blanks may stand between tokens.
    has_blanks: bool,
}

impl<'g> Layout<'g> {
    pub fn new(grammar: &'g Grammar) -> Self {
        let blank = tokens(" ", &grammar.scanner, &grammar.model.tokens);
        let has_blanks = blank.kinds.len() == 1 && blank.flaws.is_empty();
        Layout { grammar, text: String::new(), run: 0, ends: Vec::new(), has_blanks }
    }

    pub fn text(self) -> String {
        self.text
    }

    /// Adds a token.
    pub fn add(&mut self, token: &str) {
        let is_first = self.text.is_empty();
        if !is_first && self.has_blanks && (self.is_apart(token) || !self.is_kept(token)) {
            self.text.push(' ');
            self.run = self.text.len();
            self.ends.clear();
        }
        self.text.push_str(token);
        self.ends.push((self.text.len() - self.run) as u32);
    }

    /// Whether a blank usually stands before a token.
    fn is_apart(&self, token: &str) -> bool {
        let sticks = self.text.ends_with(['(', '[', '.', '!', '\\', '~']);
        !(sticks || matches!(token, ")" | "]" | "," | ";" | "." | ":"))
    }

    /// Whether tokens without a blank are read as the same ones.
    fn is_kept(&self, token: &str) -> bool {
        let mut run = self.text[self.run..].to_owned();
        if run.len() > LONGEST {
            return false;
        }
        run.push_str(token);
        let read = tokens(&run, &self.grammar.scanner, &self.grammar.model.tokens);
        let ends = read.ends.len() - 1;
        read.flaws.is_empty() && ends == self.ends.len() + 1 && read.ends[..ends - 1] == self.ends[..]
    }
}
