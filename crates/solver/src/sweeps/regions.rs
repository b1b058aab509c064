//! Arrays in regions of a device, and launches of kernels over them.

use std::ops::Range;

use volvelle_kernel::{Const, Exit};
use volvelle_runtime::{Command, Error, Executable, Executor, Launch, LaunchBuffer, Region, Storage};

use super::Sweeps;

/// Elements that are moved at once.
const PIECE: usize = 1 << 16;

/// Rows that are read one by one; for more the whole vector is read.
const FEW: usize = 32;

/// Rows that a lane of a reduction goes over.
pub const PART: usize = 1024;

/// Rows in parts of [`PART`], each for a lane.
#[derive(Clone, Copy)]
pub struct Parts {
    rows: usize,
    /// How many there are.
    pub count: usize,
    /// First row of a lane over its number, and the distance of its rows.
    lanes: [u64; 2],
}

impl Parts {
    /// Assigns rows to lanes as a device reads them best: on processors each part is contiguous, on other devices the lanes
    /// read neighbouring rows at the same time.
    pub fn of(sweeps: &Sweeps, rows: usize) -> Self {
        let count = rows.div_ceil(PART);
        let lanes = if sweeps.lanes_are_apart() { [PART as u64, 1] } else { [1, count as u64] };
        Parts { rows, count, lanes }
    }

    /// Parameters of a kernel: the number of rows, the first row of a lane over its number, and the distance of its rows.
    pub fn params(&self) -> [Const; 3] {
        [self.rows as u64, self.lanes[0], self.lanes[1]].map(Const::u64)
    }
}

/// A type of numbers in buffers of kernels.
pub trait Element: Copy + Default {
    /// Bytes of one.
    const BYTES: usize;
    /// Writes the bytes of one, as this machine has them.
    fn put(self, to: &mut [u8]);
    /// Reads the bytes of one.
    fn get(from: &[u8]) -> Self;
}

macro_rules! element {
    ($($ty:ty),*) => {$(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_ne_bytes());
            }
            fn get(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$ty>()];
                bytes.copy_from_slice(from);
                Self::from_ne_bytes(bytes)
            }
        }
    )*};
}

element!(u8, u16, u32, f64);

/// A region with its number of elements.
pub struct DeviceArray {
    region: Box<dyn Region>,
    elements: usize,
}

impl DeviceArray {
    /// Zeros.
    pub fn zeros<T: Element>(storage: &dyn Storage, elements: usize) -> Result<Self, Error> {
        // A region has bytes even where a buffer has no elements.
        let region = storage.allocate((elements * T::BYTES).max(8))?;
        Ok(DeviceArray { region, elements })
    }

    /// Copies values to a device.
    pub fn of<T: Element>(storage: &dyn Storage, values: &[T]) -> Result<Self, Error> {
        let numbers = Self::zeros::<T>(storage, values.len())?;
        numbers.write(values)?;
        Ok(numbers)
    }

    /// Overwrites the first of them.
    pub fn write<T: Element>(&self, values: &[T]) -> Result<(), Error> {
        let mut bytes = vec![0; PIECE.min(values.len()) * T::BYTES];
        for (i, piece) in values.chunks(PIECE).enumerate() {
            let bytes = &mut bytes[..piece.len() * T::BYTES];
            let places = bytes.chunks_exact_mut(T::BYTES);
            piece.iter().zip(places).for_each(|(value, place)| value.put(place));
            self.region.write(i * PIECE * T::BYTES, bytes)?;
        }
        Ok(())
    }

    /// Reads a range.
    pub fn read<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        let mut values = Vec::with_capacity(range.len());
        let mut bytes = vec![0; PIECE.min(range.len()) * T::BYTES];
        for first in range.clone().step_by(PIECE) {
            let bytes = &mut bytes[..PIECE.min(range.end - first) * T::BYTES];
            self.region.read(first * T::BYTES, bytes)?;
            values.extend(bytes.chunks_exact(T::BYTES).map(T::get));
        }
        Ok(values)
    }

    /// Reads single elements.
    pub fn gather<T: Element>(&self, places: &[u32]) -> Result<Vec<T>, Error> {
        if places.len() <= FEW {
            let one = |&place: &u32| {
                let mut bytes = vec![0; T::BYTES];
                self.region.read(place as usize * T::BYTES, &mut bytes)?;
                Ok(T::get(&bytes))
            };
            return places.iter().map(one).collect();
        }
        let all: Vec<T> = self.read(0..self.elements)?;
        Ok(places.iter().map(|&place| all[place as usize]).collect())
    }

    /// As an argument of a kernel.
    pub fn lend(&self) -> LaunchBuffer<'_> {
        LaunchBuffer::first(&*self.region, self.elements)
    }
}

/// Kernels for a device that run one after the other.
#[derive(Default)]
pub struct Launches<'a> {
    launches: Vec<Prepared<'a>>,
}

struct Prepared<'a> {
    code: &'a dyn Executable,
    lanes: usize,
    params: Vec<Const>,
    buffers: Vec<LaunchBuffer<'a>>,
}

impl<'a> Launches<'a> {
    /// Appends a kernel that runs that many lanes.
    pub fn then(
        mut self,
        code: &'a dyn Executable,
        lanes: usize,
        params: impl Into<Vec<Const>>,
        buffers: impl Into<Vec<LaunchBuffer<'a>>>,
    ) -> Self {
        if lanes > 0 {
            self.launches.push(Prepared { code, lanes, params: params.into(), buffers: buffers.into() });
        }
        self
    }

    /// Runs all lanes to their ends.
    pub fn run(self, executor: &dyn Executor) -> Result<(), Error> {
        let commands: Vec<Command<'_>> = self
            .launches
            .iter()
            .map(|Prepared { code, lanes, params, buffers }| {
                let lanes = 0..*lanes as u64;
                Command { code: *code, launch: Launch { lanes, block: None, params, buffers } }
            })
            .collect();
        ended(executor.run_in_order(&commands)?)
    }
}

/// Runs that many lanes to their ends.
pub fn run(
    code: &dyn Executable,
    lanes: usize,
    params: &[Const],
    buffers: &[LaunchBuffer<'_>],
) -> Result<(), Error> {
    if lanes == 0 {
        return Ok(());
    }
    ended(code.launch(&Launch { lanes: 0..lanes as u64, block: None, params, buffers })?)
}

/// Lanes of these kernels always finish.
fn ended(exit: Exit) -> Result<(), Error> {
    match exit {
        Exit::Done => Ok(()),
        exit => Err(Error::Launch(format!("a lane ended with {exit:?}"))),
    }
}

/// Entries that are multiplied before limits are looked at: a fraction of a second for a thread.
const AT_ONCE: u64 = 1 << 24;
/// Steps that a device gets at once.
const MOST_AT_ONCE: u64 = 64;

/// Steps that a device gets at once, each of which multiplies that many entries.
pub fn at_once(entries: u64) -> u64 {
    (AT_ONCE / entries.max(1)).clamp(1, MOST_AT_ONCE)
}
