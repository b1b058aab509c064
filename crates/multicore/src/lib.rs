//! Tasks of a stream of instructions: their prediction, caches, and the cycles that a multicore takes.
//!
//! In: a [`Stream`](volvelle_instructions::Stream) of executed instructions, from an emulator or a trace.
//! Out: an [`Answer`] for each [`Configuration`] of a [`Machine`] and a predictor. One pass over the stream
//! serves all configurations, and those that share tasks, dependences or predictions compute them once. The
//! crate knows no program and no file.
//!
//! The model is that of J. Lee, *A Perceptron-Based Task Predictor for Multi-Core Processor Architectures*: a
//! stream is cut into tasks; cores execute tasks out of order; a task whose successor is mispredicted ends a
//! round. Each question that the paper leaves open is an option. Its default is the rule of the golden data
//! (P1 to P8, C1 to C7, T1 to T10 in `docs/multicore.md`; R1 to R6 are other readings). By default, memory
//! behind the first-level caches always hits, and squashed tasks leave no trace in caches.
//!
//! Cycles may be confined to windows ([`Sampling`]): answers then are estimates with intervals.
//!
//! ```
//! use volvelle_control::Control;
//! use volvelle_diagnostics::Sources;
//! use volvelle_multicore::{Ahead, Configuration, Machine, Specification, TextTrace, run};
//!
//! let text = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n\
//!             1000\tdiv\tx1\t-\t-\t-\t-\n\
//!             1004\talu\tx2\tx1\t-\t-\t-\n";
//! let mut trace = TextTrace::new(Sources::new().add("division.tsv", text), text).expect("the columns are named");
//! let predictor = Specification::parse("perceptron-8").expect("a known name");
//! let configuration = Configuration::new(Machine::default(), predictor);
//! let answers = run(&mut trace, &[configuration], &Ahead::default(), &Control::unlimited()).expect("the trace is right");
//! assert_eq!(answers[0].cycles, 23); // fetch, twenty cycles of division, the sum, retirement
//! assert_eq!(answers[0].stack.total(), 23);
//! ```

mod ahead;
mod answer;
mod caches;
mod configuration;
mod estimate;
mod grid;
mod hash;
mod limits;
mod machine;
mod predictors;
mod run;
mod sampling;
mod stage;
mod study;
mod tasks;
mod text;
mod timing;

pub use ahead::Ahead;
pub use answer::{Answer, Branch};
pub use caches::{CacheCounts, CacheShape, Caches, Effect, Policy, ProtocolTable, SharedBlock, Touch};
pub use configuration::Configuration;
pub use estimate::CONFIDENCE;
pub use grid::{MOST_MACHINES, Sweep, machines};
pub use limits::{MOST_CORES, MOST_IN_FLIGHT};
pub use machine::{
    Core, KEYS, Latencies, MACHINE, Machine, MemoryOrder, Mode, Placement, Protocols, SecondLevel,
    ShippedProtocols, Targets,
};
pub use predictors::{
    CorrectedShape, HashedShape, History, Kind, PREDICTOR, PREDICTORS, PerceptronShape, Predictor,
    Specification, TageShape, TargetKind, TargetPredictor, Training, Transfer, read as read_predictor,
};
pub use run::{TaskRecord, run, run_in_batches, tasks};
pub use sampling::{Phase, Plan, Sampling, Window};
pub use study::{Assignment, Expected, ProgramOfStudy, Reading, STUDY, Study};
pub use tasks::{Joins, Selection};
pub use text::{Access, Form, Outcome, TextTrace, accesses, outcomes, unknown_form};
pub use timing::{Bounds, Shares, Stack, Times};
pub use volvelle_coherence::{Protocol, read as read_protocol};
