//! Answers: a block for a single property, and the cells of a table.

use super::format::{
    LONGEST_PROPERTY, between, count, count_short, enclosed, error_short, number, off, shortened, time,
};
use super::{Style, flow, witness};
use volvelle_logic::{Answer, FormulaValue, Guarantee, Ratio, Value};
use volvelle_session::fractions;
use volvelle_session::limits::counted;
use volvelle_session::report::{PropertyReport, StateValue};
use volvelle_session::verification::Verification;

/// States of `filter(print, …)` that are shown without `-v`.
const STATES_SHOWN: usize = 20;

/// Between the parts of a line.
const GAP: &str = "      ";

/// Points of a Pareto curve that fit into the line of the answer.
const POINTS_INLINE: usize = 3;

/// A property with its answer on the next line.
pub fn block(report: &PropertyReport, verbose: bool, style: Style) -> String {
    const INDENT: usize = 9;
    let name = report.name.as_deref().map_or(String::new(), |name| {
        let padded = format!("{name:<width$}", width = INDENT - 5);
        format!("{}   ", style.bold(&padded))
    });
    let constants: Vec<String> = report.constants.iter().map(|constant| constant.to_string()).collect();
    let mut title = vec![shortened(&report.text, LONGEST_PROPERTY)];
    title.extend((!constants.is_empty()).then(|| constants.join(", ")));
    let hanging = if name.is_empty() { 4 } else { INDENT };
    let mut out = format!("\n{}", flow::items(&format!("  {name}"), &title, GAP, hanging, style));
    let indent = " ".repeat(INDENT);
    match &report.outcome {
        Ok(answer) => {
            let mut parts =
                vec![format!("= {}{}", value(answer, style), decimal(answer)), trust(answer, style)];
            parts.push(style.dim(&format!("{}, {}", answer.method, time(report.time))));
            out.push_str(&flow::items(&indent, &parts, GAP, INDENT + 2, style));
            for remark in &report.remarks {
                out.push_str(&flow::text(&indent, &style.doubtful(remark), INDENT, style));
            }
            if verbose {
                out.push_str(&bounds(report, answer, &indent, style));
            }
            if let Some(verification) = &report.verification {
                out.push_str(&verified(verification, verbose, &indent, style));
            }
            if let Value::Pareto(points) = &answer.value {
                out.push_str(&curve(points, answer, &indent, style));
            }
            if let Value::States(states) = &answer.value {
                out.push_str(&list(answer, states, &report.states, verbose, &indent, style));
            }
            if let Some(evidence) = &report.evidence {
                out.push_str(&witness::block(evidence, verbose, &indent, style));
            }
        }
        Err(diagnostics) => {
            // The message itself is among the diagnostics.
            let code = diagnostics.first().map_or(String::new(), |d| d.code.to_string());
            let mut items = vec![style.bad("no answer"), code];
            items.extend(report.unanswered().map(str::to_owned));
            out.push_str(&flow::items(&indent, &items, GAP, INDENT + 2, style));
        }
    }
    out
}

/// The comparison of a value with simulated paths.
fn verified(verification: &Verification, verbose: bool, indent: &str, style: Style) -> String {
    let mut out = String::new();
    let mut add = |text: &str| out.push_str(&flow::text(indent, text, indent.len(), style));
    let paths = format!("{} paths", count(verification.samples));
    match &verification.verdict {
        Err(_) => add(&style.dim(&verification.message())),
        Ok(verdict) => {
            let [first, _, last] = verdict.intervals;
            let half = error_short(0.5 * last.width());
            let estimate = number(verdict.estimate, 0.05 * last.width());
            let line = format!("simulated: {estimate} {}{half} at 99 %, {paths}", style.plus_minus());
            add(&style.dim(&line));
            let message = verification.message();
            let message = match verification.agrees() {
                Some(false) => style.bad(&message),
                _ => style.dim(&message),
            };
            add(&message);
            if let (Some(how), Some(before)) = (&verification.repaired, verification.replaced) {
                let line = format!(
                    "recomputed with {how}; the paths refute the earlier value {}",
                    number(before, 0.0)
                );
                add(&style.doubtful(&line));
            }
            if !verification.is_precise {
                let width = match verdict.relative_width {
                    Some(width) => {
                        format!("the relative width of the 90 % interval is {}", error_short(width))
                    }
                    None => "the estimate is 0 and has no relative width".to_owned(),
                };
                let line = format!(
                    "the time was too short for a meaningful comparison: {width}; raise --verify-time"
                );
                add(&style.doubtful(&line));
            }
            if verbose {
                let width = verdict.relative_width.map_or("unknown".to_owned(), error_short);
                let [lo, hi] = [first.lo, first.hi].map(|end| number(end, 0.01 * first.width()));
                let line = format!(
                    "90 % interval {lo} to {hi}, relative width {width}; {} steps with {} in {}, seed {}{}",
                    count_short(verification.steps as f64),
                    verification.tier,
                    time(verification.time),
                    verification.seed,
                    if verification.redrawn { " (the second one drawn)" } else { "" }
                );
                add(&style.dim(&line));
            }
        }
    }
    out
}

/// Levels of importance splitting that are shown one by one.
const MOST_LEVELS: usize = 12;

/// How many paths there were, and how they spread.
fn statistics(report: &PropertyReport, indent: &str, style: Style) -> String {
    let Some(s) = &report.statistics else { return String::new() };
    let mut parts = Vec::new();
    if let Some([lo, hi]) = s.interval {
        // Digits down to some hundredths of the width.
        let [lo, hi] = [lo, hi].map(|end| number(end, 0.01 * (hi - lo)));
        parts.push(format!("{} % interval {lo} to {hi}", 100.0 * s.confidence));
    }
    if let Some(successes) = s.successes {
        parts.push(format!("{} of {} paths", count(successes), count(s.samples)));
    }
    if let Some(rare) = &s.rare {
        let levels: Vec<String> = rare.levels.iter().map(i32::to_string).collect();
        parts.push(match levels.len() {
            0 => "no intermediate level".to_owned(),
            n if n <= MOST_LEVELS => format!("levels {}", levels.join(" ")),
            n => format!("{n} levels"),
        });
        parts.push(format!("{} paths", count(s.samples)));
    }
    if let Some(deviation) = s.deviation {
        parts.push(format!("standard deviation {}", number(deviation, 1e-3 * deviation)));
    }
    let seconds = s.time.as_secs_f64();
    let speed = if seconds > 0.0 { s.steps as f64 / seconds } else { 0.0 };
    let second = format!(
        "{} steps, {} per path, {} per second with {}, seed {} ({})",
        count_short(s.steps as f64),
        number(s.steps as f64 / s.samples.max(1) as f64, 0.5),
        count_short(speed),
        s.tier,
        s.seed,
        s.generator
    );
    [parts.join(", "), second].map(|line| dimmed(&line, indent, style)).concat()
}

/// A text that can be skipped.
fn dimmed(text: &str, indent: &str, style: Style) -> String {
    flow::text(indent, &style.dim(text), indent.len(), style)
}

fn bounds(report: &PropertyReport, answer: &Answer, indent: &str, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } => {
            dimmed(&format!("between {lo:?} and {hi:?}, {}", answer.stop.name()), indent, style)
        }
        Guarantee::Exact { .. } => {
            let long = answer.exact.iter().filter(|number| fractions::short(number).is_none());
            let line = |number: &Ratio| {
                let about = format!("{} (about {})", fractions::describe(number), number.to_f64());
                let number = flow::text(indent, &number.to_string(), indent.len(), style);
                dimmed(&about, indent, style) + &number
            };
            // Of a list there may be thousands.
            if matches!(answer.value, Value::States(_)) { String::new() } else { long.map(line).collect() }
        }
        Guarantee::Statistical { .. } => statistics(report, indent, style),
        Guarantee::Approximate { .. } | Guarantee::Within { .. } | Guarantee::Partial { .. } => String::new(),
    }
}

/// Behind a short fraction: what it is as a decimal.
fn decimal(answer: &Answer) -> String {
    match (&answer.value, answer.exact.as_slice()) {
        (Value::Number(x), [exact]) if exact.finite().is_some_and(|e| !e.is_int()) => {
            if fractions::short(exact).is_some() { format!("  ({})", number(*x, 0.0)) } else { String::new() }
        }
        _ => String::new(),
    }
}

/// The corners of a Pareto curve, one per line, if they are too many for the line of the answer.
fn curve(points: &[Vec<f64>], answer: &Answer, indent: &str, style: Style) -> String {
    if points.len() <= POINTS_INLINE {
        return String::new();
    }
    let start = format!("{indent}  ");
    let text = |i: usize| flow::text(&start, &coordinates(points, i, answer), start.len(), style);
    (0..points.len()).map(text).collect()
}

/// A point of a curve: `(0.5, 1.25)`, or with fractions where they are known.
fn coordinates(points: &[Vec<f64>], place: usize, answer: &Answer) -> String {
    let point = &points[place];
    let exact = |j: usize| answer.exact.get(place * point.len() + j);
    let precision = |j: usize| match &answer.guarantee {
        Guarantee::Within { precision } => precision.get(j).copied().unwrap_or(0.0),
        _ => 0.0,
    };
    let shown = |(j, &x): (usize, &f64)| shown(x, exact(j), precision(j));
    let numbers: Vec<String> = point.iter().enumerate().map(shown).collect();
    format!("({})", numbers.join(", "))
}

/// A computed number with the digits that its guarantee supports.
fn known(x: f64, exact: Option<&Ratio>, guarantee: &Guarantee) -> String {
    match *guarantee {
        Guarantee::Sound { lo, hi, .. } if exact.is_none() => enclosed(x, [lo, hi], half_width(x, guarantee)),
        _ => shown(x, exact, worth_showing(x, guarantee)),
    }
}

/// A number: its fraction if that is known and short, else a decimal, marked if it abbreviates a longer fraction.
fn shown(x: f64, exact: Option<&Ratio>, half_width: f64) -> String {
    match exact {
        Some(exact) => fractions::short(exact).unwrap_or_else(|| format!("~{}", number(x, 0.0))),
        None => number(x, half_width),
    }
}

fn list(
    answer: &Answer,
    states: &[(u32, FormulaValue)],
    texts: &[String],
    verbose: bool,
    indent: &str,
    style: Style,
) -> String {
    let count_shown = if verbose { states.len() } else { STATES_SHOWN.min(states.len()) };
    let mut out = String::new();
    let rows: Vec<[String; 2]> = (states.iter().take(count_shown).enumerate())
        .map(|(i, &(_, value))| match answer.exact.get(i) {
            Some(exact) => [shown(value.middle(), Some(exact), 0.0), String::new()],
            None => state_value(value, &answer.guarantee, style),
        })
        .collect();
    let [value_width, trust_width] =
        [0, 1].map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0));
    for ([value, trust], text) in rows.iter().zip(texts) {
        let trust = if trust_width > 0 { format!("   {trust:<trust_width$}") } else { String::new() };
        let start = format!("{indent}  {value:<value_width$}{}   ", style.dim(&trust));
        out.push_str(&flow::text(&start, text, flow::columns(&start), style));
    }
    if count_shown < states.len() {
        let more = format!("and {} more (-v shows all)", count((states.len() - count_shown) as u64));
        out.push_str(&flow::text(&format!("{indent}  "), &style.dim(&more), indent.len() + 4, style));
    }
    out
}

/// The value of a state and how far it can be trusted, as cells.
pub fn state_value(value: FormulaValue, guarantee: &Guarantee, style: Style) -> [String; 2] {
    match (value, guarantee) {
        (FormulaValue::Truth(truth), _) => [truth.to_string(), String::new()],
        (FormulaValue::Bounds(_), &Guarantee::Approximate { epsilon }) => {
            [number(value.middle(), epsilon), String::new()]
        }
        (FormulaValue::Bounds(bounds), _) => [between(bounds), off(bounds).replace('±', style.plus_minus())],
    }
}

/// The value of a state, a fraction where one is known and short.
pub fn value_of_state(entry: &StateValue, guarantee: &Guarantee, style: Style) -> [String; 2] {
    match &entry.exact {
        Some(exact) => {
            let text = fractions::short(exact).unwrap_or_else(|| format!("~{}", number(exact.to_f64(), 0.0)));
            [text, "exact".to_owned()]
        }
        None => state_value(entry.value, guarantee, style),
    }
}

/// How far a number may be off on either side.
fn half_width(value: f64, guarantee: &Guarantee) -> f64 {
    match *guarantee {
        Guarantee::Exact { .. } => 0.0,
        Guarantee::Sound { lo, hi, .. } => (value - lo).max(hi - value),
        Guarantee::Within { .. } | Guarantee::Partial { .. } => 0.0,
        Guarantee::Statistical { interval, .. } => {
            interval.map_or(0.0, |[lo, hi]| (value - lo).max(hi - value))
        }
        Guarantee::Approximate { epsilon } => epsilon,
    }
}

/// The error that decides how many digits are shown; an estimate gets one digit more than its interval supports.
fn worth_showing(value: f64, guarantee: &Guarantee) -> f64 {
    let half = half_width(value, guarantee);
    if matches!(guarantee, Guarantee::Statistical { .. }) { 0.1 * half } else { half }
}

/// The value, with as many digits as are known.
pub fn value(answer: &Answer, style: Style) -> String {
    match &answer.value {
        Value::Bool(truth) => {
            let word = if *truth { style.good("true") } else { style.bad("false") };
            match answer.compared {
                Some(x) => {
                    format!("{word}  ({})", known(x, answer.exact.first(), &answer.guarantee))
                }
                None => word,
            }
        }
        Value::Number(x) => style.bold(&known(*x, answer.exact.first(), &answer.guarantee)),
        Value::Interval(lo, hi) => {
            let (first, second) = (answer.exact.first(), answer.exact.get(1));
            // Each end is as far from the outer bound as it may be off.
            let half = |x: f64, bound: f64| if bound.is_finite() { (x - bound).abs() } else { 0.0 };
            let [below, above] = match answer.guarantee {
                Guarantee::Sound { lo: least, hi: greatest, .. } => [half(*lo, least), half(*hi, greatest)],
                Guarantee::Approximate { epsilon } => [epsilon; 2],
                _ => [0.0; 2],
            };
            style.bold(&format!("[{}, {}]", shown(*lo, first, below), shown(*hi, second, above)))
        }
        Value::Pareto(points) if points.len() <= POINTS_INLINE => {
            let points: Vec<String> = (0..points.len()).map(|i| coordinates(points, i, answer)).collect();
            style.bold(&points.join(" "))
        }
        Value::Pareto(points) => style.bold(&format!("Pareto curve of {} points", points.len())),
        Value::States(states) => {
            let listed = counted(states.len() as u64, "state");
            match &answer.initially {
                Some(initially) => format!("{listed}, initially {}", value(initially, style)),
                None => listed,
            }
        }
    }
}

fn compared(answer: &Answer) -> Option<f64> {
    match answer.value {
        Value::Number(x) => Some(x),
        _ => answer.compared,
    }
}

/// `within ±3.8e-10 (sound)`
pub fn trust(answer: &Answer, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Exact { .. } => "exact".to_owned(),
        Guarantee::Within { ref precision } => within(precision, style),
        Guarantee::Sound { lo, hi, .. } => match compared(answer) {
            Some(x) if lo.is_finite() && hi.is_finite() => {
                format!(
                    "within {}{} (sound)",
                    style.plus_minus(),
                    error_short(half_width(x, &answer.guarantee))
                )
            }
            _ => format!("between {} and {} (sound)", number(lo, 0.0), number(hi, 0.0)),
        },
        Guarantee::Approximate { epsilon } => {
            style.doubtful(&format!("no guarantee: stopped at a difference of {}", error_short(epsilon)))
        }
        Guarantee::Partial { .. } => style.doubtful("the search was not exhaustive"),
        Guarantee::Statistical { interval, confidence, .. } => match (interval, compared(answer)) {
            (Some(_), Some(x)) => {
                let half = error_short(half_width(x, &answer.guarantee));
                format!("{}{half} with confidence {confidence}", style.plus_minus())
            }
            _ => style.doubtful("the paths give no interval"),
        },
    }
}

/// `within ±1.0e-9, ±2.3e-8 (sound)`
fn within(precision: &[f64], style: Style) -> String {
    let each: Vec<String> =
        precision.iter().map(|&p| format!("{}{}", style.plus_minus(), error_short(p))).collect();
    format!("within {} (sound)", each.join(", "))
}

/// The same, for a column.
pub fn trust_short(answer: &Answer, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Exact { .. } => "exact".to_owned(),
        Guarantee::Within { ref precision } => within(precision, style),
        Guarantee::Sound { lo, hi, .. } => match compared(answer) {
            Some(x) if lo.is_finite() && hi.is_finite() => {
                format!("{}{} sound", style.plus_minus(), error_short(half_width(x, &answer.guarantee)))
            }
            _ => format!("{}..{} sound", number(lo, 0.0), number(hi, 0.0)),
        },
        Guarantee::Approximate { .. } => "no guarantee".to_owned(),
        Guarantee::Partial { .. } => "in part".to_owned(),
        Guarantee::Statistical { interval, confidence, .. } => match (interval, compared(answer)) {
            (Some(_), Some(x)) => {
                let half = error_short(half_width(x, &answer.guarantee));
                format!("{}{half} at {} %", style.plus_minus(), 100.0 * confidence)
            }
            _ => "no interval".to_owned(),
        },
    }
}
