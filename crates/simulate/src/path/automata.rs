//! Automata on the path: a letter is read in every state.

use super::builder::Builder;
use crate::automaton::{ACCEPTS, REJECTS, STATE_BITS};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Stmt, Type};

impl Builder<'_> {
    /// Place of the present state and letter in the tables.
    fn place_in_tables(&mut self, automaton: usize) -> ExprId {
        let plan = self.plan;
        let conditions = &plan.automata[automaton].conditions;
        let state = self.kernel.get(self.automata[automaton].state);
        let e = &mut self.kernel.exprs;
        let state = e.convert(Type::U64, state);
        let width = e.u64(conditions.len() as u64);
        let mut place = e.binary(BinaryOp::Shl, state, width);
        for (i, &condition) in conditions.iter().enumerate() {
            let holds = self.expr(condition);
            let e = &mut self.kernel.exprs;
            let (bit, zero) = (e.u64(1 << i), e.u64(0));
            let bit = e.select(holds, bit, zero);
            place = e.binary(BinaryOp::BitOr, place, bit);
        }
        place
    }

    /// Reads the letter of the state. Returns the conditions that all continuations are accepted, and that
    /// none is.
    pub(super) fn read_letter(&mut self, automaton: usize) -> (Block, ExprId, ExprId) {
        let locals = self.automata[automaton];
        let place = self.place_in_tables(automaton);
        let load = self.kernel.exprs.load(locals.steps, Type::U32, place);
        let entry = self.kernel.get(locals.entry);
        let e = &mut self.kernel.exprs;
        let mask = e.constant(Const::int(Type::U32, (1 << STATE_BITS) - 1));
        let next = e.binary(BinaryOp::BitAnd, entry, mask);
        let by = e.constant(Const::int(Type::U32, STATE_BITS.into()));
        let known = e.binary(BinaryOp::Shr, entry, by);
        let mut is = |what: u32| {
            let what = e.constant(Const::int(Type::U32, what.into()));
            e.binary(BinaryOp::Eq, known, what)
        };
        let (accepts, rejects) = (is(ACCEPTS), is(REJECTS));
        let block = vec![
            Stmt::Set { local: locals.entry, value: load },
            Stmt::Set { local: locals.state, value: next },
        ];
        (block, accepts, rejects)
    }

    /// The verdict if the path stays in the state forever: see
    /// [`crate::automaton::MonitorAutomaton::for_ever`].
    pub(super) fn repeat_letter(&mut self, automaton: usize) -> ExprId {
        let place = self.place_in_tables(automaton);
        self.kernel.exprs.load(self.automata[automaton].for_ever, Type::U32, place)
    }
}
