//! What all arrays have in common: a region on each device for its elements, with reading and writing.

use super::placement::Placement;
use super::{Element, Layout, Partition, from_bytes, to_bytes};
use crate::context::Context;
use crate::error::Error;
use crate::network::Pending;
use crate::storage::Region;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Elements on the devices of a context.
pub(super) struct Parts {
    pub(super) context: Arc<Context>,
    layout: Layout,
    /// By devices of all ranks.
    pub(super) partition: Partition,
    /// Number of this process' first device among those of all ranks.
    pub(super) first: usize,
    /// The size of the halo on either side of a device's part.
    halo: u64,
    /// For each device of this process.
    placements: RwLock<Vec<Placement>>,
    /// A buffer for all elements in transit, reused since exchanges are frequent; empty while it is in use.
    pub(super) transit: Mutex<Vec<u8>>,
}

impl Parts {
    pub(super) fn new(
        context: &Arc<Context>,
        layout: Layout,
        elements: u64,
        halo: u64,
    ) -> Result<Self, Error> {
        // All must fit into memory, or synchronising would fail later.
        layout.bytes_of(elements)?;
        let (counts, rank) = (context.counts(), context.network().rank());
        let parts = Parts {
            context: context.clone(),
            layout,
            partition: context.partition(elements),
            first: counts[..rank].iter().sum(),
            halo,
            placements: RwLock::default(),
            transit: Mutex::default(),
        };
        let placement = |device: usize| Placement::new(context, device, parts.bytes(&parts.held(device)));
        let placements = (0..context.devices().len()).map(placement).collect::<Result<_, _>>()?;
        Ok(Parts { placements: RwLock::new(placements), ..parts })
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn elements(&self) -> u64 {
        self.partition.elements()
    }

    pub(super) fn region(&self, device: usize) -> Arc<dyn Region> {
        self.placements.read().unwrap_or_else(PoisonError::into_inner)[device].region.clone()
    }

    pub(super) fn place(&self, device: usize) -> usize {
        self.placements.read().unwrap_or_else(PoisonError::into_inner)[device].place
    }

    pub(super) fn settle(&self, device: usize, place: usize, region: Arc<dyn Region>) {
        self.placements.write().unwrap_or_else(PoisonError::into_inner)[device] = Placement { place, region };
    }

    /// Replaces regions of failed devices by regions of zeros on the devices that took over, for callers that
    /// overwrite all elements.
    fn renew(&self) -> Result<(), Error> {
        let mut placements = self.placements.write().unwrap_or_else(PoisonError::into_inner);
        for (device, placement) in placements.iter_mut().enumerate() {
            if !placement.is_current(&self.context, device) {
                *placement = Placement::new(&self.context, device, self.bytes(&self.held(device)))?;
            }
        }
        Ok(())
    }

    /// Moves the parts of failed devices to the devices that took over, for callers that overwrite the
    /// elements of others.
    pub(super) fn follow(&self) -> Result<(), Error> {
        let mut placements = self.placements.write().unwrap_or_else(PoisonError::into_inner);
        for (device, placement) in placements.iter_mut().enumerate() {
            if placement.is_current(&self.context, device) {
                continue;
            }
            let new = Placement::new(&self.context, device, self.bytes(&self.held(device)))?;
            let owned = self.owned(device);
            if !owned.is_empty() {
                let start = self.offset(device, owned.start);
                new.region.copy_from(start, &*placement.region, start, self.bytes(&owned))?;
            }
            *placement = new;
        }
        Ok(())
    }

    /// The devices of this process that own elements, with these elements.
    fn owners(&self) -> impl Iterator<Item = (usize, Range<u64>)> {
        let owned = (0..self.devices()).map(|device| (device, self.owned(device)));
        owned.filter(|(_, owned)| !owned.is_empty())
    }

    /// Number of devices of this process.
    pub(super) fn devices(&self) -> usize {
        self.context.devices().len()
    }

    pub(super) fn owned(&self, device: usize) -> Range<u64> {
        self.partition.part(self.first + device)
    }

    pub(super) fn held(&self, device: usize) -> Range<u64> {
        self.held_by(self.first + device)
    }

    /// The elements that a device of any rank holds.
    pub(super) fn held_by(&self, worker: usize) -> Range<u64> {
        let own = self.partition.part(worker);
        own.start.saturating_sub(self.halo)..own.end.saturating_add(self.halo).min(self.elements())
    }

    /// The elements that the devices of a rank own.
    fn of_rank(&self, rank: usize) -> Range<u64> {
        let counts = self.context.counts();
        let first: usize = counts[..rank].iter().sum();
        self.partition.several(first..first + counts[rank])
    }

    /// Bytes of elements that there are.
    pub(super) fn bytes(&self, elements: &Range<u64>) -> usize {
        // `new` checked that the size of all elements does not overflow.
        (elements.end - elements.start) as usize * self.layout.bytes()
    }

    /// The offset of an element in the region of a device that holds it.
    pub(super) fn offset(&self, device: usize, element: u64) -> usize {
        self.bytes(&(self.held(device).start..element))
    }

    /// Writes consecutive elements to those devices of this process that hold them.
    pub(super) fn write(&self, first: u64, bytes: &[u8]) -> Result<(), Error> {
        let size = self.layout.bytes();
        let count = (bytes.len() / size) as u64;
        let end = first.checked_add(count).filter(|&end| end <= self.elements());
        let (true, Some(end)) = (bytes.len().is_multiple_of(size), end) else {
            let (layout, elements) = (self.layout, self.elements());
            return Err(Error::Mismatch(format!(
                "{} bytes from element {first} on are not elements of an array of {elements} times {layout}",
                bytes.len()
            )));
        };
        for device in 0..self.devices() {
            let held = self.held(device);
            let (start, end) = (held.start.max(first), held.end.min(end));
            if start < end {
                let piece = self.bytes(&(first..start))..self.bytes(&(first..end));
                self.region(device).write(self.offset(device, start), &bytes[piece])?;
            }
        }
        Ok(())
    }

    /// As [`Parts::write`], of all elements.
    pub(super) fn fill<E: Element>(&self, values: &[E]) -> Result<(), Error> {
        self.expect_type::<E>()?;
        let (found, expected) = (values.len(), self.elements() as usize * self.layout.width);
        if found != expected {
            return Err(Error::Mismatch(format!("{found} values for an array of {expected}")));
        }
        self.renew()?;
        self.write(0, &to_bytes(values))
    }

    fn expect_type<E: Element>(&self) -> Result<(), Error> {
        match E::TYPE == self.layout.ty {
            true => Ok(()),
            false => Err(Error::Mismatch(format!("values of {} in an array of {}", E::TYPE, self.layout))),
        }
    }

    /// Copies the elements that the devices of this process own, in order, to their places among all elements.
    fn gather_own(&self, all: &mut [u8]) -> Result<(), Error> {
        for (device, owned) in self.owners() {
            let place = self.bytes(&(0..owned.start))..self.bytes(&(0..owned.end));
            self.region(device).read(self.offset(device, owned.start), &mut all[place])?;
        }
        Ok(())
    }

    /// The elements that the devices of this process own.
    pub(super) fn own(&self) -> Result<(Range<u64>, Vec<u8>), Error> {
        let own = self.of_rank(self.context.network().rank());
        let mut bytes = vec![0; self.bytes(&own)];
        for (device, owned) in self.owners() {
            let place = self.bytes(&(own.start..owned.start))..self.bytes(&(own.start..owned.end));
            self.region(device).read(self.offset(device, owned.start), &mut bytes[place])?;
        }
        Ok((own, bytes))
    }

    /// Starts to gather all elements from all ranks into a reused buffer.
    pub(super) fn start_gather(&self, mut all: Vec<u8>) -> Result<Pending<Vec<u8>>, Error> {
        all.resize(self.bytes(&(0..self.elements())), 0);
        self.gather_own(&mut all)?;
        let network = self.context.network();
        let counts: Vec<usize> = (0..network.size()).map(|rank| self.bytes(&self.of_rank(rank))).collect();
        network.start_all_gather(&counts, all)
    }

    /// All values, from all ranks.
    pub(super) fn values<E: Element>(&self) -> Result<Vec<E>, Error> {
        self.expect_type::<E>()?;
        Ok(from_bytes(&self.start_gather(Vec::new())?.wait()?))
    }

    /// Copies the elements that the devices of this process own to their place in a region for all elements,
    /// in any storage.
    pub(super) fn save(&self, to: &dyn Region) -> Result<(), Error> {
        self.expect_room(to)?;
        for (device, owned) in self.owners() {
            let (start, place) = (self.offset(device, owned.start), self.bytes(&(0..owned.start)));
            to.copy_from(place, &*self.region(device), start, self.bytes(&owned))?;
        }
        Ok(())
    }

    /// Copies the elements that devices hold from a region with all elements.
    pub(super) fn load(&self, from: &dyn Region) -> Result<(), Error> {
        self.expect_room(from)?;
        self.renew()?;
        for device in 0..self.devices() {
            let held = self.held(device);
            self.region(device).copy_from(0, from, self.bytes(&(0..held.start)), self.bytes(&held))?;
        }
        Ok(())
    }

    fn expect_room(&self, region: &dyn Region) -> Result<(), Error> {
        let (found, expected) = (region.bytes(), self.bytes(&(0..self.elements())));
        match found == expected {
            true => Ok(()),
            false => Err(Error::Mismatch(format!("a region of {found} bytes for an array of {expected}"))),
        }
    }
}
