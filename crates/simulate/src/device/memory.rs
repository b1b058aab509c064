//! The regions of a device that paths use, and the numbers in them.

use crate::summing::Jobs;
use volvelle_kernel::BufferMut;
use volvelle_runtime::{Error, Region, Storage};

/// Memory for some paths and their sums.
pub(super) struct Buffers {
    /// The capacity in paths.
    pub paths: u64,
    pub rows: Box<dyn Region>,
    pub status: Box<dyn Region>,
    pub counts: Box<dyn Region>,
    pub numbers: Box<dyn Region>,
    /// The number of paths that have begun.
    pub next: Box<dyn Region>,
}

impl Buffers {
    pub fn new(storage: &dyn Storage, paths: u64, columns: usize, jobs: usize) -> Result<Self, Error> {
        let blocks = paths.div_ceil(crate::summary::BLOCK);
        let [counts, numbers] = Jobs::told(blocks as usize * jobs);
        Ok(Buffers {
            paths,
            rows: storage.allocate(8 * paths as usize * columns)?,
            status: storage.allocate(8 * paths as usize)?,
            counts: storage.allocate(8 * counts)?,
            numbers: storage.allocate(8 * numbers)?,
            next: storage.allocate(4)?,
        })
    }
}

/// A region with these bytes.
pub(super) fn uploaded(storage: &dyn Storage, bytes: &[u8]) -> Result<Box<dyn Region>, Error> {
    let region = storage.allocate(bytes.len())?;
    region.write(0, bytes)?;
    Ok(region)
}

/// The bytes of a buffer that kernels only read, and how many elements it has.
pub(super) fn bytes_of(buffer: &BufferMut<'_>) -> (Vec<u8>, usize) {
    match buffer {
        BufferMut::ReadU32(s) => (s.iter().flat_map(|v| v.to_ne_bytes()).collect(), s.len()),
        BufferMut::ReadU64(s) => (s.iter().flat_map(|v| v.to_ne_bytes()).collect(), s.len()),
        BufferMut::ReadF64(s) => (s.iter().flat_map(|v| v.to_ne_bytes()).collect(), s.len()),
        other => unreachable!("path kernels read no such buffers: {other:?}"),
    }
}

pub(super) fn read_u64(region: &dyn Region, count: usize) -> Result<Vec<u64>, Error> {
    Ok(words(region, count)?.map(u64::from_ne_bytes).collect())
}

pub(super) fn read_f64(region: &dyn Region, count: usize) -> Result<Vec<f64>, Error> {
    Ok(words(region, count)?.map(f64::from_ne_bytes).collect())
}

fn words(region: &dyn Region, count: usize) -> Result<impl Iterator<Item = [u8; 8]>, Error> {
    let mut bytes = vec![0; 8 * count];
    region.read(0, &mut bytes)?;
    Ok((0..count).map(move |i| std::array::from_fn(|k| bytes[8 * i + k])))
}
