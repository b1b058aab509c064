//! Studies of programs on machines with caches: verdicts, a table of configurations, and on request where the time goes.

use super::columns::{Columns, Keys};
use super::format::count;
use super::{Style, flow, written as files_line};
use volvelle_diagnostics::Sources;
use volvelle_verify::limits::counted;
use volvelle_verify::mpi::{
    ConfigurationReport, Influence, Performance, StudyReport, Sum, Verdict, VerdictStep, Verified, classes,
};

/// Influences that are shown.
const MOST_INFLUENCES: usize = 8;

/// Everything about a study.
pub fn study(
    report: &StudyReport,
    sources: &Sources,
    explain: bool,
    written: &[String],
    style: Style,
) -> String {
    let mut out = String::new();
    if report.configurations.is_empty() {
        return out;
    }
    let title = if report.title.is_empty() { &report.file } else { &report.title };
    let sizes = counted(report.configurations.len() as u64, "configuration");
    out.push_str(&format!("{}  {}\n", style.bold(title), style.dim(&sizes)));
    for (number, verified) in report.verified.iter().enumerate() {
        out.push_str(&verification(report, number, verified, explain, style));
    }
    if report.configurations.iter().any(|configuration| configuration.performance.is_some()) {
        out.push('\n');
        out.push_str(&table(report, style));
    }
    out.push_str(&simulations(report, style));
    if explain {
        for configuration in &report.configurations {
            if let Some(found) = &configuration.performance {
                out.push_str(&explained(report, configuration, found, sources, style));
            }
        }
    } else if let Some(best) = first_influence(report) {
        out.push_str(&best);
    }
    out.push_str(&files_line(written, style));
    out
}

/// The values that tell a configuration from others.
fn named(report: &StudyReport, configuration: &ConfigurationReport) -> String {
    let axes = report.axes();
    let values = configuration.values.iter().enumerate().filter(|(place, _)| axes.contains(place));
    values.map(|(_, (name, value))| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The verdicts on a program with a protocol.
fn verification(
    report: &StudyReport,
    number: usize,
    verified: &Verified,
    explain: bool,
    style: Style,
) -> String {
    let of = report.configurations.iter().filter(|configuration| configuration.verified == Some(number));
    let of: Vec<&ConfigurationReport> = of.collect();
    // What all of its configurations have in common.
    let axes = report.axes();
    let common = axes
        .into_iter()
        .filter(|&axis| of.iter().all(|configuration| configuration.values[axis] == of[0].values[axis]));
    let common: Vec<String> =
        common.map(|axis| format!("{}={}", of[0].values[axis].0, of[0].values[axis].1)).collect();
    let mut out = if number == 0 || explain { String::from("\n") } else { String::new() };
    let sizes =
        format!("{}  {}", counted(verified.states, "state"), counted(verified.transitions, "transition"));
    let name = if common.is_empty() { "verification".to_owned() } else { common.join(" ") };
    out.push_str(&format!("{}  {}\n", style.bold(&name), style.dim(&sizes)));
    let told = |verdict: &&Verdict| explain || verdict.holds != Some(true) || !verdict.reason.is_empty();
    let silent = verified.verdicts.iter().filter(|verdict| !told(verdict)).map(|verdict| verdict.name);
    let silent: Vec<&str> = silent.collect();
    if !silent.is_empty() {
        out.push_str(&flow::text(&format!("  {}  ", style.good("yes")), &silent.join(", "), 7, style));
    }
    for verdict in verified.verdicts.iter().filter(told) {
        let mark = match verdict.holds {
            Some(true) => style.good("yes"),
            Some(false) => style.bad("no "),
            None => style.doubtful("?  "),
        };
        // A sentence with "no" that does not hold would have to be read twice.
        let text = match (verdict.holds, verdict.reason.as_str()) {
            (Some(true), "") => verdict.statement.clone(),
            (Some(true), reason) => format!("{}: {reason}", verdict.statement),
            (_, reason) => format!("{}: {reason}", verdict.name),
        };
        out.push_str(&flow::text(&format!("  {mark}  "), &text, 7, style));
        out.push_str(&run(verdict, style));
    }
    out
}

/// The run that shows why a verdict does not hold.
fn run(verdict: &Verdict, style: Style) -> String {
    let mut out = steps(&verdict.steps, style);
    if !verdict.for_ever.is_empty() {
        out.push_str(&style.dim("       then for ever:"));
        out.push('\n');
        out.push_str(&steps(&verdict.for_ever, style));
    }
    out
}

fn steps(steps: &[VerdictStep], style: Style) -> String {
    let mut out = String::new();
    let widest = |of: fn(&VerdictStep) -> usize| steps.iter().map(of).max().unwrap_or(0);
    let place = |step: &VerdictStep| match step.place.1 {
        0 => String::new(),
        line => format!("{}:{line}", step.place.0),
    };
    let process = widest(|step| step.process.chars().count());
    let places = steps.iter().map(|step| place(step).chars().count()).max().unwrap_or(0);
    let statement = widest(|step| step.statement.chars().count()).min(40);
    for (number, step) in steps.iter().enumerate() {
        let line = match step.process.as_str() {
            "" => format!("       {}", step.what),
            _ => format!(
                "       {:>3}  {:<process$}  {:<places$}  {:<statement$}  {}",
                number + 1,
                step.process,
                place(step),
                step.statement,
                step.what
            ),
        };
        out.push_str(&style.dim(line.trim_end()));
        out.push('\n');
    }
    out
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
fn table(report: &StudyReport, style: Style) -> String {
    let classes = classes(report);
    let axes = report.axes();
    let mut head: Vec<String> = axes.iter().map(|&axis| report.parameters[axis].clone()).collect();
    let keys = head.len();
    head.push("states".to_owned());
    head.push(format!("time of {} ({})", one(&report.what), report.unit));
    head.push("misses".to_owned());
    head.extend(classes.iter().cloned());
    let row = |configuration: &ConfigurationReport| {
        let mut row: Vec<String> = axes.iter().map(|&axis| configuration.values[axis].1.clone()).collect();
        match &configuration.performance {
            None => row.extend(std::iter::repeat_n(style.nothing().to_owned(), 3 + classes.len())),
            Some(found) => {
                row.push(count(found.states));
                row.push(time(found.time()));
                if found.is_partial {
                    row.extend(std::iter::repeat_n(style.nothing().to_owned(), 1 + classes.len()));
                    return row;
                }
                row.push(rounded(found.misses()));
                let sums = found.by_class();
                row.extend(classes.iter().map(|class| {
                    let sum = sums.iter().find(|sum| sum.name == *class);
                    rounded(sum.map_or(0.0, |sum| sum.misses))
                }));
            }
        }
        row
    };
    let rows = report.configurations.iter().map(row).collect();
    let columns = Columns { head, rows, keys: Keys::Before(keys), group: 1 };
    columns.draw(2, style, |_, line| line.to_owned())
}

/// Estimates by simulation beside the times.
fn simulations(report: &StudyReport, style: Style) -> String {
    let mut out = String::new();
    for configuration in &report.configurations {
        let Some(found) = &configuration.performance else { continue };
        let Some(simulated) = &found.simulated else { continue };
        let verdict = match simulated.agrees {
            Some(true) => style.good("agrees"),
            Some(false) => style.bad("does not agree"),
            None => "latencies without chance".to_owned(),
        };
        let name = named(report, configuration);
        let name = if name.is_empty() { "simulated".to_owned() } else { format!("{name} simulated") };
        out.push_str(&format!(
            "  {name}: {} {} {} ({} %), {}; {verdict}\n",
            time(simulated.time),
            style.plus_minus(),
            rounded(simulated.half_width),
            100.0 * simulated.confidence,
            counted(simulated.events, "step"),
        ));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// What would help most in the configuration with the longest time, as a line.
fn first_influence(report: &StudyReport) -> Option<String> {
    let slowest = report.configurations.iter().filter_map(|configuration| {
        let found = configuration.performance.as_ref()?;
        Some((configuration, found))
    });
    let (configuration, found) = slowest.max_by(|a, b| a.1.time().total_cmp(&b.1.time()))?;
    let best = found.influences.iter().find(|influence| !influence.is_variable)?;
    let at = named(report, configuration);
    let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
    Some(format!(
        "\n  most would help{at}: {} 10 % faster saves {} {} of {} ({:.1} %); more with --explain\n",
        best.what,
        rounded(best.saved),
        report.unit,
        time(found.time()),
        100.0 * best.part
    ))
}

/// Where the time of a configuration goes.
fn explained(
    report: &StudyReport,
    configuration: &ConfigurationReport,
    found: &Performance,
    sources: &Sources,
    style: Style,
) -> String {
    let name = named(report, configuration);
    let name = if name.is_empty() { report.title.clone() } else { name };
    let [lo, hi] = found.latency;
    let mut out = format!(
        "\n{}\n  time of {}: {} {} ({} to {})\n",
        style.bold(&name),
        one(&report.what),
        time(found.time()),
        report.unit,
        time(lo),
        time(hi)
    );
    out.push_str(&format!(
        "  {} states of a Markov chain, {} of them again and again\n",
        count(found.states),
        count(found.recurrent)
    ));
    if let Some(bandwidth) = found.bandwidth {
        out.push_str(&format!("  bandwidth: {} bytes per {}\n", time(bandwidth), report.unit));
    }
    out.push_str(&sums("variable", found.by_variable(), report, style));
    out.push_str(&sums("transfer", found.by_transfer(), report, style));
    out.push_str(&lines(found, sources, style));
    out.push_str(&influences(found, report, style));
    out
}

fn sums(what: &str, mut sums: Vec<Sum>, report: &StudyReport, style: Style) -> String {
    sums.sort_by(|a, b| b.share.total_cmp(&a.share));
    let head = [
        what.to_owned(),
        format!("misses per {}", report.what),
        "accesses".to_owned(),
        "share of time".to_owned(),
    ];
    let row = |sum: &Sum| {
        vec![
            sum.name.clone(),
            rounded(sum.misses),
            rounded(sum.accesses),
            format!("{:.1} %", 100.0 * sum.share),
        ]
    };
    let rows = sums.iter().map(row).collect();
    let columns = Columns { head: head.to_vec(), rows, keys: Keys::Before(1), group: 1 };
    format!("\n{}", columns.draw(2, style, |_, line| line.to_owned()))
}

/// The program, with the share of time and the misses of each line that has accesses.
fn lines(found: &Performance, sources: &Sources, style: Style) -> String {
    let places = found.by_line();
    let mut out = String::new();
    let mut files: Vec<&str> =
        places.iter().map(|(place, _)| place.0.as_str()).filter(|file| !file.is_empty()).collect();
    files.dedup();
    for file in files {
        let source = (0..sources.len() as u32).map(volvelle_diagnostics::FileId).map(|id| sources.file(id));
        let Some(source) = source.into_iter().find(|source| source.name == *file) else { continue };
        out.push_str(&format!("\n  {}\n", style.bold(file)));
        out.push_str(&style.dim(&format!("  {:>7}  {:>7}  {:>5}\n", "time", "misses", "line")));
        for (number, text) in source.text.lines().enumerate() {
            let number = number as u32 + 1;
            let place = places.iter().find(|(place, _)| place.0 == *file && place.1 == number);
            let line = match place {
                Some((_, sum)) => {
                    format!("  {:>5.1} %  {:>7}  {number:>5}  {text}", 100.0 * sum.share, rounded(sum.misses))
                }
                None => style.dim(format!("  {:>7}  {:>7}  {number:>5}  {text}", "", "").trim_end()),
            };
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn influences(found: &Performance, report: &StudyReport, style: Style) -> String {
    if found.influences.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for (is_variable, what) in [(false, "10 % faster"), (true, "10 % faster accesses to")] {
        let head = [what.to_owned(), format!("saves ({})", report.unit), format!("of {}", one(&report.what))];
        let row = |influence: &Influence| {
            vec![influence.what.clone(), rounded(influence.saved), format!("{:.2} %", 100.0 * influence.part)]
        };
        let shown = found.influences.iter().filter(|influence| influence.is_variable == is_variable);
        let rows = shown.take(MOST_INFLUENCES).map(row).collect();
        let columns = Columns { head: head.to_vec(), rows, keys: Keys::Before(1), group: 1 };
        out.push_str(&format!("\n{}", columns.draw(2, style, |_, line| line.to_owned())));
    }
    out
}
