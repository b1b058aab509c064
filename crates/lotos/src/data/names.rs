//! Names of sorts, and what is said where there is none.

use super::flatten::{Renamings, sort_name};
use super::{Data, SortId};
use crate::syntax::Name;
use volvelle_diagnostics::{Diagnostic, Fix, codes};

/// There is no such sort.
pub(crate) fn unknown_sort(data: &Data, name: &Name) -> Diagnostic {
    let known = data.sorts.iter().map(|sort| sort.name.as_str());
    let message = format!("there is no sort `{}`", name.text);
    let sort_of_type = match name.text.as_str() {
        "BOOLEAN" => Some("BOOL"),
        "NATURAL" | "NATURALNUMBER" => Some("NAT"),
        "INTEGER" => Some("INT"),
        _ => None,
    };
    match sort_of_type {
        Some(sort) => Diagnostic::error(codes::LOTOS_NAME, message)
            .at(name.span, "")
            .help(format!("this is the name of a type, whose sort is `{sort}`"))
            .fix(Fix::instead(name.span, &name.text, sort).certain()),
        None => Diagnostic::error(codes::LOTOS_NAME, message).at_misspelt(name.span, &name.text, known),
    }
}

/// The sort of an equation, as the copy of a type names it.
pub(super) fn renamed_sort(data: &Data, renamings: &Renamings, name: &Name) -> Option<SortId> {
    data.sort(&sort_name(renamings, &name.text))
}
