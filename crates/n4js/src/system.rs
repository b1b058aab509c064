//! The type system of N4JS: its rules, read and checked.

use crate::{N4js, Syntax};
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes};
use volvelle_rules::language::Language;
use volvelle_rules::system::{Loaded, load_with};

/// The files of the system, the first one names the others.
const FILES: &[(&str, &str)] = &[
    ("n4js.rules", include_str!("../rules/n4js.rules")),
    ("types.rules", include_str!("../rules/types.rules")),
    ("subtypes.rules", include_str!("../rules/subtypes.rules")),
    ("members.rules", include_str!("../rules/members.rules")),
    ("inference.rules", include_str!("../rules/inference.rules")),
    ("modules.rules", include_str!("../rules/modules.rules")),
    ("expressions.rules", include_str!("../rules/expressions.rules")),
    ("expected.rules", include_str!("../rules/expected.rules")),
    ("checks.rules", include_str!("../rules/checks.rules")),
    ("checks-members.rules", include_str!("../rules/checks-members.rules")),
    ("checks-overriding.rules", include_str!("../rules/checks-overriding.rules")),
    ("checks-inheritance.rules", include_str!("../rules/checks-inheritance.rules")),
    ("checks-names.rules", include_str!("../rules/checks-names.rules")),
    ("checks-expressions.rules", include_str!("../rules/checks-expressions.rules")),
    ("checks-functions.rules", include_str!("../rules/checks-functions.rules")),
    ("checks-statements.rules", include_str!("../rules/checks-statements.rules")),
    ("checks-patterns.rules", include_str!("../rules/checks-patterns.rules")),
    ("checks-pattern-types.rules", include_str!("../rules/checks-pattern-types.rules")),
    ("checks-access.rules", include_str!("../rules/checks-access.rules")),
    ("checks-calls.rules", include_str!("../rules/checks-calls.rules")),
    ("checks-super.rules", include_str!("../rules/checks-super.rules")),
    ("checks-supertypes.rules", include_str!("../rules/checks-supertypes.rules")),
    ("checks-modifiers.rules", include_str!("../rules/checks-modifiers.rules")),
    ("checks-fields.rules", include_str!("../rules/checks-fields.rules")),
    ("checks-types.rules", include_str!("../rules/checks-types.rules")),
    ("checks-variance.rules", include_str!("../rules/checks-variance.rules")),
    ("checks-declarations.rules", include_str!("../rules/checks-declarations.rules")),
    ("checks-this.rules", include_str!("../rules/checks-this.rules")),
    ("checks-visibility.rules", include_str!("../rules/checks-visibility.rules")),
    ("checks-constructors.rules", include_str!("../rules/checks-constructors.rules")),
    ("checks-assignments.rules", include_str!("../rules/checks-assignments.rules")),
    ("checks-indexes.rules", include_str!("../rules/checks-indexes.rules")),
];

/// What editors ask beside the checks.
const EDITOR: (&str, &str) = ("editor.rules", include_str!("../rules/editor.rules"));

/// The same with judgments for editors: `member` and `offered`.
pub fn load_for_editors(
    sources: &mut Sources,
    syntax: Syntax,
    found: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    load_from(EDITOR, sources, syntax, found)
}

/// Reads the rules. What is wrong with them goes to `found`; in a program that was built there is nothing.
pub fn load(sources: &mut Sources, syntax: Syntax, found: &mut Vec<Diagnostic>) -> Option<Loaded> {
    load_from(FILES[0], sources, syntax, found)
}

fn load_from(
    (name, text): (&'static str, &'static str),
    sources: &mut Sources,
    syntax: Syntax,
    found: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let file = sources.add(name, text);
    let language: Rc<dyn Language> = Rc::new(N4js::new(syntax));
    load_with(sources, file, &mut open, &[(N4js::NAME, language)], found)
}

fn open(sources: &mut Sources, name: &str, _: FileId) -> Result<FileId, Box<Diagnostic>> {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(sources.add(*name, *text)),
        None => Err(Box::new(Diagnostic::error(codes::FILE_NOT_READ, format!("there is no file `{name}`")))),
    }
}
