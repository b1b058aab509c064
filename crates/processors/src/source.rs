//! What a file holds, by its content: a program, a trace in one of four forms, a stream as text, or a study.

use super::meter::{Gauged, Meter, Metered};
use super::world::Files;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use volvelle_console::{door, files};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes};
use volvelle_explicit::{Compression, decompressed};
use volvelle_instructions::{Failure, Stream};
use volvelle_multicore::{Form, TextTrace};
use volvelle_riscv::trace::bt9::Bt9;
use volvelle_riscv::trace::cbp::Cbp;
use volvelle_riscv::trace::{Replay, champsim};
use volvelle_riscv::{Arguments, Emulator, Program, Symbols};
use volvelle_session::decode;

/// Bytes that tell what a file is.
const HEAD: u64 = 1 << 14;

/// Forms of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceForm {
    Own,
    ChampSim,
    Championship2016,
    Championship2025,
}

impl TraceForm {
    pub fn name(self) -> &'static str {
        match self {
            TraceForm::Own => "trace",
            TraceForm::ChampSim => "ChampSim trace",
            TraceForm::Championship2016 => "CBP 2016 trace",
            TraceForm::Championship2025 => "CBP 2025 trace",
        }
    }
}

/// Where the bytes of a trace are.
#[derive(Clone)]
pub enum Bytes {
    /// In a file that may be read again and again.
    File(PathBuf),
    /// In memory, as what came from a pipe.
    Memory(Arc<Vec<u8>>),
}

/// What a file holds.
#[derive(Clone)]
pub enum Content {
    Program(Arc<Program>),
    Trace(TraceForm, Bytes),
    /// A stream as text, or a study (no form).
    Text(Option<Form>, FileId, Arc<str>),
}

/// A file that was looked at.
#[derive(Clone)]
pub struct Source {
    pub path: PathBuf,
    pub content: Content,
}

impl Source {
    /// Looks at a file.
    pub fn open(path: &Path, sources: &mut Sources, control: &Control<'_>) -> Result<Self, Diagnostic> {
        let failed = |error: io::Error| unreadable(path, &error);
        let name = path.display().to_string();
        let bytes = match path != Path::new("-") && path.is_file() {
            true => Bytes::File(path.to_owned()),
            false => Bytes::Memory(Arc::new(files::read_bytes(path)?)),
        };
        let mut head = Vec::new();
        bytes.reader(control).and_then(|reader| reader.take(HEAD).read_to_end(&mut head)).map_err(failed)?;
        if head.is_empty() {
            let found = Diagnostic::error(codes::PROGRAM_UNREADABLE, format!("`{name}` is empty"));
            return Err(found.help("give a static RISC-V program, a trace, or a study"));
        }
        if let Some(form) = trace_form(&name, &head) {
            return Ok(Source { path: path.to_owned(), content: Content::Trace(form, bytes) });
        }
        let mut whole = Vec::new();
        let mut reader = bytes.reader(control).map_err(failed)?;
        reader.read_to_end(&mut whole).map_err(failed)?;
        if Program::is_likely(&whole) || !is_text(&head) {
            let program = Program::read(&whole).map_err(|found| *found)?;
            return Ok(Source { path: path.to_owned(), content: Content::Program(Arc::new(program)) });
        }
        let text = decode(&name, whole)?;
        let file = sources.add(text.name, text.text.as_str());
        let form = Form::of(&text.text);
        let is_table = Compression::of_name(&name).1.ends_with(".tsv")
            || text.text.lines().next().is_some_and(|line| line.contains('\t'));
        if form.is_none() && is_table {
            return Err(volvelle_multicore::unknown_form(file, &text.text));
        }
        Ok(Source { path: path.to_owned(), content: Content::Text(form, file, text.text.into()) })
    }

    /// Names by address, where there are some.
    pub fn symbols(&self) -> Option<&Symbols> {
        match &self.content {
            Content::Program(program) => Some(&program.symbols),
            _ => None,
        }
    }

    /// How long a pass over it is, in bytes, if that is known before its end.
    pub fn length(&self) -> Option<u64> {
        match &self.content {
            Content::Program(_) => None,
            Content::Trace(_, Bytes::File(path)) => path.metadata().ok().map(|found| found.len()),
            Content::Trace(_, Bytes::Memory(bytes)) => Some(bytes.len() as u64),
            Content::Text(_, _, text) => {
                let (lines, each) = lines(text);
                Some(lines * each)
            }
        }
    }

    /// What the file holds, in a word.
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::Program(_) => "program",
            Content::Trace(form, _) => form.name(),
            Content::Text(Some(Form::Outcomes), ..) => "outcomes",
            Content::Text(Some(Form::Accesses), ..) => "accesses",
            Content::Text(Some(Form::Instructions), ..) => "instructions",
            Content::Text(None, ..) => "study",
        }
    }
}

/// Lines of a text that are instructions, and bytes of each on an average.
fn lines(text: &str) -> (u64, u64) {
    let is_one = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let count = text.lines().filter(is_one).count().saturating_sub(1) as u64;
    (count, (text.len() as u64 / count.max(1)).max(1))
}

impl Bytes {
    /// The bytes from the first one on.
    fn raw(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Bytes::File(path) => Box::new(door::open(path)?),
            Bytes::Memory(bytes) => Box::new(&bytes[..]),
        })
    }

    /// The same, decompressed.
    fn reader<'b>(&'b self, control: &Control<'_>) -> io::Result<Box<dyn Read + 'b>> {
        decompressed(self.raw()?, control)
    }

    /// The same; what is read of the file is counted.
    fn gauged<'b>(&'b self, meter: &'b Meter<'_>, control: &Control<'_>) -> io::Result<Box<dyn Read + 'b>> {
        decompressed(Gauged { from: self.raw()?, meter }, control)
    }
}

/// The diagnostic about a file that cannot be read, or not decompressed.
fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "ends early",
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => "is damaged",
        _ => return files::unreadable(path, error),
    };
    let message = format!("the compressed data of `{}` {what}", path.display());
    Diagnostic::error(codes::TRACE_UNREADABLE, message).help("copy the file again, or make it again")
}

/// Whether bytes are a text, but for a character that is cut at their end.
fn is_text(head: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_utf8 && !head.contains(&0)
}

fn trace_form(name: &str, head: &[u8]) -> Option<TraceForm> {
    if Replay::<&[u8]>::is_likely(head) {
        return Some(TraceForm::Own);
    }
    if Bt9::<&[u8]>::is_likely(head) {
        return Some(TraceForm::Championship2016);
    }
    if Program::is_likely(head) || is_text(head) {
        return None;
    }
    let (_, stem) = Compression::of_name(name);
    if stem.ends_with(".champsim") || stem.ends_with(".champsimtrace") || is_like_champsim(head) {
        return Some(TraceForm::ChampSim);
    }
    // Records of 2025 begin with an address and a class.
    (head.len() > 9 && head[8] < 12).then_some(TraceForm::Championship2025)
}

/// Whether bytes are records of ChampSim: of each, the ninth and the tenth byte are 0 or 1, and its address is not 0.
fn is_like_champsim(head: &[u8]) -> bool {
    let mut records = head.chunks_exact(champsim::RECORD).peekable();
    records.peek().is_some()
        && records.all(|record| record[8] <= 1 && record[9] <= 1 && record[..8].iter().any(|&byte| byte != 0))
}

/// Has a stream of a source handed to `use_it`; the world is that of a program. How far it is, `meter` is told.
pub fn with_stream<T>(
    source: &Source,
    arguments: &Arguments,
    world: &mut Files,
    (meter, control): (&Meter<'_>, &Control<'_>),
    use_it: impl FnOnce(&mut dyn Stream) -> Result<T, Failure>,
) -> (Result<T, Failure>, Ended) {
    let metered = |stream: &mut dyn Stream, each| use_it(&mut Metered { stream, meter, each });
    let faulty = |found: Diagnostic| Failure::Faulty(Box::new(found));
    let unread = |error: io::Error| faulty(unreadable(&source.path, &error));
    let nothing = Ended::default();
    let (found, ended) = match &source.content {
        Content::Program(program) => match Emulator::new(program, arguments, world, control) {
            Err(failure) => (Err(failure), nothing),
            Ok(mut emulator) => {
                let found = metered(&mut emulator, 0);
                let ended = Ended { exit: emulator.exit(), warnings: emulator.warnings().to_vec() };
                (found, ended)
            }
        },
        Content::Trace(form, bytes) => {
            let reader = match bytes.gauged(meter, control) {
                Ok(reader) => reader,
                Err(error) => return (Err(unread(error)), nothing),
            };
            let found = match form {
                TraceForm::Own => Replay::new(reader).and_then(|mut stream| metered(&mut stream, 0)),
                TraceForm::ChampSim => metered(&mut champsim::ChampSim::new(reader), 0),
                TraceForm::Championship2016 => metered(&mut Bt9::new(reader), 0),
                TraceForm::Championship2025 => metered(&mut Cbp::new(reader), 0),
            };
            (found, nothing)
        }
        Content::Text(_, file, text) => {
            let (_, each) = lines(text);
            let stream = TextTrace::new(*file, text).map_err(faulty);
            (stream.and_then(|mut stream| metered(&mut stream, each)), nothing)
        }
    };
    meter.end();
    // Reading ends at the limits of the command, too.
    match (found, door::stopped()) {
        (Err(Failure::Faulty(_)), Some(stop)) => (Err(Failure::Stopped(stop)), ended),
        (found, _) => (found, ended),
    }
}

/// How a program ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Its status, if it came to its end.
    pub exit: Option<u8>,
    /// What was not as it may have expected.
    pub warnings: Vec<Diagnostic>,
}
