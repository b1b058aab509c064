//! The modal mu-calculus: formulas, Boolean equation systems, parity games, diagnostics.
