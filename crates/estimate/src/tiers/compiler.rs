//! Code variants of a plan, and the service that compiles them.

use crate::settings::PathTier;
use std::sync::{Arc, OnceLock};
use volvelle_control::Fact;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{CompileError, Compiler, Effort, Kernel};
use volvelle_native::{self as native, Native};
use volvelle_simulate::path::{self, IncrementalLimits, Limits, Plan, Shape};
use volvelle_simulate::runner::Runner;
use volvelle_vector::{Level, Vector};

/// Most statements of code that is specialised over control locations.
const MOST_STATEMENTS: usize = 40_000;
/// A request with fewer statements than this is not worth a compilation.
const FEWEST_STATEMENTS: usize = 50;

/// A variant of the code that runs paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeVariant {
    /// The reference interpreter.
    Interpreter,
    /// Machine code for one path at a time, compiled quickly.
    Quick,
    /// The same, compiled with all optimisations.
    General,
    /// Machine code for one path at a time, specialised over at most this many control locations.
    Locations(usize),
    /// Code for many paths at once.
    Vector,
    /// Machine code for one path at a time with incremental propensity updates: a step re-evaluates only
    /// weights that it may have changed.
    Incremental {
        /// Least factor by which a step becomes cheaper, including its other work.
        gain: u32,
    },
}

/// Gains from which on incremental updates may beat evaluating all weights, for one path at a time and for
/// sixteen at once.
const GAIN_ALONE: CodeVariant = CodeVariant::Incremental { gain: 2 };
const GAIN_AMONG_LANES: CodeVariant = CodeVariant::Incremental { gain: 12 };
/// The other work of a step, as a number of evaluated weights.
const OTHER_WORK: f64 = 10.0;
/// Number of statements that compile in the time of one re-evaluated weight (measured).
const STATEMENTS_PER_WEIGHT: usize = 5;
/// Number of uses from which on incremental code keeps a local in memory: there are more locals than weights,
/// each read and written at a few of many places.
const REGISTER_USES: u32 = 8;

/// The specialised variants, in the order of compilation if they pay: few control locations compile quickly.
const LOCATIONS: [CodeVariant; 4] = [
    CodeVariant::Locations(16),
    CodeVariant::Locations(64),
    CodeVariant::Locations(256),
    CodeVariant::Locations(1024),
];

impl CodeVariant {
    /// The variants with which a selection may start: the first that compiles. Machine code for many lanes
    /// compiles quickly, and is faster than code that runs one path at a time through the same kernel.
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

    /// The variants that are compiled later, in this order.
    pub fn others(tier: PathTier, first: CodeVariant) -> Vec<CodeVariant> {
        let scalar = [CodeVariant::General].into_iter().chain(LOCATIONS);
        match (tier, first) {
            (PathTier::Interpreter | PathTier::Vector, _) | (_, CodeVariant::Interpreter) => Vec::new(),
            // One path at a time through the same kernel cannot compete with sixteen.
            (PathTier::Auto, CodeVariant::Vector) if Level::best() == Level::Avx512 => {
                LOCATIONS.into_iter().chain([GAIN_AMONG_LANES]).collect()
            }
            (PathTier::Auto, CodeVariant::Quick) => scalar.chain([CodeVariant::Vector, GAIN_ALONE]).collect(),
            _ => scalar.chain([GAIN_ALONE]).collect(),
        }
    }

    /// The name of the variant in facts.
    pub fn name(self) -> &'static str {
        match self {
            CodeVariant::Interpreter => "interpreter",
            CodeVariant::Quick => "general, quick to compile",
            CodeVariant::General => "general",
            CodeVariant::Locations(..=16) => "up to 16 locations",
            CodeVariant::Locations(..=64) => "up to 64 locations",
            CodeVariant::Locations(..=256) => "up to 256 locations",
            CodeVariant::Locations(_) => "up to 1024 locations",
            CodeVariant::Vector => "many paths at once",
            CodeVariant::Incremental { .. } => "incremental weights",
        }
    }
}

/// A compiled variant.
pub struct CompiledVariant {
    /// The code.
    pub runner: Runner,
    /// The name of the tier, for people and JSON.
    pub tier: &'static str,
    /// Number of control locations; 1 for code that is not specialised.
    pub locations: usize,
    /// Number of statements of the kernel, if counted.
    pub statements: Option<usize>,
    /// Facts about the variant.
    pub about: Vec<Fact>,
}

/// Why a variant was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCompiled {
    /// The compiler failed.
    Failed(String),
    /// The code would have too many statements, or no control fields have so few values.
    TooMuch,
    /// The code would equal an existing variant.
    Nothing,
}

/// A variant to compile, and its limits.
#[derive(Clone, Copy, Debug)]
pub struct CompileRequest {
    /// The variant.
    pub variant: CodeVariant,
    /// Most statements.
    pub statements: usize,
    /// Number of control locations of the largest existing variant; the code must have at least twice as
    /// many.
    pub locations: usize,
}

/// Compiles code variants, on any thread.
pub trait CompilerService: Send + Sync + 'static {
    /// Compiles a variant.
    ///
    /// # Errors
    /// The variant was not compiled.
    fn compile(&self, request: CompileRequest) -> Result<CompiledVariant, NotCompiled>;

    /// Whether code for many paths at once has the advantage: each step has work that specialisation does not
    /// remove, but that many paths share.
    fn favours_lanes(&self) -> bool {
        false
    }
}

/// Compiles the variants of a plan.
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
            // Locals that are used all the time belong in registers.
            let options = native::Options { max_register_uses: u32::MAX, ..native::Options::default() };
            Native::new(options).map_err(|error| error.0)
        });
        native.as_ref().map_err(|why| NotCompiled::Failed(why.clone()))
    }

    /// Machine code for one path at a time.
    fn scalar(&self, kernel: &Kernel, well: bool) -> Result<CompiledVariant, NotCompiled> {
        let native = self.native()?;
        let code = native.compile_with(kernel, if well { Effort::Thorough } else { Effort::Usual });
        let code = code.map_err(|error| NotCompiled::Failed(error.0))?;
        let runner = Runner::lanes(&self.plan, code, 1);
        Ok(CompiledVariant { runner, tier: native.name(), locations: 1, statements: None, about: Vec::new() })
    }

    fn locations(&self, most: usize, request: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        let limits = Limits { locations: most, statements: request.statements.min(MOST_STATEMENTS) };
        let found = path::locations(&self.plan, Shape::Nested, limits).ok_or(NotCompiled::TooMuch)?;
        if found.locations < 2 * request.locations {
            return Err(NotCompiled::Nothing);
        }
        let compiled = self.scalar(&found.kernel, true)?;
        let name = |field: &volvelle_model::FieldId| self.plan.program.fields[field.index()].name.as_str();
        let names: Vec<&str> = found.fields.iter().map(name).collect();
        let about = vec![
            Fact::text("control fields", names.join(", ")),
            Fact::count("control locations", found.locations as u64)
                .because(format!("{} statements", found.statements)),
        ];
        Ok(CompiledVariant {
            locations: found.locations,
            statements: Some(found.statements),
            about,
            ..compiled
        })
    }

    fn incremental(&self, gain: u32, request: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        let mut keeping = IncrementalLimits::default();
        keeping.reevaluated = keeping.reevaluated.min(request.statements / STATEMENTS_PER_WEIGHT);
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
            Fact::count("incremental weights", found.weights as u64)
                .because(format!("{again:.1} are re-evaluated on average")),
        ];
        let runner = Runner::lanes(&self.plan, code, 1);
        Ok(CompiledVariant { runner, tier: native.name(), locations: 1, statements: None, about })
    }
}

impl CompilerService for PlanCompiler {
    fn favours_lanes(&self) -> bool {
        // Logarithms of drawn times cost more than control locations save, on all measured models.
        self.plan.clock && Level::best() == Level::Avx512
    }

    fn compile(&self, request: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        match request.variant {
            CodeVariant::Interpreter => {
                let runner = Runner::scalar(&self.plan, &Interpreter);
                let runner = runner.map_err(|refusal| NotCompiled::Failed(refusal.to_string()))?;
                let tier = Interpreter.name();
                Ok(CompiledVariant { runner, tier, locations: 1, statements: None, about: Vec::new() })
            }
            CodeVariant::Quick => self.scalar(&path::path(&self.plan, Shape::Nested), false),
            CodeVariant::General => self.scalar(&path::path(&self.plan, Shape::Nested), true),
            CodeVariant::Locations(_) if request.statements < FEWEST_STATEMENTS => Err(NotCompiled::TooMuch),
            CodeVariant::Locations(most) => self.locations(most, request),
            CodeVariant::Incremental { gain } => self.incremental(gain, request),
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
