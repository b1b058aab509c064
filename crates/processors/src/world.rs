//! What a program sees of the world outside: files that it may read, its standard input, and a place for what it prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volvelle_console::door;
use volvelle_riscv::{Access, Errno, FileId, Output, World};

/// Bytes of output that are kept, at most: what is behind them is counted.
const MOST_KEPT: usize = 64 << 20;

/// Bytes that a program writes to files, at most.
const MOST_WRITTEN: u64 = 1 << 32;

/// The world of a run.
#[derive(Default)]
pub struct Files {
    /// What was printed, both streams in their order.
    pub out: Vec<u8>,
    /// Bytes that were printed, those not kept included.
    pub printed: u64,
    /// Whether what is printed is wanted.
    pub is_kept: bool,
    /// Whether files may be written.
    pub may_write: bool,
    input: Rc<Vec<u8>>,
    at: usize,
    open: BTreeMap<u32, Open>,
    next: u32,
    /// What was written, by file; it is on disk only when the program has ended.
    written: BTreeMap<PathBuf, Vec<u8>>,
}

/// A file that is open.
enum Open {
    Read(Rc<Vec<u8>>),
    Written(PathBuf),
}

impl Files {
    /// A world with this standard input.
    pub fn new(input: Vec<u8>) -> Self {
        Files { input: Rc::new(input), ..Files::default() }
    }

    /// What was written, by the names of files.
    pub fn into_written(self) -> Vec<(String, Vec<u8>)> {
        self.written.into_iter().map(|(path, bytes)| (path.display().to_string(), bytes)).collect()
    }

    fn bytes(&self, file: FileId) -> Option<&[u8]> {
        match self.open.get(&file.0)? {
            Open::Read(bytes) => Some(bytes),
            Open::Written(path) => self.written.get(path).map(Vec::as_slice),
        }
    }

    fn written_mut(&mut self, file: FileId) -> Result<&mut Vec<u8>, Errno> {
        match self.open.get(&file.0) {
            Some(Open::Written(path)) => self.written.get_mut(path).ok_or(Errno::IO),
            _ => Err(Errno::BADF),
        }
    }

    fn add(&mut self, open: Open) -> FileId {
        let number = self.next;
        self.next += 1;
        self.open.insert(number, open);
        FileId(number)
    }
}

fn errno(error: &std::io::Error) -> Errno {
    match error.kind() {
        std::io::ErrorKind::NotFound => Errno::NOENT,
        std::io::ErrorKind::PermissionDenied => Errno::ACCES,
        std::io::ErrorKind::IsADirectory => Errno::ISDIR,
        std::io::ErrorKind::NotADirectory => Errno::NOTDIR,
        _ => Errno::IO,
    }
}

impl World for Files {
    fn write(&mut self, _: Output, bytes: &[u8]) {
        self.printed += bytes.len() as u64;
        if self.is_kept {
            let room = MOST_KEPT.saturating_sub(self.out.len()).min(bytes.len());
            self.out.extend_from_slice(&bytes[..room]);
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let rest = &self.input[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        count
    }

    fn open(&mut self, path: &[u8], access: Access) -> Result<FileId, Errno> {
        let path = Path::new(std::str::from_utf8(path).map_err(|_| Errno::NOENT)?);
        if path.is_dir() {
            return Err(Errno::ISDIR);
        }
        if let Some(bytes) = self.written.get(path).filter(|_| !access.write) {
            // A copy: who reads on sees what was there when it was opened.
            let bytes = Rc::new(bytes.clone());
            return Ok(self.add(Open::Read(bytes)));
        }
        if !access.write {
            let bytes = door::read(path).map_err(|error| errno(&error))?;
            return Ok(self.add(Open::Read(Rc::new(bytes))));
        }
        if !self.may_write {
            return Err(Errno::ROFS);
        }
        let is_there = self.written.contains_key(path) || path.exists();
        match (is_there, access) {
            (true, Access { create: true, exclusive: true, .. }) => return Err(Errno::EXIST),
            (false, Access { create: false, .. }) => return Err(Errno::NOENT),
            _ => {}
        }
        if access.truncate || !is_there {
            self.written.insert(path.to_owned(), Vec::new());
        } else if !self.written.contains_key(path) {
            let bytes = door::read_kept(path).map_err(|error| errno(&error))?;
            self.written.insert(path.to_owned(), bytes);
        }
        Ok(self.add(Open::Written(path.to_owned())))
    }

    fn size(&mut self, file: FileId) -> u64 {
        self.bytes(file).map_or(0, |bytes| bytes.len() as u64)
    }

    fn read_at(&mut self, file: FileId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let bytes = self.bytes(file).ok_or(Errno::BADF)?;
        let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        let end =
            offset.checked_add(bytes.len() as u64).filter(|end| *end <= MOST_WRITTEN).ok_or(Errno::IO)?;
        let content = self.written_mut(file)?;
        if (content.len() as u64) < end {
            content.resize(end as usize, 0);
        }
        content[offset as usize..end as usize].copy_from_slice(bytes);
        Ok(())
    }

    fn set_size(&mut self, file: FileId, bytes: u64) -> Result<(), Errno> {
        if bytes > MOST_WRITTEN {
            return Err(Errno::IO);
        }
        self.written_mut(file)?.resize(bytes as usize, 0);
        Ok(())
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Errno> {
        // What was there before the run stays.
        let path = Path::new(std::str::from_utf8(path).map_err(|_| Errno::NOENT)?);
        match self.written.remove(path) {
            Some(_) => Ok(()),
            None if path.exists() => Err(Errno::ROFS),
            None => Err(Errno::NOENT),
        }
    }

    fn close(&mut self, file: FileId) {
        self.open.remove(&file.0);
    }
}
