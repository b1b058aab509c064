//! Misspelt words that end `if` and `do`: read as what was meant, so that what follows is read, too.

use super::cursor::Parser;
use super::recover::begins_unit;
use crate::token::{Keyword, Kind};
use volvelle_diagnostics::{Diagnostic, Fix, codes, nearest};

/// More words that may be meant are not tried for one end.
const MOST: usize = 8;
/// How many tokens are looked at, as a multiple of those of the text.
const LOOKS: usize = 64;

/// What is open at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Brace,
    If,
    Do,
}

impl Open {
    fn of(kind: Kind) -> Option<Open> {
        match kind {
            Kind::LeftBrace => Some(Open::Brace),
            Kind::Keyword(Keyword::If) => Some(Open::If),
            Kind::Keyword(Keyword::Do) => Some(Open::Do),
            _ => None,
        }
    }

    fn closed_by(kind: Kind) -> Option<Open> {
        match kind {
            Kind::RightBrace => Some(Open::Brace),
            Kind::Keyword(Keyword::Fi) => Some(Open::If),
            Kind::Keyword(Keyword::Od) => Some(Open::Do),
            _ => None,
        }
    }
}

/// The end whose spelling is near to a word.
fn near(word: &str) -> Option<Keyword> {
    let ends = [Keyword::Fi, Keyword::Od];
    let near = nearest(word, ends.map(Keyword::text)).filter(|_| (2..=4).contains(&word.len()))?;
    ends.into_iter().find(|end| end.text() == near.name)
}

impl Parser {
    /// Where an `if` or a `do` has no end, a word that stands alone, and with which it would have one, is that end. It is reported, and
    /// its kind becomes that of the word. Where every end is there, all words are names.
    pub fn correct_ends(&mut self) {
        // What is open, with the number of its token, and of the words so far that may be ends.
        let mut open: Vec<(Open, usize, usize)> = Vec::new();
        let mut words: Vec<(usize, Keyword)> = Vec::new();
        let mut looks = LOOKS * self.tokens.len();
        for at in 0..self.tokens.len() {
            let kind = self.tokens[at].kind;
            if let Some(opened) = Open::of(kind) {
                open.push((opened, at, words.len()));
                continue;
            }
            if let Some(end) = self.may_end(at) {
                words.push((at, end));
                continue;
            }
            let is_over = kind == Kind::End || begins_unit(kind);
            let closed = Open::closed_by(kind);
            if closed.is_none() && !is_over {
                continue;
            }
            // All that this closes, and does not end.
            while let Some(&(opened, begin, first)) = open.last() {
                if Some(opened) == closed {
                    open.pop();
                    break;
                }
                if opened == Open::Brace && !is_over {
                    break;
                }
                open.pop();
                let tried = words.len() - first;
                let cost = tried * (at - begin + self.tokens.len());
                if opened != Open::Brace && (1..=MOST).contains(&tried) && cost <= looks {
                    looks -= cost;
                    let is_in_options = open.last().is_some_and(|around| around.0 != Open::Brace);
                    if let Some(end) = self.correct_end((begin, at), &words[first..], is_in_options) {
                        // Those behind it may end what is around.
                        let behind = words.partition_point(|(word, _)| *word <= end);
                        words.drain(first..behind.max(first));
                        continue;
                    }
                }
                // An end of the other kind closes what is open, as the parser reads it.
                if matches!(closed, Some(Open::If | Open::Do)) {
                    break;
                }
            }
            if open.is_empty() {
                words.clear();
            }
        }
    }

    /// The end that a word may be: it stands alone as a statement, and came through no macro.
    fn may_end(&self, at: usize) -> Option<Keyword> {
        let token = &self.tokens[at];
        if token.kind != Kind::Word || token.through.is_some() {
            return None;
        }
        let before = at.checked_sub(1).map(|before| &self.tokens[before])?;
        let begins = match before.kind {
            Kind::Keyword(word) => {
                let word = word.text();
                matches!(word, "fi" | "od" | "break" | "else" | "skip" | "true" | "false" | "timeout")
            }
            // Behind a name a separator is missing, or this is an end.
            Kind::Word | Kind::Number | Kind::RightParen | Kind::RightBracket | Kind::RightBrace => true,
            Kind::Semi | Kind::Arrow | Kind::Increment | Kind::Decrement => true,
            _ => false,
        };
        let next = self.tokens.get(at + 1)?;
        let ends = next.starts_line
            || matches!(next.kind, Kind::Semi | Kind::Arrow | Kind::ColonColon | Kind::End)
            || Open::closed_by(next.kind).is_some()
            || next.kind == Kind::Keyword(Keyword::Unless)
            // Perhaps this one is misspelt, too.
            || (next.kind == Kind::Word && near(&next.text).is_some());
        near(&token.text).filter(|_| begins && ends)
    }

    /// Finds the word that ends what begins at a token and is open at another one; its number.
    fn correct_end(
        &mut self,
        (begin, here): (usize, usize),
        words: &[(usize, Keyword)],
        is_in_options: bool,
    ) -> Option<usize> {
        let is_end = |&(at, end): &(usize, Keyword)| {
            self.is_whole((begin, here), at, end, is_in_options) && self.is_no_name(at)
        };
        let (at, end) = words.iter().copied().find(is_end)?;
        let token = &self.tokens[at];
        let (text, info) = (token.text.clone(), token.info());
        let message = format!("expected `{}`, found `{text}`", end.text());
        let fix = Fix::instead(info.span, &*text, end.text()).certain();
        let opened = self.tokens[begin].info();
        let mut diagnostic = Diagnostic::error(codes::PROMELA_SYNTAX, message).fix(fix);
        if opened.through.is_none() {
            diagnostic = diagnostic.also(opened.span, "to close this");
        }
        self.report_at(diagnostic, info, &format!("did you mean `{}`?", end.text()));
        self.reported_at = None;
        self.tokens[at].kind = Kind::Keyword(end);
        Some(at)
    }

    /// Whether the word at a token stands nowhere but where ends may stand: it is the name of nothing.
    fn is_no_name(&self, at: usize) -> bool {
        let text = &self.tokens[at].text;
        let is_same =
            |other: &usize| self.tokens[*other].kind == Kind::Word && self.tokens[*other].text == *text;
        (0..self.tokens.len()).filter(is_same).all(|other| self.may_end(other).is_some())
    }

    /// Whether everything between two tokens, the first of which opens something, has its end if a word is one.
    fn is_whole(
        &self,
        (begin, here): (usize, usize),
        word: usize,
        end: Keyword,
        is_in_options: bool,
    ) -> bool {
        let mut open = Vec::new();
        for at in begin..here {
            let kind = if at == word { Kind::Keyword(end) } else { self.tokens[at].kind };
            open.extend(Open::of(kind));
            if let Some(closed) = Open::closed_by(kind)
                && open.pop() != Some(closed)
            {
                return false;
            }
            // Without something around that has alternatives, none follow.
            if open.is_empty() && kind == Kind::ColonColon && !is_in_options {
                return false;
            }
        }
        open.is_empty()
    }
}
