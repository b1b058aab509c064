//! Names of documents: URIs for the client, paths for files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The name of a document, the same for all ways to write its URI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    /// A file, by its absolute path.
    File(PathBuf),
    /// A document that is no file, by its URI.
    Other(String),
}

impl Address {
    /// The document of a URI.
    pub fn of(uri: &str) -> Self {
        let path = strip_scheme(uri).and_then(decoded).filter(|path| !path.contains('\0'));
        path.map_or_else(|| Address::Other(uri.to_owned()), |path| Address::File(PathBuf::from(path)))
    }

    /// A URI of the document.
    pub fn uri(&self) -> String {
        match self {
            Address::File(path) => encoded(&path.to_string_lossy()),
            Address::Other(uri) => uri.clone(),
        }
    }

    /// The folder of the file.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Address::File(path) => path.parent(),
            Address::Other(_) => None,
        }
    }

    /// The name without the folder.
    pub fn name(&self) -> String {
        match self {
            Address::File(path) => {
                path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
            }
            Address::Other(uri) => uri.rsplit(['/', ':']).next().unwrap_or(uri).to_owned(),
        }
    }

    /// Whether it is a file in a folder, or in a folder inside it.
    pub fn is_in(&self, folder: Option<&Path>) -> bool {
        matches!((self, folder), (Address::File(path), Some(folder)) if path.starts_with(folder))
    }
}

/// The path of a file URI, as it is written there.
fn strip_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        // What stands before the path is a machine: this one has no name, or this.
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    path.starts_with('/').then_some(path)
}

/// A path without its escapes; `None` if these are no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/folder` is `c:/folder` where drives have letters.
    let has_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(if has_drive { path[1..].to_owned() } else { path })
}

/// The URI of a path.
fn encoded(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_many_uris() {
        let file = Address::File(PathBuf::from("/a b/ü%.prism"));
        for uri in ["file:///a%20b/%C3%BC%25.prism", "FILE:///a b/ü%25.prism", "file:/a%20b/%c3%bc%25.prism"]
        {
            assert_eq!(Address::of(uri), file, "{uri}");
        }
        assert_eq!(Address::of("file://localhost/a%20b/%C3%BC%25.prism"), file);
        assert_eq!(file.uri(), "file:///a%20b/%C3%BC%25.prism");
        assert_eq!(Address::of(&file.uri()), file);
        assert_eq!((file.name(), file.folder()), ("ü%.prism".to_owned(), Some(Path::new("/a b"))));
    }

    #[test]
    fn documents_that_are_no_files() {
        for uri in [
            "untitled:Untitled-1",
            "file:relative",
            "file://host/x",
            "file:///%zz",
            "file:///%ff",
            "file:///a%00",
            "é",
            "",
        ] {
            let address = Address::of(uri);
            assert_eq!(address, Address::Other(uri.to_owned()));
            assert_eq!((address.uri(), address.folder()), (uri.to_owned(), None));
        }
        assert_eq!(Address::of("untitled:a/m.prism").name(), "m.prism");
        assert!(!Address::of("untitled:a").is_in(Some(Path::new("/"))));
        assert!(Address::of("file:///a/b/c").is_in(Some(Path::new("/a"))));
        assert!(!Address::of("file:///ab/c").is_in(Some(Path::new("/a"))));
    }
}
