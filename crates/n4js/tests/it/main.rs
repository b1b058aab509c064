//! Tests of N4JS.

mod classifiers;
