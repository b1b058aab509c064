//! Replicas: data from the host that every device holds and no device owns. Kernels read them.

use super::placement::Placement;
use super::{Content, Element, Layout, to_bytes};
use crate::context::Context;
use crate::error::Error;
use crate::storage::Region;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// Values that the host copies to all devices; their number may change.
pub struct Replica {
    context: Arc<Context>,
    layout: Layout,
    data: RwLock<Data>,
}

struct Data {
    elements: u64,
    /// May have unused capacity.
    placements: Vec<Placement>,
}

impl Replica {
    /// An empty replica.
    ///
    /// # Errors
    /// An allocation failed, or elements have no bytes.
    pub fn new(context: &Arc<Context>, layout: Layout) -> Result<Self, Error> {
        let placements = allocate(context, layout, 0)?;
        Ok(Replica { context: context.clone(), layout, data: RwLock::new(Data { elements: 0, placements }) })
    }

    /// Copies values to all devices of this process. All ranks give the same.
    ///
    /// # Errors
    /// The type does not fit, the values are not whole elements, or an allocation failed.
    pub fn set<E: Element>(&self, values: &[E]) -> Result<(), Error> {
        if E::TYPE != self.layout.ty || !values.len().is_multiple_of(self.layout.width) {
            let count = values.len();
            return Err(Error::Mismatch(format!(
                "{count} values of {} for elements of {}",
                E::TYPE,
                self.layout
            )));
        }
        let bytes = to_bytes(values);
        let elements = (values.len() / self.layout.width) as u64;
        let mut data = self.data.write().unwrap_or_else(PoisonError::into_inner);
        if data.placements.iter().any(|placement| placement.region.bytes() < bytes.len()) {
            // Half as much again, so that slowly growing data do not move each time.
            data.placements = allocate(&self.context, self.layout, elements + elements / 2)?;
        }
        data.elements = 0;
        for (device, placement) in data.placements.iter_mut().enumerate() {
            if !placement.is_current(&self.context, device) {
                *placement = Placement::new(&self.context, device, bytes.len())?;
            }
            placement.region.write(0, &bytes)?;
        }
        data.elements = elements;
        Ok(())
    }
}

fn allocate(context: &Context, layout: Layout, elements: u64) -> Result<Vec<Placement>, Error> {
    let bytes = layout.bytes_of(elements)?;
    (0..context.devices().len()).map(|device| Placement::new(context, device, bytes)).collect()
}

impl Content for Replica {
    fn kind(&self) -> &str {
        "Replica"
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn elements(&self) -> u64 {
        self.data.read().unwrap_or_else(PoisonError::into_inner).elements
    }

    fn held(&self, _: usize) -> Range<u64> {
        0..self.elements()
    }

    fn owned(&self, _: usize) -> Range<u64> {
        0..0
    }

    fn is_split(&self) -> bool {
        false
    }

    fn region(&self, device: usize) -> Arc<dyn Region> {
        self.data.read().unwrap_or_else(PoisonError::into_inner).placements[device].region.clone()
    }

    fn place(&self, device: usize) -> usize {
        self.data.read().unwrap_or_else(PoisonError::into_inner).placements[device].place
    }

    fn settle(&self, device: usize, place: usize, region: Arc<dyn Region>) -> Result<(), Error> {
        let mut data = self.data.write().unwrap_or_else(PoisonError::into_inner);
        data.placements[device] = Placement { place, region };
        Ok(())
    }

    fn is_replicated(&self) -> bool {
        true
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
