//! The known architectures: [`Cpu`] and [`Gpu`]. They read files in which Linux describes its devices; on other systems,
//! most facts come from the technologies.

mod cpu;
mod gpu;
mod pci;

pub use cpu::Cpu;
pub use gpu::Gpu;

use std::path::Path;

/// The text of a file, trimmed; `None` if there is no such file, or it is not text.
fn read(path: &Path) -> Option<String> {
    // Files of /proc report a size of 0: they are read regardless of it.
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}
