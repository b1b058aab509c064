//! The text of a kernel made ready for a parser of C.
//!
//! Comments, directives, attributes and the additions of OpenCL to C become blanks, so that all places stay
//! the user's. Annotations, macros and the places of address spaces are recorded separately.

mod expand;
mod macros;

pub(crate) use macros::Macro;

pub(crate) use expand::Origins;

use crate::expression::{Expr, Names, Values, parse_c};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A keyword of OpenCL that was blanked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Kernel,
    Global,
    Constant,
    Local,
    Private,
    /// `reqd_work_group_size`, with the place of its arguments.
    RequiredSize(usize, usize),
}

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Place of the text after `volvelle:`.
    pub body: Range<usize>,
    /// Whether code precedes it on its line: then it belongs to that code, otherwise to the code that
    /// follows.
    pub trailing: bool,
}

/// A text with only C left in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleaned {
    /// As long as the original, unless macros were expanded.
    pub code: String,
    /// Keywords of OpenCL, by place.
    pub marks: Vec<(usize, Mark)>,
    /// Annotations, by place.
    pub notes: Vec<Note>,
    /// Macros that the text defines.
    pub macros: HashMap<String, Macro>,
    /// Where places of the code come from.
    pub origins: Origins,
}

impl Cleaned {
    /// Marks within a range.
    pub fn marks_in(&self, range: Range<usize>) -> impl Iterator<Item = Mark> + '_ {
        let from = self.marks.partition_point(|&(at, _)| at < range.start);
        self.marks[from..].iter().take_while(move |&&(at, _)| at < range.end).map(|&(_, mark)| mark)
    }

    /// The end of the code before `at`: marks after it belong to the declaration that begins at `at`.
    pub fn code_before(&self, at: usize) -> usize {
        self.code[..at].trim_end().len()
    }
}

/// Removes comments and collects the annotations among them.
pub(crate) fn without_comments(text: &str) -> Cleaned {
    let mut code = text.as_bytes().to_vec();
    let mut notes = Vec::new();
    let mut at = 0;
    while at < code.len() {
        match (code[at], code.get(at + 1)) {
            (quote @ (b'"' | b'\''), _) => {
                at += 1;
                while at < code.len() && code[at] != quote && code[at] != b'\n' {
                    at += if code[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            (b'/', Some(b'/')) => {
                let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
                note(text, &code, at..end, &mut notes);
                blank(&mut code, at..end);
                at = end;
            }
            (b'/', Some(b'*')) => {
                let end = text[at + 2..].find("*/").map_or(text.len(), |length| at + length + 4);
                let inside = if text[..end].ends_with("*/") && end >= at + 4 { end - 2 } else { end };
                note(text, &code, at..inside, &mut notes);
                blank(&mut code, at..end);
                at = end;
            }
            _ => at += 1,
        }
    }
    Cleaned { code: into_text(code), notes, ..Cleaned::default() }
}

fn into_text(code: Vec<u8>) -> String {
    // Whole characters become blanks, byte by byte.
    String::from_utf8(code).unwrap_or_default()
}

fn blank(code: &mut [u8], range: Range<usize>) {
    for byte in &mut code[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// `range` is the comment with its start sign.
fn note(text: &str, code: &[u8], range: Range<usize>, notes: &mut Vec<Note>) {
    let content = &text[range.start + 2..range.end];
    let content = content.trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '/');
    let Some(body) = content.strip_prefix("volvelle:") else { return };
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let trailing = code[line..range.start].iter().any(|byte| !byte.is_ascii_whitespace());
    notes.push(Note { body: range.end - body.len()..range.end, trailing });
}

/// What conditions of directives are evaluated with.
pub(crate) struct Definitions<'a> {
    /// Parameters and constants of the build: macros with a value.
    pub defined: &'a HashSet<String>,
    /// The values of those that are constant.
    pub constants: &'a HashMap<String, i64>,
}

/// What directives leave undecided.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The first parameter without a value in a condition, and where that stands.
    pub condition: Option<(String, Span)>,
    /// The first `#error` that was reached, and where it stands.
    pub error: Option<(String, Span)>,
    /// Texts of `#pragma`s.
    pub pragmas: Vec<String>,
}

/// Evaluates directives, and blanks them, skipped lines and the keywords of OpenCL. Conditions that depend on
/// a parameter without a value count as false.
pub(crate) fn preprocess(
    cleaned: &mut Cleaned,
    file: FileId,
    definitions: &Definitions<'_>,
    found: &mut Vec<Diagnostic>,
) -> Open {
    let text = std::mem::take(&mut cleaned.code);
    let mut code = text.clone().into_bytes();
    let mut conditions: Vec<Condition> = Vec::new();
    let mut open = Open::default();
    let mut former = HashMap::new();
    let mut start = 0;
    while start < text.len() {
        let mut end = line_end(&text, start);
        let is_directive = text[start..end].trim_start().starts_with('#');
        while is_directive && text[start..end].trim_end().ends_with('\\') && end < text.len() {
            end = line_end(&text, end);
        }
        if is_directive {
            let range = start..end;
            let (open, former) = (&mut open, &mut former);
            let mut directive = Directive { text: &text, range, file, definitions, open, former, found };
            directive.obey(&mut conditions, &mut cleaned.macros);
            blank(&mut code, start..end);
        } else if conditions.iter().any(|condition| !condition.active) {
            blank(&mut code, start..end);
        }
        start = end;
    }
    let (text, origins) = match expand::expand(&into_text(code), &cleaned.macros) {
        Ok(expanded) => expanded,
        Err(at) => {
            let message = "this macro makes the text larger than 1 MiB";
            found.push(Diagnostic::error(codes::KERNEL_TEXT, message).at(Span::new(file, at, at + 1), ""));
            (String::new(), Origins::default())
        }
    };
    let mut code = text.clone().into_bytes();
    keywords(&text, &mut code, &mut cleaned.marks);
    (cleaned.code, cleaned.origins) = (into_text(code), origins);
    open
}

fn line_end(text: &str, start: usize) -> usize {
    text[start..].find('\n').map_or(text.len(), |length| start + length + 1)
}

struct Condition {
    /// Whether the lines of the current branch count.
    active: bool,
    /// Whether a branch has counted.
    decided: bool,
}

struct Directive<'a> {
    text: &'a str,
    range: Range<usize>,
    file: FileId,
    definitions: &'a Definitions<'a>,
    open: &'a mut Open,
    /// Macros that were undefined, with the text that they had.
    former: &'a mut HashMap<String, Macro>,
    found: &'a mut Vec<Diagnostic>,
}

impl Directive<'_> {
    fn obey(&mut self, conditions: &mut Vec<Condition>, macros: &mut HashMap<String, Macro>) {
        let line = self.text[self.range.clone()].replace("\\\n", " ");
        let line = line.trim_start().trim_start_matches('#').trim();
        let length = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
        let (word, rest) = line.split_at(length);
        let rest = rest.trim();
        let is_active = conditions.iter().all(|condition| condition.active);
        let is_defined = |name: &str| self.definitions.defined.contains(name) || macros.contains_key(name);
        match word {
            "ifdef" => conditions.push(Condition { active: is_defined(rest), decided: is_defined(rest) }),
            "ifndef" => conditions.push(Condition { active: !is_defined(rest), decided: !is_defined(rest) }),
            "if" => {
                let active = is_active && self.test(rest, macros);
                conditions.push(Condition { active, decided: active });
            }
            // Of C 23.
            "elifdef" | "elifndef" => match conditions.pop() {
                Some(last) => {
                    let outer = conditions.iter().all(|condition| condition.active);
                    let active = outer && !last.decided && is_defined(rest) == (word == "elifdef");
                    conditions.push(Condition { active, decided: last.decided || active });
                }
                None => self.report(format!("`#{word}` without `#if`")),
            },
            "elif" | "else" => match conditions.pop() {
                Some(last) => {
                    let outer = conditions.iter().all(|condition| condition.active);
                    let active = outer && !last.decided && (word == "else" || self.test(rest, macros));
                    conditions.push(Condition { active, decided: last.decided || active });
                }
                None => self.report(format!("`#{word}` without `#if`")),
            },
            "endif" if conditions.pop().is_none() => self.report("`#endif` without `#if`".to_owned()),
            "define" if is_active => self.define(rest, macros),
            "undef" if is_active => {
                if let Some(former) = macros.remove(rest) {
                    self.former.insert(rest.to_owned(), former);
                }
            }
            "pragma" if is_active => self.open.pragmas.push(rest.to_owned()),
            "error" if is_active => {
                let span = self.span();
                self.open.error.get_or_insert_with(|| (format!("`#error {rest}`"), span));
            }
            _ => {}
        }
    }

    fn define(&mut self, rest: &str, macros: &mut HashMap<String, Macro>) {
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, body) = rest.split_at(length);
        if self.definitions.defined.contains(name) {
            let message = format!("`{name}` is a parameter, but the text gives it a value");
            let help = format!("write `#ifndef {name}` before it and `#endif` behind it");
            let span = self.span();
            self.found.push(Diagnostic::error(codes::KERNEL_TEXT, message).at(span, "").help(help));
            return;
        }
        let with_arguments = body.strip_prefix('(').and_then(|inner| inner.split_once(')'));
        let (arguments, body) = match with_arguments {
            Some((list, body)) => {
                let names = list.split(',').map(|name| name.trim().to_owned()).collect();
                (Some(names), body)
            }
            None => (None, body),
        };
        let former = macros.insert(name.to_owned(), Macro { arguments, body: body.trim().to_owned() });
        if let Some(former) = former.or_else(|| self.former.remove(name)) {
            self.break_circle(name, &former, macros);
        }
    }

    /// Handles a macro that is redefined with the help of its former text: `#define PAD (32 - ROW % 32)`,
    /// `#undef ROW`, `#define ROW (64 + PAD)`. In C, the name within its own expansion stays an undefined
    /// name; here the former text is meant.
    fn break_circle(&mut self, name: &str, former: &Macro, macros: &mut HashMap<String, Macro>) {
        let (mut reached, mut seen) = (Vec::new(), vec![name.to_owned()]);
        let mut next = 0;
        while let Some(from) = seen.get(next).cloned() {
            next += 1;
            let Some(known) = macros.get(&from) else { continue };
            for word in expand::words(&known.body) {
                let word = &known.body[word];
                if word == name && !reached.contains(&from) {
                    reached.push(from.clone());
                } else if macros.contains_key(word) && !seen.iter().any(|known| known == word) {
                    seen.push(word.to_owned());
                }
            }
        }
        if reached.is_empty() || former.arguments.is_some() {
            return;
        }
        for user in reached {
            if let Some(user) = macros.get_mut(&user) {
                user.body = expand::with_word(&user.body, name, &former.body);
            }
        }
        let message = format!("the text of `{name}` comes back to `{name}`: its former text is taken there");
        let help = "compilers refuse the name; give the former value a name of its own";
        let span = self.span();
        self.found.push(Diagnostic::warning(codes::KERNEL_TEXT, message).at(span, "").help(help));
    }

    fn span(&self) -> Span {
        let content = self.text[self.range.clone()].trim_end();
        Span::new(self.file, self.range.start, self.range.start + content.len())
    }

    fn report(&mut self, message: String) {
        let span = self.span();
        self.found.push(Diagnostic::error(codes::KERNEL_TEXT, message).at(span, ""));
    }

    /// The value of a condition of `#if`.
    fn test(&mut self, text: &str, macros: &HashMap<String, Macro>) -> bool {
        let text = expand::condition(&self.without_defined(text, macros), macros);
        let mut names = Names::default();
        let Ok(mut expr) = parse_c(&text, &mut names) else {
            self.report("this condition is not an expression over whole numbers".to_owned());
            return false;
        };
        let constants = self.definitions.constants;
        expr = expr.replace(&mut |leaf| match leaf {
            Expr::Name(id) => match names.text(*id) {
                name if constants.contains_key(name) => constants.get(name).map(|value| Expr::Int(*value)),
                "__OPENCL_VERSION__" | "__OPENCL_C_VERSION__" => Some(Expr::Int(120)),
                name if self.definitions.defined.contains(name) => None,
                // In conditions of directives, undefined names count as 0.
                _ => Some(Expr::Int(0)),
            },
            _ => None,
        });
        let mut open = None;
        expr.leaves(&mut |leaf| {
            if let Expr::Name(id) = leaf {
                open = open.or(Some(*id));
            }
        });
        if let Some(id) = open {
            let (name, span) = (names.text(id).to_owned(), self.span());
            self.open.condition.get_or_insert((name, span));
            return false;
        }
        expr.holds(&Values::of(&[])).unwrap_or(false)
    }

    /// `defined(X)` and `defined X` become 0 or 1.
    fn without_defined(&self, text: &str, macros: &HashMap<String, Macro>) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("defined") {
            out.push_str(&rest[..at]);
            rest = rest[at + "defined".len()..].trim_start();
            let parentheses = rest.starts_with('(');
            rest = rest.trim_start_matches('(').trim_start();
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = &rest[..length];
            let known = self.definitions.defined.contains(name) || macros.contains_key(name);
            out.push(if known { '1' } else { '0' });
            rest = rest[length..].trim_start();
            if parentheses {
                rest = rest.strip_prefix(')').unwrap_or(rest);
            }
        }
        out + rest
    }
}

/// Blanks keywords that C does not have, and records their places.
fn keywords(text: &str, code: &mut [u8], marks: &mut Vec<(usize, Mark)>) {
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at] == b'"' || bytes[at] == b'\'' {
            let quote = bytes[at];
            at += 1;
            while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            continue;
        }
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !is_letter(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len()).find(|&end| !is_letter(bytes[end])).unwrap_or(bytes.len());
        let word = &text[at..end];
        let mark = match word.trim_start_matches("__") {
            "kernel" => Some(Mark::Kernel),
            // Keywords that the grammar of C does not have.
            "restrict__" | "inline__" | "volatile__" | "const__" | "forceinline" | "restrict"
            | "extension__" => {
                blank(code, at..end);
                None
            }
            "global" => Some(Mark::Global),
            "constant" => Some(Mark::Constant),
            "local" => Some(Mark::Local),
            "private" => Some(Mark::Private),
            "read_only" | "write_only" | "read_write" => Some(Mark::Global),
            _ => None,
        };
        if let Some(mark) = mark {
            marks.push((at, mark));
            blank(code, at..end);
        } else if word == "__attribute__" || word == "__attribute" {
            let close = closing(bytes, end);
            if let Some(name) = text[end..close].find("reqd_work_group_size") {
                let open = text[end + name..close].find('(').map(|open| end + name + open);
                if let Some(open) = open {
                    let inner = closing(bytes, open);
                    marks.push((at, Mark::RequiredSize(open + 1, inner.saturating_sub(1).max(open + 1))));
                }
            }
            blank(code, at..close);
            at = close;
            continue;
        }
        at = end;
    }
}

/// The place after the parenthesis that closes the first one at or after `from`.
fn closing(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return at + 1,
            b')' => depth -= 1,
            _ if depth == 0 && !byte.is_ascii_whitespace() => return at,
            _ => {}
        }
    }
    bytes.len()
}
