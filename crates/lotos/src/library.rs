//! Types of libraries, as texts of LOTOS.

use crate::data::builtin::TYPES;
use crate::parse;
use crate::syntax::Tree;
use volvelle_diagnostics::{Diagnostic, Sources, codes};

/// Types of the standard library that are not part of the language: a text of LOTOS, but for the frame of a specification.
pub const TEXT: &str = include_str!("standard.lotos");

/// Their names.
const NAMES: &[&str] = &[
    "BASICNONEMPTYSTRING",
    "BIT",
    "BITNATREPR",
    "BITSTRING",
    "DECDIGIT",
    "DECNATREPR",
    "DECSTRING",
    "ELEMENT",
    "FBOOLEAN",
    "HEXDIGIT",
    "HEXNATREPR",
    "HEXSTRING",
    "NATREPRESENTATIONS",
    "NONEMPTYSTRING",
    "OCTDIGIT",
    "OCTET",
    "OCTETSTRING",
    "OCTNATREPR",
    "OCTSTRING",
    "RICHERNONEMPTYSTRING",
    "SET",
    "STRING",
    "STRING0",
    "STRING1",
];

/// Libraries of the CADP dialect whose types are written in C.
const EXTERNAL: &[&str] = &["X_CHARACTER", "CHARACTER", "X_STRING", "X_REAL", "REAL", "X_ACTION"];

/// Adds the types of libraries that a specification asks for, or imports without declaring them.
pub fn add(tree: &mut Tree, sources: &mut Sources) -> Vec<Diagnostic> {
    add_with(tree, sources, &mut |_| None)
}

/// The same for a specification beside which there may be libraries of its own: `read` gives the text of a file.
pub fn add_with(
    tree: &mut Tree,
    sources: &mut Sources,
    read: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<Diagnostic> {
    let plain = |name: &str| name.strip_prefix("X_").unwrap_or(name).to_owned();
    let mut diagnostics = Vec::new();
    let mut done = 0;
    while let Some(library) = tree.libraries.get(done).cloned() {
        done += 1;
        let name = plain(&library.text);
        let is_known = |name: &str| TYPES.contains(&library.text.as_str()) || NAMES.contains(&name);
        let is_external = EXTERNAL.contains(&library.text.as_str());
        let is_again = tree.libraries[..done - 1].iter().any(|other| other.text == library.text);
        if is_again || (is_known(&name) && !is_external) {
            continue;
        }
        let written = sources.text(library.span).to_owned();
        let mut files =
            [library.text.clone(), library.text.to_ascii_lowercase(), written].map(|name| name + ".lib");
        files.sort();
        if let Some((file, text)) = files.into_iter().find_map(|file| Some((file.clone(), read(&file)?))) {
            let file = sources.add(file, text.as_str());
            let (extended, found) = parse::library(file, &text, std::mem::take(tree));
            (*tree, diagnostics) = (extended, diagnostics.into_iter().chain(found).collect());
        } else if is_external {
            let message = format!("the types of the library `{}` are written in C", library.text);
            diagnostics.push(Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(library.span, "").help(
                "declare a sort with the values that the specification uses: type T is sorts CHAR opns A, B : -> CHAR endtype",
            ));
        } else {
            let message = format!("there is no library `{}`", library.text);
            let help = format!(
                "a library of your own is a file `{}.lib` beside the specification, with its types; those of the standard are BOOLEAN, \
                 NATURALNUMBER, SET, STRING, BIT, OCTET and others, also with `X_` in front",
                library.text
            );
            let unknown = Diagnostic::error(codes::LOTOS_NAME, message);
            let unknown = unknown.at_misspelt(library.span, &name, TYPES.iter().chain(NAMES).copied());
            diagnostics.push(unknown.help(help));
        }
    }
    let declared: Vec<&str> = tree.types.iter().map(|ty| ty.name.text.as_str()).collect();
    let imports = tree.types.iter().flat_map(|ty| &ty.imports).chain(&tree.libraries);
    let mut wanted: Vec<String> = imports.map(|name| plain(&name.text)).collect();
    wanted.retain(|name| NAMES.contains(&name.as_str()) && !declared.contains(&name.as_str()));
    if wanted.is_empty() {
        return diagnostics;
    }
    let own: Vec<String> = declared.iter().map(|&name| name.to_owned()).collect();
    let file = sources.add("the standard library", TEXT);
    let (mut extended, found) = parse::library(file, TEXT, std::mem::take(tree));
    diagnostics.extend(found);
    // What the types that are asked for import; in the text they stand behind it.
    for ty in extended.types[own.len()..].iter().rev() {
        if wanted.contains(&ty.name.text) {
            wanted.extend(ty.imports.iter().map(|import| import.text.clone()));
        }
    }
    // Types of the specification come before those of the library with the same name.
    let mut number = 0;
    let first = own.len();
    extended.types.retain(|ty| {
        number += 1;
        number <= first || (wanted.contains(&ty.name.text) && !own.contains(&ty.name.text))
    });
    for ty in &mut extended.types {
        for import in &mut ty.imports {
            if let Some(known) = import.text.strip_prefix("X_").filter(|name| NAMES.contains(name)) {
                import.text = known.to_owned();
            }
        }
    }
    *tree = extended;
    diagnostics
}
