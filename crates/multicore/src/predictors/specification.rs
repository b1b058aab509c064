//! Kinds of predictors with their sizes.

use super::corrected::CorrectedShape;
use super::counters::Local;
use super::hashed::HashedShape;
use super::perceptron::PerceptronShape;
use super::tage::TageShape;
use std::fmt;

/// A kind of predictor with its sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Is always right: a bound, no predictor.
    Oracle,
    /// Always predicts the same.
    Always(bool),
    /// Counters found by address; the number is the binary logarithm of their count.
    Bimodal(u32),
    /// Counters found by as many newest outcomes.
    Gag(u32),
    /// Counters found by the exclusive or of address and as many newest outcomes.
    Gshare(u32),
    /// Counters found by this many newest outcomes of the same address, for 1,024 addresses.
    Pag(u32),
    /// gshare and bimodal of that size, and counters that choose.
    Tournament(u32),
    /// A perceptron.
    Perceptron(PerceptronShape),
    /// A hashed perceptron.
    Hashed(HashedShape),
    /// Tagged tables.
    Tage(TageShape),
    /// Tagged tables with a corrector and loops.
    Corrected(CorrectedShape),
}

impl Kind {
    /// Bits of all tables; histories and temporary values are not counted.
    pub fn bits(&self) -> u64 {
        match self {
            Kind::Oracle | Kind::Always(_) => 0,
            Kind::Bimodal(bits) | Kind::Gag(bits) | Kind::Gshare(bits) => 2 << bits,
            Kind::Pag(bits) => (u64::from(*bits) << Local::HISTORIES) + (2 << bits),
            Kind::Tournament(bits) => 6 << bits,
            Kind::Perceptron(shape) => shape.bits(),
            Kind::Hashed(shape) => shape.bits(),
            Kind::Tage(shape) => shape.bits(),
            Kind::Corrected(shape) => shape.bits(),
        }
    }
}

/// A predictor by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// As the user calls it.
    pub name: String,
    /// Kind and sizes.
    pub kind: Kind,
}

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Kinds by name: `perceptron-8-vectors-455`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Oracle => f.write_str("oracle"),
            Kind::Always(true) => f.write_str("always-taken"),
            Kind::Always(false) => f.write_str("never-taken"),
            Kind::Bimodal(bits) => write!(f, "bimodal-{bits}"),
            Kind::Gag(bits) => write!(f, "gag-{bits}"),
            Kind::Gshare(bits) => write!(f, "gshare-{bits}"),
            Kind::Pag(bits) => write!(f, "pag-{bits}"),
            Kind::Tournament(bits) => write!(f, "tournament-{bits}"),
            Kind::Perceptron(shape) => {
                let usual = PerceptronShape::paper(shape.history);
                write!(f, "perceptron-{}", shape.history)?;
                if shape.is_by_address {
                    f.write_str("-by-address")?;
                }
                if shape.vectors != usual.vectors {
                    write!(f, "-vectors-{}", shape.vectors)?;
                }
                if shape.weight_bits != usual.weight_bits {
                    write!(f, "-weights-{}", shape.weight_bits)?;
                }
                if shape.threshold != usual.threshold {
                    write!(f, "-threshold-{}", shape.threshold)?;
                }
                Ok(())
            }
            Kind::Hashed(shape) => {
                f.write_str("hashed")?;
                if shape.table_bits != HashedShape::usual().table_bits {
                    write!(f, "-tables-{}", shape.table_bits)?;
                }
                if shape.weight_bits != HashedShape::usual().weight_bits {
                    write!(f, "-weights-{}", shape.weight_bits)?;
                }
                Ok(())
            }
            Kind::Tage(shape) => tables(f, "tage", shape.table_bits, TageShape::usual().table_bits),
            Kind::Corrected(shape) => {
                tables(f, "tage-sc-l", shape.tage.table_bits, TageShape::long().table_bits)
            }
        }
    }
}

/// A name with the size of tables, if that is not the usual one.
fn tables(f: &mut fmt::Formatter<'_>, name: &str, bits: u32, usual: u32) -> fmt::Result {
    f.write_str(name)?;
    if bits == usual { Ok(()) } else { write!(f, "-tables-{bits}") }
}
