//! Prints trees as PRISM text.
//!
//! Takes trees that the parser makes (or could make); gives text that parses to the same tree, apart from
//! places and from parentheses that had to be added. The text keeps to PRISM's grammar where the parser accepts
//! more. What only the parser can make, [`ExprKind::Error`](crate::ast::ExprKind::Error) and
//! [`ExprKind::Unsupported`](crate::ast::ExprKind::Unsupported), prints as a note in `⟨ ⟩` that does not
//! parse.

mod expr;
mod model;

pub use expr::expr;
pub use model::model;

use crate::ast::{ConstType, Constant, Exprs, Formula, LabelDecl, Property, PropertyFile};

/// A property with its name, without `;`: `"p1": P=? [ F "done" ]`.
pub fn property(exprs: &Exprs, property: &Property) -> String {
    let body = expr(exprs, property.body);
    match &property.name {
        Some(name) => format!("\"{}\": {body}", name.text),
        None => body,
    }
}

/// A whole property file, one item per line.
pub fn properties(file: &PropertyFile) -> String {
    let mut out = String::new();
    declarations(&mut out, &file.exprs, &file.constants, &file.formulas, &file.labels);
    for item in &file.properties {
        out.push_str(&property(&file.exprs, item));
        out.push_str(";\n");
    }
    out
}

/// Constants, formulas and labels, one per line.
fn declarations(
    out: &mut String,
    exprs: &Exprs,
    constants: &[Constant],
    formulas: &[Formula],
    labels: &[LabelDecl],
) {
    for constant in constants {
        let ty = match constant.ty {
            ConstType::Int => "int",
            ConstType::Double => "double",
            ConstType::Bool => "bool",
        };
        out.push_str(&format!("const {ty} {}", constant.name.text));
        if let Some(value) = constant.value {
            out.push_str(&format!(" = {}", expr(exprs, value)));
        }
        out.push_str(";\n");
    }
    for formula in formulas {
        out.push_str(&format!("formula {} = {};\n", formula.name.text, expr(exprs, formula.body)));
    }
    for label in labels {
        out.push_str(&format!("label \"{}\" = {};\n", label.name.text, expr(exprs, label.body)));
    }
}
