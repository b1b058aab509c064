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
mod rewards;
mod states;

use std::io;
use volvelle_control::{Control, Stop};
use volvelle_explicit::prism::{Section, write_section};
use volvelle_explicit::{Compression, WriteError, WriteOptions};
use volvelle_explore::{ExploreError, Explored};
use volvelle_model::Program;

/// A file format. [`Format::of_extension`] finds the one that a file name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// PRISM transitions.
    Tra,
    /// PRISM states.
    Sta,
    /// PRISM labels.
    Lab,
    /// PRISM state rewards: one file for each reward structure.
    Srew,
    /// PRISM transition rewards: one file for each reward structure.
    Trew,
    /// Graphviz.
    Dot,
    /// Storm's explicit format.
    Drn,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] =
        [Format::Tra, Format::Sta, Format::Lab, Format::Srew, Format::Trew, Format::Dot, Format::Drn];

    /// The ending of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Tra => "tra",
            Format::Sta => "sta",
            Format::Lab => "lab",
            Format::Srew => "srew",
            Format::Trew => "trew",
            Format::Dot => "dot",
            Format::Drn => "drn",
        }
    }

    /// The format with this ending (without the dot; case does not matter).
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.extension().eq_ignore_ascii_case(extension))
    }

    /// Whether a file holds one reward structure, so that a program with several needs several files.
    pub fn is_per_reward_structure(self) -> bool {
        matches!(self, Format::Srew | Format::Trew)
    }
}

/// The model to write: all labels and reward structures of the program must have been observed
/// ([`volvelle_model::kernels::Selection::all`]).
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// The program, as it was explored.
    pub program: &'a Program,
    /// Its states.
    pub explored: &'a Explored,
}

/// Why a file was not written to its end.
#[derive(Debug)]
pub enum ExportError {
    /// Writing failed.
    Io(io::Error),
    /// A limit was reached or the user stopped it.
    Stopped(Stop),
    /// The program cannot be stepped through one state at a time.
    Step(ExploreError),
    /// There is no reward structure with this index.
    NoSuchRewardStructure(usize),
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::Io(error)
    }
}

impl From<WriteError> for ExportError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => ExportError::Io(error),
            WriteError::Stopped(stop) => ExportError::Stopped(stop),
            // Explored models are of kinds that every format holds.
            WriteError::Refused(finding) => ExportError::Io(io::Error::other(finding.message)),
        }
    }
}

impl From<Stop> for ExportError {
    fn from(stop: Stop) -> Self {
        ExportError::Stopped(stop)
    }
}

/// States between two looks at limits.
const PATIENCE: usize = 1 << 12;

/// The numbers of all states, with a look at the limits now and then.
pub(crate) fn each_state<'a>(
    states: usize,
    control: &'a Control<'_>,
) -> impl Iterator<Item = Result<usize, ExportError>> + 'a {
    (0..states).map(|state| {
        if state.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        Ok(state)
    })
}

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
