//! Words and signs of Rust code, as far as paths and items need them.

use crate::tidy::rust::code_only;

/// A token. Literals and comments leave none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// `::`
    Colons,
    /// Another sign.
    Sign(char),
}

impl Token {
    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(w) if w == word)
    }

    /// The word that it is.
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it opens a group.
    pub fn opens(&self) -> bool {
        matches!(self, Token::Sign('(' | '[' | '{'))
    }

    /// Whether it closes a group.
    pub fn closes(&self) -> bool {
        matches!(self, Token::Sign(')' | ']' | '}'))
    }
}

/// The tokens of a file. Numbers and lifetimes are left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let code: Vec<char> = code_only(text).chars().collect();
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let c = code[at];
        if part_of_word(c) {
            let end = code[at..].iter().position(|c| !part_of_word(*c)).map_or(code.len(), |n| at + n);
            let names_lifetime = at > 0 && code[at - 1] == '\'';
            if !c.is_numeric() && !names_lifetime {
                tokens.push(Token::Word(code[at..end].iter().collect()));
            }
            at = end;
        } else if code[at..].starts_with(&[':', ':']) {
            tokens.push(Token::Colons);
            at += 2;
        } else {
            if !c.is_whitespace() && c != '\'' {
                tokens.push(Token::Sign(c));
            }
            at += 1;
        }
    }
    tokens
}

/// The index behind the group that opens at `at`; the end of the tokens where it is not closed.
pub fn group_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth -= 1;
            if depth == 0 {
                return i + 1;
            }
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_a_token() {
        let text = "a::b<'x>(1u8, \"c\") // d";
        let words: Vec<_> = tokens(text).iter().filter_map(|t| t.word().map(str::to_owned)).collect();
        assert_eq!(words, ["a", "b"]);
        assert_eq!(tokens("a::b")[1], Token::Colons);
        assert_eq!(tokens("x: y")[1], Token::Sign(':'));
    }

    #[test]
    fn groups_nest() {
        let tokens = tokens("f(a, [b], { c }) d");
        assert!(tokens[group_end(&tokens, 1)].is_word("d"));
        assert_eq!(group_end(&tokens[..4], 1), 4, "a group that is not closed ends with the file");
    }
}
