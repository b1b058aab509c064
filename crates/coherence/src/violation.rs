//! What can be wrong with an operation, each with a plain sentence.

use crate::protocol::{Operation, Protocol, Source, State};

/// What is wrong with an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The table has no row for it.
    Missing {
        /// The state of the requester.
        own: State,
        /// The strongest state among the others.
        strongest: State,
    },
    /// Nothing is transferred, and the requester does not hold the line.
    HitWithoutLine,
    /// Nothing is transferred, and yet another cache changes its state.
    HitChangesOther {
        /// Its state.
        from: State,
        /// Its new state.
        to: State,
    },
    /// The line comes from another cache, and none holds it.
    NoProvider,
    /// A load sees a value that is not the latest.
    StaleLoad {
        /// Where it comes from.
        source: Source,
    },
    /// A store changes a part of a line whose other parts are not the latest.
    StaleStore {
        /// Where the line comes from.
        source: Source,
    },
    /// After a load the requester does not hold the line.
    LoadsNothing,
    /// After a store the writer is not responsible for the data.
    NotDirty {
        /// The new state of the writer.
        state: State,
    },
    /// A cache is in an exclusive state while another one holds the line.
    NotExclusive {
        /// The exclusive state.
        state: State,
        /// The state of the other one.
        other: State,
    },
    /// Two caches are responsible for the data.
    TwoDirty {
        /// The state of one.
        first: State,
        /// The state of the other.
        second: State,
    },
    /// Neither memory has the latest value nor a cache that is responsible for it: it is lost when the line is evicted.
    Lost,
}

impl Violation {
    /// A sentence without a full stop about an `operation` of `protocol` that goes wrong.
    pub fn sentence(self, protocol: &Protocol, operation: Operation) -> String {
        let name = |state| protocol.state(state);
        let word = operation.word();
        let article =
            if operation == Operation::Atomic { "an atomic operation" } else { &format!("a {word}") };
        match self {
            Violation::Missing { own, strongest } => {
                format!("the table has no row for `{word} {} {}`", name(own), name(strongest))
            }
            Violation::HitWithoutLine => {
                "the row transfers nothing, but the requester does not hold the line".to_owned()
            }
            Violation::HitChangesOther { from, to } => format!(
                "the row transfers nothing, but another cache goes from `{}` to `{}`: it cannot know",
                name(from),
                name(to)
            ),
            Violation::NoProvider => {
                "the line comes from another cache, but no other cache holds it".to_owned()
            }
            Violation::StaleLoad { source: Source::None } => format!("{article} hits a stale copy"),
            Violation::StaleLoad { source: Source::Home } => {
                format!("{article} gets a stale value from memory")
            }
            Violation::StaleLoad { source: Source::Provider } => {
                format!("{article} gets a stale value from another cache")
            }
            Violation::StaleStore { source: Source::None } => {
                format!("{article} changes a part of a stale copy")
            }
            Violation::StaleStore { source: Source::Home } => {
                format!("{article} changes a part of a stale line from memory")
            }
            Violation::StaleStore { source: Source::Provider } => {
                format!("{article} changes a part of a stale line from another cache")
            }
            Violation::LoadsNothing => "after a load the requester does not hold the line".to_owned(),
            Violation::NotDirty { state } => format!(
                "after {article} the writer is in `{}`, which is not dirty: the new value has no owner",
                name(state)
            ),
            Violation::NotExclusive { state, other } => format!(
                "a cache is in the exclusive state `{}` while another one is in `{}`",
                name(state),
                name(other)
            ),
            Violation::TwoDirty { first, second } => format!(
                "two caches are responsible for the data: one in `{}`, one in `{}`",
                name(first),
                name(second)
            ),
            Violation::Lost => "the latest value is neither in memory nor in a dirty cache".to_owned(),
        }
    }

    /// A way out.
    pub fn help(self, protocol: &Protocol, operation: Operation) -> String {
        match self {
            Violation::Missing { own, strongest } => format!(
                "add a row that begins with `{} {} {} ->`",
                operation.word(),
                protocol.state(own),
                protocol.state(strongest)
            ),
            Violation::HitWithoutLine | Violation::HitChangesOther { .. } => {
                "let the row transfer the line from memory or from another cache".to_owned()
            }
            Violation::NoProvider => "let the line come from memory".to_owned(),
            Violation::StaleLoad { source: Source::Home } | Violation::StaleStore { source: Source::Home } => {
                "let the line come from the cache that has the latest value".to_owned()
            }
            Violation::StaleLoad { .. } | Violation::StaleStore { .. } => {
                "let stores make the copies of all other caches invalid".to_owned()
            }
            Violation::LoadsNothing => "let the requester go to a state that is not the first".to_owned(),
            Violation::NotDirty { .. } => match protocol.dirty.iter().position(|&dirty| dirty) {
                Some(dirty) => {
                    format!("let the writer go to a dirty state, such as `{}`", protocol.states[dirty])
                }
                None => "name the states of writers: `dirty = [\"M\"]`".to_owned(),
            },
            Violation::NotExclusive { .. } | Violation::TwoDirty { .. } => {
                "let the other caches, or this one, go to a weaker state".to_owned()
            }
            Violation::Lost => "let a cache that leaves a dirty state hand the line on: the transfer comes from it, and it is \
                 written back unless the requester becomes dirty"
                .to_owned(),
        }
    }
}
