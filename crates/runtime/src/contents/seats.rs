//! Where each device has what it has of a content: a region in its own storage, or in that of the device that does its work
//! since it failed.

use crate::context::Context;
use crate::error::Error;
use crate::storage::Region;
use std::sync::Arc;

/// What a device has of a content.
pub(super) struct Seat {
    /// The device in whose storage it is.
    pub place: usize,
    pub region: Arc<dyn Region>,
}

impl Seat {
    /// So many zero bytes for a device, where its work is done.
    pub fn new(context: &Context, device: usize, bytes: usize) -> Result<Self, Error> {
        let place = context.acting(device);
        let region = context.devices()[place].storage().allocate(bytes)?;
        Ok(Seat { place, region: Arc::from(region) })
    }

    /// Whether it is where the work of a device is done.
    pub fn is_right(&self, context: &Context, device: usize) -> bool {
        self.place == context.acting(device)
    }
}
