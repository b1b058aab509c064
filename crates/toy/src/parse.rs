//! Text to syntax tree. Never fails and never stops at the first error: each line is one item, or one diagnostic.

use crate::syntax::{Change, Comparison, Condition, Counter, Goal, Model, Name, Operation, Question, Rule};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Parses a model.
pub fn model(file: FileId, text: &str) -> (Model, Vec<Diagnostic>) {
    let mut model = Model::default();
    let diagnostics = each_line(file, text, |line| {
        let keyword = line.name("`counter`, `rule` or `goal`")?;
        match keyword.text.as_str() {
            "counter" => model.counters.push(line.counter()?),
            "rule" => model.rules.push(line.rule()?),
            "goal" => model.goals.push(line.goal()?),
            _ => return Err(unexpected(keyword.span, "`counter`, `rule` or `goal`")),
        }
        Ok(())
    });
    (model, diagnostics)
}

/// Parses questions, one a line.
pub fn questions(file: FileId, text: &str) -> (Vec<Question>, Vec<Diagnostic>) {
    let mut questions = Vec::new();
    let diagnostics = each_line(file, text, |line| {
        questions.push(line.question()?);
        Ok(())
    });
    (questions, diagnostics)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(i64),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: &[&str] = &["..", "->", "+=", "-=", "=", "<", ">", ",", ":"];

/// What a text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Blank,
    Word,
    Number,
    Sign(&'static str),
    Unknown,
}

/// What a text begins with, whose first character is `first`, and how long that is.
pub(crate) fn scan(rest: &str, first: char) -> (Sort, usize) {
    let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    if first.is_whitespace() {
        (Sort::Blank, first.len_utf8())
    } else if first.is_ascii_alphabetic() {
        (Sort::Word, run(|c| c.is_ascii_alphanumeric() || c == '_'))
    } else if first.is_ascii_digit() {
        (Sort::Number, run(|c| c.is_ascii_digit()))
    } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        (Sort::Sign(sign), sign.len())
    } else {
        (Sort::Unknown, first.len_utf8())
    }
}

/// Reads every line that is not empty; gives the diagnostics of those that are wrong.
fn each_line(
    file: FileId,
    text: &str,
    mut read: impl FnMut(&mut Line) -> Result<(), Diagnostic>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut start = 0;
    for written in text.split('\n') {
        let line = Line::new(file, start, written);
        start += written.len() + 1;
        let outcome = match line {
            Ok(line) if line.tokens.is_empty() => continue,
            Ok(mut line) => read(&mut line).and_then(|()| line.end()),
            Err(diagnostic) => Err(diagnostic),
        };
        diagnostics.extend(outcome.err());
    }
    diagnostics
}

fn unexpected(span: Span, expected: &str) -> Diagnostic {
    Diagnostic::error(codes::UNEXPECTED_TOKEN, format!("expected {expected}")).at(span, "")
}

/// The tokens of a line, taken from the front.
struct Line {
    tokens: Vec<(Token, Span)>,
    next: usize,
    /// The place behind the last token.
    behind: Span,
}

impl Line {
    fn new(file: FileId, start: usize, text: &str) -> Result<Line, Diagnostic> {
        let code = text.split('#').next().unwrap_or_default();
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(c) = code[at..].chars().next() {
            let (rest, (sort, len)) = (&code[at..], scan(&code[at..], c));
            let span = Span::new(file, start + at, start + at + len);
            match sort {
                Sort::Blank => {}
                Sort::Word => tokens.push((Token::Word(rest[..len].to_owned()), span)),
                Sort::Number => {
                    let number = rest[..len].parse::<i32>().map_err(|_| {
                        Diagnostic::error(codes::NUMBER_TOO_LARGE, "the number has more than 32 bits")
                            .at(span, "")
                    })?;
                    tokens.push((Token::Number(number.into()), span));
                }
                Sort::Sign(sign) => tokens.push((Token::Sign(sign), span)),
                Sort::Unknown => {
                    let message = format!("`{c}` has no meaning here");
                    return Err(Diagnostic::error(codes::UNEXPECTED_CHARACTER, message).at(span, ""));
                }
            }
            at += len;
        }
        let behind = start + code.trim_end().len();
        Ok(Line { tokens, next: 0, behind: Span::new(file, behind, behind) })
    }

    /// The place of the next token.
    fn here(&self) -> Span {
        self.tokens.get(self.next).map_or(self.behind, |(_, span)| *span)
    }

    /// The place from a token to the last one taken.
    fn since(&self, first: Span) -> Span {
        let last = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        first.to(last.map_or(first, |(_, span)| *span))
    }

    fn take(&mut self, sign: &'static str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some((Token::Sign(s), _)) if *s == sign);
        self.next += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &'static str) -> Result<(), Diagnostic> {
        if self.take(sign) { Ok(()) } else { Err(unexpected(self.here(), &format!("`{sign}`"))) }
    }

    fn name(&mut self, expected: &str) -> Result<Name, Diagnostic> {
        let Some((Token::Word(word), span)) = self.tokens.get(self.next) else {
            return Err(unexpected(self.here(), expected));
        };
        self.next += 1;
        Ok(Name { text: word.clone(), span: *span })
    }

    fn word(&mut self, word: &str) -> Result<(), Diagnostic> {
        let expected = format!("`{word}`");
        let name = self.name(&expected)?;
        if name.text == word { Ok(()) } else { Err(unexpected(name.span, &expected)) }
    }

    fn number(&mut self) -> Result<i64, Diagnostic> {
        let Some((Token::Number(number), _)) = self.tokens.get(self.next) else {
            return Err(unexpected(self.here(), "a number"));
        };
        self.next += 1;
        Ok(*number)
    }

    fn end(&self) -> Result<(), Diagnostic> {
        if self.next == self.tokens.len() {
            Ok(())
        } else {
            Err(unexpected(self.here(), "the end of the line"))
        }
    }

    fn counter(&mut self) -> Result<Counter, Diagnostic> {
        let name = self.name("the name of a counter")?;
        let lo = self.number()?;
        self.sign("..")?;
        let hi = self.number()?;
        self.sign("=")?;
        let initial = self.number()?;
        Ok(Counter { span: self.since(name.span), name, lo, hi, initial })
    }

    fn rule(&mut self) -> Result<Rule, Diagnostic> {
        let name = self.name("the name of a rule")?;
        self.sign(":")?;
        let conditions = self.conditions()?;
        self.sign("->")?;
        let mut changes = vec![self.change()?];
        while self.take(",") {
            changes.push(self.change()?);
        }
        Ok(Rule { span: self.since(name.span), name, conditions, changes })
    }

    fn goal(&mut self) -> Result<Goal, Diagnostic> {
        let name = self.name("the name of a goal")?;
        self.sign(":")?;
        Ok(Goal { name, conditions: self.conditions()? })
    }

    fn conditions(&mut self) -> Result<Vec<Condition>, Diagnostic> {
        let mut conditions = vec![self.condition()?];
        while self.take(",") {
            conditions.push(self.condition()?);
        }
        Ok(conditions)
    }

    fn condition(&mut self) -> Result<Condition, Diagnostic> {
        let counter = self.name("a counter")?;
        let comparisons = [("=", Comparison::Equal), ("<", Comparison::Less), (">", Comparison::Greater)];
        let Some((_, comparison)) = comparisons.into_iter().find(|(sign, _)| self.take(sign)) else {
            return Err(unexpected(self.here(), "`=`, `<` or `>`"));
        };
        Ok(Condition { counter, comparison, number: self.number()? })
    }

    fn change(&mut self) -> Result<Change, Diagnostic> {
        let counter = self.name("a counter")?;
        let operations = [("=", Operation::Set), ("+=", Operation::Add), ("-=", Operation::Subtract)];
        let Some((_, operation)) = operations.into_iter().find(|(sign, _)| self.take(sign)) else {
            return Err(unexpected(self.here(), "`=`, `+=` or `-=`"));
        };
        let number = self.number()?;
        Ok(Change { span: self.since(counter.span), counter, operation, number })
    }

    fn question(&mut self) -> Result<Question, Diagnostic> {
        let start = self.here();
        self.word("chance")?;
        self.word("of")?;
        let goal = self.name("a goal")?;
        let within = match self.end() {
            Ok(()) => None,
            Err(_) => {
                self.word("within")?;
                Some(self.number()?)
            }
        };
        Ok(Question { span: self.since(start), goal, within })
    }
}
