//! Tests of texts of weighted systems, as one program.

mod formulas;
mod structures;
