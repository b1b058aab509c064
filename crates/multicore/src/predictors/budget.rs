//! Predictors scaled to a number of bits.

use super::corrected::CorrectedShape;
use super::name::MOST_BITS;
use super::specification::{Kind, Specification};
use super::tage::TageShape;
use volvelle_diagnostics::{Diagnostic, codes};

impl TageShape {
    /// The same with tables of other sizes. The base has eight times as many counters as a tagged table has
    /// entries.
    pub(super) fn scale(&mut self, table_bits: u32) {
        self.table_bits = table_bits;
        self.base_bits = table_bits + 3;
    }
}

impl CorrectedShape {
    /// The same with tables of other sizes.
    pub(super) fn scale(&mut self, table_bits: u32) {
        self.tage.scale(table_bits);
        self.corrector.table_bits = table_bits;
    }
}

impl Specification {
    /// The largest predictor of the same kind that fits into a number of bits: table sizes are powers of two,
    /// a perceptron gets as many vectors as fit. Predictors without tables stay unchanged.
    ///
    /// # Errors
    /// Its smallest form is larger.
    pub fn within(&self, bits: u64) -> Result<Self, Diagnostic> {
        if self.kind.bits() == 0 {
            return Ok(self.clone());
        }
        let sizes = match &self.kind {
            Kind::Perceptron(_) => 1 << MOST_BITS,
            Kind::Tage(_) | Kind::Corrected(_) => MOST_BITS - 3,
            _ => MOST_BITS,
        } as u32;
        // Larger sizes need more bits, so the largest fitting size is found by bisection.
        let (mut fits, mut too_large) = (0, sizes + 1);
        while too_large - fits > 1 {
            let size = fits + (too_large - fits) / 2;
            if self.kind.sized(size).bits() <= bits { fits = size } else { too_large = size }
        }
        if fits == 0 {
            let message = format!("`{}` does not fit into {bits} bits", self.name);
            let smallest = self.kind.sized(1).bits();
            let found = Diagnostic::error(codes::BUDGET_TOO_SMALL, message);
            return Err(found.help(format!("its smallest form takes {smallest}")));
        }
        let kind = self.kind.sized(fits);
        // A name that the user gave stays recognisable.
        let name = match Self::parse(&self.name) {
            Ok(_) => kind.to_string(),
            Err(_) => format!("{} in {} bits", self.name, kind.bits()),
        };
        Ok(Specification { name, kind })
    }
}

impl Kind {
    /// The same with another size: bits of an index, or vectors.
    fn sized(&self, size: u32) -> Kind {
        let mut kind = self.clone();
        match &mut kind {
            Kind::Oracle | Kind::Always(_) => {}
            Kind::Bimodal(bits)
            | Kind::Gag(bits)
            | Kind::Gshare(bits)
            | Kind::Pag(bits)
            | Kind::Tournament(bits) => *bits = size,
            Kind::Perceptron(shape) => shape.vectors = size,
            Kind::Hashed(shape) => shape.table_bits = size,
            Kind::Tage(shape) => shape.scale(size),
            Kind::Corrected(shape) => shape.scale(size),
        }
        kind
    }
}
