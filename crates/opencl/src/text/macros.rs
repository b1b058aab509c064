//! Macros of a text.

/// A macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Macro {
    /// Names of its arguments, if it has any.
    pub arguments: Option<Vec<String>>,
    /// The text it stands for.
    pub body: String,
}
