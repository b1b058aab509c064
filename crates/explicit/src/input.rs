//! Files that a model is read from.

/// A file: its name, which messages show and whose ending may tell the format, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The name.
    pub name: &'a str,
    /// The bytes, perhaps compressed.
    pub bytes: &'a [u8],
}

/// Files beside PRISM's transitions.
#[derive(Clone, Debug, Default)]
pub struct Companions<'a> {
    /// `.lab`.
    pub labels: Option<Input<'a>>,
    /// `.sta`.
    pub states: Option<Input<'a>>,
    /// `.obs`.
    pub observations: Option<Input<'a>>,
    /// `.srew`, one for each reward structure.
    pub state_rewards: Vec<Input<'a>>,
    /// `.trew`, one for each reward structure, in the order of `state_rewards`.
    pub transition_rewards: Vec<Input<'a>>,
}
