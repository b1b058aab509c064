//! Printer: a tree in, text out that parses to an equal tree, places apart.
//!
//! Macros and inlines are printed expanded. A statement that could not be parsed is printed as `⟨error⟩`,
//! which does not parse.

mod declaration;
mod expr;
mod statement;

pub use expr::expr;

use crate::ast::{Model, Proctype, Unit};
use declaration::{declaration, declarations};
use statement::body;
use std::fmt::Write;

/// A model as text.
pub fn model(model: &Model) -> String {
    let mut out = String::new();
    for unit in &model.units {
        print_unit(model, unit, &mut out);
        out.push('\n');
    }
    out
}

fn print_unit(model: &Model, unit: &Unit, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match unit {
        Unit::Declaration(found) => write!(out, "{};", declaration(&model.exprs, found)),
        Unit::Mtype { set, names, .. } => {
            let set = set.as_ref().map_or(String::new(), |set| format!(" : {}", set.text));
            let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
            write!(out, "mtype{set} = {{ {} }};", names.join(", "))
        }
        Unit::Typedef { name, fields, .. } => {
            write!(out, "typedef {} {{ {} }};", name.text, declarations(&model.exprs, fields))
        }
        Unit::Proctype(proctype) => {
            print_proctype(model, proctype, out);
            Ok(())
        }
        Unit::Never { name, body: sequence, .. } => {
            let name = name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
            write!(out, "never{name} {}", body(&model.exprs, sequence))
        }
        Unit::Trace { negated, body: sequence, .. } => {
            let word = if *negated { "notrace" } else { "trace" };
            write!(out, "{word} {}", body(&model.exprs, sequence))
        }
        Unit::Ltl { name, formula, .. } => {
            let name = name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
            write!(out, "ltl{name} {{ {} }}", expr(&model.exprs, *formula))
        }
    };
}

fn print_proctype(model: &Model, proctype: &Proctype, out: &mut String) {
    let exprs = &model.exprs;
    if let Some(count) = proctype.active {
        out.push_str("active ");
        if let Some(count) = count {
            let _ = write!(out, "[{}] ", expr(exprs, count));
        }
    }
    if proctype.is_init {
        out.push_str("init ");
    } else {
        let word = if proctype.deterministic { "D_proctype" } else { "proctype" };
        let parameters = declarations(exprs, &proctype.parameters);
        let _ = write!(out, "{word} {}({parameters}) ", proctype.name.text);
    }
    if let Some(priority) = proctype.priority {
        let _ = write!(out, "priority {} ", expr(exprs, priority));
    }
    if let Some(condition) = proctype.provided {
        let _ = write!(out, "provided ({}) ", expr(exprs, condition));
    }
    out.push_str(&body(exprs, &proctype.body));
}
