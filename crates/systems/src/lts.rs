//! All states of a Promela model: how many there are, and as a labelled transition system.
//!
//! Counting is what the search does, without reductions. The states of the transition system include those inside atomic
//! sequences, because each statement is a transition of its own. Without such sequences the counts are the same, and the
//! states are built only once.

use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, has_errors};
use volvelle_explicit::{Column, Integers, Variable};
use volvelle_explore::{Processes, Reached, States, TabulateError, Tabulated};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_lts::LabelledStates;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_search::{Outcome, bfs};
use volvelle_searches::{self, Counts, SearchSettings, failures};
use volvelle_session::Model;
use volvelle_session::engine;
use volvelle_session::language::{ProcessDocument, ShowSteps};
use volvelle_session::limits;
use volvelle_session::report::{ModelReport, Report};

/// Counts states and transitions of processes; with `wanted`, gives them.
pub fn explore_processes(
    model: &mut Model,
    wanted: bool,
    settings: &SearchSettings,
    control: &Control<'_>,
) -> (Report, Option<LabelledStates>) {
    first_states_of_processes(model, wanted, usize::MAX, settings, control)
}

/// The same, but once more states than `enough` are known, no more of them are expanded.
pub fn first_states_of_processes(
    model: &mut Model,
    wanted: bool,
    enough: usize,
    settings: &SearchSettings,
    control: &Control<'_>,
) -> (Report, Option<LabelledStates>) {
    model.lower();
    let mut report = Report { diagnostics: std::mem::take(&mut model.diagnostics), ..Report::default() };
    let (Some(program), Some(document)) = (model.program(), model.processes()) else {
        return (report, None);
    };
    if has_errors(&report.diagnostics) {
        return (report, None);
    }
    let native = engine::native(settings.tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let wanted = wanted.then_some(enough);
    match labelled_states(model, (program, document), compiler, wanted, settings, control, &mut report) {
        Ok(lts) => (report, lts),
        Err(diagnostic) => {
            report.diagnostics.push(diagnostic);
            (report, None)
        }
    }
}

fn labelled_states(
    model: &Model,
    (program, document): (&Program, &dyn ProcessDocument),
    compiler: &dyn Compiler,
    wanted: Option<usize>,
    settings: &SearchSettings,
    control: &Control<'_>,
    report: &mut Report,
) -> Result<Option<LabelledStates>, Diagnostic> {
    let tier = compiler.name();
    let made = |error| failures::not_made(document, &model.sources, &error);
    let system = Processes::new(program, NetworkOptions::default(), compiler, volvelle_searches::PATIENCE)
        .map_err(made)?;
    let Some(enough) = wanted else {
        return count(model, system, document, tier, settings, control, report).map(|()| None);
    };
    let (system, table) = system.tabulated(&[], States::EveryStatement, enough, control).map_err(made)?;
    let table = match table {
        Ok(table) => table,
        Err(TabulateError::Stopped { stop, reached }) => {
            let Reached { states, transitions, bytes, .. } = reached;
            let counts = Counts { states, transitions, bytes };
            let found = volvelle_searches::processes_report(model, &system, tier, &counts);
            report.model = Some(ModelReport { complete: false, ..found });
            return Err(stopped(stop, settings, report));
        }
        Err(TabulateError::TooLarge) => return Err(failures::too_large()),
        Err(TabulateError::LayoutOverflow) => unreachable!("the system was made larger"),
    };
    let counts = Counts {
        states: table.states.len() as u64,
        transitions: table.num_steps() as u64,
        bytes: table.bytes(),
    };
    let is_whole = table.expanded == table.states.len();
    let unexpanded = (!is_whole).then(|| (table.states.len() - table.expanded) as u64);
    let found = volvelle_searches::processes_report(model, &system, tier, &counts);
    report.model = Some(ModelReport { unexpanded, ..found });
    let lts = document.steps(&model.sources, system.layout()).map(|steps| {
        let label = |step, before: &[u64], after: &[u64]| steps.label(step, before, after);
        volvelle_lts::labelled(&table, &label, variables(&table, &*steps), control)
    });
    let lts = lts.transpose().map_err(|stop| stopped(stop, settings, report))?;
    if table.has_states_inside && is_whole {
        // The same counts as without files: those of the states that a search stores. The table does not tell them,
        // because a search takes several statements at once.
        drop(table);
        count(model, system, document, tier, settings, control, report)?;
    }
    Ok(lts)
}

/// Counts states and transitions by a search without reductions, which stores no states inside atomic sequences.
fn count(
    model: &Model,
    system: Processes<'_>,
    document: &dyn ProcessDocument,
    tier: &'static str,
    settings: &SearchSettings,
    control: &Control<'_>,
    report: &mut Report,
) -> Result<(), Diagnostic> {
    // Errors are not looked for, and what is behind them is a part of the model.
    let search =
        bfs::Options { all_errors: true, max_depth: None, no_trails: true, listing: Default::default() };
    let (system, found) = system
        .searched(|system| bfs::search(system, &search, control), |found| found.outcome)
        .map_err(|error| failures::not_made(document, &model.sources, &error))?;
    report.model = Some(volvelle_searches::searched(model, &system, tier, &found));
    match found.outcome {
        Outcome::Stopped(stop) => Err(stopped(stop, settings, report)),
        Outcome::TooLarge => Err(failures::too_large()),
        _ => Ok(()),
    }
}

/// Notes the limit that ended the work.
fn stopped(stop: Stop, settings: &SearchSettings, report: &mut Report) -> Diagnostic {
    report.stop = Some(stop);
    limits::stopped(stop, &settings.allowance)
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
