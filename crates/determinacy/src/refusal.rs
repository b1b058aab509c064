//! Why there is no certificate.

use volvelle_kernel::Site;
use volvelle_model::{FieldId, Origin};

/// The reason why schedules are not certified to agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The program contains something that is not analysed.
    Unsupported {
        /// A description of it.
        what: &'static str,
        /// Its place in the program.
        origin: Option<Origin>,
    },
    /// Two processes access a variable, and the schedule decides the order.
    Race {
        /// The variable.
        field: FieldId,
        /// A step that uses it.
        origin: Origin,
    },
    /// Under another schedule, a process may move differently, or at another time.
    Waiting {
        /// What it waits for.
        origin: Origin,
    },
    /// The partner of a message makes a difference.
    Partner {
        /// A send or receive.
        origin: Origin,
    },
    /// The values or the knowledge in a loop do not become regular.
    Irregular,
    /// The run fails at a site.
    Failure(Site),
    /// A limit of steps or choices is exceeded.
    Limit,
    /// No certificate was sought, since it could not complete a proof (another run has none, or a later
    /// attempt follows).
    Pointless,
}
