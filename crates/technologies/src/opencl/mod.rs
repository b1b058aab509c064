//! OpenCL: every device with a driver, found by the OpenCL loader.
//!
//! In: functions with a text in OpenCL C, or kernels of the IR, which `volvelle-source` prints. Out:
//! executors. The loader (`libOpenCL.so.1`) is opened with the first request for devices. Follows *The OpenCL
//! Specification* 1.2, which all drivers implement; nothing of later versions is needed.

mod build;
mod code;
mod entry;
mod executor;
mod facts;
mod find;
mod handles;
mod launch;
mod opened;
mod region;
mod shifted;
mod workbench;

use code::code_name;

use crate::cache::Cache;
use crate::live::{Alive, Live};
use executor::ClExecutor;
use std::sync::Arc;
use volvelle_runtime::{Error, Executor, Offer, Technology};

pub use workbench::{Argument, Buffer, Built, DeviceFacts, Refusal, Workbench};

/// The technology `opencl`.
#[derive(Clone, Debug, Default)]
pub struct OpenCl {
    cache: Cache,
    live: Live,
}

impl OpenCl {
    /// With a place for built kernels.
    pub fn new(cache: Cache) -> Self {
        OpenCl { cache, live: Live::default() }
    }

    /// The library's objects that its executors hold now.
    pub fn alive(&self) -> Alive {
        self.live.alive()
    }
}

impl Technology for OpenCl {
    fn name(&self) -> &str {
        "opencl"
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        Ok(find::devices()?.into_iter().map(|found| found.offer).collect())
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        let mut devices = find::devices()?;
        if number >= devices.len() {
            let count = devices.len();
            return Err(Error::Unavailable(format!(
                "there is no device opencl:{number}, only {count} of them"
            )));
        }
        let executor = ClExecutor::open(devices.swap_remove(number), number, &self.cache, &self.live)?;
        Ok(Arc::new(executor))
    }
}
