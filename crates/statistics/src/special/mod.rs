//! Tails and quantiles of the normal, Student's t and the beta distribution, as far out and for as many samples as
//! verification needs: probabilities down to 1e-300, counts up to 1e15.
//!
//! `statrs` gives the error function and the logarithm of the gamma function. Its incomplete beta function is not used:
//! it stops after 140 terms of a continued fraction, which is too early from about a million samples on, and
//! its front factor is a difference of logarithms of the gamma function, which loses all digits from about 1e13 samples on.

pub mod beta;
pub mod normal;
mod quadrature;
mod root;
pub mod student;

pub(crate) use root::smallest;
