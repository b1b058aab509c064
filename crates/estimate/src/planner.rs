//! Plans of an estimation: the code of its paths, for all measures or for the remaining ones.

use crate::settings::{PathTier, Sampling};
use std::sync::Arc;
use volvelle_model::Program;
use volvelle_runtime::Devices;
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::table::Table;

/// The input of plans, and the engines that run them.
pub(crate) struct Planner<'a> {
    pub program: &'a Program,
    pub measures: &'a [Measure],
    pub automata: &'a [MonitorAutomaton],
    pub resolution: &'a Resolution,
    pub table: Option<&'a Arc<Table>>,
    pub sampling: &'a Sampling,
    pub tier: PathTier,
    pub devices: &'a Devices,
}

impl Planner<'_> {
    /// The plan for some measures. `clock` says whether the first plan drew times; all others then do as
    /// well.
    pub fn plan(&self, wanted: &[usize], clock: &mut Option<bool>) -> Result<Plan, Unsupported> {
        let measures = wanted.iter().map(|&measure| self.measures[measure]).collect();
        let (program, automata) = (self.program.clone(), self.automata.to_vec());
        let generator = self.sampling.generator;
        let mut plan = match self.table {
            Some(table) => Plan::tabled(program, Arc::clone(table), measures, automata, generator)?,
            None => Plan::resolved(program, measures, automata, generator, self.resolution)?,
        };
        plan.clock = *clock.get_or_insert(plan.clock);
        Ok(plan)
    }
}
