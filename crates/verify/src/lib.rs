//! From the texts of a model and its properties to answers.
//!
//! Takes texts (faces read the files), constants and settings; gives a [`Report`]: the state space, an answer or a
//! diagnostic for every property. A [`Session`] holds one model; it chooses the language
//! ([`language`]), the tier that evaluates the model (native code, or the interpreter where there is none), which
//! observations the properties need, and turns the errors of engines into diagnostics that point into the text. The
//! same shape as JSON is in [`json`].
//!
//! Everything a face needs besides drawing is here, so that the command line, Python and editors agree. Stands on
//! all front ends and engines; opens no files and prints nothing. The clock is read here, for the times in reports:
//! engines never do.

mod accuracy;
mod campaign;
mod check;
mod cluster;
mod commands;
pub mod constants;
mod conversion;
mod csv;
mod devices;
mod distribution;
mod effort;
mod engine;
mod evidence;
mod exact;
mod experiment;
mod explore;
mod failure;
mod find;
mod follow;
pub mod fractions;
mod interim;
pub mod json;
pub mod language;
pub mod limits;
mod lint;
mod listing;
mod lts;
pub mod measuring;
pub mod mpi;
pub mod nbody;
mod needed;
mod observed;
mod outline;
mod parts;
mod pending;
pub mod performance;
pub mod pipeline;
mod points;
mod range;
mod reduced;
mod remarks;
mod report;
mod runs;
mod sampling;
mod saved_strategy;
mod search;
mod select;
mod session;
mod settings;
mod state_graph;
mod strategy_text;
mod sweep;
mod sweeping;
mod symmetric;
mod systems;
mod text;
mod trace;
mod transition_system;
mod tune;
mod vague;
mod ways;
pub mod weighted;
mod witness;

pub use campaign::{PathWork, PointWork, Saver};
pub use cluster::{Cluster, lost};
pub use constants::Swept;
pub use csv::{csv, csv_of_distributions, csv_of_states};
pub use devices::{DeviceListing, Machine, Service};
pub use distribution::{Class, Distributions, Moment, Moments};
pub use engine::Tier;
pub use evidence::{
    CommandReport, DecisionReport, Evidence, Evidences, MemoryReport, PathReport, SchedulerFormat,
    SchedulerReport, StepReport, SubsystemReport,
};
pub use find::{Extreme, Found, Sought, Threshold};
pub use interim::{Interim, Interrupted};
pub use language::{Analysis, Folder, Formalism, FrontEnd, Input, NamedFiles, NoFolder, Part};
pub use limits::Allowance;
pub use lint::Lint;
pub use outline::{Component, ConstantType, Outline, Property, Rewards, Size, Variable};
pub use points::{Experiment, Point};
pub use report::{ModelReport, PropertyReport, Report, StateValue, Status};
pub use runs::{Characters, Runnable, SavedStep, SavedTrail, Simulation, Taken};
pub use sampling::{
    Choices, CodeForm, Command, DEFAULT_RARE_PATHS, DEFAULT_SAMPLES, DEFAULT_STEPS, Decided, Disagreements,
    Followed, Generator, Path, PathEnd, PathMoved, PathOption, PathPlan, PathStep, PathTier, PathValue,
    Sampling, SamplingMethod, SavedScheduler, SplittingStatistics, Statistics, Total, Tracing,
    VariableChange, Verification, Verify, Verifying, disagreements, path_csv,
};
pub use search::{SAFETY, SearchMethod, SearchSettings, Wanted};
pub use select::Selector;
pub use session::{Exploration, Session};
pub use settings::Settings;
pub use state_graph::{GraphChoice, GraphState, StateGraph, graph_of_lts};
pub use systems::{
    AskedFormula, CompareReport, FormulaReport, FormulaVerdict, FormulasReport, ReduceReport, Relabelling,
    SystemPart, SystemSize, compare_systems, reduce_system,
};
pub use text::{Text, decode};
pub use trace::{
    Actor, Change, Counterexample, Message, Moved, Omitted, Standing, TraceStep, TrailLength, VariableValue,
    Written,
};
pub use tune::{TuneMethod, TuneQuestion, TuneReport, TuneSettings};
pub use volvelle_control::{Fact, FactValue};
pub use volvelle_estimate::Ranks;
pub use volvelle_logic::{
    Answer, Constant, ConstantValue, FormulaValue, Guarantee, Literal, Ratio, StopReason, Value, gate,
};
pub use volvelle_lts::{Dice, LabelledStates, Relation};
pub use volvelle_markov::{Bisimulation, Classical, Detection, Method, Options as Numeric};
pub use volvelle_promela::SpinTrail;
pub use volvelle_runtime::{Context, Devices, Network};
pub use volvelle_space::Lts;
