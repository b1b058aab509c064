//! The device pool: devices that run paths beside the threads, or instead of them.
//!
//! A device named by the user gets its kernels at once. Any other device gets them when sampling has taken as
//! long as compiling may take, so that a device that does not pay costs at most half of the time. The number
//! of paths per launch adapts to the measured speed, so that the device reports several times per second. If
//! a device works for long, other kernel layouts are tried, and the fastest is kept
//! ([`crate::tiers::throughput`]). A device that fails gets no more paths; the threads run those that it did
//! not finish.

mod failure;
mod worker;

pub use failure::DeviceFailure;

use crate::tiers::TierUsage;
use std::sync::Arc;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_runtime::Devices;
use volvelle_simulate::engine::Remote;
use volvelle_simulate::path::Plan;
use worker::DeviceWorker;

/// The devices that run the paths of a plan.
pub struct DevicePool {
    workers: Vec<DeviceWorker>,
    with_threads: bool,
}

impl DevicePool {
    /// The devices, with a worker each, for the paths of a plan.
    pub fn new(devices: &Devices, plan: &Arc<Plan>, control: &Control<'_>) -> Self {
        let worker = |device| DeviceWorker::new(device, plan, control.limits.deadline);
        DevicePool {
            workers: devices.members().iter().map(worker).collect(),
            with_threads: !devices.are_without_threads(),
        }
    }

    /// The workers, as sampling uses them.
    pub fn remotes(&self) -> Vec<&dyn Remote> {
        self.workers.iter().map(|worker| worker as &dyn Remote).collect()
    }

    /// Whether threads run paths as well.
    pub fn with_threads(&self) -> bool {
        self.with_threads
    }

    /// Waits until the kernels of all workers are compiled. Returns the time of this.
    pub fn prepare(&self, control: &Control<'_>) -> Instant {
        for worker in &self.workers {
            // A worker that fails reports it through `failures`.
            worker.is_ready(&|| control.check().is_ok());
        }
        Instant::now()
    }

    /// Sets the time at which sampling ends.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        self.workers.iter().for_each(|worker| worker.set_deadline(deadline));
    }

    /// The usage of all tiers, given that of the threads: the name of the one with most steps, and the facts
    /// of all.
    pub fn usage(&self, mut threads: TierUsage) -> TierUsage {
        for work in self.workers.iter().filter_map(DeviceWorker::work) {
            threads.facts.extend(work.facts);
            if work.steps > threads.steps {
                threads.tier = work.name;
                threads.steps = work.steps;
            }
        }
        threads
    }

    /// The devices that the user named and that failed.
    pub fn failures(&self) -> Vec<DeviceFailure> {
        self.workers.iter().filter_map(DeviceWorker::failure).collect()
    }
}
