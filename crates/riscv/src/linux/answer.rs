//! How a program goes on behind a call.

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The program goes on.
    Done,
    /// It goes on; the call is not known, and was refused.
    Unknown(u64),
    /// The program ends with a status.
    Exit(u8),
    /// A signal ends it.
    Killed(u64),
    /// It waits for a signal, and nobody is there to send one.
    Waits,
    /// Memory is full.
    Full,
    /// It wants another thread or process.
    Thread(&'static str),
}
