//! What is wrong with kernels in their text form (`.vk`): what their parser says, and their verifier.

use crate::reader::Reader;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_kernel::text::{parse_with_places, pieces};
use volvelle_kernel::verify::verify;

/// The name of the language among those with names.
pub const LANGUAGE: &str = "kernel";

/// All mistakes of a text, in their order. The verifier looks at the kernels that can be read.
pub fn diagnosed(file: FileId, text: &str, _: &Reader) -> Vec<Diagnostic> {
    let (kernels, errors) = parse_with_places(text);
    let pieces = pieces(text);
    // The token at a place; at the end of the text, nothing.
    let token = |at: usize| {
        let behind = pieces.partition_point(|piece| piece.start <= at);
        let here = behind.checked_sub(1).map(|before| pieces[before]).filter(|piece| at < piece.end);
        Span::within(file, text, at..here.map_or(at, |piece| piece.end))
    };
    let unread = errors.into_iter().map(|error| (error.at, codes::KERNEL_SYNTAX, error.message));
    let mut found: Vec<(usize, _, String)> = unread.collect();
    for located in kernels {
        for error in verify(&located.kernel).err().unwrap_or_default() {
            found.push((located.places.offset(error.place), codes::KERNEL_INVALID, error.message));
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(at, code, message)| Diagnostic::error(code, message).at(token(at), "")).collect()
}

#[cfg(test)]
mod tests;
