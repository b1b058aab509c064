//! Numbers as every reader of these formats understands them.

/// A number that prints with the fewest digits that read back as the same number; very small and very large ones
/// in scientific notation.
pub struct Number(pub f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let magnitude = self.0.abs();
        if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn short_and_exact() {
        for (x, text) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (1e-5, "1e-5"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300, "1e300"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (123456789.5, "123456789.5"),
        ] {
            assert_eq!(Number(x).to_string(), text);
            assert_eq!(text.parse::<f64>(), Ok(x));
        }
    }
}
