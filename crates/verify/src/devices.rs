//! Which devices paths are run on.

use std::sync::Arc;
use volvelle_runtime::Executor;

/// Devices, opened, and whether threads work as well.
#[derive(Clone, Default)]
pub struct Devices {
    /// In the order in which they were named.
    pub(crate) executors: Vec<Arc<dyn Executor>>,
    /// Whether paths are run on threads only where devices fail or are slow to tell.
    pub(crate) without_threads: bool,
    /// Whether nobody asked for them: they are used where that pays.
    pub(crate) unasked: bool,
}

impl Devices {
    /// These, and no others; with threads if they are wanted.
    pub fn asked(executors: Vec<Arc<dyn Executor>>, threads: bool) -> Self {
        let without_threads = !threads && !executors.is_empty();
        Devices { executors, without_threads, unasked: false }
    }

    /// Threads, and these where that pays.
    pub fn where_they_pay(executors: Vec<Arc<dyn Executor>>) -> Self {
        Devices { executors, without_threads: false, unasked: true }
    }

    /// Whether there are none besides threads.
    pub fn is_empty(&self) -> bool {
        self.executors.is_empty()
    }
}
