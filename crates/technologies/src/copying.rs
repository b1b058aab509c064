//! Copying between regions without a shorter way.

use volvelle_runtime::{Error, Region};

/// Bytes moved at once.
const PIECE: usize = 4 << 20;

/// Copies through main memory. If the ranges overlap in one region, the target gets the old bytes of the
/// source.
///
/// # Errors
/// A transfer failed, or there is not enough main memory.
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
        // If the target comes after the source, it starts at the end, so that no byte is overwritten before
        // it is read.
        let done = PIECE * if offset > start { pieces - 1 - i } else { i };
        let piece = &mut buffer[..PIECE.min(bytes - done)];
        from.read(start + done, piece)?;
        to.write(offset + done, piece)?;
    }
    Ok(())
}
