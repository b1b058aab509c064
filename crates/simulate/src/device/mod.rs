//! Paths on a device: whole blocks of them, run and summed there.
//!
//! The device has two kernels: one runs paths, the other adds up their results (`summing`). Only sums are
//! transferred back, unless the rows are smaller. The results have the same bits as those of threads.

mod layout;
mod memory;

pub use layout::{DeviceVariant, Layout};

use crate::engine::Outcome;
use crate::monitor::Monitors;
use crate::path::{Plan, Portable};
use crate::runner::{Paths, Tables};
use crate::summary::{BLOCK, Sampled};
use crate::summing::{Jobs, Sums, summarise};
use memory::{Buffers, bytes_of, uploaded};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::{BufferMut, Const, Exit, Type};
use volvelle_runtime::{Built, Error, Executable, Executor, Function, Launch, LaunchBuffer, Region};

/// Paths of a plan on one device. Threads may share it: each run has its own buffers.
pub struct DevicePaths {
    path: Arc<dyn Executable>,
    way: DeviceVariant,
    horizons: Vec<f64>,
    built: Built,
    common: Arc<Common>,
}

/// The state that all variants of a plan share on a device.
struct Common {
    executor: Arc<dyn Executor>,
    monitors: Monitors,
    /// The sums on the device, unless rows are smaller than sums.
    summing: Option<Summing>,
    given: Vec<Constant>,
    free: Mutex<Vec<Buffers>>,
}

/// The read-only buffers, on the device.
struct Constant {
    region: Box<dyn Region>,
    elements: usize,
}

struct Summing {
    jobs: Jobs,
    code: Arc<dyn Executable>,
    given: Vec<Constant>,
}

impl Common {
    fn new(plan: &Plan, executor: Arc<dyn Executor>) -> Result<Self, Error> {
        let storage = executor.storage();
        let constants = |buffers: &[BufferMut<'_>]| -> Result<Vec<Constant>, Error> {
            let upload = |buffer: &BufferMut<'_>| {
                let (bytes, elements) = bytes_of(buffer);
                Ok(Constant { region: uploaded(&*storage, &bytes)?, elements })
            };
            buffers.iter().map(upload).collect()
        };
        let jobs = Jobs::new(&plan.monitors);
        let summing = if jobs.pays(plan.monitors.columns()) {
            let code = executor.build(&Function::of(Jobs::kernel()))?;
            let given = constants(&jobs.buffers())?;
            Some(Summing { jobs, code, given })
        } else {
            None
        };
        let given = constants(&Tables::of(plan).buffers())?;
        Ok(Common { executor, monitors: plan.monitors.clone(), summing, given, free: Mutex::default() })
    }
}

impl DevicePaths {
    /// Prepares a device for the paths of a plan, in one variant.
    ///
    /// # Errors
    /// The device cannot run such paths, or failed.
    pub fn new(plan: &Plan, executor: Arc<dyn Executor>, way: DeviceVariant) -> Result<Self, Error> {
        let too_much = || Error::Build("its control locations would need too much code".to_owned());
        Self::with_kernel(plan, executor, way, way.kernel(plan).ok_or_else(too_much)?)
    }

    /// Like [`DevicePaths::new`], with an existing kernel of this variant.
    ///
    /// # Errors
    /// The device cannot run such paths, or failed.
    pub fn with_kernel(
        plan: &Plan,
        executor: Arc<dyn Executor>,
        way: DeviceVariant,
        portable: Portable,
    ) -> Result<Self, Error> {
        let path = executor.build(&Function::of(portable.kernel))?;
        let common = Common::new(plan, executor)?;
        let mut built = path.built().clone();
        if let Some(summing) = &common.summing {
            let other = summing.code.built();
            built.compile_time += other.compile_time;
            built.from_cache &= other.from_cache;
        }
        Ok(DevicePaths { path, way, horizons: portable.horizons, built, common: Arc::new(common) })
    }

    /// Paths of the same plan in another variant, with this kernel. Both share everything else on the device.
    ///
    /// # Errors
    /// The device cannot run such paths, or failed.
    pub fn in_another_way(&self, way: DeviceVariant, portable: Portable) -> Result<Self, Error> {
        let path = self.common.executor.build(&Function::of(portable.kernel))?;
        let built = path.built().clone();
        Ok(DevicePaths { path, way, horizons: portable.horizons, built, common: Arc::clone(&self.common) })
    }

    /// The device.
    pub fn executor(&self) -> &Arc<dyn Executor> {
        &self.common.executor
    }

    /// The variant that runs.
    pub fn way(&self) -> DeviceVariant {
        self.way
    }

    /// The cost of compiling the kernels that did not exist before.
    pub fn built(&self) -> &Built {
        &self.built
    }

    /// The number of blocks in a run that gives all lanes a path.
    pub fn blocks(&self) -> u64 {
        self.common.executor.lanes().div_ceil(BLOCK)
    }

    /// Runs whole blocks of paths from the first on, and sums up each block.
    ///
    /// # Errors
    /// The device failed. It may be used again, but another one is more likely to succeed.
    pub fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Result<Outcome, Error> {
        let count = paths.end - paths.start;
        self.with_buffers(count, |buffers| {
            if self.launch(buffers, seed, paths.clone(), max_steps)? != Exit::Done {
                return Ok(Outcome::Undecided);
            }
            match &self.common.summing {
                Some(summing) => self.sums(buffers, summing, paths),
                None => {
                    let rows = self.rows(buffers, count)?;
                    if rows.given_up().is_some() {
                        return Ok(Outcome::Undecided);
                    }
                    let block = |from: usize| {
                        let to = (from + BLOCK as usize).min(count as usize);
                        summarise(paths.start, &rows, from, to, &self.common.monitors)
                    };
                    Ok(Outcome::Ended((0..count as usize).step_by(BLOCK as usize).map(block).collect()))
                }
            }
        })
    }

    /// Runs paths and returns the row of each; `None` if one failed.
    ///
    /// # Errors
    /// As [`DevicePaths::run`].
    pub fn tell(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Result<Option<Paths>, Error> {
        let count = paths.end - paths.start;
        self.with_buffers(count, |buffers| {
            let exit = self.launch(buffers, seed, paths, max_steps)?;
            if exit == Exit::Done { self.rows(buffers, count).map(Some) } else { Ok(None) }
        })
    }

    fn with_buffers<T>(
        &self,
        paths: u64,
        run: impl FnOnce(&Buffers) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let free = self.common.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let buffers = match free.filter(|buffers| buffers.paths >= paths) {
            Some(buffers) => buffers,
            None => {
                let jobs = self.common.summing.as_ref().map_or(0, |summing| summing.jobs.count());
                Buffers::new(&*self.common.executor.storage(), paths, self.common.monitors.columns(), jobs)?
            }
        };
        let outcome = run(&buffers)?;
        self.common.free.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        Ok(outcome)
    }

    fn launch(&self, buffers: &Buffers, seed: u64, paths: Range<u64>, max_steps: u32) -> Result<Exit, Error> {
        let count = paths.end - paths.start;
        let lanes = self.way.layout.lanes(count, self.common.executor.lanes());
        let mut params = vec![
            Const::u64(lanes),
            Const::u64(seed),
            Const::u64(paths.start),
            Const::u64(paths.end),
            Const::int(Type::U32, i64::from(max_steps)),
        ];
        params.extend(self.horizons.iter().map(|&horizon| Const::f64(horizon)));
        let mut lent = vec![
            LaunchBuffer::first(&*buffers.rows, count as usize * self.common.monitors.columns()),
            LaunchBuffer::first(&*buffers.status, count as usize),
        ];
        lent.extend(
            self.common.given.iter().map(|given| LaunchBuffer::first(&*given.region, given.elements)),
        );
        if self.way.layout == Layout::Claimed {
            buffers.next.write(0, &0u32.to_ne_bytes())?;
            lent.push(LaunchBuffer::first(&*buffers.next, 1));
        }
        self.path.launch(&Launch { lanes: 0..lanes, block: None, params: &params, buffers: &lent })
    }

    fn sums(&self, buffers: &Buffers, summing: &Summing, paths: Range<u64>) -> Result<Outcome, Error> {
        let count = paths.end - paths.start;
        let columns = self.common.monitors.columns();
        let blocks = count.div_ceil(BLOCK);
        let lanes = blocks * summing.jobs.count() as u64;
        let params = [blocks, BLOCK, count, columns as u64].map(Const::u64);
        let [counts_len, numbers_len] = Jobs::told(lanes as usize);
        let mut lent = vec![
            LaunchBuffer::first(&*buffers.rows, count as usize * columns),
            LaunchBuffer::first(&*buffers.status, count as usize),
        ];
        lent.extend(summing.given.iter().map(|given| LaunchBuffer::first(&*given.region, given.elements)));
        lent.push(LaunchBuffer::first(&*buffers.counts, counts_len));
        lent.push(LaunchBuffer::first(&*buffers.numbers, numbers_len));
        let launch = Launch { lanes: 0..lanes, block: None, params: &params, buffers: &lent };
        match summing.code.launch(&launch)? {
            Exit::Done => {}
            other => return Err(Error::Launch(format!("summing up ended with {other:?}"))),
        }
        let counts = memory::read_u64(&*buffers.counts, counts_len)?;
        let numbers = memory::read_f64(&*buffers.numbers, numbers_len)?;
        let mut summaries = Vec::with_capacity(blocks as usize);
        for block in 0..blocks {
            let from = block * BLOCK;
            let to = (from + BLOCK).min(count);
            let sums = summing.jobs.read(block as usize, blocks as usize, to - from, &counts, &numbers);
            let Sums { steps, given_up: 0, summaries: found } = sums else { return Ok(Outcome::Undecided) };
            summaries.push(Sampled { paths: to - from, end: paths.start + to, steps, summaries: found });
        }
        Ok(Outcome::Ended(summaries))
    }

    fn rows(&self, buffers: &Buffers, count: u64) -> Result<Paths, Error> {
        let values = memory::read_f64(&*buffers.rows, count as usize * self.common.monitors.columns())?;
        let status = memory::read_u64(&*buffers.status, count as usize)?;
        Ok(Paths { values, status, ends: Vec::new() })
    }
}
