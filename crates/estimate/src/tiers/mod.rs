//! The code that runs the paths of a plan: the variant that compiles soonest, then the one that proves
//! fastest.
//!
//! [`compiler`] compiles code variants; [`throughput`] keeps their speeds, and those of device kernels;
//! [`selection`] lets paths run while further variants are compiled. All variants give the same bits, and
//! differ in time alone.

pub mod compiler;
pub mod selection;
pub mod throughput;

pub use selection::{Expected, TierSelection, TierUsage};

use crate::settings::PathTier;
use compiler::{CodeVariant, PlanCompiler};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::path::Plan;

/// Compiles the first variant of a tier for a plan, and starts an adaptive selection from it.
///
/// # Errors
/// No variant of the tier can be compiled.
pub fn start(
    plan: &Arc<Plan>,
    tier: PathTier,
    expected: Expected,
    control: &Control<'_>,
) -> Result<TierSelection, Unsupported> {
    let compiler = Box::new(PlanCompiler::new(Arc::clone(plan)));
    let others = |first| CodeVariant::others(tier, first);
    TierSelection::start(compiler, CodeVariant::first(tier), others, expected, control)
        .map_err(Unsupported::Compile)
}
