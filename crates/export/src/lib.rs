//! Explicit state spaces as text: PRISM's `.tra .sta .lab .srew .trew`, Graphviz `.dot`, Storm's `.drn`.
//!
//! Takes a program and its explored state space; writes to any [`std::io::Write`]. Numbers of states are those
//! of the exploration (breadth-first order of discovery), in every format; PRISM's own exports number states by
//! their values, so files of the two tools agree up to a renumbering, which the `.sta` file gives.
//! Floating-point numbers are printed with the fewest digits that read back as the same number.
//!
//! The text of the formats, graphics aside, is that of the crate `explicit`, which reads them too: here is how an
//! exploration becomes an explicit model. Formats: the appendix *Explicit Model Files* of the PRISM manual (headers as PRISM 4.8 writes them), and Storm's
//! *explicit DRN format* (<https://www.stormchecker.org/documentation/background/languages.html>).
//!
//! Stands on `explore` for the shape of its result and for single steps. Opens no files.

mod convert;
mod graphviz;
mod model;
mod rewards;
mod states;

pub(crate) use model::each_state;
pub use model::{ExportError, Format, Model};

use std::io;
use volvelle_control::Control;
use volvelle_explicit::prism::{Section, write_section};
use volvelle_explicit::{Compression, WriteOptions};

/// Writes a file. `structure` is the index of the reward structure for the formats that hold one, and ignored by
/// the others. `out` should be buffered.
pub fn write(
    model: Model<'_>,
    format: Format,
    structure: usize,
    out: &mut dyn io::Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    if format.is_per_reward_structure() && structure >= model.program.rewards.len() {
        return Err(ExportError::NoSuchRewardStructure(structure));
    }
    if format == Format::Dot {
        return graphviz::write(model, out, control);
    }
    let model = convert::model(model, format, structure, control)?;
    let options = WriteOptions::default();
    // Parts that a format cannot hold are written to files of other formats.
    let section = match format {
        Format::Tra => Section::Transitions,
        Format::Sta => Section::States,
        Format::Lab => Section::Labels,
        Format::Srew => Section::StateRewards(&model.rewards[structure]),
        Format::Trew => Section::TransitionRewards(&model.rewards[structure]),
        Format::Drn => {
            let format = volvelle_explicit::Format::Drn;
            volvelle_explicit::write(&model, format, Compression::None, &options, out, control)?;
            return Ok(());
        }
        Format::Dot => unreachable!("graphics are written above"),
    };
    write_section(&model, section, &options, out, control)?;
    Ok(())
}
