//! Hidden variables: which of them are no part of the state.
//!
//! SPIN keeps all `hidden` variables out of the state. Where a guard depends on their values, it takes different states for
//! the same and overlooks runs. Here a hidden variable is out of the state only if no guard, claim or other variable depends
//! on it; otherwise it is a part of the state like others, so that verdicts are right. Searches that may reduce do without
//! all variables on which nothing depends, as SPIN does.

use super::environment::Environment;
use super::lowered::Lowered;
use super::types::Scalar;
use rustc_hash::FxHashSet;
use volvelle_model::unread::drop_unread;
use volvelle_model::{FieldId, Program};

/// Takes hidden variables on which nothing depends out of the state. Simulations keep them, to show them.
pub(super) fn drop_hidden(env: &Environment<'_>, program: &mut Program) {
    if env.fields.print.is_some() {
        return;
    }
    let variables = env.variables.values().filter(|v| v.hidden && v.process.is_none());
    let leaves = variables.flat_map(|v| &v.leaves).filter(|leaf| leaf.channel.is_none());
    drop_unread(program, leaves.map(|leaf| leaf.field).collect());
}

impl Lowered {
    /// The program without global variables on which nothing depends.
    pub fn without_unread(&self) -> Program {
        let mut program = self.program.clone();
        let fields = program.fields.iter().zip(&self.field_types).enumerate();
        let is_variable = |ty: &Option<Scalar>| ty.is_some_and(|ty| ty != Scalar::Chan);
        let variables = fields.filter(|(_, (field, ty))| field.component.is_none() && is_variable(ty));
        let variables: FxHashSet<FieldId> = variables.map(|(at, _)| FieldId(at as u32)).collect();
        drop_unread(&mut program, variables);
        program
    }
}
