//! Exits as words.

use volvelle_kernel::Exit;

/// The word that code returns for an exit; done is zero.
pub(super) fn pack(exit: Exit) -> u64 {
    match exit {
        Exit::Done => 0,
        Exit::Failed(site) => 1 << 32 | u64::from(site.0),
        Exit::OutOfBounds(buffer) => 2 << 32 | u64::from(buffer.0),
        Exit::Full(buffer) => 3 << 32 | u64::from(buffer.0),
    }
}
