//! `--const`: texts such as `N=4,T=0:10:200` as names with values.
//!
//! Only the form is checked here; a value meets its type where the language knows the declaration. Several values
//! are a range, `first:last` or `first:step:last` (module `range`), or a list: an item without `=` is one more
//! value of the constant before it, as in `p=0.1,0.2,0.5,N=4`. No shell treats these characters specially.

use crate::range::{self, MOST_VALUES};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::ConstantValue;

/// A constant given on the command line, with the values that it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// Its name.
    pub name: String,
    /// Its values, at least one.
    pub values: Vec<ConstantValue>,
    /// Whether a range or a list was given, were it one of a single value.
    pub is_sweep: bool,
}

/// What names and values may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Constants of a language: values are numbers, truth values and expressions.
    Constants,
    /// Parameters of a machine or a study: names may have dots, and values may be words.
    Parameters,
}

/// Reads the arguments of all `--const` options. Spaces around names, values and commas do not count.
pub fn parse<S: AsRef<str>>(arguments: &[S]) -> (Vec<Swept>, Vec<Diagnostic>) {
    read(arguments, Form::Constants)
}

/// Reads values of parameters, as in `protocol=MESI,MOESI,l1d.size=4096`: names may have dots, and values may be words.
pub fn parse_parameters<S: AsRef<str>>(arguments: &[S]) -> (Vec<Swept>, Vec<Diagnostic>) {
    read(arguments, Form::Parameters)
}

fn read<S: AsRef<str>>(arguments: &[S], form: Form) -> (Vec<Swept>, Vec<Diagnostic>) {
    let mut given: Vec<Swept> = Vec::new();
    let mut diagnostics = Vec::new();
    for argument in arguments {
        let mut here: Vec<Swept> = Vec::new();
        for item in argument.as_ref().split(',') {
            match parse_item(item.trim(), form, &mut here) {
                Ok(()) => {}
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        for new in here {
            match given.iter().find(|known| known.name == new.name) {
                Some(first) if first.values != new.values => diagnostics.push(twice(first, &new)),
                Some(_) => {}
                None => given.push(new),
            }
        }
    }
    (given, diagnostics)
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(codes::BAD_CONST_OPTION, message)
}

fn twice(first: &Swept, second: &Swept) -> Diagnostic {
    let shown = |swept: &Swept| match swept.values.as_slice() {
        [one] => one.to_string(),
        several => format!("{} ... {}", several[0], several[several.len() - 1]),
    };
    bad(format!("the constant `{}` is given twice", first.name)).note(format!(
        "once as {}, once as {}",
        shown(first),
        shown(second)
    ))
}

/// One item between commas: a constant with its value or range, or one more value of the last constant.
fn parse_item(item: &str, form: Form, given: &mut Vec<Swept>) -> Result<(), Diagnostic> {
    let example = match form {
        Form::Constants => {
            "write --const NAME=VALUE, several separated by commas: --const N=4,p=0.5,fast=true"
        }
        Form::Parameters => {
            "write --const NAME=VALUE, or NAME=VALUE,VALUE: --const cores=1,2,4,protocol=MESI"
        }
    };
    if item.is_empty() {
        return Err(bad("a constant is missing in `--const`".into()).help(example));
    }
    let Some((name, value)) = item.split_once('=') else {
        let is_value = form == Form::Parameters || item == "true" || item == "false" || !is_name(item, form);
        return match given.last_mut().filter(|_| is_value) {
            Some(last) => {
                last.is_sweep = true;
                last.values.extend(values(&last.name, item)?);
                if last.values.len() > MOST_VALUES { Err(range::too_many(&last.name)) } else { Ok(()) }
            }
            None => Err(bad(format!("`{item}` has no value")).help(example)),
        };
    };
    let (name, value) = (name.trim(), value.trim());
    if !is_name(name, form) {
        return Err(bad(format!("`{name}` is not a valid constant name")).help(example));
    }
    if value.is_empty() {
        return Err(bad(format!("the constant `{name}` has no value")).help(example));
    }
    let is_sweep = value.contains(':');
    let new = Swept { name: name.to_owned(), values: values(name, value)?, is_sweep };
    match given.iter().find(|known| known.name == new.name) {
        Some(first) if first.values != new.values => Err(twice(first, &new)),
        Some(_) => Ok(()),
        None => {
            given.push(new);
            Ok(())
        }
    }
}

/// The values that a text stands for.
fn values(name: &str, text: &str) -> Result<Vec<ConstantValue>, Diagnostic> {
    Ok(range::values(name, text)?.into_iter().map(ConstantValue::from).collect())
}

fn is_name(text: &str, form: Form) -> bool {
    let in_name = |(i, c): (usize, char)| match c {
        '0'..='9' => i > 0,
        '.' => i > 0 && form == Form::Parameters,
        _ => c == '_' || c.is_ascii_alphabetic(),
    };
    !text.is_empty() && text.chars().enumerate().all(in_name)
}
