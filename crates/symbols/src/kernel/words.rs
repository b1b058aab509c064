//! Tokens of kernels, and which of them are words of the language where they stand.

use crate::pieces::{Class, Piece};
use crate::words::Word;
use volvelle_diagnostics::FileId;
use volvelle_kernel::text::{PieceKind, pieces as tokens};

/// Types of values.
pub(super) const TYPES: &[&str] =
    &["bool", "f32", "f64", "i16", "i32", "i64", "i8", "u16", "u32", "u64", "u8"];

/// The name in a token.
pub(super) fn without_backticks(shown: &str) -> &str {
    shown.strip_prefix('`').and_then(|inside| inside.strip_suffix('`')).unwrap_or(shown)
}

/// All tokens and comments of a text.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut last, mut before) = (0, Before::default());
    let tokens = tokens(text);
    let mut behind = tokens.iter().filter(|token| token.kind != PieceKind::Comment).skip(1);
    for token in &tokens {
        let shown = &text[token.start..token.end];
        // A comment ends with its last sign, not with the blanks behind it.
        let end =
            token.start + if token.kind == PieceKind::Comment { shown.trim_end().len() } else { shown.len() };
        let class = match token.kind {
            PieceKind::Comment => Class::Comment,
            PieceKind::Reserved => Class::Keyword,
            PieceKind::Word | PieceKind::Quoted | PieceKind::Site | PieceKind::Let => Class::Name,
            PieceKind::Number => Class::Number,
            PieceKind::Symbol | PieceKind::Stray => Class::Operator,
        };
        let class = match token.kind {
            PieceKind::Comment => class,
            _ => {
                let next = behind.next().map_or("", |next| &text[next.start..next.end]);
                let is_word = token.kind == PieceKind::Word && before.makes_a_word(shown, next);
                let class = if is_word { Class::Keyword } else { class };
                before.push(shown, class);
                class
            }
        };
        let starts_line = pieces.is_empty() || text[last..token.start].contains('\n');
        pieces.push(Piece { start: token.start as u32, end: end as u32, class, starts_line });
        last = end;
    }
    pieces
}

/// What stands before a token.
#[derive(Default)]
struct Before<'t> {
    /// The last four tokens, the nearest first.
    last: [(&'t str, Option<Class>); 4],
    /// In the head of a machine.
    is_in_machine: bool,
}

impl<'t> Before<'t> {
    fn push(&mut self, shown: &'t str, class: Class) {
        self.last.rotate_right(1);
        self.last[0] = (shown, Some(class));
        match shown {
            "machine" if class == Class::Keyword => self.is_in_machine = true,
            "{" | "}" | ";" => self.is_in_machine = false,
            _ => {}
        }
    }

    fn is_keyword(&self, number: usize, word: &str) -> bool {
        self.last[number] == (word, Some(Class::Keyword))
    }

    /// Whether a word that is not reserved is one of the language here.
    fn makes_a_word(&self, shown: &str, next: &str) -> bool {
        let [(before, class), ..] = self.last;
        match shown {
            "read" | "write" | "append" => before == ":" && self.is_keyword(2, "buffer"),
            "division" | "overflow" | "range" | "conversion" | "assertion" => {
                before == ":" && self.is_keyword(2, "site")
            }
            "tag" => before == "," && self.last[2].0 == ":",
            "inf" | "nan" => before == ".",
            "bits" => before == "." || self.is_keyword(0, "as"),
            "block" => next.starts_with(|first: char| first.is_ascii_digit()),
            "at" => {
                let is_operand = matches!(class, Some(Class::Name | Class::Number))
                    || matches!(before, ")" | "]")
                    || TYPES.contains(&before)
                    || matches!(before, "true" | "false" | "inf" | "nan");
                self.is_in_machine && is_operand
            }
            // A name in front of a parenthesis is that of a function.
            _ => next == "(" && !self.is_keyword(0, "kernel"),
        }
    }
}

/// The tokens without comments, and without the backticks of names.
pub(super) fn words<'t>(file: FileId, text: &'t str, pieces: &[Piece]) -> Vec<Word<'t>> {
    let mut words = crate::words::words(file, text, pieces);
    for word in words.iter_mut().filter(|word| word.class == Class::Name) {
        word.shown = without_backticks(word.shown);
    }
    words
}
