//! Contents: data with a meaning, spread over the devices of a context.
//!
//! Every device owns a part of the elements, and writes only those. The kind of content decides which others
//! it holds:
//!
//! | kind | a device holds | it gets elements of others by |
//! |---|---|---|
//! | [`Array`] | its own part | nothing: parts are independent |
//! | [`SyncedArray`] | all elements | [`SyncedArray::synchronize`] |
//! | [`PartialArray`] | its part and a halo on both sides | [`PartialArray::exchange`] |
//! | [`Octree`] | the whole tree | building it anew |
//!
//! Both operations can overlap with kernels: [`SyncedArray::start_synchronize`],
//! [`PartialArray::start_exchange`].
//!
//! An element is one value of a type of the kernel IR, or several adjacent ones. Kernels see plain buffers of
//! that type. Results do not depend on the number of devices and ranks, which may be one or exceed the number
//! of elements.

mod arrays;
mod octree;
mod parts;
mod placement;
mod replica;
mod transfer;

pub use crate::partition::Partition;
pub use arrays::{Array, PartialArray, SyncedArray};
pub use octree::{Field, Octree, Tree};
pub use replica::Replica;
pub use transfer::{HaloExchange, Synchronization};

use crate::error::Error;
use crate::storage::Region;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use volvelle_kernel::Type;

/// The layout of an element: a number of values of one type, side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Type of the values.
    pub ty: Type,
    /// Number of values in an element; at least one.
    pub width: usize,
}

impl Layout {
    /// A single value.
    pub fn of(ty: Type) -> Self {
        Layout { ty, width: 1 }
    }

    /// Several values, as for a position in space.
    pub fn several(ty: Type, width: usize) -> Self {
        Layout { ty, width }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        self.ty.bytes().saturating_mul(self.width)
    }

    /// The size of `elements` elements in bytes.
    ///
    /// # Errors
    /// The size exceeds the address space, or elements have no bytes.
    pub(crate) fn bytes_of(self, elements: u64) -> Result<usize, Error> {
        if self.width == 0 {
            return Err(Error::Mismatch("elements of a content have at least one value".to_owned()));
        }
        let bytes = usize::try_from(elements).ok().and_then(|elements| elements.checked_mul(self.bytes()));
        // Slices are limited by the address space.
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| Error::Memory {
            bytes: usize::MAX,
            why: format!("{elements} elements of {self} are more than memory has addresses"),
        })
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.width {
            1 => write!(f, "{}", self.ty),
            width => write!(f, "{width} x {}", self.ty),
        }
    }
}

/// Data spread over the devices of a context. Kernels take it as an argument.
pub trait Content: Send + Sync {
    /// Name for messages: `Array`, `SyncedArray`.
    fn kind(&self) -> &str;

    /// The layout of an element.
    fn layout(&self) -> Layout;

    /// Elements in all.
    fn elements(&self) -> u64;

    /// The elements that a device of this process holds, from the start of its region on.
    fn held(&self, device: usize) -> Range<u64>;

    /// The elements that a device of this process owns: its kernels may write these only.
    fn owned(&self, device: usize) -> Range<u64>;

    /// Whether the content is split over the devices. Then its number of elements must be the number of units
    /// of a kernel.
    fn is_split(&self) -> bool;

    /// The region of a device's elements.
    fn region(&self, device: usize) -> Arc<dyn Region>;

    /// The number of the device whose storage holds that region: another one after the device failed.
    fn place(&self, device: usize) -> usize {
        device
    }

    /// Moves the elements of a device to `region`, which is in the storage of the device `place`.
    ///
    /// # Errors
    /// The content cannot be moved.
    fn settle(&self, device: usize, place: usize, region: Arc<dyn Region>) -> Result<(), Error> {
        drop((place, region));
        Err(Error::Mismatch(format!(
            "what device {device} has of a content of kind {} cannot be moved",
            self.kind()
        )))
    }

    /// Whether all devices of this process hold the same bytes and no kernel writes them. Then any device's
    /// copy can replace another's.
    fn is_replicated(&self) -> bool {
        false
    }

    /// For downcasts to the concrete content.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// A value of a type of the kernel IR, as it lies in memory.
pub trait Element: Copy + Default {
    /// Its type.
    const TYPE: Type;

    /// Appends its bytes.
    fn put(self, bytes: &mut Vec<u8>);

    /// From just its bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($rust:ty => $ty:ident),*) => { $(
        impl Element for $rust {
            const TYPE: Type = Type::$ty;

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_ne_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                bytes.try_into().map(Self::from_ne_bytes).unwrap_or_default()
            }
        }
    )* };
}

elements!(
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, i8 => I8, i16 => I16, i32 => I32, i64 => I64, f32 => F32, f64 => F64
);

impl Element for bool {
    const TYPE: Type = Type::Bool;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    fn get(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|&byte| byte != 0)
    }
}

/// Values as bytes.
pub(crate) fn to_bytes<E: Element>(values: &[E]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    values.iter().for_each(|value| value.put(&mut bytes));
    bytes
}

/// Bytes as values.
pub(crate) fn from_bytes<E: Element>(bytes: &[u8]) -> Vec<E> {
    bytes.chunks_exact(E::TYPE.bytes()).map(E::get).collect()
}
