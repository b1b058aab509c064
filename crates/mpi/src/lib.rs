//! Programs of message-passing primitives on machines with coherent caches: text to system to program of the waist.
//!
//! In: a program (`.mpi`: shared variables on cache lines, procedures, processes) and a study (TOML: protocol, topology, latencies, sweeps).
//! Out: a [`system::System`], a [`machine::Machine`] for each configuration, and from both a program of the waist
//! (`lower`) or a LOTOS specification. Opens no file.
//! [`interpret`] says what a system does, state by state, and checks `lower`; [`simulate`] estimates figures on it without a chain.
//!
//! The model is that of G. Chehaibar, M. Zidouni, R. Mateescu, *Modeling Multiprocessor Cache Protocol Impact on MPI Performance*, 2009:
//! an access is atomic, then its latency passes.

pub mod interpret;
mod lex;
pub mod lotos;
pub mod lower;
pub mod machine;
pub mod parse;
pub mod phase;
mod print;
pub mod resolve;
pub mod simulate;
pub mod study;
pub mod syntax;
pub mod system;

pub use lex::Kind as ProgramToken;
