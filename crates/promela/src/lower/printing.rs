//! The text that a model prints, in simulations.
//!
//! A statement that prints notes its number and its arguments in fields that only such statements write; the simulator
//! reads them from the state after the step, and empties them. A `d_step` prints in one step, with the values at each print.

use super::types::Mtypes;
use std::fmt::Write;
use volvelle_model::FieldId;

/// Numbers that a step can note. Prints that do not fit in the same step are lost.
pub(super) const LOG_LENGTH: u32 = 512;

/// A statement that prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// The format, with conversions such as `%d`, escapes as written.
    pub format: String,
    /// The `mtype` set of each argument, where it has one.
    pub arguments: Vec<Option<u32>>,
}

/// The fields and statements through which steps print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printing {
    /// Global field: the number of noted numbers. The simulator sets it to 0 before the next step.
    pub length: Option<FieldId>,
    /// Global field: for each print its number, then its arguments.
    pub log: Option<FieldId>,
    /// The statements, by number.
    pub prints: Vec<Print>,
}

impl Printing {
    /// The text of a log: the number of each print, then its arguments.
    pub(super) fn text(&self, mtypes: &Mtypes, log: &[i64]) -> String {
        let mut out = String::new();
        let mut rest = log;
        while let Some((&number, behind)) = rest.split_first() {
            let Some(print) = usize::try_from(number).ok().and_then(|n| self.prints.get(n)) else {
                break;
            };
            let Some((values, behind)) = behind.split_at_checked(print.arguments.len()) else { break };
            print_one(mtypes, print, values, &mut out);
            rest = behind;
        }
        out
    }
}

/// Appends the text of one print.
fn print_one(mtypes: &Mtypes, print: &Print, values: &[i64], out: &mut String) {
    let mut arguments = values.iter().zip(&print.arguments);
    let mut chars = print.format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(c @ ('\\' | '"' | '\'')) => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => out.push('\\'),
            },
            '%' if chars.peek() == Some(&'%') => {
                chars.next();
                out.push('%');
            }
            '%' => {
                let mut flags = String::new();
                while let Some(flag) = chars.next_if(|c| c.is_ascii_digit() || *c == '-') {
                    flags.push(flag);
                }
                let Some(kind) = chars.next() else {
                    let _ = write!(out, "%{flags}");
                    continue;
                };
                match arguments.next() {
                    Some((&value, &set)) => match argument(mtypes, kind, value, set) {
                        Some(text) => pad(&text, &flags, out),
                        None => out.extend(['%', kind]),
                    },
                    None => {
                        let _ = write!(out, "%{flags}{kind}");
                    }
                }
            }
            c => out.push(c),
        }
    }
}

/// The text of an argument; `None` for an unknown kind of format.
fn argument(mtypes: &Mtypes, kind: char, value: i64, set: Option<u32>) -> Option<String> {
    let bits = value as u32;
    Some(match kind {
        'd' | 'i' => value.to_string(),
        'u' => bits.to_string(),
        'x' => format!("{bits:x}"),
        'o' => format!("{bits:o}"),
        'c' => char::from(value as u8).to_string(),
        'e' => {
            let sets = set.map_or(0..mtypes.sets.len() as u32, |s| s..s + 1);
            let name = sets.into_iter().find_map(|s| mtypes.name(s, value));
            name.map_or(value.to_string(), str::to_owned)
        }
        _ => return None,
    })
}
/// The greatest width of a conversion; greater ones are mistakes, and would fill the output.
const MAX_WIDTH: usize = 200;

/// `%-5d`, `%05d`
fn pad(text: &str, flags: &str, out: &mut String) {
    let left = flags.starts_with('-');
    let digits = flags.trim_start_matches('-');
    let width = digits.parse().unwrap_or(0usize).min(MAX_WIDTH);
    let missing = width.saturating_sub(text.chars().count());
    let (sign, number) = match text.strip_prefix('-') {
        Some(number) if digits.starts_with('0') && !left => ("-", number),
        _ => ("", text),
    };
    let fill = if digits.starts_with('0') && !left { "0" } else { " " }.repeat(missing);
    out.extend(if left {
        [text, &fill, ""]
    } else if sign.is_empty() {
        [&fill, text, ""]
    } else {
        [sign, &fill, number]
    });
}
