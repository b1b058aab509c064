//! Protocols from the literature.

use volvelle_diagnostics::{Diagnostic, codes};

macro_rules! protocols {
    ($($name:literal: $file:literal,)*) => {
        /// Name and text of each protocol that is there without a file. All are coherent but `Blit`.
        pub const SHIPPED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../protocols/", $file, ".toml"))),)*];
    };
}

protocols! {
    "A": "a",
    "B": "b",
    "Blit": "blit",
    "MSI": "msi",
    "MESI": "mesi",
    "MOESI": "moesi",
    "MESIF": "mesif",
}

/// The text of a protocol; names compare without case.
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, text)| *text)
}

/// The diagnostic for a name that is not among [`SHIPPED`].
pub fn unknown(name: &str) -> Diagnostic {
    let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
    let found = Diagnostic::error(codes::UNKNOWN_PROTOCOL, format!("there is no protocol `{name}`"));
    found
        .misspelt(name, &names)
        .help(format!("there are `{}`; others are read from files", names.join("`, `")))
}
