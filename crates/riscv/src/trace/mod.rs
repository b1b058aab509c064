//! Traces: executions that are kept in files. Each reader is a [`volvelle_instructions::Stream`].
//!
//! - [`Recorder`] and [`Replay`]: our own form, well below a byte for an instruction;
//! - [`champsim`]: records of 64 bytes, as ChampSim reads them;
//! - [`cbp`]: the traces of the branch prediction championship of 2025;
//! - [`bt9`]: those of 2016.
//!
//! Readers take bytes that are not compressed otherwise, from whatever can be read.

pub mod bt9;
pub mod cbp;
pub mod champsim;
mod followers;
mod input;
mod numbers;
mod parts;
mod record;
mod replay;
mod troubles;

pub use record::Recorder;
pub use replay::Replay;

use std::io::{self, Write};
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Stream};

/// Instructions that are recorded at once.
const BATCH: usize = 1 << 14;

/// A form that executions are recorded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Ours.
    Own,
    /// Records of ChampSim.
    ChampSim,
}

/// Why an execution is not recorded to its end.
#[derive(Debug)]
pub enum Unrecorded {
    /// It was ended; what came before is recorded.
    Execution(Failure),
    /// The trace cannot be written.
    Trace(io::Error),
}

impl From<io::Error> for Unrecorded {
    fn from(error: io::Error) -> Self {
        Unrecorded::Trace(error)
    }
}

/// Records an execution to its end; gives the number of its instructions.
///
/// # Errors
/// As of [`Stream::next`], or the trace cannot be written.
pub fn record(
    stream: &mut dyn Stream,
    form: Form,
    to: &mut dyn Write,
    control: &Control<'_>,
) -> Result<u64, Unrecorded> {
    let mut recorder = Recorder::default();
    let mut batch = Batch::default();
    let mut bytes = Vec::new();
    let mut executed = 0;
    let end = loop {
        let more = stream.next(&mut batch, BATCH, control);
        executed += batch.steps.len() as u64;
        match form {
            Form::Own => recorder.record(stream.listing(), &batch, &mut bytes),
            Form::ChampSim => champsim::write(stream.listing(), &batch, &mut bytes),
        }
        to.write_all(&bytes)?;
        bytes.clear();
        match more {
            Ok(true) => {}
            Ok(false) => break Ok(executed),
            Err(failure) => break Err(Unrecorded::Execution(failure)),
        }
    };
    if form == Form::Own {
        recorder.finish(&mut bytes);
        to.write_all(&bytes)?;
    }
    end
}
