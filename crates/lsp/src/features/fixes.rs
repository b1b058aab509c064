//! Quick fixes: the ways out of diagnostics that a program can take.
//!
//! A client asks with a part of a text, and with the diagnostics that it shows there. What it gets comes from what is known about the
//! text now: of diagnostics that it still shows, but that do not apply any more, nothing.

use super::diagnostics::converted;
use crate::address::Address;
use crate::analysis::Analysis;
use crate::client::Client;
use crate::protocol::types::{ActionContext, ActionsFor, CodeAction, Range};
use crate::workspace::View;
use serde_json::Value;
use volvelle_diagnostics::{self as said, Edit, Fix, Span, applied};

/// One diagnostic's way out.
const QUICK: &str = "quickfix";
/// All that is certain, in a document.
const ALL: &str = "source.fixAll";

/// What an editor may be given, as it is told in `initialize`.
pub const KINDS: [&str; 2] = [QUICK, ALL];

/// What can be done in a part of a text. `edit` makes edits to what the protocol calls so; it gives nothing for texts of the program.
pub fn actions(
    view: &View,
    asked: &ActionsFor,
    client: &Client,
    uri: impl Fn(&Address) -> String,
    edit: impl Fn(&[Edit]) -> Option<Value>,
) -> Vec<CodeAction> {
    let analysis = &view.analysis;
    let mut found = Vec::new();
    if !client.takes_code_actions {
        return found;
    }
    let document = analysis.document(view.file);
    // A text that is included several times has a number for each time.
    let is_here = |said: &&said::Diagnostic| {
        let place = said.primary.as_ref().map(|label| label.span.file);
        let is_of_view =
            |file| file == view.file || (document.is_some() && analysis.document(file) == document);
        place.is_some_and(is_of_view) && !said.fixes.is_empty()
    };
    let here: Vec<&said::Diagnostic> = analysis.diagnostics.iter().filter(is_here).collect();
    if wants(&asked.context, QUICK) {
        for said in &here {
            let diagnostic = converted(analysis, said, client, &uri);
            if !touch(diagnostic.range, asked.range) || !is_shown(&asked.context, &diagnostic) {
                continue;
            }
            for (number, fix) in said.fixes.iter().enumerate() {
                let Some(edit) = edit(&fix.edits(&analysis.sources)) else { continue };
                let is_preferred = number == 0 && (fix.is_certain() || said.fixes.len() == 1);
                found.push(CodeAction {
                    title: fix.title().to_owned(),
                    kind: QUICK,
                    diagnostics: vec![diagnostic.clone()],
                    is_preferred,
                    edit,
                });
            }
        }
    }
    if wants(&asked.context, ALL) {
        let certain: Vec<Fix> = here
            .iter()
            .filter_map(|said| said.fixes.iter().find(|fix| fix.is_certain()))
            .filter_map(|fix| in_first(analysis, fix))
            .collect();
        let all = applied(&analysis.sources, &certain.iter().collect::<Vec<_>>());
        let number = all.is_applied.iter().filter(|&&is_applied| is_applied).count();
        // Unasked it stands below fixes of this place, where it does more than these.
        let is_due = if asked.context.only.is_some() { number > 0 } else { number > 1 && !found.is_empty() };
        if is_due && let Some(edit) = edit(&all.edits) {
            let title = match number {
                1 => "make the certain fix".to_owned(),
                number => format!("make all {number} certain fixes"),
            };
            found.push(CodeAction { title, kind: ALL, diagnostics: Vec::new(), is_preferred: false, edit });
        }
    }
    found
}

/// A fix whose edits stand where their texts were read first, so that those of one text are compared.
fn in_first(analysis: &Analysis, fix: &Fix) -> Option<Fix> {
    let first = |edit: Edit| {
        let file = analysis.document(edit.span.file).and_then(|document| analysis.file(document));
        let text = |file| analysis.sources.file(file).text.as_str();
        let same = file.filter(|&file| text(file) == text(edit.span.file)).unwrap_or(edit.span.file);
        Edit { span: Span { file: same, ..edit.span }, ..edit }
    };
    Fix::several(fix.title(), fix.edits(&analysis.sources).into_iter().map(first))
}

/// Whether actions of a kind are wanted: of each, or of those named and of the kinds below them.
fn wants(context: &ActionContext, kind: &str) -> bool {
    let is_below = |only: &String| {
        kind.strip_prefix(only.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || only.is_empty()
    };
    context.only.as_ref().is_none_or(|only| only.iter().any(is_below))
}

/// Whether two ranges have a place in common; the cursor is a range without characters.
fn touch(a: Range, b: Range) -> bool {
    a.start <= b.end && b.start <= a.end
}

/// Whether a client that says which diagnostics it shows shows this one.
fn is_shown(context: &ActionContext, own: &crate::protocol::types::Diagnostic) -> bool {
    let is_this = |shown: &Value| {
        let range = shown.get("range").cloned().and_then(|range| serde_json::from_value::<Range>(range).ok());
        range == Some(own.range) && shown.get("message").and_then(Value::as_str) == Some(&own.message)
    };
    context.diagnostics.is_empty() || context.diagnostics.iter().any(is_this)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::types::Position;

    #[test]
    fn kinds_that_are_wanted() {
        let wanted = |only: Option<&[&str]>, kind: &str| {
            let only = only.map(|only| only.iter().map(|&kind| kind.to_owned()).collect());
            wants(&ActionContext { only, ..ActionContext::default() }, kind)
        };
        assert!(wanted(None, QUICK) && wanted(Some(&[""]), ALL));
        assert!(wanted(Some(&["source"]), ALL) && wanted(Some(&["source.fixAll", "refactor"]), ALL));
        assert!(!wanted(Some(&["sour"]), ALL) && !wanted(Some(&["source.fixAll.eslint"]), ALL));
        assert!(!wanted(Some(&[]), QUICK) && !wanted(Some(&["source"]), QUICK));
    }

    #[test]
    fn places_in_common() {
        let range = |start, end| Range {
            start: Position { line: 1, character: start },
            end: Position { line: 1, character: end },
        };
        assert!(touch(range(3, 3), range(3, 5)) && touch(range(5, 5), range(3, 5)));
        assert!(!touch(range(6, 7), range(3, 5)) && !touch(range(3, 5), range(6, 7)));
    }
}
