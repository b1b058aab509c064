//! Writing texts: a buffer in front of the output, whole numbers and numbers of every type.
//!
//! A double is printed with the fewest digits that read back as the same number; very small and very large ones in
//! scientific notation.

use crate::finding::Finding;
use crate::model::{Model, Number};
use crate::output::WriteError;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;
use std::io::{self, Write};
use volvelle_control::{Control, Stop};
use volvelle_decimals::Shortest;
use volvelle_diagnostics::codes;

/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 1 << 16;
/// Doubles whose texts are remembered; a power of two.
const REMEMBERED: usize = 256;

/// Writes a text; looks at the limits whenever the buffer is full.
pub(crate) struct Printer<'a> {
    out: &'a mut dyn Write,
    control: &'a Control<'a>,
    buffer: Vec<u8>,
    /// Significant digits of doubles; `None` is as many as it takes.
    digits: Option<u8>,
    /// Bits of a double and its text, by a hash of the bits.
    remembered: Vec<Option<(u64, Box<[u8]>)>>,
}

impl<'a> Printer<'a> {
    /// Nothing written yet.
    pub fn new(out: &'a mut dyn Write, control: &'a Control<'a>, digits: Option<u8>) -> Self {
        let remembered = vec![None; REMEMBERED];
        Printer { out, control, buffer: Vec::with_capacity(BUFFER_BYTES + 1024), digits, remembered }
    }

    /// Writes a text.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// Writes a whole number.
    #[inline]
    pub fn index(&mut self, number: usize) {
        let mut digits = [0u8; 20];
        let mut first = digits.len();
        let mut rest = number;
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.buffer.extend_from_slice(&digits[first..]);
    }

    /// Writes anything that can be displayed.
    pub fn display(&mut self, value: impl std::fmt::Display) {
        // A vector takes all that it is given.
        let written = write!(self.buffer, "{value}");
        debug_assert!(written.is_ok());
    }

    /// Writes a double.
    pub fn double(&mut self, value: f64) {
        let bits = value.to_bits();
        let slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % REMEMBERED;
        if let Some((known, text)) = &self.remembered[slot]
            && *known == bits
        {
            self.buffer.extend_from_slice(text);
            return;
        }
        let start = self.buffer.len();
        self.display(Shortest(self.digits.map_or(value, |digits| round(value, digits))));
        self.remembered[slot] = Some((bits, self.buffer[start..].into()));
    }

    /// Writes a rational. A whole number of more digits than a double surely has gets a denominator: a text without
    /// fractions is read as doubles where nothing else says that its numbers are exact, and those may be others, or are
    /// written in another way.
    fn exact(&mut self, value: &RBig) {
        self.display(value);
        if value.denominator().is_one() && value.numerator().bit_len() > f64::MANTISSA_DIGITS as usize {
            self.text("/1");
        }
    }

    /// Writes a number; the bounds of an interval in brackets with `comma` between them.
    pub fn number(&mut self, number: Number<'_>, comma: &str) {
        match number {
            Number::Double(value) => self.double(value),
            Number::Exact(value) => self.exact(value),
            Number::DoubleInterval(lower, upper) => {
                self.text("[");
                self.double(lower);
                self.text(comma);
                self.double(upper);
                self.text("]");
            }
            Number::ExactInterval(lower, upper) => {
                self.text("[");
                self.exact(lower);
                self.text(comma);
                self.exact(upper);
                self.text("]");
            }
            Number::Symbolic(text) => self.text(text),
        }
    }

    /// Ends a line.
    #[inline]
    pub fn end_line(&mut self) -> Result<(), WriteError> {
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is in the buffer.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.control.check().map_err(|stop: Stop| WriteError::from(stop))?;
        let written: io::Result<()> = self.out.write_all(&self.buffer);
        self.buffer.clear();
        Ok(written?)
    }
}

/// The error for a kind of model that a format has no place for.
pub(crate) fn refuse(model: &Model, format: &str) -> Finding {
    let message = format!("{format} cannot hold a model of type {}", model.kind());
    Finding::error(codes::EXPLICIT_UNSUPPORTED, message).help("write it as UMB, which holds every type")
}

/// A double with a given number of significant digits.
fn round(value: f64, digits: u8) -> f64 {
    let digits = usize::from(digits.max(1)) - 1;
    format!("{value:.digits$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn printed(digits: Option<u8>, print: impl Fn(&mut Printer<'_>)) -> String {
        let mut out = Vec::new();
        let control = Control::unlimited();
        let mut printer = Printer::new(&mut out, &control, digits);
        print(&mut printer);
        printer.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_are_short_and_read_back() {
        for (value, text) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (1e-5, "1e-5"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300, "1e300"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (123456789.5, "123456789.5"),
        ] {
            assert_eq!(printed(None, |p| p.double(value)), text);
            assert_eq!(text.parse::<f64>(), Ok(value));
        }
        assert_eq!(printed(Some(3), |p| p.double(2.0 / 3.0)), "0.667");
        assert_eq!(printed(None, |p| (0..3).for_each(|_| p.double(0.1))), "0.10.10.1");
    }

    #[test]
    fn numbers_of_every_type() {
        let third = RBig::from_parts(1.into(), 3u8.into());
        assert_eq!(printed(None, |p| p.number(Number::Exact(&third), ",")), "1/3");
        for (whole, text) in [(1u64 << 53) - 1, 11_111_111_111_111_144]
            .into_iter()
            .zip(["9007199254740991", "11111111111111144/1"])
        {
            assert_eq!(printed(None, |p| p.number(Number::Exact(&whole.into()), ",")), text);
        }
        assert_eq!(printed(None, |p| p.number(Number::ExactInterval(&third, &RBig::ONE), ", ")), "[1/3, 1]");
        assert_eq!(printed(None, |p| p.number(Number::DoubleInterval(0.5, 1.0), ",")), "[0.5,1]");
        assert_eq!(printed(None, |p| p.number(Number::Symbolic("p*q"), ",")), "p*q");
        assert_eq!(
            printed(None, |p| [0, 7, 10, usize::MAX].into_iter().for_each(|i| p.index(i))),
            "071018446744073709551615"
        );
    }
}
