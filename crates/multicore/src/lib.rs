//! Tasks of a stream of instructions: their prediction, caches, and the cycles that a multicore takes.
