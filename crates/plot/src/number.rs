//! Numbers as labels: thousands in groups, powers of ten with superscripts, a true minus sign.

/// From here on, and below its reciprocal's magnitude, numbers are written with powers of ten.
const LARGE: f64 = 1e6;
const SMALL: f64 = 1e-3;

/// A label among others: `largest` is the largest magnitude of them, `step` their distance.
pub fn label(value: f64, step: f64, largest: f64) -> String {
    // Multiples of the step near zero are zero.
    if value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    if (SMALL..LARGE).contains(&largest) {
        let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 16.0) as usize;
        return plain(value, decimals);
    }
    // The same power for all labels of an axis, so that they can be compared.
    let exponent = (largest.log10() + 1e-9).floor();
    let digits = (exponent - step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let mantissa = divided(value, exponent as i32);
    format!("{}×{}", plain(mantissa, digits), power(exponent as i32))
}

/// A label by itself: a value with as many digits as are asked for, without zeros at the end. Numbers that are
/// written out have all digits before the point.
pub fn rounded(value: f64, digits: usize) -> String {
    let is_written_out = (1.0..LARGE).contains(&value.abs());
    let whole = if is_written_out { value.abs().log10().floor() as usize + 1 } else { 1 };
    let digits = digits.max(whole);
    // Halves, and what would be one if numbers were decimal, go away from zero.
    let larger = value * (1.0 + 1e-14);
    let text = format!("{:.*e}", digits - 1, if larger.is_finite() { larger } else { value });
    let exponent: Option<i32> = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    let (Ok(near), Some(exponent)) = (text.parse::<f64>(), exponent) else { return value.to_string() };
    if near == 0.0 {
        return "0".to_owned();
    }
    // What is near to the largest number may be infinite.
    let near = if near.is_finite() { near } else { value };
    label(near, 10f64.powi(exponent + 1 - digits as i32).max(5e-324), near.abs())
}

/// A label for a digit times a power of ten, where the powers are within a range.
pub fn of_decade(digit: u32, exponent: i32, range: [i32; 2]) -> String {
    if range[0] >= -3 && range[1] <= 5 {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        return plain(f64::from(digit) * 10f64.powi(exponent), decimals);
    }
    match digit {
        1 => power(exponent),
        _ => format!("{digit}×{}", power(exponent)),
    }
}

/// `value / 10^exponent`, also where the power itself is no normal number.
fn divided(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value / 10f64.powi(half) / 10f64.powi(exponent - half)
}

/// `10⁻⁴`
fn power(exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|c| match c {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '-' => '⁻',
        c => char::from_u32(u32::from(c) - u32::from('0') + 0x2070).unwrap_or(c),
    });
    format!("10{}", raised.collect::<String>())
}

/// `−1,234.5`: at most `decimals` places behind the point, without zeros at the end.
fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    if value < 0.0 {
        out.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// All digits of a number.
pub fn digits(value: f64) -> String {
    let is_plain = value == 0.0 || !value.is_finite() || (1e-5..1e15).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::{label, of_decade, rounded};

    #[test]
    fn labels() {
        assert_eq!(label(0.25, 0.05, 1.0), "0.25");
        assert_eq!(label(-1234.5, 0.5, 2000.0), "−1,234.5");
        assert_eq!(label(150_000.0, 50_000.0, 300_000.0), "150,000");
        assert_eq!(label(1.5e8, 5e7, 3e8), "1.5×10⁸");
        assert_eq!(label(5e7, 5e7, 3e8), "0.5×10⁸");
        assert_eq!(label(2e-9, 1e-9, 3e-9), "2×10⁻⁹");
        assert_eq!(label(1e-20, 1e-9, 3e-9), "0");
        assert_eq!(label(4e-310, 1e-310, 5e-310), "4×10⁻³¹⁰");
    }

    #[test]
    fn labels_by_themselves() {
        assert_eq!(rounded(0.0, 3), "0");
        assert_eq!(rounded(3.25, 2), "3.3");
        assert_eq!(rounded(-0.15, 1), "−0.2");
        assert_eq!(rounded(12.0, 3), "12");
        assert_eq!(rounded(0.041_234, 3), "0.0412");
        assert_eq!(rounded(9.996, 3), "10");
        assert_eq!(rounded(1234.56, 3), "1,235");
        assert_eq!(rounded(1.2345e8, 3), "1.23×10⁸");
        assert_eq!(rounded(9.999e-7, 3), "1×10⁻⁶");
        assert_eq!(rounded(f64::MAX, 3), "1.8×10³⁰⁸");
        assert_eq!(rounded(5e-324, 2), "5×10⁻³²⁴");
    }

    #[test]
    fn labels_of_decades() {
        assert_eq!(of_decade(1, -2, [-3, 2]), "0.01");
        assert_eq!(of_decade(5, 0, [-3, 2]), "5");
        assert_eq!(of_decade(2, 4, [0, 4]), "20,000");
        assert_eq!(of_decade(1, -12, [-12, 0]), "10⁻¹²");
        assert_eq!(of_decade(1, 0, [-12, 0]), "10⁰");
        assert_eq!(of_decade(5, 30, [29, 31]), "5×10³⁰");
    }
}
