//! Studies as tables of comma-separated values.

use super::report::StudyReport;
use volvelle_session::csv::{line, number};

/// A line for each configuration: parameters, sizes, time of a message, misses in all and by class.
pub fn configurations_csv(report: &StudyReport) -> String {
    let mut out = String::new();
    let classes = classes(report);
    let mut head = report.parameters.clone();
    let unit = &report.unit;
    head.extend(["protocol table", "states", "transitions", "recurrent states"].map(str::to_owned));
    head.extend(["time", "time lo", "time hi"].map(|name| format!("{name} ({unit})")));
    head.push("misses".to_owned());
    head.extend(classes.iter().map(|class| format!("misses {class}")));
    line(&mut out, &head);
    for configuration in &report.configurations {
        let Some(found) = &configuration.performance else { continue };
        let mut cells: Vec<String> = configuration.values.iter().map(|(_, value)| value.clone()).collect();
        cells.push(configuration.protocol.clone());
        cells.extend([found.states, found.transitions, found.recurrent].map(|count| count.to_string()));
        let [lo, hi] = found.latency;
        cells.extend([volvelle_imc::middle([lo, hi]), lo, hi].map(number));
        if found.is_partial {
            cells.extend(std::iter::repeat_n(String::new(), 1 + classes.len()));
            line(&mut out, &cells);
            continue;
        }
        cells.push(number(found.misses()));
        let sums = found.by_class();
        cells.extend(classes.iter().map(|class| {
            let sum = sums.iter().find(|sum| sum.name == *class);
            number(sum.map_or(0.0, |sum| sum.misses))
        }));
        line(&mut out, &cells);
    }
    out
}

/// A line for each place, variable and transfer of each configuration.
pub fn accesses_csv(report: &StudyReport) -> String {
    let mut out = String::new();
    let mut head = report.parameters.clone();
    let columns = [
        "process",
        "variable",
        "class",
        "transfer",
        "distance",
        "miss",
        "file",
        "line",
        "per message",
        "per round",
        "share",
    ];
    head.extend(columns.map(str::to_owned));
    line(&mut out, &head);
    for configuration in &report.configurations {
        for access in configuration.performance.iter().flat_map(|found| &found.accesses) {
            let mut cells: Vec<String> =
                configuration.values.iter().map(|(_, value)| value.clone()).collect();
            let texts = [&access.process, &access.variable, &access.class, &access.transfer];
            cells.extend(texts.map(String::clone));
            cells.push(access.distance.to_string());
            cells.push(u8::from(access.is_miss).to_string());
            cells.push(access.place.0.clone());
            cells.push(access.place.1.to_string());
            cells.extend([access.per_message, access.per_round, access.share].map(number));
            line(&mut out, &cells);
        }
    }
    out
}

/// Classes of variables in all configurations that have misses.
pub fn classes(report: &StudyReport) -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for found in report.configurations.iter().filter_map(|configuration| configuration.performance.as_ref()) {
        for sum in found.by_class() {
            if sum.misses > 0.0 && !classes.contains(&sum.name) {
                classes.push(sum.name);
            }
        }
    }
    classes
}
