//! The options of the numerical engine: words and numbers into settings.

use volvelle_console::amounts;
use volvelle_console::options::{BisimulationName, MethodName, NumericArgs, SteadyStateName};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_markov::{Bisimulation, Classical, Detection, Method, Options as Numeric};

/// Reads the options.
pub fn numeric(args: &NumericArgs) -> Result<Numeric, Vec<Diagnostic>> {
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
        bisimulation: match args.bisimulation {
            BisimulationName::Auto => Bisimulation::Auto,
            BisimulationName::Strong => Bisimulation::Strong,
            BisimulationName::Off => Bisimulation::Off,
        },
        ..Numeric::default()
    })
}
