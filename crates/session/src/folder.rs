//! The files beside a model: those that it includes, and those that its properties name.
//!
//! Nothing is opened here: whoever reads a model says where its files are.

/// The folder of a model: files that it includes, or that belong to it.
pub trait Folder {
    /// The bytes of a file, by its path from the folder; `None` if there is none.
    fn read(&mut self, name: &str) -> Option<Vec<u8>>;
}

/// Files that properties name.
pub trait NamedFiles {
    /// The bytes of a file, by its path from the folder of the file in which it is named (`--prop` and the like: from the
    /// working folder).
    ///
    /// # Errors
    /// The reason why it cannot be read.
    fn read(&self, beside: &str, name: &str) -> Result<Vec<u8>, String>;
}

/// No files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFolder;

impl Folder for NoFolder {
    fn read(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

impl NamedFiles for NoFolder {
    fn read(&self, _: &str, _: &str) -> Result<Vec<u8>, String> {
        Err("there are no files here".to_owned())
    }
}
