//! The state of an open device: its context, its queues, and its memory in use.

use super::code_name;
use super::facts::Facts;
use super::handles::{Context, DeviceId, Queue};
use crate::live::Live;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use volvelle_runtime::Error;

/// The state that memory and kernels of an open device share.
#[derive(Debug)]
pub(super) struct Opened {
    /// `opencl:0`.
    pub(super) name: String,
    pub(super) device: DeviceId,
    pub(super) facts: Facts,
    pub(super) live: Live,
    /// Bytes of memory given out.
    pub(super) used: AtomicU64,
    /// Free queues.
    queues: Mutex<Vec<Queue>>,
    /// Goes last, as everywhere: fields are dropped in their order.
    pub(super) context: Context,
}

impl Opened {
    pub(super) fn new(name: String, device: DeviceId, facts: Facts, context: Context, live: Live) -> Self {
        Opened { name, device, facts, live, used: AtomicU64::new(0), queues: Mutex::default(), context }
    }

    /// Lends an idle queue to `work`, which must leave it idle unless it fails.
    ///
    /// # Errors
    /// Those of `work`, and `on_error` if there is no queue.
    pub(super) fn with_queue<T>(
        &self,
        on_error: impl Fn(String) -> Error,
        work: impl FnOnce(&Queue) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let free = self.queues.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let queue = match free {
            Some(queue) => queue,
            None => Queue::new(&self.context, self.device, &self.live)
                .map_err(|code| on_error(code_name(code)))?,
        };
        match work(&queue) {
            Ok(value) => {
                self.queues.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
                Ok(value)
            }
            Err(error) => {
                // Commands of the failed work must end before their memory is freed.
                let _ = queue.finish();
                Err(error)
            }
        }
    }
}
