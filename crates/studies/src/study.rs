//! Studies, from their texts to the answers about all configurations, or to a model of the first one.

use crate::report::{ConfigurationReport, StudyReport};
use crate::wanted::Wanted;
use crate::{explored, functional, timed};
use std::time::Instant;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_mpi::lower::{View, lower};
use volvelle_session::Folder;
use volvelle_session::settings::Settings;
use volvelle_session::study::{Loaded, Ready};

/// A study whose texts are read.
pub struct Study {
    /// The texts.
    pub sources: Sources,
    loaded: Option<Loaded>,
    diagnostics: Vec<Diagnostic>,
}

impl Study {
    /// Reads a study and its configurations; programs and protocols are read with `folder`.
    pub fn open(name: &str, text: String, wanted: &Wanted, folder: &mut dyn Folder) -> Self {
        let mut sources = Sources::new();
        let mut diagnostics = Vec::new();
        let loaded = Loaded::read(name, text, &wanted.parameters, folder, &mut sources, &mut diagnostics);
        Study { sources, loaded, diagnostics }
    }

    /// The first configuration, or what is wrong with the study.
    fn first(&self) -> Result<&Ready, Vec<Diagnostic>> {
        let first = self.loaded.as_ref().and_then(|loaded| loaded.configurations.first());
        first.ok_or_else(|| self.diagnostics.clone())
    }

    /// The first configuration as a LOTOS specification.
    ///
    /// # Errors
    /// What is wrong with the study, or what LOTOS cannot say.
    pub fn lotos(&self) -> Result<String, Vec<Diagnostic>> {
        let first = self.first()?;
        let written = volvelle_mpi::lotos::specification(&first.system, &first.machine);
        written.map(|written| written.text).map_err(|refusal| vec![refusal.diagnostic()])
    }

    /// The first configuration as a labelled transition system of all interleavings of accesses, latencies and ends of accesses.
    ///
    /// # Errors
    /// What is wrong with the study, or the limit that was reached.
    pub fn system(
        &self,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<volvelle_space::Lts, (Vec<Diagnostic>, Option<Stop>)> {
        let first = self.first().map_err(|found| (found, None))?;
        let lowered = lower(&first.system, &first.machine, View::Interleaved);
        let explored = timed::explored(&lowered.program, settings, control);
        explored.map(|(lts, _)| lts).map_err(|(diagnostic, stop)| (vec![diagnostic], stop))
    }

    /// The first configuration as an interactive Markov chain: everything is urgent but the latencies, which have rates.
    ///
    /// # Errors
    /// What is wrong with the study, or the limit that was reached.
    pub fn chain(
        &self,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<volvelle_space::Lts, (Vec<Diagnostic>, Option<Stop>)> {
        let first = self.first().map_err(|found| (found, None))?;
        timed::chain_of(first, settings, control).map_err(|(diagnostic, stop)| (vec![diagnostic], stop))
    }

    /// Verifies and computes everything.
    pub fn run(&self, wanted: &Wanted, settings: &Settings, control: &Control<'_>) -> StudyReport {
        let mut report = StudyReport { diagnostics: self.diagnostics.clone(), ..StudyReport::default() };
        let Some(loaded) = &self.loaded else { return report };
        report.title.clone_from(&loaded.outline.title);
        report.file.clone_from(&loaded.name);
        report.parameters =
            loaded.outline.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let mut verified = functional::Known::default();
        let mut explored = explored::Known::default();
        for configuration in &loaded.configurations {
            let started = Instant::now();
            let mut result = ConfigurationReport::new(configuration);
            if !wanted.without_verification {
                match verified.verify(configuration, &self.sources, settings, control) {
                    Ok((number, diagnostics)) => {
                        result.verified = Some(number);
                        report.diagnostics.extend(diagnostics);
                    }
                    Err(stop) => {
                        report.stop(stop.0, stop.1);
                        break;
                    }
                }
            }
            let is_wrong = result.verified.is_some_and(|number| verified.all[number].has_errors());
            if !wanted.without_performance && !is_wrong {
                match explored.performance(configuration, wanted, &self.sources, settings, control) {
                    Ok(performance) => {
                        if performance.ends.is_some_and(|ends| ends > 1) {
                            warn_of_ends(&mut report, performance.ends.unwrap_or(0));
                        }
                        if performance.is_partial {
                            warn_of_accesses(&mut report);
                        }
                        result.performance = Some(performance);
                    }
                    Err((diagnostic, stop)) => {
                        report.stop(diagnostic, stop);
                        result.took = started.elapsed();
                        report.configurations.push(result);
                        if stop.is_some() {
                            break;
                        }
                        continue;
                    }
                }
            }
            result.took = started.elapsed();
            report.configurations.push(result);
        }
        report.explorations = explored.count();
        report.verified = verified.all;
        report.unit =
            loaded.configurations.first().map_or(String::new(), |first| first.settings.unit.clone());
        report.what =
            loaded.configurations.first().map_or(String::new(), |first| first.settings.measure.what.clone());
        report
    }
}

/// Warns that the long run depends on how things begin.
fn warn_of_ends(report: &mut StudyReport, ends: usize) {
    let message = format!("in the long run a program stays in one of {ends} sets of states");
    let warning = Diagnostic::warning(codes::MPI_CHOICE, message)
        .note("which one depends on the order in which processes start, or on chance")
        .note("numbers are those of a start in the order of the processes: means over what chance decides")
        .help("begin with a barrier, or with different states of the processes, if that is not meant");
    if !report.diagnostics.contains(&warning) {
        report.diagnostics.push(warning);
    }
}

/// Warns that accesses are not told.
fn warn_of_accesses(report: &mut StudyReport) {
    let message = "no distribution of the states is found: the time is known, but no accesses and no misses";
    let warning = Diagnostic::warning(codes::PRECISION_NOT_REACHED, message)
        .help("ask for less: `--precision 1e-3`; or estimate the time: `--simulate`");
    if !report.diagnostics.contains(&warning) {
        report.diagnostics.push(warning);
    }
}
