//! How numbers are computed: words and numbers into settings.

use crate::options::{
    BisimulationName, MethodArgs, MethodName, NumericArgs, SteadyStateName, VerifyArgs, VerifyName,
};
use volvelle_console::options::{BuildingArgs, LimitArgs};
use volvelle_console::values::Values;
use volvelle_console::{amounts, opening};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::Sampling;
use volvelle_markov::{Bisimulation, Classical, Detection, Method, Options as Numeric};
use volvelle_session::Settings;
use volvelle_session::verification::{Verify, Verifying};

/// What the values of options are.
pub const VALUES: Values = &[("epsilon", |value| amounts::precision(value, "--epsilon 1e-6").map(|_| ()))];

/// How values of properties are computed, and with how many threads.
pub fn settings(
    args: &MethodArgs,
    building: &BuildingArgs,
    limits: &LimitArgs,
) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (mut settings, threads) = numeric_settings(&args.numeric, building, limits)?;
    settings.numeric.bisimulation = match args.bisimulation.bisimulation {
        BisimulationName::Auto => Bisimulation::Auto,
        BisimulationName::Strong => Bisimulation::Strong,
        BisimulationName::Off => Bisimulation::Off,
    };
    settings.exact = args.exact.exact;
    settings.verify = verifying(&args.verify)?;
    settings.full_space = args.space.all.full_space;
    settings.reduce = args.space.reduce;
    settings.symmetry = args.space.symmetry.symmetry;
    Ok((settings, threads))
}

/// How numbers are computed, and with how many threads.
pub fn numeric_settings(
    args: &NumericArgs,
    building: &BuildingArgs,
    limits: &LimitArgs,
) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (settings, threads) = opening::building_settings(building, limits)?;
    let numeric = numeric(args)?;
    Ok((Settings { numeric, strict_precision: args.strict_precision, ..settings }, threads))
}

/// Reads the options.
fn numeric(args: &NumericArgs) -> Result<Numeric, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut number = |value: &Option<String>, usual: f64, read: &dyn Fn(&str) -> Result<f64, Diagnostic>| {
        let read = value.as_deref().map(read).transpose();
        read.map_err(|d| diagnostics.push(d)).ok().flatten().unwrap_or(usual)
    };
    let usual = Numeric::default();
    let precision =
        number(&args.precision, usual.precision, &|value| amounts::precision(value, "--precision 1e-6"));
    let epsilon = number(&args.epsilon, usual.epsilon, &|value| amounts::precision(value, "--epsilon 1e-6"));
    let omega = number(&args.omega, 0.9, &amounts::relaxation);
    let iterations = number(&args.max_iterations, usual.max_iterations as f64, &|value| {
        amounts::count(value, "a number of iterations", "--max-iterations 1e6").map(|n| n as f64)
    });
    let method = match args.method {
        MethodName::Auto => Method::Auto,
        MethodName::Verified => Method::Iteration,
        MethodName::Elimination => Method::Elimination,
        MethodName::ValueIteration | MethodName::Power | MethodName::Jacobi => {
            Method::Classical(Classical::Jacobi)
        }
        MethodName::Jor => Method::Classical(Classical::Jor(omega)),
        MethodName::GaussSeidel => Method::Classical(Classical::GaussSeidel),
        MethodName::Sor => Method::Classical(Classical::Sor(omega)),
        MethodName::PolicyIteration => Method::Classical(Classical::PolicyIteration),
    };
    if args.omega.is_some() && !matches!(method, Method::Classical(Classical::Jor(_) | Classical::Sor(_))) {
        let diagnostic =
            Diagnostic::error(codes::BAD_USAGE, "--omega applies to the methods jor and sor only");
        diagnostics.push(diagnostic.help("add --method jor or --method sor"));
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    Ok(Numeric {
        precision,
        relative: !args.absolute,
        max_iterations: iterations as u64,
        method,
        detection: match args.steady_state_detection {
            SteadyStateName::Sound => Detection::Sound,
            SteadyStateName::Prism => Detection::Prism,
            SteadyStateName::Off => Detection::Off,
        },
        epsilon,
        ..Numeric::default()
    })
}

/// Reads the options of verification.
fn verifying(args: &VerifyArgs) -> Result<Verifying, Vec<Diagnostic>> {
    let time = amounts::time(&args.verify_time, "--verify-time 1.5").map_err(|d| vec![d])?;
    let width = amounts::width(&args.verify_width, "--verify-width 1e-2").map_err(|d| vec![d])?;
    let which = match args.verify {
        VerifyName::EarlyStop => Verify::EarlyStop,
        VerifyName::Auto => Verify::Auto,
        VerifyName::Quantitative => Verify::Quantitative,
        VerifyName::Always => Verify::Always,
        VerifyName::Never => Verify::Never,
    };
    let sampling = Sampling { seed: args.verify_seed, ..Sampling::default() };
    let samples = args.verify_samples.as_deref();
    let samples = samples.map(|n| amounts::count(n, "a number of paths", "--verify-samples 1e5")).transpose();
    let samples = samples.map_err(|d| vec![d])?;
    Ok(Verifying { which, time, samples, width, repair: args.verify_repair, sampling })
}
