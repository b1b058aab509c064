//! The values that expressions read where expanding a state fails: fields, exchanged values, tables of
//! functions.

use crate::batch::Batch;
use volvelle_kernel::interp::{Evaluator, Interpreted};
use volvelle_kernel::{Buffer, Const, ExprId, Local, Site};
use volvelle_model::kernels::StepKernel;
use volvelle_model::tables::Table;
use volvelle_model::{Domain, Place, Program};

/// The values of places.
pub(crate) struct Scene<'a> {
    program: &'a Program,
    fields: Vec<Const>,
    offered: Vec<Const>,
    tables: &'a [Table],
}

impl<'a> Scene<'a> {
    /// The scene of a state, with one value per field, and no exchanged values.
    pub fn of_state(program: &'a Program, values: &[i64]) -> Self {
        let constant = |domain| match domain {
            Domain::Bool => |value: i64| Const::bool(value != 0),
            _ => Const::i64,
        };
        let fields = program.fields.iter().zip(values).map(|(f, &v)| constant(f.domain)(v)).collect();
        Scene { program, fields, offered: Vec::new(), tables: &[] }
    }

    /// The site at which the step kernel fails in a packed state, and the values there; `None` if it does not
    /// fail. The contents of the batch are lost.
    pub fn of_failure(
        program: &'a Program,
        step: &StepKernel,
        code: &Interpreted,
        batch: &mut Batch,
        packed: &[u64],
        tables: &'a [Table],
    ) -> Option<(Site, Self)> {
        let (site, locals) = batch.locals_at_failure(code, packed, tables)?;
        Some((site, Scene::of_locals(program, step, &locals, tables)))
    }

    /// The scene given by locals of the step kernel.
    pub fn of_locals(program: &'a Program, step: &StepKernel, locals: &[Const], tables: &'a [Table]) -> Self {
        let fields = locals[..program.fields.len()].to_vec();
        let offered = step.offered.iter().map(|local| locals[local.index()]).collect();
        Scene { program, fields, offered, tables }
    }

    /// The value (`i64`) of an expression; `None` if evaluation fails.
    pub fn value(&self, root: ExprId) -> Option<i64> {
        let local = |local: Local| match self.program.place(local) {
            Place::Field(field) => self.fields.get(field.index()).copied(),
            Place::Offered(k) => self.offered.get(k as usize).copied(),
            _ => None,
        };
        let load = |buffer: Buffer, index: u64| match self.program.place(buffer) {
            Place::Table(function) => {
                self.tables.get(function.index())?.words().get(index as usize).map(|&word| Const::i64(word))
            }
            _ => None,
        };
        Evaluator::new().eval_reading(&self.program.exprs, root, local, load).ok()?.as_i64()
    }
}
