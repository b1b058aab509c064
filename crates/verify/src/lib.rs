//! Everything that can be asked of a model, in one place for faces: the questions, a [`Session`] to ask them of, and the answers.
//!
//! Each question is a function of the crate that owns it; this crate only names them together.

pub use volvelle_numbers as numbers;
pub use volvelle_particles as nbody;
pub use volvelle_paths as paths;
pub use volvelle_pipelines as pipeline;
pub use volvelle_rates as performance;
pub use volvelle_searches as searches;
pub use volvelle_session::{constants, fractions, json, language, limits};
pub use volvelle_studies as mpi;
pub use volvelle_systems as systems;
pub use volvelle_tuning as tuning;
pub use volvelle_tuning::measuring;
pub use volvelle_weights as weighted;

pub use volvelle_control::{Fact, FactValue};
pub use volvelle_estimate::{
    DEFAULT_RARE_PATHS, DEFAULT_SAMPLES, DEFAULT_STEPS, PathTier, Ranks, Sampling, SamplingMethod,
};
pub use volvelle_logic::{
    Answer, Constant, ConstantValue, FormulaValue, Guarantee, Literal, Ratio, StopReason, Value, gate,
};
pub use volvelle_lts::{Dice, LabelledStates, Relation};
pub use volvelle_markov::{Bisimulation, Classical, Detection, Method, Options as Numeric};
pub use volvelle_numbers::{
    Class, Distributions, Extreme, Found, Moment, Moments, Sought, Threshold, check, csv_of_distributions,
    distributions, experiment, find,
};
pub use volvelle_paths::{
    CodeForm, Command, Decided, Disagreements, Followed, Path, PathEnd, PathMoved, PathOption, PathPlan,
    PathStep, PathValue, Total, Tracing, VariableChange, disagreements, path_code, path_csv, plan_path,
    start_path,
};
pub use volvelle_promela::SpinTrail;
pub use volvelle_runtime::{Context, Devices, Network};
pub use volvelle_searches::{
    Characters, Lint, Runnable, SAFETY, SavedStep, SavedTrail, SearchMethod, SearchSettings, Simulation,
    Taken, Wanted, fits_model, lint, read_spin_trail, runnable, save_as_spin_trail, save_trail, search,
    simulate,
};
pub use volvelle_session::campaign::{PathWork, PointWork, Saver};
pub use volvelle_session::choices::{Choices, SavedScheduler};
pub use volvelle_session::cluster::{Cluster, lost};
pub use volvelle_session::constants::Swept;
pub use volvelle_session::conversion::as_explicit;
pub use volvelle_session::csv::{csv, csv_of_states};
pub use volvelle_session::devices::{DeviceListing, Machine, Service};
pub use volvelle_session::engine::Tier;
pub use volvelle_session::evidence::{
    CommandReport, DecisionReport, Evidence, Evidences, MemoryReport, PathReport, SchedulerFormat,
    SchedulerReport, StepReport, SubsystemReport,
};
pub use volvelle_session::interim::{Interim, Interrupted};
pub use volvelle_session::language::{Analysis, Formalism, FrontEnd, Input, Part};
pub use volvelle_session::limits::Allowance;
pub use volvelle_session::outline::{Component, ConstantType, Outline, Property, Rewards, Size, Variable};
pub use volvelle_session::points::{Experiment, Point};
pub use volvelle_session::report::{ModelReport, PropertyReport, Report, StateValue, Status};
pub use volvelle_session::select::Selector;
pub use volvelle_session::state_graph::{
    GraphChoice, GraphState, StateGraph, explicit_graph, graph_of_lts, state_graph,
};
pub use volvelle_session::statistics::{SplittingStatistics, Statistics};
pub use volvelle_session::trace::{
    Actor, Change, Counterexample, Message, Moved, Omitted, Standing, TraceStep, TrailLength, VariableValue,
    Written,
};
pub use volvelle_session::verification::{Verification, Verify, Verifying};
pub use volvelle_session::{Folder, Model, NamedFiles, NoFolder, Session, Settings, Text, decode};
pub use volvelle_simulate::path::Generator;
pub use volvelle_space::Lts;
pub use volvelle_systems::{
    AskedFormula, CompareReport, FormulaReport, FormulaVerdict, FormulasReport, ReduceReport, Relabelling,
    SystemPart, SystemSize, check_formulas, compare_systems, explore_processes, reduce_system,
    transition_system,
};
pub use volvelle_tuning::{TuneMethod, TuneQuestion, TuneReport, TuneSettings, tune};
pub use volvelle_weights::{check_wctl, weighted_model, weighted_model_of_pair};
