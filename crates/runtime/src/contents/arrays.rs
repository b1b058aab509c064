//! The kinds of arrays. They differ in which elements each device holds.

use super::parts::Parts;
use super::transfer::{HaloExchange, Synchronization};
use super::{Content, Element, Layout};
use crate::context::Context;
use crate::error::Error;
use crate::storage::Region;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// An array with independent parts: each device holds only its own, for example masses.
pub struct Array(Parts);

/// An array of which every device holds all elements and owns a part. Synchronising copies each part from its
/// owner to the others.
pub struct SyncedArray(Parts);

/// An array of which each device holds its part and a halo: some elements before and after the part, for
/// example cells of a grid.
pub struct PartialArray(Parts);

impl Array {
    /// An array of zeros. All ranks create the same.
    ///
    /// # Errors
    /// An allocation failed, or elements have no bytes.
    pub fn new(context: &Arc<Context>, layout: Layout, elements: u64) -> Result<Self, Error> {
        Parts::new(context, layout, elements, 0).map(Array)
    }
}

impl SyncedArray {
    /// An array of zeros. All ranks create the same.
    ///
    /// # Errors
    /// An allocation failed, or elements have no bytes.
    pub fn new(context: &Arc<Context>, layout: Layout, elements: u64) -> Result<Self, Error> {
        Parts::new(context, layout, elements, u64::MAX).map(SyncedArray)
    }

    /// Copies the owners' elements to all devices of all ranks. All ranks call it.
    ///
    /// # Errors
    /// A transfer failed: devices may hold a mixture of old and new elements.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.start_synchronize()?.finish()
    }

    /// Starts to distribute the current elements of the owners. Kernels may run until they need elements of
    /// others. All ranks call it, in the same order among the collective operations.
    ///
    /// # Errors
    /// A transfer failed.
    pub fn start_synchronize(&self) -> Result<Synchronization<'_>, Error> {
        Synchronization::start(&self.0)
    }
}

impl PartialArray {
    /// Allocates an array of zeros. Devices hold up to `halo` elements on both sides of their part. All ranks
    /// create the same.
    ///
    /// # Errors
    /// An allocation failed, or elements have no bytes.
    pub fn new(context: &Arc<Context>, layout: Layout, elements: u64, halo: u64) -> Result<Self, Error> {
        Parts::new(context, layout, elements, halo).map(PartialArray)
    }

    /// Copies the elements of all halos from their owners. All ranks call it.
    ///
    /// # Errors
    /// A transfer failed: halos may hold a mixture of old and new elements.
    pub fn exchange(&self) -> Result<(), Error> {
        self.start_exchange()?.finish()
    }

    /// Starts to copy the current elements of all halos from their owners. Meanwhile, kernels may work on
    /// elements outside the halos. All ranks call it, in the same order among the collective operations.
    ///
    /// # Errors
    /// A transfer failed: halos may hold a mixture of old and new elements.
    pub fn start_exchange(&self) -> Result<HaloExchange<'_>, Error> {
        HaloExchange::start(&self.0)
    }
}

macro_rules! arrays {
    ($($array:ident $kind:literal $is_split:literal;)*) => { $(
        impl $array {
            /// Sets all values (those of an element are adjacent) on the devices of this process. All ranks
            /// call it with the same values.
            ///
            /// # Errors
            /// Type or number do not fit, or a transfer failed.
            pub fn fill<E: Element>(&self, values: &[E]) -> Result<(), Error> {
                self.0.fill(values)
            }

            /// Sets the bytes of elements from `first` on, on the devices of this process that hold them.
            ///
            /// # Errors
            /// There are no such elements, or a transfer failed.
            pub fn write(&self, first: u64, bytes: &[u8]) -> Result<(), Error> {
                self.0.write(first, bytes)
            }

            /// The owners' values of all elements. All ranks call it.
            ///
            /// # Errors
            /// The type does not fit, or a transfer failed.
            pub fn values<E: Element>(&self) -> Result<Vec<E>, Error> {
                self.0.values()
            }

            /// The elements that the devices of this process own, and their bytes.
            ///
            /// # Errors
            /// A transfer failed.
            pub fn own(&self) -> Result<(Range<u64>, Vec<u8>), Error> {
                self.0.own()
            }

            /// Copies the elements that the devices of this process own to their place in a region for all
            /// elements, such as a file that all ranks share.
            ///
            /// # Errors
            /// The region has another size, or a transfer failed.
            pub fn save(&self, to: &dyn Region) -> Result<(), Error> {
                self.0.save(to)
            }

            /// Copies the elements that devices of this process hold from a region with all elements.
            ///
            /// # Errors
            /// The region has another size, or a transfer failed.
            pub fn load(&self, from: &dyn Region) -> Result<(), Error> {
                self.0.load(from)
            }
        }

        impl Content for $array {
            fn kind(&self) -> &str {
                $kind
            }

            fn layout(&self) -> Layout {
                self.0.layout()
            }

            fn elements(&self) -> u64 {
                self.0.elements()
            }

            fn held(&self, device: usize) -> Range<u64> {
                self.0.held(device)
            }

            fn owned(&self, device: usize) -> Range<u64> {
                self.0.owned(device)
            }

            fn is_split(&self) -> bool {
                $is_split
            }

            fn region(&self, device: usize) -> Arc<dyn Region> {
                self.0.region(device)
            }

            fn place(&self, device: usize) -> usize {
                self.0.place(device)
            }

            fn settle(&self, device: usize, place: usize, region: Arc<dyn Region>) -> Result<(), Error> {
                self.0.settle(device, place, region);
                Ok(())
            }

            fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
                self
            }
        }
    )* };
}

arrays! {
    Array "Array" true;
    SyncedArray "SyncedArray" false;
    PartialArray "PartialArray" true;
}
