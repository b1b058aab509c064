//! Processes that a launcher of MPI started together: the first prints and writes, the others work for it.

use crate::given::GivenOptions;
use crate::packed;
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_runtime::Network;
use volvelle_session::Session;
use volvelle_session::cluster::Cluster;

static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
/// Whether this process could not join the others.
static IS_LOST: AtomicBool = AtomicBool::new(false);
/// Launchers drop what a process says just before it ends.
const TIME_TO_SPEAK: Duration = Duration::from_millis(200);

/// Joins the other processes, if there are any. A command that can use them calls it before it reads files.
pub fn join() -> Result<(), Diagnostic> {
    if CLUSTER.get().is_none() {
        let cluster = Cluster::of(|name| std::env::var(name).ok()).inspect_err(|_| {
            IS_LOST.store(true, Ordering::Relaxed);
        })?;
        if cluster.is_some() {
            packed::note();
        }
        let _ = CLUSTER.set(cluster);
    }
    Ok(())
}

fn cluster() -> Option<&'static Cluster> {
    CLUSTER.get()?.as_ref()
}

/// Why a command that cannot use several processes does not run in them, where there are some.
pub fn refused(what: &str, why: &str) -> Result<(), Diagnostic> {
    join()?;
    if cluster().is_none() {
        return Ok(());
    }
    let message = format!("{what} is done by one process, but several were started together");
    Err(Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help("start one process"))
}

/// Whether this process works for another one, and prints and writes nothing.
pub fn is_follower() -> bool {
    cluster().is_some_and(|cluster| !cluster.leads())
}

/// Lets the processes work on a session together, once all have opened the same.
pub fn share(session: &mut Session, given: &GivenOptions) -> Result<(), Diagnostic> {
    if let Some(network) = agree(given)? {
        session.run.set_network(network);
    }
    Ok(())
}

/// The network of the processes, if there are several and all have read the same files.
pub fn agree(given: &GivenOptions) -> Result<Option<Arc<dyn Network>>, Diagnostic> {
    let Some(cluster) = cluster() else { return Ok(None) };
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    given.of_run().iter().for_each(|word| hash.update(format!("{}:{word}", word.len())));
    packed::noted().iter().for_each(|file| hash.update(&file.sha256));
    cluster.agree(hash.finalize().into())?;
    Ok(Some(cluster.network()))
}

/// Whether this process answers: it leads the others, or there are none.
///
/// # Errors
/// The others have read other files.
pub fn leads(given: &GivenOptions) -> Result<bool, Diagnostic> {
    agree(given)?;
    Ok(!is_follower())
}

/// Leaves the other processes at the end of the program.
pub fn leave(interrupted: bool) {
    if IS_LOST.load(Ordering::Relaxed) {
        // The others may wait for this process, and some launchers end them only after a signal.
        std::thread::sleep(TIME_TO_SPEAK);
        std::process::abort();
    }
    match cluster() {
        Some(cluster) if interrupted => cluster.abort("interrupted"),
        Some(cluster) => cluster.close(),
        None => {}
    }
}
