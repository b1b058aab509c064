//! Options of readers and writers.

use crate::model::Kind;
use dashu_ratio::RBig;
use std::collections::BTreeMap;

/// Who wrote an ALDEBARAN file: quoting and the internal action differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The reader looks at the labels; the writer takes CADP's.
    #[default]
    Automatic,
    /// CADP: internal action `i`, labels `rate r` and `prob p`.
    Cadp,
    /// mCRL2: internal action `tau`, no escapes, probabilistic targets.
    Mcrl2,
    /// LTSmin: escapes, `#HEX#` labels, a padded header.
    Ltsmin,
}

/// How the numbers of a text are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Rationals where the file says so or has a fraction, doubles otherwise.
    #[default]
    AsWritten,
    /// Doubles.
    Double,
    /// Rationals; decimals too.
    Exact,
}

/// Options of a reader.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The kind of model, where the file leaves it open (PRISM's `.tra` without a header).
    pub kind: Option<Kind>,
    /// How numbers are kept.
    pub numbers: Precision,
    /// Values of parameters.
    pub parameters: BTreeMap<String, RBig>,
    /// Dialect of an ALDEBARAN file.
    pub dialect: Dialect,
}

/// Options of a writer.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Dialect of an ALDEBARAN file.
    pub dialect: Dialect,
    /// Significant digits of doubles in texts; `None` takes as many as are needed to read back the same number.
    pub digits: Option<u8>,
}
