//! Recording: the execution of a program as a trace, in the form that the name of the file asks for.

use super::asked::Run;
use super::passes::arguments;
use super::source::with_stream;
use super::world::Files;
use crate::{door, files};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::Compression;
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_riscv::trace::{Recorder, champsim};

/// Instructions at once.
const BATCH: usize = 1 << 14;

/// A form that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordForm {
    is_champsim: bool,
    is_compressed: bool,
}

impl RecordForm {
    /// The form of a name.
    pub fn of(path: &Path) -> Result<Self, Diagnostic> {
        let name = path.display().to_string();
        let (compression, stem) = Compression::of_name(&name);
        let is_champsim = [".champsim", ".champsimtrace"].iter().any(|ending| stem.ends_with(ending));
        let is_own = stem.ends_with(".vtr");
        match compression {
            Compression::None | Compression::Xz if is_own || is_champsim => {
                Ok(RecordForm { is_champsim, is_compressed: compression == Compression::Xz })
            }
            _ => {
                let message = format!("`{name}` does not say which form the trace is to have");
                let found = Diagnostic::error(codes::BAD_USAGE, message);
                Err(found.help("names end in .vtr, .champsim, .vtr.xz, or .champsim.xz"))
            }
        }
    }
}

/// What was recorded.
pub struct Recorded {
    pub instructions: u64,
    pub bytes: u64,
    pub exit: Option<u8>,
    pub warnings: Vec<Diagnostic>,
    pub files: Vec<(String, Vec<u8>)>,
}

impl Recorded {
    pub fn json(&self, program: &str) -> Value {
        super::json::present(json!({
            "program": program,
            "exit": self.exit,
            "instructions": self.instructions,
            "trace_bytes": self.bytes,
        }))
    }
}

/// Why nothing was recorded.
type Ended = (Vec<Diagnostic>, Option<Stop>);

/// An error of the file, or one of the program.
enum Trouble {
    File(io::Error),
    Program(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::File(error)
    }
}

/// Counts what goes through.
struct Counted<'w> {
    to: &'w mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Records an execution; a file appears only if the program came to its end.
pub fn record(run: &Run, path: &Path, may_write: bool, control: &Control<'_>) -> Result<Recorded, Ended> {
    let form = RecordForm::of(path).map_err(|found| (vec![found], None))?;
    let mut world = Files::new(run.input.clone());
    world.may_write = may_write;
    let mut ended = None;
    let mut instructions = 0;
    let mut bytes = 0;
    let done: Result<(), Trouble> = door::replace(path, |out| {
        let mut counted = Counted { to: out, bytes: 0 };
        let written = match form.is_compressed {
            false => put(run, form, &mut world, &mut counted, &mut instructions, &mut ended, control),
            true => {
                let options = lzma_rust2::XzOptions::with_preset(1);
                let mut xz = lzma_rust2::XzWriter::new(&mut counted, options)?;
                put(run, form, &mut world, &mut xz, &mut instructions, &mut ended, control)?;
                xz.finish().map(drop).map_err(Trouble::File)
            }
        };
        bytes = counted.bytes;
        written
    });
    match done {
        Ok(()) => {
            let ended = ended.unwrap_or_default();
            let written = world.written.into_iter();
            Ok(Recorded {
                instructions,
                bytes,
                exit: ended.exit,
                warnings: ended.warnings,
                files: written.map(|(path, bytes)| (path.display().to_string(), bytes)).collect(),
            })
        }
        Err(Trouble::File(error)) => Err((vec![files::not_written(path, &error)], None)),
        Err(Trouble::Program(Failure::Stopped(stop))) => Err((Vec::new(), Some(stop))),
        Err(Trouble::Program(Failure::Faulty(found))) => Err((vec![*found], None)),
    }
}

fn put(
    run: &Run,
    form: RecordForm,
    world: &mut Files,
    to: &mut dyn Write,
    instructions: &mut u64,
    ended: &mut Option<super::source::Ended>,
    control: &Control<'_>,
) -> Result<(), Trouble> {
    let mut trouble = None;
    let (found, end) = with_stream(&run.source, &arguments(run), world, control, |stream| {
        let written = follow(stream, form, to, instructions, control)?;
        trouble = written.err();
        Ok(())
    });
    *ended = Some(end);
    found.map_err(Trouble::Program)?;
    trouble.map_or(Ok(()), |error| Err(Trouble::File(error)))
}

fn follow(
    stream: &mut dyn Stream,
    form: RecordForm,
    to: &mut dyn Write,
    instructions: &mut u64,
    control: &Control<'_>,
) -> Result<io::Result<()>, Failure> {
    let mut recorder = Recorder::default();
    let mut batch = Batch::default();
    let mut bytes = Vec::new();
    while stream.next(&mut batch, BATCH, control)? {
        *instructions += batch.steps.len() as u64;
        match form.is_champsim {
            true => champsim::write(stream.listing(), &batch, &mut bytes),
            false => recorder.record(stream.listing(), &batch, &mut bytes),
        }
        if let Err(error) = to.write_all(&bytes) {
            return Ok(Err(error));
        }
        bytes.clear();
    }
    if !form.is_champsim {
        // The last batch is empty, and has what ends the trace.
        recorder.finish(&mut bytes);
    }
    Ok(to.write_all(&bytes))
}
