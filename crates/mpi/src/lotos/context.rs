//! What all parts of a specification need.

use super::elements::Elements;
use super::names::Names;
use super::values::Values;
use crate::machine::Machine;
use crate::system::{Mistake, NodeId, ProcessId, System};
use std::cell::{Cell, RefCell};

/// Names of functions that are declared.
pub(super) struct Functions {
    pub(super) strongest: String,
    pub(super) own: String,
    pub(super) other: String,
    pub(super) transfer: String,
    pub(super) has_row: String,
    pub(super) home: String,
    pub(super) distance: String,
    pub(super) choose: String,
    pub(super) number: String,
    /// By transfer, the function from distances to transfers.
    pub(super) transfers: Vec<Option<String>>,
}

/// Names of variables.
pub(super) struct Variables {
    pub(super) own: String,
    pub(super) strongest: String,
    pub(super) other: String,
    pub(super) access: String,
    pub(super) home: String,
    pub(super) cache: String,
    /// In equations on values.
    pub(super) values: Vec<String>,
    /// Of a line: names and contents of its variables, states of its copies, and what was decided.
    pub(super) names: Vec<String>,
    pub(super) contents: Vec<String>,
    pub(super) copies: Vec<String>,
    pub(super) decided_own: Vec<String>,
    pub(super) decided_strongest: Vec<String>,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) transfer: String,
}

/// What all parts of a specification need.
pub(super) struct Context<'a> {
    pub(super) system: &'a System,
    pub(super) machine: &'a Machine,
    pub(super) names: Names,
    pub(super) values: Values,
    pub(super) elements: Elements,
    pub(super) functions: Functions,
    pub(super) variables: Variables,
    /// Whether accesses may come to a state for which the protocol has no row.
    pub(super) may_lack_rows: bool,
    /// Whether a choice between two values or between two distances is used, and the stronger one of two states.
    pub(super) uses_choose: Cell<bool>,
    pub(super) uses_nearest: Cell<bool>,
    pub(super) uses_strongest: Cell<bool>,
    /// Mistakes by the numbers that labels have.
    pub(super) mistakes: RefCell<Vec<(ProcessId, NodeId, Mistake)>>,
}

/// A text inside of a comment.
pub(super) fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )")
}
