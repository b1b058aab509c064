//! All states of a model of processes: how many there are, and as a labelled transition system.
//!
//! Counting is what the search does, without reductions. The states of the transition system include those inside atomic
//! sequences, because each statement is a transition of its own.

use crate::engine;
use crate::language::{ProcessDocument, ShowSteps};
use crate::limits;
use crate::report::Report;
use crate::search::{self, SearchSettings, failures};
use crate::session::{Session, has_errors};
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_explicit::{Column, Integers, Variable};
use volvelle_explore::{Processes, States, TabulateError, Tabulated};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_lts::Lts;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_search::{Outcome, bfs};

impl Session {
    /// Counts states and transitions of processes; with `wanted`, gives them.
    pub fn explore_processes(
        &mut self,
        wanted: bool,
        settings: &SearchSettings,
        control: &Control<'_>,
    ) -> (Report, Option<Lts>) {
        self.lower();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        let (Some(program), Some(document)) = (self.program(), self.processes()) else {
            return (report, None);
        };
        if has_errors(&report.diagnostics) {
            return (report, None);
        }
        let native = engine::native(settings.tier);
        let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
        match self.transition_system((program, document), compiler, wanted, settings, control, &mut report) {
            Ok(lts) => (report, lts),
            Err(diagnostic) => {
                report.diagnostics.push(diagnostic);
                (report, None)
            }
        }
    }

    fn transition_system(
        &self,
        (program, document): (&Program, &dyn ProcessDocument),
        compiler: &dyn Compiler,
        wanted: bool,
        settings: &SearchSettings,
        control: &Control<'_>,
        report: &mut Report,
    ) -> Result<Option<Lts>, Diagnostic> {
        let made = |error| failures::not_made(document, &self.sources, &error);
        let system =
            Processes::new(program, NetworkOptions::default(), compiler, search::PATIENCE).map_err(made)?;
        // Errors are not looked for, and what is behind them is a part of the model.
        let search = bfs::Options { all_errors: true, max_depth: None, no_trails: true };
        let (system, found) = system
            .searched(|system| bfs::search(system, &search, control), |found| found.outcome)
            .map_err(made)?;
        report.model = Some(self.searched(&system, compiler.name(), &found));
        let mut stopped = |stop| {
            report.stop = Some(stop);
            limits::stopped(stop, &settings.allowance)
        };
        match found.outcome {
            Outcome::Stopped(stop) => return Err(stopped(stop)),
            Outcome::TooLarge => return Err(failures::too_large()),
            _ if !wanted => return Ok(None),
            _ => {}
        }
        let (system, table) = system.tabulated(&[], States::EveryStatement, control).map_err(made)?;
        let table = match table {
            Ok(table) => table,
            Err(TabulateError::Stopped { stop, .. }) => return Err(stopped(stop)),
            Err(TabulateError::TooLarge) => return Err(failures::too_large()),
            Err(TabulateError::LayoutOverflow) => unreachable!("the system was made larger"),
        };
        let steps = document.steps(&self.sources, system.layout());
        let labelled = steps.map(|steps| {
            let label = |step, before: &[u64], after: &[u64]| steps.label(step, before, after);
            volvelle_lts::labelled(&table, &label, variables(&table, &*steps), control)
        });
        labelled.transpose().map_err(stopped)
    }
}

/// The global variables, with their value in each state of a table.
fn variables(table: &Tabulated, steps: &dyn ShowSteps) -> Vec<Variable> {
    let states = &table.states;
    let variables = steps.globals().into_iter().map(|global| Variable {
        name: global.name,
        values: Column::Int((0..states.len()).map(|s| (global.value)(states.get(s))).collect::<Integers>()),
        present: None,
        bounds: Some(global.bounds),
    });
    variables.collect()
}
