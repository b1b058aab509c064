//! Programs of message-passing primitives on machines with coherent caches: text to system to program of the waist.
//!
//! In: a program (`.mpi`: shared variables on cache lines, procedures, processes) and a study (TOML: protocol, topology, latencies, sweeps).
//! Out: a [`system::System`], a [`machine::Machine`] for each configuration, and from both a program of the waist
//! (`lower`) or a LOTOS specification. Opens no file.
//!
//! The model is that of G. Chehaibar, M. Zidouni, R. Mateescu, *Modeling Multiprocessor Cache Protocol Impact on MPI Performance*, 2009:
//! an access is atomic, then its latency passes.

mod lex;
pub mod lotos;
pub mod lower;
pub mod machine;
pub mod parse;
pub mod phase;
mod print;
pub mod resolve;
pub mod study;
pub mod syntax;
pub mod system;
