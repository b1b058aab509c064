//! Systems of earlier runs, kept in a folder.
//!
//! An entry is an ALDEBARAN file and a manifest beside it. Its name is a SHA-256 over what the system is made from: the operation, its
//! options, the bytes of the model or the hash of the system that it starts from, and the program. Files that the model names are known
//! only once it is read: the manifest has their hashes, and the entry counts only while they agree.
//!
//! An entry is an answer, and whoever can put one here can make a system be what he wants. So it is believed only if this user wrote it,
//! here: the manifest has a stamp of the file (its owner, its number, and when it last changed in any way) that neither a copy nor an
//! archive can have, and a folder in which all may write is left alone.

use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::io;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use volvelle_console::door;
use volvelle_console::door::Lock;
use volvelle_console::files::Record;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_explicit::{Compression, Dialect, WriteError, read_lts, write_lts};
use volvelle_space::Lts;

/// The folder beside the pipeline, unless the user names another one.
pub const KEPT: &str = ".volvelle";

const FIRST_LINE: &str = "volvelle pipeline 2";

/// The folder.
pub struct Cache {
    folder: PathBuf,
    /// The folder of the pipeline, from which files are named.
    base: PathBuf,
    program: String,
    /// Whether others may write in the folder.
    is_foreign: bool,
    /// Whether an entry was not believed.
    has_foreign: Cell<bool>,
}

/// A system that is kept.
pub struct Entry {
    /// The hash of its text.
    pub hash: String,
    /// States and transitions.
    pub size: [u64; 2],
    /// Its file.
    pub file: PathBuf,
}

/// What a system is made from, part by part.
pub struct Key(Sha256);

impl Key {
    /// Adds a part. Its length goes with it, so that different parts are never the same text.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The name of the entry.
    pub fn name(self) -> String {
        hex(&self.0.finalize())
    }
}

/// The hash of bytes.
fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Cache {
    pub fn new(folder: PathBuf, base: PathBuf) -> Self {
        // The number of the version does not tell builds apart: size and time of the program do.
        let program = format!("{} {}", env!("CARGO_PKG_VERSION"), door::program());
        let is_foreign = folder.exists() && door::stamp(&folder).is_none();
        Cache { folder, base, program, is_foreign, has_foreign: Cell::new(is_foreign) }
    }

    /// A warning if something that is kept was not believed.
    pub fn remark(&self) -> Option<Diagnostic> {
        let name = self.folder.display();
        let (message, note) = match (self.is_foreign, self.has_foreign.get()) {
            (_, false) => return None,
            (true, _) => (
                format!("what is kept in `{name}` is ignored, and nothing is kept there"),
                "the folder is another user's, or every user may write in it",
            ),
            (false, true) => (
                format!("some systems in `{name}` are ignored, and made anew"),
                "they were copied there, or changed, and not written there by this user",
            ),
        };
        Some(Diagnostic::warning(codes::FOREIGN_CACHE, message).note(note))
    }

    /// The beginning of a key.
    pub fn key(&self, operation: &str) -> Key {
        let mut key = Key(Sha256::new());
        key.add(self.program.as_bytes());
        key.add(operation.as_bytes());
        key
    }

    /// The entry of this name, if it is there, whole, and still what its files say.
    pub fn find(&self, name: &str) -> Option<Entry> {
        if self.is_foreign {
            return None;
        }
        let manifest = door::small(&self.path(name, "txt"))?;
        let mut lines = manifest.lines();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let mut words = lines.next()?.split(' ');
        let (hash_of_system, states, transitions) = (words.next()?, words.next()?, words.next()?);
        let file = self.path(name, "aut");
        let stamp = lines.next()?;
        if door::stamp(&self.path(name, "txt")).is_none()
            || door::stamp(&file).is_none_or(|found| found != stamp)
        {
            self.has_foreign.set(true);
            return None;
        }
        for line in lines {
            let (expected, path) = line.split_once(' ')?;
            let found = door::read(&self.base.join(path)).map_or("-".to_owned(), |bytes| hash(&bytes));
            if found != expected {
                return None;
            }
        }
        let is_whole = hash_of_file(&file).is_ok_and(|found| found == hash_of_system);
        let size = [states.parse().ok()?, transitions.parse().ok()?];
        is_whole.then(|| Entry { hash: hash_of_system.to_owned(), size, file })
    }

    /// Keeps a system. Its hash is found even if the folder cannot be written, which is worth a warning only.
    ///
    /// # Errors
    /// The user stopped it.
    pub fn keep(
        &self,
        name: &str,
        lts: &Lts,
        record: &Record,
        control: &Control<'_>,
    ) -> Result<(Entry, Option<Diagnostic>), WriteError> {
        let file = self.path(name, "aut");
        let size = [lts.num_states() as u64, lts.num_transitions() as u64];
        if self.is_foreign {
            return Ok((Entry { hash: write(lts, &mut io::sink(), control)?, size, file }, None));
        }
        let kept = self.prepare().map_err(WriteError::Io).and_then(|()| {
            // A manifest belongs to its file: of two runs, one writes both before the other does.
            let _lock = Lock::of(&file)?;
            let hash = door::store(&file, |out| write(lts, out, control))?;
            self.describe(name, &hash, size, record)?;
            Ok(hash)
        });
        match kept {
            Ok(hash) => Ok((Entry { hash, size, file }, None)),
            Err(WriteError::Io(error)) => {
                let warning = Diagnostic {
                    severity: Severity::Warning,
                    ..volvelle_console::files::not_written(&file, &error)
                };
                let warning = warning
                    .note("the next run makes this system anew")
                    .help("choose another folder: --cache FOLDER");
                Ok((Entry { hash: write(lts, &mut io::sink(), control)?, size, file }, Some(warning)))
            }
            Err(error) => Err(error),
        }
    }

    fn prepare(&self) -> io::Result<()> {
        if self.folder.is_dir() {
            return Ok(());
        }
        door::make_folder(&self.folder)?;
        // No part of the user's work: version control leaves it out.
        door::store(&self.folder.join(".gitignore"), |out| out.write_all(b"*\n"))
    }

    fn describe(&self, name: &str, hash_of_system: &str, size: [u64; 2], record: &Record) -> io::Result<()> {
        let stamp = door::stamp(&self.path(name, "aut")).unwrap_or_default();
        let mut text = format!("{FIRST_LINE}\n{hash_of_system} {} {}\n{stamp}\n", size[0], size[1]);
        for (path, bytes) in record.borrow().iter() {
            let path = path.strip_prefix(&self.base).unwrap_or(path).display().to_string();
            if path.contains(['\n', '\r']) {
                return Err(io::Error::other("the name of a file has several lines"));
            }
            text.push_str(&format!(
                "{} {path}\n",
                bytes.as_ref().map_or("-".to_owned(), |bytes| hash(bytes))
            ));
        }
        door::store(&self.path(name, "txt"), |out| out.write_all(text.as_bytes()))
    }

    fn path(&self, name: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{name}.{extension}"))
    }
}

/// Reads a system that is kept.
pub fn load(entry: &Entry, control: &Control<'_>) -> Result<Lts, Vec<Diagnostic>> {
    let failed = |error: io::Error| vec![volvelle_console::files::unreadable(&entry.file, &error)];
    let mut file = io::BufReader::new(door::open_kept(&entry.file).map_err(failed)?);
    read_lts(&entry.file.display().to_string(), &mut file, Dialect::Cadp, control)
        .map_err(|finding| vec![finding.to_diagnostic(&mut volvelle_diagnostics::Sources::new())])
}

/// Writes a system; gives the hash of its text.
fn write(lts: &Lts, out: &mut dyn Write, control: &Control<'_>) -> Result<String, WriteError> {
    let mut hashing = Hashing { out, hash: Sha256::new() };
    write_lts(lts, Dialect::Cadp, Compression::None, &mut hashing, control)?;
    Ok(hex(&hashing.hash.finalize()))
}

fn hash_of_file(path: &Path) -> io::Result<String> {
    hash_of(door::open_kept(path)?)
}

fn hash_of(mut file: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hash.finalize())),
            count => hash.update(&buffer[..count]),
        }
    }
}

struct Hashing<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The hash of a file that a model is read from.
///
/// # Errors
/// It cannot be read.
pub fn hash_of_model(path: &Path) -> Result<String, Diagnostic> {
    door::open(path).and_then(hash_of).map_err(|error| volvelle_console::files::unreadable(path, &error))
}
