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

use crate::emulator::Emulator;
use std::io::Write;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Stream};

/// Instructions that are recorded at once.
const BATCH: usize = 1 << 14;

/// Runs a program to its end and records it; gives its status.
///
/// # Errors
/// As [`Emulator::run`], or the trace cannot be written. What was executed before is recorded.
pub fn record(emulator: &mut Emulator<'_>, to: &mut dyn Write, control: &Control<'_>) -> Result<u8, Failure> {
    let mut recorder = Recorder::default();
    let mut batch = Batch::default();
    let mut bytes = Vec::new();
    let mut put = |bytes: &mut Vec<u8>| {
        let written = to.write_all(bytes);
        bytes.clear();
        written.map_err(|error| Failure::Faulty(Box::new(troubles::not_written(&error))))
    };
    let end = loop {
        let more = emulator.next(&mut batch, BATCH, control);
        recorder.record(emulator.listing(), &batch, &mut bytes);
        put(&mut bytes)?;
        match more {
            Ok(true) => {}
            Ok(false) => break Ok(emulator.exit().unwrap_or(0)),
            Err(failure) => break Err(failure),
        }
    };
    recorder.finish(&mut bytes);
    put(&mut bytes)?;
    end
}
