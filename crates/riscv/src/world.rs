//! The world outside a program: files, standard input, and where its output goes. This crate reaches outside only through it.

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

/// An error number, as system calls give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub u16);

#[expect(missing_docs, reason = "names of Linux")]
impl Errno {
    pub const PERM: Errno = Errno(1);
    pub const NOENT: Errno = Errno(2);
    pub const SRCH: Errno = Errno(3);
    pub const INTR: Errno = Errno(4);
    pub const IO: Errno = Errno(5);
    pub const BADF: Errno = Errno(9);
    pub const AGAIN: Errno = Errno(11);
    pub const NOMEM: Errno = Errno(12);
    pub const ACCES: Errno = Errno(13);
    pub const FAULT: Errno = Errno(14);
    pub const EXIST: Errno = Errno(17);
    pub const NOTDIR: Errno = Errno(20);
    pub const ISDIR: Errno = Errno(21);
    pub const INVAL: Errno = Errno(22);
    pub const MFILE: Errno = Errno(24);
    pub const NOTTY: Errno = Errno(25);
    pub const SPIPE: Errno = Errno(29);
    pub const ROFS: Errno = Errno(30);
    pub const RANGE: Errno = Errno(34);
    pub const NOSYS: Errno = Errno(38);
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// It is written.
    pub write: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub exclusive: bool,
    /// What it holds is removed.
    pub truncate: bool,
}

/// A file that is open in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(pub u32);

/// What a program may reach. Everything has a default that refuses.
pub trait World {
    /// Takes what the program prints.
    fn write(&mut self, output: Output, bytes: &[u8]);

    /// Gives bytes of standard input; 0: it is at its end.
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let _ = buffer;
        0
    }

    /// Opens a file.
    ///
    /// # Errors
    /// There is none, or it may not be opened so.
    fn open(&mut self, path: &[u8], access: Access) -> Result<FileId, Errno> {
        let _ = (path, access);
        Err(Errno::NOENT)
    }

    /// Bytes of a file.
    fn size(&mut self, file: FileId) -> u64 {
        let _ = file;
        0
    }

    /// Reads at a place of a file; 0: behind its end.
    ///
    /// # Errors
    /// It cannot be read.
    fn read_at(&mut self, file: FileId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let _ = (file, offset, buffer);
        Err(Errno::IO)
    }

    /// Writes at a place of a file.
    ///
    /// # Errors
    /// It cannot be written.
    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        let _ = (file, offset, bytes);
        Err(Errno::ROFS)
    }

    /// Cuts or lengthens a file.
    ///
    /// # Errors
    /// It cannot be written.
    fn set_size(&mut self, file: FileId, bytes: u64) -> Result<(), Errno> {
        let _ = (file, bytes);
        Err(Errno::ROFS)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// There is none, or it may not be removed.
    fn remove(&mut self, path: &[u8]) -> Result<(), Errno> {
        let _ = path;
        Err(Errno::ROFS)
    }

    /// A file is not needed any more.
    fn close(&mut self, file: FileId) {
        let _ = file;
    }
}

/// A world without files that keeps what is printed.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub error: Vec<u8>,
}

impl World for Kept {
    fn write(&mut self, output: Output, bytes: &[u8]) {
        match output {
            Output::Out => self.out.extend_from_slice(bytes),
            Output::Error => self.error.extend_from_slice(bytes),
        }
    }
}
