//! The forms of the language.

/// Where types stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// Behind names: `x: T`.
    #[default]
    Current,
    /// Also before names, as in papers of 2016: `var T x`, `function (T x): T`.
    Prefix2016,
}
