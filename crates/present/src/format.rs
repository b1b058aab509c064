//! Numbers, times and properties as texts for people.

use std::time::Duration;
pub use volvelle_control::amounts::{bytes as bytes_short, count, counted};
use volvelle_media as media;

/// Digits of a number whose error is not known, or zero.
const DIGITS: i32 = 10;

/// The kind of a model, for people. Answers in JSON say `processes` for a Promela model.
pub fn kind(kind: &str) -> &str {
    if kind == "processes" { "Promela model" } else { kind }
}

/// A number with as many digits as its error supports, at most ten.
pub fn number(x: f64, half_width: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = x.abs().log10().floor() as i32;
    let digits = if half_width > 0.0 && half_width.is_finite() {
        (magnitude - half_width.log10().floor() as i32).clamp(1, DIGITS)
    } else {
        DIGITS
    };
    significant(x, digits)
}

/// A number with the given number of significant digits, without trailing zeros.
fn significant(x: f64, digits: i32) -> String {
    // Rounding may carry into a new digit: 9.9999 becomes 10.
    let scientific = format!("{:.*e}", (digits - 1).max(0) as usize, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..15).contains(&exponent) {
        return format!("{}e{exponent}", trim_zeros(mantissa));
    }
    let decimals = (digits - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{x:.decimals$}")).to_owned()
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A bound on an error: two digits.
pub fn error_short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{x:.1e}");
    text.replace(".0e", "e")
}

/// A number between bounds, with the digits that are known; the bounds if not even the first digit is.
pub fn between(bounds: [f64; 2]) -> String {
    let [lo, hi] = bounds;
    if lo == hi {
        return number(lo, 0.0);
    }
    let middle = middle(bounds);
    enclosed(middle, bounds, middle - lo)
}

/// The same for a number anywhere between its bounds.
pub fn enclosed(x: f64, [lo, hi]: [f64; 2], half_width: f64) -> String {
    // A bound is no value: it has two digits.
    let bound = |x: f64| number(x, 0.05 * x.abs());
    let is_known = lo.is_finite() && hi.is_finite() && half_width < x.abs();
    match is_known || lo == hi || lo.is_nan() {
        true => number(x, half_width),
        false => format!("{}..{}", bound(lo), bound(hi)),
    }
}

/// The middle between bounds, or the finite one of them.
pub fn middle([lo, hi]: [f64; 2]) -> f64 {
    match (lo.is_finite(), hi.is_finite()) {
        _ if lo == hi => lo,
        (true, true) => lo + 0.5 * (hi - lo),
        (true, false) => lo,
        (false, _) => hi,
    }
}

/// How far a number between bounds may be off: `exact`, `±2e-8`; nothing if it has no digit that is known.
pub fn off([lo, hi]: [f64; 2]) -> String {
    let half = middle([lo, hi]) - lo;
    match (lo == hi, half.is_finite() && hi.is_finite()) {
        (true, _) => "exact".to_owned(),
        (false, true) => format!("±{}", error_short(half)),
        (false, false) => String::new(),
    }
}

/// `<1 ms`, `12 ms`, `1.8 s`, `2 min 3 s`, `1 h 2 min`
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1e-3 {
        "<1 ms".to_owned()
    } else if seconds < 0.9995 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else if seconds < 59.5 {
        format!("{seconds:.0} s")
    } else if seconds < 3569.5 {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {} min", minutes / 60, minutes % 60)
    }
}

/// `12.4 M`
pub fn count_short(n: f64) -> String {
    match n {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.0} k", n / 1e3),
        n if n < 1e9 => format!("{:.1} M", n / 1e6),
        n => format!("{:.1} G", n / 1e9),
    }
}

/// Most characters of a property on the screen: some lines.
pub const LONGEST_PROPERTY: usize = 1000;

/// A text on one line, cut where it is longer than this. Its own lines are joined by spaces.
pub fn shortened(text: &str, most: usize) -> String {
    let spaced: String =
        text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let shown = media::line(&spaced);
    if shown.chars().nth(most).is_none() {
        return shown.into_owned();
    }
    let beginning: String = shown.chars().take(most.saturating_sub(3)).collect();
    beginning + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_error() {
        assert_eq!(number(7.6348123e-4, 3.8e-10), "0.000763481");
        assert_eq!(number(7.6348123e-5, 3.8e-11), "7.63481e-5");
        assert_eq!(number(152.163399, 7.6e-5), "152.1634");
        assert_eq!(number(1.0 / 6.0, 0.0), "0.1666666667");
        assert_eq!(number(192.0, 0.0), "192");
        assert_eq!(number(0.0, 0.0), "0");
        assert_eq!(number(-2.5, 0.0), "-2.5");
        assert_eq!(number(f64::INFINITY, 0.0), "inf");
        assert_eq!(number(9.9999999999999, 1e-3), "10");
        assert_eq!(number(3e90, 1e84), "3e90");
        assert_eq!(number(123456789012.0, 0.0), "123456789012");
        // An error as large as the value leaves one digit.
        assert_eq!(number(0.3, 0.5), "0.3");
        assert_eq!(number(1e-320, 0.0), "9.999888672e-321");
    }

    #[test]
    fn errors_and_times() {
        assert_eq!(error_short(3.84e-10), "3.8e-10");
        assert_eq!(error_short(1e-6), "1e-6");
        assert_eq!(error_short(0.0), "0");
        for (ms, text) in [
            (0, "<1 ms"),
            (12, "12 ms"),
            (999, "999 ms"),
            (1800, "1.8 s"),
            (42_000, "42 s"),
            (123_000, "2 min 3 s"),
            (3_599_000, "1 h 0 min"),
            (3_720_000, "1 h 2 min"),
        ] {
            assert_eq!(time(Duration::from_millis(ms)), text, "{ms}");
        }
        assert_eq!(count_short(12_400_000.0), "12.4 M");
        assert_eq!(count_short(310_000.0), "310 k");
        assert_eq!(count_short(999.0), "999");
    }
}
