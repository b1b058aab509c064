//! Which devices do the work, and which there are.

mod machine;

pub use machine::{DeviceListing, Machine, Service};

use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_runtime::{Deferred, Error, Executor};

/// Devices that do the work, and whether threads work as well.
#[derive(Clone, Default)]
pub struct Devices {
    members: Vec<Arc<Member>>,
    /// Whether threads work only where devices fail.
    without_threads: bool,
    /// Whether it is all done by the reference interpreter.
    interpreted: bool,
}

/// Opens one of several devices.
type Choice = dyn Fn(usize) -> Result<Arc<dyn Executor>, Error> + Send + Sync;

/// One of the devices.
pub(crate) struct Member {
    device: Deferred,
    /// Whether somebody named it. Others are used where that pays.
    pub is_asked: bool,
}

impl Member {
    /// The device, open.
    pub fn executor(&self) -> Result<&Arc<dyn Executor>, Error> {
        self.device.executor()
    }
}

impl Devices {
    /// These, and no others; with threads if they are wanted.
    pub fn asked(executors: Vec<Arc<dyn Executor>>, threads: bool) -> Self {
        let without_threads = !threads && !executors.is_empty();
        let member =
            |executor: Arc<dyn Executor>| Arc::new(Member { device: executor.into(), is_asked: true });
        let members = executors.into_iter().map(member).collect();
        Devices { members, without_threads, interpreted: false }
    }

    /// The reference interpreter.
    pub fn interpreter() -> Self {
        Devices { interpreted: true, ..Devices::default() }
    }

    /// Threads, and so many devices where that pays; `open` opens one by its number.
    fn where_they_pay(count: usize, open: Arc<Choice>) -> Self {
        let member = |number| {
            let open = Arc::clone(&open);
            Arc::new(Member { device: Deferred::new(move || open(number)), is_asked: false })
        };
        Devices { members: (0..count).map(member).collect(), ..Devices::default() }
    }

    pub(crate) fn members(&self) -> &[Arc<Member>] {
        &self.members
    }

    /// Whether threads work only where devices fail.
    pub(crate) fn are_without_threads(&self) -> bool {
        self.without_threads
    }

    /// Whether it is all done by the reference interpreter.
    pub(crate) fn are_interpreted(&self) -> bool {
        self.interpreted
    }
}

/// A device that failed, or cannot do what it was asked for: what it did not do, and who did.
pub(crate) fn complaint(name: &str, left: &str, instead: &str, error: &Error) -> Diagnostic {
    Diagnostic::warning(codes::DEVICE_FAILED, format!("{name} {left}: {error}"))
        .note(format!("{instead}; the results are the same"))
        .help("`volvelle devices` lists the devices and what they can do")
}
