//! Tails and quantiles of the normal, Student's t and the beta distribution, as far out and for as many samples as
//! verification needs: probabilities down to 1e-300, counts up to 1e15.
//!
//! `statrs` gives the quantiles of the normal distribution and the logarithm of the gamma function, which are good to
//! the last digits (tests). Of it we do not use: the complementary error function, which is off by 5e-11 where `libm`
//! is exact; and the incomplete beta function, which stops after 140 terms of a continued fraction, too early for
//! large counts near the mean, and whose front factor is a difference of logarithms of the gamma function, with an
//! error that grows like count times its logarithm.

pub mod beta;
pub mod normal;
mod quadrature;
mod root;
pub mod student;

pub(crate) use root::smallest;
