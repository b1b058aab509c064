//! The devices selected for an analysis.

use crate::deferred::Deferred;
use crate::error::Error;
use crate::technology::Executor;
use std::sync::Arc;

/// The devices of an analysis, and whether the threads of the host take part.
#[derive(Clone, Default)]
pub struct Devices {
    members: Vec<Arc<SelectedDevice>>,
    /// Whether threads work only after devices fail.
    without_threads: bool,
    /// Whether the reference interpreter does all the work.
    interpreted: bool,
}

/// Opens a device by its number.
pub type Opener = dyn Fn(usize) -> Result<Arc<dyn Executor>, Error> + Send + Sync;

/// One of the devices.
pub struct SelectedDevice {
    device: Deferred,
    /// Whether the user named it. Other devices are used only if they save time.
    pub is_requested: bool,
}

impl SelectedDevice {
    /// The device, opened on the first call.
    ///
    /// # Errors
    /// It could not be opened.
    pub fn executor(&self) -> Result<&Arc<dyn Executor>, Error> {
        self.device.executor()
    }
}

impl Devices {
    /// Exactly these devices. `threads`: the threads of the host take part.
    pub fn asked(executors: Vec<Arc<dyn Executor>>, threads: bool) -> Self {
        let without_threads = !threads && !executors.is_empty();
        let member = |executor: Arc<dyn Executor>| {
            Arc::new(SelectedDevice { device: executor.into(), is_requested: true })
        };
        let members = executors.into_iter().map(member).collect();
        Devices { members, without_threads, interpreted: false }
    }

    /// The reference interpreter alone.
    pub fn interpreter() -> Self {
        Devices { interpreted: true, ..Devices::default() }
    }

    /// Threads, and up to `count` devices if they save time; `open` opens one by its number.
    pub fn where_they_pay(count: usize, open: Arc<Opener>) -> Self {
        let member = |number| {
            let open = Arc::clone(&open);
            Arc::new(SelectedDevice { device: Deferred::new(move || open(number)), is_requested: false })
        };
        Devices { members: (0..count).map(member).collect(), ..Devices::default() }
    }

    /// The devices, in the order in which the user named them.
    pub fn members(&self) -> &[Arc<SelectedDevice>] {
        &self.members
    }

    /// Whether threads work only after devices fail.
    pub fn are_without_threads(&self) -> bool {
        self.without_threads
    }

    /// Whether the reference interpreter does all the work.
    pub fn are_interpreted(&self) -> bool {
        self.interpreted
    }
}
