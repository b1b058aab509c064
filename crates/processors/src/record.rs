//! Recording: the execution of a program as a trace, in the form that the name of the file asks for.

use super::asked::Run;
use super::meter::Meter;
use super::passes::arguments;
use super::source::with_stream;
use super::world::Files;
use serde_json::{Value, json};
use std::io;
use std::io::Write;
use std::path::Path;
use volvelle_console::{door, files};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::Compression;
use volvelle_instructions::{Failure, Stream};
use volvelle_riscv::trace;
use volvelle_riscv::trace::{Form, Unrecorded};

/// A form that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordForm {
    form: Form,
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
                let form = if is_own { Form::Own } else { Form::ChampSim };
                Ok(RecordForm { form, is_compressed: compression == Compression::Xz })
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
type Stopped = (Vec<Diagnostic>, Option<Stop>);

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
pub fn record(run: &Run, path: &Path, may_write: bool, control: &Control<'_>) -> Result<Recorded, Stopped> {
    let RecordForm { form, is_compressed } = RecordForm::of(path).map_err(|found| (vec![found], None))?;
    let mut world = Files::new(run.input.clone());
    world.may_write = may_write;
    let meter = Meter::new("instructions", [run.source.length()], control);
    let mut put = |to: &mut dyn Write| {
        let stream = |stream: &mut dyn Stream| Ok(trace::record(stream, form, to, control));
        let (found, ended) = with_stream(&run.source, &arguments(run), &mut world, (&meter, control), stream);
        let instructions = found.unwrap_or_else(|failure| Err(Unrecorded::Execution(failure)))?;
        Ok::<_, Unrecorded>((instructions, ended))
    };
    let done = door::replace(path, |out| {
        let mut counted = Counted { to: out, bytes: 0 };
        let found = match is_compressed {
            false => put(&mut counted)?,
            true => {
                let options = lzma_rust2::XzOptions::with_preset(1);
                let mut xz = lzma_rust2::XzWriter::new(&mut counted, options)?;
                let found = put(&mut xz)?;
                xz.finish()?;
                found
            }
        };
        Ok((found, counted.bytes))
    });
    match done {
        Ok(((instructions, ended), bytes)) => Ok(Recorded {
            instructions,
            bytes,
            exit: ended.exit,
            warnings: ended.warnings,
            files: world.into_written(),
        }),
        Err(Unrecorded::Trace(error)) => Err((vec![files::not_written(path, &error)], None)),
        Err(Unrecorded::Execution(Failure::Stopped(stop))) => Err((Vec::new(), Some(stop))),
        Err(Unrecorded::Execution(Failure::Faulty(found))) => Err((vec![*found], None)),
    }
}
