//! The one door to files: whatever a run reads or writes is opened here.
//!
//! The door knows what every name stands for (`identity`), and with that what a run reads and what it is to write (`known`): no file
//! is both, under whatever names. Reading ends at the limits of the command (`reading`). What is written appears under its name only
//! when it is whole (`writing`). Files that several processes keep together are changed by one at a time (`lock`).

#![allow(clippy::disallowed_methods)] // the door itself opens files

mod folder;
mod identity;
mod known;
mod lock;
mod reading;
mod user;
mod writing;

pub use folder::{entries_inside, folder_entries, head_inside, read_inside};
pub use identity::{is_below, is_same};
pub use known::{
    Refusal, Role, claim, claim_among, claim_standard_output, conflicts, note_read, refusal_of,
    refusal_to_keep, stopped,
};
pub use lock::Lock;
pub use reading::{
    allowance, byte_of_input, head, hold_to, is_input_typed, line_of_input, open, open_kept, program, read,
    read_kept, readable, small, standard_input, stream_of_input,
};
pub use writing::{abandon, amend, append, keep, make_folder, probe, replace, stamp, store, through};
