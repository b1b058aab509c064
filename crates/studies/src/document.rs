//! What is said of a study: verdicts, a table of configurations, and on request where the time goes.

use crate::{ConfigurationReport, Performance, StudyReport, Sum, Verdict, VerdictStep, Verified, classes};
use volvelle_diagnostics::{FileId, Sources};
use volvelle_present::document::{
    Block, Cell, Column, Document, Heading, Listing, Name, Path, Table, Text, Tone, bad, good, name,
};
use volvelle_present::format::count;
use volvelle_present::text;
use volvelle_reports::documents::evidence;
use volvelle_session::limits::counted;

/// Influences that are shown.
const MOST_INFLUENCES: usize = 8;

/// Everything about a study.
pub fn study(report: &StudyReport, sources: &Sources, explain: bool) -> Document {
    let title = if report.title.is_empty() { &report.file } else { &report.title };
    let mut document = Document::new(title.as_str());
    if report.configurations.is_empty() {
        return document;
    }
    let sizes = counted(report.configurations.len() as u64, "configuration");
    document.push(headline(name(title), sizes));
    for (number, verified) in report.verified.iter().enumerate() {
        verification(&mut document, report, number, verified, explain);
    }
    if report.configurations.iter().any(|configuration| configuration.performance.is_some()) {
        document.push(Block::Gap);
        document.push(table(report));
    }
    simulations(&mut document, report);
    if explain {
        for configuration in &report.configurations {
            if let Some(found) = &configuration.performance {
                explained(&mut document, report, configuration, found, sources);
            }
        }
    } else {
        first_influence(&mut document, report);
    }
    document
}

fn headline(title: impl Into<Text>, about: impl Into<Text>) -> Heading {
    Heading { title: title.into(), about: about.into(), gap: 2, indent: 0 }
}

/// The values that tell a configuration from others.
fn named(report: &StudyReport, configuration: &ConfigurationReport) -> String {
    let axes = report.axes();
    let values = configuration.values.iter().enumerate().filter(|(place, _)| axes.contains(place));
    values.map(|(_, (name, value))| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The verdicts on a program with a protocol.
fn verification(
    document: &mut Document,
    report: &StudyReport,
    number: usize,
    verified: &Verified,
    explain: bool,
) {
    let of = report.configurations.iter().filter(|configuration| configuration.verified == Some(number));
    let of: Vec<&ConfigurationReport> = of.collect();
    // What all of its configurations have in common.
    let axes = report.axes();
    let common = axes
        .into_iter()
        .filter(|&axis| of.iter().all(|configuration| configuration.values[axis] == of[0].values[axis]));
    let common: Vec<String> =
        common.map(|axis| format!("{}={}", of[0].values[axis].0, of[0].values[axis].1)).collect();
    if number == 0 || explain {
        document.push(Block::Gap);
    }
    let sizes =
        format!("{}  {}", counted(verified.states, "state"), counted(verified.transitions, "transition"));
    let title = if common.is_empty() { "verification".into() } else { name(common.join(" ")) };
    document.push(headline(title, sizes));
    let told = |verdict: &&Verdict| explain || verdict.holds != Some(true) || !verdict.reason.is_empty();
    let silent = verified.verdicts.iter().filter(|verdict| !told(verdict)).map(|verdict| verdict.name);
    let silent: Vec<&str> = silent.collect();
    if !silent.is_empty() {
        document.push(Block::Verdict(Some(true), silent.join(", ").into()));
    }
    for verdict in verified.verdicts.iter().filter(told) {
        // A sentence with "no" that does not hold would have to be read twice.
        let statement = match (verdict.holds, verdict.reason.as_str()) {
            (Some(true), "") => verdict.statement.clone(),
            (Some(true), reason) => format!("{}: {reason}", verdict.statement),
            (_, reason) => format!("{}: {reason}", verdict.name),
        };
        document.push(Block::Verdict(verdict.holds, statement.into()));
        steps(document, &verdict.steps);
        if !verdict.for_ever.is_empty() {
            document.note(7, volvelle_present::document::faint("then for ever:"));
            steps(document, &verdict.for_ever);
        }
    }
}

/// Widest column of statements.
const STATEMENT: usize = 40;

/// The run that shows why a verdict does not hold.
fn steps(document: &mut Document, steps: &[VerdictStep]) {
    if steps.is_empty() {
        return;
    }
    let parts = |(number, step): (usize, &VerdictStep)| {
        if step.process.is_empty() {
            return vec![Text::from(step.what.clone())];
        }
        let place = match step.place.1 {
            0 => Text::default(),
            line => text![Name(step.place.0.clone()), format!(":{line}")],
        };
        let number = format!("{:>3}", number + 1);
        vec![number.into(), name(&step.process), place, name(&step.statement), step.what.as_str().into()]
    };
    document.push(Path {
        heads: vec!["step", "process", "line", "statement", "what happens"],
        steps: steps.iter().enumerate().map(parts).collect(),
        aligned: STATEMENT,
        tone: Tone::Faint,
        ..evidence(7)
    });
}

/// A thing with its article.
fn one(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn rounded(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        _ if number.abs() < 0.005 => format!("{number:.1e}"),
        _ => format!("{number:.2}"),
    }
}

/// A time with seven digits: what bounds allow for.
fn time(number: f64) -> String {
    let digits = (6 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{number:.digits$}")
}

/// A line for each configuration.
fn table(report: &StudyReport) -> Table {
    let classes = classes(report);
    let axes = report.axes();
    let keys = axes.iter().map(|&axis| Column::words(name(&report.parameters[axis])));
    let columns = keys
        .chain([
            Column::numbers("states"),
            Column::numbers(format!("time of {}", one(&report.what))).unit(&report.unit),
            Column::numbers("misses"),
        ])
        .chain(classes.iter().map(|class| Column::numbers(name(class))));
    let row = |configuration: &ConfigurationReport| {
        let mut row: Vec<Cell> = axes.iter().map(|&axis| Cell::name(&configuration.values[axis].1)).collect();
        if let Some(found) = &configuration.performance {
            row.push(Cell::Count(found.states));
            row.push(Cell::shown(time(found.time())));
            if !found.is_partial {
                row.push(Cell::shown(rounded(found.misses())));
                let sums = found.by_class();
                row.extend(classes.iter().map(|class| {
                    let sum = sums.iter().find(|sum| sum.name == *class);
                    Cell::shown(rounded(sum.map_or(0.0, |sum| sum.misses)))
                }));
            }
        }
        row.resize_with(axes.len() + 3 + classes.len(), || Cell::Missing);
        row
    };
    Table::new(columns.collect(), axes.len(), report.configurations.iter().map(row))
}

/// Estimates by simulation beside the times.
fn simulations(document: &mut Document, report: &StudyReport) {
    let mut is_first = true;
    for configuration in &report.configurations {
        let Some(found) = &configuration.performance else { continue };
        let Some(simulated) = &found.simulated else { continue };
        let verdict = match simulated.agrees {
            Some(true) => good("agrees"),
            Some(false) => bad("does not agree"),
            None => "latencies without chance".into(),
        };
        let at = named(report, configuration);
        let at = if at.is_empty() { Text::default() } else { name(at).then(" ") };
        let (half, confidence) = (rounded(simulated.half_width), 100.0 * simulated.confidence);
        let steps = counted(simulated.events, "step");
        if std::mem::take(&mut is_first) {
            document.push(Block::Gap);
        }
        let found = format!("simulated: {} ± {half} ({confidence} %), {steps}; ", time(simulated.time));
        document.note(2, text![at, found, verdict]);
    }
}

/// What would help most in the configuration with the longest time, as a line.
fn first_influence(document: &mut Document, report: &StudyReport) {
    let slowest = report.configurations.iter().filter_map(|configuration| {
        let found = configuration.performance.as_ref()?;
        Some((configuration, found))
    });
    let Some((configuration, found)) = slowest.max_by(|a, b| a.1.time().total_cmp(&b.1.time())) else {
        return;
    };
    let Some(best) = found.influences.iter().find(|influence| !influence.is_variable) else { return };
    let at = named(report, configuration);
    let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
    document.push(Block::Gap);
    document.note(
        2,
        format!(
            "most would help{at}: {} 10 % faster saves {} {} of {} ({:.1} %); more with --profile",
            best.what,
            rounded(best.saved),
            report.unit,
            time(found.time()),
            100.0 * best.part
        ),
    );
}

/// Where the time of a configuration goes.
fn explained(
    document: &mut Document,
    report: &StudyReport,
    configuration: &ConfigurationReport,
    found: &Performance,
    sources: &Sources,
) {
    let at = named(report, configuration);
    let [lo, hi] = found.latency;
    document.push(Block::Gap);
    document.push(headline(name(if at.is_empty() { &report.title } else { &at }), ""));
    let (what, unit) = (one(&report.what), &report.unit);
    document.note(2, format!("time of {what}: {} {unit} ({} to {})", time(found.time()), time(lo), time(hi)));
    let (states, recurrent) = (count(found.states), count(found.recurrent));
    document.note(2, format!("{states} states of a Markov chain, {recurrent} of them again and again"));
    if let Some(bandwidth) = found.bandwidth {
        document.note(2, format!("bandwidth: {} bytes per {unit}", time(bandwidth)));
    }
    sums(document, "variable", found.by_variable(), report);
    sums(document, "transfer", found.by_transfer(), report);
    lines(document, found, sources);
    influences(document, found, report);
}

fn percent(share: f64, digits: usize) -> Cell {
    Cell::shown(format!("{:.digits$} %", 100.0 * share))
}

fn sums(document: &mut Document, what: &str, mut sums: Vec<Sum>, report: &StudyReport) {
    sums.sort_by(|a, b| b.share.total_cmp(&a.share));
    let misses = format!("misses per {}", report.what);
    let amounts = [misses.as_str(), "accesses", "share of time"].map(Column::numbers);
    let columns = [Column::words(what)].into_iter().chain(amounts).collect();
    let rows = sums.iter().map(|sum| {
        let amounts = [sum.misses, sum.accesses].map(|amount| Cell::shown(rounded(amount)));
        [Cell::name(&sum.name)].into_iter().chain(amounts).chain([percent(sum.share, 1)]).collect()
    });
    document.push(Block::Gap);
    document.push(Table::new(columns, 1, rows));
}

/// The program, with the share of time and the misses of each line that has accesses.
fn lines(document: &mut Document, found: &Performance, sources: &Sources) {
    let places = found.by_line();
    let mut files: Vec<&str> =
        places.iter().map(|(place, _)| place.0.as_str()).filter(|file| !file.is_empty()).collect();
    files.dedup();
    for file in files {
        let mut all = (0..sources.len() as u32).map(|id| sources.file(FileId(id)));
        let Some(source) = all.find(|source| source.name == *file) else { continue };
        let lines = source.text.lines().enumerate().map(|(number, line)| {
            let place = places.iter().find(|(place, _)| place.0 == *file && place.1 == number as u32 + 1);
            let amounts =
                place.map(|(_, sum)| vec![format!("{:.1} %", 100.0 * sum.share), rounded(sum.misses)]);
            (amounts, line.to_owned())
        });
        document.push(Block::Gap);
        document.push(Listing {
            name: Name(file.to_owned()),
            heads: vec!["time", "misses"],
            lines: lines.collect(),
        });
    }
}

fn influences(document: &mut Document, found: &Performance, report: &StudyReport) {
    if found.influences.is_empty() {
        return;
    }
    for (is_variable, what) in [(false, "10 % faster"), (true, "10 % faster accesses to")] {
        let columns = vec![
            Column::words(what),
            Column::numbers("saves").unit(&report.unit),
            Column::numbers(format!("of {}", one(&report.what))),
        ];
        let shown = found.influences.iter().filter(|influence| influence.is_variable == is_variable);
        let rows = shown.take(MOST_INFLUENCES).map(|influence| {
            let saved = Cell::shown(rounded(influence.saved));
            vec![Cell::name(&influence.what), saved, percent(influence.part, 2)]
        });
        document.push(Block::Gap);
        document.push(Table::new(columns, 1, rows));
    }
}
