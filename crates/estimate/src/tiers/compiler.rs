//! Code variants of a plan, and the service that compiles them.

use crate::settings::PathTier;
use std::sync::{Arc, OnceLock};
use volvelle_control::Fact;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{CompileError, Compiler, Kernel};
use volvelle_native::{self as native, Native};
use volvelle_simulate::path::{self, IncrementalLimits, Limits, Plan, Shape};
use volvelle_simulate::runner::Runner;
use volvelle_vector::{Level, Vector};

/// Statements of code for control locations at most.
const MOST_STATEMENTS: usize = 40_000;
/// Statements that there are at least.
const FEWEST_STATEMENTS: usize = 50;

/// A way to run paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeVariant {
    /// The reference interpreter.
    Interpreter,
    /// Machine code for one path at a time, soon made.
    Quick,
    /// The same, made with care.
    General,
    /// Machine code for one path at a time, specialised over control locations: at most so many.
    Locations(usize),
    /// Code for many paths at once.
    Vector,
    /// Machine code for one path at a time that keeps weights from step to step, where so many times fewer are weighed
    /// again, with what else there is to do in a step.
    Incremental {
        /// That factor at least.
        gain: u32,
    },
}

/// Gains from which on keeping weights may be faster than weighing them all for one path at a time, and for sixteen at once.
const GAIN_ALONE: CodeVariant = CodeVariant::Incremental { gain: 2 };
const GAIN_AMONG_LANES: CodeVariant = CodeVariant::Incremental { gain: 12 };
/// What a step does besides weighing, in weights, at least.
const OTHER_WORK: f64 = 10.0;
/// Statements that a weight that is weighed again is worth, by experience with what it takes to make code.
const STATEMENTS_PER_WEIGHT: usize = 5;
/// Uses of a local from which on code that keeps weights has it in memory: there are as many locals as weights, and more, each
/// read and written in a few of many places.
const REGISTER_USES: u32 = 8;

/// Compiled in this order where they pay: code for few control locations, where that is soon done, and for many.
const LOCATIONS: [CodeVariant; 4] = [
    CodeVariant::Locations(16),
    CodeVariant::Locations(64),
    CodeVariant::Locations(256),
    CodeVariant::Locations(1024),
];

impl CodeVariant {
    /// What the selection starts with: the first of these that can be made. Machine code for many lanes is soon made, and faster than
    /// what runs one path at a time through the same kernel.
    pub fn first(tier: PathTier) -> &'static [CodeVariant] {
        match tier {
            PathTier::Interpreter => &[CodeVariant::Interpreter],
            PathTier::Vector => &[CodeVariant::Vector],
            PathTier::Scalar => &[CodeVariant::Quick],
            PathTier::Auto if Level::best() > Level::Portable => {
                &[CodeVariant::Vector, CodeVariant::Quick, CodeVariant::Interpreter]
            }
            PathTier::Auto => &[CodeVariant::Quick, CodeVariant::Vector, CodeVariant::Interpreter],
        }
    }

    /// What is made later, in this order.
    pub fn others(tier: PathTier, first: CodeVariant) -> Vec<CodeVariant> {
        let scalar = [CodeVariant::General].into_iter().chain(LOCATIONS);
        match (tier, first) {
            (PathTier::Interpreter | PathTier::Vector, _) | (_, CodeVariant::Interpreter) => Vec::new(),
            // One path at a time through the same kernel does not keep up with sixteen.
            (PathTier::Auto, CodeVariant::Vector) if Level::best() == Level::Avx512 => {
                LOCATIONS.into_iter().chain([GAIN_AMONG_LANES]).collect()
            }
            (PathTier::Auto, CodeVariant::Quick) => scalar.chain([CodeVariant::Vector, GAIN_ALONE]).collect(),
            _ => scalar.chain([GAIN_ALONE]).collect(),
        }
    }

    /// What facts call it.
    pub fn what(self) -> &'static str {
        match self {
            CodeVariant::Interpreter => "interpreter",
            CodeVariant::Quick => "general, quickly made",
            CodeVariant::General => "general",
            CodeVariant::Locations(..=16) => "up to 16 locations",
            CodeVariant::Locations(..=64) => "up to 64 locations",
            CodeVariant::Locations(..=256) => "up to 256 locations",
            CodeVariant::Locations(_) => "up to 1024 locations",
            CodeVariant::Vector => "many paths at once",
            CodeVariant::Incremental { .. } => "kept weights",
        }
    }
}

/// Code, and what it is.
pub struct CompiledVariant {
    /// The code.
    pub runner: Runner,
    /// For people and JSON.
    pub tier: &'static str,
    /// Control locations: 1 where it is not specialised.
    pub locations: usize,
    /// Statements of the kernel, where that is known.
    pub statements: Option<usize>,
    /// More about it.
    pub about: Vec<Fact>,
}

/// Why code was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCompiled {
    /// It cannot be.
    Failed(String),
    /// There would be too many statements, or no control fields with so few values.
    TooMuch,
    /// It would be what there is already.
    Nothing,
}

/// What may be made.
#[derive(Clone, Copy, Debug)]
pub struct CompileRequest {
    /// Which way to run paths.
    pub variant: CodeVariant,
    /// Statements at most.
    pub statements: usize,
    /// More control locations than this, at least twice as many.
    pub locations: usize,
}

/// Makes code, on any thread.
pub trait CompilerService: Send + Sync + 'static {
    /// Makes what is ordered.
    ///
    /// # Errors
    /// There is nothing to be had.
    fn make(&self, order: CompileRequest) -> Result<CompiledVariant, NotCompiled>;
}

/// The compiler for a plan.
pub struct PlanCompiler {
    plan: Arc<Plan>,
    native: OnceLock<Result<Native, String>>,
}

impl PlanCompiler {
    /// A service for a plan.
    pub fn new(plan: Arc<Plan>) -> Self {
        PlanCompiler { plan, native: OnceLock::new() }
    }

    fn native(&self) -> Result<&Native, NotCompiled> {
        let native = self.native.get_or_init(|| {
            // What is in use all the time belongs in registers.
            let options = native::Options { max_register_uses: u32::MAX, ..native::Options::default() };
            Native::new(options).map_err(|error| error.0)
        });
        native.as_ref().map_err(|why| NotCompiled::Failed(why.clone()))
    }

    /// Machine code for one path at a time.
    fn scalar(&self, kernel: &Kernel, well: bool) -> Result<CompiledVariant, NotCompiled> {
        let native = self.native()?;
        let code = if well { native.compile_well(kernel) } else { native.compile(kernel) };
        let code = code.map_err(|error| NotCompiled::Failed(error.0))?;
        let runner = Runner::lanes(&self.plan, code, 1);
        Ok(CompiledVariant { runner, tier: native.name(), locations: 1, statements: None, about: Vec::new() })
    }

    fn locations(&self, most: usize, order: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        let limits = Limits { locations: most, statements: order.statements.min(MOST_STATEMENTS) };
        let found = path::locations(&self.plan, Shape::Nested, limits).ok_or(NotCompiled::TooMuch)?;
        if found.locations < 2 * order.locations {
            return Err(NotCompiled::Nothing);
        }
        let made = self.scalar(&found.kernel, true)?;
        let name = |field: &volvelle_model::FieldId| self.plan.program.fields[field.index()].name.as_str();
        let names: Vec<&str> = found.fields.iter().map(name).collect();
        let about = vec![
            Fact::text("control fields", names.join(", ")),
            Fact::count("control locations", found.locations as u64)
                .because(format!("{} statements", found.statements)),
        ];
        Ok(CompiledVariant { locations: found.locations, statements: Some(found.statements), about, ..made })
    }

    fn kept(&self, gain: u32, order: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        let mut keeping = IncrementalLimits::default();
        keeping.reevaluated = keeping.reevaluated.min(order.statements / STATEMENTS_PER_WEIGHT);
        let found = path::incremental(&self.plan, keeping).ok_or(NotCompiled::TooMuch)?;
        let again = found.reevaluated as f64 / found.branches as f64;
        if (found.weights as f64 + OTHER_WORK) / (again + OTHER_WORK) < f64::from(gain) {
            return Err(NotCompiled::Nothing);
        }
        let failed = |error: CompileError| NotCompiled::Failed(error.0);
        let options = native::Options { max_register_uses: REGISTER_USES, ..native::Options::default() };
        let native = Native::new(options).map_err(failed)?;
        let code = native.compile_well(&found.kernel).map_err(failed)?;
        let about = vec![
            Fact::count("kept weights", found.weights as u64)
                .because(format!("{again:.1} are weighed again on the mean")),
        ];
        let runner = Runner::lanes(&self.plan, code, 1);
        Ok(CompiledVariant { runner, tier: native.name(), locations: 1, statements: None, about })
    }
}

impl CompilerService for PlanCompiler {
    fn make(&self, order: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        match order.variant {
            CodeVariant::Interpreter => {
                let runner = Runner::scalar(&self.plan, &Interpreter);
                let runner = runner.map_err(|refusal| NotCompiled::Failed(refusal.to_string()))?;
                let tier = Interpreter.name();
                Ok(CompiledVariant { runner, tier, locations: 1, statements: None, about: Vec::new() })
            }
            CodeVariant::Quick => self.scalar(&path::path(&self.plan, Shape::Nested), false),
            CodeVariant::General => self.scalar(&path::path(&self.plan, Shape::Nested), true),
            CodeVariant::Locations(_) if order.statements < FEWEST_STATEMENTS => Err(NotCompiled::TooMuch),
            CodeVariant::Locations(most) => self.locations(most, order),
            CodeVariant::Incremental { gain } => self.kept(gain, order),
            CodeVariant::Vector => {
                let kernel = path::path(&self.plan, Shape::Flat);
                let level = Level::best();
                let code =
                    Vector::new(level).compile(&kernel).map_err(|error| NotCompiled::Failed(error.0))?;
                let lanes = code.lanes();
                let runner = Runner::lanes(&self.plan, Box::new(code), lanes);
                let tier = match level {
                    Level::Portable => "vectorised interpreter",
                    Level::Avx2 => "native (AVX2)",
                    Level::Avx512 => "native (AVX-512)",
                };
                Ok(CompiledVariant { runner, tier, locations: 1, statements: None, about: Vec::new() })
            }
        }
    }
}
