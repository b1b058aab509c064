//! Breakpoints as the model understands them.

use volvelle_diagnostics::FileId;
use volvelle_stepping::Goal;

/// A breakpoint as the model understands it.
pub struct Watched {
    /// Its number.
    pub id: i64,
    /// What it watches.
    pub what: What,
    /// What has to hold besides.
    pub condition: Option<Goal>,
    /// Whether it had an effect in the last state: those on conditions stop where they begin to hold.
    pub held: bool,
    /// Why it has no effect.
    pub refusal: Option<String>,
}

/// What a breakpoint watches.
pub enum What {
    /// A line of a text.
    Line(FileId, usize),
    /// A condition or a step, with its text.
    Goal(Goal, String),
    /// Nothing: it has no effect.
    Nothing,
}

/// Which breakpoints a step meets.
#[derive(Debug, Default)]
pub struct Met {
    /// Those on lines.
    pub lines: Vec<i64>,
    /// Those on conditions and steps, with their texts.
    pub goals: Vec<(i64, String)>,
}
