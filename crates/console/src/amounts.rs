//! Values of options that are amounts: `1e7`, `512M`, `2.5s`.

use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, codes};

fn bad(value: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_LIMIT, format!("`{value}` is not {what}")).help(help)
}

/// A number and what stands behind it, in lower case. Numbers are positive and finite.
fn split(value: &str) -> Option<(f64, String)> {
    let value = value.trim();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut end = value.find(|c: char| !is_number(c)).unwrap_or(value.len());
    // `1e7`: an exponent belongs to the number where digits follow.
    let rest = &value[end..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            end += 1 + (exponent.len() - unsigned.len()) + digits;
        }
    }
    let number: f64 = value[..end].parse().ok()?;
    (number > 0.0 && number.is_finite()).then(|| (number, value[end..].trim().to_ascii_lowercase()))
}

/// `1e7`, `1000000`: at least 1.
pub fn count(value: &str, what: &str, example: &str) -> Result<u64, Diagnostic> {
    let whole = split(value).filter(|(n, unit)| unit.is_empty() && n.fract() == 0.0 && *n < 1e18);
    match whole {
        Some((number, _)) => Ok(number as u64),
        None => Err(bad(value, what, &format!("write a whole number of at least 1: {example}"))),
    }
}

/// `1G`, `512M`, `1.5GiB`, `1000000`: bytes; K, M, G, T are powers of 1024.
pub fn memory(value: &str) -> Result<u64, Diagnostic> {
    let bytes = split(value).and_then(|(number, unit)| {
        let power = match unit.trim_end_matches('b').trim_end_matches('i') {
            "" => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            _ => return None,
        };
        let bytes = number * 1024f64.powi(power);
        (1.0..1e18).contains(&bytes).then_some(bytes as u64)
    });
    bytes.ok_or_else(|| {
        let help = "write a number of bytes, or a number followed by K, M or G: --max-memory 1G";
        bad(value, "an amount of memory", help)
    })
}

/// `10`, `0.5`, `500ms`, `2m`, `1h`; seconds without a unit.
pub fn time(value: &str, example: &str) -> Result<Duration, Diagnostic> {
    let seconds = split(value).and_then(|(number, unit)| {
        let factor = match unit.as_str() {
            "" | "s" | "sec" => 1.0,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        Some(number * factor)
    });
    // Ten thousand years are as good as no limit, and fit everywhere.
    let duration = seconds.filter(|&s| s < 3e11).and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| {
        let help = format!("write a number of seconds, or a number followed by ms, s, m or h: {example}");
        bad(value, "a time", &help)
    })
}

/// `1e-6`, or `1%`: between 0 and 1.
pub fn precision(value: &str, example: &str) -> Result<f64, Diagnostic> {
    match split(value) {
        Some((number, unit)) if unit.is_empty() && number < 1.0 => Ok(number),
        Some((number, unit)) if unit == "%" && number < 100.0 => Ok(number / 100.0),
        _ => Err(bad(value, "a precision", &format!("write a number between 0 and 1: {example}"))),
    }
}

/// `0.99`: between 0 and 1.
pub fn probability(value: &str, option: &str) -> Result<f64, Diagnostic> {
    match split(value) {
        Some((number, unit)) if unit.is_empty() && number < 1.0 => Ok(number),
        _ => Err(bad(value, "a probability", &format!("write a number between 0 and 1: {option} 0.01"))),
    }
}

/// `1e-3`: positive.
pub fn width(value: &str, example: &str) -> Result<f64, Diagnostic> {
    match split(value) {
        Some((number, unit)) if unit.is_empty() => Ok(number),
        _ => Err(bad(value, "a width", &format!("write a positive number: {example}"))),
    }
}

/// A weight of over-relaxation: between 0 and 2.
pub fn relaxation(value: &str) -> Result<f64, Diagnostic> {
    match split(value) {
        Some((number, unit)) if unit.is_empty() && number < 2.0 => Ok(number),
        _ => Err(bad(value, "a weight", "write a number between 0 and 2: --omega 0.9")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_amounts() {
        for (text, bytes) in [
            ("1000", 1000),
            ("1K", 1 << 10),
            ("1G", 1 << 30),
            ("1.5g", 3 << 29),
            ("512 MiB", 512 << 20),
            ("2GB", 2 << 30),
            ("1e9", 1_000_000_000),
            ("1e3K", 1_024_000),
        ] {
            assert_eq!(memory(text).ok(), Some(bytes), "{text}");
        }
        for wrong in ["", "lots", "0", "-1G", "1X", "G", "1e", "nan", "inf", "1e400", "0.1", "1.2.3"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times() {
        for (text, milliseconds) in
            [("10", 10_000), ("0.5", 500), ("500ms", 500), ("2m", 120_000), ("1 h", 3_600_000)]
        {
            assert_eq!(time(text, "").ok(), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for wrong in ["", "soon", "0", "-1", "1y", "1e400", "1e20", "s"] {
            assert!(time(wrong, "").is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts() {
        for (text, n) in [("1", 1), ("1e7", 10_000_000), ("2.5e3", 2500)] {
            assert_eq!(count(text, "", "").ok(), Some(n), "{text}");
        }
        for wrong in ["", "0", "1.5", "-3", "1e99", "many", "1k"] {
            assert!(count(wrong, "", "").is_err(), "{wrong}");
        }
    }

    #[test]
    fn relaxations() {
        assert_eq!(relaxation("1.5").ok(), Some(1.5));
        for wrong in ["0", "2", "-0.1", "1k", "x"] {
            assert!(relaxation(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn precisions() {
        assert_eq!(precision("1e-6", "").ok(), Some(1e-6));
        for wrong in ["0", "1", "2", "-0.1", "1e-6x", "x"] {
            assert!(precision(wrong, "").is_err(), "{wrong}");
        }
    }
}
