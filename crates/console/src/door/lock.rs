//! One process at a time: files that several processes extend, each of which may end at any moment.
//!
//! What is locked is the folder, so that nothing has to be left behind; the system takes the lock back when a process ends, however it
//! ends. On systems whose folders cannot be opened, and on disks without locks, processes take their chance.

use super::{identity, reading};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two attempts.
const POLL: Duration = Duration::from_millis(5);

/// Nobody holds a lock for longer than writing a file takes. One that does was stopped (`kill -STOP`).
const PATIENCE: Duration = Duration::from_secs(20);

/// The right to change the files of a folder; given back when it goes out of scope.
#[derive(Debug)]
pub struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// Waits for the right to change a file.
    ///
    /// # Errors
    /// A limit of the run, or another process that does not give it back.
    pub fn of(file: &Path) -> io::Result<Self> {
        let place = match identity::destination(file) {
            identity::Destination::File(place) => place,
            identity::Destination::Descriptor(_) => return Ok(Lock { _folder: None }),
        };
        let Ok(folder) = File::open(identity::folder_of(&place)) else { return Ok(Lock { _folder: None }) };
        let start = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Lock { _folder: Some(folder) }),
                Err(TryLockError::Error(_)) => return Ok(Lock { _folder: None }),
                Err(TryLockError::WouldBlock) => reading::check(0)?,
            }
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other("another process holds it and does not go on"));
            }
            std::thread::sleep(POLL);
        }
    }
}
