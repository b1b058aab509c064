//! Files that a declaration names: what they are, and which there are.

use crate::client::Client;
use crate::features::hover;
use crate::protocol::types::{Hover, MarkupContent, Position};
use crate::protocol::typing::{CompletionItem, Padded, Replacement};
use crate::reader::{Head, Listed};
use crate::rooms;
use crate::workspace::View;
use crate::workspace::files::Known;
use std::fmt::Write;
use volvelle_explicit::{Compression, Format, glance};
use volvelle_session::language::{self, FRONT_ENDS};
use volvelle_symbols::wants_file;

/// `CompletionItemKind` of a file, and that of a folder.
const FILE: u8 = 17;
const FOLDER: u8 = 19;
/// More are not offered.
const MOST: usize = 200;

/// What is known of the file whose name stands at a position.
pub fn hover(
    view: &View,
    position: Position,
    client: &Client,
    known: impl Fn(&str) -> Known,
) -> Option<Hover> {
    let analysis = &view.analysis;
    let offset = analysis.offset(view.file, position, client.encoding);
    let (span, name) = analysis.file_at(view.file, offset)?;
    if name.is_empty() || !rooms::is_toml(&analysis.document(view.file)?.name()) {
        return None;
    }
    let text = match known(name) {
        Known::Outside => "it is outside of the folder of this text, and is not looked at.".to_owned(),
        Known::Missing => "there is no such file in the folder of this text.".to_owned(),
        Known::There(head) => summary(name, &head),
    };
    let contents = match client.shows_markdown {
        true => {
            let value = format!("{}: {}", hover::code(name), volvelle_media::markdown::text(&text));
            MarkupContent { kind: "markdown", value }
        }
        false => MarkupContent { kind: "plaintext", value: format!("`{name}`: {text}") },
    };
    Some(Hover { contents, range: analysis.range(*span, client.encoding) })
}

/// What a file is, how long it is, and what its first bytes say.
fn summary(name: &str, head: &Head) -> String {
    let unit = if head.size == 1 { "byte" } else { "bytes" };
    let mut text = format!("{}, {} {unit}.", kind(name, &head.bytes), head.size);
    if let Some(more) = said(name, head) {
        let _ = write!(text, " {more}");
    }
    text
}

/// What a file is, by its name; where this does not tell, by its first bytes.
fn kind(name: &str, bytes: &[u8]) -> String {
    let content = String::from_utf8_lossy(bytes);
    let own = name.rsplit('/').next().unwrap_or(name);
    if rooms::is_toml(own) {
        return match rooms::kind(own, &content) {
            Some(rooms::Kind::Study) => "a study of message passing".to_owned(),
            Some(rooms::Kind::Declared(room)) => {
                format!("TOML, a declaration of the kind `{}`", room.names.form.name)
            }
            None => "TOML".to_owned(),
        };
    }
    if let Some(format) = Format::of_name(own) {
        return format!("an explicit model ({})", format.name());
    }
    let is_named =
        |ending: &str| own.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending));
    if is_named("mpi") {
        return "a program of message passing".to_owned();
    }
    if is_named("mcl") {
        return "formulas of the mu-calculus".to_owned();
    }
    let language = FRONT_ENDS.iter().find(|language| language.is_named(own)).copied();
    let language = language.or_else(|| language::of_model(own, bytes).ok().filter(|_| !bytes.is_empty()));
    match language {
        Some(language) if language.name() == "explicit" => "an explicit model".to_owned(),
        Some(language) => language.title().to_owned(),
        None => "a file".to_owned(),
    }
}

/// What the header of an explicit model says.
fn said(name: &str, head: &Head) -> Option<String> {
    if head.size == 0 {
        return Some("It is empty.".to_owned());
    }
    let found = glance(name, &head.bytes, head.bytes.len() as u64 == head.size)?;
    let compression = match found.compression {
        Compression::None => None,
        Compression::Gzip => Some("gzip"),
        Compression::Xz => Some("xz"),
        Compression::Zstd => Some("zstd"),
    };
    let is_archive = found.format == Format::Umb;
    if let Some(compression) = compression {
        let what = if is_archive { "a compressed archive" } else { "compressed" };
        return Some(format!("It is {what} ({compression}); what is in it is not looked at."));
    }
    if is_archive {
        return Some("It is an archive; what is in it is not looked at.".to_owned());
    }
    let count = |count: Option<u64>, what: &str| {
        count.map(|count| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
    };
    let initial = found.initial.map(|state| format!("initial state {state}"));
    let parts = [
        found.kind,
        count(found.states, "state"),
        count(found.choices, "choice"),
        count(found.transitions, "transition"),
        initial,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => Some("Its beginning does not say how large it is.".to_owned()),
        false => Some(format!("Its header says: {}.", parts.join(", "))),
    }
}

/// The names of files that may stand at a position, from the number that the first has in the list, and whether there may be others for
/// what people type next. `listed` tells what is in a folder.
pub fn candidates(
    view: &View,
    position: Position,
    client: &Client,
    first: usize,
    listed: impl Fn(&str) -> Vec<Listed>,
) -> Option<(Vec<CompletionItem<'static>>, bool)> {
    let analysis = &view.analysis;
    let index = analysis.index()?;
    let offset = analysis.offset(view.file, position, client.encoding);
    let place = wants_file(analysis.indexed()?, index, &analysis.texts(), view.file, offset)?;
    let typed = analysis.text(view.file)?.get(place.start as usize..offset as usize)?;
    let (folder, begun) = typed.rfind('/').map_or(("", typed), |at| (&typed[..at], &typed[at + 1..]));
    // An absolute name begins with the folder of everything.
    if typed.starts_with('/') {
        return None;
    }
    let before = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let own = analysis.document(view.file)?.name();
    let mut found = listed(folder);
    found.retain(|one| {
        let is_begun = one.name.get(..begun.len()).is_some_and(|start| start.eq_ignore_ascii_case(begun));
        let is_hidden = one.name.starts_with('.') && !begun.starts_with('.');
        // What would have to be written in another way.
        let is_plain = !one.name.contains(['"', '\\', '{']) && !one.name.contains(char::is_control);
        let is_itself = folder.is_empty() && one.name == own;
        is_begun && !is_hidden && is_plain && !is_itself
    });
    // Models and programs, then folders, then what else there is; each in its order.
    found.sort_by_key(|one| match one.is_folder {
        true => 1,
        false if is_known(&one.name) => 0,
        false => 2,
    });
    let has_more = found.len() > MOST || found.iter().any(|one| one.is_folder);
    let range = analysis.range(place, client.encoding);
    let item = |(number, one): (usize, &Listed)| {
        let end = if one.is_folder { "/" } else { "" };
        let name = format!("{before}{}{end}", one.name);
        CompletionItem {
            label: name.clone().into(),
            kind: if one.is_folder { FOLDER } else { FILE },
            detail: "",
            documentation: None,
            sort_text: Padded(first + number),
            filter_text: None,
            insert_text_format: 1,
            text_edit: Replacement { range, new_text: name.into() },
        }
    };
    Some((found.iter().take(MOST).enumerate().map(item).collect(), has_more))
}

/// Whether the ending of a name is that of a model, or of something else with names.
fn is_known(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !rooms::is_toml(name) && FRONT_ENDS.iter().any(|language| language.is_named(name))
        || volvelle_symbols::LANGUAGES.iter().any(|language| language.endings().contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(name: &str, bytes: &[u8], size: u64) -> String {
        summary(name, &Head { bytes: bytes.to_vec(), size })
    }

    #[test]
    fn summaries() {
        let gzip = [0x1f, 0x8b, 8, 0];
        for (name, bytes, expected) in [
            (
                "a.umb",
                &gzip[..],
                "an explicit model (UMB), 9000 bytes. It is a compressed archive (gzip); what is in it is not looked at.",
            ),
            (
                "a.aut.gz",
                &gzip,
                "an explicit model (ALDEBARAN), 9000 bytes. It is compressed (gzip); what is in it is not looked at.",
            ),
            ("a.lts", &[0x8b, 0x1c], "an explicit model, 9000 bytes."),
            ("a.prism", b"dtmc", "The PRISM language, 9000 bytes."),
            ("a.mpi", b"x", "a program of message passing, 9000 bytes."),
            ("a.mcl", b"x", "formulas of the mu-calculus, 9000 bytes."),
            ("a.toml", b"[step.a]", "TOML, a declaration of the kind `pipeline`, 9000 bytes."),
            ("a.csv", b"x", "a file, 9000 bytes."),
        ] {
            assert_eq!(of(name, bytes, 9000), expected, "{name}");
        }
        // What the end of the head cuts is not taken for the whole.
        let cut = of("a.tra", b"12 34", 9000);
        assert!(cut.ends_with("Its beginning does not say how large it is."), "{cut}");
    }

    proptest! {
        /// Whatever the bytes are, there is one line about them.
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200), number in 0usize..9, more in 0u64..2) {
            let names = ["a.aut", "a.drn", "a.tra", "a.umb", "a.pexp", "a.lts", "a.toml", "a", "a.drn.xz"];
            let size = bytes.len() as u64 + more;
            let text = of(names[number], &bytes, size);
            prop_assert!(text.contains(&format!(", {size} byte")), "{}", text);
        }

        /// What a header says is said, however it is cut.
        #[test]
        fn any_header(states: u64, transitions: u64, end in 0usize..60) {
            let text = format!("des (0, {transitions}, {states})\n(0, a, 1)\n");
            let end = end.min(text.len());
            let said = of("a.aut", &text.as_bytes()[..end], text.len() as u64);
            let is_whole = text[..end].contains('\n');
            prop_assert_eq!(said.contains(&format!(" {states} state")), is_whole, "{}", said);
        }
    }
}
