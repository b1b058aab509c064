//! Executors: a device in use, as the runtime sees it.

use super::find::{ListedDevice, Ready};
use super::handles::Context;
use super::launch::{self, CudaKernel};
use super::opened::Opened;
use super::region::CudaStorage;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::live::Live;
use crate::text::Text;
use std::sync::Arc;
use volvelle_kernel::Exit;
use volvelle_runtime::{Command, Error, Executable, Executor, Function, Offer, Storage};
use volvelle_source::{Dialect, Jumps};

/// An open device.
pub(super) struct CudaExecutor {
    opened: Arc<Opened>,
    cache: Cache,
}

impl CudaExecutor {
    pub(super) fn open(
        ready: &Ready,
        found: ListedDevice,
        number: usize,
        cache: &Cache,
        live: &Live,
    ) -> Result<Self, Error> {
        let name = format!("cuda:{number}");
        let context = Context::new(ready.driver, found.number, live).map_err(|code| {
            Error::Unavailable(format!("{name} does not answer: {}", ready.driver.name(code)))
        })?;
        let opened = Opened::new(name, *ready, found, context);
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
