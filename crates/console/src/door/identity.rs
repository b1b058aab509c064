//! What a name stands for: hard links, symbolic links, relative paths and descriptors may all be names of one file.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// A file, whatever it is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A file that exists: its device, its number there, and when it was made, where that is known: numbers of files that are gone are
    /// given to others.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix numbers its files"))]
    Number(u64, u64, Option<SystemTime>),
    /// The place of a file that does not exist yet.
    Place(PathBuf),
}

/// Where writing to a name ends up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// An open descriptor, such as `/dev/stdout`: writing goes on where it is.
    Descriptor(u32),
    /// A file, behind all links; it need not exist.
    File(PathBuf),
}

/// The file behind a name; nothing for devices such as `/dev/null`, which hold nothing that could be lost.
pub fn of(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(data) => of_existing(&data, path),
        Err(_) => match destination(path) {
            Destination::File(place) => Some(Identity::Place(place)),
            Destination::Descriptor(_) => None,
        },
    }
}

/// The file that a result goes to. Standard output is none of it under whatever name: what a run prints goes there as well.
pub fn of_target(path: &Path) -> Option<Identity> {
    if destination(path) == Destination::Descriptor(STANDARD_OUTPUT) { None } else { of(path) }
}

/// The number of its descriptor.
const STANDARD_OUTPUT: u32 = 1;

/// The file that a standard stream is connected to, if it is a file on disk.
pub fn of_stream(stream: Stream) -> Option<Identity> {
    let data = stream.metadata().ok().filter(Metadata::is_file)?;
    of_existing(&data, Path::new(""))
}

/// The standard streams.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    Input,
    Output,
}

impl Stream {
    #[cfg(unix)]
    fn metadata(self) -> io::Result<Metadata> {
        use std::os::fd::AsFd;
        let descriptor = match self {
            Stream::Input => io::stdin().as_fd().try_clone_to_owned(),
            Stream::Output => io::stdout().as_fd().try_clone_to_owned(),
        };
        fs::File::from(descriptor?).metadata()
    }

    #[cfg(not(unix))]
    fn metadata(self) -> io::Result<Metadata> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(unix)]
fn of_existing(data: &Metadata, _: &Path) -> Option<Identity> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    (!data.file_type().is_char_device())
        .then(|| Identity::Number(data.dev(), data.ino(), data.created().ok()))
}

#[cfg(not(unix))]
fn of_existing(_: &Metadata, path: &Path) -> Option<Identity> {
    path.canonicalize().ok().map(Identity::Place)
}

/// Whether two names stand for one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    of(one).is_some_and(|identity| of(other) == Some(identity))
}

/// Follows links that a system follows at most.
const MOST_LINKS: usize = 40;

/// Where writing to a name ends up, also where links lead to a file that does not exist.
pub fn destination(path: &Path) -> Destination {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Some(number) = descriptor(&path) {
            return Destination::Descriptor(number);
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let whole = path.canonicalize().or_else(|_| {
        let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
        Ok::<_, io::Error>(folder_of(&path).canonicalize()?.join(name))
    });
    Destination::File(whole.unwrap_or(path))
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The number of a descriptor, by the names that systems give it.
fn descriptor(path: &Path) -> Option<u32> {
    match path.to_str()? {
        "/dev/stdin" => Some(0),
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        name => {
            let number = name.strip_prefix("/dev/fd/").or_else(|| name.strip_prefix("/proc/self/fd/"))?;
            number.parse().ok()
        }
    }
}

/// Whether what is written under a name ends up below a folder: neither `..` nor links lead out of it.
pub fn is_below(path: &Path, folder: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(folder) = folder.canonicalize() else { return false };
    match destination(path) {
        Destination::Descriptor(_) => false,
        Destination::File(place) => {
            // Folders that do not exist have no links, but `..` in them may lead out.
            place.is_absolute()
                && place.starts_with(folder)
                && !place.components().any(|part| part == Component::ParentDir)
        }
    }
}
