//! Single paths: whether the paths of a model are long, and a runner for one path at a time.

use super::QualitativeOracle;
use crate::settings::Sampling;
use std::sync::OnceLock;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::Native;
use volvelle_simulate::early_termination::EarlyTermination;
use volvelle_simulate::engine::Engine;
use volvelle_simulate::path::Plan;
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::sample::SinglePath;

/// Paths that are tried.
const TRIED: u64 = 64;
/// Steps from which on a path is long.
const LONG: u32 = 1024;

/// Whether some of the first paths are long. Then paths are also run one at a time, and their states are
/// examined.
pub fn are_long(engine: &dyn Engine, sampling: &Sampling) -> bool {
    let mut paths = Paths::default();
    let limit = LONG.min(sampling.max_steps);
    // A failure here is reported when sampling encounters it.
    let ran = engine.run(sampling.seed, 0..TRIED, limit, &mut paths).is_ok();
    ran && paths.given_up().is_some()
}

/// Runs a path at a time and reports its last state. Compiled on the first use.
pub struct SinglePathRunner<'a> {
    plan: &'a Plan,
    runner: OnceLock<Option<Runner>>,
}

impl<'a> SinglePathRunner<'a> {
    /// A runner for the paths of a plan.
    pub fn new(plan: &'a Plan) -> Self {
        SinglePathRunner { plan, runner: OnceLock::new() }
    }

    /// The early termination of paths by an oracle, if there is one.
    pub fn early_termination<'b>(
        &'b self,
        oracle: Option<&'b QualitativeOracle>,
    ) -> Option<EarlyTermination<'b>> {
        oracle.and_then(|oracle| Some(EarlyTermination::new(oracle, self.runner()?)))
    }
}

impl SinglePath for SinglePathRunner<'_> {
    fn runner(&self) -> Option<&Runner> {
        let compile = || {
            let native = Native::new(volvelle_native::Options::default()).ok();
            let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
            Runner::final_state(self.plan, compiler).ok()
        };
        self.runner.get_or_init(compile).as_ref()
    }
}
