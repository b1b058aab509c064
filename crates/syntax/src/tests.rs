//! The kit against a language that has one of everything, and against a parser that is slow and obvious.

use crate::{
    Applied, BlockComment, Cursor, Expressions, Infix, Language, Lexer, Lexicon, Parse, Quote, Rules, Spelt,
    Unicode, around_cursor, kinds, one_of, scan, tokens,
};
use proptest::prelude::*;
use volvelle_diagnostics::FileId;

kinds! {
    enum Kind { Name, Number, Text, End }
    flaws { Unknown, OpenText, OpenComment }
    symbols {
        Plus "+", Minus "-", Times "*", Power "**", Not "!", Factorial "!!", Question "?", Colon ":", Open "(",
        Close ")", Semicolon ";", Slash "/", Arrow "<->",
    }
    words { If "if", Then "then", Also "also" }
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        unicode: Unicode::Words,
        point: true,
        line_comments: &["//", "#"],
        block_comment: Some(BlockComment { nests: true, ..BlockComment::new("/*", "*/", Kind::OpenComment) }),
        quotes: &[Quote::escaped(b'"', Kind::Text, Kind::OpenText)],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
    });

    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        (Kind::Number, scan::decimal(bytes, at))
    }
}

fn spelt(text: &str) -> Vec<(Kind, &str)> {
    let mut lexer = Lexer::<Kind>::new(text);
    std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.kind != Kind::End))
        .map(|token| (token.kind, token.text(text)))
        .collect()
}

#[test]
fn longest_symbols_and_reserved_words() {
    use Kind::*;
    assert_eq!(
        spelt("if iff a**b*c <->!!x<"),
        [
            (If, "if"),
            (Name, "iff"),
            (Name, "a"),
            (Power, "**"),
            (Name, "b"),
            (Times, "*"),
            (Name, "c"),
            (Arrow, "<->"),
            (Factorial, "!!"),
            (Name, "x"),
            (Unknown, "<"),
        ]
    );
    for (word, kind) in Kind::WORDS.iter().chain(Kind::SYMBOLS) {
        assert_eq!((spelt(word), kind.spelling()), (vec![(*kind, *word)], Some(*word)));
    }
    assert!(Kind::Also.is_word() && !Kind::Name.is_word());
    assert_eq!(one_of(&[T![";"], T![")"], T!["if"]]), "`;`, `)` or `if`");
}

#[test]
fn numbers_quotes_and_comments() {
    use Kind::*;
    assert_eq!(
        spelt(".5 1e-3 2.e \"a\\\"b\" # c\n/* /* */ */ é1 \"open\nx /* /* */"),
        [
            (Number, ".5"),
            (Number, "1e-3"),
            (Number, "2"),
            (Unknown, "."),
            (Name, "e"),
            (Text, "\"a\\\"b\""),
            (Name, "é1"),
            (OpenText, "\"open"),
            (Name, "x"),
            (OpenComment, "/*"),
        ]
    );
    let starts: Vec<bool> =
        tokens::<Kind>("a b /* \n */ c\nd", |_| None).iter().map(|t| t.starts_line).collect();
    assert_eq!(starts, [true, false, true, true, false]);
}

/// Text of pieces that have a meaning, and some that have none.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a", "if", "7", ".5", "+", "**", "(", ")", ";", "<->", "<", "/", "/*", "*/", "//", "#", "\"", "\\",
        " ", "\n", "é", "\u{a0}", "∞", "\u{feff}", "!!", "?", ":",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_and_what_is_between_them_are_the_text(text in text()) {
        let mut is_open = false;
        let list = tokens::<Kind>(&text, |token| {
            is_open |= token.is(Kind::OpenComment);
            Some(token)
        });
        let mut cursor = Cursor::new(FileId(0), &text, list);
        let mut whole = String::new();
        while !cursor.at_end() {
            let between = cursor.trivia();
            prop_assert_eq!(spelt(between), []);
            whole.push_str(between);
            whole.push_str(cursor.word());
            prop_assert!(!cursor.word().is_empty());
            cursor.advance();
        }
        prop_assert!(is_open || spelt(cursor.trivia()).is_empty());
        whole.push_str(cursor.trivia());
        prop_assert_eq!(whole, text);
    }

    #[test]
    fn recovery_goes_on(text in text()) {
        let list = tokens::<Kind>(&text, |_| None);
        let mut cursor = Cursor::new(FileId(0), &text, list);
        for _ in 0..=text.len() {
            if cursor.at_end() {
                break;
            }
            let before = cursor.number();
            cursor.skip_to(&[T!["if"], T![";"]]);
            prop_assert!(cursor.at_end() || cursor.at(T!["if"]) || cursor.at(T![";"]));
            cursor.advance();
            prop_assert!(cursor.number() > before || cursor.at_end());
        }
        prop_assert!(cursor.at_end());
    }

    #[test]
    fn climbing_is_what_the_grammar_says(text in expression()) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut obvious = Obvious { words: &words, at: 0 };
        let expected = obvious.level(0);
        let mut sums = Sums::new(&text);
        match sums.climb() {
            Ok(found) if sums.at_end() => prop_assert_eq!(found, expected),
            _ => prop_assert!(obvious.at < words.len() || expected.contains(MISSING), "{}", text),
        }
    }
}

/// Expressions of which some are wrong: those with `!` behind an operator that binds tighter.
fn expression() -> impl Strategy<Value = String> {
    let operator = || prop::sample::select(vec!["<->", "+", "-", "*", "**"]);
    prop::sample::select(vec!["a".to_owned(), "7".to_owned()]).prop_recursive(6, 60, 3, move |inner| {
        let (first, second, third) = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.clone().prop_map(|a| format!("- {a}")),
            inner.clone().prop_map(|a| format!("! {a}")),
            inner.clone().prop_map(|a| format!("{a} !!")),
            (first.clone(), second.clone(), third).prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
            (first, operator(), second).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        ]
    })
}

/// In place of what should be there.
const MISSING: &str = "nothing";

/// One rule for each level.
struct Obvious<'a> {
    words: &'a [&'a str],
    at: usize,
}

impl Obvious<'_> {
    fn take(&mut self, wanted: &[&str]) -> Option<String> {
        let word = *self.words.get(self.at).filter(|word| wanted.contains(word))?;
        self.at += 1;
        Some(word.to_owned())
    }

    fn level(&mut self, level: u8) -> String {
        match level {
            0 => {
                let first = self.level(1);
                if self.take(&["?"]).is_none() {
                    return first;
                }
                let yes = self.level(0);
                let colon = self.take(&[":"]).unwrap_or(MISSING.to_owned());
                format!("({first} ? {yes} {colon} {})", self.level(0))
            }
            1 => {
                let left = self.level(2);
                if self.take(&["<->"]).is_none() { left } else { format!("({left} <-> {})", self.level(1)) }
            }
            2 if self.take(&["!"]).is_some() => format!("(! {})", self.level(2)),
            3 | 4 => {
                let operators: &[&str] = if level == 3 { &["+", "-"] } else { &["*"] };
                let mut left = self.level(level + 1);
                while let Some(operator) = self.take(operators) {
                    left = format!("({left} {operator} {})", self.level(level + 1));
                }
                left
            }
            5 if self.take(&["-"]).is_some() => format!("(- {})", self.level(5)),
            6 => {
                let left = self.level(7);
                if self.take(&["**"]).is_none() { left } else { format!("({left} ** {})", self.level(5)) }
            }
            7 => {
                let mut value = self.level(8);
                while self.take(&["!!"]).is_some() {
                    value = format!("({value} !!)");
                }
                value
            }
            8 if self.take(&["("]).is_some() => {
                let inner = self.level(0);
                if self.take(&[")"]).is_some() { inner } else { MISSING.to_owned() }
            }
            8 => self.take(&["a", "7"]).unwrap_or(MISSING.to_owned()),
            _ => self.level(level + 1),
        }
    }
}

/// The same grammar by the kit.
struct Sums<'t> {
    cursor: Cursor<'t, Kind>,
}

impl<'t> Sums<'t> {
    fn new(text: &'t str) -> Self {
        Sums { cursor: Cursor::new(FileId(0), text, tokens(text, |_| None)) }
    }
}

around_cursor!(Sums, Kind);

impl<'t> Parse<'t> for Sums<'t> {
    type Kind = Kind;
    type Error = String;
    const DEEPEST: u32 = 100;

    fn unexpected(&mut self, wanted: &str) -> String {
        self.expected(wanted)
    }

    fn too_deep(&mut self) -> String {
        format!("too deep at {}", self.span().start)
    }
}

impl<'t> Expressions<'t> for Sums<'t> {
    type Value = String;
    type Prefix = &'static str;
    type Binary = &'static str;

    fn prefix(&mut self, level: Option<u8>) -> Option<(&'static str, u8)> {
        match self.peek() {
            T!["!"] if level.is_none_or(|level| level <= 2) => {
                self.advance();
                Some(("!", 2))
            }
            T!["-"] => {
                self.advance();
                Some(("-", 5))
            }
            _ => None,
        }
    }

    fn operand(&mut self) -> Result<String, String> {
        match self.peek() {
            Kind::Name | Kind::Number => Ok(self.advance().text(self.text()).to_owned()),
            T!["("] => {
                self.advance();
                let inner = self.nested(Self::climb)?;
                self.expect(T![")"])?;
                Ok(inner)
            }
            _ => Err(self.unexpected("an operand")),
        }
    }

    fn infix(&mut self) -> Result<Option<Infix<&'static str, Kind>>, String> {
        Ok(Some(match self.peek() {
            T!["?"] => Infix::ternary(0, "?", T![":"]),
            T!["<->"] => Infix::right(1, "<->"),
            T!["+"] => Infix::left(3, "+"),
            T!["-"] => Infix::left(3, "-"),
            T!["*"] => Infix::left(4, "*"),
            T!["**"] => Infix::right(6, "**"),
            T!["!!"] => Infix::postfix(7, "!!"),
            _ => return Ok(None),
        }))
    }

    fn apply(&mut self, applied: Applied<&'static str, &'static str, String>) -> Result<String, String> {
        Ok(match applied {
            Applied::Prefix(operator, _, operand) => format!("({operator} {operand})"),
            Applied::Binary(operator, left, right) => format!("({left} {operator} {right})"),
            Applied::Ternary(_, first, between, last) => format!("({first} ? {between} : {last})"),
            Applied::Postfix(operator, operand) => format!("({operand} {operator})"),
        })
    }
}

#[test]
fn mistakes_in_expressions() {
    for (text, message) in [
        ("a +", "expected an operand, found the end of the text"),
        ("a ? b ;", "expected `:`, found `;`"),
        ("( a ;", "expected `)`, found `;`"),
        ("a * ! b", "expected an operand, found `!`"),
    ] {
        assert_eq!(Sums::new(text).climb(), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn depth_has_a_limit() {
    for (open, close) in [("(", ")"), ("-", ""), ("a <->", ""), ("a ?", ": a")] {
        let text = |depth| format!("{} a {}", open.repeat(depth), close.repeat(depth));
        assert!(Sums::new(&text(100)).climb().is_ok(), "{open}");
        for depth in [101, 1_000_000] {
            let error = Sums::new(&text(depth)).climb().expect_err("it is too deep");
            assert!(error.starts_with("too deep"), "{open}: {error}");
        }
    }
}
