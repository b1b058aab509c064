//! Control of long work: limits, cancellation, and a receiver of progress.
//!
//! Engines read neither the clock nor the environment. They ask [`Control::check`] now and then and
//! stop cleanly on request; they report through [`Progress`], which the command line draws.

pub mod amounts;
mod barrier;
mod cancel;
mod fact;
mod handle;
mod monitor;
mod progress;
pub mod rounds;
mod stop;
pub mod tasks;

pub use barrier::{Barrier, BarrierGuard};
pub use cancel::Cancel;
pub use fact::{Fact, FactValue};
pub use handle::{Control, Limits, TaskQueue, TaskSharing};
pub use monitor::{Monitor, MonitorGuard};
pub use progress::{Counted, Progress, ProgressEvent, Silent};
pub use stop::Stop;
