//! A cache of compiled kernels in a folder: it maps text, options, device and driver to the binary.
//!
//! A file is named after a hash of its key and holds the key, a checksum and the binary. A file that is
//! unreadable, torn, or belongs to another key counts as missing and is replaced. A failure of the folder is
//! never an error. Files are written under a temporary name and renamed, so processes may share a folder.

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Starts every file; the digit counts formats.
const MAGIC: &[u8; 8] = b"VOLVKC1\n";
/// Ending of the names of kept binaries.
const KEPT: &str = "kernel";
/// Ends the names of files that are being written.
const PARTIAL: &str = "partial";
/// The default limit of a folder, in bytes.
const DEFAULT_LIMIT: u64 = 256 << 20;

/// The place of built kernels, if they are kept. Clones share the folder.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    folder: Option<Arc<Path>>,
    limit: u64,
}

impl Cache {
    /// Keeps nothing.
    pub fn none() -> Self {
        Cache::default()
    }

    /// Keeps kernels in a folder, which is created with the first kernel; at most 256 MiB.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: Some(folder.into().into()), limit: DEFAULT_LIMIT }
    }

    /// Sets the limit of kept bytes.
    pub fn bounded(self, bytes: u64) -> Self {
        Cache { limit: bytes, ..self }
    }

    /// Whether anything is kept.
    pub fn is_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// The binary kept for a key.
    pub(crate) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let mut file = File::open(&path).ok()?;
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).ok()?;
        let binary = unpack(&contents, key)?.to_vec();
        // The least recently used binary is removed first. In a read-only folder the order does not change.
        let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        Some(binary)
    }

    /// Keeps a binary if possible, and removes old ones beyond the limit.
    pub(crate) fn put(&self, key: &Key, binary: &[u8]) {
        let (Some(folder), Some(path)) = (&self.folder, self.path(key)) else { return };
        let contents = pack(key, binary);
        if contents.len() as u64 > self.limit || fs::create_dir_all(folder).is_err() {
            return;
        }
        if write_whole(&path, &contents).is_some() {
            self.make_room(folder);
        }
    }

    /// Removes the binary of a key, because its compiler rejects it now.
    pub(crate) fn forget(&self, key: &Key) {
        if let Some(path) = self.path(key) {
            let _ = fs::remove_file(path);
        }
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{:032x}.{KEPT}", hash(&key.0))))
    }

    /// Removes the oldest files until the rest is within the limit. Files that are not its own stay.
    fn make_room(&self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let ours = |path: &Path| path.extension().is_some_and(|e| e == KEPT || e == PARTIAL);
        let mut files: Vec<(SystemTime, PathBuf, u64)> = entries
            .flatten()
            .filter(|entry| ours(&entry.path()))
            .filter_map(|entry| {
                let facts = entry.metadata().ok()?;
                Some((facts.modified().ok()?, entry.path(), facts.len()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, path, bytes) in files {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// The identity of a binary: everything that it depends on.
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// A key of several parts, which stay separate: `ab`, `c` differs from `a`, `bc`.
    pub(crate) fn new(parts: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        Key(bytes)
    }
}

/// FNV-1a with 128 bits (Fowler, Noll, Vo). Names files and detects torn ones; collisions are harmless, since the key is compared.
fn hash(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// Magic, length of the key, key, checksum of the binary, binary.
fn pack(key: &Key, binary: &[u8]) -> Vec<u8> {
    let mut contents = MAGIC.to_vec();
    contents.extend((key.0.len() as u64).to_le_bytes());
    contents.extend(&key.0);
    contents.extend(hash(binary).to_le_bytes());
    contents.extend(binary);
    contents
}

/// The binary inside, if the file is whole and belongs to the key.
fn unpack<'a>(contents: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let rest = contents.strip_prefix(MAGIC)?;
    let rest = rest.strip_prefix(&(key.0.len() as u64).to_le_bytes())?;
    let rest = rest.strip_prefix(key.0.as_slice())?;
    let (checksum, binary) = rest.split_at_checked(16)?;
    (checksum == hash(binary).to_le_bytes()).then_some(binary)
}

/// Writes a file atomically: other processes see all of it or nothing.
fn write_whole(path: &Path, contents: &[u8]) -> Option<()> {
    // Opening a new file reserves its name, since other processes may compile the same kernel.
    let (partial, mut file) = (0..16).find_map(|n| {
        let partial = path.with_extension(format!("{n}.{PARTIAL}"));
        let file = OpenOptions::new().write(true).create_new(true).open(&partial).ok()?;
        Some((partial, file))
    })?;
    let written = file.write_all(contents).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.ok()
}
