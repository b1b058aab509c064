//! Values of answers, and how far they can be trusted, in few words.

use super::number;
use volvelle_logic::{Answer, FormulaValue, Guarantee, Ratio, Value};
use volvelle_present::document::{Cell, Text, bad, doubtful, faint, good, strong};
use volvelle_present::format::{between, enclosed, error_short};
use volvelle_present::text;
use volvelle_session::fractions;
use volvelle_session::limits::counted;
use volvelle_session::report::PropertyReport;

/// Points of a Pareto curve that fit into the line of the answer.
pub const POINTS_INLINE: usize = 3;

/// The value, with as many digits as are known.
pub fn value(answer: &Answer) -> Text {
    match &answer.value {
        Value::Bool(truth) => {
            let word = if *truth { good("true") } else { bad("false") };
            match answer.compared {
                Some(x) => word.then(format!("  ({})", known(x, answer.exact.first(), &answer.guarantee))),
                None => word,
            }
        }
        Value::Number(x) => strong(known(*x, answer.exact.first(), &answer.guarantee)),
        Value::Interval(lo, hi) => {
            let (first, second) = (answer.exact.first(), answer.exact.get(1));
            // Each end is as far from the outer bound as it may be off.
            let half = |x: f64, bound: f64| if bound.is_finite() { (x - bound).abs() } else { 0.0 };
            let [below, above] = match answer.guarantee {
                Guarantee::Sound { lo: least, hi: greatest, .. } => [half(*lo, least), half(*hi, greatest)],
                Guarantee::Approximate { epsilon } => [epsilon; 2],
                _ => [0.0; 2],
            };
            strong(format!("[{}, {}]", shown(*lo, first, below), shown(*hi, second, above)))
        }
        Value::Pareto(points) if points.len() <= POINTS_INLINE => {
            let points: Vec<String> = (0..points.len()).map(|i| coordinates(points, i, answer)).collect();
            strong(points.join(" "))
        }
        Value::Pareto(points) => strong(format!("Pareto curve of {} points", points.len())),
        Value::States(states) => {
            let listed = Text::from(counted(states.len() as u64, "state"));
            match &answer.initially {
                Some(initially) => text![listed, ", initially ", value(initially)],
                None => listed,
            }
        }
    }
}

/// The same for a search: a word.
pub fn verdict(report: &PropertyReport) -> Text {
    match &report.outcome {
        Ok(answer) if answer.value == Value::Bool(true) => match answer.guarantee {
            Guarantee::Partial { .. } => doubtful("no error found"),
            _ => good("holds"),
        },
        Ok(_) => bad("violated"),
        Err(_) => doubtful("not decided"),
    }
}

/// Behind a short fraction: what it is as a decimal.
pub fn decimal(answer: &Answer) -> String {
    match (&answer.value, answer.exact.as_slice()) {
        (Value::Number(x), [exact])
            if exact.finite().is_some_and(|e| !e.is_int()) && fractions::short(exact).is_some() =>
        {
            format!("  ({})", number(*x))
        }
        _ => String::new(),
    }
}

/// A point of a curve: `(0.5, 1.25)`, or with fractions where they are known.
pub fn coordinates(points: &[Vec<f64>], place: usize, answer: &Answer) -> String {
    format!("({})", coordinate_texts(points, place, answer).join(", "))
}

/// Its coordinates.
pub fn coordinate_texts(points: &[Vec<f64>], place: usize, answer: &Answer) -> Vec<String> {
    let point = &points[place];
    let exact = |j: usize| answer.exact.get(place * point.len() + j);
    let precision = |j: usize| match &answer.guarantee {
        Guarantee::Within { precision } => precision.get(j).copied().unwrap_or(0.0),
        _ => 0.0,
    };
    point.iter().enumerate().map(|(j, &x)| shown(x, exact(j), precision(j))).collect()
}

/// A computed number with the digits that its guarantee supports.
fn known(x: f64, exact: Option<&Ratio>, guarantee: &Guarantee) -> String {
    match *guarantee {
        Guarantee::Sound { lo, hi, .. } if exact.is_none() => enclosed(x, [lo, hi], half_width(x, guarantee)),
        // An estimate gets one digit more than its interval supports.
        Guarantee::Statistical { .. } => shown(x, exact, 0.1 * half_width(x, guarantee)),
        _ => shown(x, exact, half_width(x, guarantee)),
    }
}

/// A number: its fraction if that is known and short, else a decimal, marked if it abbreviates a longer fraction.
fn shown(x: f64, exact: Option<&Ratio>, half_width: f64) -> String {
    match exact {
        Some(exact) => fractions::short(exact).unwrap_or_else(|| format!("~{}", number(x))),
        None => volvelle_present::format::number(x, half_width),
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

/// The value of a formula in a state, and how far it can be trusted.
pub fn of_state(value: FormulaValue, exact: Option<&Ratio>, guarantee: &Guarantee) -> [Cell; 2] {
    let (value, trust) = match (value, exact, guarantee) {
        (FormulaValue::Truth(truth), ..) => (truth.to_string(), String::new()),
        (_, Some(exact), _) => (shown(value.middle(), Some(exact), 0.0), "exact".to_owned()),
        (_, _, &Guarantee::Approximate { epsilon }) => {
            (volvelle_present::format::number(value.middle(), epsilon), String::new())
        }
        (FormulaValue::Bounds(bounds), ..) => (between(bounds), volvelle_present::format::off(bounds)),
    };
    [Cell::shown(value), Cell::from(faint(trust))]
}

/// The number that a guarantee is about.
pub fn compared(answer: &Answer) -> Option<f64> {
    match answer.value {
        Value::Number(x) => Some(x),
        _ => answer.compared,
    }
}

/// `within ±3.8e-10 (sound)`
pub fn trust(answer: &Answer) -> Text {
    match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } => Text::from(match off(answer) {
            Some(half) if lo.is_finite() && hi.is_finite() => format!("within ±{half} (sound)"),
            _ => format!("between {} and {} (sound)", number(lo), number(hi)),
        }),
        Guarantee::Approximate { epsilon } => {
            doubtful(format!("no guarantee: stopped at a difference of {}", error_short(epsilon)))
        }
        Guarantee::Partial { .. } => doubtful("the search was not exhaustive"),
        Guarantee::Statistical { interval, confidence, .. } => match (interval, off(answer)) {
            (Some(_), Some(half)) => Text::from(format!("±{half} with confidence {confidence}")),
            _ => doubtful("the paths give no interval"),
        },
        Guarantee::Exact { .. } | Guarantee::Within { .. } => Text::from(trust_short(answer)),
    }
}

/// The same, for a column.
pub fn trust_short(answer: &Answer) -> String {
    match &answer.guarantee {
        Guarantee::Exact { .. } => "exact".to_owned(),
        Guarantee::Within { precision } => {
            let each: Vec<String> = precision.iter().map(|&p| format!("±{}", error_short(p))).collect();
            format!("within {} (sound)", each.join(", "))
        }
        &Guarantee::Sound { lo, hi, .. } => match off(answer) {
            Some(half) if lo.is_finite() && hi.is_finite() => format!("±{half} sound"),
            _ => format!("{}..{} sound", number(lo), number(hi)),
        },
        Guarantee::Approximate { .. } => "no guarantee".to_owned(),
        Guarantee::Partial { .. } => "in part".to_owned(),
        Guarantee::Statistical { interval, confidence, .. } => match (interval, off(answer)) {
            (Some(_), Some(half)) => format!("±{half} at {} %", 100.0 * confidence),
            _ => "no interval".to_owned(),
        },
    }
}

/// How far the number of an answer may be off.
fn off(answer: &Answer) -> Option<String> {
    compared(answer).map(|x| error_short(half_width(x, &answer.guarantee)))
}

/// The guarantee of an answer in a sentence.
pub fn meaning(answer: &Answer) -> &'static str {
    match &answer.guarantee {
        Guarantee::Exact { .. } => "nothing was rounded, or nothing was left to chance",
        Guarantee::Sound { .. } => "the true value lies between the bounds, rounding errors included",
        Guarantee::Within { .. } => {
            "schedulers achieve every point of the curve, and none beyond it by more than the precision"
        }
        Guarantee::Approximate { .. } => {
            "the iteration stopped when values changed little; the error may be larger than that change"
        }
        Guarantee::Statistical { interval: None, .. } => {
            "all paths gave the same value, or there were too few paths"
        }
        Guarantee::Statistical { .. } => {
            "this share of the intervals constructed in this way contains the true value"
        }
        Guarantee::Partial { .. } => "states may have been missed",
    }
}
