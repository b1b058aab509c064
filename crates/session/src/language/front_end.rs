//! What a front end is: a name, the signs by which its models are told from others, and a reader.

use super::offers::Offers;
use super::recognition::{beginning, ending, first_word};
use super::{Document, Input};
use volvelle_diagnostics::{Diagnostic, Sources};

/// The reader of a modelling language.
pub trait FrontEnd: Sync {
    /// Its name on the command line: `prism`.
    fn name(&self) -> &'static str;

    /// The language for people: `The PRISM language`.
    fn title(&self) -> &'static str;

    /// What its models may offer.
    fn offers(&self) -> &'static [Offers];

    /// Endings of file names that choose the language, without the dot. The first ones are proposed to users.
    fn endings(&self) -> &'static [&'static str];

    /// Words with which a model without a telling name may begin; `#` stands for a line of a preprocessor.
    fn first_words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file with this name is in the language.
    fn is_named(&self, name: &str) -> bool {
        let ending = ending(name);
        self.endings().iter().any(|known| known.eq_ignore_ascii_case(ending))
    }

    /// Whether a file whose name tells the language can be in it: some endings are those of other files, too.
    fn may_be(&self, _bytes: &[u8]) -> bool {
        true
    }

    /// Whether a file without a telling name begins as one in the language.
    fn begins(&self, bytes: &[u8]) -> bool {
        self.first_words().contains(&first_word(beginning(bytes)))
    }

    /// Reads a model with its properties. What is wrong in it is pushed; `None` if the bytes cannot be read at all.
    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>>;
}
