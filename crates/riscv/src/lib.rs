//! RISC-V programs in user mode: an emulator, and traces of what was executed.
//!
//! In goes a static executable for RV64GC Linux ([`Program::read`]); out come its output, through a [`World`], and a stream of instructions
//! ([`Emulator`] is a [`volvelle_instructions::Stream`]), which can be kept and read again ([`trace`]). The chapters that comments name are those of the
//! unprivileged specification, version 20191213 and later (riscv.org), where not said otherwise.
//!
//! - [`Program`]: ELF files; [`Symbols`]: names by address;
//! - `word`, `compressed`, `decode`, `classify`: instructions, to operations and to what models want to know of them;
//! - `memory`, `frames`, `hart`, `blocks`, `execute`: the machine; `float`: its arithmetic; `wrong`: paths that it does not take;
//! - `linux`, `stack`: the system that programs find.
//!
//! There is no file, clock, or environment in here, no recursion, and nothing that depends on the machine.

mod blocks;
mod classify;
pub mod compressed;
mod decode;
mod elf;
mod emulator;
mod execute;
pub mod float;
mod float_execute;
mod frames;
mod hart;
mod linux;
mod memory;
mod observer;
mod operation;
mod stack;
mod symbols;
pub mod trace;
mod troubles;
mod word;
mod world;
mod wrong;

pub use elf::{Headers, Permissions, Program, Segment};
pub use emulator::{Arguments, Emulator};
pub use observer::Hashes;
pub use symbols::{Symbol, Symbols};
pub use word::{Word, major};
pub use world::{Access, Errno, FileId, Kept, Output, World};
