//! What a run has found so far: it is shown where the run has to end before its work stops.
//!
//! A [`Session`](crate::session::Session) notes every finished result here. Another thread that holds the same [`Interim`] turns the notes
//! into an ordinary report at any moment: results that are finished, the stop for those under work, and for the others that
//! they were not begun. A result is noted as a copy, once, so that the work itself is not held up.

use crate::constants::Swept;
use crate::limits::{self, Allowance};
use crate::outline::Outline;
use crate::points::{Experiment, Point};
use crate::report::{ModelReport, PropertyReport, Report};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, Sources, Span};
use volvelle_logic::ConstantValue;

/// The notes of a run, shared between its thread and those that may have to show them.
#[derive(Clone, Debug, Default)]
pub struct Interim(Arc<Mutex<Notes>>);

/// A report that was made of notes, with what drawing it takes besides.
#[derive(Clone, Debug)]
pub struct Interrupted<R> {
    /// The report.
    pub report: R,
    /// The parts of the model.
    pub outline: Option<Outline>,
    /// The texts that its diagnostics point into.
    pub sources: Sources,
}

#[derive(Debug, Default)]
struct Notes {
    work: Work,
    /// The properties that are being answered: all, or those of some points of a grid.
    rows: Vec<Row>,
    outline: Option<Outline>,
    sources: Sources,
}

#[derive(Debug, Default)]
enum Work {
    /// Nothing is known.
    #[default]
    None,
    /// Properties of one model: the report without its results.
    Properties(Report),
    /// Properties for a grid of values.
    Grid(Grid),
}

#[derive(Debug)]
struct Row {
    report: PropertyReport,
    /// In the text; `None` where nothing follows that would have to be said there.
    place: Option<Span>,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    NotBegun,
    UnderWork,
    Finished,
}

#[derive(Debug)]
struct Grid {
    axes: Vec<Swept>,
    total: usize,
    points: BTreeMap<usize, Point>,
    /// The points that share the rows equally, with their values.
    under_work: Vec<(usize, Vec<ConstantValue>)>,
    models: Vec<ModelReport>,
    diagnostics: Vec<Diagnostic>,
}

impl Row {
    fn finished(result: &PropertyReport) -> Self {
        Row { report: result.clone(), place: None, progress: Progress::Finished }
    }

    /// A property before it is answered. One with errors is finished.
    fn open((report, place): (PropertyReport, Span)) -> Self {
        let has_failed = report.outcome.as_ref().is_err_and(|errors| !errors.is_empty());
        let progress = if has_failed { Progress::Finished } else { Progress::NotBegun };
        Row { report, place: Some(place), progress }
    }

    /// The report where the run ends now.
    fn ended(&self, stop: Stop, allowance: &Allowance) -> PropertyReport {
        let report = self.report.clone();
        match self.progress {
            Progress::Finished => report,
            Progress::UnderWork => {
                let diagnostic = limits::stopped(stop, allowance);
                let diagnostic = match self.place {
                    Some(place) => diagnostic.at(place, ""),
                    None => diagnostic,
                };
                PropertyReport { outcome: Err(vec![diagnostic]), ..report }
            }
            Progress::NotBegun => {
                let outcome = Err(vec![limits::not_begun(stop, allowance)]);
                PropertyReport { outcome, begun: false, ..report }
            }
        }
    }
}

impl Interim {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        // A note is written in one go: what a panic left behind is as good as what was there before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The properties of one model are answered from now on. `report` has no results yet; `rows` has a report for each
    /// property, with its place in the text.
    pub fn begin(
        &self,
        report: Report,
        rows: impl Iterator<Item = (PropertyReport, Span)>,
        outline: Option<Outline>,
        sources: &Sources,
    ) {
        let rows = rows.map(Row::open).collect();
        *self.notes() = Notes { work: Work::Properties(report), rows, outline, sources: sources.clone() };
    }

    /// Properties are answered one after the other, and these have their answers; how many follow is not known.
    pub fn found(&self, report: &Report, sources: &Sources) {
        let rows = report.results.iter().map(Row::finished).collect();
        let work = Work::Properties(Report { results: Vec::new(), ..report.clone() });
        *self.notes() = Notes { work, rows, outline: None, sources: sources.clone() };
    }

    /// More is known than was noted: results and diagnostics of a part of the work.
    pub fn found_more(&self, part: &Report) {
        let notes = &mut *self.notes();
        let Work::Properties(report) = &mut notes.work else { return };
        report.diagnostics.extend(part.diagnostics.iter().cloned());
        notes.rows.extend(part.results.iter().map(Row::finished));
    }

    /// Work on these properties begins.
    pub fn work_on(&self, rows: impl Iterator<Item = usize>) {
        let known = &mut self.notes().rows;
        for i in rows {
            if let Some(row) = known.get_mut(i) {
                row.progress = Progress::UnderWork;
            }
        }
    }

    /// A property is finished.
    pub fn finished(&self, row: usize, result: &PropertyReport) {
        if let Some(row) = self.notes().rows.get_mut(row) {
            row.report = result.clone();
            row.progress = Progress::Finished;
        }
    }

    /// Diagnostics that go with the results noted so far.
    pub fn beside(&self, diagnostics: &[Diagnostic]) {
        match &mut self.notes().work {
            Work::None => {}
            Work::Properties(report) => report.diagnostics.extend_from_slice(diagnostics),
            Work::Grid(grid) => grid.diagnostics.extend_from_slice(diagnostics),
        }
    }

    /// The points of a grid are answered from now on.
    pub fn begin_grid(&self, axes: Vec<Swept>, total: usize, outline: Option<Outline>, sources: &Sources) {
        let grid = Grid {
            axes,
            total,
            points: BTreeMap::new(),
            under_work: Vec::new(),
            models: Vec::new(),
            diagnostics: Vec::new(),
        };
        *self.notes() = Notes { work: Work::Grid(grid), rows: Vec::new(), outline, sources: sources.clone() };
    }

    /// Some points of the grid are answered from now on; each has the same number of rows. `models` are all so far, and that of these
    /// points.
    pub fn begin_points(
        &self,
        points: impl Iterator<Item = (usize, Vec<ConstantValue>)>,
        rows: impl Iterator<Item = (PropertyReport, Span)>,
        (models, model): (&[ModelReport], Option<&ModelReport>),
        sources: &Sources,
    ) {
        let mut notes = self.notes();
        let Notes { work: Work::Grid(grid), rows: known, sources: texts, .. } = &mut *notes else { return };
        grid.under_work = points.collect();
        // Models and diagnostics are only ever added: with all of them anew, each point would take as long as those before it.
        grid.models.truncate(models.len());
        grid.models.extend_from_slice(&models[grid.models.len()..]);
        grid.models.extend(model.cloned());
        *known = rows.map(Row::open).collect();
        // Texts are only ever added.
        if texts.len() != sources.len() {
            texts.clone_from(sources);
        }
    }

    /// The points under work are finished, and these of them have results. `diagnostics` are all so far.
    pub fn finished_points(&self, points: impl Iterator<Item = (usize, Point)>, diagnostics: &[Diagnostic]) {
        let mut notes = self.notes();
        let Notes { work: Work::Grid(grid), rows, .. } = &mut *notes else { return };
        grid.points.extend(points);
        grid.under_work.clear();
        grid.diagnostics.extend_from_slice(diagnostics.get(grid.diagnostics.len()..).unwrap_or_default());
        rows.clear();
    }

    /// The report on the properties of one model, ended now by `stop`. `None` if no such work was begun.
    pub fn report(&self, stop: Stop, allowance: &Allowance) -> Option<Interrupted<Report>> {
        let Notes { work: Work::Properties(report), rows, outline, sources } = &*self.notes() else {
            return None;
        };
        let results = rows.iter().map(|row| row.ended(stop, allowance)).collect();
        let mut report = Report { results, stop: Some(stop), ..report.clone() };
        if rows.iter().all(|row| row.progress == Progress::Finished) {
            // No row says what ended the run.
            report.diagnostics.push(limits::stopped(stop, allowance));
        }
        Some(Interrupted { report, outline: outline.clone(), sources: sources.clone() })
    }

    /// The points of a grid of which something is known, ended now by `stop`. `None` if no such work was begun.
    pub fn experiment(&self, stop: Stop, allowance: &Allowance) -> Option<Interrupted<Experiment>> {
        let Notes { work: Work::Grid(grid), rows, outline, sources } = &*self.notes() else { return None };
        let mut points = grid.points.clone();
        let number = rows.len() / grid.under_work.len().max(1);
        for ((i, values), rows) in grid.under_work.iter().zip(rows.chunks(number.max(1))) {
            if rows.iter().any(|row| row.progress == Progress::Finished) {
                let results = rows.iter().map(|row| row.ended(stop, allowance)).collect();
                points.insert(*i, Point::new(&grid.axes, values.clone(), results));
            }
        }
        let mut experiment = Experiment {
            axes: grid.axes.clone(),
            total: grid.total,
            points: points.into_values().collect(),
            models: grid.models.clone(),
            diagnostics: grid.diagnostics.clone(),
            stop: Some(stop),
        };
        experiment.note_stop(allowance);
        Some(Interrupted { report: experiment, outline: outline.clone(), sources: sources.clone() })
    }
}
