//! Files that a text names: whether they are there, how they begin, and which others there are.

use super::Workspace;
use crate::address::Address;
use crate::reader::{Head, Listed, inside};
use std::path::{Path, PathBuf};

/// More of a file is not looked at to say what it is.
const HEAD_BYTES: usize = 1 << 12;

/// More names of a folder are not looked at.
const MOST_NAMES: usize = 10_000;

/// What is known of a file that a text names.
pub enum Known {
    /// It is not in the folder of the text, or in one inside it: such files are not looked at.
    Outside,
    /// There is none.
    Missing,
    /// How it begins.
    There(Head),
}

impl Workspace {
    /// A file that a text names, if it is in the folder of the model or in a folder inside it.
    pub fn beside(&self, model: &Address, name: &str) -> Option<Address> {
        let folder = model.folder()?;
        let address = Address::File(folder.join(inside(Path::new(name))?));
        let is_there =
            || address.folder().is_some_and(|folder| self.disk.entries(folder).contains(&address.name()));
        (self.texts.get(&address).is_some() || is_there()).then_some(address)
    }

    /// What is known of a file that a text names.
    pub fn known(&self, text: &Address, name: &str) -> Known {
        let Some((folder, inside)) = text.folder().zip(inside(Path::new(name))) else {
            return Known::Outside;
        };
        let open = self.texts.get(&Address::File(folder.join(&inside)));
        if let Some(content) = open.and_then(|open| open.content.as_ref().ok()) {
            let bytes = content.as_bytes();
            let head = bytes[..bytes.len().min(HEAD_BYTES)].to_vec();
            return Known::There(Head { bytes: head, size: bytes.len() as u64 });
        }
        self.disk.head(folder, &inside, HEAD_BYTES).map_or(Known::Missing, Known::There)
    }

    /// What is in the folder of a text, or in one inside it, in order.
    pub fn listed(&self, text: &Address, folder: &str) -> Vec<Listed> {
        let path = Path::new(folder);
        // The folder itself has no name.
        let inside = if folder.is_empty() { Some(PathBuf::new()) } else { inside(path) };
        let Some((own, inside)) = text.folder().zip(inside) else { return Vec::new() };
        let mut listed = self.disk.listed(own, &inside, MOST_NAMES);
        listed.sort();
        listed
    }
}
