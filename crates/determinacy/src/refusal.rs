//! Why there is no certificate.

use volvelle_kernel::Site;
use volvelle_model::{FieldId, Origin};

/// Why the schedules of a run are not known to agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The program has something that is not analysed.
    Unsupported {
        /// What it is.
        what: &'static str,
        /// Where.
        origin: Option<Origin>,
    },
    /// Two processes use a variable, and the schedule decides who comes first.
    Race {
        /// The variable.
        field: FieldId,
        /// A step that uses it.
        origin: Origin,
    },
    /// A process may go on in another way, or at another time, under another schedule.
    Waiting {
        /// What it waits for.
        origin: Origin,
    },
    /// Which process a message comes from, or goes to, makes a difference.
    Partner {
        /// A send or receive.
        origin: Origin,
    },
    /// A loop does not become regular.
    Irregular,
    /// The run fails at a site.
    Failure(Site),
    /// More steps or choices than the limit.
    Limit,
    /// Another run has no certificate either.
    Pointless,
}
