//! The launch description of a text whose kernel is not abstracted. Measuring needs only the description, so
//! it also works for kernels that no model here covers.

use super::read::{Place, items, read};
use super::{Launch, NameId};
use crate::expression::{Expr, Names};
use std::ops::Range;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A launch description, its names, and the kernel that it is about.
#[derive(Clone, Debug)]
pub struct Described {
    /// The description, with the constraints that follow from its divisions.
    pub launch: Launch,
    /// The names in its expressions.
    pub names: Names,
    /// The name of the kernel.
    pub kernel: String,
}

/// Words that belong to statements of the kernel.
const OF_STATEMENTS: [&str; 3] = ["trips", "taken", "cost"];

/// Reads the description of a text; `kernel` is the name that the user gave, `size` the size.
pub fn described(
    file: FileId,
    text: &str,
    kernel: Option<&str>,
    size: Option<&Expr>,
) -> (Option<Described>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut names = Names::default();
    let place = Place { file, text };
    let all: Vec<_> = notes(text).into_iter().flat_map(|note| items(text, note)).collect();
    let about_launch: Vec<_> = all
        .into_iter()
        .filter(|item| !item.words.first().is_some_and(|word| OF_STATEMENTS.contains(&word.as_str())))
        .collect();
    let mut launch = read(&place, &about_launch, &mut names, &mut found);
    if let Some(size) = size {
        launch.size = Some(size.clone());
    }
    launch.add_divisions(&names);
    let kernels = kernels(text);
    let wanted = kernel.or(launch.kernel.as_ref().map(|(name, _)| name.as_str()));
    let chosen = match (wanted, kernels.as_slice()) {
        (Some(wanted), all) => all.iter().find(|(name, _)| name == wanted).cloned(),
        (None, [one]) => Some(one.clone()),
        (None, _) => None,
    };
    let Some((kernel, _)) = chosen else {
        let listed: Vec<&str> = kernels.iter().map(|(name, _)| name.as_str()).collect();
        let diagnostic = match (wanted, listed.as_slice()) {
            (_, []) => Diagnostic::error(codes::KERNEL_CHOICE, "the text has no kernel")
                .help("a kernel is a function that begins with `__kernel void`"),
            (Some(wanted), _) => {
                Diagnostic::error(codes::KERNEL_CHOICE, format!("the text has no kernel `{wanted}`"))
                    .help(format!("its kernels are {}", listed.join(", ")))
            }
            (None, _) => Diagnostic::error(codes::KERNEL_CHOICE, "the text has several kernels")
                .help(format!("choose one with --kernel: {}", listed.join(", "))),
        };
        let all = kernels.iter().skip(1).map(|(_, at)| Span::new(file, at.start, at.end));
        let diagnostic = match kernels.first() {
            Some((_, at)) => diagnostic.at(Span::new(file, at.start, at.end), ""),
            None => diagnostic,
        };
        found.push(all.fold(diagnostic, |diagnostic, span| diagnostic.also(span, "")));
        return (None, found);
    };
    (Some(Described { launch, names, kernel }), found)
}

/// The values of all names but parameters, which are 0: `size`.
pub fn sizes(described: &Described) -> Option<(NameId, i64)> {
    let id = described.names.find("size")?;
    let zeros = vec![0; described.names.len()];
    let value = described.launch.size.as_ref()?.value(&crate::expression::Values::of(&zeros)).ok()?;
    Some((id, value))
}

/// Places of the texts of annotations.
fn notes(text: &str) -> Vec<Range<usize>> {
    let mut notes = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(comment) = line.find("//") {
            let words = line[comment + 2..].trim_start();
            if let Some(rest) = words.strip_prefix("volvelle:") {
                let at = start + line.len() - rest.len();
                notes.push(at..start + line.trim_end().len().max(at - start));
            }
        }
        start += line.len();
    }
    notes
}

/// The kernels of a text, with the places of their names.
fn kernels(text: &str) -> Vec<(String, Range<usize>)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // Comments may speak of kernels.
    let code: String = text
        .split_inclusive('\n')
        .map(|line| match line.find("//") {
            Some(at) => format!("{}{}", &line[..at], " ".repeat(line.len() - at)),
            None => line.to_owned(),
        })
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = code[at..].find("kernel") {
        let start = at + next;
        at = start + "kernel".len();
        let before = code[..start].trim_end_matches("__");
        let stands_alone = !before.ends_with(is_word) && !code[at..].starts_with(is_word);
        // `kernel`, attributes, `void`, the name, and its arguments.
        let Some(open) = code[at..].find(['{', ';']) else { continue };
        let head = &code[at..at + open];
        let Some(void) = head.find("void").filter(|_| stands_alone) else { continue };
        let after = at + void + "void".len();
        let name_start = after + (code[after..].len() - code[after..].trim_start().len());
        let length = code[name_start..].find(|c| !is_word(c)).unwrap_or(0);
        if length > 0 {
            found.push((code[name_start..name_start + length].to_owned(), name_start..name_start + length));
        }
    }
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, kernel: Option<&str>) -> (Option<Described>, Vec<String>) {
        let (found, diagnostics) = described(FileId(0), text, kernel, None);
        (found, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
    }

    #[test]
    fn descriptions_without_models() {
        let text = "// volvelle: size = 2^4; parameter WG = powers(1, size), global = size, local = WG\n\
                    /* a */ __kernel __attribute__((vec_type_hint(int))) void run(global int *a) {\n\
                    \u{20}   while (a[0]) { // volvelle: trips = 3\n }\n}\nkernel void other() {}\n";
        let (found, messages) = read_text(text, Some("run"));
        let found = found.unwrap();
        assert_eq!(messages, [] as [String; 0]);
        assert_eq!((found.kernel.as_str(), found.launch.parameters.len()), ("run", 1));
        assert_eq!(sizes(&found).map(|(_, value)| value), Some(16));
        let [constraint] = found.launch.constraints.as_slice() else { panic!("{:?}", found.launch) };
        assert_eq!(constraint.reason, "`size` is a multiple of `WG`");
        assert_eq!(read_text(text, None).1, ["the text has several kernels"]);
        assert_eq!(read_text(text, Some("none")).1, ["the text has no kernel `none`"]);
        assert_eq!(read_text("int kernels;", None).1, ["the text has no kernel"]);
    }
}
