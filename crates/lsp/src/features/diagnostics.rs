//! What is wrong with texts, as the protocol says it. Facts and ways out become lines of the message.

use crate::address::Address;
use crate::analysis::{Analysis, Remark};
use crate::client::{Client, SCHEME};
use crate::protocol::types::{CodeDescription, Diagnostic, Range, RelatedInformation};
use crate::runs::answer::Hint;
use crate::settings;
use crate::texts::MOST_BYTES;
use std::collections::BTreeMap;
use volvelle_diagnostics::{
    self as said, FileId, Label, PositionEncoding, Severity, Span, TextPosition, codes,
};

/// Who says so.
const SOURCE: &str = "volvelle";

const WARNING: u8 = 2;
const INFORMATION: u8 = 3;
const HINT: u8 = 4;
/// The tag of what has no effect.
const UNNECESSARY: u8 = 1;

/// What is wrong with the texts of a model, by document; each has an entry.
pub fn by_document<'a>(
    analysis: &'a Analysis,
    client: &Client,
    uri: &impl Fn(&Address) -> String,
) -> &'a BTreeMap<Address, Vec<Diagnostic>> {
    analysis.told.get_or_init(|| {
        let mut told: BTreeMap<Address, Vec<Diagnostic>> =
            analysis.documents().map(|document| (document.clone(), Vec::new())).collect();
        told.entry(analysis.main.clone()).or_default().extend(analysis.remark.as_ref().map(remark));
        for diagnostic in &analysis.diagnostics {
            let place = diagnostic.primary.as_ref().and_then(|label| analysis.document(label.span.file));
            let document = place.unwrap_or(&analysis.main).clone();
            told.entry(document).or_default().push(converted(analysis, diagnostic, client, uri));
        }
        told
    })
}

/// A diagnostic as the protocol says it.
pub fn converted(
    analysis: &Analysis,
    diagnostic: &said::Diagnostic,
    client: &Client,
    uri: &impl Fn(&Address) -> String,
) -> Diagnostic {
    let range = |label: &Label| {
        analysis.document(label.span.file)?;
        Some(analysis.range(label.span, client.encoding))
    };
    let mut message = diagnostic.message.clone();
    let mut line = |start: &str, text: &str| {
        if !text.is_empty() {
            message.push('\n');
            message.push_str(start);
            message.push_str(text);
        }
    };
    if let Some(label) = &diagnostic.primary {
        // A place in a text of the program, such as a library, is named.
        match analysis.document(label.span.file).is_none().then(|| analysis.sources.get(label.span.file)) {
            Some(Some(source)) => {
                let place = analysis.sources.line_column(label.span);
                line("", &format!("{}:{}:{}: {}", source.name, place.line, place.column, label.text));
            }
            _ => line("", &label.text),
        }
    }
    let mut related_information = Vec::new();
    for label in &diagnostic.secondary {
        let place = analysis.location(label.span, client.encoding, uri);
        match place.filter(|_| client.shows_related_places) {
            Some(location) => {
                let message = if label.text.is_empty() { "here" } else { &label.text };
                related_information.push(RelatedInformation { location, message: message.to_owned() });
            }
            None => line("", &label.text),
        }
    }
    diagnostic.notes.iter().for_each(|note| line("", note));
    diagnostic.helps.iter().for_each(|help| line("help: ", help));
    let page = || CodeDescription { href: format!("{SCHEME}:/explain/{}.md", diagnostic.code) };
    Diagnostic {
        range: diagnostic.primary.as_ref().and_then(range).unwrap_or_default(),
        severity: match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => WARNING,
            Severity::Note => INFORMATION,
        },
        code: Some(diagnostic.code.to_string()),
        code_description: client.links_codes.then(page),
        source: SOURCE,
        message,
        tags: Vec::new(),
        related_information,
    }
}

/// Why nothing is said about a text.
fn remark(remark: &Remark) -> Diagnostic {
    let (severity, message) = match remark {
        Remark::TooLong => {
            let most = MOST_BYTES >> 20;
            (INFORMATION, format!("texts of more than {most} MiB are not looked at while they are edited"))
        }
        Remark::Stopped(limit) => {
            (INFORMATION, format!("not all of this text was checked: a limit was reached ({limit})"))
        }
        Remark::Defect => {
            (WARNING, "Volvelle failed to read this text, which is a defect of Volvelle".to_owned())
        }
        Remark::Settings(why) => (WARNING, format!("{} cannot be read: {why}", settings::FILE)),
        Remark::NoModel => {
            let way = "give it the name of its model (`NAME.prism`, `NAME.props`), or a first line `// model: FILE`";
            (INFORMATION, format!("no model is known for these properties\nhelp: {way}"))
        }
    };
    Diagnostic {
        range: Range::default(),
        severity,
        code: None,
        code_description: None,
        source: SOURCE,
        message,
        tags: Vec::new(),
        related_information: Vec::new(),
    }
}

/// What a run has found suspicious in a text, as hints.
pub fn hint(analysis: &Analysis, file: FileId, hint: &Hint, client: &Client) -> Diagnostic {
    let text = &analysis.sources.file(file).text;
    // The command line counts from 1, in characters.
    let (line, character) = (hint.line.saturating_sub(1), hint.column.saturating_sub(1));
    let place = TextPosition { line, character };
    let start = analysis.lines(file).offset(text, place, PositionEncoding::Utf32).nearest();
    // The rest of the statement on its line.
    let rest =
        text[start..].split(['\n', ';']).next().unwrap_or("").split("->").next().unwrap_or("").trim_end();
    let span = Span { file, start: start as u32, end: (start + rest.len()) as u32 };
    let is_dead = hint.code == codes::DEAD_STATEMENT.to_string();
    let page = || CodeDescription { href: format!("{SCHEME}:/explain/{}.md", hint.code) };
    Diagnostic {
        range: analysis.range(span, client.encoding),
        severity: HINT,
        code: Some(hint.code.clone()),
        code_description: client.links_codes.then(page),
        source: SOURCE,
        message: hint.message.clone(),
        tags: if is_dead && client.takes_tags { vec![UNNECESSARY] } else { Vec::new() },
        related_information: Vec::new(),
    }
}

/// The page about a code that a link names.
pub fn page(uri: &str) -> Option<String> {
    let name = uri.strip_prefix(SCHEME)?.strip_prefix(":/explain/")?;
    let code = name.strip_suffix(".md").unwrap_or(name).parse().ok()?;
    said::explain(code).map(|page| page.text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn pages() {
        let text = page("volvelle:/explain/V0203.md").expect("a page");
        assert!(text.starts_with("# V0203: "), "{text}");
        for unknown in ["volvelle:/explain/none.md", "volvelle:/V0203", "file:///explain/V0203.md", ""] {
            assert_eq!(page(unknown), None, "{unknown}");
        }
    }
}
