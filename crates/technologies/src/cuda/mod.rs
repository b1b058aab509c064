//! CUDA: devices of NVIDIA, used through its driver and compiler libraries.
//!
//! In: functions with a text in CUDA C++, or kernels of the IR, which `volvelle-source` prints. Out:
//! executors. The driver (`libcuda`) and the compiler (`libnvrtc`, versions 11.2 to 13) are opened with the
//! first request for devices. Follows the *CUDA Driver API* and *NVRTC* manuals; only functions that exist in
//! all versions from 11.2 to 13 are used.

mod compiler;
mod executor;
mod find;
mod handles;
mod launch;
mod library;
mod opened;
mod region;

use crate::cache::Cache;
use crate::live::{Alive, Live};
pub use compiler::{Compiled, Nvrtc, compile};
use executor::CudaExecutor;
use find::Ready;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use volvelle_runtime::{Error, Executor, Offer, Technology};

/// The technology `cuda`.
#[derive(Debug, Default)]
pub struct Cuda {
    folder: Option<PathBuf>,
    cache: Cache,
    live: Live,
    ready: OnceLock<Result<Ready, Error>>,
}

impl Cuda {
    /// Creates the technology, with a cache of built kernels and an optional folder in which libraries are
    /// looked for first.
    pub fn new(cache: Cache, folder: Option<PathBuf>) -> Self {
        Cuda { folder, cache, ..Cuda::default() }
    }

    /// The driver's objects that its executors hold now.
    pub fn alive(&self) -> Alive {
        self.live.alive()
    }

    /// Driver and compiler, opened by the first call.
    fn ready(&self) -> Result<&Ready, Error> {
        let ready = self.ready.get_or_init(|| Ready::new(self.folder.as_deref()));
        ready.as_ref().map_err(Error::clone)
    }
}

impl Technology for Cuda {
    fn name(&self) -> &str {
        "cuda"
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        Ok(self.ready()?.devices()?.into_iter().map(|found| found.offer).collect())
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        let ready = self.ready()?;
        let mut devices = ready.devices()?;
        if number >= devices.len() {
            let count = devices.len();
            return Err(Error::Unavailable(format!(
                "there is no device cuda:{number}, only {count} of them"
            )));
        }
        let found = devices.swap_remove(number);
        Ok(Arc::new(CudaExecutor::open(ready, found, number, &self.cache, &self.live)?))
    }
}
