//! What a model is lowered for.

/// What a program is for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'i> {
    /// To visit all of its states, with these characters on the standard input.
    Analysis { input: Option<&'i [u8]> },
    /// To follow one run, whose output is noted and that reads characters one by one.
    Simulation,
}
