//! Files that appear whole or not at all: written beside their place, on disk before they are renamed.
//!
//! A run that fails, or is stopped, leaves the file of an earlier run as it was, and nothing beside it. What is no regular file (a pipe,
//! `/dev/stdout`) is written directly, and so is a file in a folder where no other can be made.

use super::identity::{Destination, destination, folder_of};
use super::{known, reading, user};
use crate::{cluster, watchdog};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that are collected before they go to the file.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes a result.
///
/// # Errors
/// Those of `write`, and those of the file system; the run has read the file, or written it before.
pub fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    watchdog::results_begin();
    if cluster::is_follower() {
        return write(&mut io::sink());
    }
    known::may_write(path)?;
    known::written(path, || whole(path, true, |file| filled(file, write)))
}

/// Replaces a text that the run has read by a better one, because the user asked for it. The text before stays beside the file, under a
/// name that no other file has: `m.prism.orig`, `m.prism.orig2`. Gives this name.
///
/// # Errors
/// Those of the file system; the file has another text by now, or is none on disk.
pub fn amend(path: &Path, before: &[u8], after: &[u8]) -> io::Result<PathBuf> {
    let Destination::File(place) = destination(path) else { return Err(io::ErrorKind::Unsupported.into()) };
    if !place.is_file() || fs::read(&place)? != before {
        return Err(io::Error::other("another program has changed it meanwhile"));
    }
    let named = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".orig".to_owned() } else { format!(".orig{number}") });
        PathBuf::from(name)
    };
    let (kept, mut file) = (1..=MOST_ORIGINALS)
        .map(named)
        .find_map(|name| match File::create_new(&name) {
            Ok(file) => Some(Ok((name, file))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            Err(error) => Some(Err(error)),
        })
        .unwrap_or_else(|| Err(io::Error::other("there are too many files of this name with `.orig`")))?;
    let written = file.write_all(before).and_then(|()| file.sync_all());
    let written = written.and_then(|()| whole(path, true, |file| filled(file, |out| out.write_all(after))));
    if let Err(error) = written {
        // The text stands in the file itself: it was not replaced.
        if fs::read(&place).is_ok_and(|now| now == before) {
            let _ = fs::remove_file(&kept);
        }
        return Err(error);
    }
    Ok(kept)
}

/// How many texts before a fix may lie beside a file.
const MOST_ORIGINALS: usize = 999;

/// Writes what is kept for later: a checkpoint, a part, a system that other runs use. It may be written again and again, and the work
/// goes on.
///
/// # Errors
/// Those of `write`, and those of the file system; the run has read the file as something else.
pub fn keep<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if cluster::is_follower() {
        return write(&mut io::sink());
    }
    known::may_keep(path)?;
    whole(path, true, |file| filled(file, write))
}

/// The same for what is one of many and can be made again: it is not waited for until it is on disk, which takes longer than to write it.
///
/// # Errors
/// As those of [`keep`].
pub fn store<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if cluster::is_follower() {
        return write(&mut io::sink());
    }
    known::may_keep(path)?;
    whole(path, false, |file| filled(file, write))
}

/// Has a library write a result: to a name beside its place, which has the same ending.
///
/// # Errors
/// Those of `write`, and those of the file system, by way of `failed`; the run has read the file.
pub fn through<E>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
    failed: impl Fn(&io::Error) -> E,
) -> Result<(), E> {
    if cluster::is_follower() {
        return Ok(());
    }
    known::may_keep(path).map_err(|error| failed(&error))?;
    let place = match destination(path) {
        Destination::File(place) => place,
        Destination::Descriptor(_) => path.to_owned(),
    };
    let part = Part::beside(&place).map_err(|error| failed(&error))?;
    write(&part.path)?;
    part.finish(&place, false).map_err(|error| failed(&error))
}

/// Changes the end of a file that processes extend in turns, under a [`Lock`](super::Lock): `change` gets the last bytes, up to so many,
/// and says how many of them to take off, and what to put there.
///
/// # Errors
/// Those of the file system; the file is not there.
pub fn append(path: &Path, last: usize, change: impl FnOnce(&[u8]) -> (usize, String)) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let size = file.metadata()?.len();
    let from = size.saturating_sub(last as u64);
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    Read::by_ref(&mut file).take(last as u64).read_to_end(&mut end)?;
    let (off, text) = change(&end);
    file.seek(SeekFrom::Start(size.saturating_sub(off as u64)))?;
    file.write_all(text.as_bytes())?;
    let size = file.stream_position()?;
    file.set_len(size)
}

/// Whether a file could be written: asked before hours of work, not after them. Nothing changes, and who reads a pipe sees no end of it.
/// Under the name itself nothing is made, not even for a moment: another run may be about to put its result there.
///
/// # Errors
/// Why not.
pub fn probe(path: &Path) -> io::Result<()> {
    if cluster::is_follower() {
        return Ok(());
    }
    let Destination::File(place) = destination(path) else { return Ok(()) };
    let there = match fs::metadata(&place) {
        Ok(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(data) if !data.is_file() => Ok(()),
        Ok(_) => OpenOptions::new().write(true).open(&place).map(drop),
        Err(_) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
            Err(io::ErrorKind::IsADirectory.into())
        }
        // The name itself may be one that the system does not take: too long, or through a file that is no folder.
        Err(error) => Err(error),
    };
    match there {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let part = Part::beside(&place)?;
            File::create_new(&part.path).map(drop)
        }
        there => there,
    }
}

/// Makes a folder, if it is not there.
///
/// # Errors
/// Those of the file system.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if cluster::is_follower() { Ok(()) } else { fs::create_dir_all(path) }
}

/// A file that is being written.
struct Part {
    path: PathBuf,
}

/// Files that are being written: an end of the process that nothing awaits removes them.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Numbers the files that this process writes.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Removes what is not written to its end. Called before the process is ended in the midst of its work.
pub fn abandon() {
    for path in PARTS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(path);
    }
}

impl Part {
    /// A name in the same folder that no other process uses, with the same ending. It is short whatever the name of the file.
    fn beside(place: &Path) -> io::Result<Self> {
        let ending = place.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(
            ".volvelle-{}-{number}{}",
            std::process::id(),
            ending.filter(|ending| ending.len() < 32).unwrap_or_default()
        );
        let path = folder_of(place).join(name);
        let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push(path.clone());
        Ok(Part { path })
    }

    /// Gives the file its name, once it is on disk if that `is_awaited`.
    fn finish(&self, place: &Path, is_awaited: bool) -> io::Result<()> {
        if is_awaited {
            OpenOptions::new().write(true).open(&self.path)?.sync_all()?;
        }
        if let Ok(old) = fs::metadata(place) {
            // Best effort: the new contents matter more than who may read them.
            let _ = fs::set_permissions(&self.path, old.permissions());
            own(&self.path, &old);
        }
        fs::rename(&self.path, place)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
        parts.retain(|path| *path != self.path);
        // It is gone if it was renamed.
        let _ = fs::remove_file(&self.path);
    }
}

/// Gives a file the owner of the one that it replaces, where this user may do that.
#[cfg(unix)]
fn own(path: &Path, old: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata(path).is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid())) {
        let _ = std::os::unix::fs::chown(path, Some(old.uid()), Some(old.gid()));
        // A change of the owner takes some permissions away.
        let _ = fs::set_permissions(path, old.permissions());
    }
}

#[cfg(not(unix))]
fn own(_: &Path, _: &fs::Metadata) {}

/// Writes a file by `fill`: beside its place, or directly where that is impossible.
fn whole<T, E: From<io::Error>>(
    path: &Path,
    is_awaited: bool,
    fill: impl FnOnce(File) -> Result<T, E>,
) -> Result<T, E> {
    let place = match destination(path) {
        Destination::Descriptor(number) => return fill(descriptor(number)?),
        Destination::File(place) => place,
    };
    if is_special(&place) {
        return fill(special(&place)?);
    }
    if place.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let part = Part::beside(&place)?;
    match File::create_new(&part.path) {
        Ok(file) => {
            let value = fill(file)?;
            part.finish(&place, is_awaited)?;
            Ok(value)
        }
        Err(_) if place.is_file() => fill(File::create(&place)?),
        Err(error) => Err(error.into()),
    }
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

/// An open descriptor: writing goes on where it is, also where it is a file on disk.
#[cfg(unix)]
fn descriptor(number: u32) -> io::Result<File> {
    use std::os::fd::AsFd;
    match number {
        1 => io::stdout().as_fd().try_clone_to_owned().map(File::from),
        2 => io::stderr().as_fd().try_clone_to_owned().map(File::from),
        _ => OpenOptions::new().append(true).open(format!("/dev/fd/{number}")),
    }
}

#[cfg(not(unix))]
fn descriptor(_: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a file that is none on disk. Nobody may read a pipe as yet: that is waited for within the limits of the command.
#[cfg(unix)]
fn special(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    loop {
        let opened = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
        match opened {
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => reading::check(0)?,
            Err(error) => return Err(error),
            // Now that somebody reads, nothing is waited for.
            Ok(_held) => return OpenOptions::new().write(true).open(path),
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(not(unix))]
fn special(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Time between two looks for a reader.
#[cfg(unix)]
const POLL: std::time::Duration = std::time::Duration::from_millis(10);

fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// What tells that a file is the very one that this user wrote: its owner, its number, and when it was last changed in any way, which
/// neither a copy nor an archive can say of itself. None if others may write it, or it is another user's.
#[cfg(unix)]
pub fn stamp(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    const WRITTEN_BY_OTHERS: u32 = 0o002;
    let data = fs::symlink_metadata(path).ok()?;
    if data.uid() != user::current() || data.mode() & WRITTEN_BY_OTHERS != 0 {
        return None;
    }
    Some(format!("{} {} {}.{:09}", data.uid(), data.ino(), data.ctime(), data.ctime_nsec()))
}

#[cfg(not(unix))]
pub fn stamp(path: &Path) -> Option<String> {
    path.exists().then(|| "here".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("volvelle-door-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let folder = folder("failure");
        let path = folder.join("a.csv");
        keep(&path, |out| out.write_all(b"first")).unwrap();
        let failed: io::Result<()> = keep(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        keep(&path, |out| out.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_text_before_a_fix_stays() {
        let folder = folder("amend");
        let path = folder.join("m.prism");
        fs::write(&path, "one").unwrap();
        assert_eq!(amend(&path, b"one", b"two").unwrap(), folder.join("m.prism.orig"));
        assert_eq!(amend(&path, b"two", b"three").unwrap(), folder.join("m.prism.orig2"));
        assert!(amend(&path, b"two", b"four").is_err(), "it is not what was read");
        assert!(amend(&folder.join("none"), b"", b"x").is_err());
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let texts = ["m.prism", "m.prism.orig", "m.prism.orig2"].map(read);
        assert_eq!(texts, ["three", "one", "two"]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing else is left");
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
        assert!(probe(&folder.join("x/")).is_err());
        assert!(probe(&folder.join("x".repeat(256))).is_err());
        assert!(probe(&path.join("x")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Other runs may write the file meanwhile: what they put there stays, and the answer does not depend on them.
    #[test]
    fn lost_results_of_others_while_probing() {
        let folder = folder("race");
        let path = folder.join("a.csv");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    probe(&path).unwrap();
                }
            });
            let lost = (0..2000).find(|number| {
                keep(&path, |out| out.write_all(number.to_string().as_bytes())).is_err()
                    || fs::read(&path).ok() != Some(number.to_string().into_bytes())
                    || number % 7 == 0 && fs::remove_file(&path).is_err()
            });
            is_done.store(true, Ordering::Relaxed);
            assert_eq!(lost, None);
        });
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The name of a file may be as long as the system allows, and a link may lead to a file that does not exist yet.
    #[cfg(unix)]
    #[test]
    fn long_names_and_links_to_nothing() {
        let folder = folder("names");
        let long = folder.join("x".repeat(255));
        keep(&long, |out| out.write_all(b"long")).unwrap();
        assert_eq!(fs::read(&long).unwrap(), b"long");
        let link = folder.join("link");
        fs::create_dir(folder.join("behind")).unwrap();
        std::os::unix::fs::symlink("behind/file", &link).unwrap();
        probe(&link).unwrap();
        keep(&link, |out| out.write_all(b"through")).unwrap();
        assert_eq!(fs::read(folder.join("behind/file")).unwrap(), b"through");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_end_is_changed_in_place() {
        let folder = folder("append");
        let path = folder.join("a");
        fs::write(&path, "one\ntwo\nEND").unwrap();
        append(&path, 3, |end| {
            assert_eq!(end, b"END");
            (3, "three\n".to_owned())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
        append(&path, 100, |end| (end.len(), "x".to_owned())).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"x");
        fs::remove_dir_all(&folder).unwrap();
    }
}
