//! Times that options and declarations ask for.

use crate::constants;
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_logic::{ConstantValue, Literal};

/// Reads times: several are separated by commas, or a range.
pub fn times_of(text: Option<&str>, option: &str) -> Result<Vec<(ConstantValue, f64)>, Diagnostic> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let bad = |message: String| {
        let forms = format!("{option} 2.5, {option} 1,2,5, {option} 0:0.5:10");
        Diagnostic::error(codes::BAD_USAGE, message).help(format!("give one time or several: {forms}"))
    };
    let (swept, diagnostics) = constants::parse(&[format!("t={text}")]);
    let Some(swept) = swept.into_iter().next().filter(|_| !has_errors(&diagnostics)) else {
        return Err(bad(format!("`{text}` is not a time, nor a list or range of times")));
    };
    let number = |value: ConstantValue| match value.literal() {
        Literal::Int(_) | Literal::Real(_) => match value.literal().as_f64().filter(|time| *time >= 0.0) {
            Some(time) => Ok((value, time)),
            None => Err(bad(format!("the time {value} is negative"))),
        },
        Literal::Bool(_) | Literal::Other => Err(bad(format!("`{value}` is not a time"))),
    };
    swept.values.into_iter().map(number).collect()
}
