//! Kernels as the runtime sees them.

use super::entry::Entry;
use super::executor::Opened;
use super::shifted;
use crate::arguments::Signature;
use crate::cache::Cache;
use crate::text::Text;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::Exit;
use volvelle_runtime::{Built, Error, Executable, Launch};

/// A kernel built for an open device.
pub(super) struct ClKernel {
    cache: Cache,
    text: Text,
    built: Built,
    plain: Entry,
    /// The same for buffers that start within their regions, made when it is wanted.
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
        let starts_at_once = launch.buffers.iter().all(|lent| lent.offset == 0);
        if starts_at_once { self.plain.launch(launch) } else { self.shifted()?.launch(launch) }
    }
}
