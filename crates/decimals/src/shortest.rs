//! The shortest texts of doubles.

/// A double that prints with the fewest digits that read back as the same number; very small and very large ones in
/// scientific notation.
#[derive(Clone, Copy, Debug)]
pub struct Shortest(pub f64);

impl std::fmt::Display for Shortest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let magnitude = self.0.abs();
        if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}
