//! Unknown names, with the known ones that were probably meant.

use volvelle_diagnostics::{Diagnostic, codes};

/// Names that are listed in a diagnostic.
const LISTED: usize = 12;

/// A file has no state, process, or parameter of this name.
pub(super) fn unknown_in<'n>(
    file: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Diagnostic {
    let message = format!("`{file}` has no {what} `{name}`");
    told(message, name, &known.take(SOUGHT).collect::<Vec<_>>())
}

/// Names among which one that was meant is looked for.
const SOUGHT: usize = 10_000;

/// No label, variable or reward structure is named so.
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> Diagnostic {
    told(format!("there is no {what} `{name}`"), name, known)
}

fn told(message: String, name: &str, known: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::WKS_NAME, message);
    let diagnostic = diagnostic.misspelt(name, known);
    match diagnostic.helps.is_empty() {
        false => diagnostic,
        true if known.is_empty() => diagnostic.note("the model has none"),
        true => diagnostic.note(format!("there are {}", listed(known))),
    }
}

/// The first of some names.
pub(super) fn listed(names: &[&str]) -> String {
    let more = if names.len() > LISTED { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}
