//! Kernels as the runtime sees them.

use super::entry::{self, Entry};
use super::opened::Opened;
use super::shifted;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::text::Text;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::Exit;
use volvelle_runtime::{Built, Command, Error, Executable, Launch, in_turn};

/// A kernel built for an open device.
pub(super) struct ClKernel {
    cache: Cache,
    text: Text,
    built: Built,
    plain: Entry,
    /// The variant for buffers that start within their regions, built on demand.
    shifted: Mutex<Option<Arc<Entry>>>,
}

impl ClKernel {
    /// Builds a text with the kernel of a signature.
    pub(super) fn build(
        opened: &Arc<Opened>,
        cache: &Cache,
        signature: Signature,
        text: Text,
    ) -> Result<Self, Error> {
        let (plain, built) =
            Entry::build(opened, cache, Arc::new(signature), &text.entry, false, &text.text)?;
        Ok(ClKernel { cache: cache.clone(), text, built, plain, shifted: Mutex::default() })
    }

    /// The entry for buffers that start within their regions.
    fn shifted(&self) -> Result<Arc<Entry>, Error> {
        let mut shifted = self.shifted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = &*shifted {
            return Ok(entry.clone());
        }
        let Entry { opened, signature, .. } = &self.plain;
        let name = shifted::name(&self.text.entry);
        let text = shifted::text(signature, &self.text);
        let (entry, _) = Entry::build(opened, &self.cache, signature.clone(), &name, true, &text)?;
        Ok(shifted.insert(Arc::new(entry)).clone())
    }
}

impl Executable for ClKernel {
    fn built(&self) -> &Built {
        &self.built
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error> {
        self.plain.signature.check(launch);
        if launch.lanes.is_empty() {
            return Ok(Exit::Done);
        }
        if starts_at_once(launch) {
            return entry::run_in_order(&self.plain.opened, &[(&self.plain, launch)]);
        }
        let shifted = self.shifted()?;
        entry::run_in_order(&shifted.opened, &[(&shifted, launch)])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether all buffers start at the beginning of their regions.
fn starts_at_once(launch: &Launch<'_>) -> bool {
    launch.buffers.iter().all(|lent| lent.offset == 0)
}

/// Runs kernels of a device one after the other, in one queue.
pub(super) fn run_in_order(opened: &Opened, commands: &[Command<'_>]) -> Result<Exit, Error> {
    fn plain<'c>(command: &'c Command<'_>) -> Option<(&'c Entry, &'c Launch<'c>)> {
        let kernel: &ClKernel = command.code.as_any().downcast_ref()?;
        starts_at_once(&command.launch).then_some((&kernel.plain, &command.launch))
    }
    // A launch with offsets of buffers uses its own variant, which may have to be built first.
    let Some(launches) = commands.iter().map(plain).collect::<Option<Vec<_>>>() else {
        return in_turn(commands);
    };
    for (entry, launch) in &launches {
        entry.signature.check(launch);
    }
    entry::run_in_order(opened, &launches)
}
