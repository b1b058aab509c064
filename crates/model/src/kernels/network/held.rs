//! Fields that a machine holds in locals of the kernel while it runs.
//!
//! In: the blocks of a machine in an effect. Scalar fields that the blocks write under no other name are
//! loaded before the machine and stored after it. So a loop inside a `d_step` works on registers, not on the
//! bits of a packed state.

use super::access::{Access, Context};
use crate::ids::FieldId;
use crate::places::{Place, each_write};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::{Block, Stmt};

/// Limit of fields that a machine holds, since every jump passes each of them on.
const MOST_HELD: usize = 8;

impl Access<'_> {
    /// Holds fields that some blocks write in locals, until [`Access::release`]. Returns the statements that
    /// load them, and those that store them afterwards.
    pub fn hold(&mut self, blocks: &[Block], context: Context) -> (Block, Block) {
        let (mut before, mut behind) = (Block::new(), Block::new());
        for field in self.worth_holding(blocks) {
            let value = self.scalar(field, context);
            let ty = self.kernel.exprs.ty(value);
            let kernel = &mut self.kernel;
            let local =
                *self.holders.entry(field).or_insert_with(|| kernel.local(format!("held{}", field.0), ty));
            before.push(Stmt::Set { local, value });
            let (base, first) = (self.own_base(field, context.1), self.exprs().u64(0));
            let value = self.get(local);
            behind.extend(self.write(field, base, first, value));
            self.held.insert(field, local);
        }
        if !self.held.is_empty() {
            // Expressions translated before read the state instead of these locals.
            self.known_before = std::mem::take(&mut self.memo);
        }
        (before, behind)
    }

    /// From here on, fields are read and written in the state again.
    pub fn release(&mut self) {
        if !self.held.is_empty() {
            self.held.clear();
            self.memo = std::mem::take(&mut self.known_before);
        }
    }

    fn worth_holding(&self, blocks: &[Block]) -> Vec<FieldId> {
        let program = self.program;
        let mut counts: FxHashMap<FieldId, usize> = FxHashMap::default();
        let mut elsewhere: FxHashSet<FieldId> = FxHashSet::default();
        let mut roots = Vec::new();
        for block in blocks {
            each_write(block, &mut |place, _| match program.place(place) {
                Place::Field(field) => *counts.entry(field).or_default() += 1,
                Place::Slot { field, .. } => _ = elsewhere.insert(field),
                _ => {}
            });
            program.expressions(block, &mut roots);
        }
        let reached = program.reachable(roots);
        for id in program.exprs.ids().filter(|id| reached[id.index()]) {
            if let Some(Place::Slot { field, .. }) = program.place_read(&program.exprs.node(id)) {
                elsewhere.insert(field);
            }
        }
        let is_scalar =
            |field: FieldId| program.fields[field.index()].length == 1 && self.layout.place(field).bits > 0;
        let mut fields: Vec<(usize, FieldId)> = counts
            .into_iter()
            .filter(|&(field, _)| is_scalar(field) && !elsewhere.contains(&field))
            .map(|(field, count)| (count, field))
            .collect();
        fields.sort_unstable_by_key(|&(count, field)| (std::cmp::Reverse(count), field));
        fields.truncate(MOST_HELD);
        fields.into_iter().map(|(_, field)| field).collect()
    }
}
