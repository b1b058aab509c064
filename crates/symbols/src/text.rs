//! The texts of a model.

use volvelle_diagnostics::FileId;

/// A text of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'t> {
    /// Its number, as places in the index have it.
    pub file: FileId,
    /// Its path from the folder of the model, by which other texts include it.
    pub name: &'t str,
    /// What it says.
    pub text: &'t str,
    /// What it is to the model.
    pub part: Part,
}

/// What a text is to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The model itself, which is the first of all texts.
    Model,
    /// A file of properties.
    Properties,
    /// A text that the model includes or names.
    Included,
}
