//! Steps of runs and counterexamples, as screens, pages and JSON show them: who moved, which statement, what changed.

use volvelle_diagnostics::Span;

/// A text where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its line.
    pub line: usize,
    /// On one line, and not too long.
    pub text: String,
    /// The inlines and macros that brought it, innermost first: name, and line of the call.
    pub through: Vec<(String, usize)>,
    /// Its place, then those of these calls; nothing where it is in no text.
    pub places: Vec<Span>,
}

/// A process with a statement of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Number of the process.
    pub process: usize,
    /// The name of its type.
    pub name: String,
    /// The statement.
    pub at: Written,
}

/// The effect of a step on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// A message was put into it.
    Sent,
    /// A message was taken from it.
    Received,
    /// A message went from one process to another at once.
    Exchanged,
}

impl Moved {
    /// `send`, `receive`, `exchange`
    pub fn name(self) -> &'static str {
        match self {
            Moved::Sent => "send",
            Moved::Received => "receive",
            Moved::Exchanged => "exchange",
        }
    }
}

/// A message that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where it went.
    pub moved: Moved,
    /// The name of the channel.
    pub channel: String,
    /// Its parts.
    pub values: Vec<VariableValue>,
}

impl std::fmt::Display for Message {
    /// `q!data,5`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.moved == Moved::Received { '?' } else { '!' };
        write!(f, "{}{sign}", self.channel)?;
        for (i, value) in self.values.iter().enumerate() {
            write!(f, "{}{value}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// The value of a variable, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A name, or the contents of a channel.
    Text(String),
}

impl std::fmt::Display for VariableValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            VariableValue::Bool(truth) => write!(f, "{truth}"),
            VariableValue::Int(number) => write!(f, "{number}"),
            VariableValue::Text(text) => f.write_str(text),
        }
    }
}

/// Something that holds another value behind a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// A variable, or a channel.
    pub name: String,
    /// Value before.
    pub before: VariableValue,
    /// Value after.
    pub after: VariableValue,
}

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The process that moved; `None` where no process can move any more.
    pub actor: Option<Actor>,
    /// For a handshake: the process that received.
    pub partner: Option<Actor>,
    /// The message that it moved.
    pub message: Option<Message>,
    /// Changes of variables, then of channels.
    pub changes: Vec<Change>,
    /// The text that the statement printed.
    pub printed: String,
    /// Whether the process goes on alone behind it.
    pub atomic: bool,
}

impl TraceStep {
    /// The step with which nothing happens any more.
    pub fn stutter() -> Self {
        TraceStep {
            actor: None,
            partner: None,
            message: None,
            changes: Vec::new(),
            printed: String::new(),
            atomic: false,
        }
    }
}

/// Whether there are shorter runs to the same kind of error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailLength {
    /// Nothing is said: the run comes from elsewhere.
    #[default]
    Unsaid,
    /// It is a shortest one, where an atomic sequence counts as one step.
    Shortest,
    /// It may be longer than necessary; with a way to a shortest one, if there is one.
    Unknown(Option<&'static str>),
}

/// A run that shows why something is false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// The error at the end of it.
    pub reason: String,
    /// Step by step.
    pub steps: Vec<TraceStep>,
    /// The step with which the cycle begins that is repeated for ever.
    pub cycle_start: Option<usize>,
    /// Whether the last state is what is wrong: no process can move, and not all may stay where they are.
    pub is_stuck: bool,
    /// Where each process is in the last state.
    pub end: Vec<Standing>,
    /// Whether it is a shortest one.
    pub length: TrailLength,
    /// Which of the steps of its state each step is, for replays; `None` where nothing can move. Empty if the run could
    /// not be followed, or steps are left out.
    pub choices: Vec<Option<usize>>,
    /// Steps of a long run that are left out of `steps`.
    pub omitted: Option<Omitted>,
}

/// Steps of a run that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// Steps that are listed before them.
    pub after: usize,
    /// How many there are; an atomic sequence may count as one step.
    pub steps: u64,
}

impl Counterexample {
    /// The number of its steps, those that are left out included.
    pub fn len(&self) -> u64 {
        self.steps.len() as u64 + self.omitted.map_or(0, |omitted| omitted.steps)
    }

    /// Whether it ends where it begins.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The number of a listed step, from 1.
    pub fn number(&self, index: usize) -> u64 {
        let before = self.omitted.filter(|omitted| index >= omitted.after).map_or(0, |omitted| omitted.steps);
        index as u64 + 1 + before
    }
}

/// Where a process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Number of the process.
    pub process: usize,
    /// The name of its type.
    pub name: String,
    /// The statement before which it stands; `None` at the end of its text.
    pub at: Option<Written>,
    /// Whether it may stay there.
    pub is_end: bool,
}
