//! A protocol as data: states of a line in a cache, transfers, and what an operation does.

use volvelle_diagnostics::Span;

/// Most states of a protocol: counts of all classes of copies fit into one machine word of 128 bits.
pub const MOST_STATES: usize = 16;
/// Most transfers of a protocol.
pub const MOST_TRANSFERS: usize = 64;

/// The state of a line in a cache: an index into [`Protocol::states`]; 0 is invalid, larger is stronger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct State(pub u8);

impl State {
    /// The cache does not hold the line.
    pub const INVALID: State = State(0);

    /// Its place in tables over states.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// An index into [`Protocol::transfers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct TransferId(pub u8);

impl TransferId {
    /// Its place in tables over transfers.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where the line comes from; its distance to the requester is the one that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Source {
    /// The requester has it: no distance counts.
    None,
    /// The memory of the node where the line is at home.
    Home,
    /// The cache with the strongest state among the others.
    Provider,
}

impl Source {
    /// The word for it in a declaration.
    pub fn word(self) -> &'static str {
        match self {
            Source::None => "none",
            Source::Home => "home",
            Source::Provider => "provider",
        }
    }
}

/// A kind of transfer, which has latencies of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// As rows name it.
    pub name: String,
    /// Where the line comes from.
    pub source: Source,
}

/// What a processor does with a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Operation {
    /// Reads.
    Load,
    /// Writes a part of the line.
    Store,
    /// Reads and writes in one step: test-and-set, fetch-and-add, compare-and-swap.
    Atomic,
}

impl Operation {
    /// All, in the order of tables.
    pub const ALL: [Operation; 3] = [Operation::Load, Operation::Store, Operation::Atomic];

    /// The word for it in rows.
    pub fn word(self) -> &'static str {
        match self {
            Operation::Load => "load",
            Operation::Store => "store",
            Operation::Atomic => "atomic",
        }
    }

    /// Whether the value of the line changes.
    pub fn writes(self) -> bool {
        self != Operation::Load
    }
}

/// What an operation does, for one own state and one strongest state among the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The new state of the requester.
    pub own: State,
    /// The new state of another cache, by its present state; invalid stays invalid.
    pub others: Vec<State>,
    /// How the line comes.
    pub transfer: TransferId,
    /// The row that says so.
    pub row: usize,
}

/// A row with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub text: String,
    pub span: Span,
}

/// A protocol: which rule holds, by operation, own state and strongest state among the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// Its name.
    pub name: String,
    /// A sentence about it; may be empty.
    pub about: String,
    /// Names of states, from invalid to strongest.
    pub states: Vec<String>,
    /// Kinds of transfers, in the order of the declaration.
    pub transfers: Vec<Transfer>,
    /// By state: no other cache holds the line.
    pub exclusive: Vec<bool>,
    /// By state: the cache is responsible for the data, and memory may be stale.
    pub dirty: Vec<bool>,
    /// Whether atomic operations have rows of their own; otherwise they count as stores.
    pub has_atomic_rows: bool,
    /// Rules by operation, own and strongest state.
    pub(crate) rules: Vec<Option<Rule>>,
    pub(crate) rows: Vec<Row>,
    /// The place of the key `rows`.
    pub(crate) table: Span,
}

impl Protocol {
    /// The rule for an operation of a cache in the state `own`, if the strongest state of another cache is `strongest`.
    pub fn rule(&self, operation: Operation, own: State, strongest: State) -> Option<&Rule> {
        let n = self.states.len();
        if own.index() >= n || strongest.index() >= n {
            return None;
        }
        self.rules.get(cell(n, operation, own, strongest)).and_then(Option::as_ref)
    }

    /// The name of a state of this protocol.
    pub fn state(&self, state: State) -> &str {
        &self.states[state.index()]
    }

    /// A transfer of this protocol.
    pub fn transfer(&self, transfer: TransferId) -> &Transfer {
        &self.transfers[transfer.index()]
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A row as it is written.
    pub fn row_text(&self, row: usize) -> &str {
        &self.rows[row].text
    }

    /// The place of a row.
    pub fn row_span(&self, row: usize) -> Span {
        self.rows[row].span
    }

    /// The operations that have rules of their own.
    pub fn operations(&self) -> &'static [Operation] {
        if self.has_atomic_rows { &Operation::ALL } else { &Operation::ALL[..2] }
    }
}

/// The place of a rule in the table of a protocol with `n` states.
pub(crate) fn cell(n: usize, operation: Operation, own: State, strongest: State) -> usize {
    (operation as usize * n + own.index()) * n + strongest.index()
}
