//! Interactive Markov chains: maximal progress, vanishing states, throughputs.
//!
//! In: a [`volvelle_space::Lts`] whose labels follow CADP's conventions (`rate 2.5`, `a; rate 2`, `prob 0.5`,
//! `i`; all else are immediate actions). Out: steady state, transient behaviour, first passages and
//! sensitivities, with bounds on every number, or a [`Problem`] with the run that shows it. This crate
//! transforms one to the other; `volvelle-markov` does the numerical analysis.
//!
//! H. Hermanns, *Interactive Markov Chains: The Quest for Quantified Quality*, LNCS 2428, 2002, doi:10.1007/3-540-45804-2;
//! N. Coste, H. Hermanns, E. Lantreibecq, W. Serwe, *Towards performance prediction of compositional models in industrial GALS designs*, CAV 2009,
//! doi:10.1007/978-3-642-02658-4_18.
//!
//! | module | subject |
//! |---|---|
//! | `kinds` | the meaning of labels |
//! | `system` | maximal progress, reachability, shortest runs |
//! | `eliminate` | vanishing states, choices that do not matter |
//! | `structure`, `generator` | the chain over the tangible states, without and with numbers |
//! | `steady`, `transient`, `passage`, `sensitivity` | analyses |
//! | `decisions`, `schedulers` | choices that matter: a decision process, and values over all schedulers |
//! | `visits`, `question` | expected times in states; questions to the numerical engine |
//! | `paths` | data for simulation |
//! | `numbers`, `interval` | exact numbers, bounds |

mod chain;
mod decisions;
mod eliminate;
mod generator;
mod interval;
mod kinds;
mod numbers;
mod options;
mod passage;
mod paths;
mod problem;
mod question;
mod schedulers;
mod sensitivity;
mod steady;
mod structure;
mod system;
#[cfg(test)]
mod tests;
mod transient;
mod visits;

pub use chain::{Amount, Chain};
pub use interval::{Bounds, middle};
pub use options::{Choices, Measured, Options, Values};
pub use passage::{Passage, Target};
pub use paths::PassageChain;
pub use problem::{Alternative, Problem, Trace};
pub use schedulers::{Extremes, PassageExtremes, ThroughputExtremes};
pub use sensitivity::{Derivative, Parameter, Sensitivity};
pub use steady::{BottomComponent, Steady, Wanted};
pub use transient::{Moment, Occurrences, Transient};
