//! The locals and horizons of a curve of rewards in a path kernel.

use super::plan::Plan;
use volvelle_kernel::{Access, Buffer, Kernel, Local, Type};
use volvelle_model::Kind;

/// Locals and horizons of a curve of rewards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    /// Number of the next horizon.
    pub next: Local,
    /// When it is: a time, or steps.
    pub due: Local,
    /// All horizons, and one that is never passed.
    pub horizons: Buffer,
}

/// Declares locals and horizons for the monitors that are curves of rewards.
pub(super) fn declare(kernel: &mut Kernel, plan: &Plan) -> Vec<Option<Curve>> {
    let ty = if plan.program.kind() == Kind::Ctmc { Type::F64 } else { Type::U32 };
    let mut declared = Vec::new();
    for (i, monitor) in plan.monitors.all().iter().enumerate() {
        declared.push(monitor.tells_values().then(|| Curve {
            next: kernel.local(format!("next{i}"), Type::U64),
            due: kernel.local(format!("due{i}"), ty),
            horizons: kernel.buffer(format!("horizons{i}"), ty, Access::Read),
        }));
    }
    declared
}
