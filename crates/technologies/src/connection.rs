//! The network that a configuration selects.

use crate::mpi::{Launcher, Mpi, Settings, guarded};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_runtime::configuration::Configuration;
use volvelle_runtime::network::Single;
use volvelle_runtime::{Error, Network};

/// The network of a program, open until this value is dropped.
pub enum Connection {
    /// The process has no others.
    Single,
    /// The processes of a launcher.
    Mpi(Mpi),
}

/// The names that configurations may use.
const NAMES: [&str; 2] = ["single", "mpi"];

impl Connection {
    /// Opens the network of a configuration. The default is `mpi` if a launcher started several processes (or
    /// may have: some do not say how many), otherwise `single`.
    ///
    /// # Errors
    /// There is no network of this name, or it cannot be opened: with its place in the configuration.
    pub fn open(
        configuration: &Configuration,
        launcher: &Launcher,
        settings: Settings,
    ) -> Result<Self, Diagnostic> {
        let automatic = if launcher.has_several() { "mpi" } else { "single" };
        let asked = configuration.network.as_ref();
        let name = asked.map_or(automatic, |asked| asked.it.as_str());
        let at = |diagnostic: Diagnostic| match asked {
            Some(asked) => diagnostic.at(asked.span, ""),
            None => diagnostic,
        };
        match NAMES.into_iter().find(|known| name.eq_ignore_ascii_case(known)) {
            Some("single") => Ok(Connection::Single),
            Some(_) => Mpi::open(launcher, settings).map(Connection::Mpi).map_err(|error| {
                let diagnostic = at(Diagnostic::error(codes::NO_TECHNOLOGY, error.to_string()));
                diagnostic.help("`network = \"single\"` runs the program on one process")
            }),
            None => {
                let message = format!("there is no network `{name}`");
                let all = || format!("there are `{}`", NAMES.join("`, `"));
                Err(at(Diagnostic::error(codes::UNKNOWN_TECHNOLOGY, message)).misspelt_or(name, NAMES, all))
            }
        }
    }

    /// The network.
    pub fn network(&self) -> Arc<dyn Network> {
        match self {
            Connection::Single => Arc::new(Single),
            Connection::Mpi(mpi) => mpi.network(),
        }
    }

    /// Runs a program on the network, and closes it. An error or a panic of one rank ends all of them and is
    /// reported with the rank. In a single process, its error is returned.
    ///
    /// # Errors
    /// The network cannot be closed, or the program failed.
    ///
    /// # Panics
    /// If the program panics in a single process.
    pub fn run<T, E: From<Error> + std::fmt::Display>(
        self,
        program: impl FnOnce(Arc<dyn Network>) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Connection::Single => program(Arc::new(Single)),
            Connection::Mpi(mpi) => guarded(&mpi, program),
        }
    }
}
