//! What a language gives: the index of its texts, and what may stand at a place of them.

use crate::candidates::Found;
use crate::index::{Index, Kind};
use crate::place::Place;
use crate::text::Text;

/// A function of a language, with the names of its parameters.
pub type Function = (&'static str, &'static [&'static str]);

/// A language whose names are known. A new one is an implementation of this trait, and an entry in [`crate::LANGUAGES`].
pub trait Indexed: Sync {
    /// Its name, as the table of front ends has it, or its own.
    fn name(&self) -> &'static str;

    /// Endings of files in the language that no front end of models reads, without the dot.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether names of a text that a model includes or names are names of the model, by the name of the text.
    fn includes(&self, _name: &str) -> bool {
        false
    }

    /// The index of some texts, the model first. It never fails, and takes a time that grows with the length of the texts.
    fn index(&self, texts: &[Text<'_>]) -> Index;

    /// Finds what may stand at a place, which is in no comment.
    fn complete<'a>(&self, _place: &Place<'a>, _found: &mut Found<'a>) {}

    /// Whether the name of a file may stand at a place in quotes.
    fn takes_file(&self, _place: &Place<'_>) -> bool {
        false
    }

    /// Why symbols of a kind keep their names: what else has them is no text of the model.
    fn keeps(&self, _kind: Kind) -> Option<&'static str> {
        None
    }

    /// Whether names in capital and in small letters are the same.
    fn ignores_case(&self) -> bool {
        false
    }

    /// Functions that are no symbols.
    fn functions(&self) -> &'static [Function] {
        &[]
    }

    /// Whether a process has gates in brackets before its values: `P [a, b] (x)`.
    fn has_gates(&self) -> bool {
        false
    }
}
