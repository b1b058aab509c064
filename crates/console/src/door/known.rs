//! What a run reads and what it is to write. A file that is both is refused: before the work if it is known by then, and by whatever
//! writes it in any case.
//!
//! Files are read in many places, and each file that one of them names belongs to the run. So it is the reading itself that notes
//! them; a process has one command.

use super::folder::folder_entries;
use super::identity::{self, Identity, Stream};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use volvelle_control::Stop;

/// What a run does with a file that it is to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is replaced by a result.
    Written,
    /// It may be: results that get numbers have names like this one.
    Perhaps,
    /// It is read and continued, as a checkpoint is.
    Kept,
    /// What the run prints goes there.
    Printed,
}

/// Why the door does not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A file is read and would be overwritten: by its name as a result, and as it is read.
    Overwritten(String, String),
    /// The same, by what is printed.
    PrintedOver(String),
    /// Two results would be one file: their names.
    Twice(String, String),
    /// A limit was reached while a file was read.
    Stopped(Stop),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Overwritten(name, _) => write!(f, "`{name}` would be overwritten, and the run reads it"),
            Refusal::PrintedOver(name) => write!(f, "standard output is `{name}`, which the run reads"),
            Refusal::Twice(name, _) => write!(f, "`{name}` would be written twice"),
            Refusal::Stopped(stop) => write!(f, "{stop}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        io::Error::other(refusal)
    }
}

/// The refusal behind an error, if it is one.
pub fn refusal_of(error: &io::Error) -> Option<&Refusal> {
    error.get_ref()?.downcast_ref()
}

#[derive(Default)]
struct Known {
    /// What was read, by the names under which it was.
    read: HashMap<Identity, String>,
    /// What is to be written.
    targets: HashMap<Identity, (String, Role)>,
    conflicts: Vec<Refusal>,
    /// Results that were written, by their places: a second one in the same place would take the first away.
    written: HashMap<PathBuf, String>,
    stopped: Option<Stop>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(change: impl FnOnce(&mut Known) -> T) -> T {
    change(known().get_or_insert_default())
}

/// Files that cannot be both what they are asked to be; each once.
pub fn conflicts() -> Vec<Refusal> {
    with(|known| known.conflicts.clone())
}

/// The limit that ended the reading of a file.
pub fn stopped() -> Option<Stop> {
    with(|known| known.stopped)
}

/// Notes that a limit ended the reading of a file.
pub(super) fn stop(stop: Stop) -> io::Error {
    with(|known| {
        known.stopped.get_or_insert(stop);
    });
    Refusal::Stopped(stop).into()
}

/// Says what the run will write.
pub fn claim(path: &Path, role: Role) {
    if let Some(identity) = identity::of_target(path) {
        with(|known| known.claim(identity, path.display().to_string(), role));
    }
}

/// Says that the run may write files of a folder: those that are there and whose names satisfy `is_one`.
pub fn claim_among(folder: &Path, is_one: impl Fn(&str) -> bool, role: Role) {
    for entry in folder_entries(folder) {
        if is_one(&entry) {
            claim(&folder.join(entry), role);
        }
    }
}

/// Says that the run prints: standard output may be a file.
pub fn claim_standard_output() {
    if let Some(identity) = identity::of_stream(Stream::Output) {
        with(|known| known.claim(identity, "standard output".to_owned(), Role::Printed));
    }
}

/// Notes that a file is read.
///
/// # Errors
/// The run is to write it.
pub fn note_read(path: &Path) -> io::Result<()> {
    note(identity::of(path), || path.display().to_string())
}

/// Notes that standard input is read.
///
/// # Errors
/// It is a file that the run is to write.
pub(super) fn note_input() -> io::Result<()> {
    note(identity::of_stream(Stream::Input), || "standard input".to_owned())
}

fn note(identity: Option<Identity>, name: impl FnOnce() -> String) -> io::Result<()> {
    let Some(identity) = identity else { return Ok(()) };
    with(|known| known.note_read(identity, name()))
}

/// Whether a result may be written to a file now.
///
/// # Errors
/// The run has read it, or has written another result there.
pub(super) fn may_write(path: &Path) -> io::Result<()> {
    may_keep(path)?;
    let Some(place) = place(path) else { return Ok(()) };
    let name = path.display().to_string();
    with(|known| match known.written.get(&place) {
        Some(first) => Err(known.conflict(Refusal::Twice(name, first.clone()))),
        None => Ok(()),
    })
}

/// The place of a file on disk, behind all links.
fn place(path: &Path) -> Option<PathBuf> {
    identity::of_target(path)?;
    match identity::destination(path) {
        identity::Destination::File(place) => Some(place),
        identity::Destination::Descriptor(_) => None,
    }
}

/// Why nothing may be kept in a file now, if the run has read it as something else. For runs that go on when they cannot write: what is
/// refused when it is written is refused for the whole run.
pub fn refusal_to_keep(path: &Path) -> Option<Refusal> {
    let identity = identity::of_target(path)?;
    let read = with(|known| known.read.get(&identity).cloned())?;
    Some(Refusal::Overwritten(path.display().to_string(), read))
}

/// Whether something may be kept in a file now.
///
/// # Errors
/// The run has read it as something else.
pub(super) fn may_keep(path: &Path) -> io::Result<()> {
    let Some(identity) = identity::of_target(path) else { return Ok(()) };
    let name = path.display().to_string();
    with(|known| match known.read.get(&identity) {
        Some(read) => Err(known.conflict(Refusal::Overwritten(name, read.clone()))),
        None => Ok(()),
    })
}

/// Has a result written, and notes where it is: the file that was there before is gone.
///
/// # Errors
/// Those of `write`.
pub(super) fn written<T, E>(path: &Path, write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let before = identity::of_target(path);
    let value = write()?;
    let name = path.display().to_string();
    if let (Some(identity), Some(place)) = (identity::of_target(path), place(path)) {
        with(|known| {
            before.and_then(|before| known.targets.remove(&before));
            known.targets.insert(identity, (name.clone(), Role::Written));
            known.written.insert(place, name);
        });
    }
    Ok(value)
}

impl Known {
    fn claim(&mut self, identity: Identity, name: String, role: Role) {
        if let Some(read) = self.read.get(&identity) {
            self.conflict(refused(&name, role, read));
        }
        match self.targets.entry(identity) {
            Entry::Vacant(entry) => {
                entry.insert((name, role));
            }
            Entry::Occupied(mut entry) => {
                let (other, its_role) = entry.get_mut();
                if [role, *its_role] != [Role::Perhaps; 2] {
                    let [first, second] = match role {
                        Role::Printed => [name, other.clone()],
                        _ => [other.clone(), name],
                    };
                    let refusal = Refusal::Twice(second, first);
                    self.conflict(refusal);
                }
            }
        }
    }

    fn note_read(&mut self, identity: Identity, name: String) -> io::Result<()> {
        let target = self.targets.get(&identity).map(|(target, role)| refused(target, *role, &name));
        self.read.entry(identity).or_insert(name);
        match target {
            Some(refusal) => Err(self.conflict(refusal)),
            None => Ok(()),
        }
    }

    fn conflict(&mut self, refusal: Refusal) -> io::Error {
        if !self.conflicts.contains(&refusal) {
            self.conflicts.push(refusal.clone());
        }
        refusal.into()
    }
}

fn refused(target: &str, role: Role, read: &str) -> Refusal {
    match role {
        Role::Printed => Refusal::PrintedOver(read.to_owned()),
        Role::Written | Role::Perhaps | Role::Kept => {
            Refusal::Overwritten(target.to_owned(), read.to_owned())
        }
    }
}
