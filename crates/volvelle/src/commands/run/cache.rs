//! Systems of earlier runs, kept in a folder.
//!
//! An entry is an ALDEBARAN file and a manifest beside it. Its name is a SHA-256 over what the system is made from: the operation, its
//! options, the bytes of the model or the hash of the system that it starts from, and the program. Files that the model names are known
//! only once it is read: the manifest has their hashes, and the entry counts only while they agree.

use crate::files::Record;
use crate::whole_file;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity};
use volvelle_explicit::{Compression, Dialect, WriteError, read_lts, write_lts};
use volvelle_verify::Lts;

const FIRST_LINE: &str = "volvelle pipeline 1";

/// The folder.
pub struct Cache {
    folder: PathBuf,
    /// The folder of the pipeline, from which files are named.
    base: PathBuf,
    program: String,
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
        let built = std::env::current_exe().and_then(fs::metadata).ok().map(|data| {
            let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (data.len(), time)
        });
        Cache { folder, base, program: format!("{} {built:?}", env!("CARGO_PKG_VERSION")) }
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
        let manifest = fs::read_to_string(self.path(name, "txt")).ok()?;
        let mut lines = manifest.lines();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let mut words = lines.next()?.split(' ');
        let (hash_of_system, states, transitions) = (words.next()?, words.next()?, words.next()?);
        for line in lines {
            let (expected, path) = line.split_once(' ')?;
            let found = fs::read(self.base.join(path)).map_or("-".to_owned(), |bytes| hash(&bytes));
            if found != expected {
                return None;
            }
        }
        let file = self.path(name, "aut");
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
        let kept = self.prepare().map_err(WriteError::Io).and_then(|()| {
            let hash = whole_file::replace(&file, |out| write(lts, out, control))?;
            self.describe(name, &hash, size, record)?;
            Ok(hash)
        });
        match kept {
            Ok(hash) => Ok((Entry { hash, size, file }, None)),
            Err(WriteError::Io(error)) => {
                let warning =
                    Diagnostic { severity: Severity::Warning, ..crate::files::not_written(&file, &error) };
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
        fs::create_dir_all(&self.folder)?;
        // No part of the user's work: version control leaves it out.
        fs::write(self.folder.join(".gitignore"), "*\n")
    }

    fn describe(&self, name: &str, hash_of_system: &str, size: [u64; 2], record: &Record) -> io::Result<()> {
        let mut text = format!("{FIRST_LINE}\n{hash_of_system} {} {}\n", size[0], size[1]);
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
        whole_file::replace(&self.path(name, "txt"), |out| out.write_all(text.as_bytes()))
    }

    fn path(&self, name: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{name}.{extension}"))
    }
}

/// Reads a system that is kept.
pub fn load(entry: &Entry, control: &Control<'_>) -> Result<Lts, Vec<Diagnostic>> {
    let failed = |error: io::Error| vec![crate::files::unreadable(&entry.file, &error)];
    let mut file = io::BufReader::new(fs::File::open(&entry.file).map_err(failed)?);
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
    let mut file = fs::File::open(path)?;
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
    hash_of_file(path).map_err(|error| crate::files::unreadable(path, &error))
}
