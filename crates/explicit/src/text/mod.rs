//! Parts that the readers and writers of text formats share: places in a text, numbers, names, columns of numbers, and
//! reading a text in pieces by several threads.

mod arithmetic;
mod cursor;
mod derive;
mod gather;
mod join;
mod names;
mod pieces;
mod print;

pub(crate) use arithmetic::Arithmetic;
pub(crate) use cursor::{Cursor, Script, show};
pub(crate) use derive::{NotAdded, choice_rewards, each_branch, exit_rates, weights};
pub(crate) use gather::{Gathered, Sign, join, to_intervals};
pub(crate) use join::{bit_set, can_mention, column, concatenate, join_actions, join_names, starts};
pub(crate) use names::Names;
pub(crate) use pieces::{Halt, cut, each, exact_if_needed};
pub(crate) use print::{Printer, refuse};
