//! A visit to a state: decisions and rewards in it, and the step out of it.

use super::builder::Builder;
use volvelle_kernel::{Block, Const, Stmt};

impl Builder<'_> {
    /// The code of a visit to a state: decisions and rewards in it, and the step out of it.
    pub(super) fn visit(&mut self) -> Block {
        let mut block = self.arrive();
        if matches!(block.last(), Some(Stmt::Break)) {
            return block;
        }
        let mut stay = self.evaluate_weights();
        if self.plan.clock {
            stay.extend(self.draw_time());
        }
        stay.extend(self.dwell());
        let is_dead = self.kernel.exprs.as_const(self.dead).and_then(Const::as_bool);
        let last = if is_dead == Some(false) { Vec::new() } else { self.stay_for_ever() };
        let go = if is_dead == Some(true) { Vec::new() } else { self.go() };
        let go = if self.decides_by_time() && is_dead != Some(true) { self.unless_decided(go) } else { go };
        let way = self.when(self.dead, last, go);
        stay.extend(way);
        let stay = self.unless_reached(stay);
        if block.is_empty() {
            return stay;
        }
        block.extend(self.unless_decided(stay));
        block
    }

    /// `if something is open { block } else { the path ends }`
    fn unless_decided(&mut self, block: Block) -> Block {
        if self.ends_with_its_measure() {
            return block;
        }
        let cond = self.any_open();
        vec![Stmt::If { cond, then: block, otherwise: self.end() }]
    }
}
