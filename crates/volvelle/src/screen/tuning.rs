//! The result of tuning: the best configurations, their proof, the table, and how much each parameter matters.

use super::columns::{Columns, Keys};
use super::format::{count, number, time};
use super::{Style, flow};
use std::time::Duration;
use volvelle_tune::{Evidence, Proof, Row, Tuning};
use volvelle_verify::limits::counted;

/// Configurations that are listed without `--verbose`.
const LISTED: usize = 40;

/// Best configurations that are listed above the table.
const BEST: usize = 8;

/// The whole result.
pub fn block(tuning: &Tuning, elapsed: Duration, verbose: bool, style: Style) -> String {
    let mut out = String::from("\n");
    let mut line = |name: &str, text: &str| {
        let start = format!("  {name:<12} ");
        out.push_str(&flow::text(&start, text, flow::columns(&start), style));
    };
    let objective = format!("least {}", tuning.objective);
    match tuning.time() {
        None => line(&objective, &style.bad(style.nothing())),
        Some(least) => line(&objective, &style.bold(&with_unit(least, tuning))),
    }
    let best: Vec<String> = tuning.best().map(|row| configuration(row, tuning)).collect();
    for (i, text) in best.iter().take(BEST).enumerate() {
        line(if i == 0 { "with" } else { "or" }, &style.bold(text));
    }
    if best.len() > BEST {
        line("", &format!("and {} more", count((best.len() - BEST) as u64)));
    }
    match &tuning.proof {
        Proof::Proven(why) => line("proven", why),
        Proof::Unproven(why) => line("not proven", &style.doubtful(why)),
    }
    if let Some(all) = tuning.configurations {
        let decided = tuning.decided();
        if decided < all {
            line(
                "coverage",
                &format!("the time of {} of {} configurations is known", count(decided), count(all)),
            );
        }
    }
    line("method", &tuning.method);
    let states = format!(
        "{}{}{}",
        counted(tuning.states, "state"),
        style.separator(),
        counted(tuning.transitions, "transition")
    );
    match tuning.states + tuning.transitions {
        // Nothing is explored where times are computed.
        0 => line("took", &time(elapsed)),
        _ => line("explored", &format!("{states}{}{}", style.separator(), time(elapsed))),
    }
    out.push_str(&steps(tuning, style));
    out.push_str(&table(tuning, verbose, style));
    out.push_str(&sensitivity(tuning, style));
    out
}

/// `WG=4 TS=2`
pub fn configuration(row: &Row, tuning: &Tuning) -> String {
    let pairs = tuning.parameters.iter().zip(&row.values).map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

fn with_unit(value: f64, tuning: &Tuning) -> String {
    match tuning.unit.as_str() {
        "" => number(value, 0.0),
        unit => format!("{} {unit}", number(value, 0.0)),
    }
}

/// The time of a row, or its bounds.
pub fn time_of(row: &Row) -> String {
    match (row.time(), &row.evidence) {
        (_, Evidence::Invalid(_)) => "invalid".to_owned(),
        (Some(time), _) => number(time, 0.0),
        _ if row.never_ends() => "never".to_owned(),
        (None, Evidence::Found) if row.hi.is_finite() && row.lo <= 0.0 => {
            format!("<= {}", number(row.hi, 0.0))
        }
        _ if row.hi.is_finite() => format!("{} .. {}", number(row.lo, 0.0), number(row.hi, 0.0)),
        _ => format!(">= {}", number(row.lo, 0.0)),
    }
}

fn steps(tuning: &Tuning, style: Style) -> String {
    if tuning.steps.is_empty() {
        return String::new();
    }
    let rows = tuning.steps.iter();
    let rows = rows.map(|step| vec![step.text.clone(), step.outcome.clone(), count(step.states)]).collect();
    let head = ["step", "found", "states"].map(str::to_owned).to_vec();
    let columns = Columns { head, rows, keys: Keys::Before(1), group: 2 };
    format!("\n{}", columns.draw(2, style, |_, text| text.to_owned()))
}

fn table(tuning: &Tuning, verbose: bool, style: Style) -> String {
    if tuning.rows.is_empty() {
        return String::new();
    }
    let unit = if tuning.unit.is_empty() { String::new() } else { format!(" ({})", tuning.unit) };
    let mut head: Vec<String> = tuning.parameters.clone();
    head.push(format!("{}{unit}", tuning.objective));
    // Measured times have no states, others no prediction beside them.
    let (has_states, has_predictions) = (tuning.is_about_states(), tuning.has_predictions());
    if has_predictions {
        head.push(format!("predicted{unit}"));
    }
    if has_states {
        head.extend(["all runs".to_owned(), "states".to_owned()]);
    }
    head.extend(["known by".to_owned(), String::new()]);
    let shown = if verbose { tuning.rows.len() } else { LISTED.min(tuning.rows.len()) };
    let best = tuning.time();
    let is_best = |row: &Row| best == Some(row.hi);
    let cells = |row: &Row| {
        let mut cells: Vec<String> = row.values.iter().map(ToString::to_string).collect();
        let alike = match (row.all_alike, row.greatest) {
            (Some(true), _) => "alike".to_owned(),
            (Some(false), Some(most)) if most > row.hi => format!("up to {}", number(most, 0.0)),
            (Some(false), _) => "differ".to_owned(),
            (None, _) => String::new(),
        };
        cells.push(time_of(row));
        if has_predictions {
            cells.push(row.predicted.map_or(String::new(), |time| number(time, 0.0)));
        }
        if has_states {
            cells.extend([alike, count(row.states)]);
        }
        cells.push(evidence(&row.evidence));
        cells.push(if is_best(row) { "best".to_owned() } else { String::new() });
        cells
    };
    let rows = tuning.rows[..shown].iter().map(cells).collect();
    let keys = Keys::Before(tuning.parameters.len());
    let columns = Columns { head, rows, keys, group: 5 };
    let mut out = String::from("\n");
    out.push_str(&columns.draw(2, style, |row, text| match is_best(&tuning.rows[row]) {
        true => style.bold(text),
        false => text.to_owned(),
    }));
    if shown < tuning.rows.len() {
        let rest = count((tuning.rows.len() - shown) as u64);
        out.push_str(&flow::text("  ", &format!("... and {rest} more: --verbose, or --csv FILE"), 2, style));
    }
    out
}

fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Certified => "certificate".to_owned(),
        Evidence::Exhaustive => "all states".to_owned(),
        Evidence::Composed(_) => "composition".to_owned(),
        Evidence::Found => "a run".to_owned(),
        Evidence::Unknown => "-".to_owned(),
        Evidence::Predicted => "prediction".to_owned(),
        Evidence::Measured => "measurement".to_owned(),
        Evidence::Invalid(why) => why.clone(),
    }
}

fn sensitivity(tuning: &Tuning, style: Style) -> String {
    let all = tuning.sensitivities();
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    out.push_str(&flow::text(
        "  ",
        &style.dim("around the best configuration, one parameter at a time"),
        2,
        style,
    ));
    for one in all {
        let name = &tuning.parameters[one.parameter];
        let text = format!(
            "worst / best {:.2}: {} with {}, {} with {}",
            one.ratio(),
            number(one.worst.1, 0.0),
            one.worst.0,
            number(one.best.1, 0.0),
            one.best.0
        );
        out.push_str(&flow::text(&format!("  {name:<12} "), &text, 15, style));
    }
    out
}
