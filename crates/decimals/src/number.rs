//! Numbers in texts: decimals and fractions, as the nearest double or exactly.
//!
//! A number is a decimal (`-0.25`, `.5`, `1e-9`) or a fraction of two whole numbers (`2/7`). Doubles are correctly
//! rounded: up to 19 digits are gathered in an integer; where that integer and the power of ten are both exact doubles,
//! one multiplication or division rounds once (Clinger 1990, doi:10.1145/93542.93557); where the power is negative and not
//! too small, one multiplication of 128 bits does ([`crate::rounding`]); otherwise the standard library reads the digits again.

use crate::digits;
use crate::rounding;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// The smallest positive double.
const SMALLEST: f64 = f64::from_bits(1);

/// Why a text is not a number that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// It is no number at all.
    Syntax,
    /// `nan`, `inf`, or beyond the largest double.
    NotFinite,
    /// A fraction whose denominator is 0.
    ZeroDenominator,
    /// More digits, or a larger exponent, than exact arithmetic is given.
    TooLong,
}

/// Digits of a number beyond which it is not read exactly: no file has such numbers, except to fill memory.
const MOST_DIGITS: usize = 100_000;

/// Exponents beyond which a number is not read exactly, its digits not counted: doubles need less, and a few letters shall
/// not become a large number.
const LARGEST_EXPONENT: usize = 400;

/// Powers of ten that are exact doubles.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Integers up to this one are exact doubles.
const EXACT_INTEGERS: u64 = 1 << 53;

/// Most digits of which every number fits into 64 bits.
const MOST_GATHERED: usize = 19;

/// Digits read from a text.
#[derive(Clone, Copy, Default)]
struct Digits {
    /// The digits as an integer, if there are at most 19 of them without leading zeros.
    value: u64,
    /// How many digits there are, no fewer than there are without leading zeros.
    significant: usize,
    /// How many there are.
    count: usize,
}

impl Digits {
    /// Appends the digits at `at`; returns the offset behind them.
    #[inline]
    fn read(&mut self, text: &[u8], at: usize) -> usize {
        let (value, end) = digits::append(self.value, text, at);
        self.value = value;
        self.count += end - at;
        self.significant = self.count;
        end
    }

    /// Leaves leading zeros out of the count where it matters. `text` begins with the digits.
    #[inline]
    fn count_significant(&mut self, text: &[u8]) {
        if self.count > MOST_GATHERED {
            self.significant -= leading_zeros(text, self.count);
        }
    }

    /// Whether `value` is the number.
    fn is_gathered(&self) -> bool {
        self.significant <= MOST_GATHERED
    }
}

/// Zeros in front of the first other digit; a decimal point may be among them.
#[cold]
fn leading_zeros(text: &[u8], most: usize) -> usize {
    text.iter().filter(|&&b| b != b'.').take(most).take_while(|&&b| b == b'0').count()
}

/// The parts of a decimal.
struct Decimal {
    negative: bool,
    digits: Digits,
    /// Power of ten that the digits are multiplied by.
    exponent: i64,
    /// Offset behind it.
    end: usize,
}

#[inline]
fn decimal(text: &[u8], start: usize) -> Option<Decimal> {
    let mut at = start;
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(negative || text.get(at) == Some(&b'+'));
    let first = at;
    let mut digits = Digits::default();
    at = digits.read(text, at);
    let mut exponent = 0;
    if text.get(at) == Some(&b'.') {
        let whole = digits.count;
        at = digits.read(text, at + 1);
        exponent = -((digits.count - whole) as i64);
    }
    if digits.count == 0 {
        return None;
    }
    digits.count_significant(&text[first..at]);
    if let Some(b'e' | b'E') = text.get(at) {
        let mut behind = at + 1;
        let down = text.get(behind) == Some(&b'-');
        behind += usize::from(down || text.get(behind) == Some(&b'+'));
        let first_digit = behind;
        let mut power = 0i64;
        while let Some(digit) = text.get(behind).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
            power = (power * 10 + i64::from(digit)).min(1 << 40);
            behind += 1;
        }
        if behind == first_digit {
            return None;
        }
        exponent += if down { -power } else { power };
        at = behind;
    }
    Some(Decimal { negative, digits, exponent, end: at })
}

/// The number that begins at `start`, rounded to the nearest double, the offset behind it, and whether it is a fraction.
/// `None` if there is no number or none that is finite; [`diagnose`] says why.
#[inline]
pub fn double(text: &[u8], start: usize) -> Option<(f64, usize, bool)> {
    let number = decimal(text, start)?;
    if text.get(number.end) == Some(&b'/') {
        return fraction(text, start, &number).map(|(value, end)| (value, end, true));
    }
    let Decimal { negative, digits, exponent, end } = number;
    let value = if digits.is_gathered() && digits.value <= EXACT_INTEGERS && (-22..=22).contains(&exponent) {
        let magnitude = digits.value as f64;
        let power = POWERS[exponent.unsigned_abs() as usize];
        let value = if exponent < 0 { magnitude / power } else { magnitude * power };
        if negative { -value } else { value }
    } else if digits.is_gathered() && (rounding::LEAST_POWER..=0).contains(&exponent) {
        let value = rounding::nearest(digits.value, exponent);
        if negative { -value } else { value }
    } else {
        let value: f64 = std::str::from_utf8(&text[start..end]).ok()?.parse().ok()?;
        // What is not zero in the text stays so.
        if value == 0.0
            && text[start..end].iter().take_while(|b| !b"eE".contains(b)).any(|b| (b'1'..=b'9').contains(b))
        {
            SMALLEST.copysign(value)
        } else {
            value
        }
    };
    value.is_finite().then_some((value, end, false))
}

/// A fraction, of which the numerator has been read.
#[cold]
fn fraction(text: &[u8], start: usize, numerator: &Decimal) -> Option<(f64, usize)> {
    let end = denominator_end(text, numerator.end + 1)?;
    let mut denominator = Digits::default();
    denominator.read(&text[..end], numerator.end + 1);
    denominator.count_significant(&text[numerator.end + 1..end]);
    let plain = numerator.exponent == 0 && text[start..numerator.end].iter().all(|b| b.is_ascii_digit());
    let exact = |digits: &Digits| digits.is_gathered() && digits.value <= EXACT_INTEGERS;
    if plain && exact(&numerator.digits) && exact(&denominator) && denominator.value != 0 {
        return Some((numerator.digits.value as f64 / denominator.value as f64, end));
    }
    let value = self::exact(&text[start..end]).ok()?.to_f64().value();
    value.is_finite().then_some((value, end))
}

/// The offset behind the digits of a denominator.
fn denominator_end(text: &[u8], start: usize) -> Option<usize> {
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0).then_some(start + digits)
}

/// The offset behind the number that begins at `start`; whether it is a fraction.
#[inline]
pub fn extent(text: &[u8], start: usize) -> Option<(usize, bool)> {
    let end = decimal(text, start)?.end;
    match text.get(end) {
        Some(b'/') => Some((denominator_end(text, end + 1)?, true)),
        _ => Some((end, false)),
    }
}

/// The exact value of a text that is one number.
pub fn exact(text: &[u8]) -> Result<RBig, NotANumber> {
    let (numerator, denominator) = match text.iter().position(|&b| b == b'/') {
        Some(slash) => (&text[..slash], Some(&text[slash + 1..])),
        None => (text, None),
    };
    let number = decimal(numerator, 0).filter(|number| number.end == numerator.len());
    let number = number.ok_or_else(|| diagnose(text))?;
    if number.digits.count > MOST_DIGITS
        || number.exponent.unsigned_abs() > (number.digits.count + LARGEST_EXPONENT) as u64
    {
        return Err(NotANumber::TooLong);
    }
    let mantissa: Vec<u8> = (numerator.iter().take_while(|b| !matches!(b, b'e' | b'E')).copied())
        .filter(u8::is_ascii_digit)
        .collect();
    let magnitude =
        if number.digits.is_gathered() { UBig::from(number.digits.value) } else { whole(&mantissa)? };
    let signed = if number.negative { -IBig::from(magnitude) } else { IBig::from(magnitude) };
    let power = UBig::from(10u8).pow(number.exponent.unsigned_abs() as usize);
    let value = match number.exponent {
        0 => RBig::from(signed),
        1.. => RBig::from(signed * IBig::from(power)),
        _ => RBig::from_parts(signed, power),
    };
    match denominator {
        None => Ok(value),
        Some(digits) if digits.is_empty() || number.exponent != 0 => Err(NotANumber::Syntax),
        Some(digits) => {
            let denominator = whole(digits)?;
            if denominator.is_zero() {
                return Err(NotANumber::ZeroDenominator);
            }
            Ok(value / RBig::from(denominator))
        }
    }
}

/// A whole number without a sign.
fn whole(digits: &[u8]) -> Result<UBig, NotANumber> {
    if digits.len() > MOST_DIGITS {
        return Err(NotANumber::TooLong);
    }
    let text = std::str::from_utf8(digits).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
    text.and_then(|text| UBig::from_str_radix(text, 10).ok()).ok_or(NotANumber::Syntax)
}

/// Why a text is not a finite number.
pub fn diagnose(text: &[u8]) -> NotANumber {
    let word = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if ["nan", "inf", "infinity"].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())) {
        return NotANumber::NotFinite;
    }
    let Some(number) = decimal(text, 0) else { return NotANumber::Syntax };
    match &text[number.end..] {
        [] => NotANumber::NotFinite,
        [b'/', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            if digits.iter().all(|&d| d == b'0') {
                NotANumber::ZeroDenominator
            } else if digits.len() > MOST_DIGITS || number.digits.count > MOST_DIGITS {
                NotANumber::TooLong
            } else if number.exponent != 0 {
                NotANumber::Syntax
            } else {
                NotANumber::NotFinite
            }
        }
        _ => NotANumber::Syntax,
    }
}
