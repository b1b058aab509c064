//! The bench: a device that does one job after the other.

use super::{Answer, Job, JobArgument, Results, compare, contents};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use volvelle_technologies::OpenCl;
use volvelle_technologies::opencl::{Argument, Buffer, DeviceFacts, Refusal, Workbench};
use volvelle_tune::strategy::Failure;

/// What is known about a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The name that its driver gives it.
    pub name: String,
    /// Standard, driver and versions.
    pub driver: String,
    /// Whether the processors of this machine are the device.
    pub is_cpu: bool,
    /// Compute units.
    pub units: u32,
    /// Work items of a group, at most.
    pub work_group_max: u64,
    /// Bytes of local memory for a group.
    pub local_memory_bytes: u64,
    /// Bytes of a line of the cache of global memory, 0 if unknown.
    pub cache_line_bytes: u32,
    /// Work items that run together.
    pub warp: u32,
    /// Caches of data of each unit, if it is a processor: bytes, ways, bytes of a line.
    #[serde(default)]
    pub caches: Vec<[u32; 3]>,
}

/// A device in use.
pub struct Bench {
    workbench: Workbench,
    /// Results of the reference, by the place of the argument.
    reference: FxHashMap<usize, Vec<u8>>,
}

impl Bench {
    /// Opens the device `opencl:NUMBER`.
    ///
    /// # Errors
    /// There is none, in one line.
    pub fn open(number: usize) -> Result<Self, String> {
        let workbench = OpenCl::default().workbench(number).map_err(|error| error.to_string())?;
        Ok(Bench { workbench, reference: FxHashMap::default() })
    }

    /// What the driver knows about the device; of caches that is nothing.
    pub fn device(&self) -> Device {
        let DeviceFacts { name, driver, is_cpu, units, work_group_max, local_memory_bytes, .. } =
            self.workbench.facts().clone();
        let facts = self.workbench.facts();
        Device {
            name,
            driver,
            is_cpu,
            units,
            work_group_max,
            local_memory_bytes,
            cache_line_bytes: facts.cache_line_bytes,
            // A processor runs the items of a group one after the other, or in vectors that the compiler chooses.
            warp: if is_cpu { 1 } else { facts.preferred_multiple },
            caches: Vec::new(),
        }
    }

    /// Does a job.
    pub fn run(&mut self, job: &Job) -> Answer {
        let mut answer = Answer::default();
        if let Err((failure, detail)) = self.attempt(job, &mut answer) {
            answer.times.clear();
            answer.failure = Some(failure.name().to_owned());
            answer.detail = detail;
        }
        answer
    }

    fn attempt(&mut self, job: &Job, answer: &mut Answer) -> Result<(), (Failure, String)> {
        let started = Instant::now();
        let built = self.workbench.build(&job.text, &job.options, &job.kernel);
        answer.compile_ms = milliseconds(started);
        let built = built.map_err(explained)?;

        let started = Instant::now();
        let mut buffers: Vec<Option<Buffer>> = Vec::with_capacity(job.arguments.len());
        let mut scalars: Vec<Vec<u8>> = Vec::with_capacity(job.arguments.len());
        for argument in &job.arguments {
            let (mut buffer, mut scalar) = (None, Vec::new());
            match argument {
                JobArgument::Buffer { element, length, contents, .. } => {
                    known(element)?;
                    let bytes = contents::bytes(element, *length, *contents);
                    let made = self.workbench.buffer(bytes.len()).map_err(explained)?;
                    self.workbench.write(&made, &bytes).map_err(explained)?;
                    buffer = Some(made);
                }
                JobArgument::Local { .. } => {}
                JobArgument::Scalar { element, value } => {
                    known(element)?;
                    scalar = contents::scalar(element, *value);
                }
            }
            buffers.push(buffer);
            scalars.push(scalar);
        }
        let arguments: Vec<Argument<'_>> = job
            .arguments
            .iter()
            .zip(&buffers)
            .zip(&scalars)
            .map(|((argument, buffer), scalar)| match (argument, buffer) {
                (JobArgument::Local { bytes }, _) => Argument::Local(*bytes),
                (_, Some(buffer)) => Argument::Buffer(buffer),
                _ => Argument::Scalar(scalar),
            })
            .collect();
        self.workbench.set(&built, &arguments).map_err(explained)?;
        // The first run compiles for the size of the group on some devices, fills caches, and is the one that is checked.
        self.workbench.run(&built, &job.global, &job.local).map_err(explained)?;
        self.check(job, &buffers)?;
        answer.verification_ms = milliseconds(started);

        let started = Instant::now();
        for _ in 0..job.repetitions.max(1) {
            let nanoseconds = self.workbench.run(&built, &job.global, &job.local).map_err(explained)?;
            answer.times.push(nanoseconds as f64 / 1e6);
            if milliseconds(started) > job.enough_ms {
                break;
            }
        }
        answer.benchmark_ms = milliseconds(started);
        Ok(())
    }

    fn check(&mut self, job: &Job, buffers: &[Option<Buffer>]) -> Result<(), (Failure, String)> {
        if job.results == Results::Ignore {
            return Ok(());
        }
        let mut found = Vec::new();
        for (place, (argument, buffer)) in job.arguments.iter().zip(buffers).enumerate() {
            let JobArgument::Buffer { element, compared: Some(how), .. } = argument else { continue };
            let Some(buffer) = buffer else { continue };
            self.workbench.read(buffer, &mut found).map_err(explained)?;
            if job.results == Results::Keep {
                self.reference.insert(place, found.clone());
                continue;
            }
            let Some(expected) = self.reference.get(&place) else { continue };
            if let Some(difference) = compare::difference(element, *how, &found, expected) {
                return Err((Failure::Incorrect, format!("argument {}: {difference}", place + 1)));
            }
        }
        Ok(())
    }
}

fn known(element: &str) -> Result<(), (Failure, String)> {
    let unknown = || (Failure::Launch, format!("the type `{element}` of an argument is not supported"));
    contents::size(element).map(|_| ()).ok_or_else(unknown)
}

fn explained(refusal: Refusal) -> (Failure, String) {
    match refusal {
        Refusal::Compile(log) => (Failure::Compile, log),
        Refusal::LocalMemory(why) => (Failure::LocalMemory, why),
        Refusal::Launch(why) => (Failure::Launch, why),
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
