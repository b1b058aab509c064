//! Files that come with the parts of a run: noted while the command of a part reads them, and given in their place when parts are
//! put together, on another machine as a rule.
//!
//! Commands read files in many places, and every file that is read belongs to the run. So it is the reading itself that notes
//! files, and that gives those which are packed; a process has one command.

use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use volvelle_campaign::PackedFile;

/// Files above this size, in bytes, are known by their checksum only: every part would be as large.
const MOST_PACKED: usize = 4 << 20;

/// What reading does beside reading.
enum Reading {
    /// Nothing.
    Plain,
    /// Files are noted.
    Noted(Vec<PackedFile>),
    /// These are given in place of those on disk.
    Packed(Vec<PackedFile>),
}

static READING: Mutex<Reading> = Mutex::new(Reading::Plain);

fn reading() -> MutexGuard<'static, Reading> {
    READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on files that are read are noted.
pub fn note() {
    *reading() = Reading::Noted(Vec::new());
}

/// The files that were read since [`note`], each once; more may follow.
pub fn noted() -> Vec<PackedFile> {
    match &*reading() {
        Reading::Noted(files) => files.clone(),
        Reading::Plain | Reading::Packed(_) => Vec::new(),
    }
}

/// From now on these are given in place of files on disk.
pub fn give(files: Vec<PackedFile>) {
    *reading() = Reading::Packed(files);
}

/// Reads a file by `read`, unless it is packed.
pub fn read(path: &Path, read: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let name = path.display().to_string();
    let mut reading = reading();
    match &mut *reading {
        Reading::Plain => {
            drop(reading);
            read()
        }
        Reading::Noted(files) => {
            let bytes = read()?;
            if files.iter().all(|file| file.path != name) {
                let contents = (bytes.len() <= MOST_PACKED).then(|| bytes.clone());
                files.push(PackedFile { path: name, sha256: checksum(&bytes), contents });
            }
            Ok(bytes)
        }
        Reading::Packed(files) => {
            let Some(file) = files.iter().find(|file| file.path == name) else {
                // A file that the run looked for and did not find is not there now either.
                return Err(io::ErrorKind::NotFound.into());
            };
            if let Some(contents) = &file.contents {
                return Ok(contents.clone());
            }
            let bytes = read()?;
            if checksum(&bytes) == file.sha256 {
                return Ok(bytes);
            }
            Err(io::Error::other("it has other contents than when the parts were made"))
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
