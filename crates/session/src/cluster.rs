//! The processes of a launcher of MPI, which work on a run together.

use crate::devices;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::Ranks;
use volvelle_runtime::Network;
use volvelle_technologies::mpi::{Launcher, Mpi, Settings};

/// The processes that work together, one of which is this one.
pub struct Cluster {
    mpi: Mpi,
}

impl Cluster {
    /// Opens MPI if a launcher started several processes; `ask` gives variables of the environment.
    ///
    /// # Errors
    /// The launcher started several processes, and its library does not work.
    pub fn of(ask: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Diagnostic> {
        let launcher = Launcher::of(ask);
        if !launcher.has_several() {
            return Ok(None);
        }
        match Mpi::open(&launcher, Settings::default()) {
            Ok(mpi) => Ok((mpi.network().size() > 1).then_some(Cluster { mpi })),
            // Something that looks like a launcher, and does not say that there are several processes.
            Err(_) if launcher.size().is_none() => Ok(None),
            Err(error) => {
                let message = "the processes that were started together cannot work together";
                Err(Diagnostic::error(codes::NO_NETWORK, message)
                    .note(error.to_string())
                    .help("start one process, or make the library of the launcher's MPI known to the system")
                    .help("the variable VOLVELLE_MPI_LIBRARY names a library by its path"))
            }
        }
    }

    /// The network of the processes.
    pub fn network(&self) -> Arc<dyn Network> {
        self.mpi.network()
    }

    /// Whether this process leads: it has the results, and shows them.
    pub fn leads(&self) -> bool {
        self.mpi.network().rank() == 0
    }

    /// Whether all processes are about to do the same: `digest` stands for what this one does.
    ///
    /// # Errors
    /// Some do something else, or have given up.
    pub fn agree(&self, digest: [u8; 32]) -> Result<(), Diagnostic> {
        let network = self.mpi.network();
        let size = network.size();
        let mut all = vec![0; 32 * size];
        all[32 * network.rank()..][..32].copy_from_slice(&digest);
        network.all_gather(&vec![32; size], &mut all).map_err(|error| {
            Diagnostic::error(codes::RANK_LOST, "not all processes take part in the run")
                .note(error.to_string())
                .help("all of them need the same files under the same paths, and the same version of the program")
        })?;
        let digests: Vec<&[u8]> = all.chunks(32).collect();
        let different: Vec<String> =
            (1..size).filter(|&rank| digests[rank] != digests[0]).map(|rank| rank.to_string()).collect();
        if different.is_empty() {
            return Ok(());
        }
        let message = "not all processes have the same model, options and version";
        Err(Diagnostic::error(codes::RANKS_DIFFER, message)
            .note(format!("rank 0 differs from: {}", different.join(", ")))
            .help("give all of them the same files under the same paths, and the same program"))
    }

    /// Waits for all processes, and closes the network.
    pub fn close(&self) {
        if let Err(error) = self.mpi.close() {
            self.mpi.network().abort(&error.to_string());
        }
    }

    /// Ends all processes at once.
    pub fn abort(&self, why: &str) {
        self.mpi.network().abort(why);
    }
}

/// Remarks about processes that are gone, whose tasks others have done.
pub fn lost(ranks: &Ranks, tasks: &str) -> Vec<Diagnostic> {
    let left = format!("stopped computing {tasks}");
    let instead = format!("other processes computed its {tasks}");
    let lost = ranks.take_lost();
    lost.iter().map(|(rank, error)| devices::complaint(rank, &left, &instead, error)).collect()
}
