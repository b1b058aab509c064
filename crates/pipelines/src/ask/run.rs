//! A run of a pipeline in progress: the systems that it has, what it used, and what it found.

use super::cache::Cache;
use super::kept::Kept;
use crate::Pipeline;
use crate::options::RunPipeline;
use std::path::PathBuf;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::{Settings, limits};
use volvelle_systems::AskedFormula;

/// A run in progress.
pub struct Run<'a> {
    /// Its options.
    pub args: &'a RunPipeline,
    /// The pipeline.
    pub pipeline: &'a Pipeline,
    /// The folder of the pipeline.
    pub base: PathBuf,
    /// The folder of kept systems.
    pub cache: Cache,
    /// How precisely questions are answered.
    pub settings: Settings,
    /// Limits.
    pub control: &'a Control<'a>,
    /// By step, then by point.
    pub kept: Vec<Vec<Kept>>,
    /// By step, the formula that it checks.
    pub formulas: Vec<Option<AskedFormula>>,
    /// Diagnostics, each lot with the texts that they point into.
    pub found: Vec<(Vec<Diagnostic>, Sources)>,
    /// Names of files that were written.
    pub written: Vec<String>,
    /// The limit that was reached.
    pub stop: Option<Stop>,
    /// Constants of the pipeline that something used.
    pub used: Vec<bool>,
}

impl Run<'_> {
    /// Notes diagnostics that point into these texts.
    pub fn note(&mut self, found: Vec<Diagnostic>, sources: &Sources) {
        if !found.is_empty() {
            self.found.push((found, sources.clone()));
        }
    }

    /// Notes the limit that was reached.
    pub fn stopped(&mut self, stop: Stop) {
        self.stop = self.stop.or(Some(stop));
        self.note(vec![limits::stopped(stop, &self.settings.allowance)], &Sources::new());
    }
}
