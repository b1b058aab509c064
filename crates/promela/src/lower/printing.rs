//! What a model prints, for simulations.
//!
//! A statement that prints notes which it is and its arguments in fields that only it writes; who takes the step reads
//! them from the state behind it, and empties them. A whole `d_step` prints in one step, with the values in between.

use super::expression::Access;
use super::statements::Op;
use super::types::Scalar;
use super::variables::Scope;
use super::{Lowered, Lowering};
use crate::ast;
use std::fmt::Write;
use volvelle_kernel::{BinaryOp, ExprId, Stmt, Type as Ty};
use volvelle_model::{Domain, FieldId};

/// Numbers that a step can note. What is printed behind them in the same step is lost.
const LOG_LENGTH: u32 = 512;

/// A statement that prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// Text with `%d` and its kin, escapes as written.
    pub format: String,
    /// The sets of names that the arguments belong to, where they belong to one.
    pub arguments: Vec<Option<u32>>,
}

/// How steps tell what they print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printing {
    /// Global field: how many numbers are noted. To be set to 0 before the next step.
    pub length: Option<FieldId>,
    /// Global field: for each print its number, then its arguments.
    pub log: Option<FieldId>,
    /// The statements, by number.
    pub prints: Vec<Print>,
}

impl Lowering<'_> {
    /// Declares the fields, if printing is wanted.
    pub(super) fn printing_fields(&mut self, place: ast::Place) {
        if self.printing.is_none() {
            return;
        }
        let count = Domain::Int { lo: 0, hi: i64::from(LOG_LENGTH) };
        let length = self.field(":printed".into(), count, None, 1, place);
        let log = self.field(":print".into(), Scalar::Int.domain(), None, LOG_LENGTH, place);
        if let Some(printing) = &mut self.printing {
            (printing.length, printing.log) = (Some(length), Some(log));
        }
    }

    /// A step that prints, and does nothing else.
    pub(super) fn print(&mut self, scope: &Scope, format: &str, args: &[ast::ExprId]) -> Option<Vec<Op>> {
        let mut values = Vec::with_capacity(args.len());
        let mut arguments = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.expr(scope, arg)?);
            arguments.push(self.set_of(scope, arg));
        }
        let always = self.program.exprs.bool(true);
        let mut op = Op { guard: always, role: volvelle_model::Role::Alone, effect: Vec::new() };
        // A claim observes; what it prints is nobody's step.
        let fields = self.printing.as_ref().and_then(|p| p.length.zip(p.log));
        if let (Some((length, log)), Some(_)) = (fields, scope.process) {
            let number = self.printing.as_ref().map_or(0, |p| p.prints.len());
            let number = self.number(number as i64);
            let needed = 1 + values.len() as i64;
            let mut then = Vec::new();
            for (i, value) in std::iter::once(number).chain(values).enumerate() {
                let element = Some(self.position(length, i as i64));
                then.push(self.write(Access::own(log, Scalar::Int, element), value));
            }
            let value = self.position(length, needed);
            then.push(self.program.set(volvelle_model::Place::Field(length), value));
            let most = self.program.exprs.i64(i64::from(LOG_LENGTH));
            let cond = self.program.exprs.binary(BinaryOp::Le, value, most);
            op.effect.push(Stmt::If { cond, then, otherwise: Vec::new() });
            if let Some(printing) = &mut self.printing {
                printing.prints.push(Print { format: format.to_owned(), arguments });
            }
        }
        Some(vec![op])
    }

    fn position(&mut self, length: FieldId, offset: i64) -> ExprId {
        let length = self.program.field(length);
        let e = &mut self.program.exprs;
        debug_assert_eq!(e.ty(length), Ty::I64);
        let offset = e.i64(offset);
        e.binary(BinaryOp::Add, length, offset)
    }

    /// The set of names of an expression that is a variable or a name.
    fn set_of(&mut self, scope: &Scope, arg: ast::ExprId) -> Option<u32> {
        let path = self.path(arg)?;
        let name = path.name.text.clone();
        let members: Vec<String> = path.members.iter().map(|m| m.text.clone()).collect();
        let Some(variable) = self.lookup(scope, &name) else {
            return self.mtypes.values.get(&name).map(|&(set, _)| set);
        };
        let leaf = self.variables[variable.0 as usize].leaves.iter().find(|l| l.path == members)?;
        match leaf.ty {
            Scalar::Mtype(set) => Some(set),
            _ => None,
        }
    }
}

impl Lowered {
    /// The text of what was noted: each print's number with its arguments.
    pub fn printed(&self, log: &[i64]) -> String {
        let mut out = String::new();
        let Some(printing) = &self.printing else { return out };
        let mut rest = log;
        while let Some((&number, behind)) = rest.split_first() {
            let Some(print) = usize::try_from(number).ok().and_then(|n| printing.prints.get(n)) else {
                break;
            };
            let Some((values, behind)) = behind.split_at_checked(print.arguments.len()) else { break };
            self.print_one(print, values, &mut out);
            rest = behind;
        }
        out
    }

    fn print_one(&self, print: &Print, values: &[i64], out: &mut String) {
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
                        Some((&value, &set)) => match self.argument(kind, value, set) {
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

    fn argument(&self, kind: char, value: i64, set: Option<u32>) -> Option<String> {
        let bits = value as u32;
        Some(match kind {
            'd' | 'i' => value.to_string(),
            'u' => bits.to_string(),
            'x' => format!("{bits:x}"),
            'o' => format!("{bits:o}"),
            'c' => char::from(value as u8).to_string(),
            'e' => {
                let sets = set.map_or(0..self.mtypes.sets.len() as u32, |s| s..s + 1);
                let name = sets.into_iter().find_map(|s| self.mtypes.name(s, value));
                name.map_or(value.to_string(), str::to_owned)
            }
            _ => return None,
        })
    }
}

/// Widest field of a format: more is a mistake, and would be written out.
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
