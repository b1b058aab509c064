//! The network `mpi`: processes that a launcher of MPI started, perhaps on many machines.
//!
//! The library is opened at run time, so the same program runs under Open MPI, MPICH and its relatives, and
//! implementations of the standard ABI of MPI 5. The library must be that of the launcher: with another one,
//! every process would find itself the only one. The caller describes the environment by a [`Launcher`].
//! Follows *MPI: A Message-Passing Interface Standard*, with functions that exist in versions 3 to 5.
//!
//! All requests are started without waiting, and polled. So waiting leaves most of the processor to others, a
//! waiting thread does not block the library for other threads, and ranks that are gone are noticed. A rank
//! says goodbye when it closes the network; another rank that still waits for it gets an error.

mod core;
mod exit;
mod flight;
mod launcher;
mod library;
mod mailbox;
mod network;
mod pause;
mod session;
mod table;

pub use launcher::{Family, LIBRARY_VARIABLE, Launcher};

use self::core::Core;
use network::MpiNetwork;
use session::Session;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use table::{Functions, Handle, Table};
use volvelle_runtime::{Error, Network};

/// Settings that no program needs to change.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Bytes of the largest piece of a message; the same on all ranks. The library counts up to 2³¹ - 1.
    pub largest_piece: usize,
    /// Where a rank reports why it ends the run; by default, the error channel.
    pub say: fn(&str),
}

impl Default for Settings {
    fn default() -> Self {
        Settings { largest_piece: 1 << 30, say: |text| drop(writeln!(std::io::stderr(), "{text}")) }
    }
}

/// An initialised library. Dropping it closes it, which waits until all ranks do so.
pub struct Mpi {
    network: Arc<dyn Network>,
    close: Box<dyn Fn() -> Result<(), Error> + Send + Sync>,
    family: Family,
    library: PathBuf,
    version: String,
}

impl Mpi {
    /// Opens the launcher's library and initialises it, which is possible once in a process. Waits for all
    /// ranks.
    ///
    /// If it fails on one rank only, others wait for that rank. Some launchers (MPICH's) end a run only if a
    /// process ends by a signal. So a launched program should call `std::process::abort` after a failure.
    ///
    /// # Errors
    /// There is no such library, it is not the launcher's, or it does not work.
    pub fn open(launcher: &Launcher, settings: Settings) -> Result<Self, Error> {
        let opened = library::open(launcher)?;
        let (network, close) = match opened.functions {
            Functions::Addresses(table) => start(table, settings)?,
            Functions::Integers(table) => start(table, settings)?,
        };
        let mpi =
            Mpi { network, close, family: opened.family, library: opened.path, version: opened.version };
        match (launcher.size(), mpi.network.size()) {
            (Some(launched), 1) if launched > 1 => {
                let why = mpi.strangers(launcher, launched);
                mpi.close()?;
                Err(Error::Unavailable(why))
            }
            _ => {
                exit::guard(&mpi.network);
                Ok(mpi)
            }
        }
    }

    /// Explains why the library does not know the other processes.
    fn strangers(&self, launcher: &Launcher, launched: usize) -> String {
        let (family, library) = (self.family, self.library.display());
        let evidence = launcher.evidence().unwrap_or("a variable");
        let owner = match launcher.family() {
            Some(owner) if owner != family => format!("it is of {owner}"),
            _ => "it may be of another MPI".to_owned(),
        };
        let choice = if evidence.starts_with("SLURM") { ", choose another `--mpi` of srun" } else { "" };
        format!(
            "no MPI: by {evidence}, the launcher started {launched} processes, but {library} ({family}) knows one: {owner}. Start the \
             program with the launcher of {family}{choice}, or name the launcher's library in {LIBRARY_VARIABLE}"
        )
    }

    /// The network of its processes.
    pub fn network(&self) -> Arc<dyn Network> {
        self.network.clone()
    }

    /// The family of the library.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The library, as it was opened.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The library's description of itself: `Open MPI v4.1.4, …`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Waits until all ranks have called it, and finalises the library. Unreceived messages are lost; later
    /// calls of the network fail.
    ///
    /// # Errors
    /// The library failed, or this rank has started a collective operation in which others take no part.
    pub fn close(&self) -> Result<(), Error> {
        (self.close)()
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::panicking() && self.network.size() > 1 {
            // Otherwise others would wait for this rank.
            return self.network.abort("a panic");
        }
        if let Err(error) = self.close() {
            self.network.abort(&error.to_string());
        }
    }
}

type Closing = Box<dyn Fn() -> Result<(), Error> + Send + Sync>;

fn start<H: Handle>(table: Table<H>, settings: Settings) -> Result<(Arc<dyn Network>, Closing), Error> {
    let core = Arc::new(Core::new(Session::start(table)?, settings.largest_piece));
    let network =
        Arc::new(MpiNetwork { core: core.clone(), say: settings.say, is_ending: AtomicBool::new(false) });
    Ok((network, Box::new(move || core.close())))
}

/// Runs a program on the processes of a launcher. An error or a panic of one rank ends all of them and is
/// reported with the rank. In a single process, its error is returned.
///
/// # Errors
/// MPI cannot be opened or closed, or the program failed.
///
/// # Panics
/// If the program panics in a single process.
pub fn run<T, E: From<Error> + std::fmt::Display>(
    launcher: &Launcher,
    settings: Settings,
    program: impl FnOnce(Arc<dyn Network>) -> Result<T, E>,
) -> Result<T, E> {
    guarded(&Mpi::open(launcher, settings)?, program)
}

/// Runs a program on an open network, and closes it.
pub(crate) fn guarded<T, E: From<Error> + std::fmt::Display>(
    mpi: &Mpi,
    program: impl FnOnce(Arc<dyn Network>) -> Result<T, E>,
) -> Result<T, E> {
    let (network, is_alone) = (mpi.network(), mpi.network().size() == 1);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| program(network)));
    match ended {
        Ok(Ok(value)) => {
            mpi.close()?;
            Ok(value)
        }
        Ok(Err(error)) if is_alone => {
            mpi.close()?;
            Err(error)
        }
        Err(panic) if is_alone => {
            mpi.close()?;
            std::panic::resume_unwind(panic)
        }
        Ok(Err(error)) => {
            mpi.network.abort(&error.to_string());
            Err(error)
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            mpi.network.abort(&format!("a panic: {}", text.unwrap_or("of unknown kind")));
            std::panic::resume_unwind(panic)
        }
    }
}
