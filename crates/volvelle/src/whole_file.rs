//! Files that appear whole or not at all: written beside their place, renamed at the end.
//!
//! A run that fails, or is stopped, leaves the file of an earlier run as it was. What is no regular file (a pipe, `/dev/stdout`) is
//! written directly, and so is a file in a folder where no other can be made.

use crate::{cluster, watchdog};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that are collected before they go to the file.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes a file.
///
/// # Errors
/// Those of `write`, and those of the file system.
pub fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    watchdog::results_begin();
    if cluster::is_follower() {
        return write(&mut io::sink());
    }
    if is_special(path) {
        return filled(File::create(path)?, write);
    }
    // Through a link, to the file behind it.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = beside(&place);
    let file = match File::create_new(&beside) {
        Ok(file) => file,
        Err(_) if place.is_file() => return filled(File::create(&place)?, write),
        Err(error) => return Err(error.into()),
    };
    let result = filled(file, write).and_then(|value| {
        if let Ok(old) = fs::metadata(&place) {
            // Best effort: the new contents matter more than who may read them.
            let _ = fs::set_permissions(&beside, old.permissions());
        }
        fs::rename(&beside, &place)?;
        Ok(value)
    });
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result
}

/// Whether a file could be written: asked before hours of work, not after them.
///
/// # Errors
/// Why not.
pub fn probe(path: &Path) -> io::Result<()> {
    if cluster::is_follower() {
        return Ok(());
    }
    if path.exists() {
        return OpenOptions::new().write(true).open(path).map(drop);
    }
    let beside = beside(path);
    File::create_new(&beside)?;
    fs::remove_file(&beside)
}

fn filled<T, E: From<io::Error>>(
    file: File,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    let value = write(&mut out)?;
    out.flush()?;
    Ok(value)
}

fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// A hidden file in the same folder, which no other process uses.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("volvelle-whole-file-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let folder = folder("failure");
        let path = folder.join("a.csv");
        replace(&path, |out| out.write_all(b"first")).unwrap();
        let failed: io::Result<()> = replace(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        replace(&path, |out| out.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn probing_changes_nothing() {
        let folder = folder("probe");
        let path = folder.join("a.csv");
        probe(&path).unwrap();
        assert!(!path.exists());
        fs::write(&path, "old").unwrap();
        probe(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert!(probe(&folder.join("no/a.csv")).is_err());
        assert!(probe(&folder).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
