//! The files beside a text: those that are open in the editor count before those on disk, and none outside the folder is read.

use crate::address::Address;
use crate::texts::Texts;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use volvelle_session::{Folder, NamedFiles};

/// Files on disk. Nothing is written.
pub trait Disk {
    /// The bytes of a file in a folder, or in a folder inside it, by its path from there; `None` if there is no such file, if it is none
    /// that can be read at once, or if a link leads out of the folder.
    fn read(&self, folder: &Path, name: &Path) -> Option<Vec<u8>>;

    /// The first bytes of such a file, at most so many.
    fn head(&self, folder: &Path, name: &Path, most: usize) -> Option<Head>;

    /// The names in a folder.
    fn entries(&self, folder: &Path) -> Vec<String>;

    /// What is in a folder, or in one inside it by its path from there, in any order. Of large folders so many names are looked at.
    fn listed(&self, folder: &Path, inside: &Path, most: usize) -> Vec<Listed>;
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// How many bytes it has.
    pub size: u64,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The name.
    pub name: String,
    /// Whether it is that of a folder.
    pub is_folder: bool,
}

/// The files beside a text, with a note of those that were asked for.
pub struct Reader {
    folder: Option<PathBuf>,
    open: BTreeMap<Address, Rc<String>>,
    disk: Rc<dyn Disk>,
    asked: RefCell<Vec<Asked>>,
}

/// A file that was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// By this name.
    pub name: String,
    /// Where it is.
    pub address: Address,
    /// Whether it is there.
    pub is_there: bool,
}

impl Reader {
    /// The files in a folder.
    pub fn of(folder: Option<&Path>, texts: &Texts, disk: Rc<dyn Disk>) -> Self {
        let in_folder = texts.iter().filter(|(address, _)| address.is_in(folder));
        let known =
            in_folder.filter_map(|(address, text)| Some((address.clone(), text.content.clone().ok()?)));
        let open = known.collect();
        Reader { folder: folder.map(Path::to_path_buf), open, disk, asked: RefCell::default() }
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let folder = self.folder.as_deref()?;
        let inside = inside(Path::new(name))?;
        let address = Address::File(folder.join(&inside));
        let bytes = match self.open.get(&address) {
            Some(text) => Some(text.as_bytes().to_vec()),
            None => self.disk.read(folder, &inside),
        };
        self.asked.borrow_mut().push(Asked { name: name.to_owned(), address, is_there: bytes.is_some() });
        bytes
    }

    /// The same as a text.
    pub fn text(&self, name: &str) -> Option<String> {
        String::from_utf8(self.read(name)?).ok()
    }

    /// What was asked for so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.borrow().clone()
    }
}

/// A path that stays in its folder, without detours.
pub fn inside(path: &Path) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            Component::ParentDir if inside.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!inside.as_os_str().is_empty()).then_some(inside)
}

/// The files as front ends ask for them.
#[derive(Clone)]
pub struct Beside(pub Rc<Reader>);

impl Folder for Beside {
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        self.0.read(name)
    }
}

impl NamedFiles for Beside {
    fn read(&self, beside: &str, name: &str) -> Result<Vec<u8>, String> {
        let path = Path::new(beside).parent().unwrap_or(Path::new("")).join(name);
        let found = path.to_str().and_then(|path| self.0.read(path));
        found.ok_or_else(|| "it is not in the folder of the model".to_owned())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// There are no files.
    pub struct NoDisk;

    impl Disk for NoDisk {
        fn read(&self, _: &Path, _: &Path) -> Option<Vec<u8>> {
            None
        }

        fn head(&self, _: &Path, _: &Path, _: usize) -> Option<Head> {
            None
        }

        fn entries(&self, _: &Path) -> Vec<String> {
            Vec::new()
        }

        fn listed(&self, _: &Path, _: &Path, _: usize) -> Vec<Listed> {
            Vec::new()
        }
    }

    #[test]
    fn paths_stay_in_the_folder() {
        for (path, expected) in [
            ("a", Some("a")),
            ("./a/../b/c", Some("b/c")),
            ("a/..", None),
            ("", None),
            ("../a", None),
            ("a/../../b", None),
            ("/a", None),
        ] {
            assert_eq!(inside(Path::new(path)), expected.map(PathBuf::from), "{path}");
        }
    }
}
