//! Reading launch descriptions from annotations.

use super::{Argument, Choice, Compare, Constraint, Element, Fill, Launch, NamedArgument, Parameter};
use crate::expression::{Expr, Names, parse};
use std::ops::Range;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// An item of an annotation: the words before `=`, and the text after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Words before `=`.
    pub words: Vec<String>,
    /// Place of the words.
    pub head: Range<usize>,
    /// Place of the text after `=`; without `=`, of the text after the first word.
    pub body: Range<usize>,
}

/// Splits the text of an annotation, `text[range]`.
pub(crate) fn items(text: &str, range: Range<usize>) -> Vec<Item> {
    let mut pieces = Vec::new();
    let (mut start, mut depth) = (range.start, 0_i32);
    for (at, c) in text[range.clone()].char_indices() {
        let at = at + range.start;
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' => {
                pieces.push(start..at);
                start = at + 1;
            }
            ',' if depth <= 0 && begins_item(&text[at + 1..range.end]) => {
                pieces.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(start..range.end);
    pieces.into_iter().filter_map(|piece| item(text, piece)).collect()
}

/// Whether the text continues with `name =` or `word name =`.
fn begins_item(text: &str) -> bool {
    equals(text).is_some_and(|at| {
        let words: Vec<&str> = text[..at].split_whitespace().collect();
        let is_name = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_alphabetic())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        matches!(words.len(), 1 | 2) && words.iter().all(is_name)
    })
}

/// The place of the first `=` that is not part of a comparison.
fn equals(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|&at| {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        bytes[at] == b'=' && bytes.get(at + 1) != Some(&b'=') && !matches!(before, b'=' | b'<' | b'>' | b'!')
    })
}

fn item(text: &str, piece: Range<usize>) -> Option<Item> {
    let piece = trim(text, piece);
    if piece.is_empty() {
        return None;
    }
    let content = &text[piece.clone()];
    // A condition may contain anything.
    let first = content.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(content.len());
    let (head, body) = match equals(content).filter(|_| &content[..first] != "constraint") {
        Some(at) => (piece.start..piece.start + at, piece.start + at + 1..piece.end),
        None => (piece.start..piece.start + first, piece.start + first..piece.end),
    };
    let words = text[head.clone()].split_whitespace().map(str::to_owned).collect();
    Some(Item { words, head: trim(text, head), body: trim(text, body) })
}

pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let content = &text[range.clone()];
    let start = range.start + content.len() - content.trim_start().len();
    start..(start + content.trim().len())
}

/// Where to report.
pub(crate) struct Place<'t> {
    pub file: FileId,
    pub text: &'t str,
}

impl Place<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }
}

/// Parses an expression in the text of an annotation.
pub(crate) fn read_expression(
    place: &Place<'_>,
    range: Range<usize>,
    names: &mut Names,
    found: &mut Vec<Diagnostic>,
) -> Option<Expr> {
    let range = trim(place.text, range);
    match parse(&place.text[range.clone()], names) {
        Ok(expr) => Some(expr),
        Err(mistake) => {
            let at = range.start + mistake.at.start..range.start + mistake.at.end;
            let help = "annotations contain whole-number expressions over parameters and `size`";
            found.push(
                Diagnostic::error(codes::KERNEL_ANNOTATION, mistake.message)
                    .at(place.span(at), "")
                    .help(help),
            );
            None
        }
    }
}

const KEYS: [&str; 8] =
    ["kernel", "size", "parameter", "constraint", "global", "local", "argument", "reference"];

/// Reads the items that describe the launch. Returns the items that it does not know: they belong to
/// statements.
pub(crate) fn read(
    place: &Place<'_>,
    items: &[Item],
    names: &mut Names,
    found: &mut Vec<Diagnostic>,
) -> Launch {
    let mut launch = Launch::default();
    for item in items {
        let mut reader = Reader { place, names, found };
        let words: Vec<&str> = item.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["kernel"] => {
                let name = place.text[item.body.clone()].to_owned();
                launch.kernel = Some((name, place.span(item.body.clone())));
            }
            ["size"] => launch.size = reader.expression(item.body.clone()),
            ["parameter", name] => reader.parameter(name, item, &mut launch),
            ["constraint"] => {
                if let Some(test) = reader.expression(item.body.clone()) {
                    let reason = format!("`{}`", &place.text[item.body.clone()]);
                    launch.constraints.push(Constraint { test, reason });
                }
            }
            ["global"] => launch.global = reader.list(item.body.clone(), 3),
            ["local"] => launch.local = reader.list(item.body.clone(), 3),
            ["argument", name] => {
                if let Some(argument) = reader.argument(item) {
                    let span = place.span(item.head.clone());
                    launch.arguments.push(NamedArgument { name: (*name).to_owned(), span, argument });
                }
            }
            ["reference", name] => {
                if let Some(value) = reader.expression(item.body.clone()) {
                    let name = reader.names.intern(name);
                    launch.reference.push((name, value));
                }
            }
            [key, ..] => {
                let message = format!("an annotation cannot say `{}`", words.join(" "));
                let known = [&KEYS[..], &["trips", "taken", "cost"]].concat();
                let all = || format!("annotations begin with `{}`", known.join("`, `"));
                let span = reader.place.span(item.head.clone());
                let found = Diagnostic::error(codes::KERNEL_ANNOTATION, message).at(span, "");
                reader.found.push(found.misspelt_or(key, &known, all));
            }
            [] => reader.mistake("a name is missing before `=`", item.body.clone(), "write `name = value`"),
        }
    }
    launch
}

struct Reader<'a, 't> {
    place: &'a Place<'t>,
    names: &'a mut Names,
    found: &'a mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn mistake(&mut self, message: impl Into<String>, at: Range<usize>, help: impl Into<String>) {
        let span = self.place.span(at);
        self.found.push(Diagnostic::error(codes::KERNEL_ANNOTATION, message).at(span, "").help(help));
    }

    fn expression(&mut self, range: Range<usize>) -> Option<Expr> {
        read_expression(self.place, range, self.names, self.found)
    }

    /// Expressions separated by commas.
    fn list(&mut self, range: Range<usize>, most: usize) -> Vec<Expr> {
        let pieces = commas(self.place.text, range.clone());
        if pieces.len() > most {
            self.mistake(format!("there are at most {most} dimensions"), range, "leave out some");
            return Vec::new();
        }
        pieces.into_iter().filter_map(|piece| self.expression(piece)).collect()
    }

    fn parameter(&mut self, name: &str, item: &Item, launch: &mut Launch) {
        let name = self.names.intern(name);
        let body = item.body.clone();
        let content = &self.place.text[body.clone()];
        let call = |function: &str| {
            let inner = content.strip_prefix(function)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
            Some(body.end - 1 - inner.len()..body.end - 1)
        };
        let help = "write `powers(1, 64)`, `range(1, 8)`, `range(0, 64, 16)`, or values with commas";
        let choice = if let Some(inner) = call("powers") {
            match <[Expr; 2]>::try_from(self.list(inner, 3)) {
                Ok([first, last]) => Some(Choice::Powers(first, last)),
                Err(_) => return self.mistake("`powers` has a first and a last power", body, help),
            }
        } else if let Some(inner) = call("range") {
            let mut list = self.list(inner, 3);
            if list.len() == 2 {
                list.push(Expr::Int(1));
            }
            match <[Expr; 3]>::try_from(list) {
                Ok([first, last, step]) => Some(Choice::Range(first, last, step)),
                Err(_) => return self.mistake("`range` has a first and a last number", body, help),
            }
        } else {
            let list = self.list(body.clone(), usize::MAX);
            if list.is_empty() {
                return self.mistake("a parameter has values", body, help);
            }
            Some(Choice::List(list))
        };
        let span = Some(self.place.span(item.head.clone()));
        launch.parameters.retain(|known| known.name != name);
        launch.parameters.push(Parameter { name, span, choice });
    }

    /// `random int[size] -> each`, `local int[WG]`, `int size`.
    fn argument(&mut self, item: &Item) -> Option<Argument> {
        let help = "write `random int[size]`, `zero float[N * N] -> each`, `local int[WG]`, or `int size`";
        let body = item.body.clone();
        let content = &self.place.text[body.clone()];
        let (content, output) = match content.split_once("->") {
            Some((before, after)) => match after.trim() {
                "each" => (before, Some(Compare::Each)),
                "min" => (before, Some(Compare::Min)),
                "max" => (before, Some(Compare::Max)),
                "sum" => (before, Some(Compare::Sum)),
                _ => {
                    self.mistake("outputs are compared by `each`, `min`, `max` or `sum`", body, help);
                    return None;
                }
            },
            None => (content, None),
        };
        let mut words = content.trim_start();
        let mut next_word = || {
            let end = words.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(words.len());
            let word = &words[..end];
            let before = words;
            words = words[end..].trim_start();
            (word, before, words)
        };
        let (first, ..) = next_word();
        let kind = match first {
            "random" => Some(Some(Fill::Random)),
            "iota" => Some(Some(Fill::Iota)),
            "zero" => Some(Some(Fill::Zero)),
            "local" => Some(None),
            _ => None,
        };
        let (name, rest) = match kind {
            Some(_) => {
                let (name, _, rest) = next_word();
                (name, rest)
            }
            None => (first, words),
        };
        let Some((element, lanes)) =
            Element::of_vector(name).filter(|(_, lanes)| kind.is_some() || *lanes == 1)
        else {
            let known: Vec<&str> = Element::ALL.iter().map(|row| row.1).collect();
            self.mistake(
                format!("`{name}` is not a type of elements"),
                body,
                format!("{help}; types are {}, and for buffers vectors of them", known.join(", ")),
            );
            return None;
        };
        let rest = rest.trim_end();
        let end = body.start + content.trim_end().len();
        let Some(kind) = kind else {
            if matches!(element, Element::Float | Element::Double)
                && let Ok(value) = rest.parse::<f64>()
                && value.is_finite()
            {
                return Some(Argument::Real { element, value });
            }
            let value = self.expression(end - rest.len()..end)?;
            return Some(Argument::Scalar { element, value });
        };
        let Some(inner) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            self.mistake("the length is missing", body, help);
            return None;
        };
        let length = self.expression(end - 1 - inner.len()..end - 1)?;
        let length = crate::expression::mul(length, Expr::Int(lanes));
        Some(match kind {
            Some(fill) => Argument::Buffer { element, length, fill, output },
            None => Argument::Local { element, length },
        })
    }
}

/// Pieces between commas outside parentheses.
fn commas(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), range.start, 0_i32);
    for (at, c) in text[range.clone()].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                pieces.push(start..range.start + at);
                start = range.start + at + 1;
            }
            _ => {}
        }
    }
    pieces.push(start..range.end);
    pieces
}
