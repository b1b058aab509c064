//! What is said of throughputs, probabilities over time and first passages.

use crate::{CONFIDENCE, CourseFound, LongRunFound, PerformanceReport, Point, SimulatedReport, SystemReport};
use std::iter::once;
use volvelle_present::document::{Cell, Column, Document, Items, Name, Table, Text, cost, name, strong};
use volvelle_present::format::{count, middle, time};
use volvelle_present::text;
use volvelle_session::limits::counted;

/// States that are shown without `-v`.
const SHOWN: usize = 20;

/// Bounds of numbers, row by row.
type Numbers = Vec<Vec<[f64; 2]>>;

/// The long run; with the probabilities of states if `states`.
pub fn long_run(document: &mut Document, report: &PerformanceReport<LongRunFound>, states: bool) {
    let Some(last) = begun(document, report) else { return };
    let method = match &last.found {
        LongRunFound::Steady(steady) => steady.method.as_str(),
        LongRunFound::Extremes(found) => found.method.as_str(),
    };
    let values = |point: &Point<LongRunFound>| -> Numbers {
        match &point.found {
            LongRunFound::Steady(steady) => steady.throughputs.iter().map(|a| vec![a.bounds]).collect(),
            LongRunFound::Extremes(found) => {
                found.throughputs.iter().map(|(_, e)| vec![e.least, e.greatest]).collect()
            }
        }
    };
    let is_extreme = report.points.iter().any(|point| matches!(point.found, LongRunFound::Extremes(_)));
    let ends: &[&str] = if is_extreme { &["least", "greatest"] } else { &["throughput"] };
    document.part("throughputs in the long run", how(report, method));
    document.push(by_action(report, ends, values));
    if let [point] = report.points.as_slice()
        && let LongRunFound::Steady(steady) = &point.found
    {
        if steady.components.len() > 1 {
            document.part("components in which runs end", "");
            let rows = steady.components.iter().map(|component| {
                let size = Cell::Count(component.members.len() as u64);
                let first = first_state(report.system.as_ref(), &component.members);
                vec![Cell::between(component.probability), size, first]
            });
            let columns =
                vec![Column::bounds("probability"), Column::numbers("states"), Column::words("first")];
            document.push(wide(Table::new(columns, 0, rows).keyed_behind(1)));
        }
        if let Some(probabilities) = steady.probabilities.as_ref().filter(|_| states) {
            document.part("probabilities of states in the long run", "");
            of_states(document, report.system.as_ref(), &[("probability".to_owned(), probabilities)]);
        }
    }
    derivatives(document, report);
    simulated(document, report);
}

/// The course of time; with the probabilities of states at several times if `states`.
pub fn course(document: &mut Document, report: &PerformanceReport<CourseFound>, states: bool) {
    let Some(last) = begun(document, report) else { return };
    let swept = report.axes.len();
    if let Some(passage) = &last.found.passage {
        document.part("time until the first occurrence", how(report, &passage.method));
        let columns = constants_heads(report).chain(["mean", "ever"].map(Column::bounds));
        let rows = report.points.iter().filter_map(|point| {
            let passage = point.found.passage.as_ref()?;
            Some(constants(point, report).chain([passage.mean, passage.ever].map(Cell::between)).collect())
        });
        document.push(wide(Table::new(columns.collect(), swept, rows.collect::<Vec<_>>())));
        if !report.times.is_empty() {
            document.part("probability to have happened", "");
            let within = |point: &Point<CourseFound>| -> Numbers {
                let passage = point.found.passage.as_ref();
                passage.map_or(Vec::new(), |passage| passage.within.iter().map(|b| vec![*b]).collect())
            };
            document.push(over_time(report, &["probability".to_owned()], within));
        }
    }
    if let Some(found) = &last.found.passage_extremes {
        let what = "time until the first occurrence, over all schedulers";
        document.part(what, how(report, &found.method));
        let ends = ["least mean", "greatest mean", "least ever", "greatest ever"].map(Column::bounds);
        let rows = report.points.iter().filter_map(|point| {
            let found = point.found.passage_extremes.as_ref()?;
            let ends = [found.mean.least, found.mean.greatest, found.ever.least, found.ever.greatest];
            Some(constants(point, report).chain(ends.map(Cell::between)).collect())
        });
        let columns = constants_heads(report).chain(ends).collect();
        document.push(wide(Table::new(columns, swept, rows.collect::<Vec<_>>())));
        if !report.times.is_empty() {
            document.part("probability to have happened, over all schedulers", "");
            let within = |point: &Point<CourseFound>| -> Numbers {
                let found = point.found.passage_extremes.iter().flat_map(|found| &found.within);
                found.map(|extremes| vec![extremes.least, extremes.greatest]).collect()
            };
            document.push(over_time(report, &["least", "greatest"].map(str::to_owned), within));
        }
    }
    if let Some(transient) = &last.found.transient {
        document.part("throughputs", how(report, &transient.method));
        let moments = |point: &Point<CourseFound>, counts: bool| -> Numbers {
            let all = point.found.transient.iter().flat_map(|transient| &transient.moments);
            all.map(|moment| match counts {
                true => moment.counts.clone().unwrap_or_default(),
                false => moment.throughputs.clone(),
            })
            .collect()
        };
        document.push(over_time(report, &report.actions, |point| moments(point, false)));
        if transient.moments.iter().any(|moment| moment.counts.is_some()) {
            document.part("expected occurrences", "");
            document.push(over_time(report, &report.actions, |point| moments(point, true)));
        }
        if report.points.len() == 1 && (states || transient.moments.len() == 1) {
            document.part("probabilities of states", "");
            let columns: Vec<(String, &Vec<[f64; 2]>)> = (report.times.iter().zip(&transient.moments))
                .map(|((text, _), moment)| (format!("t={text}"), &moment.probabilities))
                .collect();
            of_states(document, report.system.as_ref(), &columns);
        }
    }
    derivatives(document, report);
    simulated(document, report);
}

/// The line about the system, and the last point.
fn begun<'r, T>(document: &mut Document, report: &'r PerformanceReport<T>) -> Option<&'r Point<T>> {
    if let Some(system) = &report.system {
        let sizes = [
            counted(system.states, "state"),
            counted(system.transitions, "transition"),
            format!("time passes in {}", count(system.tangible.len() as u64)),
        ];
        let items = once(strong(name(&system.file))).chain(sizes.map(Text::from)).collect();
        document.push(Items { items, indent: 2 });
    }
    report.points.last()
}

/// The method, and the time of all points.
fn how<T>(report: &PerformanceReport<T>, method: &str) -> Text {
    let took = time(report.points.iter().map(|point| point.took).sum());
    text![format!("{method}, "), cost(took)]
}

fn wide(table: Table) -> Table {
    Table { indent: 4, ..table }
}

fn constants_heads<T>(report: &PerformanceReport<T>) -> impl Iterator<Item = Column> {
    report.axes.iter().map(|axis| Column::words(Name(axis.clone())))
}

fn constants<T>(point: &Point<T>, report: &PerformanceReport<T>) -> impl Iterator<Item = Cell> {
    let swept = point.constants.iter().filter(|constant| report.axes.contains(&constant.name));
    swept.map(|constant| Cell::shown(constant.value.to_string()))
}

/// A row for each action, or for each combination of values.
fn by_action<T>(
    report: &PerformanceReport<T>,
    ends: &[&str],
    values: impl Fn(&Point<T>) -> Numbers,
) -> Table {
    if let [point] = report.points.as_slice() {
        let columns = once(Column::words("action")).chain(ends.iter().map(|end| Column::bounds(*end)));
        let rows = report.actions.iter().zip(values(point)).map(|(action, row)| {
            once(Cell::name(action)).chain(row.into_iter().map(Cell::between)).collect()
        });
        return wide(Table::new(columns.collect(), 1, rows));
    }
    let heads = report.actions.iter().flat_map(|action| {
        ends.iter().map(move |end| match ends.len() {
            1 => name(action),
            _ => text![format!("{end} "), Name(action.clone())],
        })
    });
    let columns = constants_heads(report).chain(heads.map(Column::bounds)).collect();
    let rows = report.points.iter().map(|point| {
        let row = values(point).into_iter().flatten().map(Cell::between);
        constants(point, report).chain(row).collect()
    });
    wide(Table::new(columns, report.axes.len(), rows))
}

/// A row for each time, with a column for each name.
fn over_time(
    report: &PerformanceReport<CourseFound>,
    names: &[String],
    values: impl Fn(&Point<CourseFound>) -> Numbers,
) -> Table {
    let heads = names.iter().map(|head| Column::bounds(name(head)));
    let columns = constants_heads(report).chain([Column::numbers("time")]).chain(heads).collect();
    let rows = report.points.iter().flat_map(|point| {
        report.times.iter().zip(values(point)).map(|((text, _), row)| {
            let start = constants(point, report).chain([Cell::shown(text)]);
            start.chain(row.into_iter().map(Cell::between)).collect()
        })
    });
    wide(Table::new(columns, report.axes.len() + 1, rows))
}

/// The most probable states, by the last column.
fn of_states(document: &mut Document, system: Option<&SystemReport>, columns: &[(String, &Vec<[f64; 2]>)]) {
    let Some((last, tangible)) = columns.last().zip(system.map(|system| &system.tangible)) else { return };
    let mut places: Vec<usize> = (0..tangible.len()).collect();
    let middle = |place: usize| middle(last.1[place]);
    places.sort_by(|&a, &b| middle(b).total_cmp(&middle(a)).then(tangible[a].cmp(&tangible[b])));
    let heads = columns.iter().map(|(head, _)| Column::bounds(head.as_str())).chain([Column::words("state")]);
    let rows = places.iter().map(|&place| {
        let row = columns.iter().map(|(_, all)| Cell::between(all[place]));
        row.chain([Cell::words(tangible[place].to_string())]).collect()
    });
    let table = wide(Table::new(heads.collect(), 0, rows).keyed_behind(1));
    document.push(Table { brief: Some((SHOWN, "-v shows all, --json lists all")), ..table });
}

fn first_state(system: Option<&SystemReport>, members: &[u32]) -> Cell {
    let first = members.first().zip(system).map(|(&place, system)| system.tangible[place as usize]);
    first.map_or(Cell::Empty, |state| Cell::words(state.to_string()))
}

/// A row for each derivative.
fn derivatives<T>(document: &mut Document, report: &PerformanceReport<T>) {
    let rows = report.points.iter().flat_map(|point| {
        point.derivatives.iter().map(move |one| {
            let about = [Cell::name(&one.of), Cell::name(&one.with_respect_to), Cell::between(one.bounds)];
            constants(point, report).chain(about).collect()
        })
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let heads =
        ["of", "with respect to"].map(Column::words).into_iter().chain([Column::bounds("derivative")]);
    document.part("derivatives with respect to rates", "");
    document.push(wide(Table::new(
        constants_heads(report).chain(heads).collect(),
        report.axes.len() + 2,
        rows,
    )));
}

/// A row for each estimate.
fn simulated<T>(document: &mut Document, report: &PerformanceReport<T>) {
    let all = || report.points.iter().flat_map(|point| point.simulated.iter().map(move |one| (point, one)));
    if all().next().is_none() {
        return;
    }
    let (with_action, with_time) =
        (all().any(|(_, one)| one.action.is_some()), all().any(|(_, one)| one.time.is_some()));
    let mut columns: Vec<Column> = constants_heads(report).collect();
    columns.push(Column::words("of"));
    columns.extend(with_action.then(|| Column::words("action")));
    columns.extend(with_time.then(|| Column::numbers("time")));
    let keys = columns.len();
    columns.extend(["lo", "hi", "computed"].map(Column::numbers));
    columns.push(Column::words(""));
    let optional = |text: &Option<String>| text.as_ref().map_or(Cell::Empty, Cell::name);
    let row = |(point, one): (&Point<T>, &SimulatedReport)| -> Vec<Cell> {
        let mut row: Vec<Cell> = constants(point, report).collect();
        row.push(Cell::words(one.quantity));
        row.extend(with_action.then(|| optional(&one.action)));
        row.extend(with_time.then(|| optional(&one.time)));
        let (ends, verdict) = match one.interval {
            Some([lo, hi]) => {
                let meets = lo <= one.computed[1] && one.computed[0] <= hi;
                ([lo, hi].map(|end| Cell::number(end, 0.0)), if meets { "agrees" } else { "differs" })
            }
            None => (["?"; 2].map(Cell::shown), "no estimate"),
        };
        row.extend(ends);
        row.push(Cell::shown(volvelle_present::format::between(one.computed)));
        row.push(Cell::words(verdict));
        row
    };
    let rows: Vec<Vec<Cell>> = all().map(row).collect();
    document.part(format!("by simulation, intervals at {} %", 100.0 * CONFIDENCE), "");
    document.push(Table { group: 2, ..wide(Table::new(columns, keys, rows)) });
}
