//! Counts of living objects of a device library, for tests of leaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Kinds of objects of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
}

/// Numbers of living objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alive {
    /// Contexts: one for each open executor.
    pub contexts: usize,
    /// Command queues or streams.
    pub queues: usize,
    /// Pieces of device memory.
    pub memory: usize,
    /// Programs or modules.
    pub programs: usize,
    /// Kernel objects.
    pub kernels: usize,
}

/// Counters that all objects of a technology share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Arc<[AtomicUsize; 5]>);

impl Live {
    /// Counts one more object, as long as the result is kept.
    pub(crate) fn count(&self, kind: Kind) -> Counted {
        self.0[kind as usize].fetch_add(1, Ordering::Relaxed);
        Counted { live: self.clone(), kind }
    }

    /// The present numbers.
    pub(crate) fn alive(&self) -> Alive {
        let of = |kind: Kind| self.0[kind as usize].load(Ordering::Relaxed);
        Alive {
            contexts: of(Kind::Context),
            queues: of(Kind::Queue),
            memory: of(Kind::Memory),
            programs: of(Kind::Program),
            kernels: of(Kind::Kernel),
        }
    }
}

/// One that is alive.
#[derive(Debug)]
pub(crate) struct Counted {
    live: Live,
    kind: Kind,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.live.0[self.kind as usize].fetch_sub(1, Ordering::Relaxed);
    }
}
