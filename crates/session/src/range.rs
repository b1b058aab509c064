//! Ranges of values: `first:last` and `first:step:last`, as PRISM writes them; the step is 1 where it is left out.
//!
//! Texts in, texts out: ends and step are decimal numbers (or fractions, as `0:1/3:1`), and are added as such, with no rounding: `0:0.1:1` are exactly
//! eleven values, the fourth is `0.3` and reads back as the double nearest to 0.3, and the last is 1. The last value
//! is the greatest that does not lie beyond the end. A negative step counts down.

use dashu_int::IBig;
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::rational;

/// Values that one constant may take: more than this is a slip of the finger.
pub const MOST_VALUES: usize = 1_000_000;

/// Digits that a number of a range may have, before and behind the point together.
const DIGITS: u32 = 28;

/// The values that a text stands for: those of a range, or the text itself.
pub fn values(name: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let (first, step, last) = match parts[..] {
        [_] => return Ok(vec![text.to_owned()]),
        ["false", "true"] => return Ok(vec!["false".to_owned(), "true".to_owned()]),
        [first, last] => (first, "1", last),
        [first, step, last] => (first, step, last),
        _ => return Err(bad(name, text, "it has too many parts")),
    };
    let number = |part: &str| {
        Decimal::parse(part).ok_or_else(|| {
            let what = if part.parse::<f64>().is_ok_and(f64::is_finite) {
                format!("`{part}` has too many digits: at most {DIGITS} are supported")
            } else {
                format!("`{part}` is not a number")
            };
            bad(name, text, &what)
        })
    };
    let is_decimal = |part: &str| part.parse::<f64>().is_ok();
    if [first, step, last].into_iter().any(|part| !is_decimal(part))
        && let (Some(first), Some(step), Some(last)) = (rational(first), rational(step), rational(last))
    {
        return fractions(name, text, &first, &step, &last);
    }
    let (first, step, last) = (number(first)?, number(step)?, number(last)?);
    let scale = first.scale.max(step.scale).max(last.scale);
    let scaled = |d: Decimal| d.at(scale).ok_or_else(|| bad(name, text, "its numbers are too far apart"));
    let (from, by, to) = (scaled(first)?, scaled(step)?, scaled(last)?);
    if by == 0 {
        return Err(bad(name, text, "its step is zero"));
    }
    let steps = (to - from) / by;
    if (to - from) != 0 && ((to > from) != (by > 0)) {
        return Err(bad(name, text, "its step leads away from its last value"));
    }
    match usize::try_from(steps) {
        Ok(steps) if steps < MOST_VALUES => {
            Ok((0..=steps as i128).map(|k| Decimal { digits: from + k * by, scale }.text()).collect())
        }
        _ => Err(too_many(name)),
    }
}

/// A range whose ends or step are fractions or expressions.
fn fractions(
    name: &str,
    text: &str,
    first: &RBig,
    step: &RBig,
    last: &RBig,
) -> Result<Vec<String>, Diagnostic> {
    if step.is_zero() {
        return Err(bad(name, text, "its step is zero"));
    }
    let steps = ((last - first) / step).floor();
    if steps < IBig::ZERO {
        return Err(bad(name, text, "its step leads away from its last value"));
    }
    match usize::try_from(&steps) {
        Ok(steps) if steps < MOST_VALUES => {
            Ok((0..=steps).map(|k| (first + step * RBig::from(k)).to_string()).collect())
        }
        _ => Err(too_many(name)),
    }
}

/// The diagnostic about a range or list that is too long.
pub fn too_many(name: &str) -> Diagnostic {
    Diagnostic::error(
        codes::BAD_CONST_OPTION,
        format!("the constant `{name}` takes more than a million values"),
    )
    .help("increase the step")
}

fn bad(name: &str, text: &str, why: &str) -> Diagnostic {
    let message = format!("`{text}` is not a range of values for the constant `{name}`: {why}");
    Diagnostic::error(codes::BAD_CONST_OPTION, message)
        .help(format!("write first:last or first:step:last: --const {name}=0:10:200"))
}

/// `digits / 10^scale`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    /// Reads `12`, `-0.5`, `1e-3`; `None` if it is no decimal number or has too many digits.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_start_matches('0');
        let scale = i64::try_from(fraction.len()).ok()? - i64::from(exponent);
        if significant.is_empty() {
            return Some(Decimal { digits: 0, scale: 0 });
        }
        if significant.len() > DIGITS as usize || scale.unsigned_abs() > u64::from(DIGITS) {
            return None;
        }
        let digits: i128 = significant.parse().ok()?;
        let digits = if negative { -digits } else { digits };
        let limit = 10i128.pow(DIGITS);
        if scale >= 0 {
            return Some(Decimal { digits, scale: scale as u32 });
        }
        let digits = digits.checked_mul(10i128.checked_pow(scale.unsigned_abs() as u32)?)?;
        (digits.abs() < limit).then_some(Decimal { digits, scale: 0 })
    }

    /// The digits at a finer scale.
    fn at(self, scale: u32) -> Option<i128> {
        let digits = self.digits.checked_mul(10i128.checked_pow(scale - self.scale)?)?;
        // Differences and products with a million stay in range.
        (digits.abs() < i128::MAX / 4).then_some(digits)
    }

    /// Without exponent, and without zeros behind the last digit.
    fn text(self) -> String {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = format!("{:0width$}", self.digits.unsigned_abs(), width = self.scale as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - self.scale as usize);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}
