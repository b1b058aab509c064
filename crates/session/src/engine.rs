//! Exploring with the tier that fits: native code, or the interpreter where the machine has none.

use volvelle_control::Control;
use volvelle_explore::{
    ExploreError, Explored, LoadedSpace, Mismatch, Options, Reusable, explore, explore_reduced,
    explore_with_terms, observe_loaded,
};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::{Program, Terms};
use volvelle_native::Native;

/// The code that evaluates a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// Native code; the interpreter where native code cannot be made.
    #[default]
    Auto,
    /// The reference interpreter.
    Interpreter,
}

/// Explores, with the evaluator of data terms where there is one, without choices that others stand for if that is asked for and possible; also tells what evaluated the
/// model.
pub fn run(
    program: &Program,
    mut terms: Option<&mut (dyn Terms + 'static)>,
    tier: Tier,
    reduce: bool,
    options: &Options,
    control: &Control<'_>,
) -> (Result<Explored, ExploreError>, &'static str) {
    let mut run = |compiler: &dyn Compiler| {
        if let Some(terms) = terms.as_deref_mut() {
            return explore_with_terms(program, terms, compiler, options, control);
        }
        let reduced = if reduce { explore_reduced(program, compiler, options, control) } else { None };
        reduced.unwrap_or_else(|| explore(program, compiler, options, control))
    };
    if let Some(native) = native(tier) {
        match run(&native) {
            Err(ExploreError::Compile(_)) => {}
            result => {
                let is_compiled = result.as_ref().is_ok_and(|explored| explored.compiled);
                return (result, if is_compiled { native.name() } else { Interpreter.name() });
            }
        }
    }
    (run(&Interpreter), Interpreter.name())
}

/// Observes the states of a space that was read; also tells what evaluated the observations.
pub fn observe(
    program: &Program,
    given: LoadedSpace,
    tier: Tier,
    options: &Options,
    control: &Control<'_>,
) -> (Result<Explored, ExploreError>, &'static str) {
    let native = native(tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let result = observe_loaded(program, given, compiler, &options.observe, control);
    let is_compiled = result.as_ref().is_ok_and(|explored| explored.compiled);
    (result, if is_compiled { compiler.name() } else { Interpreter.name() })
}

/// Turns an explored program into another one; also tells what evaluated that.
pub fn again(
    reusable: Reusable,
    program: &Program,
    tier: Tier,
    options: &Options,
    control: &Control<'_>,
) -> (Result<Reusable, Mismatch>, &'static str) {
    let native = native(tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    (reusable.again(program, compiler, options, control), compiler.name())
}

/// The code generator of a tier, if it has one and the machine supports it.
pub fn native(tier: Tier) -> Option<Native> {
    match tier {
        Tier::Auto => Native::new(volvelle_native::Options::default()).ok(),
        Tier::Interpreter => None,
    }
}
