//! Writing a model in a format.

use crate::finding::Finding;
use crate::format::{Compression, Format};
use crate::model::Model;
use crate::options::WriteOptions;
use crate::output::WriteError;
use crate::{aut, drn, prism, umb};
use flate2::write::GzEncoder;
use std::io::{BufWriter, Write};
use volvelle_control::Control;

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
    let plain = |out: &mut dyn Write| match format {
        Format::Umb => umb::write(model, out, control),
        Format::Drn => drn::write(model, options, out, control),
        Format::Aut => aut::write(model, options, out, control),
        Format::PrismTransitions => {
            prism::write_section(model, prism::Section::Transitions, options, out, control)
        }
        Format::PrismCombined => prism::write_combined(model, options, out, control),
    };
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
    }
}
