//! Constructors of temporal operators. Each result is equivalent to what was requested.
//!
//! The most useful simplification concerns limit operators (`G F φ`, `F G φ`): whether they hold does not depend
//! on the beginning of a word, so they move out of temporal operators: `α U (λ & β) = λ & (α U β)`.

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};

impl Formulas {
    /// `X φ`.
    pub fn next(&mut self, id: FormulaId) -> FormulaId {
        self.delay(1, Self::TRUE, id, true)
    }

    /// `hold U goal`, where `goal` comes after at least `lower` and at most `upper` steps.
    pub fn until(&mut self, hold: FormulaId, goal: FormulaId, lower: u64, upper: u64) -> FormulaId {
        if upper < lower {
            return Self::FALSE;
        }
        let bound = if upper == UNBOUNDED { UNBOUNDED } else { upper - lower };
        let until = self.until_within(hold, goal, bound);
        self.delay(lower, hold, until, true)
    }

    /// `release R goal`, the dual of until: at each of the steps from `lower` to `upper` there is `goal`, or
    /// `release` came before.
    pub fn release(&mut self, release: FormulaId, goal: FormulaId, lower: u64, upper: u64) -> FormulaId {
        if upper < lower {
            return Self::TRUE;
        }
        let bound = if upper == UNBOUNDED { UNBOUNDED } else { upper - lower };
        let inner = self.release_within(release, goal, bound);
        self.delay(lower, release, inner, false)
    }

    /// `G φ`.
    pub fn always(&mut self, id: FormulaId) -> FormulaId {
        self.release_within(Self::FALSE, id, UNBOUNDED)
    }

    /// `F φ`.
    pub fn eventually(&mut self, id: FormulaId) -> FormulaId {
        self.until_within(Self::TRUE, id, UNBOUNDED)
    }

    /// `hold W goal`: until, or for ever `hold`.
    pub fn weak_until(&mut self, hold: FormulaId, goal: FormulaId) -> FormulaId {
        let either = self.or(hold, goal);
        self.release_within(goal, either, UNBOUNDED)
    }

    /// `a → b`.
    pub fn implies(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// `a ↔ b`.
    pub fn iff(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and(there, back)
    }

    /// See [`Node::Delay`]; of zero steps too.
    pub(crate) fn delay(&mut self, steps: u64, hold: FormulaId, then: FormulaId, mut all: bool) -> FormulaId {
        let (neutral, absorbing) = (self.constant(all), self.constant(!all));
        if steps == 0 {
            return then;
        }
        if hold == absorbing || (hold == neutral && (then == Self::TRUE || then == Self::FALSE)) {
            return if hold == absorbing { absorbing } else { then };
        }
        if then == absorbing {
            return absorbing;
        }
        if hold == neutral {
            // Plain steps: "and" and "or" are the same.
            all = true;
            match self.get(then).clone() {
                Node::Delay { steps: more, hold: Self::TRUE, then, all: true } => {
                    return self.delay(steps.saturating_add(more), Self::TRUE, then, true);
                }
                _ => {
                    let delayed = |f: &mut Self, rest| f.delay(steps, Self::TRUE, rest, true);
                    let past = self.past_limits(then, delayed);
                    return past
                        .unwrap_or_else(|| self.intern(Node::Delay { steps, hold: Self::TRUE, then, all }));
                }
            }
        }
        self.intern(Node::Delay { steps, hold, then, all })
    }

    /// `hold U goal` within `bound` steps.
    pub(crate) fn until_within(&mut self, hold: FormulaId, goal: FormulaId, bound: u64) -> FormulaId {
        if bound == 0 || hold == Self::FALSE || hold == goal || self.is_constant(goal) {
            return goal;
        }
        if let Some(past) = self.past_limits(goal, |f, rest| f.until_within(hold, rest, bound)) {
            return past;
        }
        match self.get(goal).clone() {
            Node::Until { goal: inner, .. } if hold == Self::TRUE && bound == UNBOUNDED => {
                // F (α U β) = F β, whatever the bound inside.
                return self.until_within(Self::TRUE, inner, UNBOUNDED);
            }
            Node::Until { hold: Self::TRUE, bound: UNBOUNDED, .. } if hold == Self::TRUE => return goal,
            Node::Release { release: Self::FALSE, goal: inner, bound: UNBOUNDED }
                if hold == Self::TRUE && bound == UNBOUNDED =>
            {
                return self.almost_always(inner);
            }
            Node::Or(operands) if hold == Self::TRUE && bound == UNBOUNDED => {
                // F (G α | β) = F G α | F β.
                let (always, rest): (Vec<_>, Vec<_>) = operands.iter().partition(|&&o| {
                    matches!(self.get(o), Node::Release { release: Self::FALSE, bound: UNBOUNDED, .. })
                });
                if !always.is_empty() {
                    let mut parts: Vec<FormulaId> =
                        always.into_iter().map(|o| self.until_within(hold, o, bound)).collect();
                    let rest = self.junction(rest, false);
                    parts.push(self.until_within(hold, rest, bound));
                    return self.junction(parts, false);
                }
            }
            _ => {}
        }
        if self.traits(hold).limit {
            // Either the limit holds, and with it all of the left side, or the goal is due at once.
            let eventually = self.until_within(Self::TRUE, goal, bound);
            let both = self.and(hold, eventually);
            return self.or(goal, both);
        }
        self.intern(Node::Until { hold, goal, bound })
    }

    /// `release R goal` for `bound` steps.
    pub(crate) fn release_within(&mut self, release: FormulaId, goal: FormulaId, bound: u64) -> FormulaId {
        if bound == 0 || release == Self::TRUE || release == goal || self.is_constant(goal) {
            return goal;
        }
        if let Some(past) = self.past_limits(goal, |f, rest| f.release_within(release, rest, bound)) {
            return past;
        }
        match self.get(goal).clone() {
            Node::Release { goal: inner, .. } if release == Self::FALSE && bound == UNBOUNDED => {
                return self.release_within(Self::FALSE, inner, UNBOUNDED);
            }
            Node::Release { release: Self::FALSE, bound: UNBOUNDED, .. } if release == Self::FALSE => {
                return goal;
            }
            Node::Until { hold: Self::TRUE, goal: inner, bound: UNBOUNDED }
                if release == Self::FALSE && bound == UNBOUNDED =>
            {
                return self.infinitely_often(inner);
            }
            Node::And(operands) if release == Self::FALSE && bound == UNBOUNDED => {
                // G (α & β) = G α & G β, so that each part is translated by itself.
                let (temporal, plain): (Vec<_>, Vec<_>) =
                    operands.iter().partition(|&&o| self.traits(o).temporal);
                if !temporal.is_empty() {
                    let mut parts: Vec<FormulaId> =
                        temporal.into_iter().map(|o| self.release_within(release, o, bound)).collect();
                    let plain = self.junction(plain, true);
                    parts.push(self.release_within(release, plain, bound));
                    return self.junction(parts, true);
                }
            }
            _ => {}
        }
        if self.traits(release).limit {
            let always = self.release_within(Self::FALSE, goal, bound);
            let either = self.or(release, always);
            return self.and(goal, either);
        }
        self.intern(Node::Release { release, goal, bound })
    }

    /// `G F φ`.
    pub fn infinitely_often(&mut self, id: FormulaId) -> FormulaId {
        if self.is_constant(id) || self.traits(id).limit {
            return id;
        }
        match self.get(id).clone() {
            Node::Until { goal, .. } => self.infinitely_often(goal),
            Node::Delay { hold: Self::TRUE, then, all: true, .. } => self.infinitely_often(then),
            Node::Release { release: Self::FALSE, goal, bound: UNBOUNDED } => self.almost_always(goal),
            Node::Or(operands) if operands.iter().any(|&o| self.traits(o).temporal) => {
                let (temporal, plain): (Vec<_>, Vec<_>) =
                    operands.iter().partition(|&&o| self.traits(o).temporal);
                let mut parts: Vec<FormulaId> =
                    temporal.into_iter().map(|o| self.infinitely_often(o)).collect();
                let plain = self.junction(plain, false);
                parts.push(self.infinitely_often(plain));
                self.junction(parts, false)
            }
            Node::And(operands) if self.has_limit(&operands) => {
                let (limits, rest) = self.split_limits(&operands, true);
                let rest = self.infinitely_often(rest);
                self.and(limits, rest)
            }
            _ => self.intern(Node::InfinitelyOften(id)),
        }
    }

    /// `F G φ`.
    pub fn almost_always(&mut self, id: FormulaId) -> FormulaId {
        if self.is_constant(id) || self.traits(id).limit {
            return id;
        }
        match self.get(id).clone() {
            Node::Release { goal, .. } => self.almost_always(goal),
            Node::Delay { hold: Self::TRUE, then, all: true, .. } => self.almost_always(then),
            Node::Until { hold: Self::TRUE, goal, bound: UNBOUNDED } => self.infinitely_often(goal),
            Node::And(operands) if operands.iter().any(|&o| self.traits(o).temporal) => {
                let (temporal, plain): (Vec<_>, Vec<_>) =
                    operands.iter().partition(|&&o| self.traits(o).temporal);
                let mut parts: Vec<FormulaId> = temporal.into_iter().map(|o| self.almost_always(o)).collect();
                let plain = self.junction(plain, true);
                parts.push(self.almost_always(plain));
                self.junction(parts, true)
            }
            Node::Or(operands) if self.has_limit(&operands) => {
                let (limits, rest) = self.split_limits(&operands, false);
                let rest = self.almost_always(rest);
                self.or(limits, rest)
            }
            _ => self.intern(Node::AlmostAlways(id)),
        }
    }

    fn is_constant(&self, id: FormulaId) -> bool {
        id == Self::TRUE || id == Self::FALSE
    }

    fn has_limit(&self, operands: &[FormulaId]) -> bool {
        operands.iter().any(|&o| self.traits(o).limit)
    }

    /// The formula `operator id` where limit operators can be left out of it: they are the same before and after any number
    /// of steps. `None` where there is none.
    fn past_limits(
        &mut self,
        id: FormulaId,
        operator: impl FnOnce(&mut Self, FormulaId) -> FormulaId,
    ) -> Option<FormulaId> {
        if self.traits(id).limit {
            return Some(id);
        }
        let (operands, all) = match self.get(id) {
            Node::And(operands) => (operands.clone(), true),
            Node::Or(operands) => (operands.clone(), false),
            _ => return None,
        };
        if !self.has_limit(&operands) {
            return None;
        }
        let (limits, rest) = self.split_limits(&operands, all);
        let rest = operator(self, rest);
        Some(if all { self.and(limits, rest) } else { self.or(limits, rest) })
    }

    /// The operands that are limits, and the others.
    fn split_limits(&mut self, operands: &[FormulaId], all: bool) -> (FormulaId, FormulaId) {
        let (limits, rest): (Vec<_>, Vec<_>) = operands.iter().partition(|&&o| self.traits(o).limit);
        (self.junction(limits, all), self.junction(rest, all))
    }
}
