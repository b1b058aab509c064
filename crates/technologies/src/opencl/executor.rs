//! A device in use: its context, queues for whoever needs one, and what is shared by memory and kernels.

use super::code_name;
use super::facts::{Facts, Needs};
use super::find::Found;
use super::handles::{Context, DeviceId, Queue};
use super::launch::{self, ClKernel};
use super::region::ClStorage;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::live::Live;
use crate::text::Text;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::Exit;
use volvelle_runtime::{Command, Error, Executable, Executor, Function, Offer, Storage};
use volvelle_source::{Dialect, Jumps};

/// What memory and kernels of an open device have in common.
#[derive(Debug)]
pub(super) struct Opened {
    /// `opencl:0`.
    pub(super) name: String,
    pub(super) device: DeviceId,
    pub(super) facts: Facts,
    pub(super) live: Live,
    /// Bytes of memory given out.
    pub(super) used: AtomicU64,
    /// Queues that nobody uses now.
    queues: Mutex<Vec<Queue>>,
    /// Goes last, as everywhere: fields are dropped in their order.
    pub(super) context: Context,
}

impl Opened {
    /// Lends a queue in which nothing is under way. It must come back that way, unless what is done with it fails.
    ///
    /// # Errors
    /// Those of the work, and `on_error` where there is no queue.
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
                // Nothing that the failed work put there may go on when its memory is given back.
                let _ = queue.finish();
                Err(error)
            }
        }
    }
}

/// An open device.
pub(super) struct ClExecutor {
    opened: Arc<Opened>,
    offer: Offer,
    cache: Cache,
}

impl ClExecutor {
    pub(super) fn open(found: Found, number: usize, cache: &Cache, live: &Live) -> Result<Self, Error> {
        let Found { id, offer, facts } = found;
        let name = format!("opencl:{number}");
        let context = Context::new(id, live)
            .map_err(|code| Error::Unavailable(format!("{name} does not answer: {}", code_name(code))))?;
        let opened = Opened {
            name,
            device: id,
            facts,
            context,
            live: live.clone(),
            used: AtomicU64::new(0),
            queues: Mutex::default(),
        };
        Ok(ClExecutor { opened: Arc::new(opened), offer, cache: cache.clone() })
    }
}

impl Executor for ClExecutor {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn lanes(&self) -> u64 {
        let units = u64::from(self.opened.facts.units.max(1));
        // Processors run work items one after the other, in groups of 32 that threads take, the last ones singly; others hide
        // the latency of memory behind as many work items as they can hold, which is up to 2048 for each unit.
        if self.opened.facts.is_cpu { units * 512 } else { units * 2048 }
    }

    fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(ClStorage::new(self.opened.clone()))
    }

    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error> {
        let signature = Signature::of(function)?;
        let jumps = if self.opened.facts.is_cpu { Jumps::Labels } else { Jumps::Numbers };
        let text = Text::of(function, &signature, "opencl", Dialect::OpenCl, jumps)?;
        let printed_from = function.ir.as_ref().filter(|_| !function.texts.contains_key("opencl"));
        self.opened.facts.allow(Needs::of(&text, printed_from))?;
        Ok(Arc::new(ClKernel::build(&self.opened, &self.cache, signature, text)?))
    }

    fn run_in_order(&self, commands: &[Command<'_>]) -> Result<Exit, Error> {
        launch::run_in_order(&self.opened, commands)
    }
}
