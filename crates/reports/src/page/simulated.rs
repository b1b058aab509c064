//! What paths say: the numbers behind an estimate, and a numerical value against intervals.

use super::PLAIN;
use super::bar::{Mark, bar};
use super::markup::{cost, escaped, facts};
use crate::screen::format::{count, error_short, number, time};
use volvelle_session::statistics::Statistics;
use volvelle_session::verification::Verification;

/// The numbers behind an estimate.
pub fn statistics(statistics: &Statistics) -> String {
    let s = statistics;
    let paths = match s.successes {
        Some(successes) => format!("{}, of which {} satisfy it", count(s.samples), count(successes)),
        None => count(s.samples),
    };
    let mut rows = vec![
        ("paths", paths),
        ("steps", count(s.steps)),
        ("standard deviation", s.deviation.map_or(String::new(), |d| number(d, 1e-3 * d))),
        ("seed", format!("{} ({})", s.seed, escaped(&s.generator))),
        ("code", cost(&s.tier)),
    ];
    if let Some(rare) = &s.rare {
        rows.insert(0, ("importance", escaped(&rare.importance)));
        rows.insert(1, ("levels", count(rare.levels.len() as u64)));
    }
    facts(&rows)
}

/// The comparison of a value with simulated paths.
pub fn verification(verification: &Verification) -> String {
    let class = if verification.agrees() == Some(false) { "violated" } else { "faint" };
    let mut out = format!(
        "<h4>Verification by simulation</h4>\n<p class=\"{class}\">{}</p>\n",
        escaped(&sentence(&verification.message()))
    );
    let Ok(verdict) = &verification.verdict else { return out };
    let [narrow, middle, wide] = verdict.intervals.map(|interval| [interval.lo, interval.hi]);
    let is_wrong = verification.agrees() == Some(false);
    let compared = verification.replaced.filter(|_| is_wrong).unwrap_or(verification.value);
    let marks = [Mark { at: compared, name: "numerical value", is_wrong }];
    out.push_str(&bar("99 % interval of the paths", &[wide, middle, narrow], &marks).unwrap_or_default());
    let half = 0.5 * (wide[1] - wide[0]);
    let estimate = format!(
        "{} {}{} at 99 %",
        number(verdict.estimate, 0.05 * 2.0 * half),
        PLAIN.plus_minus(),
        error_short(half)
    );
    let again = match (&verification.repaired, verification.replaced) {
        (Some(how), Some(before)) => {
            format!("with {how}; the paths refute the earlier value {}", number(before, 0.0))
        }
        _ => String::new(),
    };
    let precise =
        if verification.is_precise { "" } else { "too few for a meaningful comparison: raise --verify-time" };
    out.push_str(&facts(&[
        ("estimate", estimate),
        ("recomputed", escaped(&again)),
        ("paths", cost(&count(verification.samples))),
        ("remark", escaped(precise)),
        ("seed", verification.seed.to_string()),
        ("code", cost(&verification.tier)),
        ("time", cost(&time(verification.time))),
    ]));
    out
}

/// A text with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map_or(String::new(), |c| c.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}
