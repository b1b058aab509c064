//! Copying between regions that have no shorter way.

use volvelle_runtime::{Error, Region};

/// Bytes that are moved at once.
const PIECE: usize = 4 << 20;

/// Copies through main memory. Where the ranges are of one region and overlap, what was there before counts.
///
/// # Errors
/// A transfer failed, or there is no main memory for it.
pub(crate) fn by_way_of_ram(
    to: &dyn Region,
    offset: usize,
    from: &dyn Region,
    start: usize,
    bytes: usize,
) -> Result<(), Error> {
    let mut buffer = Vec::new();
    let piece = bytes.min(PIECE);
    buffer
        .try_reserve_exact(piece)
        .map_err(|error| Error::Memory { bytes: piece, why: error.to_string() })?;
    buffer.resize(piece, 0);
    let pieces = bytes.div_ceil(PIECE);
    for i in 0..pieces {
        // From the end where the target is behind the source, so that no byte is overwritten before it is read.
        let done = PIECE * if offset > start { pieces - 1 - i } else { i };
        let piece = &mut buffer[..PIECE.min(bytes - done)];
        from.read(start + done, piece)?;
        to.write(offset + done, piece)?;
    }
    Ok(())
}
