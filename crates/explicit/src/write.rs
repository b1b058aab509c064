//! Writing a model in a format.

use crate::finding::Finding;
use crate::format::{Compression, Format};
use crate::model::Model;
use crate::options::{Dialect, WriteOptions};
use crate::output::WriteError;
use crate::{aut, drn, prism, umb};
use flate2::write::GzEncoder;
use ruzstd::encoding::CompressionLevel;
use std::io::{BufWriter, Write};
use volvelle_control::Control;
use volvelle_space::Lts;

/// Writes a model in a format; gives what the format cannot hold. PRISM's files beside the transitions are written by
/// [`prism::write_section`].
pub fn write(
    model: &Model,
    format: Format,
    compression: Compression,
    options: &WriteOptions,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<Vec<Finding>, WriteError> {
    compressed(compression, out, |out| match format {
        Format::Umb => umb::write(model, out, control),
        Format::Drn => drn::write(model, options, out, control),
        Format::Aut => aut::write(model, options, out, control),
        Format::PrismTransitions => {
            prism::write_section(model, prism::Section::Transitions, options, out, control)
        }
        Format::PrismCombined => prism::write_combined(model, options, out, control),
    })
}

/// Writes a labelled transition system as an ALDEBARAN file.
///
/// # Errors
/// Writing failed, or the user stopped it.
pub fn write_lts(
    lts: &Lts,
    dialect: Dialect,
    compression: Compression,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), WriteError> {
    compressed(compression, out, |out| aut::write_lts(lts, dialect, out, control))
}

/// Writes what `plain` writes, compressed.
fn compressed<T>(
    compression: Compression,
    out: &mut dyn Write,
    plain: impl FnOnce(&mut dyn Write) -> Result<T, WriteError>,
) -> Result<T, WriteError> {
    match compression {
        Compression::None => {
            let mut out = BufWriter::new(out);
            let findings = plain(&mut out)?;
            out.flush()?;
            Ok(findings)
        }
        Compression::Gzip => {
            let encoder = GzEncoder::new(out, flate2::Compression::fast());
            let mut out = BufWriter::with_capacity(1 << 16, encoder);
            let findings = plain(&mut out)?;
            out.into_inner().map_err(|error| error.into_error())?.finish()?.flush()?;
            Ok(findings)
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(3);
            let encoder = lzma_rust2::XzWriter::new(out, options)?;
            let mut out = BufWriter::with_capacity(1 << 16, encoder);
            let findings = plain(&mut out)?;
            out.into_inner().map_err(|error| error.into_error())?.finish()?.flush()?;
            Ok(findings)
        }
        Compression::Zstd => {
            // The encoder takes its input from a reader, so that all of it is held.
            let mut text = Vec::new();
            let findings = plain(&mut text)?;
            let packed = ruzstd::encoding::compress_to_vec(&text[..], CompressionLevel::Fastest);
            out.write_all(&packed)?;
            out.flush()?;
            Ok(findings)
        }
    }
}
