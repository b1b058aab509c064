//! Throughputs, probabilities over time and first passages of transition systems with rates.

use super::answer::state_value;
use super::columns::{Columns, Keys};
use super::format::{count, time};
use super::{Style, flow};
use volvelle_verify::limits::counted;
use volvelle_verify::performance::{
    CONFIDENCE, CourseFound, DerivativeReport, LongRunFound, PerformanceReport, Point, SimulatedReport,
    SystemReport,
};
use volvelle_verify::{FormulaValue, gate};

/// States that are shown without `-v`.
const SHOWN: usize = 20;

/// Bounds of numbers, row by row.
type Numbers = Vec<Vec<[f64; 2]>>;

/// The long run.
pub fn long_run(
    report: &PerformanceReport<LongRunFound>,
    states: bool,
    verbose: bool,
    style: Style,
) -> String {
    let mut out = head(report, style);
    let Some(last) = report.points.last() else { return out };
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
    out.push_str(&title(report, "throughputs in the long run", method, style));
    out.push_str(&by_action(report, ends, values, verbose, style));
    if let [point] = report.points.as_slice()
        && let LongRunFound::Steady(steady) = &point.found
    {
        if steady.components.len() > 1 {
            out.push_str(&format!("\n  {}\n\n", style.bold("components in which runs end")));
            let rows = steady.components.iter().map(|component| {
                let mut row = cells(component.probability, verbose, style);
                row.push(count(component.members.len() as u64));
                row.push(first_state(report.system.as_ref(), &component.members));
                row
            });
            let rows: Vec<Vec<String>> = rows.take(if verbose { usize::MAX } else { SHOWN }).collect();
            let head = heads("probability", verbose).into_iter();
            let head = head.chain(["states".to_owned(), "first".to_owned()]).collect();
            out.push_str(&draw(head, rows, Keys::Behind(1), style));
        }
        if let Some(probabilities) = steady.probabilities.as_ref().filter(|_| states || verbose) {
            let system = report.system.as_ref();
            out.push_str(&format!("\n  {}\n\n", style.bold("probabilities of states in the long run")));
            out.push_str(&of_states(system, &[("probability".to_owned(), probabilities)], verbose, style));
        }
    }
    out.push_str(&derivatives(report, verbose, style));
    out.push_str(&simulated(report, style));
    out
}

/// The course of time.
pub fn course(report: &PerformanceReport<CourseFound>, verbose: bool, style: Style) -> String {
    let mut out = head(report, style);
    let Some(last) = report.points.last() else { return out };
    if let Some(passage) = &last.found.passage {
        out.push_str(&title(report, "time until the first occurrence", &passage.method, style));
        let mut heads_of_row = constants_head(report);
        heads_of_row.extend(heads("mean", verbose));
        heads_of_row.extend(heads("ever", verbose));
        let rows = report.points.iter().filter_map(|point| {
            let passage = point.found.passage.as_ref()?;
            let mut row = constants(point, report);
            row.extend(cells(passage.mean, verbose, style));
            row.extend(cells(passage.ever, verbose, style));
            Some(row)
        });
        out.push_str(&draw(heads_of_row, rows.collect(), Keys::Before(report.axes.len()), style));
        if !report.times.is_empty() {
            out.push_str(&format!("\n  {}\n\n", style.bold("probability to have happened")));
            let within = |point: &Point<CourseFound>| -> Numbers {
                let passage = point.found.passage.as_ref();
                passage.map_or(Vec::new(), |passage| passage.within.iter().map(|b| vec![*b]).collect())
            };
            out.push_str(&over_time(report, &["probability".to_owned()], within, verbose, style));
        }
    }
    if let Some(found) = &last.found.passage_extremes {
        let what = "time until the first occurrence, over all schedulers";
        out.push_str(&title(report, what, &found.method, style));
        let mut names = constants_head(report);
        ["least mean", "greatest mean", "least ever", "greatest ever"]
            .iter()
            .for_each(|name| names.extend(heads(name, verbose)));
        let rows = report.points.iter().filter_map(|point| {
            let found = point.found.passage_extremes.as_ref()?;
            let ends = [found.mean.least, found.mean.greatest, found.ever.least, found.ever.greatest];
            let ends = ends.iter().flat_map(|bounds| cells(*bounds, verbose, style));
            Some(constants(point, report).into_iter().chain(ends).collect())
        });
        out.push_str(&draw(names, rows.collect(), Keys::Before(report.axes.len()), style));
        if !report.times.is_empty() {
            let title = "probability to have happened, over all schedulers";
            out.push_str(&format!("\n  {}\n\n", style.bold(title)));
            let within = |point: &Point<CourseFound>| -> Numbers {
                let found = point.found.passage_extremes.iter().flat_map(|found| &found.within);
                found.map(|extremes| vec![extremes.least, extremes.greatest]).collect()
            };
            let names = ["least", "greatest"].map(str::to_owned);
            out.push_str(&over_time(report, &names, within, verbose, style));
        }
    }
    if let Some(transient) = &last.found.transient {
        out.push_str(&title(report, "throughputs", &transient.method, style));
        let moments = |point: &Point<CourseFound>, counts: bool| -> Numbers {
            let all = point.found.transient.iter().flat_map(|transient| &transient.moments);
            all.map(|moment| match counts {
                true => moment.counts.clone().unwrap_or_default(),
                false => moment.throughputs.clone(),
            })
            .collect()
        };
        out.push_str(&over_time(report, &report.actions, |point| moments(point, false), verbose, style));
        if transient.moments.iter().any(|moment| moment.counts.is_some()) {
            out.push_str(&format!("\n  {}\n\n", style.bold("expected occurrences")));
            out.push_str(&over_time(report, &report.actions, |point| moments(point, true), verbose, style));
        }
        if report.points.len() == 1 && (verbose || transient.moments.len() == 1) {
            out.push_str(&format!("\n  {}\n\n", style.bold("probabilities of states")));
            let columns: Vec<(String, &Vec<[f64; 2]>)> = (report.times.iter().zip(&transient.moments))
                .map(|((text, _), moment)| (format!("t={text}"), &moment.probabilities))
                .collect();
            out.push_str(&of_states(report.system.as_ref(), &columns, verbose, style));
        }
    }
    out.push_str(&derivatives(report, verbose, style));
    out.push_str(&simulated(report, style));
    out
}

fn head<T>(report: &PerformanceReport<T>, style: Style) -> String {
    let Some(system) = &report.system else { return String::new() };
    let mut items = vec![
        style.bold(&system.file),
        counted(system.states, "state"),
        counted(system.transitions, "transition"),
    ];
    items.push(format!("time passes in {}", count(system.tangible.len() as u64)));
    let last = items.len() - 1;
    let separated = items.into_iter().enumerate().map(|(i, item)| match i {
        0 => format!("{item}  "),
        i if i < last => format!("{item}{}", style.separator()),
        _ => item,
    });
    flow::items("  ", &separated.collect::<Vec<_>>(), "", 4, style)
}

fn title<T>(report: &PerformanceReport<T>, text: &str, method: &str, style: Style) -> String {
    let took = time(report.points.iter().map(|point| point.took).sum());
    let how = style.dim(&format!("{method}, {took}"));
    format!("\n{}\n", flow::items("  ", &[style.bold(text), how], "      ", 4, style))
}

/// Value and trust, or value and bounds.
fn cells(bounds: [f64; 2], verbose: bool, style: Style) -> Vec<String> {
    let [value, trust] = state_value(FormulaValue::Bounds(bounds), &gate::exact(), style);
    match verbose {
        true => vec![value, format!("{:?}", bounds[0]), format!("{:?}", bounds[1])],
        false => vec![value, trust],
    }
}

fn heads(name: &str, verbose: bool) -> Vec<String> {
    match verbose {
        true => vec![name.to_owned(), "lo".to_owned(), "hi".to_owned()],
        false => vec![name.to_owned(), String::new()],
    }
}

fn draw(head: Vec<String>, rows: Vec<Vec<String>>, keys: Keys, style: Style) -> String {
    // A number and what is told of its accuracy belong together.
    Columns { head, rows, keys, group: 2 }.draw(4, style, |_, line| line.to_owned())
}

fn constants_head<T>(report: &PerformanceReport<T>) -> Vec<String> {
    report.axes.clone()
}

fn constants<T>(point: &Point<T>, report: &PerformanceReport<T>) -> Vec<String> {
    let swept = point.constants.iter().filter(|constant| report.axes.contains(&constant.name));
    swept.map(|constant| constant.value.to_string()).collect()
}

/// A row for each action, or for each combination of values.
fn by_action<T>(
    report: &PerformanceReport<T>,
    ends: &[&str],
    values: impl Fn(&Point<T>) -> Numbers,
    verbose: bool,
    style: Style,
) -> String {
    if let [point] = report.points.as_slice() {
        let head = ["action".to_owned()].into_iter();
        let head = head.chain(ends.iter().flat_map(|end| heads(end, verbose))).collect();
        let rows = report.actions.iter().zip(values(point)).map(|(action, row)| {
            let row = row.iter().flat_map(|bounds| cells(*bounds, verbose, style));
            [action.clone()].into_iter().chain(row).collect()
        });
        return draw(head, rows.collect(), Keys::Before(1), style);
    }
    let mut head = constants_head(report);
    for action in &report.actions {
        for end in ends {
            let name = if ends.len() > 1 { format!("{end} {action}") } else { action.clone() };
            head.extend(heads(&name, verbose));
        }
    }
    let rows = report.points.iter().map(|point| {
        let row = values(point).into_iter().flatten();
        let row = row.flat_map(|bounds| cells(bounds, verbose, style));
        constants(point, report).into_iter().chain(row).collect()
    });
    draw(head, rows.collect(), Keys::Before(report.axes.len()), style)
}

/// A row for each time, with a column for each name.
fn over_time(
    report: &PerformanceReport<CourseFound>,
    names: &[String],
    values: impl Fn(&Point<CourseFound>) -> Numbers,
    verbose: bool,
    style: Style,
) -> String {
    let mut head = constants_head(report);
    head.push("time".to_owned());
    head.extend(names.iter().flat_map(|name| heads(name, verbose)));
    let rows = report.points.iter().flat_map(|point| {
        report.times.iter().zip(values(point)).map(|((text, _), row)| {
            let row = row.into_iter().flat_map(|bounds| cells(bounds, verbose, style));
            let start = constants(point, report).into_iter().chain([text.clone()]);
            start.chain(row).collect()
        })
    });
    draw(head, rows.collect(), Keys::Before(report.axes.len() + 1), style)
}

/// The most probable states, by the last column.
fn of_states(
    system: Option<&SystemReport>,
    columns: &[(String, &Vec<[f64; 2]>)],
    verbose: bool,
    style: Style,
) -> String {
    let Some((last, tangible)) = columns.last().zip(system.map(|system| &system.tangible)) else {
        return String::new();
    };
    let mut places: Vec<usize> = (0..tangible.len()).collect();
    let middle = |place: usize| FormulaValue::Bounds(last.1[place]).middle();
    places.sort_by(|&a, &b| middle(b).total_cmp(&middle(a)).then(tangible[a].cmp(&tangible[b])));
    let shown = if verbose { places.len() } else { SHOWN.min(places.len()) };
    let mut head: Vec<String> = columns.iter().flat_map(|(name, _)| heads(name, verbose)).collect();
    head.push("state".to_owned());
    let rows = places.iter().take(shown).map(|&place| {
        let row = columns.iter().flat_map(|(_, all)| cells(all[place], verbose, style));
        row.chain([tangible[place].to_string()]).collect()
    });
    let mut out = draw(head, rows.collect(), Keys::Behind(1), style);
    if shown < places.len() {
        let more = count((places.len() - shown) as u64);
        let more = format!("and {more} more (-v shows all, --json lists all)");
        out.push_str(&flow::text("    ", &style.dim(&more), 6, style));
    }
    out
}

fn first_state(system: Option<&SystemReport>, members: &[u32]) -> String {
    let first = members.first().zip(system).map(|(&place, system)| system.tangible[place as usize]);
    first.map_or(String::new(), |state| state.to_string())
}

/// A row for each derivative.
fn derivatives<T>(report: &PerformanceReport<T>, verbose: bool, style: Style) -> String {
    if report.points.iter().all(|point| point.derivatives.is_empty()) {
        return String::new();
    }
    let mut head = constants_head(report);
    head.extend(["of".to_owned(), "with respect to".to_owned()]);
    head.extend(heads("derivative", verbose));
    let row = |point: &Point<T>, one: &DerivativeReport| -> Vec<String> {
        let start = constants(point, report).into_iter();
        let start = start.chain([one.of.clone(), one.with_respect_to.clone()]);
        start.chain(cells(one.bounds, verbose, style)).collect()
    };
    let rows = report.points.iter().flat_map(|point| point.derivatives.iter().map(move |one| (point, one)));
    let rows = rows.map(|(point, one)| row(point, one)).collect();
    let table = draw(head, rows, Keys::Before(report.axes.len() + 2), style);
    format!("\n  {}\n\n{table}", style.bold("derivatives with respect to rates"))
}

/// A row for each estimate.
fn simulated<T>(report: &PerformanceReport<T>, style: Style) -> String {
    if report.points.iter().all(|point| point.simulated.is_empty()) {
        return String::new();
    }
    let has = |told: fn(&SimulatedReport) -> bool| {
        report.points.iter().flat_map(|point| &point.simulated).any(told)
    };
    let (with_action, with_time) = (has(|one| one.action.is_some()), has(|one| one.time.is_some()));
    let mut head = constants_head(report);
    head.push("of".to_owned());
    if with_action {
        head.push("action".to_owned());
    }
    if with_time {
        head.push("time".to_owned());
    }
    let keys = Keys::Before(head.len());
    head.extend(["lo", "hi", "computed", ""].map(str::to_owned));
    let row = |point: &Point<T>, one: &SimulatedReport| -> Vec<String> {
        let mut row = constants(point, report);
        row.push(one.quantity.to_owned());
        row.extend(with_action.then(|| one.action.clone().unwrap_or_default()));
        row.extend(with_time.then(|| one.time.clone().unwrap_or_default()));
        let [computed, _] = state_value(FormulaValue::Bounds(one.computed), &gate::exact(), style);
        match one.interval {
            Some([lo, hi]) => {
                let meets = lo <= one.computed[1] && one.computed[0] <= hi;
                let verdict = if meets { "agrees" } else { "differs" };
                let end =
                    |end: f64| state_value(FormulaValue::Bounds([end; 2]), &gate::exact(), style)[0].clone();
                row.extend([end(lo), end(hi), computed, verdict.to_owned()]);
            }
            None => row.extend(["?".to_owned(), "?".to_owned(), computed, "no estimate".to_owned()]),
        }
        row
    };
    let rows = report.points.iter().flat_map(|point| point.simulated.iter().map(move |one| (point, one)));
    let rows = rows.map(|(point, one)| row(point, one)).collect();
    let table = draw(head, rows, keys, style);
    let title = format!("by simulation, intervals at {} %", 100.0 * CONFIDENCE);
    format!("\n  {}\n\n{table}", style.bold(&title))
}
