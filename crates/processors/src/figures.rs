//! Figures: instructions per cycle, and where the cycles go.

use super::report::{Report, Row};
use volvelle_plot::bar_chart::{BarChart, Bars};

/// Categories of a chart that can be told apart.
const MOST_CATEGORIES: usize = 60;

/// The value of each predictor for each program and machine; means where there are several programs.
pub fn ipc(report: &Report) -> Option<BarChart> {
    // A place of the chart, the predictor, and the value.
    let cells: Vec<(String, &str, f64)> = match report.means.is_empty() {
        false => {
            let usual = report.means.iter().filter(|mean| mean.reading.is_none());
            usual.map(|mean| (mean.machine.clone(), mean.predictor.as_str(), mean.ipc)).collect()
        }
        true => {
            let timed = report.rows.iter().filter(|row| row.answer.cycles > 0);
            timed
                .map(|row| (category(report, row), row.answer.predictor.as_str(), row.answer.ipc()))
                .collect()
        }
    };
    let (mut categories, mut names): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (category, name, _) in &cells {
        if !categories.contains(category) {
            categories.push(category.clone());
        }
        if !names.contains(name) {
            names.push(name);
        }
    }
    if categories.is_empty() || categories.len() > MOST_CATEGORIES {
        return None;
    }
    let series = names.iter().enumerate().map(|(style, name)| {
        let value = |category: &String| {
            cells.iter().find(|cell| cell.0 == *category && cell.1 == *name).map(|cell| cell.2)
        };
        let values = categories.iter().map(value).collect();
        Bars { name: (*name).to_owned(), style, values, bounds: None }
    });
    let series = series.collect();
    Some(BarChart {
        title: "Instructions per cycle".to_owned(),
        subtitle: subtitle(report),
        x: String::new(),
        y: match report.means.is_empty() {
            true => "instructions per cycle".to_owned(),
            false => "geometric mean of instructions per cycle".to_owned(),
        },
        categories,
        series,
        stacked: false,
    })
}

/// Cycles per instruction by what they went into, a stack for each answer.
pub fn stacks(report: &Report) -> Option<BarChart> {
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.answer.cycles > 0).collect();
    let first = rows.first()?;
    if rows.len() > MOST_CATEGORIES {
        return None;
    }
    let several = rows.iter().any(|row| row.answer.predictor != first.answer.predictor);
    let name = |row: &&Row| match several {
        true => format!("{} {}", category(report, row), row.answer.predictor).trim().to_owned(),
        false => category(report, row),
    };
    let series = (0..first.stack.len()).map(|part| {
        let value = |row: &&Row| Some(row.stack[part].1 / row.answer.instructions.max(1) as f64);
        Bars {
            name: first.stack[part].0.to_owned(),
            style: part,
            values: rows.iter().map(value).collect(),
            bounds: None,
        }
    });
    Some(BarChart {
        title: "Where the cycles go".to_owned(),
        subtitle: subtitle(report),
        x: String::new(),
        y: "cycles per instruction".to_owned(),
        categories: rows.iter().map(name).collect(),
        series: series.collect(),
        stacked: true,
    })
}

/// What tells an answer from others, besides its predictor.
fn category(report: &Report, row: &Row) -> String {
    let differs = |of: fn(&Row) -> &str| report.rows.iter().any(|other| of(other) != of(row));
    let mut words = Vec::new();
    if differs(|row| &row.program) {
        words.push(row.program.as_str());
    }
    if differs(|row| row.reading.as_deref().unwrap_or_default()) {
        words.push(row.reading.as_deref().unwrap_or("as it is"));
    }
    if words.is_empty() || differs(|row| &row.answer.machine) {
        words.push(row.answer.machine.as_str());
    }
    words.join(" ")
}

fn subtitle(report: &Report) -> String {
    match (&report.title, report.rows.first()) {
        (title, _) if !title.is_empty() => title.clone(),
        (_, Some(row)) => row.program.clone(),
        _ => String::new(),
    }
}
