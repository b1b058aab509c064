//! Experiments: the same properties for a grid of values of constants.
//!
//! The grid has a point for every combination of values, the constant that was named last changing fastest. Points
//! that agree in the constants of the model share its state space, and all their properties are answered from it;
//! those that differ in nothing but times are answered together ([`volvelle_markov::check_many`]). Points whose models
//! differ in probabilities, rates and rewards only take over the states of the point before ([`crate::sweep`]). A point that
//! fails costs only itself. A limit, or a wish to stop, ends the experiment: the points that are done are there.

use crate::sweep::Sweep;
use std::collections::{BTreeMap, HashMap};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes, has_errors};
use volvelle_estimate::ranks::TaskHost;
use volvelle_logic::ConstantValue;
use volvelle_session::campaign::{GroupRecord, GroupTask};
use volvelle_session::constants::Swept;
use volvelle_session::outline::{ConstantType, Outline};
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::points::{Experiment, Point, ends_all};
use volvelle_session::report::{ModelReport, PropertyReport};
use volvelle_session::{Session, Settings};

/// Points that an experiment may have.
const MOST_POINTS: usize = 1_000_000;

/// The grid of all combinations of values.
struct Grid<'a> {
    axes: Vec<&'a Swept>,
}

impl<'a> Grid<'a> {
    fn new(swept: &'a [Swept]) -> Self {
        Grid { axes: swept.iter().filter(|s| s.is_sweep).collect() }
    }

    /// Number of points; `None` if it is beyond all measure.
    fn len(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()))
    }

    /// The values of a point; the last axis changes fastest.
    fn values(&self, mut point: usize) -> Vec<ConstantValue> {
        let mut values = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            values.push(axis.values[point % axis.values.len()].clone());
            point /= axis.values.len();
        }
        values.reverse();
        values
    }

    /// Points that share a state space. Groups that agree in the constants that are no `double` follow each other, as
    /// `double` constants are rates and probabilities, as a rule, and then states can be taken over; else the order is
    /// that of their first points.
    fn groups(&self, outline: Option<&Outline>, total: usize) -> Vec<Vec<usize>> {
        // Of each axis whether it is a constant of the model, and if so whether it is a `double`.
        let of_model: Vec<Option<bool>> = self
            .axes
            .iter()
            .map(|axis| {
                let mut constants = outline.iter().flat_map(|o| &o.constants);
                constants
                    .find(|c| c.name == axis.name && !c.in_properties)
                    .map(|c| c.ty == ConstantType::Double)
            })
            .collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<Vec<String>, usize> = HashMap::new();
        let mut structures: HashMap<Vec<String>, usize> = HashMap::new();
        let mut structure_of: Vec<usize> = Vec::new();
        for point in 0..total {
            let values = self.values(point);
            let part = |wanted: fn(bool) -> bool| -> Vec<String> {
                let values = values.iter().zip(&of_model);
                values
                    .filter(|(_, double)| double.is_some_and(wanted))
                    .map(|(v, _)| v.text().to_owned())
                    .collect()
            };
            let number = *known.entry(part(|_| true)).or_insert_with(|| {
                let next = structures.len();
                structure_of.push(*structures.entry(part(|double| !double)).or_insert(next));
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[number].push(point);
        }
        let mut ordered: Vec<(usize, Vec<usize>)> = structure_of.into_iter().zip(groups).collect();
        ordered.sort_by_key(|(structure, _)| *structure);
        ordered.into_iter().map(|(_, group)| group).collect()
    }
}

/// Checks properties for all combinations of the values of constants.
pub fn experiment(
    session: &mut Session,
    wanted: &[String],
    settings: &Settings,
    control: &Control<'_>,
) -> Experiment {
    let swept = session.model.swept.clone();
    let mut experiment = grid(session, &swept, wanted, settings, control, None);
    experiment.name_points();
    experiment.note_stop(&settings.allowance);
    experiment
}

/// Checks properties for all combinations of these values; the states of the last point stay in `kept`.
pub fn grid(
    session: &mut Session,
    swept: &[Swept],
    wanted: &[String],
    settings: &Settings,
    control: &Control<'_>,
    kept: Option<&mut Sweep>,
) -> Experiment {
    let grid = Grid::new(swept);
    let axes: Vec<Swept> = grid.axes.iter().map(|&axis| axis.clone()).collect();
    let diagnostics = std::mem::take(&mut session.model.diagnostics);
    let total = grid.len().unwrap_or(usize::MAX);
    let mut experiment = Experiment { axes: axes.clone(), total, diagnostics, ..Experiment::default() };
    if total > MOST_POINTS {
        experiment.diagnostics.push(
            Diagnostic::error(
                codes::BAD_CONST_OPTION,
                "the ranges of values give more than a million points",
            )
            .help("increase a step, or leave a range out"),
        );
    }
    if session.model.refused || has_errors(&experiment.diagnostics) {
        return experiment;
    }
    let mut results: Vec<Option<Vec<PropertyReport>>> = (0..total).map(|_| None).collect();
    let mut done = 0;
    let outline =
        session.model.document.as_ref().and_then(|document| document.outline(&session.model.sources));
    let groups = grid.groups(outline.as_ref(), total);
    session.run.interim.begin_grid(axes.clone(), total, outline, &session.model.sources);
    let mut own = (groups.len() > 1).then(Sweep::default);
    let mut sweep = kept.or(own.as_mut());
    let run = Run { grid: &grid, groups: &groups, wanted, settings, control };
    if settings.sampling.is_none() && groups.len() > 1 && !with_ranks(session, &run, &mut experiment) {
        return experiment;
    }
    for (number, group) in groups.iter().enumerate() {
        let task = session.run.points.task(number);
        match (&task, control.check()) {
            (GroupTask::Skip, _) => continue,
            // What is known costs nothing.
            (GroupTask::Compute, Err(stop)) => {
                experiment.stop = experiment.stop.or(Some(stop));
                session.run.points.end_early();
                continue;
            }
            _ => {}
        }
        let is_known = matches!(task, GroupTask::Known(_));
        let sweep = sweep.as_deref_mut();
        let known = match task {
            GroupTask::Known(record) => Some(*record),
            GroupTask::Compute | GroupTask::Skip => None,
        };
        let place = Place { number, points: group, is_for_others: false };
        let go_on = computed_group(session, &run, place, sweep, known, &mut experiment, &mut results);
        done += group.len();
        let point = |i: usize| Some((i, Point::new(&axes, grid.values(i), results[i].clone()?)));
        session.run.interim.finished_points(group.iter().filter_map(|&i| point(i)), &experiment.diagnostics);
        control.progress.report(ProgressEvent::Points { done: done as u64, total: total as u64 });
        if !go_on && !is_known {
            session.run.points.end_early();
            if !matches!(experiment.stop, Some(Stop::Timeout | Stop::Cancelled)) {
                break;
            }
        }
    }
    let points = results.into_iter().enumerate();
    experiment.points =
        points.filter_map(|(i, results)| Some(Point::new(&axes, grid.values(i), results?))).collect();
    experiment
}

/// Shares groups with other ranks, if there are any. The leader then knows what all of them computed; whether this process goes on.
fn with_ranks(session: &mut Session, run: &Run<'_>, experiment: &mut Experiment) -> bool {
    let Some(ranks) = session.run.ranks.take() else { return true };
    let leads = ranks.leads();
    let tasks =
        (0..run.groups.len()).filter(|&group| matches!(session.run.points.task(group), GroupTask::Compute));
    let tasks: Vec<u64> = tasks.map(|group| group as u64).collect();
    let results = (0..experiment.total).map(|_| None).collect();
    let mut host = GroupHost { session, run, sweep: Sweep::default(), results };
    if leads {
        let results = ranks.share_tasks(tasks, run.control, &mut host);
        session.run.points.add_known(results);
    } else if let Err(error) = ranks.serve_tasks(&mut host) {
        ranks.abandon(&error);
    }
    session.run.ranks = Some(ranks);
    experiment.diagnostics.extend(session.run.lost_ranks("points"));
    leads
}

/// Answers the points of one state space; tells whether there is a point in going on.
fn computed_group(
    session: &mut Session,
    run: &Run<'_>,
    Place { number: place, points: group, is_for_others }: Place<'_>,
    sweep: Option<&mut Sweep>,
    known: Option<GroupRecord>,
    experiment: &mut Experiment,
    results: &mut [Option<Vec<PropertyReport>>],
) -> bool {
    let Run { grid, wanted, settings, control, .. } = *run;
    session.model.started = std::time::Instant::now();
    let mut all: Vec<Pending> = Vec::new();
    let mut number = 0;
    let mut reason: Option<Diagnostic> = None;
    for (k, &point) in group.iter().enumerate() {
        let values = grid.values(point);
        for (axis, value) in grid.axes.iter().zip(&values) {
            let given = session.model.given.iter_mut().filter(|given| given.name == axis.name);
            given.for_each(|given| given.value.clone_from(value));
        }
        let mut complaints = Vec::new();
        if k == 0 {
            if !session.model.lower() {
                complaints.append(&mut session.model.diagnostics);
                reason = complaints.iter().find(|d| d.severity == Severity::Error).cloned();
                if mentions_open(&complaints) || reason.is_none() {
                    experiment.diagnostics.append(&mut complaints);
                    experiment.diagnostics.extend(session.model.unmentioned_constants());
                    return false;
                }
            } else {
                complaints.append(&mut session.model.diagnostics);
            }
        } else if let Some(document) = session.model.document.as_mut().filter(|_| reason.is_none()) {
            complaints.extend(document.set_constants(&session.model.given));
        }
        let mut pending = session.model.select(wanted, &mut complaints);
        let named = grid.axes.iter().zip(&values).map(|(axis, value)| format!("{}={value}", axis.name));
        let named = named.collect::<Vec<_>>().join(", ");
        pending.iter_mut().for_each(|p| p.point.clone_from(&named));
        if reason.is_some() {
            pending.iter_mut().for_each(|p| p.property = Err(reason.iter().cloned().collect()));
        }
        if point == 0
            && pending.iter().all(|p| p.property.is_ok())
            && let Some(document) = &session.model.document
        {
            complaints.extend(document.unused_constants());
            complaints.extend(crate::refusals::without_effect(&session.model, settings));
        }
        let refused = has_errors(&complaints) && reason.is_none();
        experiment.keep(complaints);
        if refused {
            return false;
        }
        number = pending.len();
        all.append(&mut pending);
        if k % 1024 == 1023
            && let Err(stop) = control.check()
        {
            experiment.stop = experiment.stop.or(Some(stop));
            return false;
        }
    }
    let record = match known {
        Some(record) => record,
        None => {
            let begin = |model: Option<&ModelReport>, all: &[Pending], session: &Session| {
                let points = group.iter().map(|&point| (point, grid.values(point)));
                let rows = all.iter().map(Pending::open);
                let models = (&experiment.models[..], model);
                session.run.interim.begin_points(points, rows, models, &session.model.sources);
            };
            computed(session, &mut all, reason, settings, control, sweep, begin)
        }
    };
    session.run.points.keep(place, &record, is_for_others);
    let GroupRecord { reports, model, diagnostics, stop } = record;
    experiment.models.extend(model);
    experiment.keep(diagnostics);
    experiment.stop = experiment.stop.or(stop);
    let mut reports = reports.into_iter();
    for &point in group {
        let of_point: Vec<PropertyReport> = reports.by_ref().take(number).collect();
        let unfinished = |r: &PropertyReport| {
            let errors = r.outcome.as_ref().err();
            errors.is_some_and(|e| e.iter().any(|d| ends_all(d.code)) && r.known.is_none())
        };
        // A point of which nothing is known because the run was stopped is not done.
        if !of_point.iter().all(unfinished) || of_point.is_empty() {
            results[point] = Some(of_point);
        }
    }
    // Limits of memory and states are those of one state space; time is that of all.
    !matches!(experiment.stop, Some(Stop::Timeout | Stop::Cancelled))
}

/// Answers the properties of the points of a group. `begin` is told when the state space is there.
fn computed(
    session: &mut Session,
    all: &mut [Pending],
    reason: Option<Diagnostic>,
    settings: &Settings,
    control: &Control<'_>,
    mut sweep: Option<&mut Sweep>,
    begin: impl FnOnce(Option<&ModelReport>, &[Pending], &Session),
) -> GroupRecord {
    let mut log = RunLog::default();
    let mut record = GroupRecord { reports: Vec::new(), model: None, diagnostics: Vec::new(), stop: None };
    if all.iter().all(|p| p.property.is_err()) {
        record.reports = all.iter().filter_map(Pending::failed).collect();
    } else if let Some(sampling) = settings.sampling.as_ref().filter(|_| reason.is_none()) {
        record.reports = volvelle_paths::sampled(session, all, sampling, settings, control, &mut log);
    } else {
        let outcome = match &mut sweep {
            Some(sweep) => crate::sweep::explore_point(session, all, settings, control, sweep),
            None => crate::exploring::explore_for(session, all, false, settings, control),
        };
        record.model = outcome.model;
        record.stop = outcome.stop;
        let reason = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error).cloned();
        record.diagnostics =
            outcome.diagnostics.into_iter().filter(|d| d.severity != Severity::Error).collect();
        let kept = || sweep.as_ref().and_then(|sweep| sweep.explored());
        let explored = outcome.explored.as_ref().or_else(kept).filter(|_| reason.is_none());
        begin(record.model.as_ref(), all, session);
        let rows: Vec<usize> = (0..all.len()).collect();
        record.reports =
            crate::answers::results(session, (all, &rows), explored, reason, settings, control, &mut log);
    }
    record.diagnostics.append(&mut log.diagnostics);
    record.stop = record.stop.or(log.stop);
    record
}

/// Computes groups of points for the leader of the ranks.
struct GroupHost<'a> {
    session: &'a mut Session,
    run: &'a Run<'a>,
    sweep: Sweep,
    /// Of all points; what is computed here goes elsewhere.
    results: Vec<Option<Vec<PropertyReport>>>,
}

impl TaskHost for GroupHost<'_> {
    fn compute(&mut self, task: u64) -> Option<Vec<u8>> {
        let number = usize::try_from(task).ok()?;
        let place = Place { number, points: self.run.groups.get(number)?, is_for_others: true };
        // What the group adds to an experiment, its record has.
        let (mut apart, sweep) = (Experiment::default(), Some(&mut self.sweep));
        computed_group(self.session, self.run, place, sweep, None, &mut apart, &mut self.results);
        self.session.run.points.take_last()
    }

    fn grown(&mut self, results: &BTreeMap<u64, Vec<u8>>) {
        self.session.run.points.save_with(results);
    }
}

/// What is asked at all points.
struct Run<'a> {
    grid: &'a Grid<'a>,
    groups: &'a [Vec<usize>],
    wanted: &'a [String],
    settings: &'a Settings,
    control: &'a Control<'a>,
}

/// A group of points, its number, and whether its record is for another process, or for later.
struct Place<'a> {
    number: usize,
    points: &'a [usize],
    is_for_others: bool,
}

fn mentions_open(complaints: &[Diagnostic]) -> bool {
    complaints.iter().any(|d| d.code == codes::OPEN_CONSTANT)
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use volvelle_session::constants::parse;

    #[test]
    fn the_last_constant_changes_fastest() {
        let (swept, _) = parse(&["N=1:2,K=7,T=0:10:20"]);
        let grid = Grid::new(&swept);
        assert_eq!(grid.len(), Some(6));
        let texts = |i| grid.values(i).iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
        let points: Vec<String> = (0..6).map(texts).collect();
        assert_eq!(points, ["1 0", "1 10", "1 20", "2 0", "2 10", "2 20"]);
    }

    #[test]
    fn without_ranges_there_is_one_point() {
        let (swept, _) = parse(&["N=4"]);
        assert_eq!(Grid::new(&swept).len(), Some(1));
        assert!(Grid::new(&swept).values(0).is_empty());
    }
}
