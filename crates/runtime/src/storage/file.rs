//! Files as memory.

use super::{Region, Storage};
use crate::error::Error;
use std::any::Any;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A folder whose files are regions, for data that do not fit into memory or must be kept.
///
/// Allocated regions are temporary files, which are removed with the region. [`FileStorage::create`] and
/// [`FileStorage::open`] are for named files, which are kept.
#[derive(Debug)]
pub struct FileStorage {
    folder: PathBuf,
    name: String,
    allocated: AtomicU64,
}

impl FileStorage {
    /// Uses a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|error| unavailable(&folder, &error))?;
        let name = format!("files in {}", folder.display());
        Ok(FileStorage { folder, name, allocated: AtomicU64::new(0) })
    }

    /// Creates a file with this name and `bytes` zero bytes; replaces an existing one.
    ///
    /// # Errors
    /// The file cannot be created, or the name leads out of the folder.
    pub fn create(&self, name: &str, bytes: usize) -> Result<Box<dyn Region>, Error> {
        let path = self.path(name)?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        sized(path, file, bytes, false)
    }

    /// The existing file with this name.
    ///
    /// # Errors
    /// The file cannot be opened for reading and writing, or the name leads out of the folder.
    pub fn open(&self, name: &str) -> Result<Box<dyn Region>, Error> {
        let path = self.path(name)?;
        let open = || {
            let file = OpenOptions::new().read(true).write(true).open(&path)?;
            let bytes = file.metadata()?.len();
            let bytes =
                usize::try_from(bytes).map_err(|_| io::Error::other("it is larger than memory may be"))?;
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|error| unavailable(&path, &error))?;
        Ok(Box::new(FileRegion { file: Mutex::new(file), bytes, temporary: None }))
    }

    fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let plain = Path::new(name).file_name().is_some_and(|file| file == name);
        match plain {
            true => Ok(self.folder.join(name)),
            false => Err(Error::Unavailable(format!("`{name}` is not the name of a file in a folder"))),
        }
    }
}

impl Storage for FileStorage {
    fn name(&self) -> &str {
        &self.name
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        loop {
            let number = self.allocated.fetch_add(1, Ordering::Relaxed);
            let path = self.folder.join(format!("region-{number}"));
            // Other processes may have regions in the same folder: an existing file is never reused.
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return sized(path, file, bytes, true),
            }
        }
    }
}

fn sized(
    path: PathBuf,
    file: io::Result<File>,
    bytes: usize,
    temporary: bool,
) -> Result<Box<dyn Region>, Error> {
    let room = |error: io::Error| Error::Memory { bytes, why: format!("{}: {error}", path.display()) };
    let file = file.map_err(room)?;
    let length = file.set_len(bytes as u64);
    let region = FileRegion { file: Mutex::new(file), bytes, temporary: temporary.then(|| path.clone()) };
    length.map_err(room)?;
    Ok(Box::new(region))
}

fn unavailable(path: &Path, error: &io::Error) -> Error {
    Error::Unavailable(format!("{}: {error}", path.display()))
}

struct FileRegion {
    file: Mutex<File>,
    bytes: usize,
    /// The path, if the file is removed with the region.
    temporary: Option<PathBuf>,
}

impl FileRegion {
    fn at(
        &self,
        offset: usize,
        bytes: usize,
        act: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), Error> {
        let within = offset <= self.bytes && bytes <= self.bytes - offset;
        assert!(within, "bytes beyond the end of a region");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let done = file.seek(SeekFrom::Start(offset as u64)).and_then(|_| act(&mut file));
        done.map_err(|error| Error::Transfer(format!("a file: {error}")))
    }
}

impl Region for FileRegion {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        self.at(offset, from.len(), |file| file.write_all(from))
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        self.at(offset, to.len(), |file| file.read_exact(to))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for FileRegion {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary {
            // A destructor cannot report that a file could not be removed.
            let _ = fs::remove_file(path);
        }
    }
}
