//! Values of expressions, and effects, in the current environment.

use super::code::{Code, Op, Step};
use super::{Cell, Interference, MOST_CHANGES, SLOTS, UNBOUNDED, View, bit_of_cell};
use crate::interval_operations::{self as value, ANY, ANY_TRUTH, known, single};
use volvelle_model::interval::Interval;
use volvelle_model::{FieldId, PoolId};

impl Interference<'_> {
    /// The cell: as in the state, unless this run has found more about it.
    pub(super) fn cell(&mut self, state: &[u64], cell: usize) -> &mut Cell {
        let (run, info) = (self.run, self.ahead.code.cells[cell]);
        let known = &mut self.cells[cell];
        if known.run != run {
            let length = self.program.fields[info.field.index()].length as usize;
            let (from, to) = info.element.map_or((0, length), |at| (at as usize, at as usize + 1));
            let element = |element| single(self.layout.get(state, info.field, 0, element));
            let values = (from + 1..to).fold(element(from), |all, at| all.hull(element(at)));
            *known = Cell { run, values, added: single(0), changes: 0 };
        }
        known
    }

    /// The possible values of a cell.
    fn cell_value(&mut self, state: &[u64], cell: usize) -> Interval {
        self.reads |= bit_of_cell(cell);
        let domain = self.ahead.code.cells[cell].domain;
        let Cell { values, added, .. } = *self.cell(state, cell);
        let lo = values.lo.saturating_add(added.lo).max(domain.lo);
        let hi = values.hi.saturating_add(added.hi).min(domain.hi);
        // A value that does not fit is wrapped, or the step fails.
        Interval::new(lo, hi).unwrap_or(domain)
    }

    /// A cell may get a value.
    pub(super) fn assign(&mut self, state: &[u64], cell: usize, value: Interval) {
        let domain = self.ahead.code.cells[cell].domain;
        let known = self.cell(state, cell);
        let fitting = Interval::new(value.lo.max(domain.lo), value.hi.min(domain.hi)).unwrap_or(domain);
        let hull = known.values.hull(fitting);
        if hull != known.values {
            known.changes = known.changes.saturating_add(1);
            known.values = if known.changes > MOST_CHANGES { domain.hull(hull) } else { hull };
            self.change(bit_of_cell(cell));
        }
    }

    /// Applies the steps of an effect to `arrived`. Recursion is as deep as blocks nest, which front ends
    /// limit.
    pub(super) fn steps(&mut self, view: View<'_>, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Temporary(t, value) => {
                    let value = self.value_in(view, value);
                    self.temporaries[*t as usize] = value;
                }
                Step::Own { entry, value, keeps } => {
                    let value = self.value_in(view, value);
                    let ty = &self.ahead.code.types[self.processes[view.slot].ty];
                    let domain = self.ahead.code.domains[ty.fields[*entry as usize]];
                    let fitting =
                        Interval::new(value.lo.max(domain.lo), value.hi.min(domain.hi)).unwrap_or(domain);
                    let known = &mut self.arrived[*entry as usize];
                    *known = if *keeps { known.hull(fitting) } else { fitting };
                }
                Step::Cell { cell, value } => {
                    let value = self.value_in(view, value);
                    self.assign(view.state, *cell as usize, value);
                }
                Step::CellOf { first, count, index, value } => {
                    let (index, value) = (self.value_in(view, index), self.value_in(view, value));
                    let last = i64::from(*count) - 1;
                    let all = self.ahead.code.cells[*first as usize].element.is_none();
                    let (lo, hi) = if all { (0, 0) } else { (index.lo.max(0), index.hi.min(last)) };
                    for at in lo..=hi {
                        self.assign(view.state, (i64::from(*first) + at) as usize, value);
                    }
                }
                Step::Add { cell, entry, amount, is_negative } => {
                    let amount = self.value_in(view, amount);
                    let amount = if *is_negative {
                        Interval { lo: amount.hi.saturating_neg(), hi: amount.lo.saturating_neg() }
                    } else {
                        amount
                    };
                    self.cell(view.state, *cell as usize);
                    let sum = &mut self.arrived[*entry as usize];
                    // Any part of the additions may come after an assignment, also none.
                    sum.lo = sum.lo.saturating_add(amount.lo.min(0)).max(-UNBOUNDED);
                    sum.hi = sum.hi.saturating_add(amount.hi.max(0)).min(UNBOUNDED);
                }
                Step::Slot { pool, slot } => {
                    let slot = self.value_in(view, slot);
                    let (first, count) = self.resources.slots_of(*pool);
                    let range = match known(slot).and_then(|n| usize::try_from(n).ok()) {
                        Some(n) => n.min(count - 1)..n.min(count - 1) + 1,
                        None => 0..count,
                    };
                    for resource in range.map(|n| first + n) {
                        let (word, bit) = (resource / 64, 1 << (resource % 64));
                        if self.changed[word] & bit == 0 {
                            self.changed[word] |= bit;
                            self.change(SLOTS);
                        }
                    }
                }
                Step::If { cond, then, otherwise } => {
                    let cond = self.value_in(view, cond);
                    match known(cond) {
                        Some(0) => self.steps(view, otherwise),
                        Some(_) => self.steps(view, then),
                        None => {
                            let before = self.arrived.clone();
                            let temporaries = self.temporaries.clone();
                            self.steps(view, then);
                            let one = std::mem::replace(&mut self.arrived, before);
                            let others = std::mem::replace(&mut self.temporaries, temporaries);
                            self.steps(view, otherwise);
                            self.arrived.iter_mut().zip(one).for_each(|(a, b)| *a = a.hull(b));
                            self.temporaries.iter_mut().zip(others).for_each(|(a, b)| *a = a.hull(b));
                        }
                    }
                }
            }
        }
    }

    /// The value of an expression in an effect.
    fn value_in(&mut self, view: View<'_>, code: &Code) -> Interval {
        std::mem::swap(&mut self.environment, &mut self.arrived);
        let value = self.value(view, code);
        std::mem::swap(&mut self.environment, &mut self.arrived);
        value
    }

    /// The value of an expression in the environment.
    pub(super) fn value(&mut self, view: View<'_>, code: &Code) -> Interval {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        for &op in code {
            let mut pop = || stack.pop().unwrap_or(ANY);
            let value = match op {
                Op::Known(value) => value,
                Op::Own(entry) => self.environment[entry as usize],
                Op::OwnElement(entry) => {
                    pop();
                    self.environment[entry as usize]
                }
                Op::Cell(cell) => self.cell_value(view.state, cell as usize),
                Op::CellOf { first, count } => {
                    let index = pop();
                    let first = first as usize;
                    let info = self.ahead.code.cells[first];
                    match known(index).and_then(|at| u32::try_from(at).ok()) {
                        _ if info.element.is_none() => self.cell_value(view.state, first),
                        Some(at) if at < count => self.cell_value(view.state, first + at as usize),
                        _ => info.domain,
                    }
                }
                Op::Slot { pool, field, is_indexed } => {
                    let index = if is_indexed { pop() } else { single(0) };
                    let slot = pop();
                    self.slot_value(view, pool, field, slot, index)
                }
                Op::Temporary(t) => self.temporaries[t as usize],
                Op::Offered(k) => self.offered.get(k as usize).copied().unwrap_or(ANY),
                Op::Mover => single(view.slot as i64),
                Op::Unary(op, ty) => value::unary(op, ty, pop()),
                Op::Binary(op, ty) => {
                    let rhs = pop();
                    value::binary(op, ty, pop(), rhs)
                }
                Op::Checked(op, ty) => {
                    let rhs = pop();
                    value::checked(op, ty, pop(), rhs)
                }
                Op::Convert(from, to) => value::convert(from, to, pop()),
                Op::Range(ty, lo, hi) => value::range(ty, pop(), lo, hi),
                Op::Select => {
                    let (no, yes) = (pop(), pop());
                    match known(pop()) {
                        Some(0) => no,
                        Some(_) => yes,
                        None => yes.hull(no),
                    }
                }
                Op::And => {
                    let (b, a) = (pop(), pop());
                    Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) }
                }
                Op::Or => {
                    let (b, a) = (pop(), pop());
                    Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) }
                }
            };
            stack.push(value);
        }
        let value = stack.pop().unwrap_or(ANY_TRUTH);
        self.stack = stack;
        value
    }

    fn slot_value(
        &mut self,
        view: View<'_>,
        pool: PoolId,
        field: FieldId,
        slot: Interval,
        index: Interval,
    ) -> Interval {
        self.reads |= SLOTS;
        let domain = self.ahead.code.domains[field];
        let (Some(slot), Some(index)) = (known(slot), known(index)) else { return domain };
        let (Ok(slot), Ok(index)) = (usize::try_from(slot), usize::try_from(index)) else { return domain };
        let (first, count) = self.resources.slots_of(pool);
        let resource = first + slot.min(count - 1);
        let is_changed = self.changed[resource / 64] >> (resource % 64) & 1 != 0;
        let length = self.program.fields[field.index()].length as usize;
        if is_changed || index >= length || !self.layout.has(field, slot) {
            return domain;
        }
        single(self.layout.get(view.state, field, slot, index))
    }
}
