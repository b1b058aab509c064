//! Trace assertions: `trace` and `notrace`, automata over the messages that are sent and received.
//!
//! The state of the automaton is a global field. A send or receive on a channel that the automaton names in an event of that
//! kind takes a transition; where no event matches, a `trace` assertion is violated, and a `notrace` assertion cannot be
//! violated any more. Reaching the end of a `notrace` assertion violates it. In a rendezvous the send comes first, then the
//! receive, in one step.

use crate::ast::Place;
use volvelle_model::FieldId;

/// How a `trace` or `notrace` assertion is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceViolation {
    /// No event of the `trace` assertion matches.
    Unexpected,
    /// All events of the `notrace` assertion happened.
    AllMatched,
    /// No step is possible any more, and the `trace` assertion is not at its end.
    Incomplete,
}

/// A transition of the automaton: a message that is sent or received.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// Whether it is sent; received otherwise.
    pub sends: bool,
    /// Number of the channel.
    pub channel: i64,
    /// The values that the parts of the message must have; `None` is any value. Further parts may have any value.
    pub parts: Vec<Option<i64>>,
    /// The state that it leads to.
    pub target: i64,
    pub place: Place,
}

/// The automaton of a trace assertion.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// Global field: the state of the automaton.
    pub field: FieldId,
    /// `notrace`
    pub negated: bool,
    /// Events of each state.
    pub states: Vec<Vec<Event>>,
    /// The state after the last event; without an event, a state that no event leads to.
    pub end: i64,
}
