//! Misspelt words that end definitions: read as what was meant, so that what follows is read, too.

use crate::lex::{Kind, T, Token};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, codes, nearest};
use volvelle_syntax::Spelt;

/// Words that begin something, and those that end it.
const PAIRS: [(Kind, Kind); 4] = [
    (T!["PROCESS"], T!["ENDPROC"]),
    (T!["TYPE"], T!["ENDTYPE"]),
    (T!["LIBRARY"], T!["ENDLIB"]),
    (T!["SPECIFICATION"], T!["ENDSPEC"]),
];

/// What may stand behind the end of a definition.
const BORDERS: [Kind; 9] = [
    Kind::End,
    T!["PROCESS"],
    T!["TYPE"],
    T!["LIBRARY"],
    T!["BEHAVIOUR"],
    T!["BEHAVIOR"],
    T!["ENDPROC"],
    T!["ENDSPEC"],
    T!["WHERE"],
];

/// Where more definitions begin than end: a name near to the word that is missing, at the start of a line and before what may follow, is
/// that word. It is reported, and its kind becomes that of the word. Where none is missing, all names are names.
pub(super) fn ends(file: FileId, text: &str, tokens: &mut [Token], diagnostics: &mut Vec<Diagnostic>) {
    let count = |kind: Kind| tokens.iter().filter(|token| token.is(kind)).count();
    let missing = PAIRS.map(|(open, close)| (close, count(open).saturating_sub(count(close))));
    let mut missing: Vec<(Kind, usize)> = missing.into_iter().filter(|(_, number)| *number > 0).collect();
    for number in 1..tokens.len() {
        if missing.is_empty() {
            return;
        }
        let (token, next) = (tokens[number - 1], tokens[number]);
        if !token.is(Kind::Name) || !token.starts_line {
            continue;
        }
        let written = token.text(text);
        let is_border = |kind: Kind| {
            // Another end may be misspelt as well.
            BORDERS.contains(&kind)
                || kind == Kind::Name && next.starts_line && is_near(next.text(text), &missing)
        };
        if !is_border(next.kind) {
            continue;
        }
        let words = missing.iter().map(|(kind, _)| spelling(*kind));
        let Some(near) = nearest(&written.to_ascii_lowercase(), words) else { continue };
        let Some(at) = missing.iter().position(|(kind, _)| spelling(*kind) == near.name) else { continue };
        let word = near.name;
        // Case has no meaning, and texts keep to one.
        let is_upper = written.chars().nth(1).is_some_and(char::is_uppercase);
        let instead = if is_upper { word.to_ascii_uppercase() } else { word.clone() };
        let message = format!("expected `{word}`, but there is `{}`", written.to_ascii_uppercase());
        let fix = Fix::instead(token.span(file), written, instead).certain();
        let diagnostic = Diagnostic::error(codes::LOTOS_SYNTAX, message);
        diagnostics.push(diagnostic.at(token.span(file), format!("did you mean `{word}`?")).fix(fix));
        tokens[number - 1].kind = missing[at].0;
        missing[at].1 -= 1;
        missing.retain(|(_, number)| *number > 0);
    }
}

fn is_near(written: &str, missing: &[(Kind, usize)]) -> bool {
    nearest(&written.to_ascii_lowercase(), missing.iter().map(|(kind, _)| spelling(*kind))).is_some()
}

/// A word as it is written most often.
fn spelling(kind: Kind) -> String {
    kind.spelling().unwrap_or_default().to_ascii_lowercase()
}
