//! Studies: a program on a machine, with what is varied and what is asked. A study is a TOML file.
//!
//! | key | meaning |
//! |---|---|
//! | `program`, `protocol` | files, or the name of a protocol that is shipped |
//! | `[parameters]` | names with a value, or several to sweep; `{name}` in any text stands for the value; a constant of the program with that name gets it |
//! | `[topology]` | `shape = [2, 2, 2]`: modules of nodes of processors; or `places` and a matrix of `distances` |
//! | `[processes]` | the place of each process, or `"*"` for the others |
//! | `[homes]` | homes of variables, where they are not as the program says |
//! | `[latencies]` | mean time of each transfer by distance, and the shape of its distribution |
//! | `[contention]` | mean service times of memories and links, which transfers share |
//! | `access` | whether an access is atomic, or changes caches in its middle |
//! | `[measure]` | the mark at which a round begins, and how many messages a round has |
//!
//! [`Outline::read`] reads what is needed to find files and configurations; [`Settings::read`] reads all of it for one configuration.

mod build;
mod form;
mod outline;
mod settings;
mod sweep;
mod template;
mod topology;

pub use build::machine;
pub use form::STUDY;
pub use outline::{Outline, Parameter};
pub use settings::{Contention, HomeOf, Latency, Measure, PlaceOf, Settings};
pub use sweep::{Configuration, configurations};
pub use topology::Topology;

use volvelle_declarations::{Codes, Reader};
use volvelle_diagnostics::{FileId, codes};

const CODES: Codes = Codes { syntax: codes::MPI_STUDY, key: codes::MPI_KEY, value: codes::MPI_VALUE };

/// What a study looks like, for those who begin one.
const HELP: &str =
    "write `program = \"a.mpi\"`, `protocol = \"MESI\"`, and tables `[processes]` and `[latencies]`";

fn reader(file: FileId, text: &str) -> Reader<'_> {
    Reader::new(file, text, CODES)
}
