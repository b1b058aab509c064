//! Devices that run paths beside the threads, or in their place.
//!
//! A device that somebody asked for gets its kernels at once. One that nobody asked for gets them when sampling has taken as long
//! as that may take: what is lost by that is never more than what had to be done anyhow. How many paths a device gets at once is
//! measured, so that it comes back several times a second; and where it works for long, other ways to run paths are tried, and
//! the fastest is kept (`tiers::Scores`). A device that fails is not asked again; others run its paths.

mod station;

use super::complaints;
use super::tiers::Account;
use crate::devices::Devices;
use station::Station;
use std::sync::Arc;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_simulate::engine::Remote;
use volvelle_simulate::path::Plan;

/// The devices that run the paths of a plan.
pub(super) struct Crew {
    stations: Vec<Station>,
    threads_too: bool,
}

impl Crew {
    /// Devices for the paths of a plan.
    pub fn new(devices: &Devices, plan: &Arc<Plan>, control: &Control<'_>) -> Self {
        let station = |member| Station::new(member, plan, control.limits.deadline);
        Crew {
            stations: devices.members().iter().map(station).collect(),
            threads_too: !devices.are_without_threads(),
        }
    }

    /// For sampling.
    pub fn remotes(&self) -> Vec<&dyn Remote> {
        self.stations.iter().map(|station| station as &dyn Remote).collect()
    }

    /// Whether threads work as well.
    pub fn threads_too(&self) -> bool {
        self.threads_too
    }

    /// Waits for the kernels of those that somebody asked for; gives when there was nothing left to wait for.
    pub fn make_ready(&self, control: &Control<'_>) -> Instant {
        for station in &self.stations {
            // Whoever cannot get ready says so later.
            station.is_ready(&|| control.check().is_ok());
        }
        Instant::now()
    }

    /// Until when paths are run, from now on.
    pub fn until(&self, deadline: Option<Instant>) {
        self.stations.iter().for_each(|station| station.until(deadline));
    }

    /// What ran the paths, given what threads did.
    pub fn account(&self, mut threads: Account) -> Account {
        for work in self.stations.iter().filter_map(Station::work) {
            threads.facts.extend(work.facts);
            if work.steps > threads.steps {
                threads.tier = work.name;
                threads.steps = work.steps;
            }
        }
        threads
    }

    /// Devices that failed, in words.
    pub fn troubles(&self) -> Vec<Diagnostic> {
        let troubles = self.stations.iter().filter_map(Station::trouble);
        troubles.map(|(name, error)| complaints::of_device(&name, &error)).collect()
    }
}
