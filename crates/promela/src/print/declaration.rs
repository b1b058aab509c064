//! Prints declarations.

use super::expr::{expr, list};
use crate::ast::{Declaration, Exprs, Initial, TypeName, Variable};

/// Declarations with semicolons between them.
pub(super) fn declarations(exprs: &Exprs, all: &[Declaration]) -> String {
    let all: Vec<String> = all.iter().map(|one| declaration(exprs, one)).collect();
    all.join("; ")
}

/// A declaration without a semicolon.
pub(super) fn declaration(exprs: &Exprs, declaration: &Declaration) -> String {
    let mut out = String::new();
    let visibility = declaration.visibility;
    for (is, word) in
        [(visibility.hidden, "hidden "), (visibility.show, "show "), (visibility.local, "local ")]
    {
        if is {
            out.push_str(word);
        }
    }
    let variables: Vec<String> = declaration.variables.iter().map(|one| variable(exprs, one)).collect();
    out + &type_name(&declaration.ty) + " " + &variables.join(", ")
}

fn type_name(ty: &TypeName) -> String {
    match ty {
        TypeName::Bit => "bit".into(),
        TypeName::Bool => "bool".into(),
        TypeName::Byte => "byte".into(),
        TypeName::Pid => "pid".into(),
        TypeName::Short => "short".into(),
        TypeName::Int => "int".into(),
        TypeName::Unsigned => "unsigned".into(),
        TypeName::Mtype(None) => "mtype".into(),
        TypeName::Mtype(Some(set)) => format!("mtype : {}", set.text),
        TypeName::Chan => "chan".into(),
        TypeName::User(name) => name.text.clone(),
    }
}

fn variable(exprs: &Exprs, variable: &Variable) -> String {
    let mut out = variable.name.text.clone();
    if let Some(length) = variable.length {
        out += &format!("[{}]", expr(exprs, length));
    }
    if let Some(bits) = variable.bits {
        out += &format!(" : {}", expr(exprs, bits));
    }
    match &variable.initial {
        None => {}
        Some(Initial::Value(value)) => out += &format!(" = {}", expr(exprs, *value)),
        Some(Initial::List(values)) => out += &format!(" = {{ {} }}", list(exprs, values)),
        Some(Initial::Channel(channel)) => {
            let fields: Vec<String> = channel.fields.iter().map(type_name).collect();
            out += &format!(" = [{}] of {{ {} }}", expr(exprs, channel.capacity), fields.join(", "));
        }
    }
    out
}
