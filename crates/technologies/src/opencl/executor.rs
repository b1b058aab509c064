//! Executors: a device in use, as the runtime sees it.

use super::code_name;
use super::facts::Needs;
use super::find::ListedDevice;
use super::handles::Context;
use super::launch::{self, ClKernel};
use super::opened::Opened;
use super::region::ClStorage;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::live::Live;
use crate::text::Text;
use std::sync::Arc;
use volvelle_kernel::Exit;
use volvelle_runtime::{Command, Error, Executable, Executor, Function, Offer, Storage};
use volvelle_source::{Dialect, Jumps};

/// An open device.
pub(super) struct ClExecutor {
    opened: Arc<Opened>,
    offer: Offer,
    cache: Cache,
}

impl ClExecutor {
    pub(super) fn open(
        found: ListedDevice,
        number: usize,
        cache: &Cache,
        live: &Live,
    ) -> Result<Self, Error> {
        let ListedDevice { id, offer, facts } = found;
        let name = format!("opencl:{number}");
        let context = Context::new(id, live)
            .map_err(|code| Error::Unavailable(format!("{name} does not answer: {}", code_name(code))))?;
        let opened = Opened::new(name, id, facts, context, live.clone());
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
        // Processors run work items one after the other; threads take groups of 32, at the end singly. Other
        // devices hide the latency of memory by many work items, up to 2048 for each unit.
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
