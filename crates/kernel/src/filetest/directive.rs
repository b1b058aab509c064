//! The `run` directive.

use crate::UnaryOp;
use crate::code::Exit;
use crate::entities::{Buffer, Site};
use crate::harness::Contents;
use crate::interp::{convert, unary};
use crate::kernel::{Access, Kernel};
use crate::text::{Cursor, ParseError, Token, literal};
use crate::types::{Const, Type};

/// A run and its expected outcome.
pub(super) struct Run<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) params: Vec<Const>,
    pub(super) before: Vec<Contents>,
    pub(super) exit: Exit,
    /// For every buffer that is not only read.
    pub(super) after: Vec<Option<Vec<Const>>>,
}

impl<'k> Run<'k> {
    pub(super) fn parse(text: &str, kernels: &'k [Kernel]) -> Result<Self, String> {
        let mut cursor = Cursor::new(text);
        let run = read(&mut cursor, kernels)
            .map_err(|e| format!("column {} of the run: {}", e.column, e.message))?;
        for (decl, after) in run.kernel.buffers.iter().zip(&run.after) {
            if (decl.access == Access::Read) == after.is_some() {
                return Err(format!(
                    "`{}`: contents are given for all buffers but those only read",
                    decl.name
                ));
            }
        }
        Ok(run)
    }
}

fn read<'k>(cursor: &mut Cursor<'_>, kernels: &'k [Kernel]) -> Result<Run<'k>, ParseError> {
    let name = cursor.name()?;
    let Some(kernel) = kernels.iter().find(|k| k.name == name) else {
        return Err(cursor.error(format!("there is no kernel `{name}`")));
    };
    cursor.expect("(")?;
    let mut params = Vec::new();
    for (i, decl) in kernel.locals[..kernel.params].iter().enumerate() {
        if i > 0 {
            cursor.expect(",")?;
        }
        params.push(value(cursor, decl.ty)?);
    }
    let nothing = |access| {
        if access == Access::Append { Contents::Room(0) } else { Contents::Elements(vec![]) }
    };
    let mut before: Vec<Contents> = kernel.buffers.iter().map(|d| nothing(d.access)).collect();
    if cursor.eat(";") {
        loop {
            let buffer = named(cursor, kernel)?;
            let decl = &kernel.buffers[buffer.index()];
            before[buffer.index()] = if decl.access == Access::Append {
                cursor.expect_word("room")?;
                Contents::Room(cursor.integer(Type::U32)? as usize)
            } else {
                Contents::Elements(list(cursor, decl.ty)?)
            };
            if !cursor.eat(",") {
                break;
            }
        }
    }
    cursor.expect(")")?;
    cursor.expect("==")?;
    let exit = exit(cursor, kernel)?;
    let mut after = vec![None; kernel.buffers.len()];
    if cursor.eat(";") {
        loop {
            let buffer = named(cursor, kernel)?;
            after[buffer.index()] = Some(list(cursor, kernel.buffers[buffer.index()].ty)?);
            if !cursor.eat(",") {
                break;
            }
        }
    }
    if cursor.peek() != Token::End {
        return Err(cursor.expected("the end"));
    }
    Ok(Run { kernel, params, before, exit, after })
}

/// `name =`.
fn named(cursor: &mut Cursor<'_>, kernel: &Kernel) -> Result<Buffer, ParseError> {
    let buffer = buffer(cursor, kernel)?;
    cursor.expect("=")?;
    Ok(buffer)
}

fn buffer(cursor: &mut Cursor<'_>, kernel: &Kernel) -> Result<Buffer, ParseError> {
    let name = cursor.name()?;
    match kernel.buffers.iter().position(|d| d.name == name) {
        Some(i) => Ok(Buffer(i as u32)),
        None => Err(cursor.error(format!("there is no buffer `{name}`"))),
    }
}

fn exit(cursor: &mut Cursor<'_>, kernel: &Kernel) -> Result<Exit, ParseError> {
    if cursor.eat_word("done") {
        return Ok(Exit::Done);
    }
    if cursor.eat_word("failed") {
        cursor.expect("(")?;
        let Token::Site(digits) = cursor.take() else {
            return Err(cursor.error("expected a site"));
        };
        cursor.expect(")")?;
        return match digits.parse() {
            Ok(n) => Ok(Exit::Failed(Site(n))),
            Err(_) => Err(cursor.error("the number is too large")),
        };
    }
    let full = cursor.eat_word("full");
    if !full && !cursor.eat_word("out_of_bounds") {
        return Err(cursor.expected("`done`, `failed`, `full` or `out_of_bounds`"));
    }
    cursor.expect("(")?;
    let buffer = buffer(cursor, kernel)?;
    cursor.expect(")")?;
    Ok(if full { Exit::Full(buffer) } else { Exit::OutOfBounds(buffer) })
}

fn list(cursor: &mut Cursor<'_>, ty: Type) -> Result<Vec<Const>, ParseError> {
    cursor.expect("[")?;
    let mut values = Vec::new();
    while !cursor.eat("]") {
        if !values.is_empty() {
            cursor.expect(",")?;
        }
        values.push(value(cursor, ty)?);
    }
    Ok(values)
}

/// A literal without suffix; `nan` and `inf` for floats.
fn value(cursor: &mut Cursor<'_>, ty: Type) -> Result<Const, ParseError> {
    let at = cursor.at();
    let negative = cursor.eat("-");
    let special = match cursor.peek() {
        Token::Number { digits, suffix: "" } => {
            cursor.take();
            return literal(negative, digits, ty).map_err(|why| cursor.error_at(at, why));
        }
        Token::Word("true") if ty == Type::Bool => return Ok(taken(cursor, Const::bool(true))),
        Token::Word("false") if ty == Type::Bool => return Ok(taken(cursor, Const::bool(false))),
        Token::Word("inf") if ty.is_float() => taken(cursor, Const::f64(f64::INFINITY)),
        Token::Word("nan") if ty.is_float() => taken(cursor, Const::f64(f64::NAN)),
        _ => return Err(cursor.expected(&format!("a value of type {ty}"))),
    };
    let value = convert(ty, special);
    Ok(if negative { unary(UnaryOp::Neg, value) } else { value })
}

fn taken(cursor: &mut Cursor<'_>, value: Const) -> Const {
    cursor.take();
    value
}

/// Lists of values, in the form in which they are read.
pub(super) fn show(buffers: &[Vec<Const>]) -> String {
    let list = |values: &Vec<Const>| {
        let values: Vec<String> = values.iter().map(show_value).collect();
        format!("[{}]", values.join(", "))
    };
    buffers.iter().map(list).collect::<Vec<_>>().join("; ")
}

fn show_value(c: &Const) -> String {
    match c.ty {
        Type::Bool => (c.bits != 0).to_string(),
        Type::U64 => c.bits.to_string(),
        Type::F32 => format!("{:?}", f32::from_bits(c.bits as u32)).to_lowercase(),
        Type::F64 => format!("{:?}", f64::from_bits(c.bits)).to_lowercase(),
        _ => (c.bits as i64).to_string(),
    }
}
