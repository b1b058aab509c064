//! Fractions for people: written out where they are short.

use crate::limits::count;
use volvelle_logic::Ratio;

/// Characters of a fraction that fits on a line with other things.
const SHORT: usize = 40;

/// The fraction, the integer or `inf`, if it is short: `1/3`.
pub fn short(number: &Ratio) -> Option<String> {
    if let Some(finite) = number.finite() {
        use dashu_int::ops::BitTest;
        // Writing it out takes long where it is long: three bits are less than one digit.
        if finite.numerator().bit_len() + finite.denominator().bit_len() > 4 * SHORT {
            return None;
        }
    }
    Some(number.to_string()).filter(|text| text.len() <= SHORT)
}

/// How long a fraction is: `a fraction of 1,204 by 1,203 digits`.
pub fn describe(number: &Ratio) -> String {
    let Some(finite) = number.finite() else { return number.to_string() };
    let digits = |text: String| count(text.trim_start_matches('-').len() as u64);
    let (top, bottom) = (digits(finite.numerator().to_string()), digits(finite.denominator().to_string()));
    if finite.is_int() {
        return format!("an integer of {top} digits");
    }
    format!("a fraction of {top} by {bottom} digits")
}

/// The fraction if it is short, else about what it is.
pub fn short_or_about(number: &Ratio) -> String {
    short(number).unwrap_or_else(|| format!("about {}, {}", number.to_f64(), describe(number)))
}
