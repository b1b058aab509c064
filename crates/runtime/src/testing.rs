//! Devices that fail, for tests: [`Faulty`] wraps a technology and fails a chosen call. A launch that fails has
//! run half of its lanes.

use crate::error::Error;
use crate::launch::{Built, Executable, Function, Launch, LaunchBuffer};
use crate::storage::{Region, Storage};
use crate::technology::{Executor, Offer, Technology};
use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::Exit;

/// A call that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names of the functions
pub enum Call {
    Open,
    Allocate,
    Write,
    Read,
    Copy,
    Build,
    Launch,
}

/// Which calls fail, and which calls were made. Wrappers share it.
#[derive(Debug, Default)]
pub struct Faults {
    /// The number of the first failing call, and whether all later ones fail as well.
    fails: Option<(u64, bool)>,
    calls: AtomicU64,
    live: AtomicU64,
    failed: Mutex<Vec<Call>>,
}

impl Faults {
    /// No call fails; they are counted.
    pub fn none() -> Arc<Self> {
        Arc::default()
    }

    /// Only the call number `k` fails, counted from zero.
    pub fn once(k: u64) -> Arc<Self> {
        Arc::new(Faults { fails: Some((k, false)), ..Self::default() })
    }

    /// All calls from number `k` on fail, counted from zero: the device is gone.
    pub fn from(k: u64) -> Arc<Self> {
        Arc::new(Faults { fails: Some((k, true)), ..Self::default() })
    }

    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Number of allocated regions that were not freed.
    pub fn live(&self) -> u64 {
        self.live.load(Ordering::SeqCst)
    }

    /// The calls that failed, in their order.
    pub fn failed(&self) -> Vec<Call> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts a call; fails if it is one that must fail.
    fn call(&self, call: Call) -> Result<(), Error> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let fails = match self.fails {
            None => false,
            Some((first, false)) => number == first,
            Some((first, true)) => number >= first,
        };
        if !fails {
            return Ok(());
        }
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        let why = format!("call {number} is to fail");
        Err(match call {
            Call::Open => Error::Unavailable(why),
            Call::Allocate => Error::Memory { bytes: 0, why },
            Call::Write | Call::Read | Call::Copy => Error::Transfer(why),
            Call::Build => Error::Build(why),
            Call::Launch => Error::Launch(why),
        })
    }
}

/// A technology whose devices fail.
pub struct Faulty {
    inner: Arc<dyn Technology>,
    faults: Arc<Faults>,
}

impl Faulty {
    /// Another technology, except for the calls that fail.
    pub fn new(inner: Arc<dyn Technology>, faults: Arc<Faults>) -> Self {
        Faulty { inner, faults }
    }

    /// An executor that fails.
    pub fn executor(inner: Arc<dyn Executor>, faults: Arc<Faults>) -> Arc<dyn Executor> {
        let storage = Arc::new(FaultyStorage { inner: inner.storage(), faults: faults.clone() });
        Arc::new(FaultyExecutor { inner, storage, faults })
    }
}

impl Technology for Faulty {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        self.inner.offers()
    }

    fn device_name(&self, number: usize) -> String {
        self.inner.device_name(number)
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        self.faults.call(Call::Open)?;
        Ok(Faulty::executor(self.inner.open(number)?, self.faults.clone()))
    }
}

struct FaultyExecutor {
    inner: Arc<dyn Executor>,
    storage: Arc<FaultyStorage>,
    faults: Arc<Faults>,
}

impl Executor for FaultyExecutor {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn offer(&self) -> &Offer {
        self.inner.offer()
    }

    fn lanes(&self) -> u64 {
        self.inner.lanes()
    }

    fn storage(&self) -> Arc<dyn Storage> {
        self.storage.clone()
    }

    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error> {
        self.faults.call(Call::Build)?;
        Ok(Arc::new(FaultyExecutable { inner: self.inner.build(function)?, faults: self.faults.clone() }))
    }
}

struct FaultyStorage {
    inner: Arc<dyn Storage>,
    faults: Arc<Faults>,
}

impl Storage for FaultyStorage {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        self.faults.call(Call::Allocate)?;
        let inner = self.inner.allocate(bytes)?;
        self.faults.live.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(FaultyRegion { inner, faults: self.faults.clone() }))
    }
}

struct FaultyRegion {
    inner: Box<dyn Region>,
    faults: Arc<Faults>,
}

impl Drop for FaultyRegion {
    fn drop(&mut self) {
        self.faults.live.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The region inside a wrapper, or the region itself.
fn unwrapped(region: &dyn Region) -> &dyn Region {
    region.as_any().downcast_ref::<FaultyRegion>().map_or(region, |faulty| &*faulty.inner)
}

impl Region for FaultyRegion {
    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        self.faults.call(Call::Write)?;
        self.inner.write(offset, from)
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        self.faults.call(Call::Read)?;
        self.inner.read(offset, to)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn copy_from(&self, offset: usize, from: &dyn Region, start: usize, bytes: usize) -> Result<(), Error> {
        self.faults.call(Call::Copy)?;
        self.inner.copy_from(offset, unwrapped(from), start, bytes)
    }
}

struct FaultyExecutable {
    inner: Arc<dyn Executable>,
    faults: Arc<Faults>,
}

impl Executable for FaultyExecutable {
    fn built(&self) -> &Built {
        self.inner.built()
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error> {
        let failure = self.faults.call(Call::Launch);
        let buffers: Vec<LaunchBuffer<'_>> = launch
            .buffers
            .iter()
            .map(|lent| LaunchBuffer { region: unwrapped(lent.region), ..*lent })
            .collect();
        let launch = Launch { buffers: &buffers, ..launch.clone() };
        let Err(error) = failure else { return self.inner.launch(&launch) };
        // A device that fails has done a part of its work.
        let Range { start, end } = launch.lanes;
        // The exit is ignored, since the device counts as gone.
        let _ = self.inner.launch(&Launch { lanes: start..start + (end - start).div_ceil(2), ..launch })?;
        Err(error)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
