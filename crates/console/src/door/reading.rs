//! Reading within the limits of the command, from the first byte.
//!
//! A file on disk is read in portions, with a look at the limits between them. What may keep a reader waiting (pipes, devices, standard
//! input) is read by a thread of its own: the run ends at its limit although that thread waits for ever.

use super::known;
use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use volvelle_control::{Cancel, Limits, Stop};
use volvelle_session::limits::Allowance;

/// Bytes that a thread passes on at once.
const PORTION: usize = 1 << 16;

/// Portions that it is ahead.
const AHEAD: usize = 4;

/// Time between two looks at the limits.
const POLL: Duration = Duration::from_millis(20);

/// What devices have, at most: some, such as `/dev/zero`, have no end.
const MOST_OF_A_DEVICE: u64 = 1 << 24;

/// The limits of the command.
struct Held {
    limits: Limits,
    allowance: Allowance,
    cancel: &'static Cancel,
}

static HELD: OnceLock<Held> = OnceLock::new();

/// From now on, reading ends at these limits. Only the first call counts.
pub fn hold_to(allowance: Allowance, cancel: &'static Cancel) {
    let _ = HELD.set(Held { limits: allowance.starting_at(Instant::now()), allowance, cancel });
}

/// The limits as the user set them.
pub fn allowance() -> Allowance {
    HELD.get().map(|held| held.allowance).unwrap_or_default()
}

/// Fails at a limit; `bytes` of a file are held.
pub(super) fn check(bytes: u64) -> io::Result<()> {
    let Some(held) = HELD.get() else { return Ok(()) };
    let stop = if held.cancel.is_cancelled() {
        Stop::Cancelled
    } else if held.cancel.is_exhausted() || held.limits.memory_bytes.is_some_and(|limit| bytes > limit) {
        Stop::Memory
    } else if held.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        Stop::Timeout
    } else {
        return Ok(());
    };
    Err(known::stop(stop))
}

/// A file that is being read.
pub enum Source {
    /// A file on disk, and how much of it was read.
    Disk(File, u64),
    /// What a thread reads.
    Waiting(Waiting),
    /// What is there already.
    Bytes(Cursor<Vec<u8>>),
}

impl Source {
    /// What is in memory.
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Source::Bytes(Cursor::new(bytes))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Disk(file, read) => {
                check(*read)?;
                let room = buffer.len().min(16 * PORTION);
                let count = file.read(&mut buffer[..room])?;
                *read += count as u64;
                Ok(count)
            }
            Source::Waiting(waiting) => waiting.read(buffer),
            Source::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

/// Bytes that a thread reads.
pub struct Waiting {
    portions: Receiver<io::Result<Vec<u8>>>,
    portion: Cursor<Vec<u8>>,
    read: u64,
    /// Whether it has an end in any case.
    is_device: bool,
}

impl Waiting {
    /// Has `open` called by a thread, since opening may wait as well, and what it gives read to its end.
    fn on<R: Read>(is_device: bool, open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        let (sender, portions) = sync_channel(AHEAD);
        thread::spawn(move || {
            let mut source = match open() {
                Ok(source) => source,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut portion = vec![0; PORTION];
                let sent = match source.read(&mut portion) {
                    Ok(0) => return,
                    Ok(count) => {
                        portion.truncate(count);
                        sender.send(Ok(portion))
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                if sent.is_err() {
                    return;
                }
            }
        });
        Waiting { portions, portion: Cursor::default(), read: 0, is_device }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.portion.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            check(self.read)?;
            match self.portions.recv_timeout(POLL) {
                Ok(portion) => {
                    let portion = portion?;
                    self.read += portion.len() as u64;
                    if self.is_device && self.read >= MOST_OF_A_DEVICE {
                        return Err(io::Error::other("the device never ends"));
                    }
                    self.portion = Cursor::new(portion);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}

/// Opens a file that the run depends on; `-` is standard input.
///
/// # Errors
/// It cannot be opened; or the run is to write it.
pub fn open(path: &Path) -> io::Result<Source> {
    if path == Path::new("-") {
        known::note_input()?;
        return Ok(Source::of_bytes(standard_input(u64::MAX)?));
    }
    let source = opened(path)?;
    known::note_read(path)?;
    Ok(source)
}

/// Opens a file that the run continues.
///
/// # Errors
/// It cannot be opened.
pub fn open_kept(path: &Path) -> io::Result<Source> {
    opened(path)
}

fn opened(path: &Path) -> io::Result<Source> {
    if fs::metadata(path)?.is_file() {
        return Ok(Source::Disk(File::open(path)?, 0));
    }
    let (place, is_device) = (path.to_owned(), is_device(path));
    Ok(Source::Waiting(Waiting::on(is_device, move || File::open(place))))
}

/// The bytes of a file that the run depends on; `-` is standard input.
///
/// # Errors
/// It cannot be read within the limits; or the run is to write it.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    all(open(path)?)
}

/// Bytes that tell the kind of a file.
const HEAD: u64 = 1 << 14;

/// The first bytes of a file that the run depends on, which will read it anew. `None` for what can be read once only, and for what cannot be
/// read.
pub fn head(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    File::open(path).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The bytes of a file that the run continues.
///
/// # Errors
/// It cannot be read within the limits.
pub fn read_kept(path: &Path) -> io::Result<Vec<u8>> {
    all(open_kept(path)?)
}

/// Whether a file that the run will read can be opened, which it notes.
///
/// # Errors
/// It cannot; or the run is to write it.
pub fn readable(path: &Path) -> io::Result<()> {
    let data = fs::metadata(path)?;
    if data.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if data.is_file() {
        File::open(path)?;
    }
    known::note_read(path)
}

/// What tells this program from another build of it: its size and its time.
pub fn program() -> String {
    let data = std::env::current_exe().and_then(fs::metadata);
    data.map_or(String::new(), |data| format!("{} {:?}", data.len(), data.modified().ok()))
}

/// A small file by which the system or this program says something, if it is there.
pub fn small(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn all(mut source: Source) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Source::Disk(file, _) = &source {
        // A file may say that it is larger than any memory.
        let size = file.metadata().map_or(0, |data| data.len());
        check(size)?;
        bytes
            .try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))
            .map_err(|_| known::stop(Stop::Memory))?;
    }
    source.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|file| file.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}

/// Standard input, which is read by one thread for whoever asks.
static INPUT: Mutex<Option<Waiting>> = Mutex::new(None);

fn with_input<T>(ask: impl FnOnce(&mut Waiting) -> T) -> T {
    let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    ask(input.get_or_insert_with(|| Waiting::on(false, || Ok(io::stdin()))))
}

/// What is left of standard input, up to so many bytes.
///
/// # Errors
/// It cannot be read within the limits.
pub fn standard_input(most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    with_input(|input| input.take(most).read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// The next byte of standard input, if there is one.
pub fn byte_of_input() -> Option<u8> {
    let mut byte = [0];
    with_input(|input| (input.read(&mut byte).ok()? == 1).then_some(byte[0]))
}

/// Standard input for a conversation that has no end of its own and no limits.
pub fn stream_of_input() -> impl Read + Send + 'static {
    io::stdin()
}

/// Whether someone types the standard input: then the terminal shows the words.
pub fn is_input_typed() -> bool {
    io::stdin().is_terminal()
}

/// The next line of standard input; none at its end, or at a limit.
pub fn line_of_input() -> Option<String> {
    let mut line = Vec::new();
    while let Some(byte) = byte_of_input() {
        line.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
}
