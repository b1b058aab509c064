//! Allocation of a device's share of a content: a region in its own storage or, after it failed, in the
//! storage of the device that took over.

use crate::context::Context;
use crate::error::Error;
use crate::storage::Region;
use std::sync::Arc;

/// The region of a device's share of a content.
pub(super) struct Placement {
    /// The device whose storage holds it.
    pub place: usize,
    pub region: Arc<dyn Region>,
}

impl Placement {
    /// Allocates `bytes` zero bytes on the device that does the work of `device`.
    pub fn new(context: &Context, device: usize, bytes: usize) -> Result<Self, Error> {
        let place = context.acting(device);
        let region = context.devices()[place].storage().allocate(bytes)?;
        Ok(Placement { place, region: Arc::from(region) })
    }

    /// Whether the region is on the device that does the work now.
    pub fn is_current(&self, context: &Context, device: usize) -> bool {
        self.place == context.acting(device)
    }
}
