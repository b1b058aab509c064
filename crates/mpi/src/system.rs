//! A program after resolution: constants are numbers, arrays are variables, and each process is a graph of steps.
//!
//! Calls are gone: procedures stand where they were called, and the arguments that are constants are constants. A procedure never calls
//! itself, so that each of its locals exists once per process.
//!
//! An access reads or writes one shared variable and takes time; everything else happens at once, in the step that the last access or
//! event before it ends with.

use volvelle_diagnostics::Span;

/// Declares the numbers of things of a [`System`].
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as the place in a list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

numbers! {
    /// A process.
    ProcessId
    /// A shared variable: an element of an array, a field of a structure.
    VariableId
    /// A cache line.
    LineId
    /// A home of lines.
    HomeId
    /// A local variable of a process.
    LocalId
    /// A step in the graph of a process.
    NodeId
    /// A ghost channel: messages that have been sent and not received.
    ChannelId
    /// A mark that is measured.
    MarkId
    /// A class of variables, under which misses are summed up.
    ClassId
    /// A delay without an access.
    WorkId
}

/// A resolved program.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Processes, in the order in which they start.
    pub processes: Vec<Process>,
    /// Shared variables.
    pub variables: Vec<Variable>,
    /// Cache lines.
    pub lines: Vec<Line>,
    /// Homes of lines, each once.
    pub homes: Vec<Home>,
    /// Classes of variables.
    pub classes: Vec<String>,
    /// Channels of messages that annotations speak of.
    pub channels: Vec<Channel>,
    /// Names of marks.
    pub marks: Vec<String>,
    /// Means of delays without access, in the unit of latencies, with what was written.
    pub works: Vec<Work>,
}

/// Where a line has its home.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Home {
    /// With a process.
    Process(ProcessId),
    /// At a place of the topology.
    Place(String),
}

/// A shared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `avail[0]`, `packet[1].next`
    pub name: String,
    /// Least value.
    pub lo: i64,
    /// Greatest value; equal to `lo` where values have no meaning (`data`).
    pub hi: i64,
    /// Whether `fetch_add` goes on with `lo` behind `hi`.
    pub wraps: bool,
    /// Initial value.
    pub initial: i64,
    /// The line it is on.
    pub line: LineId,
    /// Its class.
    pub class: ClassId,
    /// Its declaration.
    pub span: Span,
}

/// A cache line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// That of its variable, or of the structure with the line.
    pub name: String,
    /// Where it has its home.
    pub home: HomeId,
    /// Its declaration.
    pub span: Span,
}

/// A delay without access.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// As written.
    pub name: String,
    /// Mean, in the unit of latencies; positive.
    pub mean: f64,
}

/// A ghost channel: its messages are what `sent` put in and `received` has not taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// `mail[1]`
    pub name: String,
    /// Least content of a message.
    pub lo: i64,
    /// Greatest content; equal to `lo` where messages have none.
    pub hi: i64,
    /// How many messages may be under way.
    pub capacity: u32,
    /// Its declaration.
    pub span: Span,
}

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// `P0`
    pub name: String,
    /// Locals of the process and of the procedures that it calls.
    pub locals: Vec<Local>,
    /// Steps.
    pub nodes: Vec<Node>,
    /// The first step.
    pub start: NodeId,
    /// Its declaration.
    pub span: Span,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name in the text; with the procedure: `send.p`.
    pub name: String,
    /// Least value.
    pub lo: i64,
    /// Greatest value.
    pub hi: i64,
    /// The value outside of its procedure.
    pub initial: i64,
}

/// A step of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The step.
    pub kind: NodeKind,
    /// Its text.
    pub span: Span,
}

/// A kind of step.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// An access to a shared variable; takes time.
    Access(Access),
    /// A delay.
    Work(WorkId, NodeId),
    /// Something that is observed; takes no time.
    Event(Event, NodeId),
    /// `local := value`
    Assign(LocalId, Expr, NodeId),
    /// If the condition is not zero, the first, else the second.
    Branch(Expr, NodeId, NodeId),
    /// Any of these; nobody knows which.
    Choice(Vec<NodeId>),
    /// The process ends with an error if the condition is zero.
    Assert(Expr, NodeId),
    /// The process has ended.
    End,
}

/// An access to a shared variable, atomic on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// What it does.
    pub operation: Operation,
    /// The variable.
    pub variable: Reference,
    /// The local that gets the result of the operation.
    pub result: Option<LocalId>,
    /// What follows.
    pub next: NodeId,
}

/// An operation on a shared variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Result: the value.
    Load,
    /// Stores a value.
    Store(Expr),
    /// Stores 1. Result: the value before.
    TestAndSet,
    /// Stores a value. Result: the value before.
    Swap(Expr),
    /// Stores the second value if the variable has the first. Result: 1 if so, else 0.
    CompareAndSwap(Expr, Expr),
    /// Adds a value. Result: the value before.
    FetchAdd(Expr),
}

impl Operation {
    /// The operation of the protocol.
    pub fn on_cache(&self) -> volvelle_coherence::Operation {
        match self {
            Operation::Load => volvelle_coherence::Operation::Load,
            Operation::Store(_) => volvelle_coherence::Operation::Store,
            _ => volvelle_coherence::Operation::Atomic,
        }
    }

    /// Name in labels.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Load => "LD",
            Operation::Store(_) => "ST",
            Operation::TestAndSet => "TAS",
            Operation::Swap(_) => "SWAP",
            Operation::CompareAndSwap(..) => "CAS",
            Operation::FetchAdd(_) => "FADD",
        }
    }
}

/// A variable, or an element of an array of them whose number is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The variable where all indices have their least value.
    pub base: VariableId,
    /// Indices that are no constants; with `strides` from one element to the next.
    pub indices: Vec<Index>,
}

/// An index of an array that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The index.
    pub value: Expr,
    /// Its least value in the declaration.
    pub lo: i64,
    /// Its greatest value; another value is an error of the program.
    pub hi: i64,
    /// How far apart neighbours are in the numbers of variables.
    pub stride: u32,
}

/// Something that is observed.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The process passes a mark.
    Mark(MarkId),
    /// It enters a critical section, which belongs to a shared variable (a lock).
    Enter(Reference),
    /// It leaves the section.
    Leave(Reference),
    /// It sends a message with some content.
    Sent(ChannelReference, Expr),
    /// It has received one.
    Received(ChannelReference, Expr),
}

/// A channel, or an element of an array of them whose number is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelReference {
    /// The channel where all indices have their least value.
    pub base: ChannelId,
    /// Indices that are no constants.
    pub indices: Vec<Index>,
}

/// An expression over the locals of a process; truth values are 1 and 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// The value of a local.
    Local(LocalId),
    /// An operation on one operand.
    Unary(Unary, Box<Expr>),
    /// An operation on two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its name")]
pub enum Unary {
    Negate,
    Not,
}

/// An operation on two operands. Division rounds down, the remainder has the sign of the divisor; division by zero is an error of the
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its name")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

/// A mistake that a process makes while it runs; it goes no further then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mistake {
    /// An index is outside of its array.
    Index,
    /// A value is outside of the range of its variable.
    Range,
    /// A division by zero, or a number that is too large.
    Arithmetic,
    /// An assertion does not hold.
    Assertion,
    /// A process enters a critical section in which another one is.
    Exclusion,
    /// A process leaves a critical section that it is not in.
    NotInside,
    /// A message is received that was not sent, or in another order.
    NotSent,
    /// More messages are under way than the channel says.
    Overflow,
    /// A hit reads a value that is not the latest.
    Stale,
    /// A writer is not the only one with the line.
    Writers,
    /// The protocol has no row.
    NoRow,
}

impl System {
    /// The nodes that follow a node.
    pub fn successors(node: &Node) -> Vec<NodeId> {
        Self::followers(&node.kind)
    }

    /// The nodes that follow a step.
    pub(crate) fn followers(kind: &NodeKind) -> Vec<NodeId> {
        match kind {
            NodeKind::Access(access) => vec![access.next],
            NodeKind::Work(_, next)
            | NodeKind::Event(_, next)
            | NodeKind::Assign(_, _, next)
            | NodeKind::Assert(_, next) => vec![*next],
            NodeKind::Branch(_, yes, no) => vec![*yes, *no],
            NodeKind::Choice(ways) => ways.clone(),
            NodeKind::End => Vec::new(),
        }
    }
}
