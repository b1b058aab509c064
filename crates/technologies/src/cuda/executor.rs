//! A device in use: its context, streams for whoever needs one, and what is shared by memory and kernels.

use super::find::{Found, Ready};
use super::handles::{Context, Status, Stream};
use super::launch::{self, CudaKernel};
use super::region::CudaStorage;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::live::Live;
use crate::text::Text;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::Exit;
use volvelle_runtime::{Command, Error, Executable, Executor, Function, Offer, Storage};
use volvelle_source::{Dialect, Jumps};

/// What memory and kernels of an open device have in common.
#[derive(Debug)]
pub(super) struct Opened {
    /// `cuda:0`.
    pub(super) name: String,
    pub(super) ready: Ready,
    pub(super) found: Found,
    pub(super) context: Arc<Context>,
    /// Streams that nobody uses now.
    streams: Mutex<Vec<Stream>>,
}

impl Opened {
    /// Lends a stream in which nothing is under way. It must come back that way, unless what is done with it fails.
    ///
    /// # Errors
    /// Those of the work, or there is no stream.
    pub(super) fn with_stream<T>(
        &self,
        work: impl FnOnce(&Stream) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let free = self.streams.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let stream = match free {
            Some(stream) => stream,
            None => Stream::new(&self.context)?,
        };
        let done = work(&stream);
        match done {
            Ok(_) => self.streams.lock().unwrap_or_else(PoisonError::into_inner).push(stream),
            // Nothing that the failed work put there may go on when its memory is given back.
            Err(_) => drop(stream.wait()),
        }
        done
    }

    /// A code with the name of the device.
    pub(super) fn says(&self, code: Status) -> String {
        format!("{}: {}", self.name, self.context.driver.name(code))
    }
}

/// An open device.
pub(super) struct CudaExecutor {
    opened: Arc<Opened>,
    cache: Cache,
}

impl CudaExecutor {
    pub(super) fn open(
        ready: &Ready,
        found: Found,
        number: usize,
        cache: &Cache,
        live: &Live,
    ) -> Result<Self, Error> {
        let name = format!("cuda:{number}");
        let context = Context::new(ready.driver, found.number, live).map_err(|code| {
            Error::Unavailable(format!("{name} does not answer: {}", ready.driver.name(code)))
        })?;
        let opened =
            Opened { name, ready: *ready, found, context: Arc::new(context), streams: Mutex::default() };
        Ok(CudaExecutor { opened: Arc::new(opened), cache: cache.clone() })
    }
}

impl Executor for CudaExecutor {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn offer(&self) -> &Offer {
        &self.opened.found.offer
    }

    fn lanes(&self) -> u64 {
        self.opened.found.threads
    }

    fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(CudaStorage::new(self.opened.clone()))
    }

    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error> {
        let signature = Signature::of(function)?;
        let text = Text::of(function, &signature, "cuda", Dialect::Cuda, Jumps::Numbers)?;
        Ok(Arc::new(CudaKernel::build(&self.opened, &self.cache, signature, &text)?))
    }

    fn run_in_order(&self, commands: &[Command<'_>]) -> Result<Exit, Error> {
        launch::run_in_order(&self.opened, commands)
    }
}
