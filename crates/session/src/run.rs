//! A run: what works on a question besides the threads of this process, and which part of the work is done here.

use crate::campaign::{PathCampaign, PathWork, PointCampaign, PointWork, Saver};
use crate::choices::Choices;
use crate::cluster;
use crate::interim::Interim;
use crate::sweeping;
use crate::weighting::Weighting;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use volvelle_campaign::{Body, Section};
use volvelle_control::{Control, TaskSharing};
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::Ranks;
use volvelle_markov::Sweeps;
use volvelle_runtime::{Devices, Network};

/// How a run goes on: choices that paths take, devices, processes, and the part of a campaign. The default is all of the work on the
/// threads of this process. How precisely something is computed stands in `Settings`, which an analysis may change for a part of it.
#[derive(Default)]
pub struct Run {
    /// How choices are resolved where paths are simulated.
    pub choices: Choices,
    /// Devices that run paths besides threads.
    pub devices: Devices,
    /// The device that multiplies vectors by matrices in place of threads.
    pub sweeps: Option<Sweeps>,
    /// What becomes weights where the model is made a weighted structure.
    pub weighting: Weighting,
    /// What the run has found so far: a clone is for another thread, which may have to show it.
    pub interim: Interim,
    /// Which paths are run here.
    paths: Mutex<PathCampaign>,
    /// Which points of a grid are computed here.
    pub points: PointCampaign,
    /// Processes that work on the run together.
    pub ranks: Option<Ranks>,
}

impl Run {
    /// Says which devices run paths; the first makes the sweeps of numerical analyses.
    pub fn set_devices(&mut self, devices: Devices) {
        self.sweeps = sweeping::sweeps(&devices);
        self.devices = devices;
    }

    /// Lets processes of a network work on the run together; all of them open the same session, and the first has the answers.
    pub fn set_network(&mut self, network: Arc<dyn Network>) {
        self.ranks = (network.size() > 1).then(|| Ranks::new(network));
    }

    /// Control of work whose tasks the processes share.
    pub fn sharing<'c>(&'c self, control: &Control<'c>) -> Control<'c> {
        let sharing = self.ranks.as_ref().map(|ranks| ranks as &dyn TaskSharing);
        Control { sharing, ..*control }
    }

    /// Remarks about processes that are gone, which had such tasks.
    pub fn lost_ranks(&self, tasks: &str) -> Vec<Diagnostic> {
        self.ranks.as_ref().map(|ranks| cluster::lost(ranks, tasks)).unwrap_or_default()
    }

    /// Says which paths are run here, and which are known; `saver` is told of them as they grow.
    pub fn set_path_work(&mut self, work: PathWork, saver: Option<Box<dyn Saver>>) {
        self.paths = Mutex::new(PathCampaign::new(work, saver));
    }

    /// Says which points of a grid are computed here, and which are known; `saver` is told of them as they grow.
    pub fn set_point_work(&mut self, work: PointWork, saver: Option<Box<dyn Saver>>) {
        self.points = PointCampaign::new(work, saver);
    }

    /// What was computed of the points of a grid.
    pub fn computed_points(&self) -> Body {
        self.points.body()
    }

    /// What is known of the paths of each estimation.
    pub fn path_sections(&self) -> Vec<Section> {
        self.path_campaign().sections().to_vec()
    }

    /// First path and the path after the last that the next round has to run, for each estimation; `None` if there are enough.
    pub fn next_round(&self) -> Option<Vec<[u64; 2]>> {
        self.path_campaign().next_round()
    }

    /// The paths that are run here and those that are known.
    pub fn path_campaign(&self) -> MutexGuard<'_, PathCampaign> {
        // A panic ends the run, and what was saved before it stands.
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Others may wait for work.
        if let Some(ranks) = &self.ranks {
            ranks.end();
        }
    }
}
