//! Streams of executed instructions: what emulators and traces give, and what models of machines take.
//!
//! Instructions are looked up by number in a [`Listing`], which holds what is the same in every execution. A [`Batch`] holds what is
//! not: which instruction, whether it jumped, and the addresses of memory; and, where asked for, what would have followed had
//! it gone the other way.
//!
//! ```
//! use volvelle_instructions::{Batch, Class, Instruction, Listing, Step};
//!
//! let mut listing = Listing::default();
//! let load = Instruction { class: Class::Load, size: 8, ..Instruction::at(0x1000) };
//! let branch = Instruction { class: Class::Branch, ..Instruction::at(0x1004) };
//! let mut batch = Batch::default();
//! batch.steps.push(Step::new(listing.number(load), false));
//! batch.addresses.push(0x8000);
//! batch.steps.push(Step::new(listing.number(branch), true));
//! assert_eq!(listing[batch.steps[1].instruction()].pc, 0x1004);
//! assert!(batch.steps[1].is_taken());
//! ```

mod listing;
mod stream;

pub use listing::{Class, Instruction, Listing, Register};
pub use stream::{Batch, Failure, Step, Stream, WrongPaths};
