//! The texts that the client has open, as the client has them.
//!
//! A change that does not fit the text shows that the server has another text than the client. Such a text is out of step: nothing is
//! said about it until the client sends it as a whole again.

use crate::address::Address;
use crate::protocol::types::{Change, Changed, OpenedDocument, Position, Range};
use std::collections::BTreeMap;
use std::rc::Rc;
use volvelle_diagnostics::{Lines, Located, PositionEncoding, TextPosition};

/// Texts of more bytes are not read: an editor asks after every key.
pub const MOST_BYTES: usize = 1 << 23;

/// A text that is open.
#[derive(Clone, Debug)]
pub struct OpenText {
    /// Its name, as the client writes it.
    pub uri: String,
    /// Its language, by a name of the client.
    pub language: String,
    /// Its version, where the client says it.
    pub version: Option<i64>,
    /// The text; or why it is not known.
    pub content: Result<Rc<String>, OutOfStep>,
}

/// Why a text is not the one that the client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfStep {
    /// A change is outside the text.
    Outside,
    /// A change begins behind its end.
    Reversed,
    /// A change begins or ends inside a character.
    InsideCharacter,
    /// A change belongs to an older version than the one before.
    OlderVersion,
    /// A change cannot be read.
    Unreadable,
}

impl OutOfStep {
    /// The reason for people.
    pub fn reason(self) -> &'static str {
        match self {
            OutOfStep::Outside => "a change was outside the text",
            OutOfStep::Reversed => "a change began behind its end",
            OutOfStep::InsideCharacter => "a change began or ended inside a character",
            OutOfStep::OlderVersion => "a change belonged to an older version",
            OutOfStep::Unreadable => "a change could not be read",
        }
    }
}

/// All texts that are open.
#[derive(Debug, Default)]
pub struct Texts {
    open: BTreeMap<Address, OpenText>,
}

impl Texts {
    /// Opens a text, or replaces it.
    pub fn open(&mut self, document: OpenedDocument) -> Address {
        let address = Address::of(&document.uri);
        let text = OpenText {
            uri: document.uri,
            language: document.language_id,
            version: document.version,
            content: Ok(Rc::new(document.text)),
        };
        self.open.insert(address.clone(), text);
        address
    }

    /// Closes a text; tells whether it was open.
    pub fn close(&mut self, address: &Address) -> bool {
        self.open.remove(address).is_some()
    }

    /// Changes a text; tells whether it is open.
    pub fn change(&mut self, address: &Address, changed: Changed, encoding: PositionEncoding) -> bool {
        let Some(text) = self.open.get_mut(address) else { return false };
        let version = changed.text_document.version;
        if matches!((version, text.version), (Some(new), Some(old)) if new < old) {
            text.content = Err(OutOfStep::OlderVersion);
            return true;
        }
        text.version = version.or(text.version);
        for change in changed.content_changes {
            if let Err(why) = apply(&mut text.content, change, encoding) {
                text.content = Err(why);
            }
        }
        true
    }

    /// Notes that a change of a text could not be read.
    pub fn lose(&mut self, address: &Address) {
        if let Some(text) = self.open.get_mut(address) {
            text.content = Err(OutOfStep::Unreadable);
        }
    }

    /// A text that is open.
    pub fn get(&self, address: &Address) -> Option<&OpenText> {
        self.open.get(address)
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Address, &OpenText)> {
        self.open.iter()
    }
}

/// Changes a text. What replaces all of it is also the way back into step.
fn apply(
    content: &mut Result<Rc<String>, OutOfStep>,
    change: Change,
    encoding: PositionEncoding,
) -> Result<(), OutOfStep> {
    let Some(range) = change.range else {
        *content = Ok(Rc::new(change.text));
        return Ok(());
    };
    let text = content.as_mut().map_err(|why| *why)?;
    let part = part(text, range, encoding)?;
    Rc::make_mut(text).replace_range(part, &change.text);
    Ok(())
}

/// The bytes of a range that is replaced.
fn part(text: &str, range: Range, encoding: PositionEncoding) -> Result<std::ops::Range<usize>, OutOfStep> {
    let lines = Lines::of(text);
    let offset = |position: Position| {
        let Position { line, character } = position;
        match lines.offset(text, TextPosition { line, character }, encoding) {
            Located::At(offset) => Ok(offset),
            // The line behind the last one is how clients write the end of a text.
            Located::Beyond(end) if line as usize == lines.count() => Ok(end),
            Located::Beyond(_) => Err(OutOfStep::Outside),
            Located::Within(_) => Err(OutOfStep::InsideCharacter),
        }
    };
    let (start, end) = (offset(range.start)?, offset(range.end)?);
    if range.start > range.end { Err(OutOfStep::Reversed) } else { Ok(start..end.max(start)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const URI: &str = "file:///m.prism";

    fn texts(text: &str) -> (Texts, Address) {
        let mut texts = Texts::default();
        let document = OpenedDocument {
            uri: URI.to_owned(),
            language_id: "prism".to_owned(),
            version: Some(5),
            text: text.to_owned(),
        };
        let address = texts.open(document);
        (texts, address)
    }

    fn range(from: (u32, u32), to: (u32, u32)) -> Range {
        let at = |(line, character)| Position { line, character };
        Range { start: at(from), end: at(to) }
    }

    fn changed(version: i64, changes: Vec<(Option<Range>, &str)>) -> Changed {
        let change = |(range, text): (Option<Range>, &str)| Change { range, text: text.to_owned() };
        Changed {
            text_document: crate::protocol::types::TextDocument {
                uri: URI.to_owned(),
                version: Some(version),
            },
            content_changes: changes.into_iter().map(change).collect(),
        }
    }

    /// The text after one change.
    fn after(text: &str, change: (Option<Range>, &str)) -> Result<String, OutOfStep> {
        let (mut texts, address) = texts(text);
        assert!(texts.change(&address, changed(6, vec![change]), PositionEncoding::Utf16));
        let open = texts.get(&address).unwrap();
        open.content.clone().map(|text| text.to_string())
    }

    #[test]
    fn changes_follow_one_another() {
        let (mut texts, address) = texts("a𝄞b\r\nc");
        let changes = vec![
            (Some(range((0, 1), (0, 3))), "xy"),
            (Some(range((1, 1), (1, 1))), "d\n"),
            (Some(range((2, 0), (2, 0))), "e"),
        ];
        texts.change(&address, changed(6, changes), PositionEncoding::Utf16);
        let open = texts.get(&address).unwrap();
        assert_eq!(open.content.as_ref().unwrap().as_str(), "axyb\r\ncd\ne");
        assert_eq!(open.version, Some(6));
        assert!(texts.close(&address) && !texts.close(&address));
        assert!(!texts.change(&address, changed(7, Vec::new()), PositionEncoding::Utf16));
    }

    #[test]
    fn ends_of_lines_and_texts() {
        assert_eq!(after("ab\ncd", (Some(range((0, 1), (0, 99))), "")), Ok("a\ncd".to_owned()));
        assert_eq!(after("ab\ncd", (Some(range((0, 0), (2, 0))), "x")), Ok("x".to_owned()));
        assert_eq!(after("", (Some(range((0, 0), (1, 0))), "x")), Ok("x".to_owned()));
    }

    #[test]
    fn what_does_not_fit_is_not_guessed() {
        for (change, why) in [
            (range((0, 0), (3, 0)), OutOfStep::Outside),
            (range((9, 0), (9, 0)), OutOfStep::Outside),
            (range((1, 0), (0, 1)), OutOfStep::Reversed),
            (range((0, 1), (0, 0)), OutOfStep::Reversed),
        ] {
            assert_eq!(after("ab\ncd", (Some(change), "x")), Err(why), "{change:?}");
        }
        assert_eq!(after("a𝄞", (Some(range((0, 2), (0, 3))), "x")), Err(OutOfStep::InsideCharacter));
    }

    #[test]
    fn a_whole_text_is_the_way_back() {
        let (mut texts, address) = texts("ab");
        let mut step = |version, change: (Option<Range>, &str)| {
            texts.change(&address, changed(version, vec![change]), PositionEncoding::Utf16);
            texts.get(&address).unwrap().content.clone().map(|text| text.to_string())
        };
        assert_eq!(step(4, (None, "old")), Err(OutOfStep::OlderVersion));
        assert_eq!(step(6, (Some(range((0, 0), (0, 0))), "x")), Err(OutOfStep::OlderVersion));
        assert_eq!(step(7, (None, "new")), Ok("new".to_owned()));
        assert_eq!(step(7, (Some(range((0, 0), (0, 1))), "N")), Ok("New".to_owned()));
    }

    proptest! {
        /// Any edit leaves a text out of step, or the text before it, the new text, and the text behind it.
        #[test]
        fn any_change(
            text in "[aé𝄞\r\n]{0,12}",
            new in "[bß\r\n]{0,4}",
            from in (0u32..5, 0u32..6),
            to in (0u32..5, 0u32..6),
        ) {
            if let Ok(result) = after(&text, (Some(range(from, to)), &new)) {
                let taken = text.len() + new.len() - result.len();
                let fits = |start: usize| {
                    let end = start + taken;
                    let parts = text.get(..start).zip(text.get(end..));
                    parts.is_some_and(|(before, behind)| result == format!("{before}{new}{behind}"))
                };
                prop_assert!((0..=text.len() - taken).any(fits), "{text:?} {result:?}");
            }
        }
    }
}
