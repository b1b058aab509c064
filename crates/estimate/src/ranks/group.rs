//! The processes that run paths together.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use volvelle_runtime::{Error, Network};

/// The processes that work together.
pub struct Ranks {
    pub(super) network: Arc<dyn Network>,
    /// Whether the leader needs nothing more from the others.
    pub(super) ended: AtomicBool,
    /// Lost ranks, with the error unless it was reported already.
    pub(super) lost: Mutex<BTreeMap<usize, Option<Error>>>,
}
