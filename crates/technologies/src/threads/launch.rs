//! Running a function on threads, over regions in main memory.

use super::implementation::Implementation;
use super::pool::Pool;
use super::share::Share;
use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::{Const, Exit, RawParts};
use volvelle_runtime::storage::RamRegion;
use volvelle_runtime::{Built, Error, Executable, Function, Launch, LaunchBuffer};

/// A function ready to run on threads.
pub(super) struct Ready {
    /// The declarations, without implementations.
    declared: Function,
    implementation: Implementation,
    threads: NonZeroUsize,
    pool: Arc<Pool>,
    built: Built,
}

impl Ready {
    pub(super) fn new(
        function: &Function,
        implementation: Implementation,
        threads: NonZeroUsize,
        pool: Arc<Pool>,
        built: Built,
    ) -> Self {
        let declared = Function {
            name: function.name.clone(),
            params: function.params.clone(),
            buffers: function.buffers.clone(),
            ir: None,
            texts: Default::default(),
            closure: None,
        };
        Ready { declared, implementation, threads, pool, built }
    }

    /// Runs pieces of a share until none is left, or a lane fails.
    ///
    /// # Safety
    /// The buffers are those declared, and live for the length of the call; only the lanes of this launch touch
    /// the elements that these store.
    unsafe fn work(&self, share: &Share, params: &[Const], buffers: &[RawParts]) -> Result<Exit, Error> {
        let run = || {
            let mut params: Vec<Const> =
                std::iter::once(Const::u64(0)).chain(params.iter().copied()).collect();
            while let Some(lanes) = share.take() {
                // SAFETY: by the contract above; a function promises that its lanes keep out of each other's way.
                let exit = unsafe { self.implementation.run(lanes, &mut params, buffers) };
                if exit != Exit::Done {
                    share.stop();
                    return exit;
                }
            }
            Exit::Done
        };
        // If a closure panics, the device counts as failed, and others may repeat its work.
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            share.stop();
            Error::Launch(format!("`{}` panicked: {}", self.declared.name, message(&*panic)))
        })
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no message",
    }
}

/// The memory of a buffer's elements.
fn parts(lent: &LaunchBuffer<'_>) -> RawParts {
    let region = lent.region.as_any().downcast_ref::<RamRegion>();
    let start = region.expect("a region in main memory, where these technologies keep theirs").as_ptr();
    // Within the region, as was checked.
    RawParts { data: start.wrapping_add(lent.offset), len: lent.elements, capacity: lent.elements }
}

impl Executable for Ready {
    fn built(&self) -> &Built {
        &self.built
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error> {
        launch.expect_for(&self.declared);
        if launch.lanes.is_empty() {
            return Ok(Exit::Done);
        }
        let buffers: Vec<RawPartsOfRegion> =
            launch.buffers.iter().map(|lent| RawPartsOfRegion(parts(lent))).collect();
        let width = self.implementation.width();
        // If the launch asks for blocks, threads get whole blocks.
        let quantum = launch.block.map_or(width, |block| (u64::from(block) / width * width).max(width));
        let count = launch.lanes.end - launch.lanes.start;
        let threads = count.div_ceil(quantum).min(self.threads.get() as u64);
        let share = Share::new(launch.lanes.clone(), quantum, threads);
        let first = Mutex::new(Ok(Exit::Done));
        let work = || {
            let buffers: Vec<RawParts> = buffers.iter().map(|parts| parts.0).collect();
            // SAFETY: the elements are within regions that are borrowed for this call, aligned since regions and offsets
            // are, and the declarations match (all checked). Others that use the same bytes meanwhile break the contract
            // of `Region`.
            let ended = unsafe { self.work(&share, launch.params, &buffers) };
            if ended != Ok(Exit::Done) {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if *first == Ok(Exit::Done) {
                    *first = ended;
                }
            }
        };
        // The cast is exact: there are at most as many as threads.
        self.pool.run(threads as usize - 1, &work);
        first.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Parts of a region that threads share while lanes run.
struct RawPartsOfRegion(RawParts);

// SAFETY: it is an address and a length; who follows the address owes what `Code::run_shared` asks for.
unsafe impl Sync for RawPartsOfRegion {}
