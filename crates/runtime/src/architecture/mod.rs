//! The architectures that are known: [`Cpu`] and [`Gpu`]. They read what Linux tells in files; elsewhere there is little to
//! be found, and technologies tell what they know.

mod cpu;
mod gpu;
mod pci;

pub use cpu::Cpu;
pub use gpu::Gpu;

use std::path::Path;

/// The text of a file, trimmed; nothing where there is none, or it is no text.
fn read(path: &Path) -> Option<String> {
    // Files of /proc say that they are empty: they are read, whatever their size.
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}
